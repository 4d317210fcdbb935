"""Prints user errors as lines on standard error; defines the exit codes.

0 done, 2 bad input, 3 a step failed, 4 cannot write, 5 a rank was lost, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

EXIT_BAD_INPUT = 2
EXIT_LOST = 5
EXIT_INTERRUPTED = 130


class BadInputError(Exception):
    """One line for the user."""


def quiet_libraries() -> None:
    """Suppresses warnings of libraries between the lines of a command, unless `python -W` is given."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
        if logging.lastResort is not None:
            logging.lastResort.addFilter(_is_of_a_user)


def _is_of_a_user(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.ERROR or record.name.split(".")[0] == "eddyline"


def check_drawing(file: Path | None) -> None:
    """Raises BadInputError if `--picture FILE` names no kind of picture."""
    if file is not None and file.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise BadInputError(f"--picture {file}: must end in .png, .svg or .pdf")


@contextlib.contextmanager
def errors() -> Iterator[None]:
    """Prints user errors as lines on standard error and exits with their code; any other exception is a bug
    and passes through."""
    from eddyline.option_names import naming_options
    from eddyline.ranks.session import is_follower

    try:
        with naming_options():
            yield
    except (typer.Exit, typer.Abort, BrokenPipeError):  # the reader has gone: Typer ends silently
        raise
    except Exception as error:
        code = _exit_code(error)
        if code is None:
            raise
        if not is_follower():
            typer.echo(_words(error), err=True)
        raise typer.Exit(code) from None


@contextlib.contextmanager
def interrupts() -> Iterator[None]:
    """Prints one word for Ctrl-C in commands that do not handle it themselves."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None


def name_found(error: typer.BadParameter) -> None:
    """Adds the value that was found to the message about an option; Typer's message tells only what is
    allowed."""
    from pydantic import ValidationError

    if not isinstance(error.__cause__, ValidationError):
        return
    fault = error.__cause__.errors()[0]
    allowed = {
        "greater_than_equal": "must be at least {ge:g}",
        "int_parsing": "must be a whole number",
        "float_parsing": "must be a number",
    }.get(fault["type"])
    if allowed is not None:
        error.message = f"{fault['input']}: {allowed.format(**fault.get('ctx', {}))}."


def name_absent(error: Any, word: str) -> None:
    """Extends the message about an unknown command or option with an answer for words that users of other
    codes type."""
    from eddyline.world.absent import answer

    text = answer(word)
    if text is not None:
        error.message = f"{error.message.split('. Did you mean')[0].rstrip('.')}. {text}"
        error.possibilities = None


def _exit_code(error: Exception) -> int | None:
    from eddyline.ranks import RankError
    from eddyline.run.errors import EXIT_CANNOT_WRITE, EXIT_FAILED_STEP, RunError

    if isinstance(error, (RunError, RankError)):
        return error.exit_code
    if isinstance(error, (FileNotFoundError, BadInputError)):
        return EXIT_BAD_INPUT
    if isinstance(error, OSError):
        return EXIT_CANNOT_WRITE
    from eddyline import _core, remote
    from eddyline.live.journal import JournalError
    from eddyline.stream.corrupt import CorruptFileError
    from eddyline.world import WorldError

    if isinstance(error, _core.StepError):  # before the first step: the start itself is wrong
        return EXIT_FAILED_STEP
    from eddyline.mesh import MeshError
    from eddyline.modules import ModuleError
    from eddyline.plan.forecast import PlanError

    if isinstance(error, remote.RemoteError):
        return EXIT_CANNOT_WRITE if error.writing else EXIT_BAD_INPUT
    bad_input = (
        WorldError,
        MeshError,
        ModuleError,
        PlanError,
        CorruptFileError,
        JournalError,
        _core.UserError,
    )
    return EXIT_BAD_INPUT if isinstance(error, bad_input) else None


def _words(error: Exception) -> str:
    from eddyline import remote

    if isinstance(error, OSError) and error.strerror:
        place = "" if error.filename is None else f"{error.filename}: "
        what = "" if isinstance(error, FileNotFoundError) else "cannot write: "
        return remote.as_given(f"{place}{what}{error.strerror}")
    return remote.as_given(str(error))
