"""Checks of the places of bodies and regions."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..problems import Found, Path, dotted
from ..samples import corners, lattice, shown_place
from ..schema import SIDES, Periodic, WorldFile
from ..shapes import ShapeTable


def layer_problems(file: WorldFile) -> Found:
    """Bodies that particles cannot follow."""
    for name, body in file.bodies.items():
        if not body.has_layers:
            yield (
                ("bodies", name, "shape"),
                f'bodies.{name}.shape = "{body.shape}"; particles of a body cannot follow it. Write '
                'method.name = "multiblock".',
            )


def body_problems(file: WorldFile) -> Found:
    """Bodies and regions lie in the domain and do not overlap; for any solver with bodies."""
    origin, end = corners(file)
    dimensions = range(file.dimensions)
    solids: list[tuple[Path, ShapeTable]] = [(("bodies", name), body) for name, body in file.bodies.items()]
    fluids: list[tuple[Path, ShapeTable]] = [
        (("regions", name), region) for name, region in file.regions.items()
    ]
    for path, item in solids + fluids:
        if is_outside(item, file):
            low, high = item.core_shape.bounds
            text = (
                f"{dotted(path)} lies from {shown_place(low, file)} to {shown_place(high, file)} m, outside "
                f"the domain from {shown_place(origin, file)} to {shown_place(end, file)} m. Move it."
            )
            yield path, text
    for path, item in solids:
        low, high = item.core_shape.bounds
        for k in dimensions:
            crossed = [low[k] < origin[k] < high[k], low[k] < end[k] < high[k]]
            if any(crossed) and not all(crossed) and isinstance(file.boundaries.side(SIDES[2 * k]), Periodic):
                side = SIDES[2 * k] if crossed[0] else SIDES[2 * k + 1]
                yield (
                    path,
                    f"{dotted(path)} crosses the periodic side {side}; a body must not cross it. Move it, "
                    "or change domain.origin.",
                )
    for group in (solids, fluids):
        for (path, one), (other_path, other) in combinations(group, 2):
            where = _common_point(one, other, file)
            if where is not None:
                text = (
                    f"{dotted(other_path)} overlaps {dotted(path)} at {where} m; overlaps are not allowed. "
                    "Move or shrink one."
                )
                yield other_path, text


def is_outside(item: ShapeTable, file: WorldFile) -> bool:
    """True if no part of it is in the domain."""
    origin, end = corners(file)
    low, high = item.core_shape.bounds
    return any(high[k] <= origin[k] or low[k] >= end[k] for k in range(file.dimensions))


def _common_point(one: ShapeTable, other: ShapeTable, file: WorldFile) -> str | None:
    """A point well inside both shapes, or None."""
    bounds = [one.core_shape.bounds, other.core_shape.bounds]
    low = [max(box[0][k] for box in bounds) for k in range(3)]
    high = [min(box[1][k] for box in bounds) for k in range(3)]
    points = lattice(low, high, file.dimensions, 10_000)
    if not len(points):
        return None
    depth = np.maximum(one.core_shape.signed_distance(points), other.core_shape.signed_distance(points))
    deepest = int(np.argmin(depth))
    return shown_place(points[deepest], file) if depth[deepest] < -1e-6 * max(file.domain.size) else None
