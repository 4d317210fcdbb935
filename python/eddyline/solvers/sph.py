"""Smoothed particle hydrodynamics, weakly compressible: the solver that a world gets that names none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eddyline import _core
from eddyline.world import checks, extents, sense, terms
from eddyline.world.build import build
from eddyline.world.costs import OF_PAIR_MODULE, OF_PAIR_TERMS, PARTICLES_A_THREAD, RATES, WALL_WEIGHT
from eddyline.world.estimate import Estimate, Plan
from eddyline.world.openings import faces
from eddyline.world.outline import outline
from eddyline.world.parameters import SteeredParameter
from eddyline.world.problems import Found, Path, dotted, listed, rounded
from eddyline.world.samples import Samples, corners
from eddyline.world.scales import Scales, find_scales
from eddyline.world.schema import SIDES, Outflow, Patch, Probe, Wall, WorldFile
from eddyline.world.shapes import Table, vec3
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
from eddyline.world.sph_options import SphOptions
from eddyline.world.streams import stream_notes
from eddyline.world.world import World

_FLUID_BYTES = 73  # of a snapshot for each fluid particle: id, position, velocity, density, pressure, surface
_WALL_BYTES = 36  # position, body, pressure
_ONE_SIDED = 0.42  # of h: how far off a wall the mean over fluid on one side is, Wendland C2 in 2D and 3D


@dataclass(frozen=True)
class SphEstimate(Estimate):
    """core: with the lengths of the method."""

    core: _core.Estimate


class Sph:
    """See `eddyline.world.solver.Solver`."""

    name = "sph"
    title = "Smoothed particle hydrodynamics"
    not_steered = ""
    steered = FLOW_COMMANDS
    has_sound = True
    options: type[SolverOptions] = SphOptions
    tables: Mapping[str, type[Table]] = {}
    members = "particles"
    has_surfaces = True
    pictures: Mapping[str, Pictured] = pictures_of(plain_outline("sph", 2), plain_outline("sph", 3)) | {
        "density": Pictured("rho/rho0 - 1", "1", diverging=True)  # of a liquid
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
        density = ("density",) if file.is_gas else ()  # of a liquid it follows from the pressure
        flat = ("velocity_x", "velocity_y", "pressure")
        return (*(flat if file.dimensions == 2 else ("speed", "pressure")), *density)

    def refusals(self, file: WorldFile) -> Found:
        return ()

    def problems(self, file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
        return checks.particle_problems(file, samples, names)

    def scales(self, file: WorldFile, samples: Samples) -> Scales | tuple[Path, str]:
        scales = find_scales(file, samples)
        if scales is not None:
            return scales
        if file.is_gas:
            return ("start",), "start: the gas has no pressure and no velocity. Add start.pressure [Pa]."
        return ("fluid",), (
            "fluid.max_speed is missing and cannot be estimated, as nothing sets the fluid in motion. Add "
            "max_speed = 1.0, the highest expected speed [m/s]."
        )

    def step_limits(self, file: WorldFile, speeds: Speeds) -> Iterator[StepLimit]:
        return iter(())

    def step_problems(self, file: WorldFile, scales: Scales) -> Found:
        yield from terms.problems(file, scales.sound_speed, scales.max_speed)
        yield from extents.step_problems(file, scales)

    def warnings(self, world: World) -> Iterator[str]:
        yield from checks.warnings(world.file, world.let)
        yield from _numerical_viscosity(world)
        yield from terms.warnings(world)

    def notes(self, world: World, samples: Samples) -> Iterator[str]:
        yield from _open_ends(world)
        yield from checks.notes(world.file, samples)
        yield from sense.notes(world.file, samples, world.scales)

    def build(self, file: WorldFile, scales: Scales) -> _core.World:
        return build(file, scales)

    def code(self, file: WorldFile) -> Mapping[str, str]:
        """Versions of the modules of terms, see `World.code`."""
        return terms.code(file.terms)

    def parameters(
        self, file: WorldFile, document: Mapping[str, Any], let: Mapping[str, float]
    ) -> Iterator[SteeredParameter]:
        """The values of terms that commands can change, see `steered_parameters`."""
        return terms.steered(file, document, let)

    def outline(self, file: WorldFile) -> _core.World:
        return outline(file)

    def estimate(self, world: World) -> SphEstimate:
        core = _core.estimate(world.core)
        fluid, walls = core.fluid_particles, core.wall_particles
        of_pairs = [each for each in world.file.terms if each.acts_on_pairs]
        with_terms = OF_PAIR_TERMS if any(each.library is None for each in of_pairs) else 0.0
        with_terms += OF_PAIR_MODULE * sum(each.library is not None for each in of_pairs)
        return SphEstimate(
            counts={"fluid_particles": fluid, "wall_particles": walls},
            memory_bytes=core.memory_bytes,
            time_step=core.time_step,
            step_seconds=(fluid + WALL_WEIGHT * walls) / RATES[world.dimensions] * (1 + with_terms),
            threads=fluid // PARTICLES_A_THREAD,
            snapshot_bytes=fluid * _FLUID_BYTES + walls * _WALL_BYTES,
            core=core,
        )

    def describe(self, world: World, found: Plan) -> Rows:
        assert isinstance(found.estimate, SphEstimate)
        yield from _numerics(world, found.estimate)
        yield from terms.describe(world)

    def remarks(self, world: World, found: Plan) -> Iterator[str]:
        assert isinstance(found.estimate, SphEstimate)
        core = found.estimate.core
        if world.scales.mach > 0.15 and not world.file.is_gas:
            yield (
                f"Mach {rounded(world.scales.mach, 2)}: density will vary by {world.scales.mach**2:.0%}; "
                "usual is below 0.1. Increase fluid.max_speed or fluid.sound_speed."
            )
        yield from _lost_fluid(world, core)
        yield from _sticking_gas(world)
        yield from _wall_probes(world, core)
        yield from stream_notes(world.file)


SOLVER = Sph()


def _numerical_viscosity(world: World) -> Iterator[str]:
    """Warning if particles feel more viscosity than the file sets, in a flow that may depend on it: waves and
    impacts hardly do."""
    nu, effective = world.file.fluid.nu, world.effective_viscosity
    if world.reference is None or world.has_free_surface or effective <= 1.02 * nu:
        return
    reynolds = world.reference.velocity * world.reference.length / effective
    asked = f" of {rounded(world.reynolds)}" if world.reynolds is not None else ""
    alpha = rounded(world.core.method.artificial_viscosity)
    yield (
        f"the effective viscosity is {rounded(effective, 3)} m^2/s (method.artificial_viscosity = "
        f"{alpha}) instead of {rounded(nu)}, so the Reynolds number is {rounded(reynolds, 3)} "
        f"instead{asked}. Reduce domain.spacing to lower it."
    )


def _open_ends(world: World) -> Iterator[str]:
    """Outflows that keep no level of the water."""
    gravity = world.file.domain.gravity or ()
    for face in faces(world.file) if world.has_free_surface else ():
        falls = any(g != 0 and high > low for g, low, high in zip(gravity, face.low, face.high, strict=False))
        if isinstance(face.table, Outflow) and face.table.pressure is None and falls:
            yield (
                f"{dotted(face.path)} has no pressure, so water leaves as over an edge. To keep a water "
                'level H, write pressure = "max(0, density*g*(H - y))", with numbers for density and g.'
            )


def _numerics(world: World, estimate: SphEstimate) -> Rows:
    core, scales, method = estimate.core, world.scales, world.core.method
    if method.scheme == "classic":
        yield "scheme", _classic(world)
    when = "at the start" if world.file.fluid.is_gas else "expected"
    yield "speed", f"at most {rounded(scales.max_speed)} m/s {when}, Mach {rounded(scales.mach, 2)}"
    yield "speed of sound", f"{rounded(scales.sound_speed)} m/s: {scales.reason}"
    h, nu = core.smoothing_length, world.file.fluid.nu
    reach, edge = rounded(core.interaction_radius), rounded(core.cell_edge)
    yield "smoothing", f"h = {rounded(h)} m, reach {reach} m, cells of {edge} m"
    acoustic = method.cfl * h / (scales.sound_speed + scales.max_speed)
    limit = "viscosity" if nu > 0 and method.viscous_cfl * h * h / nu < acoustic else "speed of sound"
    yield "time step", f"{rounded(estimate.time_step)} s at the start, limited by the {limit}"


def _classic(world: World) -> str:
    method = world.core.method
    parts = [
        f"alpha {rounded(method.artificial_viscosity)}",
        f"beta {rounded(method.artificial_viscosity_beta)}",
    ]
    if world.file.fluid.is_gas:
        parts.append(f"conductivity {rounded(method.artificial_conductivity)}")
    if method.xsph:
        parts.append(f"XSPH {rounded(method.xsph)}")
    return f"classic: {', '.join(parts)}"


def _sticking_gas(world: World) -> Iterator[str]:
    """Note on a gas without viscosity at no-slip walls, where artificial viscosity acts."""
    file = world.file
    if not file.fluid.is_gas or file.fluid.nu > 0 or world.core.method.artificial_viscosity == 0:
        return
    sides = [f"boundaries.{name}" for name in world.sides if _sticks(file.boundaries.side(name))]
    found = [*sides, *(f"bodies.{name}" for name, body in file.bodies.items() if not body.slip)]
    if found:
        yield (
            f"the gas has no viscosity, but artificial viscosity causes friction at {listed(found)}. For "
            "an inviscid gas set slip = true there."
        )


def _sticks(side: object) -> bool:
    return isinstance(side, Wall) and not side.slip


def _lost_fluid(world: World, estimate: _core.Estimate) -> Iterator[str]:
    """Note if the lengths of domain and fluid probably have different units."""
    fluid, walls = estimate.fluid_particles, estimate.wall_particles
    if fluid > 0 and walls > 20 * fluid:
        filled = fluid * world.file.domain.spacing**world.dimensions / math.prod(world.file.domain.size)
        yield (
            f"walls have {walls / fluid:,.0f} times as many particles as the fluid, which fills "
            f"{rounded(100 * filled, 2)} % of the domain. Check that all lengths are in m."
        )


def _wall_probes(world: World, estimate: _core.Estimate) -> Iterator[str]:
    """Note on probes at walls: with a free surface a probe averages over its surroundings, on a wall over one
    side only."""
    if not world.has_free_surface or world.core.method.scheme == "classic":
        return
    file, h = world.file, estimate.smoothing_length
    low, high = corners(file)
    names = []
    for name, observer in world.observers.items():
        if not isinstance(observer, Probe | Patch):
            continue
        place = np.array([vec3(observer.position)])
        gaps = [
            abs(place[0, axis] - (low, high)[end][axis])
            for axis in range(world.dimensions)
            for end in (0, 1)
            if isinstance(file.boundaries.side(SIDES[2 * axis + end]), Wall)
        ]
        gaps += [float(body.core_shape.signed_distance(place)[0]) for body in file.bodies.values()]
        if min(gaps, default=math.inf) < 0.5 * h:
            names.append(f"observe.{name}")
    if names:
        lie, they = ("lie", "they sample") if len(names) > 1 else ("lies", "it samples")
        yield (
            f"{listed(names)} {lie} on a wall: with a free surface {they} the fluid about "
            f"{rounded(_ONE_SIDED * h, 2)} m away; only the hydrostatic pressure is corrected to the wall."
        )
