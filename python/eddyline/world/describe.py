"""Description of a run: the text of `eddyline check`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..cores import own_cores
from .channels import is_closed
from .costs import cost_of
from .cuts import cut_of
from .estimate import Plan
from .filling import time_when_full
from .isosurfaces import isosurface_text, isosurfaces_of, plan_surfaces
from .motions import top_speed
from .openings import faces
from .problems import listed, rounded
from .samples import corners
from .scales import gamma_of
from .schema import SIDES, Gauge, Isosurface, Open, Wall

if TYPE_CHECKING:
    from .world import World

_PICTURE_BYTES = 14  # of a frame in two dimensions, for each fluid particle or cell, about
_LARGE_PICTURE = 8_000_000  # at most: no raster has more than so many pixels along a side
_VIEW_BYTES = 450_000  # of a frame in three, about
_ROW_BYTES = 110  # of a series
_DAY, _YEAR = 86_400, 365  # s, days
_TOO_LONG = _YEAR * _DAY  # of a run [s]


def plan(world: World, cores: int | None = None) -> Plan:
    """Counts members and steps without running. cores: default all that this process may use."""
    estimate = world.solver.estimate(world)
    if cores is None:
        cores = len(own_cores())
    steps = math.ceil((world.end + world.core.start.settle) / estimate.time_step)
    cores = max(1, min(cores, estimate.threads))
    output = world.output
    walls = sum(isinstance(world.file.boundaries.side(name), Wall) for name in world.sides)
    series = 1 + len(world.file.bodies) + walls + len(world.observers) - len(isosurfaces_of(world.file))
    picture = min(_PICTURE_BYTES * estimate.members, _LARGE_PICTURE)
    if world.dimensions == 3:
        picture = _VIEW_BYTES
    disk = output.snapshots * estimate.snapshot_bytes + output.pictures * picture
    disk += series * output.series * _ROW_BYTES
    surfaces = plan_surfaces(world, estimate.members, steps)
    disk += math.ceil(surfaces.bytes)
    cost = cost_of(
        world.dimensions, steps, estimate.step_seconds, estimate.members, pictures=output.pictures,
        snapshots=output.snapshots, snapshot_bytes=estimate.snapshot_bytes, cores=cores,
        surfaces=surfaces.seconds / cores,
    )  # fmt: skip
    return Plan(estimate, steps, cost, cores, disk)


def describe(world: World, cores: int | None = None) -> str:
    """The lines of `eddyline check`: the world, its resources, and notes for the user."""
    found = plan(world, cores)
    rows = [*_flow(world, found), *world.solver.describe(world, found), *_needs(world, found)]
    width = max(len(name) for name, _ in rows)
    lines = [f"{world.title}  ({world.place or world.name}, {world.dimensions}D)", ""]
    lines += [f"  {name:<{width}}  {text}" for name, text in rows]
    remarks = [*world.notes, *_remarks(world, found)]
    if remarks:
        lines += ["", *(f"  note: {text}" for text in remarks)]
    return "\n".join(lines)


def _flow(world: World, found: Plan) -> Iterator[tuple[str, str]]:
    file = world.file
    spacing = file.domain.spacing
    size = " x ".join(rounded(length) for length in file.domain.size)
    has_mesh = "mesh" in world.solver.tables  # which has its own lines
    unit = "cells" if world.solver.members == "cells" else "spacings"
    across = _in_spacings(file.domain.size, spacing, unit)
    yield "domain", f"{size} m" + ("" if has_mesh else f", {across} of {rounded(spacing)} m")
    yield "sides", ", ".join(_side(world, name) for name in world.sides)
    if file.given_fluid is not None:
        yield from _fluid(world)
    for name, body in file.bodies.items():
        low, high = body.core_shape.bounds
        sides = [high[k] - low[k] for k in range(world.dimensions)]
        text = f"{' x '.join(map(rounded, sides))} m" + (
            "" if has_mesh else f", {_in_spacings(sides, spacing, unit)}"
        )
        if body.motion is not None:
            text += f", moves at up to {rounded(top_speed(body, file))} m/s"
        yield f"body {name}", text + (", slip" if body.slip else "") + friction_told(body.friction)
    for face in faces(file):
        if face.path[0] == "openings":
            along = [k for k in range(world.dimensions) if k != face.axis]
            ends = [_place(end[: world.dimensions]) for end in (face.low, face.high)]
            text = f"{face.kind} from {ends[0]} to {ends[1]} m"
            if not has_mesh:
                text += ", " + _in_spacings([face.high[k] - face.low[k] for k in along], spacing, unit)
            yield f"opening {face.name}", text
    for name, observer in world.observers.items():
        if isinstance(observer, Isosurface):
            yield f"observe {name}", isosurface_text(world, observer, found.estimate.members, found.steps)
            continue
        marks = [f" {'at' if key == 'position' else key} {_place(at)}" for key, at in observer.marks.items()]
        unit = " m" if marks else ""
        yield f"observe {name}", observer.type.replace("_", " ") + "".join(marks) + unit


def _fluid(world: World) -> Iterator[tuple[str, str]]:
    file = world.file
    density, nu = rounded(file.fluid.density), rounded(file.fluid.nu)
    gas = f"ideal gas, gamma {rounded(gamma_of(file))}, " if file.is_gas else ""
    felt = world.effective_viscosity
    more = f", effective {rounded(felt, 3)} m^2/s" if felt > 1.02 * file.fluid.nu else ""
    yield "fluid", f"{gas}density {density} kg/m^3, kinematic viscosity {nu} m^2/s{more}"
    if world.reference is None:
        yield "Reynolds", "unknown, as the world has no [reference]"
    elif world.reynolds is not None:
        velocity, length = rounded(world.reference.velocity), rounded(world.reference.length)
        yield "Reynolds", f"{rounded(world.reynolds)} with {velocity} m/s and {length} m"
    if world.effective_flow:
        yield "effective", world.effective_flow


def friction_told(law: float | str | None) -> str:
    return "" if law is None else f", friction {rounded(law) if isinstance(law, int | float) else law}"


def _in_spacings(sides: Sequence[float], spacing: float, unit: str) -> str:
    counts = (side / spacing for side in sides)
    return " x ".join(f"{n:,.0f}" if n >= 1000 else rounded(n) for n in counts) + f" {unit}"


def _side(world: World, name: str) -> str:
    side = world.file.boundaries.side(name)
    extra = ""
    if isinstance(side, Wall):
        extra = " (slip)" if side.slip else " (moving)" if side.velocity is not None else ""
        extra += f" ({friction_told(side.friction).removeprefix(', ')})" if side.friction is not None else ""
    return f"{name} {side.type}{extra}"


def _place(position: tuple[float, ...]) -> str:
    return "(" + ", ".join(rounded(value) for value in position) + ")"


def _needs(world: World, found: Plan) -> Iterator[tuple[str, str]]:
    estimate, output = found.estimate, world.output
    settle = world.core.start.settle
    before = f" and {rounded(settle)} s of settling before" if settle > 0 else ""
    yield "steps", f"about {found.steps:,} to {rounded(world.end)} s{before}"
    yield world.solver.members, _counted(estimate.counts)
    yield "memory", size_text(estimate.memory_bytes)
    cut = cut_of(world.file)
    plane = f" in the plane {cut}" if cut else ""
    kept = f"{output.pictures} pictures of {output.quantity}{plane}, {output.snapshots} snapshots"
    yield "output", f"{kept}, {output.series} rows per series; about {size_text(found.disk_bytes)}"
    cores = "1 core" if found.cores == 1 else f"{found.cores} cores"
    made = found.cost.film + found.cost.start
    kind = "film and report" if found.cost.film > 0 else "charts and report"
    yield "run time", f"about {_duration(found.seconds)} on {cores}, {_duration(made)} of it for {kind}"


def _counted(counts: Mapping[str, int]) -> str:
    """`9,000 fluid, 500 walls and bodies`, or the number alone of a single set."""
    words = {"fluid_particles": " fluid", "wall_particles": " walls and bodies"}
    return ", ".join(f"{count:,}{words.get(name, '')}" for name, count in counts.items())


def _remarks(world: World, found: Plan) -> Iterator[str]:
    expected = world.expectations
    if expected:
        sources = list(dict.fromkeys(expect.source for expect in expected if expect.source))
        yield f"{len(expected)} expected value{'s' if len(expected) > 1 else ''}" + (
            f" from {listed(sources)}." if sources else "."
        )
    skipped = len(world.file.expect) - len(expected)
    if skipped:
        yield (
            f"{skipped} expected value{'s' if skipped > 1 else ''} skipped, as the condition `when` is not "
            "true."
        )
    if world.output.picture_interval and world.output.picture_interval < found.estimate.time_step:
        yield "output.pictures exceeds the number of steps; there will be one picture per step."
    if found.seconds > _TOO_LONG:
        yield (
            f"the run takes about {_duration(found.seconds)}. Increase domain.spacing, or end it earlier "
            "with time.end."
        )
    yield from _bodies_beyond(world)
    yield from world.solver.remarks(world, found)
    yield from _overfilled(world)
    if is_closed(world.file):
        yield "bodies block all paths from inflow to outflow, so the pressure will rise. Open the channel."
    if not world.has_free_surface and any(isinstance(item, Gauge) for item in world.observers.values()):
        yield (
            "a gauge measures a free surface, but this world has none, as fluid fills the domain. Remove "
            "the gauge."
        )


def _bodies_beyond(world: World) -> Iterator[str]:
    origin, end = corners(world.file)
    slack = 1e-9 * max(world.file.domain.size)
    for name, body in world.file.bodies.items():
        low, high = body.core_shape.bounds
        beyond = [
            SIDES[2 * k + upper]
            for k in range(world.dimensions)
            for upper, by in enumerate((origin[k] - low[k], high[k] - end[k]))
            if by > slack and not isinstance(world.file.boundaries.side(SIDES[2 * k + upper]), Open)
        ]
        if beyond:
            sides = f"{listed(beyond)} side{'s' if len(beyond) > 1 else ''}"
            yield f"bodies.{name} reaches beyond the {sides}: no fluid acts on the part outside."


def _overfilled(world: World) -> Iterator[str]:
    full = time_when_full(world.file)
    if full is not None and full < world.end:
        yield (
            f"the inflow fills the domain by about t = {rounded(full, 2)} s, and the run will stop there. "
            "Add an outflow or an open side, or reduce time.end."
        )


def size_text(count: float) -> str:
    """A number of bytes, as `1.2 GB`."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{rounded(count / size, 3)} {unit}"
    return f"{count:.0f} bytes"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    if seconds < 172_800:
        return f"{seconds / 3600:.1f} h"
    days = seconds / _DAY
    if days < 2 * _YEAR:
        return f"{days:.1f} days" if days < 10 else f"{days:.0f} days"
    return f"{rounded(days / _YEAR, 2)} years"
