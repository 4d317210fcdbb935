"""Surfaces of wings: sections at stations along the span, ruled between them, with a rounded tip."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
SAMPLES = 400
"""Edges on each side of a section, from which meshes take their nodes."""
CAP_RINGS = 6
"""Rings of triangles of the tip."""
BEND = 0.65
"""Distance beyond the tip over which the line of noses becomes straight, tip chords."""


@dataclass(frozen=True)
class Station:
    """A section at its place. nose: m.  chord: m.  angle: anticlockwise about the nose, radians.
    section: (n, 2) corners in chords, anticlockwise from the trailing edge."""

    nose: tuple[float, float, float]
    chord: float
    angle: float
    section: Points


@dataclass(frozen=True)
class Section:
    """A section of a wing at one height z.

    nose, edge: complex places of the nose and of the trailing edge, m.  upper, lower: (n + 1,) complex
    points from the edge to the nose, in chords along the line from nose to edge.  share: of the thickness, 1
    except at the tip, 0 beyond it.
    """

    nose: complex
    edge: complex
    upper: NDArray[np.complex128]
    lower: NDArray[np.complex128]
    share: float


class Wing:
    """The surface of a wing. stations: two or more, by increasing z; each has a sharp trailing edge."""

    def __init__(self, stations: Sequence[Station]) -> None:
        self._heights = np.array([each.nose[2] for each in stations])
        self._noses = np.array([complex(*each.nose[:2]) for each in stations])
        self._chords = np.array([each.chord * np.exp(1j * each.angle) for each in stations])
        self._sides = np.array([sides(each.section) for each in stations])  # (stations, 2, SAMPLES + 1)
        tip = self._sides[-1]
        thickness = float(np.abs((tip[0] - tip[1]).imag).max()) * abs(self._chords[-1])
        self.cap = 0.5 * thickness
        """Width of the rounded tip, m: half the thickness of the last section."""

    @property
    def root(self) -> float:
        """z of the first section, m."""
        return float(self._heights[0])

    @property
    def end(self) -> float:
        """z of the last section, where the tip begins, m."""
        return float(self._heights[-1])

    @property
    def chords(self) -> tuple[float, float]:
        """Chords of the first and of the last section, m."""
        return float(abs(self._chords[0])), float(abs(self._chords[-1]))

    def perimeter(self) -> float:
        """The perimeter of the first section, m."""
        return float(np.abs(np.diff(self._sides[0], axis=1)).sum() * abs(self._chords[0]))

    def at(self, z: float) -> Section:
        """The section at a height; beyond the tip without thickness, its noses on a line that bends until it
        is straight."""
        inside = min(z, self.end)
        after = int(np.clip(np.searchsorted(self._heights, inside), 1, len(self._heights) - 1))
        low, high = self._heights[after - 1], self._heights[after]
        share = (inside - low) / (high - low)

        def between(values: NDArray[np.complex128]) -> NDArray[np.complex128]:
            return np.asarray((1 - share) * values[after - 1] + share * values[after])

        nose, chord = complex(between(self._noses)), complex(between(self._chords))
        upper, lower = between(self._sides)
        beyond = max(0.0, z - self.end)
        thick = math.sqrt(max(0.0, 1 - (beyond / self.cap) ** 2))
        if beyond > 0:
            slope = (self._noses[-1] - self._noses[-2]) / (high - low)
            reach = BEND * abs(chord)
            nose += complex(slope * reach * -math.expm1(-beyond / reach))
            middle = 0.5 * (upper + lower)
            upper, lower = middle + thick * (upper - middle), middle + thick * (lower - middle)
        return Section(nose, nose + chord, upper, lower, thick)

    def triangles(self, points: int) -> tuple[Points, NDArray[np.int32]]:
        """The closed surface as ((n, 3) points, (m, 3) corners, anticlockwise as seen from outside).

        points: edges on each side of a section.
        """
        cap = [self.end + self.cap * math.sin(0.5 * math.pi * k / CAP_RINGS) for k in range(1, CAP_RINGS)]
        heights = [*self._heights.tolist(), *cap]
        chosen = np.round(np.linspace(0, SAMPLES, points + 1)).astype(int)
        places: list[Points] = []
        for z in heights:
            section = self.at(z)
            local = np.concatenate([section.upper[chosen], section.lower[chosen][::-1][1:-1]])
            places.append(_in_space(section, local, z))
        z = self.end + self.cap
        section = self.at(z)
        places.append(_in_space(section, section.upper[chosen], z))  # without thickness: a line
        ring = 2 * points
        indices = np.arange(ring)
        rings = [ring * k + indices for k in range(len(heights))]
        last = ring * len(heights)
        rings.append(last + np.minimum(indices, ring - indices))
        found: list[NDArray[np.int64]] = []
        for low, high in pairwise(rings):
            low_next, high_next = np.roll(low, -1), np.roll(high, -1)
            found.append(np.stack([low, low_next, high_next], axis=1))
            found.append(np.stack([low, high_next, high], axis=1))
        upper, lower = indices[: points + 1], (-np.arange(points + 1)) % ring
        found.append(np.stack([upper[:-1], lower[1:], upper[1:]], axis=1)[:-1])  # the root
        found.append(np.stack([upper[:-1], lower[:-1], lower[1:]], axis=1)[1:])
        return np.concatenate(places), np.concatenate(found).astype(np.int32)


def _in_space(section: Section, local: NDArray[np.complex128], z: float) -> Points:
    plane = section.nose + (section.edge - section.nose) * local
    return np.stack([plane.real, plane.imag, np.full(len(plane), z)], axis=1)


def sides(section: Points) -> NDArray[np.complex128]:
    """(2, SAMPLES + 1) points on the upper and on the lower side from the trailing edge to the nose, closer
    to each other at both; the nose at 0 and the edge at 1.

    A cubic spline through the corners; the edge is the corner with the largest x, the nose the corner
    farthest from it. Raises ValueError if the sides cross.
    """
    corners = section[:, 0] + 1j * section[:, 1]
    if float((corners.conjugate() * np.roll(corners, -1)).imag.sum()) < 0:  # clockwise
        corners = corners[::-1]
    corners = np.roll(corners, -int(np.argmax(corners.real)))
    closed = np.concatenate([corners, corners[:1]])
    lengths = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(closed)))])
    spline = _Spline(lengths, closed)
    nose = float(lengths[int(np.argmax(np.abs(corners - corners[0])))])
    shares = 0.5 * (1 - np.cos(np.linspace(0.0, math.pi, SAMPLES + 1)))
    upper = spline.at(nose * shares)
    lower = spline.at(lengths[-1] - (lengths[-1] - nose) * shares)
    chord = upper[0] - upper[-1]
    local = (np.stack([upper, lower]) - upper[-1]) / chord
    local[:, 0], local[:, -1] = 1.0, 0.0
    if ((local[0] - local[1]).imag[1:-1] <= 0).any():
        raise ValueError(
            "has sides that cross; a section of a wing must be thick between nose and trailing edge"
        )
    return np.asarray(local)


class _Spline:
    """A cubic spline without curvature at its ends. places: (n,), increasing.  values: (n,)."""

    def __init__(self, places: NDArray[np.float64], values: NDArray[np.complex128]) -> None:
        self._places, self._values = places, values
        steps = np.diff(places)
        count = len(places)
        matrix, right = np.eye(count), np.zeros(count, dtype=np.complex128)
        inner = np.arange(1, count - 1)
        matrix[inner, inner - 1], matrix[inner, inner + 1] = steps[:-1], steps[1:]
        matrix[inner, inner] = 2 * (steps[:-1] + steps[1:])
        slopes = np.diff(values) / steps
        right[1:-1] = 6 * np.diff(slopes)
        self._bends = np.linalg.solve(matrix, right)

    def at(self, places: NDArray[np.float64]) -> NDArray[np.complex128]:
        number = np.clip(np.searchsorted(self._places, places, side="right") - 1, 0, len(self._places) - 2)
        step = self._places[number + 1] - self._places[number]
        a = (self._places[number + 1] - places) / step
        b = 1 - a
        bends = (a**3 - a) * self._bends[number] + (b**3 - b) * self._bends[number + 1]
        return np.asarray(a * self._values[number] + b * self._values[number + 1] + bends * step**2 / 6)
