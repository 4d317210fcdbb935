"""Flow on body-fitted blocks of cells, incompressible or of an ideal gas: steady or in time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, StrictBool

from eddyline import _core, modules
from eddyline.solvers import carried_scalars, multigrid
from eddyline.solvers.carried_scalars import ScalarOptions
from eddyline.world import checks
from eddyline.world.build import fluid_world
from eddyline.world.checks.openings import opening_problems
from eddyline.world.estimate import Estimate, Plan
from eddyline.world.mesh_table import MeshTable
from eddyline.world.meshes import describe_mesh, make, mesh_notes, mesh_problems
from eddyline.world.openings import faces
from eddyline.world.outline import outline
from eddyline.world.parameters import SteeredParameter
from eddyline.world.problems import Found, dotted, number, rounded
from eddyline.world.samples import Samples, face, speed
from eddyline.world.scales import Scales, find_scales
from eddyline.world.schema import SIDES, Front, Gauge, Open, Stream, Wall, WorldFile
from eddyline.world.shapes import Circle, Table
from eddyline.world.solver import (
    Pictured,
    Rows,
    SolverOptions,
    Speeds,
    StepLimit,
    pictured,
    pictures_of,
    plain_outline,
)
from eddyline.world.values import Count, FieldVector, NotNegative, Number, Positive
from eddyline.world.world import World

if TYPE_CHECKING:
    from eddyline.mesh import Mesh


class MultiblockOptions(ScalarOptions):
    """Flow on body-fitted blocks of cells, which [mesh] describes: finite volumes of second order, multigrid;
    in time, backward differences of second order. Liquids without a free surface, by artificial
    compressibility, which may carry the scalars of a module, and ideal gases; bodies at rest, or circles
    that turn."""

    name: Literal["multiblock"]

    @property
    def time_unit(self) -> str:
        return "cycles" if self.steady and self.time_step == 1 else "s"

    steady: StrictBool = Field(
        default=False,
        description="True: seek a steady flow. A step is then one cycle of multigrid; time only counts them: "
        "with time_step = 1 it is their number.",
    )
    tolerance: Annotated[Number, Field(ge=1e-14, le=1)] = Field(
        default=1e-6, description="Steady: the residual, over the largest one, at which cycles end."
    )
    time_step: Positive | None = Field(
        default=None, description="Time step [s]; default courant domain.spacing / speed."
    )
    courant: Positive = Field(
        default=1.0, description="Sets the time step: the spacings that the fastest flow covers in one."
    )
    coarse_start: Annotated[Count, Field(ge=0, le=10000)] = Field(
        default=0,
        description="Steady: cycles on each coarser level of multigrid before those on the mesh itself.",
    )
    inner_cycles: Annotated[Count, Field(ge=1, le=10000)] = Field(
        default=20, description="Largest number of cycles of multigrid in a time step."
    )
    inner_tolerance: Annotated[Number, Field(ge=1e-14, le=1)] = Field(
        default=1e-3, description="Drop of the residual that ends a time step."
    )
    cfl: Annotated[Number, Field(ge=0.01, le=10)] | None = Field(
        default=None,
        description="CFL number of the local steps of the cycles; default 3; for a gas 4, in 3D 2.5.",
    )
    compressibility: Annotated[Number, Field(ge=0.1, le=1000)] = Field(
        default=2.0, description="Artificial compressibility beta over the square of the speed."
    )
    dissipation: Annotated[Number, Field(ge=0, le=1)] = Field(
        default=1 / 64, description="Coefficient of the dissipation by third differences."
    )
    dissipation_kind: Literal["scalar", "matrix"] = Field(
        default="scalar",
        description="Dissipation by the largest signal speed, or by the matrix of all.",
    )
    shock_dissipation: Annotated[Number, Field(ge=0, le=10)] = Field(
        default=0.5, description="Coefficient of the dissipation by first differences at shocks; a gas only."
    )
    sweeps: Annotated[Count, Field(ge=0, le=10)] | None = Field(
        default=None,
        description="Sweeps of smoothing of residuals, which flat cells need with several levels, and "
        "which allow larger steps; default 0; for a gas 2.",
    )
    viscous: Literal["full", "thin_layer"] = Field(
        default="full", description="Friction: with all gradients, or those across the faces of cells only."
    )
    cycle: Literal["W", "V"] = Field(default="W", description="Cycle of multigrid.")
    levels: Annotated[Count, Field(ge=0, le=20)] = Field(
        default=0, description="Levels of multigrid; 0: as many as the mesh allows, for a gas at most 4."
    )
    reference_speed: NotNegative = Field(
        default=0.0,
        description="Speed of the flow [m/s]; 0: the largest at the start and on the boundaries. For a gas "
        "that of the pressure coefficient only.",
    )


class Multiblock:
    """See `eddyline.world.solver.Solver`."""

    name = "multiblock"
    title = "Body-fitted blocks of cells"
    not_steered = (
        "the solver multiblock can change inflows, gravity, viscosity, parameters of scalars and probes "
        "while it runs, and nothing else."
    )
    steered = ("inflow", "gravity", "viscosity", "parameter")
    has_sound = True
    options: type[SolverOptions] = MultiblockOptions
    tables: Mapping[str, type[Table]] = {"mesh": MeshTable}
    members = "cells"
    has_surfaces = False
    pictures: Mapping[str, Pictured] = pictures_of(
        *(plain_outline("multiblock", dimensions, "ideal_gas", "spalart_allmaras") for dimensions in (2, 3))
    )

    def has_fluid(self, method: Mapping[str, Any]) -> bool:
        return True

    def has_other_pictures(self, method: Mapping[str, Any]) -> bool:
        """True if pictures of a world with these options may show quantities that `pictures` lacks."""
        return method.get("scalars") is not None

    def code(self, file: WorldFile) -> Mapping[str, str]:
        """The version of the module of the scalars, see `World.code`."""
        module = options_of(file).module
        return {} if module is None else {modules.PREFIX + module.description.name: module.version}

    def parameters(
        self, file: WorldFile, document: Mapping[str, Any], let: Mapping[str, float]
    ) -> Iterator[SteeredParameter]:
        """Parameters of the module of the scalars, see `steered_parameters`."""
        return carried_scalars.parameters_of(options_of(file))

    def snapshot_fields(self, file: WorldFile) -> Mapping[str, str]:
        units = {name: unit for name, unit, *_ in _core.quantities(self.outline(file))}
        velocity = [f"velocity_{axis}" for axis in "xyz"[: file.dimensions]]
        names = (*velocity, "pressure", "density", *_names(file))
        return {name: units[name] for name in names if name in units}

    def start_fields(self, file: WorldFile) -> Mapping[str, str]:
        found = carried_scalars.scalars_of(options_of(file), file.dimensions)
        return {each.name: f"[{each.unit}]" for each in found}

    def pictured(self, file: WorldFile) -> tuple[str, ...]:
        return (*pictured(self.pictures, outline(file)), *_names(file))

    def kept(self, file: WorldFile) -> tuple[str, ...]:
        flow = ("velocity_x", "velocity_y", "pressure") if file.dimensions == 2 else ("speed", "pressure")
        return (*flow, *_names(file))

    def refusals(self, file: WorldFile) -> Found:
        yield from _refusals(file)
        yield from carried_scalars.refusals(file, options_of(file))

    def problems(self, file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
        yield from checks.boundary_problems(file)
        if file.is_gas:
            yield from checks.gas_problems(file)
        yield from opening_problems(file, samples)
        yield from checks.common_problems(file, samples, names)
        wrong = list(mesh_problems(file))
        yield from wrong
        if wrong:
            return
        if not (file.is_gas or options_of(file).reference_speed > 0 or _moves_at_start(file, samples)):
            yield (
                ("method", "reference_speed"),
                "method.reference_speed is missing, and nothing moves at the start. Add the speed that you "
                "expect [m/s].",
            )
        try:
            core_mesh(make(file)).check()
        except _core.UserError as error:
            yield ("mesh",), str(error)

    def scales(self, file: WorldFile, samples: Samples) -> Scales:
        found = find_scales(file, samples)
        if found is not None:
            return found
        speed = options_of(file).reference_speed
        return Scales(speed, speed, "method.reference_speed")

    def step_limits(self, file: WorldFile, speeds: Speeds) -> Iterator[StepLimit]:
        return iter(())

    def step_problems(self, file: WorldFile, scales: Scales) -> Found:
        if not (file.is_gas or scales.max_speed > 0):
            yield (
                ("method", "reference_speed"),
                "method.reference_speed is missing, and nothing sets the fluid in motion. Add the speed that "
                "you expect [m/s].",
            )
            return
        steps = file.time.end / _time_step(file, scales)
        if not steps <= MOST_STEPS:
            yield (
                ("time", "end"),
                f"time.end = {number(file.time.end)} s takes about {rounded(steps, 2)} time steps; must be "
                f"at most {rounded(MOST_STEPS)}. Reduce time.end.",
            )

    def warnings(self, world: World) -> Iterator[str]:
        return carried_scalars.stale(options_of(world.file))

    def notes(self, world: World, samples: Samples) -> Iterator[str]:
        yield from mesh_notes(world.file)

    def build(self, file: WorldFile, scales: Scales) -> _core.World:
        world = fluid_world(file, replace(scales, max_speed=0.0))  # pressures have no background
        world.mesh = core_mesh(make(file))
        options = options_of(file)
        world.options = world.options | carried_scalars.core_options(options)
        world.fields = world.fields | carried_scalars.core_values(options)
        return world

    def outline(self, file: WorldFile) -> _core.World:
        return outline(file, carried_scalars.core_options(options_of(file)))

    def estimate(self, world: World) -> Estimate:
        cells = make(world.file).cells
        scalars = len(_names(world.file))
        of_scalars = carried_scalars.bytes_per_cell(scalars, world.dimensions)
        cycles = 1 if options_of(world.file).steady else CYCLES_A_STEP
        return Estimate(
            counts={"cells": cells},
            memory_bytes=cells * (BYTES_PER_CELL[world.dimensions] + of_scalars),
            time_step=_time_step(world.file, world.scales),
            step_seconds=cycles * cycle_of(world).seconds(scheme_of(world.file), cells),
            threads=max(1, cells // CELLS_A_THREAD),
            snapshot_bytes=cells * (BYTES_OF_SNAPSHOT[world.dimensions] + 8 * scalars),
        )

    def describe(self, world: World, found: Plan) -> Rows:
        options = options_of(world.file)
        yield from describe_mesh(world.file)
        if options.steady:
            yield "time", f"steady: cycles until the residual has dropped by {rounded(1 / options.tolerance)}"
        else:
            step = rounded(found.estimate.time_step)
            yield "time step", f"{step} s, up to {options.inner_cycles} cycles of multigrid each"
        yield from carried_scalars.describe(world.file, options)

    def remarks(self, world: World, found: Plan) -> Iterator[str]:
        return iter(())


SOLVER = Multiblock()

CYCLES_A_STEP = 6
"""Cycles of multigrid that a time step takes on average."""
BYTES_PER_CELL = {2: 500, 3: 800}
BYTES_OF_SNAPSHOT = {2: 3 * 8 + 24 + 6 * 8, 3: 4 * 8 + 24 + 10 * 8}
"""Bytes of a cell: its fields, its node, and what names its corners."""
CELLS_A_THREAD = 2000
"""Pictures of a gas only."""
MOST_STEPS = 1e13
"""Largest number of time steps of a run, as for other solvers."""


def options_of(file: WorldFile) -> MultiblockOptions:
    assert isinstance(file.method, MultiblockOptions)
    return file.method


def _names(file: WorldFile) -> tuple[str, ...]:
    """The scalars of a world."""
    return tuple(each.name for each in carried_scalars.scalars_of(options_of(file), file.dimensions))


def scheme_of(file: WorldFile) -> multigrid.Scheme:
    """The properties of a world that the cost of its cycles depends on."""
    options = options_of(file)
    return multigrid.Scheme(
        dimensions=file.dimensions,
        is_gas=file.is_gas,
        has_friction=file.fluid.nu > 0,
        has_gradients=options.viscous == "full" and file.fluid.nu > 0,
        sweeps=(2 if file.is_gas else 0) if options.sweeps is None else options.sweeps,
        is_w_cycle=options.cycle == "W",
    )


def cycle_of(world: World) -> multigrid.Cycle:
    """The cycles of this world, over as many levels as a run has."""
    assert world.core.mesh is not None
    levels, _ = world.core.mesh.divide(1, options_of(world.file).levels, world.file.is_gas)
    return multigrid.cycle_of(scheme_of(world.file), levels, world.core.mesh.cells)


def core_mesh(mesh: Mesh) -> _core.Mesh:
    """The mesh of the core."""
    core = _core.Mesh(mesh.dimensions)
    for block in mesh.blocks:
        core.add_block(block.name, np.ascontiguousarray(block.nodes))
    for link in mesh.links:
        patch = link.patch
        core.add_link(
            patch.block, patch.axis, patch.end, patch.low, patch.high,
            link.giver, link.axes, link.signs, link.offset, link.shift,
        )  # fmt: skip
    for boundary in mesh.boundaries:
        patch = boundary.patch
        core.add_boundary(patch.block, patch.axis, patch.end, patch.low, patch.high, boundary.name)
    return core


def _time_step(file: WorldFile, scales: Scales) -> float:
    options = options_of(file)
    if options.time_step is not None:
        return options.time_step
    if file.is_gas:
        return options.courant * file.domain.spacing / (scales.max_speed + scales.sound_speed)
    return options.courant * file.domain.spacing / (options.reference_speed or scales.max_speed or math.inf)


def _moves_at_start(file: WorldFile, samples: Samples) -> bool:
    """True if the fluid, a side or a body has a speed at t = 0, which then is the speed of the flow."""
    if any(body.motion is not None for body in file.bodies.values()):
        return True
    fields: list[tuple[FieldVector, NDArray[np.float64]]] = []
    if file.start.velocity is not None:
        fields.append((file.start.velocity, samples.points))
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        side = file.boundaries.side(name)
        if isinstance(side, Stream):
            return True
        if isinstance(side, Wall) and side.velocity is not None:
            fields.append((side.velocity, face(file, index)))
    for opening in faces(file):
        if opening.is_inflow:
            fields.append((opening.velocity(file.dimensions), opening.points(file.dimensions)))
    return any(float(speed(velocity, points, 0.0).max(initial=0.0)) > 0 for velocity, points in fields)


def _refusals(file: WorldFile) -> Found:
    """Parts of a world that flow on blocks does not have."""
    what = "the solver multiblock has"
    for name in () if file.is_gas else file.regions:
        yield ("regions", name), f"{dotted(('regions', name))}: {what} no free surface. Remove it."
    for name in SIDES[: 2 * file.dimensions]:
        if isinstance(file.boundaries.side(name), Open):
            yield (
                ("boundaries", name, "type"),
                f'boundaries.{name}.type = "open"; {what} no free surface. Write "outflow".',
            )
    for opening in faces(file):
        if opening.side is None:
            yield (
                opening.path,
                f"{dotted(opening.path)}: {what} openings in sides of the domain only. Remove it.",
            )
    for key in sorted(file.start.model_fields_set & {"arrangement", "jitter", "settle"}):
        yield ("start", key), f"start.{key}: {what} no particles. Remove it."
    for name, body in file.bodies.items():
        if body.motion is None:
            continue
        turns = body.motion.displacement is None and body.motion.pivot is None and isinstance(body, Circle)
        if not turns:
            yield (
                ("bodies", name, "motion"),
                f"bodies.{name}.motion: {what} a mesh that does not move, so that only circles may move, and "
                "turn about their centres. Remove it.",
            )
    for name, observer in file.observe.items():
        if isinstance(observer, Gauge | Front):
            yield (
                ("observe", name, "type"),
                f'observe.{name}.type = "{observer.type}"; {what} no free surface. Remove this observer.',
            )
