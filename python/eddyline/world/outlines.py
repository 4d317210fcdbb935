"""Outlines of shapes for drawing: exact in 2D; in 3D the silhouettes seen along an axis."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .formula_regions import region_outlines
from .shapes import Body, Box, Cylinder, FormulaRegion, ShapeTable, Sphere, vec3

Outline = NDArray[np.float64]
"""(n, 2) corners of a closed line, m."""

_CIRCLE = np.linspace(0.0, 2 * math.pi, 97)[:-1]


def outlines(shape: ShapeTable, axes: tuple[int, int], tolerance: float, time: float = 0.0) -> list[Outline]:
    """The closed lines of a shape in the plane of two axes; in 2D arcs are within `tolerance` [m]. A moving
    body is where it is at `time` [s]."""
    if isinstance(shape, FormulaRegion):
        return region_outlines(shape, axes)
    flat = shape.dimensions == 2
    lines = shape.core_shape.outline(tolerance) if flat else [_surface_points(shape)]
    motion = shape.core_motion if isinstance(shape, Body) else None
    if motion is not None:
        lines = [motion.place(line, time) for line in lines]
    return [line[:, list(axes)] if flat else _hull(line[:, list(axes)]) for line in lines]


def across(along: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two unit vectors that are right-handed with a third, each (3,)."""
    first = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    first /= np.linalg.norm(first)
    return first, np.cross(along, first)


def _surface_points(shape: ShapeTable) -> NDArray[np.float64]:
    """Points (n, 3) with the 3D shape as their convex hull, m."""
    if isinstance(shape, Box):
        low, high = vec3(shape.min), vec3(shape.max)
        grid = np.meshgrid(*zip(low, high, strict=True), indexing="ij")
        return np.stack([axis.ravel() for axis in grid], axis=1)
    if isinstance(shape, Cylinder):
        ends = np.array([vec3(shape.from_), vec3(shape.to)])
        along = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
        first, second = across(along)
        ring = np.outer(np.cos(_CIRCLE), first) + np.outer(np.sin(_CIRCLE), second)
        return np.concatenate([end + ring * shape.diameter / 2 for end in ends])
    assert isinstance(shape, Sphere)
    radius = shape.diameter / 2
    flat = np.zeros_like(_CIRCLE)
    circle = np.cos(_CIRCLE), np.sin(_CIRCLE)
    rings = [
        np.stack(ring, axis=1) for ring in ((*circle, flat), (flat, *circle), (circle[0], flat, circle[1]))
    ]
    return np.array(vec3(shape.center)) + radius * np.concatenate(rings)


def _hull(points: NDArray[np.float64]) -> Outline:
    """The convex hull, anticlockwise (Andrew's monotone chain)."""
    ordered = np.unique(points, axis=0)

    def half(chain_points: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        chain: list[NDArray[np.float64]] = []
        for point in chain_points:
            while len(chain) > 1:
                a, b = chain[-1] - chain[-2], point - chain[-2]
                if a[0] * b[1] - a[1] * b[0] > 0:
                    break
                chain.pop()
            chain.append(point)
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))
