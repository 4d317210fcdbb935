"""The places over which a `patch` averages the pressure, and how much of what surrounds them can be fluid."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .samples import corners
from .schema import SIDES, Patch, Wall, WorldFile
from .shapes import Vec3, vec3

_ON_SIDE = 1e-6  # of a spacing: what is less far from a side of the domain lies on it
Floats = NDArray[np.float64]


def normal_of(patch: Patch, file: WorldFile) -> Vec3 | None:
    """The unit vector across a patch: the one that it names, or that of the only side of the domain on which
    its centre lies; None if it lies on no side or on several."""
    if patch.normal is not None:
        normal = np.array(vec3(patch.normal))
        x, y, z = normal / np.linalg.norm(normal)
        return float(x), float(y), float(z)
    low, high = corners(file)
    place, near = vec3(patch.position), _ON_SIDE * file.domain.spacing
    axes = [k for k in range(file.dimensions) if min(abs(place[k] - low[k]), abs(place[k] - high[k])) <= near]
    if len(axes) != 1:
        return None
    return vec3([float(k == axes[0]) for k in range(3)])


def places_of(patch: Patch, file: WorldFile) -> Floats:
    """(n, 3) centres of the n parts of equal size that a patch is cut into, at most half a spacing apart [m].

    In 2D they follow each other along a line; in 3D they form rings, of which ring k has 4 (2k + 1) parts.
    """
    normal = normal_of(patch, file)
    assert normal is not None  # checked with the world
    centre, first, second = np.array(vec3(patch.position)), *_across(np.array(normal), file.dimensions)
    apart = 0.5 * file.domain.spacing
    if file.dimensions == 2:
        count = max(1, math.ceil(patch.diameter / apart - 1e-9))
        along = ((np.arange(count) + 0.5) / count - 0.5) * patch.diameter
        return np.asarray(centre + np.outer(along, first))
    rings = max(1, math.ceil(patch.diameter / (2 * apart) - 1e-9))
    width = patch.diameter / (2 * rings)
    parts = []
    for ring in range(rings):
        count = 4 * (2 * ring + 1)
        angle = 2 * np.pi * (np.arange(count) + 0.5) / count
        circle = np.outer(np.cos(angle), first) + np.outer(np.sin(angle), second)
        parts.append(centre + (ring + 0.5) * width * circle)
    return np.concatenate(parts)


def rim_of(patch: Patch, file: WorldFile) -> Floats:
    """(n, 3) points of the rim of a patch [m]: both ends in 2D, 16 of the circle in 3D."""
    normal = normal_of(patch, file)
    assert normal is not None
    first, second = _across(np.array(normal), file.dimensions)
    angle = np.array([0.0, np.pi]) if file.dimensions == 2 else np.pi / 8 * np.arange(16)
    circle = np.outer(np.cos(angle), first) + np.outer(np.sin(angle), second)
    return np.asarray(np.array(vec3(patch.position)) + patch.diameter / 2 * circle)


def shares_left(places: Floats, file: WorldFile) -> Floats:
    """(n,) how much of the neighbourhood of each place the walls of the domain and the bodies at the start
    leave to fluid, about: one half beside each of them, 1 away from all."""
    radius = file.lengths.interaction_radius
    low, high = corners(file)
    distances = [body.core_shape.signed_distance(places) for body in file.bodies.values()]
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        if isinstance(file.boundaries.side(name), Wall):
            axis, is_high = divmod(index, 2)
            distances.append(high[axis] - places[:, axis] if is_high else places[:, axis] - low[axis])
    shares = np.ones(len(places))
    for distance in distances:
        shares *= np.clip(0.5 + 1.2 * distance / radius, 0.5, 1.0)
    return shares


def _across(normal: Floats, dimensions: int) -> tuple[Floats, Floats]:
    """Two unit vectors across a normal, each (3,); in 2D the second is 0."""
    if dimensions == 2:
        return np.array([-normal[1], normal[0], 0.0]), np.zeros(3)
    first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    first /= np.linalg.norm(first)
    return first, np.cross(normal, first)
