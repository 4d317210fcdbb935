"""Checks of the fluid and of how it starts: of any, of a liquid and of a gas."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ... import _core
from .. import filling, formula_regions
from ..memory import available_memory, memory_problem
from ..problems import Found, Path, dotted, listed, number, rounded, shown
from ..samples import Points, Samples, corners, evaluate, shown_place
from ..scales import SOUND_RATIO, find_scales
from ..schema import CONDUCTION_KEYS, Start, WorldFile
from ..shapes import FormulaRegion, Region
from ..sph_options import SphOptions
from ..values import Pressure
from .bodies import is_outside
from .openings import LARGEST_PRESSURE


def fluid_problems(file: WorldFile, samples: Samples) -> Found:
    """There is fluid, there is memory for it, and hydrostatic pressure has gravity."""
    if not len(samples.points):
        if file.regions and all(is_outside(region, file) for region in file.regions.values()):
            pass  # said of each region
        elif file.regions:
            where: Path = ("regions", next(iter(file.regions)))
            one = len(file.regions) == 1
            holds = f"{dotted(where)} holds" if one else f"regions {listed(file.regions)} hold"
            place = f"{'it is' if one else 'they are'} inside bodies or outside the domain"
            yield where, f"{holds} no fluid, as {place}. Move {'it' if one else 'them'}."
        else:
            yield ("domain",), "domain holds no fluid, as bodies fill it. Make them smaller."
    for name in filling.empty_regions(file):
        if not is_outside(file.regions[name], file):
            text = (
                f"regions.{name} holds no particle, as it is thinner than their distance of "
                f"{rounded(file.domain.spacing)} m. Make it thicker, or reduce domain.spacing."
            )
            yield ("regions", name), text
    unfit = memory_problem(file, samples.volume, available_memory())
    if unfit is not None:
        yield ("domain", "spacing"), unfit
    gravity = file.domain.gravity is not None and any(file.domain.gravity)
    starts: list[tuple[Path, Region | None]] = [(("start",), None)]
    starts += [(("regions", name), region) for name, region in file.regions.items()]
    for path, region in starts:
        pressure = region.pressure if region is not None else file.start.pressure
        if pressure is not None and pressure.kind == "hydrostatic" and not gravity and not file.is_gas:
            text = (
                f'{dotted(path)}.pressure = "hydrostatic"; requires domain.gravity, which is missing. '
                "Add gravity, or remove this key."
            )
            yield (*path, "pressure"), text


def tables_of_start(file: WorldFile) -> list[tuple[Path, Start | Region]]:
    """The tables that say how the fluid starts."""
    tables: list[tuple[Path, Start | Region]] = [(("start",), file.start)]
    return tables + [(("regions", name), region) for name, region in file.regions.items()]


def liquid_problems(file: WorldFile) -> Found:
    """Keys that only a gas may have."""
    for path, table in tables_of_start(file):
        if table.density is not None:
            text = (
                f"{dotted(path)}.density = {written(table.density)}; is allowed for a gas only, as the "
                'density of a liquid follows from its pressure. Write fluid.state = "ideal_gas" or remove it.'
            )
            yield (*path, "density"), text
    if isinstance(file.method, SphOptions) and file.method.artificial_conductivity is not None:
        text = (
            f"method.artificial_conductivity = {number(file.method.artificial_conductivity)}; is allowed for "
            'a gas only. Write fluid.state = "ideal_gas" or remove it.'
        )
        yield ("method", "artificial_conductivity"), text


def weight_problems(file: WorldFile) -> Found:
    """A liquid with a given speed of sound must support the hydrostatic pressure of its start."""
    fluid, gravity = file.fluid, file.domain.gravity
    name = "max_speed" if fluid.max_speed is not None else "sound_speed"
    given: float | None = getattr(fluid, name)
    if given is None or gravity is None:
        return
    sound_speed = given if name == "sound_speed" else SOUND_RATIO * given
    origin, end = corners(file)
    for path, table in tables_of_start(file):
        if table.pressure is None or table.pressure.kind != "hydrostatic":
            continue
        if isinstance(table, FormulaRegion):
            low, high = formula_regions.extent(table)
        else:
            low, high = table.core_shape.bounds if isinstance(table, Region) else (origin, end)
        heights = [min(high[k], end[k]) - max(low[k], origin[k]) for k in range(file.dimensions)]
        weight = sum(abs(g) * max(height, 0.0) for g, height in zip(gravity, heights, strict=False))
        if weight > LARGEST_PRESSURE * sound_speed**2:
            fall = math.sqrt(2 * weight) * (1 if name == "max_speed" else SOUND_RATIO)
            yield (
                ("fluid", name),
                f"fluid.{name} = {number(given)}, but the weight of {dotted(path)} would compress it by "
                f"{weight / sound_speed**2:.0%} at the bottom; at most {LARGEST_PRESSURE:.0%} is allowed. "
                f"Try {rounded(fall, 2)}.",
            )
            return


def pressure_problems(file: WorldFile, samples: Samples) -> Found:
    """No pressure at the start that would compress or stretch a liquid too much."""
    scales = find_scales(file, samples)
    if scales is None:
        return
    for path, pressure, points in _start_pressures(file, samples):
        values = evaluate(pressure.formula, points)
        if not len(points) or not np.isfinite(values).all():
            continue
        excess = _density_excess(values / (file.fluid.density * scales.sound_speed**2), file)
        worst = int(np.abs(excess).argmax())
        if abs(excess[worst]) <= LARGEST_PRESSURE:
            continue
        name = "sound_speed" if file.fluid.sound_speed is not None else "max_speed"
        bearing = math.sqrt(2 * abs(values[worst]) / file.fluid.density)
        bearing *= SOUND_RATIO if name == "sound_speed" else 1
        place = "" if pressure.formula.is_constant else f" at {shown_place(points[worst], file)} m"
        does, remedy = ("compress", "Lower") if excess[worst] > 0 else ("stretch", "Raise")
        yield (
            (*path, "pressure"),
            f"{dotted(path)}.pressure gives {rounded(float(values[worst]))} Pa{place} and would {does} the "
            f"fluid by {abs(excess[worst]):,.0%}; at most {LARGEST_PRESSURE:.0%} is allowed. {remedy} it, or "
            f"write fluid.{name} = {number(float(f'{bearing:.2g}'))}.",
        )


def _start_pressures(file: WorldFile, samples: Samples) -> Iterator[tuple[Path, Pressure, Points]]:
    """The pressures at the start that are fields, with the places where they hold."""
    rest = samples.points
    for name, region in file.regions.items():
        if region.pressure is not None:
            inside = region.core_shape.signed_distance(rest) < 0
            if region.pressure.kind == "formula":
                yield ("regions", name), region.pressure, rest[inside]
            rest = rest[~inside]
    if file.start.pressure is not None and file.start.pressure.kind == "formula":
        yield ("start",), file.start.pressure, rest


def _density_excess(pressure: NDArray[np.float64], file: WorldFile) -> NDArray[np.float64]:
    """rho/rho0 - 1 of a liquid at a pressure over rho0 c0^2: linear, of the scheme classic by Tait's state
    equation."""
    if file.sph.scheme != "classic":
        return pressure
    root: NDArray[np.float64] = np.maximum(1 + 7 * pressure, 0.0) ** (1 / 7)
    return root - 1


def written(field: _core.Formula) -> str:
    """A field as a file has it: a number, or a formula in quotes."""
    return number(float(field.evaluate({}))) if field.is_constant else shown(field.text)


def gas_problems(file: WorldFile) -> Found:
    """Keys that a gas requires, and keys that it must not have."""
    particles = isinstance(file.method, SphOptions)
    for key in CONDUCTION_KEYS if particles else ():
        if getattr(file.fluid, key) is not None:
            yield (
                ("fluid", key),
                f"fluid.{key}: particles conduct no heat and have a constant viscosity. Remove it, or write "
                '[method] with name = "multiblock".',
            )
    if particles and file.sph.scheme != "classic":
        text = (
            'fluid.state = "ideal_gas"; requires scheme "classic", but method.scheme = '
            f'"{file.sph.scheme}". Write [method] with scheme = "classic".'
        )
        yield ("fluid", "state"), text
    for path, table in tables_of_start(file):
        if table.pressure is not None and table.pressure.kind == "hydrostatic":
            text = (
                f'{dotted(path)}.pressure = "hydrostatic"; is allowed for liquids only. Write a '
                "formula [Pa], e.g. pressure = 101325."
            )
            yield (*path, "pressure"), text
    if file.start.pressure is None:
        without = [name for name, region in file.regions.items() if region.pressure is None]
        for name in without:
            text = f"regions.{name}.pressure is missing; a gas requires it. Add pressure = 101325."
            yield ("regions", name), text
        if not file.regions:
            yield (
                ("start",),
                ("start.pressure is missing; a gas requires it. Add [start] with pressure = 101325."),
            )


def turbulence_problems(file: WorldFile) -> Found:
    """Keys of a turbulence model in worlds that have none, and what the model requires."""
    fluid = file.given_fluid
    if fluid is None or not fluid.is_gas:
        return
    if fluid.turbulence is None:
        if fluid.turbulence_ratio is not None:
            text = "fluid.turbulence_ratio: there is no turbulence model. Remove it, or add turbulence = "
            yield ("fluid", "turbulence_ratio"), f'{text}"spalart_allmaras".'
    elif file.method.name != "multiblock":
        text = (
            f"fluid.turbulence: the solver {file.method.name} has no turbulence model. Remove it, or write "
        )
        yield ("fluid", "turbulence"), f'{text}[method] with name = "multiblock".'
    elif not fluid.nu > 0:
        text = (
            "fluid.kinematic_viscosity is missing; a turbulence model requires it [m^2/s]. Add it, or remove "
        )
        yield ("fluid", "turbulence"), f"{text}turbulence."
