"""All particles of a run in batches, so that readers need no memory for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from eddyline import _core

Kind = Literal["fluid", "walls", "cells"]
"""Sets that snapshots hold. Cells are read by `eddyline.stream.cells`."""
Records = NDArray[Any]
"""(n,) of RECORD."""
BATCH = 100_000
"""Particles of a batch: 8 MB."""
RECORD = np.dtype(
    [
        ("id", np.int64),
        ("position", np.float64, 3),  # m
        ("velocity", np.float64, 3),  # m/s
        ("density", np.float64),  # kg/m^3; of walls 0
        ("pressure", np.float64),  # Pa
        ("body", np.int32),  # of walls
        ("surface", np.uint16),
        ("buffer", np.uint16),
    ]
)
"""A particle, as `_core.Simulation.records` gives it; components beyond the dimension are 0."""


def batches(simulation: _core.Simulation, kind: Kind, limit: int = BATCH) -> Iterator[Records]:
    """Copies of all fluid or wall particles in order of id, the same on any number of threads and ranks:
    `limit` at a time. None is empty; the simulation must not step meanwhile."""
    after, left = np.iinfo(np.int64).min, count(simulation, kind)
    while left > 0:
        assert kind != "cells"
        batch = np.frombuffer(simulation.records(kind, int(after), limit), dtype=RECORD)
        yield batch
        after, left = batch["id"][-1], left - len(batch)


def count(simulation: _core.Simulation, kind: Kind) -> int:
    if kind == "cells":
        return simulation.count(kind)
    return simulation.fluid_count if kind == "fluid" else simulation.wall_count
