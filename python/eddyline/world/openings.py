"""Openings: sides of type inflow, outflow or stream, and [openings] in walls and bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .. import _core
from .formulas import FIELD_VARIABLES
from .problems import Path
from .samples import Points, corners, lattice
from .schema import SIDES, Inflow, Outflow, Stream, WorldFile
from .shapes import Vec3, vec3


@dataclass(frozen=True)
class Face:
    """An opening in space.

    name, path: of the side or of [openings.NAME], and where it stands in the file.
    table: what flows there.  side: the domain's side that it lies on, or None inside the domain.
    axis: across it.  inward: 1 if the fluid lies at higher coordinates, -1 if at lower ones.
    low, high: corners [m], equal along the axis.
    """

    name: str
    path: Path
    table: Inflow | Outflow | Stream
    side: int | None
    axis: int
    inward: int
    low: Vec3
    high: Vec3

    @property
    def is_inflow(self) -> bool:
        """True if the file sets its velocity; that of a stream may also point outwards."""
        return isinstance(self.table, Inflow | Stream)

    @property
    def is_stream(self) -> bool:
        return isinstance(self.table, Stream)

    @property
    def kind(self) -> str:
        """ "inflow", "outflow" or "stream"."""
        return self.table.type

    def velocity(self, dimensions: int) -> tuple[_core.Formula, ...]:
        """Velocity of an inflow or stream: a formula for each dimension; a single one in the file is along
        the normal."""
        if isinstance(self.table, Stream):
            return tuple(_core.Formula(repr(part), ()) for part in self.table.velocity)
        assert isinstance(self.table, Inflow)
        if len(self.table.velocity) == dimensions:
            return self.table.velocity
        along = self.table.velocity[0]
        if self.inward < 0:
            along = _core.Formula(f"-({along.text})", FIELD_VARIABLES)
        zero = _core.Formula("0", ())
        return tuple(along if axis == self.axis else zero for axis in range(dimensions))

    def points(self, dimensions: int, depth: float = 0.0, most: int = 400) -> Points:
        """Points spread over it, or over the same face `depth` m beyond it."""
        along = [axis for axis in range(dimensions) if axis != self.axis]
        low, high = [self.low[k] for k in along], [self.high[k] for k in along]
        spread = lattice(low, high, len(along), most)
        points = np.full((len(spread), 3), 0.0)
        points[:, along] = spread[:, : len(along)]
        points[:, self.axis] = self.low[self.axis] - self.inward * depth
        return points


def faces(file: WorldFile) -> list[Face]:
    """All openings of a world in the core's order: first the sides. Tables that make no face are left out."""
    return [*_side_faces(file), *_patch_faces(file)]


def _side_faces(file: WorldFile) -> Iterator[Face]:
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        table = file.boundaries.side(name)
        if isinstance(table, Inflow | Outflow | Stream):
            axis, end = index // 2, index % 2
            low, high = (list(corner) for corner in corners(file))
            low[axis] = high[axis] = (low, high)[end][axis]
            inward = 1 if end == 0 else -1
            yield Face(name, ("boundaries", name), table, index, axis, inward, vec3(low), vec3(high))


def _patch_faces(file: WorldFile) -> Iterator[Face]:
    for name, table in file.openings.items():
        low, high = vec3(table.min), vec3(table.max)
        flat = [axis for axis in range(file.dimensions) if low[axis] == high[axis]]
        if len(flat) != 1:
            continue
        axis = flat[0]
        side = side_of(file, axis, low[axis])
        if side is None and table.facing is None:
            continue
        inward = (
            1 if (SIDES.index(table.facing) if side is None and table.facing else 1 - (side or 0)) % 2 else -1
        )
        yield Face(name, ("openings", name), table, side, axis, inward, low, high)


def side_of(file: WorldFile, axis: int, coordinate: float) -> int | None:
    """The side of the domain that lies there [m], or None."""
    for end, corner in enumerate(corners(file)):
        if np.isclose(coordinate, corner[axis], rtol=0, atol=1e-9 * max(file.domain.size)):
            return 2 * axis + end
    return None
