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
NAMED = 5
"""Differing particles that are named besides the one with the largest difference."""


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
    """The particle or cell with the largest difference at the first different moment.

    of: the field that is compared: "position", or if all positions are equal the first that differs; of
    cells their first field. value_a, value_b: its value in each run. neighbors: the nearest neighbours in the
    first run, each with id, distance to the particle [m] and distance between its positions in the two runs
    [m]; of particles with different positions only. fields: those in which any differs. ids: the lowest ids
    that differ, at most NAMED."""

    id: int
    value_a: Floats
    value_b: Floats
    neighbors: tuple[tuple[int, float, float], ...]
    fields: tuple[str, ...]
    of: str
    ids: tuple[int, ...]


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
    of = fields[0]
    values = [np.atleast_2d(each[of][at].T).T for each, at in ((a, at_a), (b, at_b))]
    size = apart if of == "position" else np.linalg.norm(values[0] - values[1], axis=1)
    worst = _largest(differs, size)
    neighbors: tuple[tuple[int, float, float], ...] = ()
    if of == "position":
        near = _distance(values[0], values[0][worst], periods)
        nearest = np.argsort(near, kind="stable")[1 : NEIGHBORS + 1]
        neighbors = tuple((int(ids[k]), float(near[k]), float(apart[k])) for k in nearest)
    return moment, Divergence(
        int(ids[worst]),
        values[0][worst],
        values[1][worst],
        neighbors,
        tuple(fields),
        of,
        _lowest(ids[differs]),
    )


def _largest(differs: NDArray[np.bool_], size: Floats) -> int:
    """Index of the largest difference of those that differ; one that is not a number counts as largest."""
    return int(np.argmax(np.where(differs, np.nan_to_num(size, nan=np.inf), -1.0)))


def _lowest(ids: NDArray[np.int64]) -> tuple[int, ...]:
    """The lowest of sorted ids."""
    return tuple(ids[:NAMED].tolist())


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
    worst = _largest(differs, apart)
    values = [np.atleast_1d(each[names[0]][worst]) for each in (a, b)]
    fields = tuple(name for name in names if unequal[name].any())
    return moment, Divergence(worst, values[0], values[1], (), fields, names[0], _lowest(ids[differs]))


def story(divergence: Divergence, moment: Moment, members: str) -> list[str]:
    """The differences in the snapshots of a moment."""

    def told(values: Floats) -> str:
        words = [repr(float(x)) for x in values]
        return words[0] if len(words) == 1 else f"({', '.join(words)})"

    fields = " and ".join(divergence.fields)
    differ = "differs" if len(divergence.fields) == 1 else "differ"
    more = ", ..." if moment.differing > len(divergence.ids) else ""
    lines = [
        f"  in the snapshots at step {moment.step}, {moment.differing:,} of {moment.particles:,} {members} "
        f"differ; lowest ids: {', '.join(map(str, divergence.ids))}{more}"
    ]
    a, b = told(divergence.value_a), told(divergence.value_b)
    if members == "cells":
        return [
            *lines,
            f"  {fields} {differ}; cell {divergence.id} most: {divergence.of} is {a} in A, {b} in B",
        ]
    if divergence.of != "position":
        lines.append(f"  all positions are identical, but particles differ in {fields}")
    return [
        *lines,
        f"  particle {divergence.id} differs most there: {divergence.of} is {a} in A",
        f"  {'':{len(str(divergence.id))}}{'':{31 + len(divergence.of)}}{b} in B",
        *(
            f"  its neighbour {id}, {distance:.3g} m away, differs by {apart:.3g} m"
            for id, distance, apart in divergence.neighbors
        ),
    ]


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
