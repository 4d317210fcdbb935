"""Phases of each rank over time, for the first steps of a run: `timeline.h5` in its folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eddyline.stream import atomic, integrity

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]

NAME = "timeline.h5"


@dataclass(frozen=True)
class Laps:
    """Timeline of one rank: moments (n, 2) s, begin and end, counted from one moment that is the same for all
    ranks; phases, n names."""

    moments: NDArray[np.float64]
    phases: tuple[str, ...]


def write_timeline(path: Path, ranks: Sequence[tuple[NDArray[np.float64], list[str]]]) -> None:
    names = sorted({name for _, phases in ranks for name in phases})
    with atomic.hdf5_file(path) as file:
        file.attrs["phases"] = names
        for rank, (moments, phases) in enumerate(ranks):
            group = file.create_group(f"{rank:06d}")
            group["moments"] = moments
            group["moments"].attrs["units"] = "s"
            group["phase"] = np.array([names.index(name) for name in phases], dtype=np.int8)


def read_timeline(path: Path) -> list[Laps]:
    """Timelines of all ranks, by rank. Raises CorruptFileError."""
    with integrity.hdf5_file(path) as file:
        names = [str(name) for name in file.attrs["phases"]]
        return [_laps_of(file, file[rank], names) for rank in sorted(file)]


def _laps_of(file: h5py.File, group: h5py.Group, names: Sequence[str]) -> Laps:
    moments = integrity.values_of(file, group["moments"]).astype(np.float64, copy=False)
    phases = integrity.values_of(file, group["phase"]).tolist()
    if moments.shape != (len(phases), 2) or not all(0 <= k < len(names) for k in phases):
        raise ValueError(f"{group.name}: {moments.shape} moments of {len(phases)} phases")
    return Laps(moments, tuple(names[k] for k in phases))


def trace(ranks: Sequence[Laps]) -> dict[str, Any]:
    """Trace events, which Perfetto and chrome://tracing open: a row a rank, microseconds.

    Source: Trace Event Format, complete events (ph = X) and metadata (ph = M).
    """
    events: list[dict[str, Any]] = []
    for rank, laps in enumerate(ranks):
        named = {"name": "thread_name", "ph": "M", "pid": 0, "tid": rank}
        events.append({**named, "args": {"name": f"rank {rank}"}})
        for (begin, end), phase in zip(laps.moments.tolist(), laps.phases, strict=True):
            moment = {"ts": 1e6 * begin, "dur": 1e6 * (end - begin)}
            events.append({"name": phase, "ph": "X", "pid": 0, "tid": rank, **moment})
    return {"traceEvents": events, "displayTimeUnit": "ms"}
