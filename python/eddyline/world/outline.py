"""Outlines of worlds: all that the core must know to name lengths, series and quantities, without a start and
values of the fluid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from .openings import faces
from .schema import SIDES, Wall
from .sph_options import SphOptions

if TYPE_CHECKING:
    from .schema import WorldFile

Tables = dict[str, list[tuple[str, str]]]
"""Columns and units of each series."""


Options = dict[str, bool | int | float | str]
"""Options of a solver, as the core takes them."""


def outline(file: WorldFile, options: Options | None = None) -> _core.World:
    """A world of the core with its sides, bodies and names of openings, and `options` of the solver."""
    world = _core.World()
    world.solver = file.method.name
    world.dimensions, world.spacing = file.dimensions, file.domain.spacing
    world.options = options or {}
    world.fluid.matter = "ideal_gas" if file.is_gas else "liquid"
    if file.given_fluid is not None and file.given_fluid.turbulence is not None:
        world.fluid.turbulence = file.given_fluid.turbulence
    if isinstance(file.method, SphOptions):
        world.method.scheme = file.method.scheme
        world.method.smoothing_ratio = file.method.smoothing_ratio or 0.0
        world.method.skin = file.method.skin or 0.0
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        side = file.boundaries.side(name)
        world.sides[index].kind = side.type
        if isinstance(side, Wall) and side.velocity is not None:
            world.sides[index].velocity = three(side.velocity)
    world.regions = [_core.Region() for _ in file.regions]
    world.bodies = [_body(name, file) for name in file.bodies]
    world.openings = [_opening(face.name) for face in faces(file)]
    return world


def three(formulas: tuple[_core.Formula, ...]) -> list[_core.Formula]:
    """The formulas of a vector, with 0 along z in 2D."""
    missing = 3 - len(formulas)
    return [*formulas, *(_core.Formula("0", ()) for _ in range(missing))]


def _body(name: str, file: WorldFile) -> _core.Body:
    body = _core.Body()
    body.name = name
    body.shape = file.bodies[name].core_shape
    body.motion = file.bodies[name].core_motion
    return body


def _opening(name: str) -> _core.Opening:
    opening = _core.Opening()
    opening.name = name
    return opening
