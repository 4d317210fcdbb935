"""Errors and notes of worlds on cells, each with the line that it is about."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from eddyline import _core
from eddyline.solvers.amr.cells import (
    bytes_per_cell,
    cells_along,
    evaluate_condition,
    fewest_cells,
    module_speed,
    refines_places,
    time_step_of,
)
from eddyline.solvers.amr.options import (
    EULER,
    PICTURES,
    PLACES,
    columns_of,
    equations_of,
    options_of,
)
from eddyline.world import checks
from eddyline.world.memory import MOST, available_memory
from eddyline.world.problems import Found, Path, above, below, did_you_mean, dotted, listed, number, rounded
from eddyline.world.samples import Samples, evaluate, times
from eddyline.world.scales import Scales
from eddyline.world.schema import (
    Start,
    WorldFile,
)
from eddyline.world.shapes import Region

FEWEST_ACROSS = 8
"""Smallest number of cells along a side: the widest stencil, order 6, has 7 points."""
OTHER_VALUE = 0.37
"""A value of fields for which no usual formula gives 0 or 1 unless it is a condition."""
FEWEST_ACROSS_BODY = 4
"""Cells across a body: below, its two surfaces may be in one cell."""
ENOUGH_ACROSS_BODY = 20
"""Cells across a body from which on its drag is accurate to some percent."""
STABLE = 2.7
"""Largest product of a step and a frequency that is allowed; the method is stable up to 2.83."""
LARGEST_CFL_AT_BODIES = 0.6
"""Half a cell at a body has the faces of a whole one."""


def check_density_of_start(file: WorldFile, samples: Samples) -> Found:
    """The density of a gas with a potential is positive everywhere."""
    formula = file.start.fields.get("density")
    if formula is None:
        return
    least = float(np.min(evaluate(formula, samples.points), initial=math.inf))
    if not least > 0:
        yield (
            ("start", "fields", "density"),
            f"start.fields.density is {rounded(least)} kg/m^3 somewhere; must be positive everywhere.",
        )


def check_module_start(file: WorldFile, samples: Samples) -> Found:
    if math.isnan(module_speed(file, samples)):
        yield (
            ("start", "fields"),
            f"start.fields: the equations {equations_of(file)} do not allow these values everywhere (margin "
            "or speed of the model); must be valid numbers at each place of the domain.",
        )


def check_names_of_module(file: WorldFile) -> Found:
    """Quantities of a module with names that pictures of other equations show in another unit."""
    if options_of(file).module is None:
        return
    for name, unit in columns_of(file)["quantities"]:
        taken = PICTURES.get(name)
        if taken is not None and taken.unit != unit:
            yield (
                ("method", "equations"),
                f'method.equations = "{equations_of(file)}": its {name} [{unit}] has the name of the '
                f"{taken.label} [{taken.unit}] of other equations. Rename it in the module and rebuild.",
            )


def check_parameters(file: WorldFile) -> Found:
    """Parameters that the equations do not have, and values outside their limits."""
    options = options_of(file)
    known = {} if options.module is None else options.module.description.parameters
    for key, value in options.parameters.items():
        path: Path = ("method", "parameters", key)
        if key not in known:
            text = f"{dotted(path)} = {number(value)}; the equations {equations_of(file)} have no such"
            yield path, f"{text} parameter. {did_you_mean(key, known, 'and') or 'Remove it.'}"
        elif (complaint := known[key].complaint(value)) is not None:
            yield path, f"{dotted(path)} = {number(value)} {known[key].unit}; {complaint}.".replace(" ;", ";")


def check_cells(file: WorldFile) -> Found:
    """The domain is a whole number of cells, and of enough of them."""
    spacing, multiple = file.domain.spacing, _multiple(file)
    for axis, length in enumerate(file.domain.size):
        count = length / spacing
        if abs(count - round(count)) > 1e-6 * count:
            fit = length / (multiple * math.ceil(count / multiple))
            yield (
                ("domain", "size", axis),
                f"domain.size[{axis}] = {number(length)} m is {rounded(count, 6)} cells of domain.spacing = "
                f"{number(spacing)} m; must be a whole number. Try domain.spacing = {number(fit)}.",
            )
        elif round(count) < FEWEST_ACROSS:
            yield (
                ("domain", "size", axis),
                f"domain.size[{axis}] = {number(length)} m is {round(count)} cells; must be at least "
                f"{FEWEST_ACROSS}. Try domain.spacing = {below(length / FEWEST_ACROSS)}.",
            )


def _multiple(file: WorldFile) -> int:
    """The number of which the finest cells along each axis are a multiple."""
    options = options_of(file)
    return options.unit * 2 ** (options.levels - 1) if options.levels > 1 else 1


def check_formulas(file: WorldFile, samples: Samples) -> Found:
    """The potential and the source of waves are finite formulas of places that steps can follow."""
    options, path = options_of(file), ("method", "signal")
    if options.signal is not None and options.source is None:
        yield path, "method.signal: the world has no source. Add method.source, or remove the signal."
    elif options.signal is not None and (places := set(options.signal.used_variables) - {"t"}):
        yield path, f"method.signal uses {listed(sorted(places))}; must be a formula of t only. Change it."
    elif options.signal is not None:
        moments = times([options.signal], file.time.end)
        if not np.isfinite(np.asarray(options.signal.evaluate({"t": moments}))).all():
            yield path, f'method.signal = "{options.signal.text}" is not a number at all times; change it.'
    for key in ("potential", "source"):
        formula: _core.Formula | None = getattr(options, key)
        if formula is None:
            continue
        if "t" in formula.used_variables:
            hint = "Write what depends on it as signal, a factor of the source."
            text = f"method.{key} uses t; must be a formula of x, y and z only."
            yield ("method", key), f"{text} {hint if key == 'source' else 'Remove t.'}"
            continue
        values = evaluate(formula, samples.points)
        bad = ~np.isfinite(values)
        if bad.any():
            place = ", ".join(rounded(x) for x in samples.points[bad][0][: file.dimensions])
            yield (
                ("method", key),
                f'method.{key} = "{formula.text}" is not a finite number at ({place}) m; change it.',
            )
        elif key == "potential" and not values.max(initial=0.0) <= _stiffest(file):
            yield (
                ("method", key),
                f"method.potential reaches {rounded(float(values.max()))} 1/s^2; must be at most "
                f"{below(_stiffest(file))} for the steps of this world, which levels lengthen. Reduce it.",
            )


def _stiffest(file: WorldFile) -> float:
    """The largest potential with which steps of the classical Runge-Kutta method are stable [1/s^2]."""
    options = options_of(file)
    step = time_step_of(file, Scales(0.0, options.wave_speed or 1.0, ""))
    of_differences = {2: 4.0, 4: 16 / 3, 6: 272 / 45}[options.order or 4]
    return (STABLE**2 - of_differences * options.cfl**2) / step**2


def check_levels(file: WorldFile, samples: Samples) -> Found:
    """Levels have something that chooses them, and units fit into the domain."""
    options = options_of(file)
    if options.body_layer is not None and not file.bodies:
        text = f"method.body_layer = {options.body_layer}; the world has no bodies. Remove it."
        yield ("method", "body_layer"), text
    if options.levels == 1:
        return
    if options.tolerance is None and options.refine is None and not file.bodies:
        yield (
            ("method", "levels"),
            f"method.levels = {options.levels} requires something that chooses the cells to refine. Add "
            "tolerance, the largest variation that is not refined, or refine, a condition.",
        )
    if options.refine is not None:
        known = [name for name, _ in columns_of(file)["quantities"]]
        for name in sorted(set(options.refine.used_variables) - {*PLACES, *known}):
            yield (
                ("method", "refine"),
                f"method.refine uses {name}; the equations {equations_of(file)} have {listed(known, 'and')}. "
                "Use one of them.",
            )
        yield from _condition_problems(options.refine, samples)
    multiple = _multiple(file)
    for axis, count in enumerate(cells_along(file)):
        if count % multiple and not list(check_cells(file)):
            fit = file.domain.size[axis] / (multiple * math.ceil(count / multiple))
            yield (
                ("domain", "size", axis),
                f"domain.size[{axis}] = {number(file.domain.size[axis])} m is {count} cells of the finest "
                f"level; with method.levels = {options.levels} and method.unit = {options.unit} it must be a "
                f"multiple of {multiple}. Try domain.spacing = {number(fit)}, or fewer levels.",
            )


def _condition_problems(formula: _core.Formula, samples: Samples) -> Found:
    """The formula is true or false, at the start, and depends on something."""
    path, start = ("method", "refine"), f'method.refine = "{formula.text}"'
    hint = 'must be a condition, e.g. refine = "abs(x - 0.5) < 0.1".'
    if not formula.used_variables:
        yield path, f"{start} depends on nothing; {hint}"
        return
    places = {axis: samples.points[:, k] for k, axis in enumerate("xyz")}
    fields = dict.fromkeys(set(formula.used_variables) - set(PLACES), OTHER_VALUE)
    at_rest, elsewhere = (np.ravel(evaluate_condition(formula, given)) for given in (places, places | fields))
    values = np.concatenate([at_rest, elsewhere[~np.isnan(elsewhere)]])
    odd = values[(values != 0) & (values != 1)]
    if np.isnan(odd).any():
        yield path, f"{start} is not a number everywhere at the start; {hint}"
    elif len(odd):
        yield path, f"{start} gives {rounded(float(odd[0]))}; {hint}"


def check_memory(file: WorldFile) -> Found:
    """The cells fit into the memory of this machine: of level 0, and of finer ones where a condition on
    places chooses them. Others are checked when they are chosen."""
    options, free, each = options_of(file), available_memory(), bytes_per_cell(file)
    cells = sum(fewest_cells(file))
    limit = math.inf if free is None else max(float(free), 1e6)
    if cells * each <= limit and cells <= MOST:
        return
    coarser = max(cells * each / limit, cells / MOST) ** (1 / file.dimensions)
    room = f"{rounded(limit / 1e9, 3)} GB of memory are free"
    if cells > MOST:
        room = f"{rounded(MOST, 1)} is the most"
    refined = (
        ", with the levels that method.refine chooses," if options.levels > 1 and refines_places(file) else ""
    )
    yield (
        ("domain", "spacing"),
        f"domain.spacing = {number(file.domain.spacing)}{refined} makes {rounded(cells, 2)} cells, "
        f"{rounded(cells * each / 1e9, 3)} GB; {room}. Try "
        f"{above(coarser * file.domain.spacing)}, or a smaller domain.",
    )


def check_gas_start(file: WorldFile, samples: Samples) -> Found:
    """Pressure and density are known everywhere: cells have no vacuum."""
    if file.start.pressure is None:
        uncovered = samples.points
        for region in file.regions.values():
            uncovered = uncovered[region.core_shape.signed_distance(uncovered) > 0]
        if not file.regions or len(uncovered):
            place = ", ".join(rounded(x) for x in uncovered[0][: file.dimensions]) if len(uncovered) else ""
            where = f" at ({place}) m, outside all regions" if file.regions else ""
            yield (
                ("start",),
                f"start.pressure is missing; a gas on cells requires it{where}. Add [start] with "
                "pressure = 101325.",
            )
    starts: list[tuple[Path, Start | Region]] = [(("start",), file.start)]
    starts += [(("regions", name), region) for name, region in file.regions.items()]
    for path, table in starts:
        if table.pressure is not None and table.pressure.kind == "hydrostatic":
            yield (
                (*path, "pressure"),
                f'{dotted(path)}.pressure = "hydrostatic"; is allowed for liquids only. Write a formula '
                "[Pa], e.g. pressure = 101325.",
            )


def check_bodies(file: WorldFile) -> Found:
    """Bodies have enough cells across, and steps suit the cells that they cut."""
    options, spacing = options_of(file), file.domain.spacing
    for name, body in file.bodies.items():
        thickness = checks.thickness(body, file)
        if thickness < FEWEST_ACROSS_BODY * spacing * (1 - 1e-9):
            yield (
                ("bodies", name),
                f"bodies.{name} is {rounded(thickness / spacing, 2)} cells thick; must be at least "
                f"{FEWEST_ACROSS_BODY}. Try domain.spacing = {below(thickness / FEWEST_ACROSS_BODY)}, or "
                "make it thicker.",
            )
    if file.bodies and options.cfl > LARGEST_CFL_AT_BODIES:
        yield (
            ("method", "cfl"),
            f"method.cfl = {number(options.cfl)}; with bodies it must be at most {LARGEST_CFL_AT_BODIES}. "
            "Reduce it.",
        )


def notes_on_bodies(file: WorldFile) -> Iterator[str]:
    for name, body in file.bodies.items():
        low, high = body.core_shape.bounds
        across = min(high[k] - low[k] for k in range(file.dimensions)) / file.domain.spacing
        if across < ENOUGH_ACROSS_BODY:
            yield (
                f"bodies.{name} is {rounded(across, 2)} cells wide; forces on it are accurate to some "
                f"percent above {ENOUGH_ACROSS_BODY}."
            )
        if equations_of(file) == EULER and not body.slip:
            yield f"gas without friction slips along bodies.{name}."
