"""What stands still in the pictures of a world: its box, walls and bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from eddyline.world import World

SIDES = ("left", "right", "bottom", "top", "front", "back")
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Side:
    name: str
    kind: str  # wall, periodic, open
    slip: bool


@dataclass(frozen=True)
class Scene:
    """Lengths in metres. `outlines`: the exact closed outlines of the bodies, each (n, 2)."""

    title: str
    dimensions: int
    lower: Triple
    upper: Triple
    spacing: float
    density: float | None  # at zero pressure, kg/m^3; None: a gas
    up: int  # the axis that points upwards: against gravity
    sides: tuple[Side, ...]
    outlines: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, world: World) -> Scene:
        core = world.core
        tolerance = 0.02 * core.spacing
        bodies = core.bodies if core.dimensions == 2 else []
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
                Side(name, side.kind, side.slip) for name, side in zip(SIDES, core.sides, strict=True)
            )[: 2 * core.dimensions],
            outlines=tuple(
                np.asarray(outline)[:, :2] for body in bodies for outline in body.shape.outline(tolerance)
            ),
        )

    def raster_shape(self, pixel: float, limit: int) -> tuple[int, int]:
        """(rows, columns) of square pixels of about `pixel` metres, at most `limit` along the longer side."""
        width, height = self.upper[0] - self.lower[0], self.upper[1] - self.lower[1]
        pixel = max(pixel, max(width, height) / limit)
        return max(2, round(height / pixel)), max(2, round(width / pixel))


def _up(gravity: Triple) -> int:
    strongest = max(range(3), key=lambda axis: abs(gravity[axis]))
    return strongest if gravity[strongest] else 1
