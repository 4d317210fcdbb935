"""Surfaces of three-dimensional shapes for drawing, as triangles."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .outlines import across
from .shapes import Box, Cylinder, ShapeTable, Sphere, vec3

Points = NDArray[np.float64]
_FINEST, _COARSEST = 0.006, 0.03  # least and largest error over radius


@dataclass(frozen=True)
class Surface:
    """A closed surface. `vertices`: (n, 3) m, on the shape. `triangles`: (m, 3) int64, three vertices each,
    anticlockwise as seen from outside."""

    vertices: Points
    triangles: NDArray[np.int64]


def surface(shape: ShapeTable, tolerance: float) -> Surface:
    """The surface of a 3D shape, fewer than 2,000 triangles. Round parts are within `tolerance` [m], or
    within 0.6 % of their radius where that is more, which is invisible."""
    if isinstance(shape, Box):
        return _box(np.array(vec3(shape.min)), np.array(vec3(shape.max)))
    if isinstance(shape, Cylinder):
        begin, end = np.array(vec3(shape.from_)), np.array(vec3(shape.to))
        radius, length = shape.diameter / 2, float(np.linalg.norm(end - begin))
        profile = [(0.0, 0.0), (0.0, radius), (length, radius), (length, 0.0)]
        return _revolved(begin, (end - begin) / length, profile, 2 * _parts(tolerance / radius))
    assert isinstance(shape, Sphere)
    radius = shape.diameter / 2
    count = _parts(tolerance / radius)
    angles = np.linspace(0, math.pi, count + 1)
    profile = [(-radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]
    return _revolved(np.array(vec3(shape.center)), np.array([0.0, 0.0, 1.0]), profile, 2 * count)


def _parts(error: float) -> int:
    """Number of equal parts of half a circle, even, for which a sphere's triangles between such circles are
    within `error` of its radius: a square with corners on it and sides of an angle d is at a distance of
    sqrt(cos d) from its centre."""
    largest = math.acos((1 - min(max(error, _FINEST), _COARSEST)) ** 2)
    return 2 * math.ceil(math.pi / largest / 2)


def _revolved(origin: Points, along: Points, profile: Sequence[tuple[float, float]], count: int) -> Surface:
    """Surface that a profile of (height, radius) [m] sweeps about the axis through `origin` in the direction
    `along`, a unit vector: rings of `count` vertices. It begins and ends on the axis, where it is lowest and
    highest."""
    first, second = across(along)
    angles = np.arange(count) * (2 * math.pi / count)
    ring = np.outer(np.cos(angles), first) + np.outer(np.sin(angles), second)
    rings = [origin + height * along + radius * ring for height, radius in profile[1:-1]]
    ends = [(origin + height * along)[None, :] for height, _ in (profile[0], profile[-1])]
    vertices = np.concatenate([ends[0], *rings, ends[1]])
    here = np.arange(count)
    on = (here + 1) % count
    last = len(vertices) - 1
    parts = [np.stack([np.zeros_like(here), 1 + on, 1 + here], axis=1)]
    for k in range(len(rings) - 1):
        low, high = 1 + k * count, 1 + (k + 1) * count
        parts.append(np.stack([low + here, low + on, high + on], axis=1))
        parts.append(np.stack([low + here, high + on, high + here], axis=1))
    top = last - count
    parts.append(np.stack([top + here, top + on, np.full_like(here, last)], axis=1))
    return Surface(vertices, np.concatenate(parts))


def _box(low: Points, high: Points) -> Surface:
    """Vertex 4 i + 2 j + k is the corner that is high along x, y, z where i, j, k are 1."""
    corners = np.array(list(itertools.product(*zip(low, high, strict=True))))
    triangles = []
    for bit in (4, 2, 1):
        u, v = {4: (2, 1), 2: (1, 4), 1: (4, 2)}[bit]  # right-handed with the axis
        for start, (a, b) in ((0, (v, u)), (bit, (u, v))):
            triangles += [(start, start + a, start + a + b), (start, start + a + b, start + b)]
    return Surface(corners, np.array(triangles, dtype=np.int64))
