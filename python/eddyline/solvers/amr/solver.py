"""The solver amr as the package sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from eddyline import _core, modules
from eddyline.solvers.amr.cells import (
    CELLS_A_THREAD,
    COST_OF_BODIES,
    MOST_STEPS,
    bytes_per_cell,
    cell_rate,
    cells_of_levels,
    described_levels,
    module_speed,
    scales_of_potential,
    speeds_of_start,
    time_step_of,
)
from eddyline.solvers.amr.checks import (
    check_bodies,
    check_cells,
    check_density_of_start,
    check_formulas,
    check_gas_start,
    check_levels,
    check_memory,
    check_module_start,
    check_names_of_module,
    check_parameters,
    notes_on_bodies,
)
from eddyline.solvers.amr.options import (
    BURGERS,
    EULER,
    EULER_POISSON,
    GASES,
    GRAVITY,
    NAVIER_STOKES,
    PICTURES,
    WAVE,
    WAVES,
    AmrOptions,
    column_options,
    columns_of,
    equations_of,
    is_module,
    module_options,
    options_of,
)
from eddyline.solvers.amr.refusals import (
    check_foreign_options,
    check_observers,
    check_sides,
    gas_refusals_of,
    refusals_of,
)
from eddyline.world import checks
from eddyline.world.build import fluid_world, plain_world
from eddyline.world.estimate import Estimate, Plan
from eddyline.world.memory import available_memory
from eddyline.world.outline import Options, outline
from eddyline.world.parameters import SteeredParameter
from eddyline.world.problems import Found, Path, listed, number, rounded
from eddyline.world.quantities import series_columns
from eddyline.world.samples import Samples
from eddyline.world.scales import Scales, find_scales
from eddyline.world.schema import (
    SIDES,
    Wall,
    WorldFile,
)
from eddyline.world.shapes import Table
from eddyline.world.solver import (
    Pictured,
    Rows,
    SolverOptions,
    Speeds,
    StepLimit,
    pictures_of,
)
from eddyline.world.world import World


class Amr:
    """See `eddyline.world.solver.Solver`."""

    name = "amr"
    title = "Cartesian cells in patches"
    not_steered = (
        "the solver amr can change parameters of a module and probes while it runs, and nothing else. "
        "Stop the run, edit the world and run it again."
    )
    steered = ("parameter",)
    has_sound = True
    options: type[SolverOptions] = AmrOptions
    tables: Mapping[str, type[Table]] = {}
    members = "cells"
    has_surfaces = False
    pictures: Mapping[str, Pictured] = PICTURES

    def has_fluid(self, method: Mapping[str, Any]) -> bool:
        return method.get("equations") in GASES

    def has_other_pictures(self, method: Mapping[str, Any]) -> bool:
        """True if pictures of a world with these options may show quantities that `pictures` lacks."""
        return is_module(str(method.get("equations")))

    def code(self, file: WorldFile) -> Mapping[str, str]:
        """The version of the module of the equations, see `World.code`."""
        module = options_of(file).module
        return {} if module is None else {modules.PREFIX + module.description.name: module.version}

    def parameters(
        self, file: WorldFile, document: Mapping[str, Any], let: Mapping[str, float]
    ) -> Iterator[SteeredParameter]:
        """Parameters of the module of the equations, see `steered_parameters`."""
        options = options_of(file)
        known = {} if options.module is None else options.module.description.parameters
        for key, about in known.items():
            value = options.parameters.get(key, about.default)
            path = ("method", "parameters", key)
            yield SteeredParameter(key, path, value, about.unit, about.description)

    def snapshot_fields(self, file: WorldFile) -> Mapping[str, str]:
        return dict(columns_of(file)["quantities"])

    def start_fields(self, file: WorldFile) -> Mapping[str, str]:
        return {name: f"[{unit}]" for name, unit in columns_of(file)["start"]}

    def pictured(self, file: WorldFile) -> tuple[str, ...]:
        columns_of(file)  # makes those of a module known
        return tuple(pictures_of(self.outline(file)))

    def kept(self, file: WorldFile) -> tuple[str, ...]:
        shown = self.pictured(file)
        if file.dimensions == 2 and "velocity_x" in shown:  # speed and vorticity follow from it
            return tuple(name for name in shown if name not in ("speed", "vorticity"))
        return tuple(name for name in shown if not name.startswith("velocity_"))

    def refusals(self, file: WorldFile) -> Found:
        yield from check_foreign_options(file)
        yield from check_parameters(file)
        yield from check_names_of_module(file)
        yield from gas_refusals_of(file) if equations_of(file) in GASES else refusals_of(file)
        yield from check_sides(file)
        yield from check_observers(file)

    def problems(self, file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
        yield from check_cells(file)
        yield from check_formulas(file, samples)
        yield from check_levels(file, samples)
        yield from check_memory(file)
        yield from checks.boundary_problems(file)
        yield from checks.body_problems(file)
        if equations_of(file) in GASES:
            yield from check_gas_start(file, samples)
            yield from check_bodies(file)
        if equations_of(file) == EULER_POISSON:
            yield from check_density_of_start(file, samples)
        if options_of(file).module is not None:
            yield from check_module_start(file, samples)
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
            speed = module_speed(file, samples)
            return Scales(speed, speed, f"the equations {name} at the start")
        if name == EULER_POISSON:
            return scales_of_potential(file, samples)
        return speeds_of_start(file, samples)

    def step_limits(self, file: WorldFile, speeds: Speeds) -> Iterator[StepLimit]:
        return iter(())

    def step_problems(self, file: WorldFile, scales: Scales) -> Found:
        steps = file.time.end / time_step_of(file, scales)
        if not steps <= MOST_STEPS:
            yield (
                ("time", "end"),
                f"time.end = {number(file.time.end)} s takes about {rounded(steps, 2)} time steps; must be "
                f"at most {rounded(MOST_STEPS)}. Reduce time.end.",
            )

    def warnings(self, world: World) -> Iterator[str]:
        names = [name for name, _ in columns_of(world.file)["start"]]
        if equations_of(world.file) == EULER_POISSON or options_of(world.file).source is not None:
            names = []  # what rests at the start will move
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
        yield from notes_on_bodies(world.file)
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
        of_module = module_options(options_of(file))
        world.options = world.options | of_module | {"equations": equations_of(file)}
        return world

    def outline(self, file: WorldFile) -> _core.World:
        options = options_of(file)
        own: Options = {"equations": equations_of(file), "levels": options.levels}
        return outline(file, column_options(file) | own)

    def estimate(self, world: World) -> Estimate:
        file = world.file
        by_level = cells_of_levels(file)
        cells = sum(by_level)
        updates = sum(count * 2**level for level, count in enumerate(by_level))
        known = columns_of(file)
        return Estimate(
            counts={"cells": cells},
            memory_bytes=cells * bytes_per_cell(file),
            time_step=time_step_of(file, world.scales),
            step_seconds=updates / cell_rate(file) * (COST_OF_BODIES if file.bodies else 1),
            threads=max(1, cells // CELLS_A_THREAD),
            snapshot_bytes=cells * 8 * len(known["quantities"]),
        )

    def describe(self, world: World, found: Plan) -> Rows:
        options, name = options_of(world.file), equations_of(world.file)
        if options.levels > 1:
            yield "levels", described_levels(world.file)
        patches = f"patches of up to {options.patch} cells along an edge"
        if name == WAVE:
            more = [key for key in ("potential", "source") if getattr(options, key) is not None]
            with_more = f", with a {listed(more, 'and a')}" if more else ""
            yield "equations", f"wave equation, speed {rounded(options.wave_speed or 1.0)} m/s{with_more}"
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
            has_means = any(column.startswith("total_") for column in series_columns(world.file)["budget"])
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


def _neither(names: list[str]) -> str:
    return f"neither {' nor '.join(names)}" if len(names) > 1 else f"no {names[0]}"


SOLVER = Amr()


TITLES = {
    EULER_POISSON: "an isothermal gas with its own potential",
    EULER: "Euler equations of an ideal gas",
    NAVIER_STOKES: "Navier-Stokes equations of an ideal gas",
    BURGERS: "Burgers' equation",
}
