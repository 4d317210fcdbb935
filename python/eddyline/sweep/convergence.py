"""Values at a spacing of zero: order of convergence, extrapolation, and an error bar.

A discretisation error is taken to be one power of the spacing, f(h) = f_0 + a h^p. Three spacings give p, a
and f_0 (Richardson extrapolation with an observed order, Roache 1994; Celik et al. 2008); with more of them
the least squares of f - f_0 - a h^p do (Eca and Hoekstra 2014). The error bar of the finest value is the grid
convergence index,

    F |f_0 - f(h_1)|,    F = 1.25 where the observed order is plausible, else 3 with second order in place of
    it,

and with more than three spacings the scatter about the fit is added.

Nothing is extrapolated from values that do not converge monotonically, or that differ by no more than their
statistical errors: an order that fits them would be luck.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
FEWEST = 3
LOWEST, HIGHEST = 0.5, 2.5  # orders that are plausible for a scheme of first to second order
FORMAL = 2.0  # order of the scheme, with which a higher observed one is replaced
SAFE, DOUBTFUL = 1.25, 3.0  # factors F
_ORDERS = np.linspace(0.05, 8.0, 1591)


@dataclass(frozen=True)
class Convergence:
    """order: observed.  extrapolated: value at a spacing of zero, f_0.  amplitude: a of f_0 + a h^p, in the
    unit of the value over m^p.  error: grid convergence index of the finest value and so the error bar of the
    extrapolated one, both in the unit of the value.  plausible: whether the observed order was used."""

    order: float
    extrapolated: float
    amplitude: float
    error: float
    plausible: bool = True

    @property
    def used_order(self) -> float:
        """The order that was extrapolated with, p."""
        return self.order if self.plausible else FORMAL

    def at(self, spacing: float) -> float:
        """Value of the fit at a spacing [m]: f_0 + a h^p."""
        return self.extrapolated + self.amplitude * float(spacing**self.used_order)

    def __str__(self) -> str:
        if self.plausible:
            return f"order {self.order:.2g}"
        instead = f"order {FORMAL:g} with a factor of safety of 3"
        return f"order {self.order:.2g} is too high to be reliable; used: {instead}"


def converge(
    spacings: Sequence[float], values: Sequence[float], errors: Sequence[float | None] | None = None
) -> Convergence | str:
    """The limit of `values` at `spacings` [m], in any order; or the reason why there is none.

    errors: statistical errors of the values, where they are known.
    """
    given = errors or [None] * len(values)
    rows = sorted(zip(spacings, values, [error or 0.0 for error in given], strict=True))
    known = len({h for h, _, _ in rows})
    if known < FEWEST:
        return f"not extrapolated: needs values at {FEWEST} spacings or more, there are {known}"
    h, f, noise = (np.array(column) for column in zip(*rows, strict=True))
    steps = np.diff(f)
    doubt = np.hypot(noise[1:], noise[:-1])
    if np.any(np.abs(steps) <= doubt):
        k = int(np.flatnonzero(np.abs(steps) <= doubt)[0])
        if doubt[k] == 0:
            return "not extrapolated: two spacings give the same value"
        return (
            f"not extrapolated: values at spacings {h[k]:.4g} and {h[k + 1]:.4g} m differ by "
            f"{abs(steps[k]):.2g}, within their statistical error {doubt[k]:.2g}; run longer"
        )
    if np.any(steps > 0) and np.any(steps < 0):
        return "not extrapolated: the values do not converge monotonically; use finer spacings"
    order = _order(h, f)
    if order is None:
        return "not extrapolated: the differences do not decrease with the spacing; use finer spacings"
    if order < LOWEST:
        return f"not extrapolated: the observed order is {order:.2g}, below {LOWEST}; use finer spacings"
    if order <= HIGHEST:
        fit = _fit(h, f, order)
        scatter = fit.rest * math.sqrt(len(h) / (len(h) - 3)) if len(h) > 3 else 0.0
        error = SAFE * abs(fit.limit - float(f[0])) + scatter
        return Convergence(order, fit.limit, fit.amplitude, error)
    fit = _fit(h[:2], f[:2], FORMAL)
    error = DOUBTFUL * abs(fit.limit - float(f[0]))
    return Convergence(order, fit.limit, fit.amplitude, error, plausible=False)


def _order(h: Vector, f: Vector) -> float | None:
    """The order with the least squared differences; None if none of 0.05 to 8 fits better than the ends of
    that range."""
    rest = np.array([_fit(h, f, float(order)).rest for order in _ORDERS])
    k = int(np.argmin(rest))
    if k == 0:
        return None
    low, high = _ORDERS[max(k - 1, 0)], _ORDERS[min(k + 1, len(_ORDERS) - 1)]
    for _ in range(60):  # thirds of an interval with one lowest place
        a, b = low + (high - low) / 3, high - (high - low) / 3
        if _fit(h, f, float(a)).rest < _fit(h, f, float(b)).rest:
            high = b
        else:
            low = a
    return float(0.5 * (low + high))


class _Fit(NamedTuple):
    """f_0 and a of f_0 + a h^p, and the root of the mean squared difference."""

    limit: float
    amplitude: float
    rest: float


def _fit(h: Vector, f: Vector, order: float) -> _Fit:
    """Least-squares fit for a given order."""
    basis = np.stack([np.ones_like(h), (h / h[-1]) ** order], axis=1)
    fitted = np.linalg.lstsq(basis, f, rcond=None)[0]
    rest = math.sqrt(float(np.mean((basis @ fitted - f) ** 2)))
    return _Fit(float(fitted[0]), float(fitted[1] / h[-1] ** order), rest)
