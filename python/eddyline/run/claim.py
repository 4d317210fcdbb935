"""One process at a time works in a folder."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import IO

from eddyline.run.errors import FolderInUseError

TRIES, BETWEEN = 6, 0.02  # s: is_claimed() of another process releases the lock within this time


def claim(file: IO[str] | int, refusal: str) -> None:
    """Locks an open file or folder until it is closed, or its process ends, however it does.

    Raises FolderInUseError with the text `refusal` if another process holds it. On file systems without locks
    every process gets it.
    """
    for _ in range(TRIES):
        if not _is_taken(file):
            return
        time.sleep(BETWEEN)
    raise FolderInUseError(refusal)


def is_claimed(folder: Path) -> bool:
    """True if a process has claimed a folder, and where that is unknown, as there are no locks."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return True
    try:
        return _is_taken(handle, unknown=True)
    finally:
        os.close(handle)


def _is_taken(file: IO[str] | int, *, unknown: bool = False) -> bool:
    """Locks a file, or tells that another has; `unknown` where there are no locks. Asks for the lock of a
    writer, also to look: file systems may have that of a reader alone."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return unknown
    return False
