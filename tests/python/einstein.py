"""Flat space and time in bent, moving coordinates: fields of Z4c with all their derivatives, in 60 digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp

mp.mp.dps = 60
_STEP = mp.mpf(10) ** -16
_AXES = "xyz"

Values = dict[str, Any]
Place = tuple[Any, ...]


def _bent(place: Place, k: int) -> Any:
    """The distance of coordinate k of flat space from that of the bent one: smooth, without symmetries."""
    t, x, y, z = place
    a, b, c, d = 0.31 + 0.1 * k, 0.43 - 0.07 * k, 0.27 + 0.05 * k, 0.36 - 0.04 * k
    return (
        mp.sin(a * x + b * y + 0.2 + k) * mp.cos(c * z + d * t) / 3
        + mp.sin(d * x - c * y + a * z + b * t + k) / 4
    )


def _slope(function: Callable[[Place], Any], place: Place, axis: int) -> Any:
    up, down = list(place), list(place)
    up[axis] += _STEP
    down[axis] -= _STEP
    return (function(tuple(up)) - function(tuple(down))) / (2 * _STEP)


def _metric(place: Place) -> Any:
    """The metric of flat space and time, in the coordinates t, x, y, z."""
    jacobian = mp.matrix(4, 4)
    for k in range(4):
        for axis in range(4):
            bend = _slope(lambda at, k=k: _bent(at, k), place, axis)
            jacobian[k, axis] = (1 if k == axis else 0) + bend
    return jacobian.T * mp.diag([-1, 1, 1, 1]) * jacobian


def fields(place: Place) -> Values:
    """The fields at a place."""
    metric = _metric(place)
    slopes = [_slope(_metric, place, axis) for axis in range(4)]
    gamma, inverse = metric[1:, 1:], metric[1:, 1:] ** -1
    lower = [metric[0, 1 + i] for i in range(3)]
    shift = [sum(inverse[i, j] * lower[j] for j in range(3)) for i in range(3)]
    lapse = mp.sqrt(sum(lower[i] * shift[i] for i in range(3)) - metric[0, 0])

    def d(k: int, i: int, j: int) -> Any:
        return slopes[1 + k][1 + i, 1 + j]

    def christoffel(k: int, i: int, j: int) -> Any:
        return sum(inverse[k, m] * (d(i, j, m) + d(j, i, m) - d(m, i, j)) / 2 for m in range(3))

    curvature = mp.matrix(3, 3)
    for i in range(3):
        for j in range(3):
            bend = slopes[1 + i][0, 1 + j] + slopes[1 + j][0, 1 + i]
            bend -= 2 * sum(christoffel(k, i, j) * lower[k] for k in range(3))
            curvature[i, j] = (bend - slopes[0][1 + i, 1 + j]) / (2 * lapse)
    trace = sum(inverse[i, j] * curvature[i, j] for i in range(3) for j in range(3))
    chi = mp.det(gamma) ** (-mp.mpf(1) / 3)
    found = {"alpha": lapse, "chi": chi, "K": trace, "theta": mp.mpf(0)}
    for i in range(3):
        found[f"beta_{_AXES[i]}"] = shift[i]
        for j in range(i, 3):
            name = _AXES[i] + _AXES[j]
            found[f"g_{name}"] = chi * gamma[i, j]
            found[f"A_{name}"] = chi * (curvature[i, j] - gamma[i, j] * trace / 3)
    return found | _contracted(place)


def _contracted(place: Place) -> Values:
    """G^i = -d_j of the inverse of the conformal metric, whose determinant is 1."""

    def conformal(at: Place) -> Any:
        gamma = _metric(at)[1:, 1:]
        return gamma**-1 * mp.det(gamma) ** (mp.mpf(1) / 3)

    slopes = [_slope(conformal, place, 1 + axis) for axis in range(3)]
    return {f"G_{_AXES[i]}": -sum(slopes[j][i, j] for j in range(3)) for i in range(3)}


def with_derivatives(place: Place) -> tuple[Values, Values]:
    """The fields and their derivatives in space, named as f__x and f__xy; and their derivatives in time."""
    step = mp.mpf(10) ** -12

    def at(*moves: tuple[int, int]) -> Values:
        moved = list(place)
        for axis, steps in moves:
            moved[axis] += steps * step
        return fields(tuple(moved))

    here = at()
    found = dict(here)
    sides = {axis: (at((axis, -1)), at((axis, 1))) for axis in range(4)}
    for i in range(3):
        low, high = sides[1 + i]
        for name, value in here.items():
            found[f"{name}__{_AXES[i]}"] = (high[name] - low[name]) / (2 * step)
            found[f"{name}__{_AXES[i] * 2}"] = (high[name] - 2 * value + low[name]) / step**2
        for j in range(i):
            corners = {(a, b): at((1 + j, a), (1 + i, b)) for a in (-1, 1) for b in (-1, 1)}
            for name in here:
                total = sum(a * b * corner[name] for (a, b), corner in corners.items())
                found[f"{name}__{_AXES[j]}{_AXES[i]}"] = total / (4 * step**2)
    low, high = sides[0]
    return found, {name: (high[name] - low[name]) / (2 * step) for name in here}
