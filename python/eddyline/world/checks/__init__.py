"""Errors, warnings and notes of a world in which each table is valid by itself.

sides: [boundaries] and the resolution.  bodies: [bodies] and [regions].  fluid: [fluid] and [start].
openings: [openings], inflows and outflows.  fields: formulas of x, y, z and t.  observers: [observe].
remarks: warnings and notes.  Solvers choose which of them hold for their worlds.
"""

from __future__ import annotations

from .. import formula_regions, motions
from ..isosurfaces import isosurface_problems
from ..problems import Found, dotted, number, shown
from ..profiles import profiles_in, wrong_profile
from ..quantities import check_quantity
from ..samples import Samples, corners
from ..schema import SIDES, WorldFile
from ..sph_options import SphOptions
from .bodies import body_problems, layer_problems
from .fields import field_problems
from .fluid import (
    fluid_problems,
    gas_problems,
    liquid_problems,
    pressure_problems,
    turbulence_problems,
    weight_problems,
)
from .observers import observer_problems
from .openings import opening_problems
from .remarks import notes, thickness, warnings
from .sides import boundary_problems, resolution_problems

__all__ = [
    "LONGEST_NAME",
    "body_problems",
    "boundary_problems",
    "common_problems",
    "gas_problems",
    "notes",
    "particle_problems",
    "thickness",
    "warnings",
]

LONGEST_NAME = 100
"""Characters of the longest name of a body or an observer, by which files are named."""


def particle_problems(file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
    """Everything that makes a run of particles impossible or meaningless."""
    wrong_conditions = list(formula_regions.problems(file))
    if wrong_conditions:  # the other checks need the positions of the fluid
        yield from wrong_conditions
        return
    yield from layer_problems(file)
    yield from boundary_problems(file)
    yield from resolution_problems(file)
    yield from body_problems(file)
    yield from motions.problems(file)
    yield from fluid_problems(file, samples)
    if file.is_gas:
        yield from gas_problems(file)
    else:
        yield from liquid_problems(file)
        if isinstance(file.method, SphOptions):  # of a liquid that is compressible
            yield from weight_problems(file)
            yield from pressure_problems(file, samples)
    yield from opening_problems(file, samples)
    yield from common_problems(file, samples, names)


def common_problems(file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
    """Problems for any solver: names, fields, observers, pictures and expectations."""
    yield from _names(file)
    yield from field_problems(file, samples)
    yield from observer_problems(file)
    yield from isosurface_problems(file)
    yield from _pictures(file)
    yield from turbulence_problems(file)
    for index, expect in enumerate(file.expect):
        path = ("expect", index)
        lines = list(check_quantity(expect, file, names))
        texts = (expect.quantity, expect.against)
        if not lines and any(profiles_in(text, file, names) for text in texts):
            lines += wrong_profile(expect, file, names)
        for key, text in lines:
            yield (*path, key), f"{dotted(path)}.{text}"


def _pictures(file: WorldFile) -> Found:
    cut = file.output.cut
    if cut is None:
        return
    if file.dimensions == 2:
        yield ("output", "cut"), "output.cut is for 3D, and this world is 2D. Remove cut."
    elif cut.normal != "none" and cut.at is not None:
        origin, end = corners(file)
        axis = "xyz".index(cut.normal)
        if not origin[axis] < cut.at < end[axis]:
            yield (
                ("output", "cut", "at"),
                f"output.cut.at = {shown(cut.at)}; must be between {number(origin[axis])} and "
                f"{number(end[axis])}, the sides of the domain along {cut.normal}.",
            )


def _names(file: WorldFile) -> Found:
    """Forces, series and files go by them."""
    for name in file.bodies:
        if name in SIDES:
            yield (
                ("bodies", name),
                (f"bodies.{name}: is the name of a side. Choose another name for the body."),
            )
    for kind, names in (("bodies", file.bodies), ("observe", file.observe)):
        for name in names:
            if len(name) > LONGEST_NAME:
                text = (
                    f"{kind}.{name[:12]}...: a name of {len(name)} characters; must have at most "
                    f"{LONGEST_NAME}."
                )
                yield (kind, name), text
