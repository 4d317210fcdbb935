"""One process at a time works in a folder."""

from __future__ import annotations

import fcntl
from typing import IO

from eddyline.run.errors import FolderInUseError


def claim(file: IO[str] | int, refusal: str) -> None:
    """Locks an open file or folder until it is closed, or its process ends, however it does.

    Raises FolderInUseError, which says `refusal`, if another process holds it. File systems without locks let
    everybody.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FolderInUseError(refusal) from None
    except OSError:
        pass  # no locks here
