"""Regions given by a condition: how far they reach, their outlines for drawing, and what can be wrong."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .problems import Found, Path, rounded, shown
from .samples import Points, evaluate, lattice
from .schema import WorldFile
from .shapes import FormulaRegion, Vec3

_MOST = 100_000  # places at which it is looked where a condition holds
_ACROSS = 200  # nodes along the longer side of a drawing
_HALVINGS = 12


def problems(file: WorldFile) -> Found:
    """Errors in the conditions of regions, as (path, line)."""
    for name, region in file.regions.items():
        if not isinstance(region, FormulaRegion):
            continue
        path: Path = ("regions", name, "inside")
        start = f"regions.{name}.inside = {shown(region.inside.text)}"
        if "t" in region.inside.used_variables:
            yield path, f"{start}; is evaluated at t = 0 only. Write it without t."
            continue
        points = _places(region)
        values = evaluate(region.inside, points)
        odd = np.flatnonzero((values != 0) & (values != 1))
        if len(odd):
            place = ", ".join(rounded(float(x)) for x in points[odd[0], : file.dimensions])
            yield (
                path,
                f"{start}; gives {rounded(float(values[odd[0]]))} at ({place}) m; must be a condition. "
                "Write e.g. y < 0.2.",
            )
        elif not values.any():
            yield path, f"{start}; is true nowhere in the domain. Change it."


def extent(region: FormulaRegion) -> tuple[Vec3, Vec3]:
    """The lowest and the highest corner of a box around what a region fills [m], to about a hundredth of the
    domain; the domain, if it fills nothing."""
    low, high = region.core_shape.bounds
    points = _places(region)
    points = points[region.core_shape.signed_distance(points) < 0]
    if not len(points):
        return low, high
    lowest, highest = points.min(axis=0), points.max(axis=0)
    return tuple(map(float, lowest)), tuple(map(float, highest))  # type: ignore[return-value]


def _places(region: FormulaRegion) -> Points:
    low, high = region.core_shape.bounds
    return lattice(low, high, region.core_shape.dimensions, _MOST)


def region_outlines(region: FormulaRegion, axes: tuple[int, int]) -> list[NDArray[np.float64]]:
    """The closed lines around what a region fills, (n, 2) each, in the plane of two axes [m]; in 3D of all
    that lies behind each other."""
    from contourpy import contour_generator

    low, high = region.core_shape.bounds
    size = [high[axis] - low[axis] for axis in axes]
    counts = [max(3, math.ceil(_ACROSS * length / max(size))) for length in size]
    steps = [length / (count - 1) for length, count in zip(size, counts, strict=True)]
    # One more node beyond each side of the domain, where nothing is filled.
    nodes = [
        np.asarray(low[axis] + step * np.arange(-1.0, count + 1), dtype=np.float64)
        for axis, step, count in zip(axes, steps, counts, strict=True)
    ]
    rows = np.stack(np.meshgrid(*nodes), axis=-1)
    filled = _fills(region, axes, rows.reshape(-1, 2)).reshape(rows.shape[:2])
    lines = contour_generator(x=nodes[0], y=nodes[1], z=filled.astype(float)).lines(0.5)
    if region.core_shape.dimensions == 3:
        return [np.asarray(line) for line in lines]
    return [_refined(region, axes, np.asarray(line), nodes, steps) for line in lines]


def _fills(region: FormulaRegion, axes: tuple[int, int], places: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(n,) whether a region fills (n, 2) places of a drawing, in 3D anywhere behind them."""
    low, high = (np.array(corner) for corner in region.core_shape.bounds)
    depths = [0.0]
    points = np.zeros((len(places), 3))
    points[:, axes] = places
    if region.core_shape.dimensions == 3:
        third = 3 - sum(axes)
        depths = list(low[third] + (np.arange(40) + 0.5) / 40 * (high[third] - low[third]))
    found = np.zeros(len(places), dtype=np.bool_)
    for depth in depths:
        if region.core_shape.dimensions == 3:
            points[:, third] = depth
        found |= region.core_shape.signed_distance(points) < 0
    slack = 1e-9 * (high - low).max()
    inside = (places >= low[list(axes)] - slack) & (places <= high[list(axes)] + slack)
    return np.asarray(found & inside.all(axis=1))


def _refined(
    region: FormulaRegion,
    axes: tuple[int, int],
    line: NDArray[np.float64],
    nodes: list[NDArray[np.float64]],
    steps: list[float],
) -> NDArray[np.float64]:
    """The points of a line that lie half way between two nodes, moved to where the condition changes."""
    ends = []
    for rounding, beside in ((np.floor, 1e-6), (np.ceil, -1e-6)):
        places = [rounding((line[:, k] - nodes[k][0]) / steps[k] + beside).astype(int) for k in (0, 1)]
        ends.append(np.stack([nodes[k][places[k]] for k in (0, 1)], axis=1))
    first, second = ends
    is_first = _fills(region, axes, first)[:, None]
    inner, outer = np.where(is_first, first, second), np.where(is_first, second, first)
    for _ in range(_HALVINGS):
        middle = 0.5 * (inner + outer)
        fills = _fills(region, axes, middle)[:, None]
        inner, outer = np.where(fills, middle, inner), np.where(fills, outer, middle)
    return np.asarray(inner)
