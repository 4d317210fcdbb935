"""Parts of a picture besides the fluid: the box, walls and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.world import World

SIDES = ("left", "right", "bottom", "top", "front", "back")
Triple = tuple[float, float, float]
_TOLERANCE = 0.02  # of outlines, in spacings


@dataclass(frozen=True)
class Side:
    name: str
    kind: str  # wall, periodic, open
    slip: bool
    gaps: tuple[tuple[float, float], ...] = ()  # openings in it, in 2D: from where to where along it [m]


@dataclass(frozen=True)
class Passing:
    """A body that is there after `begin` and until `end` [s]."""

    body: _core.Body
    begin: float
    end: float


@dataclass(frozen=True)
class Scene:
    """Lengths in metres. `outlines`: the exact closed outlines of the bodies at rest, each (n, 2)."""

    title: str
    dimensions: int
    lower: Triple
    upper: Triple
    spacing: float
    density: float | None  # at zero pressure, kg/m^3; None: a gas
    up: int  # the axis that points upwards: against gravity
    sides: tuple[Side, ...]
    outlines: tuple[NDArray[np.float64], ...]
    moving: tuple[_core.Body, ...] = ()
    passing: tuple[Passing, ...] = ()

    @classmethod
    def of(cls, world: World, passing: Sequence[Passing] = ()) -> Scene:
        """passing: bodies that are not there all the time, whether in the world or not."""
        core = world.core
        names = {each.body.name for each in passing}
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
            density=core.fluid.density if core.fluid.matter == "liquid" else None,
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
            passing=tuple(passing),
        )

    def moving_outlines(self, time: float) -> list[NDArray[np.float64]]:
        """The closed outlines of bodies in 2D that move, come or go, where they are at `time` [s], each
        (n, 2) m."""
        if self.dimensions == 3:
            return []
        here = [each.body for each in self.passing if each.begin < time <= each.end]
        return [
            np.asarray(outline)[:, :2]
            for body in (*self.moving, *here)
            for outline in body.shape_at(time).outline(_TOLERANCE * self.spacing)
        ]

    def marks(self, time: float) -> list[NDArray[np.float64]]:
        """A line from pivot to edge for each body that turns in 2D, which turns with it, (2, 2) m."""
        found = []
        for body in self.moving if self.dimensions == 2 else ():
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
