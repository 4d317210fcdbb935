"""Particles or cells of two runs at one moment, matched by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Snapshot = Mapping[str, Any]
STATE = ("position", "velocity", "density")
"""Fields of particles that must be bit-identical; of cells all fields of the solver must be."""
_NO_FIELDS = ("time", "step", "id", "position")
NEIGHBORS = 4


@dataclass(frozen=True)
class Moment:
    """Two snapshots.

    step: of the first run. time_difference: time of the second run minus that of the first [s]. particles:
    number of particles or cells in both runs. only_a, only_b: number in only one run. differing: number of
    common ones that differ in any bit. mean_error, max_error: distance between positions of common
    particles [m], of cells the difference of their first field."""

    time: float
    step: int
    time_difference: float
    particles: int
    only_a: int
    only_b: int
    differing: int
    mean_error: float
    max_error: float

    @property
    def identical(self) -> bool:
        return self.differing == 0 and self.only_a == 0 and self.only_b == 0 and self.time_difference == 0


@dataclass(frozen=True)
class Divergence:
    """The particle with the largest difference at the first different moment.

    position_a, position_b: (D,) m, of cells the value of `of` in each run. of: "position", or the field of
    cells that is compared. neighbors: its nearest neighbours in the first run, each with id, distance
    to the particle [m] and distance between its positions in the two runs [m]. fields: those of STATE in
    which any particle differs."""

    id: int
    position_a: Floats
    position_b: Floats
    neighbors: tuple[tuple[int, float, float], ...]
    fields: tuple[str, ...]
    of: str = "position"


def match(a: Snapshot, b: Snapshot, periods: Floats) -> tuple[Moment, Divergence | None]:
    """Compares two snapshots. periods: (D,) of the domain [m], infinite along axes that are not periodic. The
    divergence is None if all particles are identical, or no particle is in both."""
    ids, at_a, at_b = np.intersect1d(a["id"], b["id"], assume_unique=True, return_indices=True)
    if "velocity" not in a:
        return _match_cells(a, b, ids)
    apart = _distance(a["position"][at_a], b["position"][at_b], periods)
    differs = np.zeros(len(ids), dtype=bool)
    fields = []
    for name in STATE:
        unequal = _bits(a[name][at_a]) != _bits(b[name][at_b])
        unequal = unequal.reshape(len(ids), -1).any(axis=1)
        differs |= unequal
        if unequal.any():
            fields.append(name)
    moment = Moment(
        time=a["time"],
        step=a["step"],
        time_difference=b["time"] - a["time"],
        particles=len(ids),
        only_a=len(a["id"]) - len(ids),
        only_b=len(b["id"]) - len(ids),
        differing=int(differs.sum()),
        mean_error=float(apart.mean()) if len(ids) else 0.0,
        max_error=float(apart.max(initial=0.0)),
    )
    if not differs.any():
        return moment, None
    worst = int(np.argmax(np.where(differs, apart, -1.0)))
    here = a["position"][at_a]
    near = _distance(here, here[worst], periods)
    nearest = np.argsort(near, kind="stable")[1 : NEIGHBORS + 1]
    return moment, Divergence(
        int(ids[worst]),
        here[worst],
        b["position"][at_b[worst]],
        tuple((int(ids[k]), float(near[k]), float(apart[k])) for k in nearest),
        tuple(fields),
    )


def _match_cells(a: Snapshot, b: Snapshot, ids: NDArray[np.int64]) -> tuple[Moment, Divergence | None]:
    """Compares the cells with these ids, which are those from 0 on."""
    common = len(ids)
    names = [name for name in a if name not in _NO_FIELDS and name in b]
    unequal = {name: _bits(a[name][:common]) != _bits(b[name][:common]) for name in names}
    differs = np.any(list(unequal.values()), axis=0) if names else np.zeros(common, dtype=bool)
    apart: Floats = np.abs(a[names[0]][:common] - b[names[0]][:common]) if names else np.zeros(common)
    moment = Moment(
        time=a["time"],
        step=a["step"],
        time_difference=b["time"] - a["time"],
        particles=common,
        only_a=len(a["id"]) - common,
        only_b=len(b["id"]) - common,
        differing=int(differs.sum()),
        mean_error=float(apart.mean()) if common else 0.0,
        max_error=float(apart.max(initial=0.0)),
    )
    if not differs.any():
        return moment, None
    worst = int(np.argmax(np.where(differs, apart, -1.0)))
    values = [np.atleast_1d(each[names[0]][worst]) for each in (a, b)]
    fields = tuple(name for name in names if unequal[name].any())
    return moment, Divergence(worst, values[0], values[1], (), fields, of=names[0])


def _distance(x: Floats, y: Floats, periods: Floats) -> Floats:
    """(n,) distances between positions (n, D), by the shortest path across periodic sides."""
    r = x - y
    wrapped = np.isfinite(periods)
    r[:, wrapped] -= periods[wrapped] * np.round(r[:, wrapped] / periods[wrapped])
    distance: Floats = np.linalg.norm(r, axis=1)
    return distance


def _bits(values: Floats) -> NDArray[np.uint64]:
    """Values as bits: two NaN are the same, 0 and -0 are not."""
    return np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
