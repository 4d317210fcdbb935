"""Gaps between bodies, and between bodies and walls, that are too narrow for the particles in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .problems import below, rounded
from .samples import corners
from .schema import SIDES, Wall, WorldFile
from .shapes import Body

NARROW = 4.0
"""Spacings across which a flow between two solids is resolved: below, they are all boundary layer."""
SHUT = 3.0
"""Spacings below which water does not fill a gap: of the lift of a block in still water above a floor 6 %
came through 1 spacing, 63 % through 1.5, 90 % through 2, and all from 3 on."""
_TOLERANCE = 0.02  # of outlines, in spacings
_MOST_POINTS = 100_000  # of the outline of a body
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gap:
    """between: names of bodies and sides.  width: [m].  spacings: the same in spacings.  ends: (2, 2) places
    on either side of its narrowest part [m].  is_shut: whether water does not fill it.  reason: for
    people."""

    between: tuple[str, str]
    width: float
    spacings: float
    ends: Floats
    is_shut: bool
    reason: str


def narrow_gaps(file: WorldFile) -> list[Gap]:
    """Gaps of a two-dimensional world below NARROW spacings at t = 0. What touches has none."""
    if file.dimensions != 2:
        return []
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


def _outline(body: Body, file: WorldFile) -> Floats:
    """(n, 2) points of its surface, half a spacing apart or less [m]; of very large ones
    farther."""
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
        f"fluid does not fill gaps below {SHUT:.0f}, and pushes neither as it should"
        if is_shut
        else f"a flow between them needs {NARROW:.0f}"
    )
    reason = (
        f"{between[0]} and {between[1]} are {shown} apart; {why}. Move one, or take a spacing of "
        f"{below(width / NARROW)} m."
    )
    return Gap(between, width, spacings, ends, is_shut, reason)
