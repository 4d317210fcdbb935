"""Checks of inflows and outflows: [openings], and sides where fluid enters or leaves."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from .. import scales
from ..openings import Face, faces, side_of
from ..problems import Found, Path, dotted, rounded, shown
from ..samples import Samples, corners, evaluate, shown_place, speed, times
from ..schema import SIDES, Open, OpeningTable, Wall, WorldFile
from ..shapes import vec3
from ..sph_options import SphOptions
from ..streams import stream_problems

FASTEST_INFLOW = 0.3
"""Largest ratio of inflow speed to speed of sound; above it the density would vary by more than 10 %."""
LARGEST_PRESSURE = 0.1
"""Largest pressure at an opening over rho0 c0^2; above it the fluid would be compressed by more than 10 %."""
NARROWEST = 4
"""Smallest resolved width of an opening, in spacings."""


def opening_problems(file: WorldFile, samples: Samples) -> Found:
    """As (path, text of the line)."""
    found = faces(file)
    if found and isinstance(file.method, SphOptions) and file.is_gas:
        text = (
            'fluid.state = "ideal_gas"; must be "liquid" for inflow and outflow of particles. Use a liquid, '
            'periodic sides with domain.body_force, or method.name = "multiblock".'
        )
        yield ("fluid", "state"), text
    broken = list(_patches(file, found))
    yield from broken
    names = {path[1] for path, _ in broken}
    sound = [face for face in found if face.name not in names]
    yield from _ways_out(file, found)
    yield from stream_problems(file, sound)
    yield from _corners(file, sound)
    yield from _pairs(file, sound)
    for face in sound:
        yield from _bodies(file, face)
    found_scales = scales.find_scales(file, samples)
    for face in sound:
        yield from _velocity(file, face, found_scales)
        yield from _pressure(file, face, found_scales)


def _patches(file: WorldFile, found: list[Face]) -> Found:
    """[openings]: flat, in the domain, on a wall or in front of a body."""
    made = {face.name: face for face in found}
    for name, table in file.openings.items():
        shape = list(_shape_of_patch(file, name, table))
        if shape:
            yield from shape
            continue
        axis = next(k for k in range(file.dimensions) if vec3(table.min)[k] == vec3(table.max)[k])
        side = side_of(file, axis, vec3(table.min)[axis])
        if side is not None:
            yield from _patch_on_side(file, name, table, SIDES[side])
        else:
            yield from _patch_inside(file, name, axis, made)


def _shape_of_patch(file: WorldFile, name: str, table: OpeningTable) -> Found:
    """The first thing that is wrong with the corners of a patch, or with its name."""
    origin, end = corners(file)
    path: Path = ("openings", name)
    low, high = vec3(table.min), vec3(table.max)
    flat = [axis for axis in range(file.dimensions) if low[axis] == high[axis]]
    slack = 1e-9 * max(file.domain.size)
    if name in SIDES:
        yield path, f"openings.{name}: is the name of a side. Choose another name."
        return
    if any(low[k] > high[k] for k in range(3)):
        yield (*path, "max"), f"openings.{name}.max = {shown(table.max)}; must not be below min."
        return
    if len(flat) != 1:
        yield (
            (*path, "max"),
            f"openings.{name}.max = {shown(table.max)}; must equal min in exactly one coordinate, that "
            "across the opening.",
        )
        return
    if any(low[k] < origin[k] - slack or high[k] > end[k] + slack for k in range(file.dimensions)):
        yield (
            path,
            f"openings.{name} extends beyond the domain, from {shown_place(origin, file)} to "
            f"{shown_place(end, file)} m. Move it.",
        )
        return
    width = min(high[k] - low[k] for k in range(file.dimensions) if k not in flat) / file.domain.spacing
    if width < NARROWEST * (1 - 1e-9):
        yield (
            path,
            f"openings.{name} is {rounded(width, 2)} spacings wide; must be at least {NARROWEST}. "
            "Widen it, or reduce domain.spacing.",
        )


def _patch_on_side(file: WorldFile, name: str, table: OpeningTable, side: str) -> Found:
    kind = file.boundaries.side(side)
    if not isinstance(kind, Wall):
        yield (
            ("openings", name),
            f"openings.{name} lies on the side {side}, which is {kind.type}; must be a wall. Write "
            f'boundaries.{side} = {{ type = "wall" }}.',
        )
    elif table.facing is not None:
        yield (
            ("openings", name, "facing"),
            f'openings.{name}.facing = "{table.facing}"; must be absent on the side {side}, where an opening '
            "faces the domain. Remove facing.",
        )


def _patch_inside(file: WorldFile, name: str, axis: int, made: Mapping[str, Face]) -> Found:
    """A patch inside the domain faces the fluid, and lies on a body."""
    path: Path = ("openings", name)
    facing = file.openings[name].facing
    if facing is None or SIDES.index(facing) // 2 != axis:
        sides = f'"{SIDES[2 * axis]}" or "{SIDES[2 * axis + 1]}"'
        given = " is missing" if facing is None else f' = "{facing}"'
        yield (
            (*path, "facing") if facing is not None else path,
            f"openings.{name}.facing{given}; inside the domain an opening faces {sides}. "
            f'Write facing = "{SIDES[2 * axis + 1]}" if the fluid lies there.',
        )
        return
    behind = made[name].points(file.dimensions, file.lengths.interaction_radius, 40)
    depths = [body.core_shape.signed_distance(behind) for body in file.bodies.values()]
    covered = np.min(depths, axis=0) < 0 if depths else np.zeros(len(behind), bool)
    if not covered.all():
        open_place = shown_place(behind[int(np.argmin(covered))], file)
        yield (
            path,
            f"openings.{name} has no body behind it at {open_place} m, as an opening requires. Put "
            "it on the surface of a body, or reverse facing.",
        )


def _ways_out(file: WorldFile, found: list[Face]) -> Found:
    """A box that is full and closed has no room for more."""
    dimensions = 2 * file.dimensions
    open_side = any(isinstance(file.boundaries.side(name), Open) for name in SIDES[:dimensions])
    inflows = [face for face in found if face.is_inflow and not face.is_stream]
    if inflows and len(inflows) == len(found) and not file.regions and not open_side:
        path = inflows[0].path
        yield (
            path,
            f"{dotted(path)} is an inflow, but fluid fills the domain and has no outflow. Add an "
            "outflow, e.g. "
            'right = { type = "outflow" }.',
        )


def _corners(file: WorldFile, found: list[Face]) -> Found:
    """Buffers of sides that meet would leave the corner between them empty, where none is a stream."""
    on_sides = [face for face in found if face.path[0] == "boundaries"]
    for one, other in combinations(on_sides, 2):
        if one.axis != other.axis and not (one.is_stream or other.is_stream):
            yield (
                other.path,
                f"{dotted(other.path)} and {one.name} are openings that meet in a corner; a wall or "
                f'periodic side must be between them. Write {other.name} = {{ type = "wall", slip = true }}.',
            )


def _pairs(file: WorldFile, found: list[Face]) -> Found:
    """Openings must be outside each other's buffers and beyond the reach of their buffers."""
    length = file.lengths.buffer_length
    for one, other in combinations(found, 2):
        if one.path[0] == other.path[0] == "boundaries" and one.axis != other.axis:
            continue  # reported elsewhere
        gap = 0.0
        for k in range(file.dimensions):
            gap = max(gap, one.low[k] - other.high[k], other.low[k] - one.high[k])
        opposite = one.axis == other.axis and one.inward != other.inward
        least = 2 * length if opposite else file.lengths.interaction_radius
        if one.axis == other.axis and one.inward == other.inward and one.low[one.axis] == other.low[one.axis]:
            least = 0.0  # side by side: they may touch
            if gap > 0 or not _overlap(one, other, file):
                continue
        if gap < least * (1 - 1e-9) or least == 0:
            yield (
                other.path,
                f"{dotted(other.path)} is {rounded(gap)} m from {dotted(one.path)}; two openings must be "
                f"{'apart' if least == 0 else f'at least {rounded(least)} m apart'}. Move one, or reduce "
                "domain.spacing.",
            )


