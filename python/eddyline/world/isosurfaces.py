"""Isosurfaces that a world asks for: their quantities, intervals, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from .formulas import names_in, replace_names, sentence
from .problems import did_you_mean, listed, rounded, shown
from .schema import Isosurface, WorldFile
from .solver import shown_quantity

if TYPE_CHECKING:
    from .world import World

_TAKEN = ("fluid", "walls")
"""Names of files of particles in an export."""
_SURFACE_BYTES = 8.0
"""Bytes of a surface of water at a resolution of 1, for each particle^(2/3): 10 in a dam break of 6,912
particles, 4.5 in one of 108,000. Colours take 0.8 of it more."""
_POINT = 1.5e-8  # s of one core for each point of a lattice
_SPLAT, _RASTER = 1.5e-7, 4.5e-7
"""s for each particle or cell and (1 / resolution)^2: of `fluid`, and of quantities of pictures."""


@dataclass(frozen=True)
class SurfacePlan:
    """Time and room that the surfaces of a run need."""

    count: int  # surfaces
    seconds: float
    bytes: float


def isosurfaces_of(file: WorldFile) -> dict[str, Isosurface]:
    return {name: each for name, each in file.observe.items() if isinstance(each, Isosurface)}


def interval(world: World, observer: Isosurface) -> float:
    """Interval between the surfaces of an observer [s]; 0: none, as the world has no pictures."""
    return observer.every if observer.every is not None else world.output.picture_interval


def unit_of(file: WorldFile, quantity: str) -> str:
    """The unit of a quantity; empty for formulas."""
    pictured = file.solver.pictures.get(quantity) or shown_quantity(quantity)
    return pictured.unit if pictured is not None else units_of(file).get(quantity, "")


def _camera_problems(file: WorldFile) -> Iterator[tuple[tuple[str, ...], str]]:
    camera, known = file.output.camera, list(isosurfaces_of(file))
    if camera is None:
        return
    if not known:
        text = "output.camera shows an isosurface, and the world has none. Add [observe.NAME] with "
        yield ("output", "camera"), f'{text}type = "isosurface".'
    elif camera.surface is not None and camera.surface not in known:
        text = f"output.camera.surface = {shown(camera.surface)}; must be {listed(known, 'or')}."
        yield ("output", "camera", "surface"), text


def isosurface_problems(file: WorldFile) -> Iterator[tuple[tuple[str, ...], str]]:
    """Wrong quantities of a world, which the core would refuse when the run starts, and taken names."""
    yield from _camera_problems(file)
    for name, observer in isosurfaces_of(file).items():
        if name in _TAKEN:
            text = f"observe.{name}: the particles of an export have this name. Choose another name."
            yield ("observe", name), text
        known = quantities_of(file)
        for key, quantity in (("quantity", observer.quantity), ("color", observer.color)):
            if quantity is None or quantity in known:
                continue
            if not quantity.isidentifier():
                problem = _formula_problem(quantity, known, file)
                if problem:
                    text = f"observe.{name}.{key} = {shown(quantity)}; {problem}"
                    yield ("observe", name, key), text
                continue
            near = did_you_mean(quantity, known, "or")
            text = f"observe.{name}.{key} = {shown(quantity)}; must be one of {listed(known, 'or')}."
            yield ("observe", name, key), f"{text} {near if near.startswith('Did') else ''}".strip()
        missing = observer.value is None and observer.values is None and observer.quantity != "fluid"
        if missing and (observer.quantity in known or not observer.quantity.isidentifier()):
            text = f"observe.{name} has no value of {observer.quantity}; must have value or values. Add one."
            yield ("observe", name), text


def _formula_problem(text: str, known: list[str], file: WorldFile) -> str:
    """The fault of a formula over quantities; empty if there is none."""
    names = [name for name in file.let if name in names_in(text) and name not in known]
    try:
        formula = _core.Formula(text, [*known, *names])
    except _core.UserError as error:
        return sentence(str(error))
    if not set(formula.used_variables).intersection(known):
        return f"must contain a quantity: {listed(known, 'or')}."
    return ""


def with_values(world: World, text: str) -> str:
    """A quantity or formula with the values of [let] in place of their names; quantities come first."""
    known = quantities_of(world.file)
    if text in known:
        return text
    values = {name: f"({value!r})" for name, value in world.let.items() if name not in known}
    return replace_names(text, values)


def names_used(file: WorldFile) -> set[str]:
    """Names in the formulas of all isosurfaces."""
    texts = [text for each in isosurfaces_of(file).values() for text in (each.quantity, each.color) if text]
    return {name for text in texts for name in names_in(text)}


def quantities_of(file: WorldFile) -> list[str]:
    """Quantities of which a world can make surfaces."""
    return list(units_of(file))


def units_of(file: WorldFile) -> dict[str, str]:
    """Quantities of surfaces and their units, as the core names them; of a 2D world those in 3D."""
    world = file.solver.outline(file)
    world.dimensions = 3
    return dict(_core.surface_units(world))


def plan_surfaces(world: World, members: int, steps: int) -> SurfacePlan:
    count, seconds, size = 0, 0.0, 0.0
    for observer in isosurfaces_of(world.file).values():
        times, one_seconds, one_bytes = _of(world, observer, members, steps)
        count += times * len(observer.levels)
        seconds += times * len(observer.levels) * one_seconds
        size += times * len(observer.levels) * one_bytes
    return SurfacePlan(count, seconds, size)


def _of(world: World, observer: Isosurface, members: int, steps: int) -> tuple[int, float, float]:
    """Number of times; seconds on one core and bytes of one surface, about."""
    every = interval(world, observer)
    times = min(math.floor(world.end / every) + 1, steps + 1) if 0 < every < math.inf else 0
    fine = max(1.0, 1 / observer.resolution)
    points = _core.surface_lattice_points(world.core, observer.resolution)
    seconds = _POINT * points
    for quantity in filter(None, (observer.quantity, observer.color)):
        for name in {"fluid", *quantities_of(world.file)} & set(names_in(quantity)):
            seconds += (_SPLAT if name == "fluid" else _RASTER) * members * fine**2
    size = _SURFACE_BYTES * members ** (2 / 3) / observer.resolution**2
    return times, seconds, size * (1.8 if observer.color else 1.0)


def isosurface_text(world: World, observer: Isosurface, members: int, steps: int) -> str:
    """`isosurface of fluid = 0.5, coloured by speed, 41 times, lattice of 42,000 points, about 7 kB each`"""
    times, _, size = _of(world, observer, members, steps)
    levels = listed([rounded(level) for level in observer.levels])
    color = f", coloured by {observer.color}" if observer.color else ""
    points = _core.surface_lattice_points(world.core, observer.resolution)
    return (
        f"isosurface of {observer.quantity} = {levels}{color}, {times:,} times, lattice of {points:,} "
        f"points, about {rounded(max(size, 1000.0) / 1000, 2)} kB each"
    )
