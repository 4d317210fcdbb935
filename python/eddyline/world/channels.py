"""Checks that bodies leave a passage from the inflow of a channel to its outflow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .openings import Face, faces
from .samples import corners
from .schema import SIDES, Wall, WorldFile

MOST_SITES = 2_000_000  # maximum number of sites of the search lattice
Mask = NDArray[np.bool_]


def is_closed(file: WorldFile) -> bool:
    """True if no inflow of a full two-dimensional channel is connected to an outflow: no path along
    sites of the lattice outside all bodies. A channel has openings on opposite sides, and walls between
    them; bodies that move may open it."""
    found = faces(file)
    inflows = [face for face in found if face.is_inflow]
    axes = {face.axis for face in found}
    if file.dimensions != 2 or file.regions or len(axes) != 1 or not 0 < len(inflows) < len(found):
        return False
    along = axes.pop()
    moving = any(body.motion is not None for body in file.bodies.values())
    beside = SIDES[2 * (1 - along) : 2 * (1 - along) + 2]
    around = any(not isinstance(file.boundaries.side(side), Wall) for side in beside)
    if moving or around or any(face.side is None for face in found) or not _may_close(file, 1 - along):
        return False
    free = np.moveaxis(_free_sites(file), along, 0)
    if free.size == 0:
        return False
    reached = np.zeros_like(free)
    for face in inflows:
        reached[_end(face)] = free[_end(face)]
    _flood(reached, free)
    return not any(reached[_end(face)].any() for face in found if not face.is_inflow)


def _end(face: Face) -> int:
    """The row of sites beside it, along the channel."""
    return 0 if face.inward > 0 else -1


def _may_close(file: WorldFile, across: int) -> bool:
    """True if bodies, projected along the channel, cover its whole cross-section."""
    origin, end = corners(file)
    boxes = [body.core_shape.bounds for body in file.bodies.values()]
    seen = origin[across]
    for low, high in sorted((low[across], high[across]) for low, high in boxes):
        if low > seen + file.domain.spacing:
            return False
        seen = max(seen, high)
    return bool(boxes) and bool(seen >= end[across] - file.domain.spacing)


def _free_sites(file: WorldFile) -> Mask:
    """Sites of the lattice outside all bodies, by x and y; none if there are too many."""
    origin, end = corners(file)
    counts = [max(1, round((end[k] - origin[k]) / file.domain.spacing)) for k in range(2)]
    if counts[0] * counts[1] > MOST_SITES:
        return np.zeros((0, 0), dtype=np.bool_)
    middles = [origin[k] + (np.arange(counts[k]) + 0.5) * file.domain.spacing for k in range(2)]
    sites = np.zeros((counts[0] * counts[1], 3))
    sites[:, :2] = np.stack(np.meshgrid(*middles, indexing="ij"), axis=-1).reshape(-1, 2)
    free = np.ones(len(sites), dtype=np.bool_)
    for body in file.bodies.values():
        free &= body.core_shape.signed_distance(sites) > 0
    return free.reshape(counts)


def _flood(reached: Mask, free: Mask) -> None:
    """Flood fill: adds free neighbouring sites row by row, forwards and backwards, until nothing changes."""
    before = -1
    while (now := int(reached.sum())) != before:
        before = now
        for rows, room in ((reached, free), (reached[::-1], free[::-1])):
            for k in range(len(rows)):
                if k > 0:
                    rows[k] |= rows[k - 1] & room[k]
                stretch = np.cumsum(~room[k])
                rows[k] |= room[k] & np.isin(stretch, stretch[rows[k]])
