"""Time averages of signals with rows at any intervals, and their statistical errors."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
CUT = 5.0  # correlation times over which an autocorrelation is summed
LONGEST = 0.25  # longest lag, share of the window: for longer lags too few pairs of rows remain
MOST_ROUNDS, CLOSE = 30, 1e-3  # iterations until the variance of a mean is constant within this share


@dataclass(frozen=True)
class Statistic:
    """A value with its statistical error and its window.

    error: statistical, one standard error; None if unknown. window: start and end [s]. what: text about
    statistic and window, such as "maximum of 7 periods"."""

    value: float
    error: float | None = None
    window: tuple[float, float] | None = None
    what: str = ""


def time_mean(time: Vector, values: Vector) -> float:
    """The mean over time, by the trapezoidal rule."""
    span = float(time[-1] - time[0])
    if span <= 0:
        return float(values.mean())
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(time)) / span)


def cut(time: Vector, values: Vector, start: float, stop: float) -> tuple[Vector, Vector]:
    """The rows from `start` to `stop` [s], with interpolated rows at both ends."""
    inside = (time > start) & (time < stop)
    ends = np.interp([start, stop], time, values)
    return (
        np.concatenate([[start], time[inside], [stop]]),
        np.concatenate([ends[:1], values[inside], ends[1:]]),
    )


def uniform(time: Vector, *signals: Vector) -> tuple[Vector, ...]:
    """The signals resampled at equal intervals, with the same number of rows."""
    even = np.linspace(float(time[0]), float(time[-1]), len(time))
    return (even, *(np.interp(even, time, signal) for signal in signals))


def moving_mean(time: Vector, values: Vector, period: float) -> Vector:
    """The mean over one period around each time; near the ends the first and last such mean."""
    step = np.diff(time)
    integral = np.concatenate([[0.0], np.cumsum(0.5 * (values[1:] + values[:-1]) * step)])
    if time[-1] - time[0] <= period:
        return np.full_like(values, integral[-1] / (time[-1] - time[0]))
    middle = np.clip(time, time[0] + 0.5 * period, time[-1] - 0.5 * period)
    high, low = (
        np.interp(middle + 0.5 * period, time, integral),
        np.interp(middle - 0.5 * period, time, integral),
    )
    mean: Vector = (high - low) / period
    return mean


def polynomial(x: Vector, values: Vector, degree: int) -> Vector:
    """(n,) least-squares polynomial of this degree, evaluated at x."""
    fitted: Vector = np.polynomial.Polynomial.fit(x, values, degree)(x)
    return fitted


def correlation_time(time: Vector, values: Vector) -> float:
    """The integral of the autocorrelation from 0 to infinity [s]. At least half a row interval, for
    uncorrelated rows."""
    even, signal = uniform(time, values)
    return _correlation(signal).time * float(even[1] - even[0])


def mean_with_error(time: Vector, values: Vector, period: float | None = None) -> Statistic:
    """The mean over time and its error, sqrt(2 tau / T) sigma, where tau is the correlation time and T the
    length of the window: only rows more than 2 tau apart are independent.

    period: of an oscillation [s], if any: the error is then that of the mean over one period around each row,
    since the oscillation itself cancels. No error for fewer than ten rows."""
    window = (float(time[0]), float(time[-1]))
    mean, span = time_mean(time, values), window[1] - window[0]
    if len(time) < 10 or span <= 0:
        return Statistic(mean, None, window)
    even, signal = uniform(time, values)
    if period is not None:
        signal = moving_mean(even, signal, period)
    return Statistic(mean, math.sqrt(_correlation(signal).variance_of_mean), window)


@dataclass(frozen=True)
class _Correlation:
    time: float  # in rows
    variance_of_mean: float


def _correlation(signal: Vector) -> _Correlation:
    """Correlation time of rows at equal intervals, and the variance of their mean.

    The sum of the autocorrelation stops at five correlation times, so that the noise of the tail has no
    effect (Madras & Sokal 1988, appendix C), and at a quarter of the window. Covariances about the mean of
    the window are too small by the variance of that mean (Wolff 2004), which is added iteratively."""
    departure = signal - signal.mean()
    count = len(departure)
    power = np.abs(np.fft.rfft(departure, 2 * count)) ** 2
    lags = np.arange(max(2, round(LONGEST * count)))
    seen = np.fft.irfft(power)[: len(lags)] / (count - lags)
    rows, of_mean = 0.5, 0.0
    if not seen[0] > 0:
        return _Correlation(rows, of_mean)
    for _ in range(MOST_ROUNDS):
        covariance = seen + of_mean
        sums = np.cumsum(covariance / covariance[0]) - 0.5
        enough = np.flatnonzero(lags >= CUT * sums)
        rows = max(float(sums[enough[0]] if len(enough) else sums.max()), 0.5)
        before, of_mean = of_mean, 2 * rows / count * float(covariance[0])
        if of_mean - before <= CLOSE * of_mean:
            break
    return _Correlation(rows, of_mean)


def root_mean_square(time: Vector, values: Vector) -> float:
    """Root mean square of the deviation from the time average."""
    mean = time_mean(time, values)
    return math.sqrt(time_mean(time, (values - mean) ** 2))
