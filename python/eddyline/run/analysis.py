"""What a force signal says: whether it is periodic, over which window, and with which error."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
PERIODS = 5  # with an amplitude that has settled, before a flow counts as periodic
SETTLED = 0.02  # largest relative change of the amplitude over those periods
NOISE = 1e-3  # smallest amplitude of an oscillation, relative to the signal's largest value


@dataclass(frozen=True)
class Periodic:
    """A signal that repeats: its frequency [1/s] with error, and the window of whole periods, edges [s]."""

    frequency: float
    frequency_error: float
    edges: Vector

    @property
    def window(self) -> tuple[float, float]:
        return float(self.edges[0]), float(self.edges[-1])

    @property
    def periods(self) -> int:
        return len(self.edges) - 1


@dataclass(frozen=True)
class NotPeriodic:
    """Why a signal does not count as periodic, in words; `likely` is when it will [s], if that can be
    said."""

    reason: str
    likely: float | None = None


@dataclass(frozen=True)
class Statistic:
    """A value with its statistical error (one standard error, from period to period) and its window [s]."""

    value: float
    error: float | None
    window: tuple[float, float]


def find_periods(time: Vector, signal: Vector) -> Periodic | NotPeriodic:
    """Looks for periods in the latest part of `signal` ((n,), over `time` [s], rising)."""
    finite = np.isfinite(signal)
    time, signal = time[finite], signal[finite]
    if len(time) < 20:
        return NotPeriodic("too few rows")
    late = time >= time[0] + 0.5 * (time[-1] - time[0])
    middle = 0.5 * (float(signal[late].max()) + float(signal[late].min()))
    amplitude = 0.5 * float(np.ptp(signal[late]))
    if amplitude <= NOISE * float(np.abs(signal).max()) or amplitude == 0:
        return NotPeriodic("steady")
    edges = _rising_edges(time, signal - middle, 0.3 * amplitude)
    if len(edges) < 3:
        return NotPeriodic("not periodic yet")
    amplitudes = np.array([0.5 * np.ptp(signal[_between(time, a, b)]) for a, b in itertools.pairwise(edges)])
    settled = np.abs(amplitudes - amplitudes[-1]) <= SETTLED * amplitudes[-1]
    count = len(settled) if settled.all() else int(np.argmin(settled[::-1]))
    if count < PERIODS:
        return NotPeriodic("not periodic yet", _likely(edges, amplitudes, count))
    edges = edges[-count - 1 :]
    lengths = np.diff(edges)
    period = float(lengths.mean())
    error = float(lengths.std(ddof=1)) / math.sqrt(count) / period**2
    return Periodic(1 / period, error, edges)


def over_periods(time: Vector, values: Vector, periodic: Periodic, statistic: str) -> Statistic:
    """mean, min, max or rms (about the mean) over the window of `periodic`, with the scatter from period to
    period."""
    each = np.array(
        [_statistic(time, values, a, b, statistic) for a, b in itertools.pairwise(periodic.edges)]
    )
    error = float(each.std(ddof=1)) / math.sqrt(len(each)) if len(each) > 1 else None
    if statistic in ("min", "max"):
        value = float(each.max() if statistic == "max" else each.min())
    else:
        value = _statistic(time, values, *periodic.window, statistic)
    return Statistic(value, error, periodic.window)


def time_mean(time: Vector, values: Vector) -> float:
    """The mean over time of a signal with rows at any distance."""
    span = float(time[-1] - time[0])
    if span <= 0:
        return float(values.mean())
    return float(np.sum(0.5 * (values[1:] + values[:-1]) * np.diff(time)) / span)


def _statistic(time: Vector, values: Vector, start: float, stop: float, statistic: str) -> float:
    inside = _between(time, start, stop)
    part_time, part = time[inside], values[inside]
    if statistic == "max":
        return float(part.max())
    if statistic == "min":
        return float(part.min())
    mean = time_mean(part_time, part)
    return mean if statistic == "mean" else math.sqrt(time_mean(part_time, (part - mean) ** 2))


def _between(time: Vector, start: float, stop: float) -> slice:
    return slice(int(np.searchsorted(time, start)), max(int(np.searchsorted(time, stop)), 1) + 1)


def _rising_edges(time: Vector, signal: Vector, margin: float) -> Vector:
    """Times at which `signal` passes 0 upwards, counted again only after it was below -`margin`."""
    edges = []
    armed = False
    below = signal < -margin
    crossing = np.zeros(len(signal), dtype=bool)
    crossing[1:] = (signal[:-1] < 0) & (signal[1:] >= 0)
    for k in np.flatnonzero(below | crossing):
        if below[k]:
            armed = True
        elif armed:
            share = -signal[k - 1] / (signal[k] - signal[k - 1])
            edges.append(time[k - 1] + share * (time[k] - time[k - 1]))
            armed = False
    return np.array(edges)


def _likely(edges: Vector, amplitudes: Vector, settled: int) -> float | None:
    """When five settled periods will have passed, if the amplitude goes on settling as it does now [s]."""
    period = float(np.diff(edges[-3:]).mean())
    waiting = 0.0
    changes = np.abs(np.diff(amplitudes)) / np.maximum(amplitudes[1:], 1e-300)
    if settled <= 1 and len(changes) >= 2 and changes[-1] > SETTLED:
        ratio = min(0.9, max(0.3, float(changes[-1] / max(changes[-2], 1e-300))))
        waiting = math.log(SETTLED / changes[-1]) / math.log(ratio)
    return float(edges[-1]) + (waiting + PERIODS - min(settled, PERIODS)) * period
