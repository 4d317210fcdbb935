"""File format numbers, and the error for unsupported ones."""

from __future__ import annotations

from pathlib import Path

from eddyline.stream.corrupt import CorruptFileError

AGAIN = "Run its world.toml again with this version"


class FormatError(CorruptFileError):
    """A file with a format that this version does not read. The message is one line.

    writer: the version that wrote the file, if known. again: an alternative, one sentence."""

    def __init__(
        self, path: Path, found: object, readable: int | str, *, writer: str = "", again: str = AGAIN
    ) -> None:
        from eddyline import _core

        by = f", written by Eddyline {writer}" if writer else ""
        other = f"Eddyline {writer}" if writer else "the version of Eddyline that wrote it"
        super(CorruptFileError, self).__init__(
            f"{path}: has format {found!r}{by}; this version, {_core.__version__}, reads format {readable}. "
            f"{again}, or use {other}"
        )
        self.path = path


def check_format(
    path: Path, found: object, newest: int, *, oldest: int | None = None, writer: str = "", again: str = AGAIN
) -> None:
    """Raises FormatError unless `found`, the number in the file at `path`, is a format that this version
    reads: `oldest` to `newest`, or only `newest`. The rest as in FormatError."""
    first = newest if oldest is None else oldest
    if type(found) is not int or not first <= found <= newest:
        readable = newest if first == newest else f"{first} to {newest}"
        raise FormatError(path, found, readable, writer=writer, again=again)
