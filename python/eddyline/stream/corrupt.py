"""Files of a run that cannot be read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

REMEDY = "restore it from a backup, or run the world again"


class CorruptFileError(ValueError):
    """A file whose content neither this version nor an earlier one writes."""

    def __init__(self, path: Path, error: Exception | str, remedy: str = REMEDY) -> None:
        what = " ".join(_text(error).split())
        super().__init__(f"{path}: damaged ({what}), or written by another version; {remedy}")
        self.path = path


def _text(error: Exception | str) -> str:
    if isinstance(error, KeyError):
        return f"it has no {error}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Converts any exception of a parser about the content of `path` into CorruptFileError. Libraries (HDF5,
    NumPy, ast, json) raise nearly every class of exception for a damaged file."""
    try:
        yield
    except CorruptFileError:
        raise
    except Exception as error:
        raise CorruptFileError(path, error) from None
