"""Particles of a world divided among ranks, as recursive bisection of the cell grid divides them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline.plan.distribution import Distribution, Traffic
from eddyline.plan.exchange import Exchange
from eddyline.world import World
from eddyline.world.samples import corners, lattice

MOST_SAMPLES = 2_000_000
MESSAGES_PER_NEIGHBOR = 3
"""Messages to a neighbour in a step: rows at the midpoint, at the end, and of walls."""
ROW_BYTES = {(2, True): 45, (2, False): 75, (3, True): 85, (3, False): 85}
"""Bytes that a rank sends for each of its ghosts in a step, by dimensions and free surface: measured with
runs of worlds of the gallery on four ranks, 40 to 47, 56 to 90 and 67 to 95."""
MPS_ITERATIONS = 10.0
MPS_AGREEMENTS = 2.0  # of an iteration: dot products
MPS_EXCHANGES = (7.0, 8.0)
"""Messages to each neighbour in a step, and in each iteration: runs of dam breaks on two ranks."""
MPS_ROW_BYTES = {2: (65.0, 29.0), 3: (250.0, 29.0)}
"""Bytes for each ghost, the same."""


def exchange_of(world: World, iterations: float = MPS_ITERATIONS) -> Exchange:
    """Messages of a step. iterations: of the pressure, of the solver mps."""
    if world.solver.name != "mps":
        return Exchange(1, ROW_BYTES[world.dimensions, world.has_free_surface])
    once, each = MPS_ROW_BYTES[world.dimensions]
    return Exchange(
        messages=(MPS_EXCHANGES[0] + MPS_EXCHANGES[1] * iterations) / MESSAGES_PER_NEIGHBOR,
        row_bytes=once + each * iterations,
        agreements=1 + MPS_AGREEMENTS * iterations,
    )


class _TooFewCellsError(Exception):
    pass


@dataclass(frozen=True)
class CellCounts:
    """Fluid particles in the cells of the grid at the start, (nx, ny, nz); nz = 1 in 2D."""

    counts: NDArray[np.float64]
    dimensions: int

    @classmethod
    def of(cls, world: World, particles: int) -> CellCounts:
        """Samples where fluid is; the counts add up to `particles`."""
        file = world.file
        low, high = corners(file)
        edge = file.lengths.cell_edge
        wanted = math.prod(max(1, round(length / file.domain.spacing)) for length in file.domain.size)
        points = lattice(low, high, file.dimensions, min(wanted, MOST_SAMPLES))
        keep = np.full(len(points), not file.regions)
        for region in file.regions.values():
            keep |= region.core_shape.signed_distance(points) < 0
        for body in file.bodies.values():
            keep &= body.core_shape.signed_distance(points) > 0
        points = points[keep]
        shape = [max(1, int((high[k] - low[k]) / edge)) if k < file.dimensions else 1 for k in range(3)]
        index = np.zeros((len(points), 3), dtype=np.int64)
        for k in range(file.dimensions):
            place = (points[:, k] - low[k]) / (high[k] - low[k]) * shape[k]
            index[:, k] = np.clip(place.astype(np.int64), 0, shape[k] - 1)
        counts = np.zeros(shape)
        np.add.at(counts, tuple(index.T), particles / max(len(points), 1))
        return cls(counts, file.dimensions)

    @property
    def most_ranks(self) -> int:
        """Each rank needs a cell."""
        return int(self.counts.size)

    def divide(self, ranks: int) -> Distribution | None:
        """Particles, ghosts and messages of each of so many ranks; None if there are too few cells."""
        if ranks > self.counts.size:
            return None
        try:
            found = self._bisect(np.zeros(3, dtype=int), np.array(self.counts.shape), ranks)
        except _TooFewCellsError:
            return None
        boxes = np.array(found)
        sums = np.zeros(np.array(self.counts.shape) + 1)
        sums[1:, 1:, 1:] = self.counts.cumsum(0).cumsum(1).cumsum(2)
        low, high = boxes[:, 0], boxes[:, 1]
        owned = _inside(sums, low, high)
        grown_low, grown_high = np.maximum(low - 1, 0), np.minimum(high + 1, self.counts.shape)
        ghosts = _inside(sums, grown_low, grown_high) - owned
        touching = np.ones((ranks, ranks), dtype=bool)
        for k in range(3):
            touching &= (grown_low[:, None, k] < high[None, :, k]) & (
                low[None, :, k] < grown_high[:, None, k]
            )
        neighbors = touching.sum(axis=1) - 1
        return Distribution(
            loads=np.rint(owned).astype(np.int64),
            ghosts=np.rint(ghosts).astype(np.int64),
            traffic=Traffic(MESSAGES_PER_NEIGHBOR * neighbors, np.rint(ghosts).astype(np.int64)),
        )

    def _bisect(
        self, low: NDArray[np.int_], high: NDArray[np.int_], ranks: int
    ) -> list[tuple[NDArray[np.int_], NDArray[np.int_]]]:
        """Boxes [low, high) of cells; cuts across the longest side, with equal shares on both sides."""
        if ranks == 1:
            return [(low, high)]
        sides = high - low
        axis = 2 - int(np.argmax(sides[::-1]))  # the last of equal ones
        part = self.counts[low[0] : high[0], low[1] : high[1], low[2] : high[2]]
        weights = part.sum(axis=tuple(k for k in range(3) if k != axis))
        left = ranks // 2
        in_slab = int(np.prod(sides)) // int(sides[axis])
        cuts = np.arange(1, sides[axis])
        possible = (cuts * in_slab >= left) & ((sides[axis] - cuts) * in_slab >= ranks - left)
        if not possible.any():
            raise _TooFewCellsError
        error = np.abs(weights.cumsum()[:-1] * ranks - weights.sum() * left)
        cut = int(cuts[np.argmin(np.where(possible, error, np.inf))])
        middle_high, middle_low = high.copy(), low.copy()
        middle_high[axis] = middle_low[axis] = low[axis] + cut
        return [*self._bisect(low, middle_high, left), *self._bisect(middle_low, high, ranks - left)]


def _inside(sums: NDArray[np.float64], low: NDArray[np.int_], high: NDArray[np.int_]) -> NDArray[np.float64]:
    """Sums over boxes [low, high), (n, 3) each, from the table of sums over all boxes at the origin."""
    total = np.zeros(len(low))
    for corner in range(8):
        upper = [(corner >> k) & 1 for k in range(3)]
        place = [np.where(upper[k], high[:, k], low[:, k]) for k in range(3)]
        total += (-1) ** (3 - sum(upper)) * sums[tuple(place)]
    return total
