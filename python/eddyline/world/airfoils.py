"""Outlines of airfoils: NACA four-digit sections, and profiles from files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .curves import MOST_BYTES, find_file, read_rows

Points = NDArray[np.float64]
"""(n, 2) corners of a closed line, anticlockwise from the trailing edge."""

FEWEST_CORNERS = 8  # of a profile


def naca(digits: str, points: int) -> Points:
    """A four-digit section with the nose at (0, 0) and the sharp trailing edge at (1, 0).

    points: on each side. They are closer to each other at both ends. Source: Jacobs, Ward & Pinkerton 1933;
    the last coefficient closes the trailing edge.
    """
    camber, place, thickness = int(digits[0]) / 100, int(digits[1]) / 10, int(digits[2:]) / 100
    x = 0.5 * (1 - np.cos(np.linspace(0.0, math.pi, points + 1)))
    half = 5 * thickness * (0.2969 * np.sqrt(x) - 0.1260 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)
    line, slope = np.zeros_like(x), np.zeros_like(x)
    if camber > 0 and place > 0:
        front = x < place
        scale = np.where(front, camber / place**2, camber / (1 - place) ** 2)
        line = scale * np.where(front, 2 * place * x - x**2, 1 - 2 * place + 2 * place * x - x**2)
        slope = 2 * scale * (place - x)
    turn = np.arctan(slope)
    upper = np.stack([x - half * np.sin(turn), line + half * np.cos(turn)], axis=1)
    lower = np.stack([x + half * np.sin(turn), line - half * np.cos(turn)], axis=1)
    upper[[0, -1]] = lower[[0, -1]] = [[0.0, 0.0], [1.0, 0.0]]
    return np.concatenate([upper[::-1], lower[1:-1]])


def profile(name: str, folders: Sequence[str | Path]) -> Points:
    """The corners in a CSV file of two columns, x and y, in order around the body. Raises ValueError."""
    path = find_file(name, folders)
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"has {path.stat().st_size:,} bytes; must have at most {MOST_BYTES:,}")
    points = read_rows(path)
    if len(points) > 1 and np.array_equal(points[0], points[-1]):
        points = points[:-1]
    if len(points) < FEWEST_CORNERS:
        raise ValueError(f"has {len(points)} points; must have at least {FEWEST_CORNERS}, one per line: x,y")
    return points


def placed(points: Points, chord: float, nose: Sequence[float], angle: float) -> Points:
    """Points of a section of chord 1 at their places, m. angle: anticlockwise about the nose, radians."""
    cosine, sine = math.cos(angle), math.sin(angle)
    turned = points @ np.array([[cosine, sine], [-sine, cosine]])
    return np.asarray(np.asarray(nose[:2]) + chord * turned)