def _overlap(one: Face, other: Face, file: WorldFile) -> bool:
    across = [k for k in range(file.dimensions) if k != one.axis]
    return all(one.low[k] < other.high[k] and other.low[k] < one.high[k] for k in across)


def _bodies(file: WorldFile, face: Face) -> Found:
    """Nothing solid in an opening or its buffer."""
    spacing = file.domain.spacing
    # In front of an opening inside the domain; on a side also beyond it.
    depths = (
        [-spacing]
        if face.side is None
        else [-spacing, 0.0, 0.5 * file.lengths.buffer_length, file.lengths.buffer_length]
    )
    for name, body in file.bodies.items():
        for depth in depths:
            points = face.points(file.dimensions, depth)
            distance = body.core_shape.signed_distance(points)
            if distance.min() < 0:
                place = shown_place(points[int(np.argmin(distance))], file)
                yield (
                    ("bodies", name),
                    f"bodies.{name} stands across the {face.kind} {face.name} at {place} m. Move it into the "
                    "domain.",
                )
                break


def _velocity(file: WorldFile, face: Face, found: scales.Scales | None) -> Found:
    """Checks that an inflow velocity points into the flow everywhere and always, well below the speed of
    sound."""
    if not face.is_inflow:
        return
    points = face.points(file.dimensions)
    velocity = face.velocity(file.dimensions)
    key = dotted((*face.path, "velocity"))
    fastest, when = 0.0, 0.0
    for time in times(velocity, file.time.end):
        along = face.inward * evaluate(velocity[face.axis], points, time)
        highest = speed(velocity, points, time)
        if not (np.isfinite(along).all() and np.isfinite(highest).all()):
            return  # said where all fields are checked
        if along.min() < 0 and not face.is_stream:
            where = shown_place(points[int(np.argmin(along))], file)
            yield (
                (*face.path, "velocity"),
                f"{key} flows out at {rounded(float(-along.min()))} m/s at {where} m, t = {rounded(time)} "
                "s; the velocity of an inflow must point into the domain or be 0. Change its sign, or "
                "write max(0, ...).",
            )
            return
        if highest.max() > fastest:
            fastest, when = float(highest.max()), float(time)
    if found is not None and not file.is_gas and fastest >= FASTEST_INFLOW * found.sound_speed:
        yield (
            (*face.path, "velocity"),
            f"{key} reaches {rounded(fastest)} m/s at t = {rounded(when)} s, "
            f"{rounded(fastest / found.sound_speed, 2)} of the speed of sound "
            f"{rounded(found.sound_speed)} m/s; must be below {FASTEST_INFLOW}. {_faster(file, fastest)}",
        )


