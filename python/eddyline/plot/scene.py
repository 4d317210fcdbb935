"""Parts of a picture besides the fluid: the box, walls and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.world.schema import SIDES

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.world import World
    from eddyline.world.cuts import CutPlane

Triple = tuple[float, float, float]
MESH_PIXEL = 1 / 3
"""Pixels of a mesh in spacings, as its cells are smaller than a spacing at bodies."""
_TOLERANCE = 0.02  # of outlines, in spacings
_PARTS, _MOST_NODES = 8, 600  # of sections: steps in a spacing, at most so many along a body


@dataclass(frozen=True)
class Side:
    name: str  # of one that a plane cuts, as the picture of the plane has it
    kind: str  # wall, periodic, open
    slip: bool
    gaps: tuple[tuple[float, float], ...] = ()  # openings in it, in 2D: from where to where along it [m]


@dataclass(frozen=True)
class TemporaryBody:
    """A body that is there after `begin` and until `end` [s]."""

    body: _core.Body
    begin: float
    end: float


@dataclass(frozen=True)
class Scene:
    """Lengths in metres. `outlines`: the exact closed outlines of the bodies at rest, each (n, 2).

    cut: the plane of a 3D world that pictures show. The scene is then that of the plane, in two dimensions:
    its lengths are those to the right and upwards, and the third of `lower` and `upper` is where it is.
    """

    title: str
    dimensions: int
    lower: Triple
    upper: Triple
    spacing: float
    density: float | None  # at zero pressure, kg/m^3; None: a gas, or no fluid
    up: int  # the axis that points upwards: against gravity
    sides: tuple[Side, ...]
    outlines: tuple[NDArray[np.float64], ...]
    moving: tuple[_core.Body, ...] = ()
    temporary_bodies: tuple[TemporaryBody, ...] = ()
    cut: CutPlane | None = None
    has_mesh: bool = False  # cells of a mesh follow the bodies
    time_unit: str = "s"

    @classmethod
    def of(
        cls, world: World, temporary_bodies: Sequence[TemporaryBody] = (), *, whole: bool = False
    ) -> Scene:
        """temporary_bodies: bodies that are present only part of the time. whole: not cut."""
        from eddyline.world.cuts import cut_of

        core = world.core
        cut = None if whole else cut_of(world.file)
        if cut is not None:
            return cls._of_plane(world, cut, temporary_bodies)
        names = {each.body.name for each in temporary_bodies}
        stays = [body for body in core.bodies if body.name not in names]
        bodies = stays if core.dimensions == 2 else []
        return cls(
            title=world.title,
            dimensions=core.dimensions,
            lower=(core.origin[0], core.origin[1], core.origin[2]),
            upper=(
                core.origin[0] + core.size[0],
                core.origin[1] + core.size[1],
                core.origin[2] + core.size[2],
            ),
            spacing=core.spacing,
            density=_density(world),
            up=_up(core.gravity),
            sides=tuple(
                Side(name, side.kind, side.slip, _gaps(core, index))
                for index, (name, side) in enumerate(zip(SIDES, core.sides, strict=True))
            )[: 2 * core.dimensions],
            outlines=tuple(
                np.asarray(outline)[:, :2]
                for body in bodies
                if body.motion is None
                for outline in body.shape.outline(_TOLERANCE * core.spacing)
            ),
            moving=tuple(body for body in stays if body.motion is not None),
            temporary_bodies=tuple(temporary_bodies),
            has_mesh=core.mesh is not None,
            time_unit=world.time_unit,
        )

    @classmethod
    def _of_plane(cls, world: World, cut: CutPlane, temporary_bodies: Sequence[TemporaryBody]) -> Scene:
        core, (right, up, _) = world.core, cut.axes
        names = {each.body.name for each in temporary_bodies}
        stays = [body for body in core.bodies if body.name not in names]
        ends = {"left": 2 * right, "right": 2 * right + 1, "bottom": 2 * up, "top": 2 * up + 1}
        lower = (core.origin[right], core.origin[up], cut.at)
        return cls(
            title=world.title,
            dimensions=2,
            lower=lower,
            upper=(lower[0] + core.size[right], lower[1] + core.size[up], cut.at),
            spacing=core.spacing,
            density=_density(world),
            up=1,
            sides=tuple(
                Side(name, core.sides[index].kind, core.sides[index].slip, _gaps_in(core, index, cut))
                for name, index in ends.items()
            ),
            outlines=tuple(
                line
                for body in stays
                if body.motion is None
                for line in section(body.shape, cut, core.spacing)
            ),
            moving=tuple(body for body in stays if body.motion is not None),
            temporary_bodies=tuple(temporary_bodies),
            cut=cut,
            has_mesh=core.mesh is not None,
            time_unit=world.time_unit,
        )

    @property
    def axes(self) -> tuple[int, int, int]:
        """Axes of the world: those shown to the right and upwards, and the normal one."""
        return (0, 1, 2) if self.cut is None else self.cut.axes

    @property
    def corners(self) -> tuple[Triple, Triple]:
        """`lower` and `upper` in the coordinates of the world."""
        place = [self.axes.index(axis) for axis in range(3)]
        low, high = ([corner[k] for k in place] for corner in (self.lower, self.upper))
        return (low[0], low[1], low[2]), (high[0], high[1], high[2])

    def moving_outlines(self, time: float) -> list[NDArray[np.float64]]:
        """The closed outlines of bodies in 2D that move, come or go, where they are at `time` [s], each
        (n, 2) m."""
        if self.dimensions == 3:
            return []
        here = [each.body for each in self.temporary_bodies if each.begin < time <= each.end]
        if self.cut is not None:
            shapes = [body.shape_at(time) for body in (*self.moving, *here)]
            return [line for shape in shapes for line in section(shape, self.cut, self.spacing)]
        return [
            np.asarray(outline)[:, :2]
            for body in (*self.moving, *here)
            for outline in body.shape_at(time).outline(_TOLERANCE * self.spacing)
        ]

    def marks(self, time: float) -> list[NDArray[np.float64]]:
        """A line from pivot to edge for each body that turns in 2D, which turns with it, (2, 2) m."""
        found = []
        for body in self.moving if self.dimensions == 2 and self.cut is None else ():
            motion = body.motion
            if motion is not None and not motion.rotation.is_constant:
                edge = body.shape.outline(_TOLERANCE * self.spacing)[0][0]
                found.append(motion.place(np.array([motion.pivot, edge]), time)[:, :2])
        return found

    def raster_shape(self, pixel: float, limit: int) -> tuple[int, int]:
        """(rows, columns) of square pixels of about `pixel` metres, at most `limit` along the longer side."""
        width, height = self.upper[0] - self.lower[0], self.upper[1] - self.lower[1]
        pixel = max(pixel, max(width, height) / limit)
        return max(2, round(height / pixel)), max(2, round(width / pixel))


def section(shape: _core.Shape, cut: CutPlane, spacing: float) -> list[NDArray[np.float64]]:
    """The closed lines, each (n, 2) m, in which a plane cuts the surface of a 3D shape."""
    from contourpy import contour_generator

    low, high = (np.array(corner) for corner in shape.bounds)
    right, up, normal = cut.axes
    if not low[normal] <= cut.at <= high[normal]:
        return []
    step = max(spacing / _PARTS, float((high - low).max()) / _MOST_NODES)
    nodes = [np.arange(low[axis] - 2 * step, high[axis] + 3 * step, step) for axis in (right, up)]
    points = np.empty((len(nodes[1]), len(nodes[0]), 3))
    points[..., right], points[..., up] = np.meshgrid(*nodes)
    points[..., normal] = cut.at
    distance = shape.signed_distance(points.reshape(-1, 3)).reshape(points.shape[:2])
    lines = contour_generator(x=nodes[0], y=nodes[1], z=distance).lines(0.0)
    return [np.asarray(line) for line in lines]


def _gaps_in(core: _core.World, side: int, cut: CutPlane) -> tuple[tuple[float, float], ...]:
    """Intervals of the openings along a side cut by a plane [m]."""
    axis, end = side // 2, side % 2
    right, up, normal = cut.axes
    along = up if axis == right else right
    place = core.origin[axis] + end * core.size[axis]
    found = [
        (opening.lower[along], opening.upper[along])
        for opening in core.openings
        if opening.axis == axis
        and abs(opening.lower[axis] - place) < 1e-9 * max(core.size)
        and opening.lower[normal] <= cut.at <= opening.upper[normal]
    ]
    return tuple(sorted(found))


def _density(world: World) -> float | None:
    """Density of a liquid at zero pressure [kg/m^3]."""
    if world.file.given_fluid is None or world.file.is_gas:
        return None
    return world.core.fluid.density


def _up(gravity: Triple) -> int:
    strongest = max(range(3), key=lambda axis: abs(gravity[axis]))
    return strongest if gravity[strongest] else 1


def _gaps(core: _core.World, side: int) -> tuple[tuple[float, float], ...]:
    axis, end = side // 2, side % 2
    if core.dimensions == 3 or axis == 2:
        return ()
    place = core.origin[axis] + end * core.size[axis]
    found = [
        (opening.lower[1 - axis], opening.upper[1 - axis])
        for opening in core.openings
        if opening.axis == axis and abs(opening.lower[axis] - place) < 1e-9 * max(core.size)
    ]
    return tuple(sorted(found))
