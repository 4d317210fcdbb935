"""Sample points of a world: where fluid is at the start, and what fields give there."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .formulas import names_in
from .problems import rounded
from .schema import WorldFile
from .shapes import FormulaRegion, Region, Vec3, vec3

Points = NDArray[np.float64]
"""(n, 3) places, m."""

IRREGULAR = (np.arange(1, 501) * ((math.sqrt(5) - 1) / 2)) % 1.0
"""Times as shares of a run that no period fits: what swings looks at rest at equal ones."""
_MOST_PLACES = 200_000
_MOST = 40_000  # sample points of the whole fluid: 200 x 200, or 34^3


def lattice(low: Sequence[float], high: Sequence[float], dimensions: int, most: int) -> Points:
    """Centres of about `most` equal cells between two corners; z = 0 in 2D; none if the box is empty."""
    size = [high[k] - low[k] for k in range(dimensions)]
    if min(size) <= 0:
        return np.zeros((0, 3))
    step = math.exp((sum(math.log(length) for length in size) - math.log(most)) / dimensions)
    counts = [min(max(1, round(length / step)), most) for length in size]
    axes = [low[k] + (np.arange(counts[k]) + 0.5) * size[k] / counts[k] for k in range(dimensions)]
    grid = np.meshgrid(*axes, indexing="ij")
    points = np.zeros((grid[0].size, 3))
    for k in range(dimensions):
        points[:, k] = grid[k].ravel()
    return points


class Samples:
    """Points spread over the fluid at the start.

    points: (n, 3) m.  volume: of the fluid, m^D.  low, high: corners of the boxes around the fluid, m.
    """

    def __init__(self, file: WorldFile) -> None:
        dimensions = file.dimensions
        origin, size = corners(file)
        boxes = [(origin, size)]
        if file.regions:
            boxes = []
            for region in file.regions.values():
                low, high = region.core_shape.bounds
                boxes.append((_each(max, low, origin), _each(min, high, size)))
        pieces: list[Points] = []
        self.volume = 0.0
        for index, (low, high) in enumerate(boxes):
            points = lattice(low, high, dimensions, max(_MOST // len(boxes), 1000))
            keep = np.ones(len(points), dtype=bool)
            if file.regions:
                keep &= list(file.regions.values())[index].core_shape.signed_distance(points) < 0
            for body in file.bodies.values():
                keep &= body.core_shape.signed_distance(points) > 0
            if len(points):
                box = math.prod(high[k] - low[k] for k in range(dimensions))
                self.volume += box * float(keep.mean())
            if file.regions and keep.any():
                boxes[index] = _reached(list(file.regions.values())[index], points[keep], boxes[index])
            pieces.append(points[keep])
        self.points: Points = np.concatenate(pieces)
        inside = [box for box, piece in zip(boxes, pieces, strict=True) if len(piece)] or [(origin, size)]
        self.low = tuple(min(box[0][k] for box in inside) for k in range(3))
        self.high = tuple(max(box[1][k] for box in inside) for k in range(3))


def _reached(region: Region, points: Points, box: tuple[Vec3, Vec3]) -> tuple[Vec3, Vec3]:
    """The corners of what a region reaches: of its box, but of a condition by (n, 3) points inside."""
    if not isinstance(region, FormulaRegion):
        return box
    return vec3(points.min(axis=0)), vec3(points.max(axis=0))


def start_places(file: WorldFile) -> Points | None:
    """(n, 3) places of the particles at the start, m, but for what jitter and fitting to bodies change of
    them; nothing if they are too many to look at each."""
    low, high = corners(file)
    count = math.prod(max(1, round(length / file.domain.spacing)) for length in file.domain.size)
    if count > _MOST_PLACES:
        return None
    points = lattice(low, high, file.dimensions, count)
    keep = np.full(len(points), not file.regions)
    for region in file.regions.values():
        keep |= region.core_shape.signed_distance(points) < 0
    for body in file.bodies.values():
        keep &= body.core_shape.signed_distance(points) > 0
    found: Points = points[keep]
    return found


def times(formulas: Iterable[_core.Formula], end: float) -> NDArray[np.float64]:
    """Times of a run [s] at which to look what its formulas give, the start alone if none depends on time."""
    if not any("t" in names_in(formula.text) for formula in formulas):
        return np.zeros(1)
    return end * np.union1d(np.linspace(0.0, 1.0, 17), IRREGULAR)


def _each(choose: Callable[[float, float], float], one: Vec3, other: Vec3) -> Vec3:
    return choose(one[0], other[0]), choose(one[1], other[1]), choose(one[2], other[2])


def corners(file: WorldFile) -> tuple[Vec3, Vec3]:
    """The lowest and the highest corner of the domain [m]; z from 0 to 0 in 2D."""
    low = vec3(file.domain.origin or (0.0,) * file.dimensions)
    size = vec3(file.domain.size)
    return low, (low[0] + size[0], low[1] + size[1], low[2] + size[2])


def evaluate(formula: _core.Formula, points: Points, time: float = 0.0) -> NDArray[np.float64]:
    """(n,) values of a field at (n, 3) points, m, and one time, s."""
    values = formula.evaluate({"x": points[:, 0], "y": points[:, 1], "z": points[:, 2], "t": time})
    return np.broadcast_to(np.asarray(values, dtype=np.float64), (len(points),))


def speed(formulas: Sequence[_core.Formula], points: Points, time: float = 0.0) -> NDArray[np.float64]:
    """(n,) lengths of a vector field."""
    total = np.zeros(len(points))
    for formula in formulas:
        total += evaluate(formula, points, time) ** 2
    return np.sqrt(total)


def face(file: WorldFile, side: int, most: int = 400) -> Points:
    """Points on a side of the domain (0 left, 1 right, 2 bottom, 3 top, 4 front, 5 back)."""
    low, high = (list(corner) for corner in corners(file))
    axis = side // 2
    where = low[axis] if side % 2 == 0 else high[axis]
    if file.dimensions == 3 or axis < 2:
        low[axis], high[axis] = 0.0, 1.0  # a layer of any thickness, flattened below
    points = lattice(low, high, file.dimensions, most)
    points[:, axis] = where
    return points


def shown_place(place: Points | Sequence[float], file: WorldFile) -> str:
    """`(0.1, 0.2)`: a place as errors name it, with as many numbers as the world has dimensions."""
    return "(" + ", ".join(rounded(float(place[k])) for k in range(file.dimensions)) + ")"
