"""Warnings about worlds that are probably not as intended: fluid that falls out, a start out of balance, a
run that is too short, lengths in another unit. Each is one line: finding, reason, remedy."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .checks import LONGEST_NAME
from .problems import listed, rounded
from .samples import Points, Samples, corners, evaluate, face, lattice, speed
from .scales import Scales
from .schema import SIDES, Open, Wall, WorldFile
from .shapes import ShapeTable

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_LINES = 400  # from points of a region, along gravity
_MOST_STEPS = 1500  # of a line
_HALVINGS = 20  # of a step, which finds where a line leaves the fluid
_TOUCHES = 1.5  # spacings between fluid and what carries it: particles lie half a spacing off both
_CLEAR = 4.0  # spacings: fluid that hangs less above other fluid should touch it, most likely
_LARGE, _COARSE, _TINY = 50.0, 1.0, 1e-6  # m: a domain, a spacing, a spacing that suggest another unit
_THIN = 4.0  # spacings below which a layer of fluid is not resolved
_SHARE = 0.1  # of the dynamic pressure: smaller variations of the start's pressure are ignored
_DIFFUSED = 0.05  # of L^2/nu, after which viscosity alone has shaped a flow


def notes(file: WorldFile, samples: Samples, scales: Scales) -> Iterator[str]:
    """Notes on a valid world. Most are for liquids, as the pressure of a gas determines its own speeds."""
    yield from _falling(file)
    if not file.is_gas:
        yield from _hydrostatic(file)
        yield from _short(file, scales)
        yield from _units(file, samples)
        yield from _unbalanced(file, samples, scales)
        yield from _thin(file)


# --- gravity ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Lines:
    """Straight lines from points of a body of fluid, one row each.

    left: (n, 3) where each leaves this fluid [m].  gap: (n,) from there to what it meets [m].
    meets: (n,) "fluid", the name of a body as "bodies.NAME", or that of a side.
    """

    left: Points
    gap: Floats
    meets: NDArray[np.str_]


def _bodies_of_fluid(file: WorldFile) -> Iterator[tuple[str, ShapeTable | None]]:
    """Regions by their names; without regions the fluid that fills the domain."""
    if not file.regions:
        yield "the fluid", None
    for name, region in file.regions.items():
        yield f"regions.{name}", region


def _lines(file: WorldFile, region: ShapeTable | None, direction: Floats) -> _Lines | None:
    """Lines from points of a region, or of the domain, along a unit vector; None if no fluid is there."""
    low, high = (np.array(corner) for corner in corners(file))
    first, last = low, high
    if region is not None:
        bounds = region.core_shape.bounds
        first, last = np.maximum(low, bounds[0]), np.minimum(high, bounds[1])
    starts = lattice(tuple(first), tuple(last), file.dimensions, _LINES)
    if not len(starts):
        return None
    starts = starts[_in_fluid(file, region, starts)]
    if not len(starts):
        return None
    longest = float(np.linalg.norm(high - low))
    step = max(0.5 * file.domain.spacing, longest / _MOST_STEPS)
    to_side, side = _to_sides(file, starts, direction)
    count = math.ceil(float(to_side.max()) / step) + 1
    distance = step * np.arange(count)
    places = starts[:, None, :] + distance[None, :, None] * direction
    flat = places.reshape(-1, 3)
    shape = (len(starts), count)
    outside = distance[None, :] >= to_side[:, None]
    own = _in_fluid(file, region, flat).reshape(shape) & ~outside
    left = np.argmin(own, axis=1)  # the last column is outside
    after = np.arange(count)[None, :] >= left[:, None]
    things = _things(file, region, flat).reshape(shape)
    stop = np.argmax((outside | (things != "")) & after, axis=1)
    rows = np.arange(len(starts))
    meets = np.where(outside[rows, stop], side, things[rows, stop])

    def is_own(points: Points) -> Mask:
        return _in_fluid(file, region, points)

    def is_free(points: Points) -> Mask:
        return np.asarray(_things(file, region, points) == "", dtype=np.bool_)

    leaves = np.minimum(_until(is_own, starts, direction, distance[left] - step, distance[left]), to_side)
    end = np.minimum(_until(is_free, starts, direction, distance[stop] - step, distance[stop]), to_side)
    return _Lines(starts + leaves[:, None] * direction, np.maximum(0.0, end - leaves), meets)


def _things(file: WorldFile, region: ShapeTable | None, points: Points) -> NDArray[np.str_]:
    """Content of points: "bodies.NAME", "fluid" of another region, or "" for nothing."""
    found = np.full(len(points), "", dtype=f"<U{LONGEST_NAME + len('bodies.')}")
    for other in file.regions.values():
        if other is not region:
            found[other.core_shape.signed_distance(points) <= 0] = "fluid"
    for name, body in file.bodies.items():
        found[body.core_shape.signed_distance(points) <= 0] = f"bodies.{name}"
    return found


def _until(
    holds: Callable[[Points], Mask], starts: Points, direction: Floats, low: Floats, high: Floats
) -> Floats:
    """(n,) distances along lines, between low and high [m], up to which a condition holds."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        kept = holds(starts + middle[:, None] * direction)
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    return high


