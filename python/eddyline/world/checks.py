"""Errors of a world in which each table is valid by itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .. import _core
from . import filling, formula_regions, motions, shapes
from .check_openings import LARGEST_PRESSURE, opening_problems
from .gaps import narrow_gaps, touching
from .isosurfaces import isosurface_problems
from .memory import available_memory, memory_problem
from .openings import faces
from .patches import normal_of, places_of, rim_of
from .problems import Path, below, did_you_mean, dotted, listed, number, rounded, shown
from .profiles import profiles_in, wrong_profile
from .quantities import check_quantity, may_be_finite
from .samples import Points, Samples, corners, evaluate, face, lattice, start_places, times
from .scales import SOUND_RATIO, find_scales
from .schema import (
    CONDUCTION_KEYS,
    SIDES,
    Gauge,
    Line,
    Patch,
    Periodic,
    Profile,
    Start,
    Torque,
    Wall,
    WorldFile,
)
from .shapes import Body, FormulaRegion, Region, ShapeTable, vec3
from .sph_options import SphOptions
from .values import Pressure

Found = Iterator[tuple[Path, str]]
LONGEST_NAME = 100  # characters, as files are named by it

FEWEST_ACROSS = 4
"""Smallest number of particles across the domain."""
CELLS_OF_A_PERIOD = 3
TIGHT = 3
"""Smallest thickness of a body in spacings that separates water of 0.6 m and 0.2 m depth on its sides; of 720
particles 61 got through one of 1 spacing in 3 s, 24 of 1.5 and 2 of 2. A force was 2 % low at the reach of
the kernel, 4 spacings."""
_GAPS_TOLD = 3


def problems(file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
    """Everything that makes a run impossible or meaningless, as (path, text of the line)."""
    wrong_conditions = list(formula_regions.problems(file))
    if wrong_conditions:  # the other checks need the positions of the fluid
        yield from wrong_conditions
        return
    yield from _layers(file)
    yield from _sides(file)
    yield from _resolution(file)
    yield from _solids(file)
    yield from motions.problems(file)
    yield from _fluid(file, samples)
    if file.is_gas:
        yield from gas_problems(file)
    else:
        yield from _liquid(file)
        if isinstance(file.method, SphOptions):  # of a liquid that is compressible
            yield from _weight(file)
            yield from _pressure(file, samples)
    yield from opening_problems(file, samples)
    yield from common_problems(file, samples, names)


def _layers(file: WorldFile) -> Found:
    """Bodies that particles cannot follow."""
    for name, body in file.bodies.items():
        if not body.has_layers:
            yield (
                ("bodies", name, "shape"),
                f'bodies.{name}.shape = "{body.shape}"; particles of a body cannot follow it. Write '
                'method.name = "multiblock".',
            )


def boundary_problems(file: WorldFile) -> Found:
    """Problems of the sides of the domain, for any solver with fluid."""
    return _sides(file)


def body_problems(file: WorldFile) -> Found:
    """Problems of the places of bodies and regions, for any solver with bodies."""
    return _solids(file)


def common_problems(file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
    """Problems for any solver: names, fields, observers, pictures and expectations."""
    yield from _names(file)
    yield from _fields(file, samples)
    yield from _observers(file)
    yield from isosurface_problems(file)
    yield from _pictures(file)
    yield from _turbulence(file)
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


def _turbulence(file: WorldFile) -> Found:
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


def warnings(file: WorldFile, values: Mapping[str, float]) -> Iterator[str]:
    """Warnings about valid worlds whose results may differ from the intention. values: those of [let]."""
    for name, body in file.bodies.items():
        across = thickness(body, file) / file.domain.spacing
        if across < TIGHT * (1 - 1e-9):
            yield (
                f"bodies.{name} is {rounded(across, 2)} spacings thick; below {TIGHT} fluid passes "
                "through and the force is too small. Make it thicker, or reduce domain.spacing."
            )
    yield from _told([gap.reason for gap in narrow_gaps(file) if gap.is_shut])
    yield from filling.remarks(file)
    for k, expect in enumerate(file.expect):
        for key in ("quantity", "against"):
            text: str | None = getattr(expect, key)
            if text is not None and not may_be_finite(text, values):
                yield (
                    f"expect[{k}].{key} = {shown(text)} never gives a finite number. Check it for a "
                    "division by 0."
                )


def _told(gaps: list[str]) -> Iterator[str]:
    """The first texts, and the number of further ones."""
    yield from gaps[:_GAPS_TOLD]
    if len(gaps) > _GAPS_TOLD:
        yield f"{len(gaps) - _GAPS_TOLD} more gaps are too narrow."


def thickness(body: Body, file: WorldFile) -> float:
    """The narrowest way through a body, about [m]: of a polygon that of the rectangle with its area and
    circumference."""
    if isinstance(body, shapes.Line):
        return body.thickness
    if isinstance(body, shapes.Polygon):
        corners = np.array(body.points, dtype=float)
        following = np.roll(corners, -1, axis=0)
        area = 0.5 * abs(float(np.sum(corners[:, 0] * following[:, 1] - following[:, 0] * corners[:, 1])))
        quarter = 0.25 * float(np.linalg.norm(following - corners, axis=1).sum())
        return quarter - math.sqrt(max(0.0, quarter**2 - area))
    low, high = body.core_shape.bounds
    return min(high[k] - low[k] for k in range(file.dimensions))


def notes(file: WorldFile, samples: Samples) -> Iterator[str]:
    """Notes on valid worlds that differ slightly from their file."""
    spacing = file.domain.spacing
    uneven = [
        f"{length / spacing:.2f} along {axis}"
        for k, (axis, length) in enumerate(zip("xyz", file.domain.size, strict=False))
        if not filling.is_open(file, k)
        and abs(length / spacing - round(length / spacing)) > 1e-6 * length / spacing
    ]
    if uneven:
        yield (
            f"domain.size is not a multiple of domain.spacing ({listed(uneven)}), so the initial distance "
            "of particles differs slightly from it."
        )
    for name, body in file.bodies.items():
        low, high = body.core_shape.bounds
        across = min(high[k] - low[k] for k in range(file.dimensions)) / spacing
        if across < 8 and thickness(body, file) >= TIGHT * spacing * (1 - 1e-9):
            yield (
                f"bodies.{name} is {rounded(across, 2)} spacings wide; forces on it are inaccurate below 8 "
                "and accurate above 20."
            )
    yield from _told([gap.reason for gap in narrow_gaps(file) if not gap.is_shut])
    yield from touching(file)
    origin, end = corners(file)
    for name, region in file.regions.items():
        low, high = region.core_shape.bounds
        slack = 1e-9 * max(file.domain.size)
        if any(low[k] < origin[k] - slack or high[k] > end[k] + slack for k in range(file.dimensions)):
            yield f"regions.{name} extends beyond the domain; only the part inside is filled."
    default = [side for side in SIDES[: 2 * file.dimensions] if side not in file.boundaries.model_fields_set]
    if default:
        yield f"boundaries: {listed(default)} not given, so no-slip walls (default)."


# --- sides and resolution -----------------------------------------------------------------------------------


def _sides(file: WorldFile) -> Found:
    for axis in range(file.dimensions):
        first, second = SIDES[2 * axis], SIDES[2 * axis + 1]
        kinds = [isinstance(file.boundaries.side(name), Periodic) for name in (first, second)]
        if kinds[0] != kinds[1]:
            lone, other = (first, second) if kinds[0] else (second, first)
            text = (
                f'boundaries.{lone}.type = "periodic", but {other} is '
                f'"{file.boundaries.side(other).type}"; periodic sides must be opposite pairs. Write '
                f'{other} = {{ type = "periodic" }}.'
            )
            yield ("boundaries", lone, "type"), text
        elif kinds[0]:
            yield from _period(file, axis, first)
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        side = file.boundaries.side(name)
        if isinstance(side, Wall) and side.velocity is not None:
            through, places = side.velocity[index // 2], face(file, index)
            if any(np.any(evaluate(through, places, t) != 0) for t in times([through], file.time.end)):
                axis_name = "xyz"[index // 2]
                text = (
                    f"boundaries.{name}.velocity[{index // 2}] is not 0; a wall moves only in its own "
                    f"plane. Write 0 for {axis_name}."
                )
                yield ("boundaries", name, "velocity", index // 2), text


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


def _period(file: WorldFile, axis: int, side: str) -> Found:
    if file.solver.members != "particles":
        return
    length, edge = file.domain.size[axis], file.lengths.cell_edge
    if length < CELLS_OF_A_PERIOD * edge:
        spacing = 0.999 * length / (CELLS_OF_A_PERIOD * edge / file.domain.spacing)
        text = (
            f"domain.size[{axis}] = {number(length)} m is {rounded(length / edge, 2)} cells of "
            f"{rounded(edge)} m; a periodic "
            f"side needs at least {CELLS_OF_A_PERIOD}. Try domain.spacing = {below(spacing)}."
        )
        yield ("domain", "size", axis), text


def _resolution(file: WorldFile) -> Found:
    shortest = min(file.domain.size)
    across = shortest / file.domain.spacing
    if across < FEWEST_ACROSS:
        text = (
            f"domain.spacing = {number(file.domain.spacing)} puts {rounded(across, 2)} particles across "
            "the domain; "
            f"must be at least {FEWEST_ACROSS}. Try {below(shortest / 20)}."
        )
        yield ("domain", "spacing"), text


# --- bodies, regions and fluid ------------------------------------------------------------------------------


def _solids(file: WorldFile) -> Found:
    origin, end = corners(file)
    dimensions = range(file.dimensions)
    solids: list[tuple[Path, ShapeTable]] = [(("bodies", name), body) for name, body in file.bodies.items()]
    fluids: list[tuple[Path, ShapeTable]] = [
        (("regions", name), region) for name, region in file.regions.items()
    ]
    for path, item in solids + fluids:
        if _outside(item, file):
            low, high = item.core_shape.bounds
            text = (
                f"{dotted(path)} lies from {_point(low, file)} to {_point(high, file)} m, outside the domain "
                f"from {_point(origin, file)} to {_point(end, file)} m. Move it."
            )
            yield path, text
    for path, item in solids:
        low, high = item.core_shape.bounds
        for k in dimensions:
            crossed = [low[k] < origin[k] < high[k], low[k] < end[k] < high[k]]
            if any(crossed) and not all(crossed) and isinstance(file.boundaries.side(SIDES[2 * k]), Periodic):
                side = SIDES[2 * k] if crossed[0] else SIDES[2 * k + 1]
                yield (
                    path,
                    f"{dotted(path)} crosses the periodic side {side}; a body must not cross it. Move it, "
                    "or change domain.origin.",
                )
    for group in (solids, fluids):
        for (path, one), (other_path, other) in combinations(group, 2):
            where = _common_point(one, other, file)
            if where is not None:
                text = (
                    f"{dotted(other_path)} overlaps {dotted(path)} at {where} m; overlaps are not allowed. "
                    "Move or shrink one."
                )
                yield other_path, text


def _outside(item: ShapeTable, file: WorldFile) -> bool:
    origin, end = corners(file)
    low, high = item.core_shape.bounds
    return any(high[k] <= origin[k] or low[k] >= end[k] for k in range(file.dimensions))


def _common_point(one: ShapeTable, other: ShapeTable, file: WorldFile) -> str | None:
    """A point well inside both shapes, or None."""
    bounds = [one.core_shape.bounds, other.core_shape.bounds]
    low = [max(box[0][k] for box in bounds) for k in range(3)]
    high = [min(box[1][k] for box in bounds) for k in range(3)]
    points = lattice(low, high, file.dimensions, 10_000)
    if not len(points):
        return None
    depth = np.maximum(one.core_shape.signed_distance(points), other.core_shape.signed_distance(points))
    deepest = int(np.argmin(depth))
    return _point(points[deepest], file) if depth[deepest] < -1e-6 * max(file.domain.size) else None


def _point(place: Points | tuple[float, ...], file: WorldFile) -> str:
    return "(" + ", ".join(rounded(float(place[k])) for k in range(file.dimensions)) + ")"


def _fluid(file: WorldFile, samples: Samples) -> Found:
    if not len(samples.points):
        if file.regions and all(_outside(region, file) for region in file.regions.values()):
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
        if not _outside(file.regions[name], file):
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


def _starts(file: WorldFile) -> list[tuple[Path, Start | Region]]:
    """The tables that say how the fluid starts."""
    tables: list[tuple[Path, Start | Region]] = [(("start",), file.start)]
    return tables + [(("regions", name), region) for name, region in file.regions.items()]


def _liquid(file: WorldFile) -> Found:
    """Keys that only a gas may have."""
    for path, table in _starts(file):
        if table.density is not None:
            text = (
                f"{dotted(path)}.density = {_written(table.density)}; is allowed for a gas only, as the "
                'density of a liquid follows from its pressure. Write fluid.state = "ideal_gas" or remove it.'
            )
            yield (*path, "density"), text
    if isinstance(file.method, SphOptions) and file.method.artificial_conductivity is not None:
        text = (
            f"method.artificial_conductivity = {number(file.method.artificial_conductivity)}; is allowed for "
            'a gas only. Write fluid.state = "ideal_gas" or remove it.'
        )
        yield ("method", "artificial_conductivity"), text


def _weight(file: WorldFile) -> Found:
    """A liquid with a given speed of sound must support the hydrostatic pressure of its start."""
    fluid, gravity = file.fluid, file.domain.gravity
    name = "max_speed" if fluid.max_speed is not None else "sound_speed"
    given: float | None = getattr(fluid, name)
    if given is None or gravity is None:
        return
    sound_speed = given if name == "sound_speed" else SOUND_RATIO * given
    origin, end = corners(file)
    for path, table in _starts(file):
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


def _pressure(file: WorldFile, samples: Samples) -> Found:
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
        place = "" if pressure.formula.is_constant else f" at {_point(points[worst], file)} m"
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


def _written(field: _core.Formula) -> str:
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
    for path, table in _starts(file):
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


# --- fields and observers -----------------------------------------------------------------------------------


def _fields(file: WorldFile, samples: Samples) -> Found:
    """Every field must be finite where and when it is used; the first place where it is not."""
    for path, formula, _ in _fields_of_start(file):
        if "t" in formula.used_variables:
            yield (
                path,
                (f"{dotted(path)} = {_written(formula)}; is evaluated at t = 0 only. Write it without t."),
            )
    for path, formula, points, moments in [*_start_fields(file, samples), *_run_fields(file, samples)]:
        for time in moments:
            values = evaluate(formula, points, time)
            wrong = np.flatnonzero(~np.isfinite(values))
            if len(wrong):
                axes = "x, y, z"[: 3 * file.dimensions - 2]
                at = f"{axes} = {_point(points[wrong[0]], file)} m, t = {rounded(time)} s"
                yield path, f"{dotted(path)} gives {values[wrong[0]]} at {at}; must be finite everywhere."
                break
            if file.is_gas and path[-1] in _GAS_LIMITS and len(values):
                on_cells = file.solver.members != "particles"
                sign, holds = _GAS_LIMITS["density" if on_cells else str(path[-1])]
                if holds(values.min()):
                    continue
                place = points[int(values.argmin())]
                at = f"{'x, y, z'[: 3 * file.dimensions - 2]} = {_point(place, file)} m"
                text = (
                    f"{dotted(path)} gives {rounded(float(values.min()))} at {at}; must be {sign} 0 in a gas."
                )
                yield path, text


_GAS_LIMITS: dict[str, tuple[str, Callable[[float], bool]]] = {
    "pressure": (">=", lambda least: least >= 0),
    "density": (">", lambda least: least > 0),
}
"""Conditions for the start of a gas: field and sign. On cells the pressure must be > 0 as well."""


_UsedField = tuple[Path, _core.Formula, Points, Sequence[float]]
"""A field with the places [m] and the times [s] at which it is used."""


def _fields_of_start(file: WorldFile) -> Iterator[tuple[Path, _core.Formula, Region | None]]:
    """Each with the region it is of, or the whole fluid."""
    for k, formula in enumerate(file.start.velocity or ()):
        yield ("start", "velocity", k), formula, None
    for name, formula in file.start.fields.items():
        yield ("start", "fields", name), formula, None
    for path, table in _starts(file):
        region = table if isinstance(table, Region) else None
        if table.pressure is not None:
            yield (*path, "pressure"), table.pressure.formula, region
        if table.density is not None:
            yield (*path, "density"), table.density, region


def _start_fields(file: WorldFile, samples: Samples) -> Iterator[_UsedField]:
    """Checked at the initial positions of particles, as samples may miss a spot."""
    fields = list(_fields_of_start(file))
    varies = any(not formula.is_constant for _, formula, _ in fields)
    places = start_places(file) if varies else None
    fluid = samples.points if places is None else places
    for path, formula, region in fields:
        inside = fluid if region is None else fluid[region.core_shape.signed_distance(fluid) < 0]
        yield path, formula, inside, (0.0,)


def _run_fields(file: WorldFile, samples: Samples) -> Iterator[_UsedField]:
    fluid = samples.points
    run = tuple(file.time.end * share for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    for k, formula in enumerate(file.domain.body_force or ()):
        yield ("domain", "body_force", k), formula, fluid, run
    for index, side_name in enumerate(SIDES[: 2 * file.dimensions]):
        side = file.boundaries.side(side_name)
        for k, formula in enumerate((side.velocity or ()) if isinstance(side, Wall) else ()):
            yield ("boundaries", side_name, "velocity", k), formula, face(file, index), run
    for opening in faces(file):
        points, table = opening.points(file.dimensions), opening.table
        if opening.is_inflow:
            for k, formula in enumerate(opening.velocity(file.dimensions)):
                yield (*opening.path, "velocity", k), formula, points, run
        if table.pressure is not None:
            yield (*opening.path, "pressure"), table.pressure, points, run


def _observers(file: WorldFile) -> Found:
    origin, end = corners(file)
    for name, observer in file.observe.items():
        path: Path = ("observe", name)
        if name in file.bodies or name in _TAKEN:
            taken = f"bodies.{name} has" if name in file.bodies else _TAKEN[name]
            yield path, f"observe.{name}: {taken} this name already. Choose another name."
        if isinstance(observer, Torque):
            if observer.body not in file.bodies:
                text = (
                    f"observe.{name}.body = {shown(observer.body)}; the world has no such body. "
                    f"{did_you_mean(observer.body, list(file.bodies), 'and')}".strip()
                )
                yield (*path, "body"), text
            continue
        for key, mark in observer.marks.items():
            place = vec3(mark)
            if any(not origin[k] <= place[k] <= end[k] for k in range(file.dimensions)):
                text = (
                    f"observe.{name}.{key} = {shown(place[: file.dimensions])} is outside the domain from "
                    f"{_point(origin, file)} to {_point(end, file)} m. Move it."
                )
                yield (*path, key), text
            for body_name, body in file.bodies.items():
                depth = -body.core_shape.signed_distance(np.array([place]))[0]
                if not isinstance(observer, Gauge) and depth > _ON_SURFACE * file.domain.spacing:
                    text = (
                        f"observe.{name}.{key} = {shown(place[: file.dimensions])} is inside "
                        f"bodies.{body_name}; must be in the fluid. Move it."
                    )
                    yield (*path, key), text
        if isinstance(observer, Line | Profile):
            yield from _crossed_bodies(observer, path, file)
        if isinstance(observer, Patch):
            yield from _patch(observer, path, file)
        weightless = file.domain.gravity is None or not any(file.domain.gravity)
        if isinstance(observer, Gauge) and observer.axis is None and weightless:
            text = f'observe.{name}.axis is missing; a gauge without gravity requires it. Add axis = "y".'
            yield path, text
        axis = getattr(observer, "axis", None)
        if axis == "z" and file.dimensions == 2:
            yield (*path, "axis"), f'observe.{name}.axis = "z"; must be x or y, as this world is 2D.'


_TAKEN = dict.fromkeys(("budget", "force", "time"), "a series of every run has") | dict.fromkeys(
    ("values", "expectations"), "a table of every export has"
)
_ON_SURFACE = 1e-6  # of a spacing: what is less deep inside a body lies on its surface


def _patch(patch: Patch, path: Path, file: WorldFile) -> Found:
    """A patch needs a direction, and room for all of it beside its centre, of which `_observers` tells."""
    if normal_of(patch, file) is None:
        text = (
            f"{dotted(path)}.normal is missing; position = {shown(patch.position)} does not lie on exactly "
            f"one side of the domain. Add normal = {shown((1, 0, 0)[: file.dimensions])}, the direction "
            "across it."
        )
        yield path, text
        return
    origin, end = corners(file)
    slack = _ON_SURFACE * file.domain.spacing
    rim, places = rim_of(patch, file), places_of(patch, file)
    outside = [
        any(not origin[k] - slack <= p[k] <= end[k] + slack for k in range(file.dimensions)) for p in rim
    ]
    if any(outside):
        place = rim[outside.index(True)]
        text = (
            f"{dotted(path)}.diameter = {shown(patch.diameter)}; the patch extends beyond the domain, to "
            f"{_point(place, file)} m. Make it smaller or move it."
        )
        yield (*path, "diameter"), text
    for name, body in file.bodies.items():
        depth = -body.core_shape.signed_distance(places)
        at_centre = -body.core_shape.signed_distance(np.array([vec3(patch.position)]))[0]
        if (depth > slack).any() and at_centre <= slack:
            where = _point(places[int(np.argmax(depth))], file)
            text = (
                f"{dotted(path)}.diameter = {shown(patch.diameter)}; the patch extends into bodies.{name} "
                f"at {where} m; must stay in the fluid. Make it smaller, or change normal."
            )
            yield (*path, "diameter"), text


def _crossed_bodies(line: Line | Profile, path: Path, file: WorldFile) -> Found:
    """A line must stay in the fluid between its ends, too; what lies inside at an end is said of the end."""
    places = np.array(line.places)
    for name, body in file.bodies.items():
        depth = -body.core_shape.signed_distance(places)
        inside = depth > _ON_SURFACE * file.domain.spacing
        if inside[1:-1].any() and not inside[[0, -1]].any():
            where = _point(places[int(np.argmax(depth))], file)
            yield (
                path,
                f"{dotted(path)} passes through bodies.{name} at {where} m; must stay in the fluid. Move it.",
            )
