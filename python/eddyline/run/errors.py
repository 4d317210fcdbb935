"""Errors of a run, each with the exit code of the command line."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eddyline.run.record import Run

EXIT_BAD_INPUT = 2
EXIT_FAILED_STEP = 3
EXIT_CANNOT_WRITE = 4
EXIT_INTERRUPTED = 130

_DISK_FULL = {errno.ENOSPC, errno.EDQUOT}


class RunError(Exception):
    """An error with one clear line for the user."""

    exit_code = 1


class RequestError(RunError, ValueError):
    """An argument that is not valid."""

    exit_code = EXIT_BAD_INPUT


class FolderInUseError(RequestError):
    """The requested folder is not empty."""


class MissingFileError(RequestError, FileNotFoundError):
    """A file that a run has not written, or not yet; the message names the command that writes it."""


class WriteError(RunError):
    """The disk is full, read-only or not accessible."""

    exit_code = EXIT_CANNOT_WRITE

    def __init__(self, path: Path, error: OSError, run: Run | None = None) -> None:
        super().__init__(explain_write(path, error))
        self.path = path
        self.run = run


class StepFailedError(RunError):
    """A step failed, e.g. with values that are not finite; the run up to this step is kept."""

    exit_code = EXIT_FAILED_STEP

    def __init__(self, message: str, run: Run) -> None:
        super().__init__(message)
        self.run = run


def explain_write(path: Path, error: OSError) -> str:
    if error.errno in _DISK_FULL:
        if not (path / "run.json").is_file():
            return f"{path}: disk full; nothing was computed. Free some space, or give another folder"
        return f"{path}: disk full; the run stopped, and can be resumed when there is space"
    if error.errno == errno.ENOTDIR:
        return f"{path}: cannot write: part of the path is a file, not a folder"
    return f"{path}: cannot write: {error.strerror or error}"
