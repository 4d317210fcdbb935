"""Equations on Cartesian cells in patches of one or several levels: waves, gases and others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, Field, PrivateAttr, ValidationInfo, WithJsonSchema, model_validator

from eddyline import _core, modules
from eddyline.world import checks
from eddyline.world.build import fluid_world, plain_world
from eddyline.world.estimate import Estimate, Plan
from eddyline.world.memory import MOST, available_memory
from eddyline.world.problems import Path, above, below, did_you_mean, dotted, listed, number, rounded
from eddyline.world.quantities import body_series
from eddyline.world.samples import Samples, corners, evaluate, lattice
from eddyline.world.scales import Scales, find_scales, gamma_of
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
    Pictured,
    Rows,
    SolverOptions,
    Speeds,
    StepLimit,
    show_quantity,
)
from eddyline.world.values import Context, Count, Number, Positive, Quantities, wrong, wrong_table
from eddyline.world.world import World

FEWEST_ACROSS = 8
"""Smallest number of cells along a side: the widest stencil, order 6, has 7 points."""
WAVE, GRAVITY, EULER, NAVIER_STOKES, BURGERS = "wave", "gravity", "euler", "navier-stokes", "burgers"
EULER_POISSON = "euler-poisson"
GASES = (EULER, NAVIER_STOKES)
WAVES = (WAVE, GRAVITY)
EQUATIONS = (WAVE, GRAVITY, EULER, NAVIER_STOKES, EULER_POISSON, BURGERS)
"""Those of the package; others come from modules."""


STRAINS = tuple(f"h_{pair}" for pair in ("xx", "xy", "xz", "yy", "yz", "zz"))
"""Components of the difference from flat space, in gravitational waves."""
OTHER_VALUE = 0.37
"""A value of fields for which no usual formula gives 0 or 1 unless it is a condition."""
PLACES = ("x", "y", "z", "t", "level")
"""Variables of method.refine besides the quantities of pictures."""
QUANTITIES = (
    "u",
    "p",
    "density",
    "pressure",
    "speed",
    "mach",
    "velocity_x",
    "velocity_y",
    "velocity_z",
    "potential",
    *STRAINS,
)
"""Quantities of all equations."""


def _is_module(name: str | None) -> bool:
    return name is not None and name.startswith(modules.PREFIX)


def _library(name: str, info: ValidationInfo) -> modules.Library:
    folders = info.context.folders if isinstance(info.context, Context) else ()
    try:
        return modules.find(name.removeprefix(modules.PREFIX), folders)
    except modules.ModuleError as error:
        raise wrong(str(error)) from None


def _dimensions(info: ValidationInfo) -> int | None:
    return info.context.dimensions if isinstance(info.context, Context) else None


def _known(name: str, info: ValidationInfo) -> str:
    if _is_module(name):
        of_module = _library(name, info).description.dimensions
        dimensions = _dimensions(info)
        if dimensions is not None and dimensions not in of_module:
            known = listed([f"{each}D" for each in of_module], "and")
            raise wrong(f"the module has equations in {known}, and this world is {dimensions}D")
    elif name not in EQUATIONS:
        near = did_you_mean(name, EQUATIONS)
        hint = near if near.startswith("Did") else f'Others are written "{modules.PREFIX}NAME".'
        raise wrong(f"must be {listed(EQUATIONS, 'or')}. {hint}")
    elif name == GRAVITY and _dimensions(info) == 2:
        raise wrong("gravitational waves are three-dimensional, and this world is 2D")
    return name


_Equations = Annotated[
    str,
    AfterValidator(_known),
    WithJsonSchema(
        {"anyOf": [{"enum": list(EQUATIONS)}, {"type": "string", "pattern": f"^{modules.PREFIX}"}]}
    ),
]


@dataclass(frozen=True)
class _Condition(Quantities):
    """Annotation of a formula that may also use the quantities of a module."""

    def compile(self, value: Any, info: ValidationInfo) -> _core.Formula:
        name = info.data.get("equations")
        if name is None or not _is_module(name):
            return super().compile(value, info)
        library = _library(name, info)
        dimensions, known = _dimensions(info), library.description
        wanted = dimensions if dimensions in known.dimensions else known.dimensions[0]
        options: dict[str, bool | int | float | str] = {"library": str(library.path)}
        options |= {key: each.default for key, each in known.parameters.items()}
        own = [own for own, _ in _core.equation_columns(name, wanted, options)["quantities"]]
        return Quantities(tuple(dict.fromkeys((*self.names, *own)))).compile(value, info)


class AmrOptions(SolverOptions):
    """Equations on Cartesian cells with the edge domain.spacing, in patches.

    wave: d2u/dt2 = wave_speed^2 laplace(u); [start.fields] has u [m] and p = du/dt [m/s]. gravity: the same
    for the components h_xx to h_zz of a weak gravitational wave and their rates k_xx to k_zz [1/s], in 3D;
    amplitude and width give an exact solution as the start. euler, navier-stokes: an ideal gas without and
    with friction, of a [fluid]; start and regions as of particles. euler-poisson: an isothermal gas that
    attracts or repels itself; [start.fields] has density (default 1) and velocity_x to velocity_z. burgers:
    du/dt + u du/dx + u du/dy = 0; [start.fields] has u [m/s]."""

    name: Literal["amr"]
    equations: _Equations | None = Field(
        default=None,
        description="Equations; default for an ideal gas euler, with a viscosity navier-stokes; else wave. "
        '"module:NAME": those of a module outside the package.',
    )
    parameters: dict[str, Number] = Field(
        default={}, description="Parameters of the equations of a module, by name; its module.toml has them."
    )
    sound_speed: Positive | None = Field(
        default=None, description="Speed of sound [m/s]; equations euler-poisson only, default 1."
    )
    coupling: Number | None = Field(
        default=None,
        description="laplace(potential) = coupling (density - its mean) [m^3/(kg s^2)]: attraction above 0, "
        "repulsion below; equations euler-poisson only, default 1.",
    )
    residual: Annotated[Positive, Field(lt=1)] | None = Field(
        default=None,
        description="Residual of the potential after each step, relative to the right side; equations with "
        "a constraint only, default 1e-6.",
    )
    cycles: Annotated[Count, Field(ge=1)] | None = Field(
        default=None,
        description="Multigrid cycles after a step, at most; equations with a constraint only, default 30.",
    )
    wave_speed: Positive | None = Field(
        default=None, description="Speed of waves [m/s]; equations wave and gravity only, default 1."
    )
    amplitude: Number | None = Field(
        default=None,
        description="Starts with the gravitational wave of Teukolsky 1982 and compares it with the exact "
        "solution; equations gravity only.",
    )
    width: Positive | None = Field(
        default=None, description="Width of that wave [m]; equations gravity only, default 1."
    )
    order: Literal[2, 4, 6] | None = Field(
        default=None,
        description="Order of the finite differences in space; equations wave only, default 4.",
    )
    reconstruction: Literal["muscl", "weno"] | None = Field(
        default=None,
        description="Values at faces, of equations that conserve means of cells: by limited slopes, or by "
        "WENO-Z of order 5; default muscl.",
    )
    cfl: Annotated[Positive, Field(le=0.9)] = Field(
        default=0.4,
        description="dt = cfl edge / speed; speed: the largest sum over axes of the fastest signals, of "
        "waves wave_speed sqrt(dimensions).",
    )
    patch: Annotated[Count, Field(ge=8, le=1024)] = Field(
        default=32, description="Cells along the edge of a patch; it changes no result."
    )
    levels: Annotated[Count, Field(ge=1, le=10)] = Field(
        default=1,
        description="Levels of refinement: cells of each have half the edge of the one before, those of the "
        "finest domain.spacing. More than 1 require tolerance or refine.",
    )
    tolerance: Positive | None = Field(
        default=None,
        description="Cells that vary more are refined; of waves the fourth difference of u from cell to cell "
        "[m], of means the second one, divided by the value.",
    )
    refine: Annotated[_core.Formula, _Condition(("level", *QUANTITIES))] | None = Field(
        default=None, description="Condition: cells for which it holds are refined."
    )
    unit: Literal[4, 8] = Field(
        default=8, description="Cells along the edge of what is refined together, of the coarser level."
    )
    regrid_every: Annotated[Count, Field(ge=1)] = Field(
        default=2, description="Steps of the coarsest level after which refinement is chosen anew."
    )

    body_layer: Annotated[Count, Field(ge=2)] | None = Field(
        default=None,
        description="Cells before the surfaces of bodies that are refined, on each level but the finest; "
        "default 4.",
    )

    _module: modules.Library | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _find_module(self, info: ValidationInfo) -> AmrOptions:
        if self.equations is not None and _is_module(self.equations):
            self._module = _library(self.equations, info)
            dimensions = _dimensions(info) or self._module.description.dimensions[0]
            try:
                _core.equation_columns(self.equations, dimensions, _options_of_module(self))
            except _core.UserError as error:  # of the model itself
                raise wrong_table(f"is refused by {self.equations}: {error}") from None
        return self

    @property
    def module(self) -> modules.Library | None:
        """The module of the equations, if they are not of the package."""
        return self._module


class Amr:
    """See `eddyline.world.solver.Solver`."""

    name = "amr"
    title = "Cartesian cells in patches"
    not_steered = "the solver amr can add and remove probes while it runs, and change nothing else."
    steered = ()
    has_sound = True
    options: type[SolverOptions] = AmrOptions
    tables: Mapping[str, type[Table]] = {}
    members = "cells"
    has_surfaces = False
    pictures: Mapping[str, Pictured] = {
        "u": Pictured("displacement u", "m", diverging=True),
        "p": Pictured("rate p = du/dt", "m/s", diverging=True),
        "density": Pictured("density", "kg/m^3"),
        "pressure": Pictured("pressure", "Pa"),
        "speed": Pictured("speed", "m/s", starts_at_zero=True),
        "mach": Pictured("Mach number", "", starts_at_zero=True),
        "velocity_x": Pictured("velocity along x", "m/s", diverging=True),
        "velocity_y": Pictured("velocity along y", "m/s", diverging=True),
        "velocity_z": Pictured("velocity along z", "m/s", diverging=True),
        "potential": Pictured("potential", "m^2/s^2", diverging=True),
        "level": Pictured("level of the cells", "", whole=True),
    } | {name: Pictured(f"strain {name}", "", diverging=True) for name in STRAINS}

    def has_fluid(self, method: Mapping[str, Any]) -> bool:
        return method.get("equations") in GASES

    def has_other_pictures(self, method: Mapping[str, Any]) -> bool:
        """True if pictures of a world with these options may show quantities that `pictures` lacks."""
        return _is_module(str(method.get("equations")))

    def code(self, file: WorldFile) -> Mapping[str, str]:
        """The version of the module of the equations, see `World.code`."""
        module = options_of(file).module
        return {} if module is None else {modules.PREFIX + module.description.name: module.version}

    def snapshot_fields(self, file: WorldFile) -> Mapping[str, str]:
        return dict(columns_of(file)["quantities"])

    def start_fields(self, file: WorldFile) -> Mapping[str, str]:
        return {name: f"[{unit}]" for name, unit in columns_of(file)["start"]}

    def pictured(self, file: WorldFile) -> tuple[str, ...]:
        levels = ("level",) if options_of(file).levels > 1 else ()
        return tuple(name for name, _ in columns_of(file)["quantities"]) + levels

    def kept(self, file: WorldFile) -> tuple[str, ...]:
        return tuple(name for name in self.pictured(file) if not name.startswith("velocity_"))

    def refusals(self, file: WorldFile) -> Found:
        yield from _foreign_options(file)
        yield from _parameters(file)
        yield from _names_of_module(file)
        yield from _gas_refusals(file) if equations_of(file) in GASES else _refusals(file)
        yield from _sides(file)
        yield from _observers(file)

    def problems(self, file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
        yield from _cells(file)
        yield from _levels(file, samples)
        yield from _memory(file)
        yield from checks.boundary_problems(file)
        yield from checks.body_problems(file)
        if equations_of(file) in GASES:
            yield from _gas_start(file, samples)
            yield from _bodies(file)
        if equations_of(file) == EULER_POISSON:
            yield from _density_of_start(file, samples)
        if options_of(file).module is not None:
            yield from _module_start(file, samples)
        yield from checks.common_problems(file, samples, names)

    def scales(self, file: WorldFile, samples: Samples) -> Scales | tuple[Path, str]:
        name, options = equations_of(file), options_of(file)
        if name in WAVES:
            speed = options.wave_speed or 1.0
            return Scales(speed, speed, "method.wave_speed")
        if name in GASES:
            found = find_scales(file, samples)
            return found or (
                ("start", "pressure"),
                "start.pressure is 0 everywhere; must be positive somewhere.",
            )
        if options_of(file).module is not None:
            speed = _module_speed(file, samples)
            return Scales(speed, speed, f"the equations {name} at the start")
        if name == EULER_POISSON:
            return _scales_of_potential(file, samples)
        return _speeds_of_start(file, samples)

    def step_limits(self, file: WorldFile, speeds: Speeds) -> Iterator[StepLimit]:
        return iter(())

    def step_problems(self, file: WorldFile, scales: Scales) -> Found:
        steps = file.time.end / _time_step(file, scales)
        if not steps <= MOST_STEPS:
            yield (
                ("time", "end"),
                f"time.end = {number(file.time.end)} s takes about {rounded(steps, 2)} time steps; must be "
                f"at most {rounded(MOST_STEPS)}. Reduce time.end.",
            )

    def warnings(self, world: World) -> Iterator[str]:
        names = [name for name, _ in columns_of(world.file)["start"]]
        if equations_of(world.file) == EULER_POISSON:
            names = []  # a gas at rest is a start
        given = world.file.start.fields.values()
        if (
            names
            and not options_of(world.file).amplitude
            and not any(formula.text != "0" for formula in given)
        ):
            yield f"[start.fields] has {_neither(names)}, so nothing moves."
        module = options_of(world.file).module
        if module is not None and module.is_stale:
            yield (
                f"{module.path.parent}: files of the module have changed since it was built. Run "
                f"`eddyline module build {module.path.parent}`."
            )

    def notes(self, world: World, samples: Samples) -> Iterator[str]:
        yield from _notes_on_bodies(world.file)
        if equations_of(world.file) != EULER:
            return
        for name in SIDES[: 2 * world.dimensions]:
            side = world.file.boundaries.side(name)
            if isinstance(side, Wall) and not side.slip:
                yield f"boundaries.{name} is a wall; gas without friction slips along it."

    def build(self, file: WorldFile, scales: Scales) -> _core.World:
        is_gas = equations_of(file) in GASES
        # pressures of a gas have no background
        world = fluid_world(file, replace(scales, max_speed=0.0)) if is_gas else plain_world(file)
        of_module = _options_of_module(options_of(file))
        world.options = world.options | of_module | {"equations": equations_of(file)}
        return world

    def series(self, file: WorldFile) -> dict[str, list[str]]:
        known = columns_of(file)
        columns = {"budget": [name for name, _ in known["budget"]]}
        if options_of(file).levels > 1:
            columns["levels"] = [f"cells_{level}" for level in range(options_of(file).levels)]
        if "solver" in known:
            columns["solver"] = [name for name, _ in known["solver"]]
        columns |= {name: [column for column, _ in known["quantities"]] for name in file.observe}
        return columns | body_series(file)

    def estimate(self, world: World) -> Estimate:
        file = world.file
        by_level = cells_of_levels(file)
        cells = sum(by_level)
        updates = sum(count * 2**level for level, count in enumerate(by_level))
        known = columns_of(file)
        return Estimate(
            counts={"cells": cells},
            memory_bytes=cells * _bytes_per_cell(file),
            time_step=_time_step(file, world.scales),
            step_seconds=updates / _rate(file) * (COST_OF_BODIES if file.bodies else 1),
            threads=max(1, cells // CELLS_A_THREAD),
            snapshot_bytes=cells * 8 * len(known["quantities"]),
        )

    def describe(self, world: World, found: Plan) -> Rows:
        options, name = options_of(world.file), equations_of(world.file)
        if options.levels > 1:
            yield "levels", _described_levels(world.file)
        patches = f"patches of up to {options.patch} cells along an edge"
        if name == WAVE:
            yield "equations", f"wave equation, speed {rounded(options.wave_speed or 1.0)} m/s"
            yield "scheme", f"differences of order {options.order or 4}, {patches}"
            yield "time step", f"{rounded(found.estimate.time_step)} s, limited by the speed of waves"
            return
        if name == GRAVITY:
            yield "equations", f"weak gravitational waves, speed {rounded(options.wave_speed or 1.0)} m/s"
            yield "scheme", f"differences of order 4, {patches}"
            yield "time step", f"{rounded(found.estimate.time_step)} s, limited by the speed of waves"
            return
        values = {"muscl": "limited slopes", "weno": "WENO-Z of order 5"}[options.reconstruction or "muscl"]
        scheme = f"finite volumes, {values}, {patches}"
        if options.module is not None:
            yield "equations", f"{options.module.description.title}, {name} ({options.module.path})"
            has_means = any(column.startswith("total_") for column, _ in columns_of(world.file)["budget"])
            scheme = scheme if has_means else patches
        else:
            yield "equations", TITLES[name]
        yield "scheme", scheme
        yield "time step", f"about {rounded(found.estimate.time_step)} s at the start, cfl {options.cfl:g}"

    def remarks(self, world: World, found: Plan) -> Iterator[str]:
        free, needed, options = available_memory(), found.estimate.memory_bytes, options_of(world.file)
        if free is not None and needed > free and options.levels > 1:
            remedies = ["raise method.tolerance"] if options.tolerance is not None else []
            remedies += ["narrow method.refine"] if options.refine is not None else []
            yield (
                f"if everything is refined, cells need {rounded(needed / 1e9, 2)} GB, and "
                f"{rounded(free / 1e9, 2)} GB of memory are free. If the run needs too much, "
                f"{listed([*remedies, 'reduce method.levels'], 'or')}."
            )


SOLVER = Amr()

TITLES = {
    EULER_POISSON: "an isothermal gas with its own potential",
    EULER: "Euler equations of an ideal gas",
    NAVIER_STOKES: "Navier-Stokes equations of an ideal gas",
    BURGERS: "Burgers' equation",
}
SUBJECTS = {
    EULER_POISSON: "the Euler-Poisson equations of the solver amr have",
    WAVE: "the wave equation of the solver amr has",
    GRAVITY: "gravitational waves of the solver amr have",
    EULER: "the Euler equations of the solver amr have",
    NAVIER_STOKES: "the Navier-Stokes equations of the solver amr have",
    BURGERS: "Burgers' equation of the solver amr has",
}
"""The equations as the subject of a sentence."""

RATES = {
    WAVE: 4.0e7,
    GRAVITY: 7.0e6,
    EULER_POISSON: 3.0e6,
    EULER: 4.0e6,
    NAVIER_STOKES: 3.5e6,
    BURGERS: 8.0e6,
}
"""Cell steps a second on one core, rounded towards slower processors."""
FEWEST_ACROSS_BODY = 4
"""Cells across a body: below, its two surfaces may be in one cell."""
ENOUGH_ACROSS_BODY = 20
"""Cells across a body from which on its drag is accurate to some percent."""
LARGEST_CFL_AT_BODIES = 0.6
"""Half a cell at a body has the faces of a whole one."""
COST_OF_BODIES = 1.2
"""Time of a step with bodies over that without: more ghosts, and cells at surfaces one by one."""
BODY_LAYER = 4
"""As in the core."""
CELLS_A_THREAD = 4000
"""Cells that each thread has at least, as in the core."""
DEFAULT_PRANDTL = 0.72
"""As in the core."""
SLOTS = 5
"""Copies of each field: the stages of a step."""
MOST_STEPS = 1e13
"""Largest number of time steps of a run, as for other solvers."""


def options_of(file: WorldFile) -> AmrOptions:
    assert isinstance(file.method, AmrOptions)
    return file.method


def equations_of(file: WorldFile) -> str:
    """The equations that the file names, or those of its fluid."""
    named = options_of(file).equations
    if named is not None or not file.is_gas:
        return named or WAVE
    return NAVIER_STOKES if file.fluid.nu > 0 else EULER


@cache
def _columns(
    name: str, dimensions: int, options: tuple[tuple[str, str | float], ...]
) -> dict[str, list[tuple[str, str]]]:
    return {"start": []} | _core.equation_columns(name, dimensions, dict(options))


def _options_of_module(options: AmrOptions) -> dict[str, str | float]:
    """Options that the core takes for the equations of a module: its library, and all its parameters."""
    if options.module is None:
        return {}
    known = options.module.description.parameters
    values = {key: options.parameters.get(key, each.default) for key, each in known.items()}
    return {"library": str(options.module.path), **values}


def columns_of(file: WorldFile) -> dict[str, list[tuple[str, str]]]:
    """Names and units of the equations, see `_core.equation_columns`."""
    options = options_of(file)
    given = _options_of_module(options) | {
        key: value for key in ("amplitude", "width") if (value := getattr(options, key)) is not None
    }
    if equations_of(file) != GRAVITY and options.module is None:
        given = {}
    known = _columns(equations_of(file), file.dimensions, tuple(given.items()))
    if options.module is not None:
        shown = options.module.description.pictures
        for name, unit in known["quantities"]:
            own = shown.get(name, modules.Picture())
            show_quantity(name, Pictured(own.label or name, unit, own.diverging, own.starts_at_zero))
    return known


def cells_along(file: WorldFile) -> tuple[int, ...]:
    """Number of cells along each axis."""
    return tuple(round(length / file.domain.spacing) for length in file.domain.size)


def coarsest_spacing(file: WorldFile) -> float:
    """Edge of the cells of level 0 [m]."""
    return math.ldexp(file.domain.spacing, options_of(file).levels - 1)


def _is_fixed(file: WorldFile) -> bool:
    """True if refinement is a condition on places, or bodies are all that asks for it."""
    options = options_of(file)
    if options.tolerance is not None:
        return False
    if options.refine is None:
        return bool(file.bodies)
    return set(options.refine.used_variables) <= {"x", "y", "z", "level"}


def cells_of_levels(file: WorldFile) -> list[int]:
    """Cells of each level, level 0 first: as the condition on places says, without those that units and
    nesting add; otherwise at most, if everything is refined."""
    options = options_of(file)
    whole = math.prod(cells_along(file))
    counts = [round(whole / 2 ** (file.dimensions * (options.levels - 1 - k))) for k in range(options.levels)]
    if options.levels == 1 or not _is_fixed(file):
        return counts
    origin, upper = corners(file)
    points = lattice(origin, upper, file.dimensions, 20_000)
    places = {axis: points[:, k] for k, axis in enumerate("xyz")}
    distance = np.full(len(points), math.inf)
    for body in file.bodies.values():
        distance = np.minimum(distance, np.abs(body.core_shape.signed_distance(points)))
    layer = 0.5 * math.sqrt(file.dimensions) + (options.body_layer or BODY_LAYER)
    for level in range(options.levels - 1):
        values = distance <= math.ldexp(layer * coarsest_spacing(file), -level)
        if options.refine is not None:
            values = values | (np.asarray(_condition(options.refine, {**places, "level": float(level)})) != 0)
        counts[level + 1] = round(
            counts[level + 1] * float(np.mean(np.broadcast_to(values, len(points)) != 0))
        )
    return counts


def _condition(formula: _core.Formula, given: Mapping[str, Any]) -> Any:
    return formula.evaluate({name: 0.0 for name in formula.used_variables} | dict(given))


def _described_levels(file: WorldFile) -> str:
    options = options_of(file)
    counts = cells_of_levels(file)
    chosen = "" if _is_fixed(file) else "if everything is refined, "
    size = rounded(sum(counts) * _bytes_per_cell(file) / 1e9, 2)
    return (
        f"{options.levels}, edges {rounded(coarsest_spacing(file))} to {rounded(file.domain.spacing)} m; "
        f"{chosen}{rounded(sum(counts), 2)} cells, {size} GB"
    )


def _neither(names: list[str]) -> str:
    return f"neither {' nor '.join(names)}" if len(names) > 1 else f"no {names[0]}"


def _time_step(file: WorldFile, scales: Scales) -> float:
    """The step at the start [s]."""
    options, name = options_of(file), equations_of(file)
    speed = scales.sound_speed * math.sqrt(file.dimensions)
    if name in GASES:
        speed = file.dimensions * (scales.max_speed + scales.sound_speed)
    if name == NAVIER_STOKES:
        most = max(4 / 3, gamma_of(file) / (file.fluid.prandtl or DEFAULT_PRANDTL))
        speed += 2 * file.dimensions * file.fluid.nu * most / file.domain.spacing
    if options.module is not None:
        speed = scales.max_speed or 1.0
    if name == BURGERS:
        speed = file.dimensions * (scales.max_speed or 1.0)
    if name == EULER_POISSON:
        speed = file.dimensions * (scales.max_speed + scales.sound_speed)
        speed += 2 * coarsest_spacing(file) * _swing(file)
    return options.cfl * coarsest_spacing(file) / speed


def _bytes_per_cell(file: WorldFile) -> int:
    return 8 * SLOTS * len(columns_of(file)["fields"])


def _speeds_of_start(file: WorldFile, samples: Samples) -> Scales:
    """The largest of the fields at the start, which all are speeds."""
    values = [
        np.abs(evaluate(formula, samples.points)).max(initial=0.0) for formula in file.start.fields.values()
    ]
    speed = float(max(values, default=0.0))
    return Scales(speed, speed, "the largest at the start")


def _swing(file: WorldFile) -> float:
    """Rate at which the potential moves gas of the density 1 [1/s]."""
    coupling = options_of(file).coupling
    return math.sqrt(abs(1.0 if coupling is None else coupling))


def _scales_of_potential(file: WorldFile, samples: Samples) -> Scales:
    given = file.start.fields
    speeds = [
        np.abs(evaluate(formula, samples.points)).max(initial=0.0)
        for name, formula in given.items()
        if name.startswith("velocity_")
    ]
    sound = options_of(file).sound_speed or 1.0
    return Scales(float(max(speeds, default=0.0)), sound, "method.sound_speed")


def _density_of_start(file: WorldFile, samples: Samples) -> Found:
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


def _rate(file: WorldFile) -> float:
    """Cell steps a second on one core."""
    module = options_of(file).module
    return RATES[equations_of(file)] if module is None else module.description.cell_steps


def _subject(file: WorldFile) -> str:
    """The equations as the subject of a sentence."""
    name = equations_of(file)
    return SUBJECTS.get(name, f"the equations {name} have")


def _module_speed(file: WorldFile, samples: Samples) -> float:
    """The largest speed of signals at the start, as the equations of a module say; NaN if they refuse it."""
    given = file.start.fields
    names = [name for name, _ in columns_of(file)["fields"]]
    zero = np.zeros(len(samples.points))
    values = [evaluate(given[name], samples.points) if name in given else zero for name in names]
    rows = np.ascontiguousarray([np.broadcast_to(row, zero.shape) for row in values], np.float64)
    options = _options_of_module(options_of(file))
    return _core.equation_speed(equations_of(file), file.dimensions, options, coarsest_spacing(file), rows)


def _module_start(file: WorldFile, samples: Samples) -> Found:
    if math.isnan(_module_speed(file, samples)):
        yield (
            ("start", "fields"),
            f"start.fields: the equations {equations_of(file)} do not allow these values everywhere (margin "
            "or speed of the model); must be valid numbers at each place of the domain.",
        )


def _names_of_module(file: WorldFile) -> Found:
    """Quantities of a module with names that pictures of other equations show in another unit."""
    if options_of(file).module is None:
        return
    for name, unit in columns_of(file)["quantities"]:
        taken = Amr.pictures.get(name)
        if taken is not None and taken.unit != unit:
            yield (
                ("method", "equations"),
                f'method.equations = "{equations_of(file)}": its {name} [{unit}] has the name of the '
                f"{taken.label} [{taken.unit}] of other equations. Rename it in the module and rebuild.",
            )


def _parameters(file: WorldFile) -> Found:
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


def _cells(file: WorldFile) -> Found:
    """The domain is a whole number of cells, and of enough of them."""
    spacing = file.domain.spacing
    for axis, length in enumerate(file.domain.size):
        count = length / spacing
        if abs(count - round(count)) > 1e-6 * count:
            fit = length / math.ceil(count)
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


def _levels(file: WorldFile, samples: Samples) -> Found:
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
    multiple = options.unit * 2 ** (options.levels - 1)
    for axis, count in enumerate(cells_along(file)):
        if count % multiple:
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
    at_rest, elsewhere = (np.ravel(_condition(formula, given)) for given in (places, places | fields))
    values = np.concatenate([at_rest, elsewhere[~np.isnan(elsewhere)]])
    odd = values[(values != 0) & (values != 1)]
    if np.isnan(odd).any():
        yield path, f"{start} is not a number everywhere at the start; {hint}"
    elif len(odd):
        yield path, f"{start} gives {rounded(float(odd[0]))}; {hint}"


def _memory(file: WorldFile) -> Found:
    """The cells fit into the memory of this machine: of level 0, and of finer ones where a condition on
    places chooses them. Others are checked when they are chosen."""
    options, free, each = options_of(file), available_memory(), _bytes_per_cell(file)
    by_level = cells_of_levels(file)
    is_fixed = options.levels == 1 or _is_fixed(file)
    cells = sum(by_level) if is_fixed else by_level[0]
    limit = math.inf if free is None else max(float(free), 1e6)
    if cells * each <= limit and cells <= MOST:
        return
    coarser = max(cells * each / limit, cells / MOST) ** (1 / file.dimensions)
    room = f"{rounded(limit / 1e9, 3)} GB of memory are free"
    if cells > MOST:
        room = f"{rounded(MOST, 1)} is the most"
    refined = ", with the levels that method.refine chooses," if options.levels > 1 and is_fixed else ""
    yield (
        ("domain", "spacing"),
        f"domain.spacing = {number(file.domain.spacing)}{refined} makes {rounded(cells, 2)} cells, "
        f"{rounded(cells * each / 1e9, 3)} GB; {room}. Try "
        f"{above(coarser * file.domain.spacing)}, or a smaller domain.",
    )


def _gas_start(file: WorldFile, samples: Samples) -> Found:
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


def _foreign_options(file: WorldFile) -> Found:
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
        "reconstruction": (*GASES, EULER_POISSON, BURGERS),
    }
    for key, of in owners.items():
        value = getattr(options_of(file), key)
        if key == "reconstruction" and options_of(file).module is not None:
            continue
        if key in ("residual", "cycles") and "solver" in columns_of(file):
            continue
        if value is not None and name not in of:
            text = f'"{value}"' if isinstance(value, str) else f"{value:g}"
            yield (
                ("method", key),
                f"method.{key} = {text}; is an option of the equations {listed(of, 'and')}, and this world "
                f"uses {name}. Remove it.",
            )


def _refusals(file: WorldFile) -> Found:
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


def _gas_refusals(file: WorldFile) -> Found:
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


def _bodies(file: WorldFile) -> Found:
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


def _notes_on_bodies(file: WorldFile) -> Iterator[str]:
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


def _sides(file: WorldFile) -> Found:
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


def _observers(file: WorldFile) -> Found:
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