def _faster(file: WorldFile, highest: float) -> str:
    """Advice for a flow of this speed [m/s]."""
    if file.fluid.sound_speed is not None:
        return f"Write fluid.sound_speed = {rounded(scales.SOUND_RATIO * highest)}."
    return f"Write fluid.max_speed = {rounded(highest)}."


def _pressure(file: WorldFile, face: Face, found: scales.Scales | None) -> Found:
    """No pressure that would compress the fluid or tear it."""
    if face.table.pressure is None or found is None or file.is_gas:
        return
    points = face.points(file.dimensions)
    unit = file.fluid.density * found.sound_speed**2
    key = dotted((*face.path, "pressure"))
    for time in times([face.table.pressure], file.time.end):
        pressure = evaluate(face.table.pressure, points, time)
        if not np.isfinite(pressure).all():
            return
        lowest = -file.fluid.density * found.max_speed**2
        if not face.is_inflow and pressure.min() < lowest:
            yield (
                (*face.path, "pressure"),
                f"{key} falls to {rounded(float(pressure.min()), 4)} Pa at t = {rounded(time)} s; must be "
                f"above -density max_speed^2 = {rounded(lowest)} Pa, as strong suction tears the fluid. "
                "Increase it, or increase the pressure everywhere.",
            )
            return
        if pressure.max() > LARGEST_PRESSURE * unit:
            yield (
                (*face.path, "pressure"),
                f"{key} reaches {rounded(float(pressure.max()), 4)} Pa at t = {rounded(time)} s and would "
                f"compress the fluid by more than {LARGEST_PRESSURE:.0%}. Increase fluid.max_speed.",
            )
            return
