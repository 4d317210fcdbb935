"""Particles of two runs at one moment, matched by id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Snapshot = Mapping[str, Any]
STATE = ("position", "velocity", "density")
"""What has to be the same to the last bit."""
NEIGHBORS = 4


@dataclass(frozen=True)
class Moment:
    """Two snapshots.

    step: of the first run.  time_difference: of the second run to the first [s].
    particles: in both.  only_a, only_b: in one.  differing: how many of those in both differ in any bit.
    mean_error, max_error: of position, over the particles in both [m].
    """

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
    """The particle that has gone farthest astray at the first moment that is not the same.

    position_a, position_b: (D,) m.  neighbors: the nearest ones in the first run, each with its id, its
    distance there [m] and how far it is from where it is in the second run [m].  fields: of STATE, those in
    which any particle differs.
    """

    id: int
    position_a: Floats
    position_b: Floats
    neighbors: tuple[tuple[int, float, float], ...]
    fields: tuple[str, ...]


def match(a: Snapshot, b: Snapshot, periods: Floats) -> tuple[Moment, Divergence | None]:
    """periods: (D,) of the domain [m], infinite where a side is not periodic. No divergence where all
    particles are the same, or none is in both."""
    ids, at_a, at_b = np.intersect1d(a["id"], b["id"], assume_unique=True, return_indices=True)
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


def _distance(x: Floats, y: Floats, periods: Floats) -> Floats:
    """(n,) between places (n, D), across periodic sides by the shorter way."""
    r = x - y
    wrapped = np.isfinite(periods)
    r[:, wrapped] -= periods[wrapped] * np.round(r[:, wrapped] / periods[wrapped])
    distance: Floats = np.linalg.norm(r, axis=1)
    return distance


def _bits(values: Floats) -> NDArray[np.uint64]:
    """Values as bits: two NaN are the same, 0 and -0 are not."""
    return np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