def _in_fluid(file: WorldFile, region: ShapeTable | None, points: Points) -> Mask:
    kept = np.ones(len(points), dtype=np.bool_)
    if region is not None:
        kept &= region.core_shape.signed_distance(points) < 0
    for body in file.bodies.values():
        kept &= body.core_shape.signed_distance(points) > 0
    return kept


def _to_sides(file: WorldFile, starts: Points, direction: Floats) -> tuple[Floats, NDArray[np.str_]]:
    """Length of lines up to the domain's boundary [m], and the side where they leave."""
    low, high = corners(file)
    distance = np.full(len(starts), np.inf)
    side = np.full(len(starts), "", dtype=object)
    for axis in range(file.dimensions):
        along = float(direction[axis])
        if along == 0:
            continue
        end = high[axis] if along > 0 else low[axis]
        here = (end - starts[:, axis]) / along
        nearer = here < distance
        distance[nearer] = here[nearer]
        side[nearer] = SIDES[2 * axis + (along > 0)]
    return distance, side.astype(str)


def _down(file: WorldFile) -> Floats | None:
    """The unit vector of gravity; None without gravity."""
    vector = np.zeros(3)
    vector[: file.dimensions] = file.domain.gravity or 0.0
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else None


def _is_hydrostatic(file: WorldFile, region: ShapeTable | None) -> bool:
    pressure = getattr(region, "pressure", None) or file.start.pressure
    return pressure is not None and pressure.kind == "hydrostatic"


def _falling(file: WorldFile) -> Iterator[str]:
    """Notes on fluid without support. A part that falls onto other fluid from a clear height is assumed to be
    intended."""
    down = _down(file)
    if down is None or not file.has_free_surface:
        return
    found = [(name, region, _lines(file, region, down)) for name, region in _bodies_of_fluid(file)]
    near = _TOUCHES * file.domain.spacing
    some_rests = any(lines is not None and lines.gap.min() <= near for _, _, lines in found)
    for name, region, lines in found:
        if lines is None:
            continue
        side, share = _way_out(file, lines)
        if share > 0.5:
            part = f"{name} falls" if share > 0.995 else f"{100 * share:.0f} % of {name} fall"
            yield (
                f"{part} out of the domain: gravity points to the open side {side}, with nothing in "
                f"between. Make boundaries.{side} a wall, or change domain.gravity."
            )
        elif lines.gap.min() > near and (
            not some_rests or lines.gap.min() < _CLEAR * file.domain.spacing or _is_hydrostatic(file, region)
        ):
            yield from _hanging(file, name, region, lines)


def _way_out(file: WorldFile, lines: _Lines) -> tuple[str, float]:
    """The open side through which most lines leave, and their share; 0 if none does."""
    sides = [side for side in SIDES[: 2 * file.dimensions] if isinstance(file.boundaries.side(side), Open)]
    shares = {side: float(np.mean(lines.meets == side)) for side in sides}
    side = max(shares, key=lambda each: shares[each], default="")
    return side, shares.get(side, 0.0)


def _hanging(file: WorldFile, name: str, region: ShapeTable | None, lines: _Lines) -> Iterator[str]:
    walls = {side for side in SIDES[: 2 * file.dimensions] if isinstance(file.boundaries.side(side), Wall)}
    if not set(lines.meets) <= {"fluid", *(f"bodies.{body}" for body in file.bodies)} | walls:
        return  # some of it may leave the domain
    nearest = int(np.argmin(lines.gap))
    gap, met = float(lines.gap[nearest]), str(lines.meets[nearest])
    what = "other fluid" if met == "fluid" else f"the {met} side" if met in walls else met
    held = ""
    if _is_hydrostatic(file, region):
        held = " Hydrostatic pressure also requires support from below."
    fall = math.sqrt(2 * gap / float(np.linalg.norm(file.domain.gravity or ())))
    yield (
        f"{name} starts {rounded(gap, 2)} m above {what} without support and falls for about "
        f"{rounded(fall, 2)} s.{held} If it should rest, move it down by {rounded(gap, 2)} m."
    )


