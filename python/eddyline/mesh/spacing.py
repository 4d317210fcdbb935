"""Distances of nodes along a line."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eddyline.mesh.blocks import MeshError

Line = NDArray[np.float64]
"""(n + 1,) places from 0 to 1."""


MOST_ALONG = 1_000_000
"""Largest number of intervals along a line."""


def check_count(cells: int, most: float) -> None:
    """Raises MeshError for more cells than `most`."""
    if cells > most:
        raise MeshError(
            f"mesh: has {cells:.2g} cells, and {most:.2g} are the most that fit. Use a larger domain.spacing "
            "or mesh.first_cell, or fewer mesh.cells"
        )


def uniform(count: int) -> Line:
    check_count(count, MOST_ALONG)
    return np.linspace(0.0, 1.0, count + 1)


def geometric(count: int, first: float) -> Line:
    """Places with a constant ratio of neighbouring intervals; first: length of the first interval."""
    check_count(count, MOST_ALONG)
    if abs(first * count - 1) < 1e-9:
        return uniform(count)
    most = min(10.0, 1e300 ** (1 / count))  # whose powers are finite
    low, high = (1.0, most) if first * count < 1 else (0.05, 1.0)
    for _ in range(200):
        ratio = 0.5 * (low + high)
        if _sum(ratio, count) * first < 1:
            low = ratio
        else:
            high = ratio
    steps = first * ratio ** np.arange(count)
    places = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(places / places[-1])


def two_ratios(count: int, first: float, ratio: float, near: float) -> Line:
    """Places whose intervals grow by `ratio` up to the place `near`, and by another constant ratio beyond."""
    check_count(count, MOST_ALONG)
    close = min(math.ceil(math.log1p(near / first * (ratio - 1)) / math.log(ratio)), count - 1)
    covered = first * _sum(ratio, close)
    beyond = count - close
    if near >= 1 or covered >= 1 or covered + beyond * first * ratio**close >= 1:
        return geometric(count, first)
    steps = first * ratio ** np.arange(close)
    rest = geometric(beyond, first * ratio**close / (1 - covered))
    places = np.concatenate([[0.0], np.cumsum(steps), covered + (1 - covered) * rest[1:]])
    return np.asarray(places / places[-1])


def ratio_of(line: Line) -> float:
    """Largest ratio of neighbouring intervals."""
    steps = np.diff(line)
    if len(steps) < 2:
        return 1.0
    ratios = steps[1:] / steps[:-1]
    return float(np.maximum(ratios, 1 / ratios).max())


def cells_for(length: float, first: float, last: float, ratio: float) -> int:
    """Number of intervals that begin with `first`, grow by at most `ratio` up to about `last`, and fill
    `length`, m."""
    if first >= length:
        return 1
    last = min(last, length)
    if last <= first * 1.0001:
        return max(1, round(length / first))
    growing = math.log(last / first) / math.log(ratio)
    covered = (last - first) / (ratio - 1)
    if covered >= length:
        return max(1, math.ceil(math.log1p(length / first * (ratio - 1)) / math.log(ratio)))
    return max(1, math.ceil(growing + (length - covered) / last))


def two_sided(count: int, first: float, last: float) -> Line:
    """Places with given lengths of the first and the last interval.

    Source: Vinokur 1983, hyperbolic tangent with both slopes; the slopes are adjusted until the intervals
    have their lengths.
    """
    check_count(count, MOST_ALONG)
    asked = np.array([first, last])
    slopes = asked.copy()
    for _ in range(30):
        places = _tangent(count, *slopes)
        wrong = asked / np.diff(places)[[0, -1]]
        if np.abs(wrong - 1).max() < 1e-6:
            break
        slopes *= wrong
    return places


def _tangent(count: int, first: float, last: float) -> Line:
    slope_first, slope_last = 1 / (count * first), 1 / (count * last)
    a, b = math.sqrt(slope_first / slope_last), math.sqrt(slope_first * slope_last)
    t = uniform(count)
    if b > 1.0001:
        delta = _solve(lambda x: math.sinh(x) / x, b, 1e-4, 60.0)
        u = 0.5 * (1 + np.tanh(delta * (t - 0.5)) / math.tanh(delta / 2))
    elif b < 0.9999:
        delta = _solve(lambda x: -math.sin(x) / x, -b, 1e-4, math.pi - 1e-6)
        u = 0.5 * (1 + np.tan(delta * (t - 0.5)) / math.tan(delta / 2))
    else:
        u = t
    places = u / (a + (1 - a) * u)
    places[0], places[-1] = 0.0, 1.0
    return np.asarray(places)


def _solve(function: Callable[[float], float], value: float, low: float, high: float) -> float:
    """Argument at which an increasing function has this value."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        if function(middle) < value:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _sum(ratio: float, count: int) -> float:
    """Length of `count` intervals over the first one; infinite beyond the largest number."""
    if abs(ratio - 1) < 1e-12:
        return float(count)
    try:
        return (ratio**count - 1) / (ratio - 1)
    except OverflowError:
        return math.inf
