"""Safe reading of files that the server did not write: only regular files of limited size in the folder of
the run."""

from __future__ import annotations

import os
import stat
from pathlib import Path

LARGEST_TEXT = 16 * 1024**2  # bytes of run.json, world.toml and the like
_MOST_FILES = 200_000  # of a run
_DEEPEST = 6


class ForeignFileError(OSError):
    """A file that is not read; the message gives the reason."""


def read_plain(path: Path, most: int = LARGEST_TEXT) -> bytes:
    """The content of a regular file; links are not followed, pipes not opened. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise ForeignFileError(f"{path.name} is not a plain file")
        data = file.read(most + 1)
    if len(data) > most:
        raise ForeignFileError(f"{path.name} has more than {most:,} bytes")
    return data


def check_folder(folder: Path) -> None:
    """Raises ForeignFileError if the folder of a run contains anything except folders and regular files: a
    link could lead to any file of this machine, and a pipe would block. Raises OSError if it cannot be
    listed."""
    count = 0
    places = [(folder, 0)]
    while places:
        place, depth = places.pop()
        with os.scandir(place) as entries:
            for entry in entries:
                count += 1
                inside = Path(entry.path).relative_to(folder)
                if entry.is_dir(follow_symlinks=False):
                    places.append((Path(entry.path), depth + 1))
                elif not entry.is_file(follow_symlinks=False):
                    kind = "a link" if entry.is_symlink() else "neither a file nor a folder"
                    raise ForeignFileError(f"{inside} is {kind}; the lab shows only runs made of plain files")
        if count > _MOST_FILES or depth > _DEEPEST:
            raise ForeignFileError(
                f"the run has more than {_MOST_FILES:,} files, or too many folders in folders"
            )


def cleaned(text: object, most: int) -> str:
    """A text that databases and answers accept: valid Unicode, limited length."""
    return str(text)[:most].encode("utf-8", "replace").decode("utf-8")
