"""Closed curves: outlines of bodies, by arc length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eddyline.mesh.blocks import MeshError

Points = NDArray[np.float64]
"""(n, 2) places, m."""

SHARP = math.radians(25)
"""Turn of an outline at a corner that gets a node; a smooth outline has many small turns."""


@dataclass(frozen=True)
class Curve:
    """A closed curve, anticlockwise.

    points: (n, 2) its corners, m, the first not repeated.  circle: centre and radius [m] if it is one, so
    that its places are exact.
    """

    points: Points
    circle: tuple[float, float, float] | None = None

    @classmethod
    def of(cls, outline: Points, circle: tuple[float, float, float] | None = None) -> Curve:
        """The curve of an outline in either direction. Raises MeshError if it has no area."""
        points = np.asarray(outline, dtype=np.float64)[:, :2]
        apart = np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1)
        points = points[apart > 1e-12 * apart.sum()]
        x, y = points.T
        area = 0.5 * float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
        if len(points) < 3 or area == 0:
            raise MeshError("an outline without an area cannot have a mesh around it")
        return cls(points if area > 0 else points[::-1].copy(), circle)

    @cached_property
    def lengths(self) -> NDArray[np.float64]:
        """(n + 1,) arc length from the first corner, m; the last is the perimeter."""
        steps = np.linalg.norm(np.roll(self.points, -1, axis=0) - self.points, axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def perimeter(self) -> float:
        return float(self.lengths[-1])

    @cached_property
    def center(self) -> Points:
        """(2,) centre of the bounding box, m."""
        return np.asarray((self.points.min(axis=0) + self.points.max(axis=0)) / 2)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Lowest and highest x, lowest and highest y, m."""
        (x0, y0), (x1, y1) = self.points.min(axis=0), self.points.max(axis=0)
        return float(x0), float(x1), float(y0), float(y1)

    @property
    def size(self) -> float:
        """The longer side of the bounding box, m."""
        x0, x1, y0, y1 = self.bounds
        return max(x1 - x0, y1 - y0)

    @cached_property
    def corners(self) -> NDArray[np.float64]:
        """Arc lengths of the corners, over the perimeter, from 0 to 1."""
        before = self.points - np.roll(self.points, 1, axis=0)
        after = np.roll(self.points, -1, axis=0) - self.points
        turn = np.arctan2(
            before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0], (before * after).sum(axis=1)
        )
        return np.asarray(self.lengths[:-1][np.abs(turn) > SHARP] / self.perimeter)

    def at(self, places: Sequence[float] | NDArray[np.float64]) -> Points:
        """(n, 2) points at arc lengths over the perimeter; 1 is 0 again."""
        shares = np.asarray(places, dtype=np.float64) % 1.0
        if self.circle is not None:
            x, y, radius = self.circle
            first = math.atan2(self.points[0, 1] - y, self.points[0, 0] - x)
            angles = first + 2 * math.pi * shares
            return np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=1)
        closed = np.concatenate([self.points, self.points[:1]])
        along = shares * self.perimeter
        return np.stack([np.interp(along, self.lengths, closed[:, k]) for k in (0, 1)], axis=1)

    def towards(self, direction: float) -> float:
        """Arc length over the perimeter of the point in this direction from the centre [rad]: the farthest
        one on the ray; a corner if one lies within 20 degrees."""
        dense = np.linspace(0.0, 1.0, 2881)[:-1]
        candidates = self.corners if len(self.corners) else dense
        for shares, most in ((candidates, math.radians(20)), (dense, math.pi)):
            offsets = self.at(shares) - self.center
            angles = np.arctan2(offsets[:, 1], offsets[:, 0]) - direction
            away = np.abs((angles + math.pi) % (2 * math.pi) - math.pi)
            if len(self.corners) == 0 or away.min() < most:
                break
        if self.circle is not None:
            x, y, _ = self.circle
            first = math.atan2(self.points[0, 1] - y, self.points[0, 0] - x)
            return ((direction - first) / (2 * math.pi)) % 1.0
        near = np.flatnonzero(away < away.min() + 1e-9 + (0.01 if shares is dense else 0.0))
        return float(shares[near[np.argmax(np.linalg.norm(offsets[near], axis=1))]])

    def between(self, start: float, end: float, places: NDArray[np.float64]) -> Points:
        """(n, 2) points from `start` to `end`, anticlockwise, at shares `places` of the way; nodes near a
        corner are moved onto it."""
        way = (end - start) % 1.0 or 1.0
        shares = start + way * places
        for corner in self.corners:
            along = (corner - start) % 1.0
            if 1e-9 < along < way - 1e-9:
                nearest = 1 + int(np.argmin(np.abs(shares[1:-1] - start - along))) if len(shares) > 2 else 0
                if 0 < nearest < len(shares) - 1:
                    shares[nearest] = start + along
        return self.at(shares)

    def normals(self, points: Points) -> Points:
        """(n, 2) unit normals, outwards, of a closed line of nodes of this curve, anticlockwise."""
        along = np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0)
        normal = np.stack([along[:, 1], -along[:, 0]], axis=1)
        return np.asarray(normal / np.linalg.norm(normal, axis=1)[:, None])
