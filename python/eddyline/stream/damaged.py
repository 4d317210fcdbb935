"""Files of a run that cannot be read."""

from __future__ import annotations

from pathlib import Path


class DamagedError(ValueError):
    """A file that this version has not written like that."""

    def __init__(self, path: Path, error: Exception | str) -> None:
        super().__init__(f"{path}: damaged ({error}), or written by another version")
