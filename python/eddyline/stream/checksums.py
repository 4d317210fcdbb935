"""Checksums of the whole state every N steps: `checksums.csv` in the folder of a run."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from eddyline.stream import atomic, integrity
from eddyline.stream.corrupt import reading

NAME = "checksums.csv"
HEADER = "step,checksum\n"


def append_checksums(path: Path, checksums: Iterable[tuple[int, int]]) -> None:
    lines = "".join(f"{step},{checksum:032x}\n" for step, checksum in checksums)
    if not lines:
        return
    begins = not path.exists()
    with path.open("ab", buffering=0) as file:
        atomic.append(file, ((HEADER if begins else "") + lines).encode())


def cut_checksums(path: Path, step: int) -> None:
    """Drops checksums after `step`."""
    if path.exists():
        kept = [
            f"{number},{checksum}\n" for number, checksum in read_checksums(path).items() if number <= step
        ]
        atomic.write_text(path, HEADER + "".join(kept))


def read_checksums(path: Path, read: integrity.ReadFile = integrity.read_file) -> dict[int, str]:
    """Checksum by step; none if there is no such file. An unfinished last line is left out. Raises
    CorruptFileError."""
    content = read(path)
    if content is None:
        return {}
    with reading(path):
        text = content.decode("ascii")
        rows = text[: text.rfind("\n") + 1].splitlines()[1:]
        return {int(step): checksum for step, _, checksum in (row.partition(",") for row in rows)}
