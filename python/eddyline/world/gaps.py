"""Gaps between bodies, and between bodies and walls, that are too narrow for the particles in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .problems import below, rounded
from .samples import corners, lattice
from .schema import SIDES, Wall, WorldFile
from .shapes import Body, Cylinder

NARROW = 4.0
"""Smallest resolved gap between two solids, in spacings: narrower gaps are all boundary layer."""
SHUT = 3.0
"""Spacings below which water does not fill a gap: of the lift of a block in still water above a floor 6 %
came through 1 spacing, 63 % through 1.5, 90 % through 2, and all from 3 on."""
_TOLERANCE = 0.02  # of outlines, in spacings
_MOST_POINTS = 100_000  # of the outline of a body
_TOUCHING = 0.01  # largest distance of solids in contact, in spacings
_PLACES = 4000  # points at which the distance of two bodies is evaluated in each refinement
_CLOSE = 0.02  # final accuracy of the position, relative to the reach
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gap:
    """A narrow gap. between: names of bodies and sides. width: [m]. spacings: width in spacings. ends: (2, D)
    points on both sides of its narrowest part [m]. is_shut: fluid does not fill it. reason: text for
    users."""

    between: tuple[str, str]
    width: float
    spacings: float
    ends: Floats
    is_shut: bool
    reason: str


def narrow_gaps(file: WorldFile) -> list[Gap]:
    """Gaps narrower than NARROW spacings at t = 0; solids in contact have none."""
    if file.dimensions == 3:
        found = [*_to_walls_3d(file), *_between_bodies_3d(file)]
    else:
        found = [*_to_walls(file), *_between_bodies(file)]
    return [_gap(between, ends, file) for between, ends in found if _is_narrow(ends, file)]


def _to_walls(file: WorldFile) -> Iterator[tuple[tuple[str, str], Floats]]:
    origin, end = corners(file)
    for name, body in file.bodies.items():
        points = _outline(body, file)
        for index, side in enumerate(SIDES[:4]):
            if isinstance(file.boundaries.side(side), Wall):
                axis, wall = index // 2, (origin, end)[index % 2][index // 2]
                inward = points[:, axis] - wall if index % 2 == 0 else wall - points[:, axis]
                nearest = points[int(np.argmin(inward))]
                foot = nearest.copy()
                foot[axis] = wall
                if inward.min() > 0:
                    yield (name, side), np.array([nearest, foot])


def _between_bodies(file: WorldFile) -> Iterator[tuple[tuple[str, str], Floats]]:
    outlines = {name: _outline(body, file) for name, body in file.bodies.items()}
    reach = NARROW * file.domain.spacing
    for (one, points), (other, others) in combinations(outlines.items(), 2):
        apart = np.maximum(points.min(0) - others.max(0), others.min(0) - points.max(0))
        if apart.max() > reach:
            continue
        flat = np.zeros((len(points), 3))
        flat[:, :2] = points
        distance = file.bodies[other].core_shape.signed_distance(flat)
        nearest = points[int(np.argmin(distance))]
        if distance.min() > 0:
            opposite = others[int(np.argmin(((others - nearest) ** 2).sum(axis=1)))]
            yield (one, other), np.array([nearest, opposite])


def _to_walls_3d(file: WorldFile) -> Iterator[tuple[tuple[str, str], Floats]]:
    origin, end = corners(file)
    for name, body in file.bodies.items():
        low, high = body.core_shape.bounds
        for index, side in enumerate(SIDES):
            axis, upper = divmod(index, 2)
            width = end[axis] - high[axis] if upper else low[axis] - origin[axis]
            if isinstance(file.boundaries.side(side), Wall) and width > 0:
                nearest = 0.5 * (np.array(low) + np.array(high))
                nearest[axis] = (low, high)[upper][axis]
                foot = nearest.copy()
                foot[axis] = (origin, end)[upper][axis]
                yield (name, side), np.array([nearest, foot])


def _between_bodies_3d(file: WorldFile) -> Iterator[tuple[tuple[str, str], Floats]]:
    reach = NARROW * file.domain.spacing
    for (one, first), (other, second) in combinations(file.bodies.items(), 2):
        bounds = [np.array(body.core_shape.bounds) for body in (first, second)]
        apart = np.maximum(bounds[0][0] - bounds[1][1], bounds[1][0] - bounds[0][1])
        if apart.max() > reach:
            continue
        ends = _closest(first, second, bounds, reach)
        if np.linalg.norm(ends[1] - ends[0]) > _TOUCHING * file.domain.spacing:
            yield (one, other), ends


def _closest(first: Body, second: Body, bounds: list[Floats], reach: float) -> Floats:
    """(2, 3) closest points of two convex bodies [m]. The sum of the distances to both is convex and smallest
    between these points; the search box is reduced until the minimum is accurate."""
    low = np.maximum(bounds[0][0], bounds[1][0]) - reach
    high = np.minimum(bounds[0][1], bounds[1][1]) + reach
    while True:
        points = lattice(tuple(low), tuple(high), 3, _PLACES)
        distances = [np.maximum(body.core_shape.signed_distance(points), 0.0) for body in (first, second)]
        best = int(np.argmin(distances[0] + distances[1]))
        place, size = points[best], high - low
        if size.max() < _CLOSE * reach:
            break
        low, high = place - 0.3 * size, place + 0.3 * size
    return np.array([_foot(body, place) for body in (first, second)])


def _foot(body: Body, place: Floats) -> Floats:
    """The nearest point on the surface of a body [m]."""
    distance = float(body.core_shape.signed_distance(place[None, :])[0])
    step = 1e-6 * max(distance, 1e-9)
    probes = np.concatenate([place + step * np.eye(3), place - step * np.eye(3)])
    ahead, behind = np.split(body.core_shape.signed_distance(probes), 2)
    slope = (ahead - behind) / (2 * step)
    length = float(np.linalg.norm(slope))
    return place - distance * slope / length if length > 0 else place


def touching(file: WorldFile) -> Iterator[str]:
    """Notes on round bodies that just touch a wall or another body: the gap narrows to zero at the
    contact."""
    spacing = file.domain.spacing
    origin, end = corners(file)
    for name, body in file.bodies.items():
        low, high = body.core_shape.bounds
        for index, side in enumerate(SIDES[: 2 * file.dimensions]):
            axis, upper = divmod(index, 2)
            width = end[axis] - high[axis] if upper else low[axis] - origin[axis]
            is_wall = isinstance(file.boundaries.side(side), Wall)
            if is_wall and _is_round(body, axis) and abs(width) < _TOUCHING * spacing:
                yield _touch(f"bodies.{name}", f"the {side} side")
    for (one, first), (other, second) in combinations(file.bodies.items(), 2):
        between = _width_of_round(first, second)
        if between is not None and abs(between) < _TOUCHING * spacing:
            yield _touch(f"bodies.{one}", f"bodies.{other}")


def _touch(one: str, other: str) -> str:
    return (
        f"{one} just touches {other}: fluid does not fill the narrow gap around the contact. Let them "
        f"overlap by a few spacings, or leave a gap of at least {NARROW:.0f} spacings."
    )


def _is_round(body: Body, axis: int) -> bool:
    """True if a plane across an axis touches it in a point or along a line."""
    if isinstance(body, Cylinder):
        along = np.array(body.to) - np.array(body.from_)
        return bool(abs(along[axis]) < 1e-9 * np.linalg.norm(along))
    return body.shape in ("circle", "sphere")


def _width_of_round(first: Body, second: Body) -> float | None:
    """The gap between two bodies if one is a circle or a sphere [m]; else None."""
    for one, other in ((first, second), (second, first)):
        if one.shape in ("circle", "sphere"):
            low, high = np.array(one.core_shape.bounds)
            middle = 0.5 * (low + high)
            to_middle = float(other.core_shape.signed_distance(middle[None, :])[0])
            return to_middle - 0.5 * float(high[0] - low[0])
    return None


def _outline(body: Body, file: WorldFile) -> Floats:
    """(n, 2) points of the surface of a body [m], at most half a spacing apart; farther for very large
    bodies."""
    lines = [np.asarray(line)[:, :2] for line in body.core_shape.outline(_TOLERANCE * file.domain.spacing)]
    around = sum(float(np.linalg.norm(np.roll(line, -1, axis=0) - line, axis=1).sum()) for line in lines)
    step = max(0.5 * file.domain.spacing, around / _MOST_POINTS)
    pieces = []
    for corners_ in lines:
        for start, end in zip(corners_, np.roll(corners_, -1, axis=0), strict=True):
            count = max(1, int(np.ceil(np.linalg.norm(end - start) / step)))
            pieces.append(start + (end - start) * (np.arange(count) / count)[:, None])
    return np.concatenate(pieces)


def _is_narrow(ends: Floats, file: WorldFile) -> bool:
    width = float(np.linalg.norm(ends[1] - ends[0]))
    return width < NARROW * file.domain.spacing * (1 - 1e-9)


def _gap(between: tuple[str, str], ends: Floats, file: WorldFile) -> Gap:
    width = float(np.linalg.norm(ends[1] - ends[0]))
    spacings = width / file.domain.spacing
    is_shut = spacings < SHUT * (1 - 1e-9)
    shown = f"{rounded(spacings, 2)} {'spacing' if rounded(spacings, 2) == '1' else 'spacings'}"
    why = (
        f"fluid does not fill gaps below {SHUT:.0f}, so the forces on both are too small"
        if is_shut
        else f"a resolved flow between them needs {NARROW:.0f}"
    )
    reason = (
        f"{between[0]} and {between[1]} are {shown} apart; {why}. Move one, or set domain.spacing = "
        f"{below(width / NARROW)}."
    )
    return Gap(between, width, spacings, ends, is_shut, reason)