def _hydrostatic(file: WorldFile) -> Iterator[str]:
    """Notes on hydrostatic pressure, which is 0 at the highest point of a region: a lower free surface is not
    at 0."""
    down = _down(file)
    if down is None:
        return
    weight = file.fluid.density * float(np.linalg.norm(file.domain.gravity or ()))
    open_sides = [s for s in SIDES[: 2 * file.dimensions] if isinstance(file.boundaries.side(s), Open)]
    for name, region in _bodies_of_fluid(file):
        if not _is_hydrostatic(file, region):
            continue
        lines = _lines(file, region, -down)
        if lines is None:
            continue
        low, high = region.core_shape.bounds if region is not None else corners(file)
        heights = [sorted((-down[k] * low[k], -down[k] * high[k])) for k in range(3)]
        top, extent = sum(b for _, b in heights), sum(b - a for a, b in heights)
        depth = top + lines.left @ down
        near = max(2 * file.domain.spacing, 0.1 * extent)
        under = (lines.meets == "fluid") & (lines.gap <= _TOUCHES * file.domain.spacing)
        if np.mean(under) > 0.05:
            yield (
                f"other fluid rests on {name}, whose hydrostatic pressure does not include that weight, so "
                "it starts out of balance. Use one region, or write its pressure as a formula [Pa]."
            )
            continue
        free = ~under & ((lines.gap > _TOUCHES * file.domain.spacing) | np.isin(lines.meets, open_sides))
        if np.mean(free & (depth > near)) > 0.05:
            most = weight * float(depth[free].max())
            yield (
                f"the surface of {name} is not level, so its hydrostatic pressure reaches "
                f"{rounded(most, 2)} Pa there and accelerates it abruptly. Make the surface level, or "
                "write the pressure as a formula [Pa]."
            )


# --- scales -------------------------------------------------------------------------------------------------


def _short(file: WorldFile, scales: Scales) -> Iterator[str]:
    """Note on a run that ends before the fluid has moved by the length of the flow."""
    length, velocity, of = min(file.domain.size), scales.max_speed, "the shortest side of the domain"
    if file.reference is not None:
        length, velocity, of = file.reference.length, file.reference.velocity, "reference.length"
    needed, end = length / velocity, file.time.end
    if end >= needed * (1 - 1e-9) or file.fluid.nu * end > _DIFFUSED * length**2:
        return
    yield (
        f"the run is very short: it ends at {rounded(end)} s, but at {rounded(velocity, 3)} m/s fluid "
        f"needs {rounded(needed, 2)} s for {rounded(length)} m ({of}). Set time.end to several times that."
    )


def _units(file: WorldFile, samples: Samples) -> Iterator[str]:
    """Note on lengths that are probably in mm: water in a domain of hundreds of metres."""
    g = float(np.linalg.norm(file.domain.gravity or (0.0,)))
    fluid, domain = file.fluid, file.domain
    if not (500 <= fluid.density <= 2000 and (9 < g < 11 or 1e-7 <= fluid.nu <= 1e-5)):
        return
    largest = max(domain.size)
    found = [f"a domain of {' x '.join(rounded(side) for side in domain.size)} m"] * (largest > _LARGE)
    if domain.spacing > _COARSE or domain.spacing < _TINY:
        found.append(f"a spacing of {rounded(domain.spacing)} m")
    if not found:
        return
    text = f"{listed(found)} is unusual for water: all lengths are in m, not in mm."
    down = _down(file)
    if down is not None:
        height = float(np.abs(down) @ (np.array(samples.high) - np.array(samples.low)))
        fall = math.sqrt(height / g)
        if file.time.end < fall:
            text += (
                f" In the {rounded(file.time.end)} s of the run gravity hardly moves water that is "
                f"{rounded(height)} m high: sqrt(H/g) is {rounded(fall, 2)} s."
            )
    yield text + " If the lengths are in mm, divide them by 1000."


def _thin(file: WorldFile) -> Iterator[str]:
    low, high = corners(file)
    for name, region in file.regions.items():
        bounds = region.core_shape.bounds
        sides = [min(high[k], bounds[1][k]) - max(low[k], bounds[0][k]) for k in range(file.dimensions)]
        across = min(sides) / file.domain.spacing
        if 0 < across < _THIN * (1 - 1e-9):
            yield (
                f"regions.{name} is {rounded(across, 2)} spacings thick: a flow in a layer below "
                f"{_THIN:.0f} is not resolved. Set domain.spacing = {rounded(min(sides) / _THIN, 2)}."
            )


