"""Moving particle semi-implicit: incompressible liquids with a free surface; the pressure is implicit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool

from eddyline import _core
from eddyline.world import checks
from eddyline.world.build import fluid_world
from eddyline.world.costs import PARTICLES_A_THREAD
from eddyline.world.estimate import Estimate, Plan
from eddyline.world.openings import faces
from eddyline.world.outline import outline
from eddyline.world.problems import Found, dotted, number, rounded
from eddyline.world.samples import Samples
from eddyline.world.scales import Scales, find_scales
from eddyline.world.schema import WorldFile
from eddyline.world.shapes import Table
from eddyline.world.solver import (
    FLOW_COMMANDS,
    Pictured,
    Rows,
    SolverOptions,
    Speeds,
    StepLimit,
    pictured,
    pictures_of,
    plain_outline,
)
from eddyline.world.values import Count, NotNegative, Number, Positive
from eddyline.world.world import World


class MpsOptions(SolverOptions):
    """Moving particle semi-implicit, for liquids."""

    name: Literal["mps"]
    weights: Literal["wendland", "standard", "hs", "hl", "ecs"] = Field(
        default="wendland",
        description="Radial functions. wendland: the only set for general use. The others have the operators "
        "that they were published with, for teaching: standard (Koshizuka & Oka 1996), hs and hl (Khayyer & "
        "Gotoh 2009, 2010), ecs (2011).",
    )
    pressure_solver: Literal["multigrid", "diagonal"] = Field(
        default="multigrid",
        description="Preconditioner of the conjugate gradients that solve the pressure equation; diagonal is "
        "the reference.",
    )
    tolerance: Annotated[Positive, Field(ge=1e-12, le=0.5)] = Field(
        default=0.03, description="Residual of the pressure equation, relative to its right side."
    )
    max_iterations: Annotated[Count, Field(ge=1, le=1_000_000)] = Field(
        default=500, description="Iterations after which a solve has failed and the run ends."
    )
    cfl: Annotated[Positive, Field(ge=1e-3, le=2)] = Field(
        default=0.8, description="dt <= cfl spacing / highest speed. 0.4: calmer pressures after impacts."
    )
    shifting: StrictBool = Field(default=True, description="Whether particles are shifted to keep them even.")
    artificial_viscosity: Annotated[NotNegative, Field(le=10)] = Field(
        default=0.01, description="Added viscosity between particles, in units of spacing sqrt(g H)."
    )
    density_correction: Annotated[Number, Field(ge=-1, le=1)] = Field(
        default=-1,
        description="Share of the error of the number density that a step corrects; -1: 0.1 with a free "
        "surface, else 0.05.",
    )


class Mps:
    """See `eddyline.world.solver.Solver`."""

    name = "mps"
    title = "Moving particle semi-implicit"
    not_steered = ""
    steered = FLOW_COMMANDS
    has_sound = False
    options: type[SolverOptions] = MpsOptions
    tables: Mapping[str, type[Table]] = {}
    members = "particles"
    has_surfaces = True
    pictures: Mapping[str, Pictured] = {
        name: shown
        for name, shown in pictures_of(plain_outline("mps", 2), plain_outline("mps", 3)).items()
        if name != "density"  # it is constant
    }

    def has_fluid(self, method: Mapping[str, Any]) -> bool:
        return True

    def snapshot_fields(self, file: WorldFile) -> Mapping[str, str]:
        return {}

    def start_fields(self, file: WorldFile) -> Mapping[str, str]:
        return {}

    def pictured(self, file: WorldFile) -> tuple[str, ...]:
        return pictured(self.pictures, outline(file))

    def kept(self, file: WorldFile) -> tuple[str, ...]:
        return ("velocity_x", "velocity_y", "pressure") if file.dimensions == 2 else ("speed", "pressure")

    def refusals(self, file: WorldFile) -> Found:
        return _refusals(file)

    def problems(self, file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
        return checks.particle_problems(file, samples, names)

    def scales(self, file: WorldFile, samples: Samples) -> Scales:
        # Without sound; a world in which nothing moves runs, too.
        return find_scales(file, samples) or Scales(0.0, 0.0, "nothing moves")

    def step_limits(self, file: WorldFile, speeds: Speeds) -> Iterator[StepLimit]:
        return _step_limits(file, speeds)

    def step_problems(self, file: WorldFile, scales: Scales) -> Found:
        steps = file.time.end / _time_step(file, scales)
        if not steps <= MOST_STEPS:
            yield (
                ("time", "end"),
                f"time.end = {number(file.time.end)} s takes about {rounded(steps, 2)} time steps; must be "
                f"at most {rounded(MOST_STEPS)}. Reduce time.end.",
            )

    def warnings(self, world: World) -> Iterator[str]:
        yield from checks.warnings(world.file, world.let)
        weights = options_of(world.file).weights
        if weights != "wendland":
            yield f'method.weights = "{weights}" is for teaching: violent flows may end early.'

    def notes(self, world: World, samples: Samples) -> Iterator[str]:
        return checks.notes(world.file, samples)

    def build(self, file: WorldFile, scales: Scales) -> _core.World:
        world = fluid_world(file, replace(scales, max_speed=0.0, sound_speed=1.0))  # no background pressure
        world.method.artificial_viscosity = 0.0  # that of sph
        return world

    def outline(self, file: WorldFile) -> _core.World:
        return outline(file)

    def estimate(self, world: World) -> Estimate:
        core = _core.estimate(world.core)
        fluid, walls = core.fluid_particles, core.wall_particles
        return Estimate(
            counts={"fluid_particles": fluid, "wall_particles": walls},
            memory_bytes=fluid * BYTES_PER_PARTICLE[world.dimensions] + walls * BYTES_PER_WALL,
            time_step=_time_step(world.file, world.scales),
            step_seconds=(fluid + WALL_WEIGHT * walls) / RATES[world.dimensions],
            threads=max(1, fluid // PARTICLES_A_THREAD),
            snapshot_bytes=fluid * 73 + walls * 36,
        )

    def describe(self, world: World, found: Plan) -> Rows:
        options = options_of(world.file)
        yield "scheme", f"semi-implicit, weights {options.weights}"
        yield (
            "pressure",
            f"conjugate gradients with {options.pressure_solver}, residual {rounded(options.tolerance)}",
        )
        step = rounded(found.estimate.time_step)
        yield "time step", f"about {step} s, limited by the highest speed or the pressure"

    def remarks(self, world: World, found: Plan) -> Iterator[str]:
        return iter(())


SOLVER = Mps()

RATES = {2: 1.2e6, 3: 4.0e5}
"""Particle steps a second on one core."""
WALL_WEIGHT = 0.1
BYTES_PER_PARTICLE = {2: 1500, 3: 3500}
BYTES_PER_WALL = 500
MOST_STEPS = 1e13
"""Largest number of time steps of a run, as for other solvers."""


def options_of(file: WorldFile) -> MpsOptions:
    assert isinstance(file.method, MpsOptions)
    return file.method


def _time_step(file: WorldFile, scales: Scales) -> float:
    """Step at the expected speed."""
    limits = [each.seconds for each in _forced_steps(file)]
    if scales.max_speed > 0:
        limits.append(_step_at(scales.max_speed, file))
    return min(limits, default=file.domain.spacing)


def _step_limits(file: WorldFile, speeds: Speeds) -> Iterator[StepLimit]:
    yield from _forced_steps(file)
    for speed, reason in speeds.values():
        if speed > 0:
            cause = f"the fluid may reach {rounded(speed)} m/s: {reason}"
            yield StepLimit(_step_at(speed, file), cause, 0.5 if "sqrt(" in reason else 1.0)


def _step_at(speed: float, file: WorldFile) -> float:
    return options_of(file).cfl * file.domain.spacing / speed


def _forced_steps(file: WorldFile) -> Iterator[StepLimit]:
    """Limits by gravity and viscosity."""
    spacing, nu = file.domain.spacing, file.fluid.nu
    gravity = math.hypot(*(file.domain.gravity or (0.0,)))
    if gravity > 0:
        yield StepLimit(0.5 * math.sqrt(spacing / gravity), f"gravity {rounded(gravity)} m/s^2", 0.5)
    if nu > 0:
        yield StepLimit(0.125 * spacing**2 / nu, f"viscosity {rounded(nu)} m^2/s")


def _refusals(file: WorldFile) -> Found:
    """Parts of a world that the solver does not have."""
    what = "the solver mps has"
    if file.is_gas:
        yield ("fluid", "state"), f'fluid.state = "ideal_gas"; {what} liquids only. Remove fluid.state.'
    for face in faces(file):
        if face.is_stream:
            yield (
                face.path,
                f'{dotted(face.path)}.type = "stream"; {what} inflow and outflow only. Write "inflow", '
                '"outflow" or a slip wall, or use sph.',
            )
