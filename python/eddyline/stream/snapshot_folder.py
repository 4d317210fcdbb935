"""Snapshots in the folder `snapshots/` of a run: which there are, and when they were taken."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.stream import integrity
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.particles import Kind

if TYPE_CHECKING:
    from eddyline import _core

VTKHDF_VERSION = (2, 0)
CHECKSUM_DIGITS = 32
SMALL = 8_000_000  # bytes of a snapshot up to which it is built in memory
KINDS: tuple[Kind, ...] = ("walls", "fluid")
"""Kinds of particles, in the order in which they are written."""
_NOTE = struct.Struct("<dqqi4s")


@dataclass(frozen=True)
class Moment:
    time: float  # s
    step: int
    dimensions: int
    checksum: str  # of the whole state, CHECKSUM_DIGITS hexadecimal digits

    @classmethod
    def of(cls, simulation: _core.Simulation) -> Moment:
        return cls(
            simulation.time,
            simulation.step_count,
            simulation.dimensions,
            f"{simulation.checksum():0{CHECKSUM_DIGITS}x}",
        )


@dataclass(frozen=True)
class Note:
    """Trailer of a snapshot. number: of the snapshot.  count: of particles; in an index file, of
    snapshots."""

    time: float  # s
    step: int
    count: int
    number: int
    kind: Kind

    def bytes(self) -> bytes:
        return _NOTE.pack(self.time, self.step, self.count, self.number, self.kind[:4].encode())


def read_note(path: Path) -> Note:
    """The note at the end of a snapshot. Raises CorruptFileError."""
    kind: Kind = "fluid" if path.parent.name == "fluid" else "walls"
    if path.parent.name == "cells":
        kind = "cells"
    note = integrity.read_note(path)
    if note is None:
        with integrity.hdf5_file(path) as file:
            root = file["VTKHDF"]
            time, step = float(root.attrs["time"]), int(root.attrs["step"])
            total = int(root["NumberOfPoints"][0]) if "NumberOfPoints" in root else 0
            return Note(time, step, total, int(path.stem), kind)
    time, step, count, number, written_as = _NOTE.unpack(note)
    if (number, written_as) != (int(path.stem), kind[:4].encode()):
        raise CorruptFileError(path, "it is another file of the run with a wrong name")
    return Note(time, step, count, number, kind)


def kinds_in(snapshots: Path) -> tuple[Kind, ...]:
    """Kinds that the folder `snapshots/` of a run holds; a snapshot exists when that of the last one
    exists."""
    return ("cells",) if (snapshots / "cells").is_dir() else KINDS


def part_name(number: int) -> str:
    return f"{number:06d}.vtkhdf"


def snapshot_count(snapshots: Path) -> int:
    """Number of snapshots in the folder `snapshots/` of a run."""
    return sum(1 for _ in snapshots.glob(f"{kinds_in(snapshots)[-1]}/[0-9]*.vtkhdf"))


def snapshot_moment(run: str | Path, k: int) -> tuple[int, float]:
    """Step and time [s] of snapshot `k`, without its particles; their checksum is not verified. Raises
    CorruptFileError."""
    folder = Path(run) / "snapshots"
    found = read_note(folder / kinds_in(folder)[-1] / part_name(k))
    return found.step, found.time