# --- the start ----------------------------------------------------------------------------------------------


def _unbalanced(file: WorldFile, samples: Samples, scales: Scales) -> Iterator[str]:
    """Notes on initial velocities without the pressure that they need: the imbalance radiates as sound."""
    velocity, points = file.start.velocity, samples.points
    sides = [file.boundaries.side(side) for side in SIDES[: 2 * file.dimensions]]
    flows_through = bool(file.openings) or any(side.type in ("inflow", "outflow", "stream") for side in sides)
    if velocity is None or not len(points) or flows_through:
        return
    fastest = float(speed(velocity, points).max())
    dynamic = file.fluid.density * fastest**2
    if fastest == 0:
        return
    varies = _pressure_range(file, points)
    side, normal = _into_walls(file, fastest)
    hammer = file.fluid.density * scales.sound_speed * normal
    if hammer > varies:
        yield (
            f"the fluid touches the {side} side and starts with {rounded(normal, 3)} m/s towards it: this "
            f"causes sound waves of up to {rounded(hammer, 2)} Pa. Start at a distance, or with velocity "
            "along the wall."
        )
        return
    if varies >= _SHARE * dynamic:
        return
    extent = min(samples.high[k] - samples.low[k] for k in range(file.dimensions))
    if _bending(file, points) * extent**2 > fastest**2:
        yield (
            f"start.velocity reaches {rounded(fastest, 3)} m/s on curved paths, but start.pressure lacks "
            f"the variation of about {rounded(0.5 * dynamic, 2)} Pa that they need; this causes sound "
            "waves. Write start.pressure as a formula [Pa]."
        )


def _pressure_range(file: WorldFile, points: Points) -> float:
    """Range of the pressure at the start [Pa]."""
    pressure = np.zeros(len(points))
    rest = np.ones(len(points), dtype=np.bool_)
    tables = [(region, region.core_shape.signed_distance(points) < 0) for region in file.regions.values()]
    down = _down(file)
    for table, inside in [*tables, (None, np.ones(len(points), dtype=np.bool_))]:
        given = getattr(table, "pressure", None) or file.start.pressure
        here = inside & rest
        rest &= ~inside
        if given is None or not here.any():
            continue
        if given.kind == "formula":
            pressure[here] = evaluate(given.formula, points[here])
        elif down is not None:
            weight = file.fluid.density * float(np.linalg.norm(file.domain.gravity or ()))
            pressure[here] = weight * (points[here] @ down)
            pressure[here] -= pressure[here].min()
    return float(np.ptp(pressure))


def _into_walls(file: WorldFile, fastest: float) -> tuple[str, float]:
    """A side with the mean velocity [m/s] at which fluid that touches it starts towards it, if much does;
    else 0."""
    velocity = file.start.velocity or ()
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        if not isinstance(file.boundaries.side(name), Wall):
            continue
        axis, sign = index // 2, 1 if index % 2 else -1
        points = face(file, index)
        points[:, axis] -= sign * 0.5 * file.domain.spacing
        wet = np.full(len(points), not file.regions)
        for region in file.regions.values():
            wet |= region.core_shape.signed_distance(points) < 0
        for body in file.bodies.values():
            wet &= body.core_shape.signed_distance(points) > 0
        if not wet.any():
            continue
        normal = sign * evaluate(velocity[axis], points[wet])
        if np.mean(normal > 0.3 * fastest) > 0.2:
            return name, float(normal[normal > 0.3 * fastest].mean())
    return "", 0.0


def _bending(file: WorldFile, points: Points) -> float:
    """RMS of sum du_i/dx_j du_j/dx_i [1/s^2], which a pressure must balance: 0 in parallel flow."""
    velocity, dimensions = file.start.velocity or (), file.dimensions
    step = 0.5 * file.domain.spacing
    gradient = np.zeros((dimensions, dimensions, len(points)))
    for j in range(dimensions):
        ahead, behind = points.copy(), points.copy()
        ahead[:, j] += step
        behind[:, j] -= step
        for i in range(dimensions):
            gradient[i, j] = (evaluate(velocity[i], ahead) - evaluate(velocity[i], behind)) / (2 * step)
    source = np.einsum("ijn,jin->n", gradient, gradient)
    source = source[np.isfinite(source)]
    return float(np.sqrt(np.mean(source**2))) if len(source) else 0.0
