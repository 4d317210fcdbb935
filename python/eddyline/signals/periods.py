"""Periods of a signal: their limits, their amplitudes, and the test for a settled amplitude.

A period begins where the signal crosses its own moving mean upwards. Its amplitude is that of the fundamental
within the period. The mean cycle of a window is the least-squares Fourier series of the phase, fitted to all
its periods."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .averages import Statistic, cut, moving_mean, polynomial, root_mean_square, time_mean, uniform
from .significance import grows, stands_out
from .spectrum import dominant_frequency

Vector = NDArray[np.float64]
PERIODS = 5  # number of periods with a settled amplitude that make a signal periodic
SETTLED = 0.02  # largest change of the amplitude over those periods, relative to it
SCATTER = 0.05  # largest standard deviation of the amplitudes about a straight line, relative to them
UNEVEN = 0.15  # largest standard deviation of the lengths of periods, relative to their mean
SMALLEST = 0.01  # amplitude of an oscillation that counts, relative to the scale of the signal
FLUCTUATION = 0.05  # rms of a signal, relative to its scale, above which a flow is no longer called steady
HARMONICS = 8  # of the mean cycle
STATISTICS = ("mean", "max", "min", "amplitude", "rms")
_FEWEST_ROWS = 20
_COHERENT = 0.5  # amplitude of the fundamental of a coherent oscillation, relative to sqrt(2) times its rms
_FARTHEST = 200  # maximum number of periods of a forecast
_NOISY = 0.25  # relative standard deviation of the amplitudes above which the signal is noise
_LAST = 8  # latest periods that are also tested alone, as an oscillation may grow late in a long signal
_SMOOTHING = 0.08  # standard deviation of the filter used to find edges, share of a period
_SATURATION = 0.3  # assumed amplitude of saturation if nothing is known, relative to the scale


@dataclass(frozen=True)
class Periodic:
    """A signal that repeats.

    edges: (periods + 1,) times at which periods begin and end [s].
    amplitudes: (periods,) of the fundamental.
    """

    edges: Vector
    amplitudes: Vector
    component: int = 0  # component of the force in which the periods were found

    @property
    def window(self) -> tuple[float, float]:
        return float(self.edges[0]), float(self.edges[-1])

    @property
    def periods(self) -> int:
        return len(self.amplitudes)

    @property
    def frequency(self) -> float:
        """Number of periods divided by their total duration [1/s]."""
        return self.periods / float(self.edges[-1] - self.edges[0])

    @property
    def frequency_error(self) -> float:
        """One standard error [1/s], from the scatter of the period lengths."""
        lengths = np.diff(self.edges)
        return float(lengths.std(ddof=1)) / math.sqrt(len(lengths)) / float(lengths.mean()) ** 2


@dataclass(frozen=True)
class Unsettled:
    """A signal whose state is not settled yet. reason: as text. likely: expected time of a settled state [s],
    if it can be predicted."""

    reason: str
    likely: float | None = None


@dataclass(frozen=True)
class Irregular:
    """A signal that oscillates for long without a settled period: the reason as text, and its mean period
    [s]."""

    reason: str
    period: float


@dataclass(frozen=True)
class Quiet:
    """A signal without an oscillation that can be distinguished from noise."""


def find_periods(
    time: Vector, signal: Vector, scale: float | None = None, *, coherent: bool = False
) -> Periodic | Irregular | Unsettled | Quiet:
    """Looks for periods in the latest part of `signal`, (n,) over rising `time` [s].

    scale: reference for amplitudes, e.g. the magnitude of the whole force; default the largest value.
    coherent: treat an oscillation as noise if its fundamental has less than a quarter of the variance, or if
    it has not lasted for half of the time. A small oscillation that does not grow is also noise if it has not
    lasted or its amplitude is random: sound in a channel oscillates in trains of a few periods."""
    known = np.isfinite(signal)
    time, signal = time[known], signal[known]
    if len(time) < _FEWEST_ROWS:
        return Unsettled("too few rows")
    size = float(np.abs(signal).max()) if scale is None else scale
    even, values = uniform(time, signal)
    late = even >= 0.5 * (even[0] + even[-1])
    frequency = dominant_frequency(even[late], values[late])
    if frequency <= 0 or frequency * (even[1] - even[0]) > 0.25:
        return Quiet()
    departure = values - moving_mean(even, values, 1 / frequency)
    rows = _SMOOTHING / (frequency * (even[1] - even[0]))
    edges = _rising_edges(even, _smooth(departure, rows), frequency)
    half = 0.5 / frequency  # closer to the ends the moving mean is not defined
    edges = edges[(edges >= even[0] + half) & (edges <= even[-1] - half)]
    if len(edges) < 4:
        rest = _smooth(values[late] - polynomial(even[late], values[late], 3), 0.5 * rows)
        begun = _late_amplitude(rest) > SMALLEST * size and _explained(even[late], rest, frequency) > 0.5
        begun = begun and _is_oscillation(even, values, frequency)
        return Unsettled("not periodic yet") if begun and not coherent else Quiet()
    edges = _last_regular(edges, frequency)
    if len(edges) < 4:
        return Quiet()
    amplitudes = np.array([_fundamental(even, departure, a, b) for a, b in itertools.pairwise(edges)])
    found = _judge(edges, amplitudes, size)
    if isinstance(found, Periodic):
        return found
    if isinstance(found, Unsettled) and not _is_oscillation(even, values, frequency):
        return Quiet()
    lasts = bool(edges[0] <= even[late][0])
    if coherent:
        since = even >= edges[max(-PERIODS - 1, -len(edges))]
        noise = not lasts or amplitudes[-PERIODS:].mean() < _COHERENT * _late_amplitude(departure[since])
    else:
        noise = _is_small_noise(amplitudes[-2 * PERIODS :], size, lasts, isinstance(found, Irregular))
    return Quiet() if noise else found


def over_periods(time: Vector, values: Vector, periodic: Periodic, statistic: str) -> Statistic:
    """One of STATISTICS over whole periods, with its error from the scatter between them.

    mean, rms: over time; rms is that of the deviation from the mean. max, min, amplitude: of the mean cycle,
    so that noise does not contribute. amplitude: half of max - min."""
    count = periodic.periods
    parts = [cut(time, values, a, b) for a, b in itertools.pairwise(periodic.edges)]
    if statistic in ("mean", "rms"):
        measure = time_mean if statistic == "mean" else root_mean_square
        value = measure(*cut(time, values, *periodic.window))
        each = np.array([measure(*part) for part in parts])
    else:
        numbers = harmonics(time, values, periodic.edges)
        value = _extreme(mean_cycle(time, values, periodic.edges, numbers), statistic)
        ends = [periodic.edges[k : k + 2] for k in range(count)]
        each = np.array([_extreme(mean_cycle(time, values, pair, numbers), statistic) for pair in ends])
    error = float(each.std(ddof=1)) / math.sqrt(count) if count > 1 else None
    word = {"max": "maximum", "min": "minimum"}.get(statistic, statistic)
    return Statistic(value, error, periodic.window, f"{word} of {count} periods")


def mean_cycle(
    time: Vector, values: Vector, edges: Vector, numbers: Sequence[int], points: int = 720
) -> Vector:
    """(points,) the mean cycle between `edges` from the harmonics `numbers`, at equal intervals of the
    phase."""
    phase, inside = _inside(time, values, edges)
    cycle: Vector = _basis(np.arange(points) / points, numbers) @ _fit(phase, inside, numbers)
    return cycle


def harmonics(time: Vector, values: Vector, edges: Vector) -> list[int]:
    """The harmonics among the first eight whose amplitude exceeds three standard errors. The fundamental
    always counts. Harmonics of noise would increase the maximum of a cycle."""
    phase, inside = _inside(time, values, edges)
    rows = len(phase) // max(len(edges) - 1, 1)
    numbers = range(1, max(2, min(HARMONICS, rows // 4) + 1))
    fitted = _fit(phase, inside, numbers)
    rest = inside - _basis(phase, numbers) @ fitted
    error = float(rest.std()) * math.sqrt(2 / len(rest))
    sizes = np.hypot(fitted[1::2], fitted[2::2])
    return [number for number, size in zip(numbers, sizes, strict=True) if number == 1 or size > 3 * error]


def cycle_residual(time: Vector, values: Vector, periodic: Periodic) -> tuple[Vector, Vector]:
    """The times of the rows inside the periods, and their residuals without the mean cycle."""
    phase, inside = _inside(time, values, periodic.edges)
    numbers = harmonics(time, values, periodic.edges)
    rows = (time >= periodic.edges[0]) & (time <= periodic.edges[-1])
    return time[rows], inside - _basis(phase, numbers) @ _fit(phase, inside, numbers)


def phase_of(time: Vector, edges: Vector) -> Vector:
    """Phase in periods since the first edge: 1.25 is a quarter of the second period."""
    return np.interp(time, edges, np.arange(len(edges), dtype=np.float64))


def _inside(time: Vector, values: Vector, edges: Vector) -> tuple[Vector, Vector]:
    """Phases and values of the rows between the edges."""
    rows = (time >= edges[0]) & (time <= edges[-1])
    return phase_of(time[rows], edges), values[rows]


def _fit(phase: Vector, values: Vector, numbers: Sequence[int]) -> Vector:
    """Coefficients of the Fourier series of the phase: 1, then cosine and sine of each harmonic."""
    return np.linalg.lstsq(_basis(phase, numbers), values, rcond=None)[0].astype(np.float64)


def _basis(phase: Vector, numbers: Sequence[int]) -> Vector:
    angle = 2 * math.pi * phase
    columns = [np.ones_like(phase)]
    for number in numbers:
        columns += [np.cos(number * angle), np.sin(number * angle)]
    return np.stack(columns, axis=1)


def _extreme(cycle: Vector, statistic: str) -> float:
    if statistic == "amplitude":
        return 0.5 * float(np.ptp(cycle))
    return float(cycle.max() if statistic == "max" else cycle.min())


def _fundamental(time: Vector, departure: Vector, start: float, stop: float) -> float:
    """The amplitude of the fundamental between two edges."""
    part, values = cut(time, departure, start, stop)
    angle = 2 * math.pi * (part - start) / (stop - start)
    return 2 * math.hypot(time_mean(part, values * np.cos(angle)), time_mean(part, values * np.sin(angle)))


def _explained(time: Vector, rest: Vector, frequency: float) -> float:
    """The share of the variance that a sine of this frequency explains."""
    basis = _basis(frequency * time, [1])
    fitted = basis @ np.linalg.lstsq(basis, rest, rcond=None)[0]
    variance = float(rest.var())
    return 1 - float((rest - fitted).var()) / variance if variance > 0 else 0.0


def _late_amplitude(departure: Vector) -> float:
    return math.sqrt(2 * float(np.mean(departure**2)))


# --- edges --------------------------------------------------------------------------------------------------


def _smooth(values: Vector, rows: float) -> Vector:
    """The values filtered by a Gaussian of standard deviation `rows`, mirrored at the ends."""
    reach = int(4 * rows) + 1
    if rows < 0.5 or reach >= len(values):
        return values
    weight = np.exp(-0.5 * (np.arange(-reach, reach + 1) / rows) ** 2)
    return np.convolve(np.pad(values, reach, mode="reflect"), weight / weight.sum(), mode="valid")


def _rising_edges(time: Vector, signal: Vector, frequency: float) -> Vector:
    """Times at which `signal` crosses 0 upwards; each needs a value well below 0 since the previous one."""
    size = np.sqrt(2 * moving_mean(time, signal**2, 1 / frequency))
    low = signal < -0.3 * size
    crossing = np.zeros(len(signal), dtype=bool)
    crossing[1:] = (signal[:-1] < 0) & (signal[1:] >= 0)
    edges: list[float] = []
    armed = False
    for k in np.flatnonzero(low | crossing):
        if low[k]:
            armed = True
        elif armed:
            share = -signal[k - 1] / (signal[k] - signal[k - 1])
            edges.append(float(time[k - 1] + share * (time[k] - time[k - 1])))
            armed = False
    return np.array(edges)


def _last_regular(edges: Vector, frequency: float) -> Vector:
    """The latest edges with intervals near one period."""
    near = np.abs(np.diff(edges) * frequency - 1) < 0.4
    wrong = np.flatnonzero(~near)
    return edges[wrong[-1] + 1 :] if len(wrong) else edges


# --- judgement ----------------------------------------------------------------------------------------------


def _judge(edges: Vector, amplitudes: Vector, size: float) -> Periodic | Irregular | Unsettled | Quiet:
    for count in range(len(amplitudes), PERIODS - 1, -1):
        if _is_settled(amplitudes[-count:], np.diff(edges[-count - 1 :])):
            if float(amplitudes[-count:].mean()) < SMALLEST * size:
                return Quiet()
            return Periodic(edges[-count - 1 :], amplitudes[-count:])
    latest = amplitudes[-PERIODS:]
    last = amplitudes[-2 * PERIODS :]
    begins = len(latest) == PERIODS and latest[-1] > 1.05 * latest[0] and grows(last)
    if float(latest.mean()) < SMALLEST * size and not begins:
        return Quiet()
    if len(last) == 2 * PERIODS and min(_scatter(latest, 1), _scatter(last, 2)) > SCATTER:
        return Irregular(
            f"not periodic: the amplitude scatters by {_scatter(last, 2):.0%} from period to period",
            float(np.diff(edges[-2 * PERIODS - 1 :]).mean()),
        )
    return Unsettled("not periodic yet", _likely(edges, amplitudes, size))


def _is_oscillation(time: Vector, values: Vector, frequency: float) -> bool:
    """True if the later half of a signal, or its last periods alone, oscillate significantly above noise."""
    left = time[-1] - time
    late, last = (left <= span for span in (0.5 * float(left[0]), _LAST / frequency))
    found = stands_out(time[late], values[late], frequency)
    return found is not False or bool(stands_out(time[last], values[last], frequency))


def _is_small_noise(latest: Vector, size: float, lasts: bool, irregular: bool) -> bool:
    """True if the oscillation is small, does not grow, and is not a lasting irregular oscillation."""
    small = float(latest.mean()) < math.sqrt(2) * FLUCTUATION * size
    if not small or grows(latest) or grows(latest[-PERIODS:]):
        return False
    few = len(latest) < PERIODS
    return not ((irregular or few) and lasts) or _scatter(latest, 1) > _NOISY


def _is_settled(amplitudes: Vector, lengths: Vector) -> bool:
    uneven = float(lengths.std(ddof=1)) > UNEVEN * float(lengths.mean())
    return not uneven and _scatter(amplitudes, 1) < SCATTER and abs(_change(amplitudes)) < SETTLED


def _change(amplitudes: Vector) -> float:
    """Change from the first to the last amplitude along the regression line, relative to their mean."""
    line = polynomial(np.arange(len(amplitudes), dtype=np.float64), amplitudes, 1)
    return float((line[-1] - line[0]) / amplitudes.mean())


def _scatter(amplitudes: Vector, degree: int) -> float:
    """Standard deviation of the logarithms about a polynomial: a relative scatter, zero for exponential
    growth."""
    logarithms = np.log(np.maximum(amplitudes, 1e-300))
    rest = logarithms - polynomial(np.arange(len(amplitudes), dtype=np.float64), logarithms, degree)
    return math.sqrt(float(np.sum(rest**2)) / (len(rest) - degree - 1))


def _likely(edges: Vector, amplitudes: Vector, size: float) -> float | None:
    """Time at which five settled periods will have passed [s], if the amplitude A continues its present
    trend.

    The growth of an oscillation slows down near saturation, d(ln A)/dt = sigma - l A^2 (Stuart 1958): sigma
    and l are fitted to the latest periods and A is continued with them, period by period. If the growth does
    not slow down yet, l is chosen such that A saturates at 0.3 of the scale. None for more than 200 periods.
    """
    period = float(np.diff(edges[-4:]).mean())
    recent = np.maximum(amplitudes[-PERIODS - 1 :], 1e-300)
    growth = np.diff(np.log(recent))
    squares = recent[:-1] * recent[1:]
    sigma, damping = float(growth.mean()), 0.0
    if len(growth) >= 3 and np.ptp(squares) > 1e-3 * squares.mean():
        slope, sigma_fitted = np.polyfit(squares, growth, 1)
        if slope < 0 < sigma_fitted:
            sigma, damping = float(sigma_fitted), -float(slope)
    if damping == 0 and sigma > 0:
        damping = sigma / max(_SATURATION * size, 1.05 * float(recent[-1])) ** 2
    course = list(recent)
    for count in range(1, _FARTHEST):
        course.append(course[-1] * math.exp(max(-1.0, min(1.0, sigma - damping * course[-1] ** 2))))
        if abs(_change(np.array(course[-PERIODS:]))) < SETTLED:
            return float(edges[-1]) + (count + 0.5) * period
    return None
