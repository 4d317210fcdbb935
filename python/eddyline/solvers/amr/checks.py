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
    BURGERS,
    EULER,
    EULER_POISSON,
    GASES,
    GRAVITY,
    NAVIER_STOKES,
    PICTURES,
    PLACES,
    WAVE,
    WAVES,
    columns_of,
    equations_of,
    options_of,
)
from eddyline.world import checks
from eddyline.world.memory import MOST, available_memory
from eddyline.world.problems import Path, above, below, did_you_mean, dotted, listed, number, rounded
from eddyline.world.quantities import series_columns
from eddyline.world.samples import Samples, evaluate, times
from eddyline.world.scales import Scales
from eddyline.world.schema import (
    CONDUCTION_KEYS,
    SIDE_KINDS,
    SIDES,
    Inflow,
    Isosurface,
    Open,
    Outflow,
    Periodic,
    Probe,
    Start,
    Torque,
    Wall,
    WorldFile,
)
from eddyline.world.shapes import Region, Table
from eddyline.world.solver import (
    Found,
)

FEWEST_ACROSS = 8
"""Smallest number of cells along a side: the widest stencil, order 6, has 7 points."""


OTHER_VALUE = 0.37
"""A value of fields for which no usual formula gives 0 or 1 unless it is a condition."""


SUBJECTS = {
    EULER_POISSON: "the Euler-Poisson equations of the solver amr have",
    WAVE: "the wave equation of the solver amr has",
    GRAVITY: "gravitational waves of the solver amr have",
    EULER: "the Euler equations of the solver amr have",
    NAVIER_STOKES: "the Navier-Stokes equations of the solver amr have",
    BURGERS: "Burgers' equation of the solver amr has",
}
"""The equations as the subject of a sentence."""


FEWEST_ACROSS_BODY = 4
"""Cells across a body: below, its two surfaces may be in one cell."""


ENOUGH_ACROSS_BODY = 20
"""Cells across a body from which on its drag is accurate to some percent."""


STABLE = 2.7
"""Largest product of a step and a frequency that is allowed; the method is stable up to 2.83."""


LARGEST_CFL_AT_BODIES = 0.6
"""Half a cell at a body has the faces of a whole one."""


def neither(names: list[str]) -> str:
    return f"neither {' nor '.join(names)}" if len(names) > 1 else f"no {names[0]}"


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


def _subject(file: WorldFile) -> str:
    """The equations as the subject of a sentence."""
    name = equations_of(file)
    return SUBJECTS.get(name, f"the equations {name} have")


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


def check_foreign_options(file: WorldFile) -> Found:
    """Options of other equations."""
    name = equations_of(file)
    owners = {
        "wave_speed": WAVES,
        "sound_speed": (EULER_POISSON,),
        "coupling": (EULER_POISSON,),
        "residual": (EULER_POISSON,),
        "cycles": (EULER_POISSON,),
        "amplitude": (GRAVITY,),
        "width": (GRAVITY,),
        "order": (WAVE,),
        "potential": (WAVE,),
        "source": (WAVE,),
        "signal": (WAVE,),
        "reconstruction": (*GASES, EULER_POISSON, BURGERS),
    }
    for key, of in owners.items():
        value = getattr(options_of(file), key)
        if key == "reconstruction" and options_of(file).module is not None:
            continue
        if key in ("residual", "cycles") and "solver" in series_columns(file):
            continue
        if value is not None and name not in of:
            value = value.text if isinstance(value, _core.Formula) else value
            text = f'"{value}"' if isinstance(value, str) else f"{value:g}"
            yield (
                ("method", key),
                f"method.{key} = {text}; is an option of the equations {listed(of, 'and')}, and this world "
                f"uses {name}. Remove it.",
            )


def refusals_of(file: WorldFile) -> Found:
    """Parts of a world that equations of fields without a fluid do not have."""
    what = _subject(file)
    if file.given_fluid is not None:
        hint = 'Remove [fluid], or write equations = "euler"' if file.is_gas else "Remove [fluid]"
        yield ("fluid",), f"fluid: {what} no fluid. {hint}."
    yield from _forces(file, what)
    names = [field for field, _ in columns_of(file)["start"]]
    fields = " and ".join(names) if len(names) < 3 else f"{names[0]} to {names[-1]}"
    if options_of(file).amplitude and file.start.fields:
        yield (
            ("start", "fields"),
            "start.fields: method.amplitude gives the start as well. Remove one of them.",
        )
    for key in sorted(file.start.model_fields_set - {"fields"}):
        hint = f" Write [start.fields] with {fields}" if key == "velocity" else " Remove it"
        yield ("start", key), f"start.{key}: {what} no such start.{hint}."
    for kind, tables in (("regions", file.regions), ("openings", file.openings), ("bodies", file.bodies)):
        for each in tables:
            yield (kind, each), f"{dotted((kind, each))}: {what} no {kind}. Remove it."


