"""State of a flow: periodic, steady, or unsettled; and statistics over its window."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .averages import (
    Statistic,
    cut,
    mean_with_error,
    moving_mean,
    polynomial,
    root_mean_square,
    time_mean,
    uniform,
)
from .periods import (
    FLUCTUATION,
    PERIODS,
    STATISTICS,
    Irregular,
    Periodic,
    Unsettled,
    cycle_residual,
    find_periods,
    over_periods,
)

Vector = NDArray[np.float64]
DRIFT = 0.01  # largest change of a steady mean over its window, relative to the scale
TOLD = 2  # standard errors that a significant change must exceed
LARGEST_ERROR = 0.02  # largest error of a mean, relative to the scale; otherwise the window is too short
FARTHEST = 20  # longest forecast, in multiples of the observed time
_BATCHES = 200


@dataclass(frozen=True)
class Steady:
    """A signal whose mean no longer changes.

    window: start and end [s]. why_not_periodic, period: for a signal that oscillates without a settled
    period, the reason as text, and the mean period [s]."""

    window: tuple[float, float]
    why_not_periodic: str = ""
    period: float | None = None


FlowState = Periodic | Steady | Unsettled


def flow_state(time: Vector, signals: Sequence[Vector]) -> FlowState:
    """The state of a flow from the force on a body.

    signals: components of a force, (n,) each, over increasing `time` [s]. Periods are searched in this order,
    so the lift comes first: one period of the lift has two of the drag."""
    rows = np.isfinite(np.asarray(signals)).all(axis=0)
    time = time[rows]
    if len(time) < 20:
        return Unsettled("too few rows")
    signals = [np.asarray(signal)[rows] for signal in signals]
    late = time >= 0.5 * (time[0] + time[-1])
    scale = math.sqrt(sum(float(np.mean(signal[late] ** 2)) for signal in signals))
    if scale == 0:
        return Steady((float(time[0]), float(time[-1])))
    why, period = "", None
    for component, signal in enumerate(signals):
        found = find_periods(time, signal, scale, coherent=component > 0)
        if isinstance(found, Unsettled):
            return found
        if isinstance(found, Periodic):
            return _with_settled_means(time, signals, replace(found, component=component), scale)
        if isinstance(found, Irregular):
            why, period = found.reason, found.period
            break
    parts = [steady_part(time, signal, scale, period) for signal in signals]
    for part in parts:
        if isinstance(part, Unsettled):
            return replace(part, likely=_latest(parts))
    start = max(part.window[0] for part in parts if isinstance(part, Steady))
    swing = max(float(signal[time >= start].std()) for signal in signals) / scale
    if not why and swing > FLUCTUATION:
        why = f"not periodic: it fluctuates by {swing:.0%} without a period"
    return Steady((start, float(time[-1])), why, period)


def _with_settled_means(
    time: Vector, signals: Sequence[Vector], periodic: Periodic, scale: float
) -> Periodic | Unsettled:
    """The latest periods over which no mean of any signal drifts: an amplitude may settle before the drag
    does."""
    means = np.array(
        [
            [time_mean(*cut(time, signal, a, b)) for a, b in itertools.pairwise(periodic.edges)]
            for signal in signals
        ]
    )
    numbers = np.arange(periodic.periods, dtype=np.float64)
    for count in range(periodic.periods, PERIODS - 1, -1):
        lines = [polynomial(numbers[-count:], own[-count:], 1) for own in means]
        if all(abs(float(line[-1] - line[0])) < DRIFT * scale for line in lines):
            return replace(
                periodic, edges=periodic.edges[-count - 1 :], amplitudes=periodic.amplitudes[-count:]
            )
    worst = int(np.argmax([abs(own[-1] - own[-PERIODS]) for own in means]))
    late = _likely(
        time, np.interp(time, 0.5 * (periodic.edges[1:] + periodic.edges[:-1]), means[worst]), scale
    )
    return Unsettled("not periodic yet: the mean still drifts", late)


def steady_part(
    time: Vector, signal: Vector, scale: float | None = None, period: float | None = None
) -> Steady | Unsettled:
    """The latest part of a signal, in which its mean no longer changes.

    The start is cut off such that the error of the mean of the rest, for independent batches, is smallest
    (White 1997). The rest is steady if it is at least half of the time and its linear drift is below 1 % of
    the scale or not significant. period: of an oscillation about the mean [s], which is removed first."""
    even, values = uniform(time, signal)
    size = float(np.abs(values).max()) if scale is None else scale
    if period is not None:
        values = moving_mean(even, values, period)
    batches = np.array([part.mean() for part in np.array_split(values, min(_BATCHES, len(values) // 2))])
    window = (float(even[0] + (even[-1] - even[0]) * _truncation(batches)), float(even[-1]))
    rest_time, rest = cut(even, values, *window)
    drift, its_error = _change(rest_time, rest)
    if abs(drift) > max(DRIFT * size, TOLD * its_error):
        return Unsettled("not steady yet", _likely(even, values, size))
    error = _error(rest_time, rest)
    if error > LARGEST_ERROR * size:
        span = window[1] - window[0]
        longer = span * (error / (LARGEST_ERROR * size)) ** 2
        foreseeable = longer <= FARTHEST * (even[-1] - even[0])
        return Unsettled("too short for a mean", window[0] + float(longer) if foreseeable else None)
    return Steady(window)


def _error(time: Vector, values: Vector) -> float:
    """Standard error of the mean; infinite if unknown."""
    found = mean_with_error(time, values)
    return math.inf if found.error is None else found.error


def statistic(time: Vector, values: Vector, state: Periodic | Steady, name: str) -> Statistic | None:
    """A statistic of a signal over the window of a flow's state; None if that state has no such statistic.

    name: one of STATISTICS, or "noise", see `noise`. A steady flow has mean, rms and noise.
    """
    known = np.isfinite(values)
    time, values = time[known], values[known]
    if len(time) < 2:
        return None
    if name == "noise":
        return noise(time, values, state)
    if name not in STATISTICS:
        raise ValueError(f"unknown statistic {name!r}; known: {', '.join((*STATISTICS, 'noise'))}")
    if isinstance(state, Periodic):
        return over_periods(time, values, state, name)
    part = cut(time, values, *state.window)
    word = "irregular" if state.why_not_periodic else "steady"
    if name == "mean":
        found = mean_with_error(*part, state.period)
        error = None if found.error is None else math.hypot(found.error, _creep(*part, state.period))
        return replace(found, error=error, what=f"mean, {word}")
    return Statistic(root_mean_square(*part), None, state.window, f"rms, {word}") if name == "rms" else None


def _creep(time: Vector, values: Vector, period: float | None) -> float:
    """Likely error of a mean because the signal still drifts. The mean over another window of this length may
    differ by between zero and the linear change; this is the root mean square of these differences. Only the
    significant part of the change counts."""
    if period is not None:
        even, values = uniform(time, values)
        time, values = even, moving_mean(even, values, period)
    change, noise = _change(time, values)
    return math.sqrt(max(0.0, change**2 - (TOLD * noise) ** 2) / 3)


def _change(time: Vector, values: Vector) -> tuple[float, float]:
    """Change along the regression line from end to end, and its standard error: sqrt(12) times that of the
    mean."""
    line = np.polynomial.Polynomial.fit(time, values, 1)
    change = float(line(time[-1]) - line(time[0]))
    return change, math.sqrt(12) * _error(time, values - line(time))


def noise(time: Vector, values: Vector, state: Periodic | Steady) -> Statistic | None:
    """The standard deviation after removal of the mean, the shedding period and its harmonics, relative to
    the mean; None if the mean is smaller than the rms about it, as for a lift."""
    part = cut(time, values, *state.window)
    mean = time_mean(*part)
    if abs(mean) <= root_mean_square(*part):
        return None
    if isinstance(state, Periodic):
        rest = cycle_residual(time, values, state)
        what = f"of {state.periods} periods without their mean cycle"
    else:
        rest, what = part, "of the steady part"
    return Statistic(root_mean_square(*rest) / abs(mean), None, state.window, what)


def _truncation(batches: Vector) -> float:
    """The share of the batches to cut off at the start, at most one half, that minimises var / (count -
    1)."""
    count = len(batches)
    best, least = 0, math.inf
    for start in range(count // 2 + 1):
        rest = batches[start:]
        spread = float(rest.var()) / len(rest)
        if spread < least:
            best, least = start, spread
    return best / count


def _likely(time: Vector, values: Vector, size: float) -> float | None:
    """Time at which the drift over the second half of the time will be below 1 % [s], if the transient decays
    exponentially as in the last two thirds; None if it does not decay."""
    parts = [part.mean() for part in np.array_split(values[len(values) // 3 :], 3)]
    first, second = float(parts[1] - parts[0]), float(parts[2] - parts[1])
    if first * second <= 0 or abs(second) >= abs(first):
        return None
    third = 2 / 9 * float(time[-1] - time[0])
    rate = math.log(first / second) / third
    left = abs(second) / (math.exp(rate * third) - 1)  # rest of the transient, in the mean of the last part
    middle = float(time[-1]) - 0.5 * third
    span = float(time[-1] - time[0])
    for times in np.linspace(1.0, 50.0, 491):
        end = float(time[0] + times * span)
        start = float(time[0] + 0.5 * times * span)
        drift = left * (math.exp(-rate * (start - middle)) - math.exp(-rate * (end - middle)))
        if times > 1 and drift < DRIFT * size:
            return end
    return None


def _latest(parts: Sequence[Steady | Unsettled]) -> float | None:
    """Time at which the last part will be settled; None if it is unknown for one of them."""
    times = [part.likely for part in parts if isinstance(part, Unsettled)]
    return None if any(time is None for time in times) else max(time for time in times if time is not None)
