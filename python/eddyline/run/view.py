"""Views of three-dimensional flows, painted batch after batch of their particles."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.plot.oblique import Painting
from eddyline.stream.particles import Records, batches

if TYPE_CHECKING:
    from eddyline import _core


def paint_fluid(
    painting: Painting, simulation: _core.Simulation, quantities: Sequence[str]
) -> Iterator[Callable[[], None]]:
    """The painting of the fluid that is not beyond an opening: jobs, to be done in order."""
    for batch in batches(simulation, "fluid"):
        inside = batch[batch["buffer"] == 0]
        values = {name: values_of(inside, name) for name in quantities}
        yield functools.partial(painting.add_fluid, inside["position"], values)


def paint_bodies(painting: Painting, simulation: _core.Simulation) -> Iterator[Callable[[], None]]:
    for batch in batches(simulation, "walls"):
        yield functools.partial(painting.add_solids, batch["position"][batch["body"] >= 0])


def values_of(records: Records, quantity: str) -> NDArray[np.float32]:
    """(n,) of a quantity at particles, in the units of the core's rasters."""
    if quantity == "speed":
        values = np.sqrt((records["velocity"] ** 2).sum(axis=1))
    elif quantity.startswith("velocity_"):
        values = records["velocity"][:, "xyz".index(quantity[-1])]
    else:
        values = records[quantity]
    return np.asarray(values, dtype=np.float32)