def gas_refusals_of(file: WorldFile) -> Found:
    """Parts of a world that a gas on cells does not have."""
    what = _subject(file)
    fluid = file.given_fluid
    if fluid is not None and not fluid.is_gas:
        yield (
            ("fluid", "state"),
            f'fluid.state = "liquid"; {what} ideal gases only. Write state = "ideal_gas".',
        )
    for key in ("kinematic_viscosity", "dynamic_viscosity"):
        if equations_of(file) == EULER and fluid is not None and fluid.is_gas and getattr(fluid, key):
            text = f'fluid.{key}: {what} no friction. Remove it, or write equations = "navier-stokes".'
            yield ("fluid", key), text
    for key in CONDUCTION_KEYS:
        is_used = key == "prandtl" and equations_of(file) == NAVIER_STOKES
        if fluid is not None and fluid.is_gas and getattr(fluid, key) is not None and not is_used:
            missing = (
                "no friction" if equations_of(file) == EULER else "a viscosity that is the same everywhere"
            )
            yield ("fluid", key), f"fluid.{key}: {what} {missing}. Remove it."
    if equations_of(file) == NAVIER_STOKES and fluid is not None and not fluid.nu > 0:
        yield (
            ("fluid",),
            f'fluid.kinematic_viscosity is missing; {what} friction. Add it, or write equations = "euler".',
        )
    yield from _forces(file, what)
    for key in sorted(file.start.model_fields_set & {"arrangement", "jitter", "settle"}):
        yield ("start", key), f"start.{key}: {what} no particles. Remove it."
    if file.start.fields:
        yield (
            ("start", "fields"),
            f"start.fields: {what} their start in start.density, start.velocity and start.pressure. Remove "
            "it.",
        )
    for each in file.openings:
        yield ("openings", each), f"openings.{each}: {what} no openings. Remove it."
    for name, body in file.bodies.items():
        if body.motion is not None:
            text = f"bodies.{name}.motion: {what} bodies at rest only. Remove it."
            yield ("bodies", name, "motion"), text


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


def _forces(file: WorldFile, what: str) -> Found:
    for key, name in (("gravity", "gravity"), ("body_force", "body force")):
        if getattr(file.domain, key) is not None:
            yield ("domain", key), f"domain.{key}: {what} no {name}. Remove domain.{key}."


SIDES_OF = {
    WAVE: (Periodic, Open, Wall),
    GRAVITY: (Periodic, Open, Wall),
    EULER: (Periodic, Open, Wall, Inflow, Outflow),
    NAVIER_STOKES: (Periodic, Open, Wall, Inflow, Outflow),
    EULER_POISSON: (Periodic, Wall),
    BURGERS: (Periodic, Open, Wall),
}
"""Kinds of sides of the equations."""


def check_sides(file: WorldFile) -> Found:
    name, module = equations_of(file), options_of(file).module
    allowed: tuple[type[Table], ...] = SIDES_OF.get(name, ())
    if module is not None:
        allowed = tuple(SIDE_KINDS[kind] for kind in module.description.sides)
    for side_name in SIDES[: 2 * file.dimensions]:
        side = file.boundaries.side(side_name)
        path: Path = ("boundaries", side_name)
        if not isinstance(side, allowed):
            kinds = listed([key for key, kind in SIDE_KINDS.items() if kind in allowed], "and")
            yield (
                (*path, "type"),
                f'boundaries.{side_name}.type = "{side.type}"; {_subject(file)} sides of the types {kinds} '
                "only. Change it.",
            )
        elif isinstance(side, Wall) and name == GRAVITY and not side.slip:
            yield (
                path,
                f"boundaries.{side_name} is a wall; of gravitational waves it must be a plane of symmetry. "
                "Add slip = true.",
            )
        elif isinstance(side, Wall) and side.velocity is not None and name != NAVIER_STOKES:
            text = f"boundaries.{side_name}.velocity: {_subject(file)} no friction. Remove it."
            yield (*path, "velocity"), text


def check_observers(file: WorldFile) -> Found:
    what = _subject(file)
    if file.output.cut is not None and file.output.cut.normal == "none":
        yield (
            ("output", "cut", "normal"),
            f'output.cut.normal = "none"; {what} no surface to see from outside. Write x, y or z.',
        )
    kinds: tuple[type[Table], ...] = (Probe, Isosurface)
    names = "probes and isosurfaces"
    if equations_of(file) in GASES:
        kinds, names = (*kinds, Torque), "probes, torques and isosurfaces"
    for name, observer in file.observe.items():
        if not isinstance(observer, kinds):
            yield (
                ("observe", name, "type"),
                f'observe.{name}.type = "{observer.type}"; {what} {names} only. Change '
                "it, or remove this observer.",
            )
