"""Significance tests: an oscillation, or the growth of its amplitude, against noise."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .averages import polynomial

Vector = NDArray[np.float64]
CHANCE = 1e-4  # largest probability that noise is classified as an oscillation
GROWTH_CHANCE = 0.01  # largest probability that steady amplitudes are classified as growing
_LOBE = 3  # points of the spectrum on either side of a peak that belong to it under a Hann window
_FEWEST_POINTS = 12  # points of the spectrum without the peak that are needed to fit the background
_REDNESS = np.concatenate([np.linspace(0.0, 0.9, 31), 1 - np.geomspace(0.095, 1e-4, 60)])
_LIKELY = 2.0  # difference of log likelihood of backgrounds that are accepted at 95 % confidence
_QUANTILES = 2000  # points of the integral of Student's distribution


def stands_out(time: Vector, values: Vector, frequency: float) -> bool | None:
    """True if the spectrum has a peak at `frequency` [1/s] that noise would have with a probability below
    0.01 %; None if there are too few rows.

    time, values: (n,) at equal intervals [s]. The noise model is a first-order autoregressive process, white
    or red: its spectrum is fitted to the logarithms of the periodogram without the peak, by least absolute
    deviations so that other peaks have little effect (Mann & Lees 1996). The ratio of the periodogram to the
    spectrum of the noise follows an exponential distribution."""
    count = len(values)
    rest = (values - polynomial(time, values, 3)) * np.hanning(count + 1)[:-1]
    power = np.abs(np.fft.rfft(rest)[2:]) ** 2  # lower frequencies were removed with the trend
    steps = np.fft.rfftfreq(count)[2:]
    place = frequency * (time[1] - time[0])
    inside = np.abs(steps - place) * count < 1.0
    background = (np.abs(steps - place) * count > _LOBE) & (power > 0)
    if not inside.any() or background.sum() < _FEWEST_POINTS:
        return None
    peak = float(np.abs(np.sum(rest * np.exp(-2j * math.pi * place * np.arange(count)))) ** 2)
    peak = max(peak, float(power[inside].max()))
    level = _red_noise(steps[background], power[background], place)
    return len(steps) * math.exp(-peak / level) < CHANCE


def _red_noise(steps: Vector, power: Vector, place: float) -> float:
    """The highest accepted power of the noise at `place`. steps, place: frequency times the row interval."""

    def shape(at: Vector | float) -> Vector:
        red = _REDNESS[:, None]
        return np.asarray(1 / (1 + red**2 - 2 * red * np.cos(2 * math.pi * np.atleast_1d(at))))

    logarithms = np.log(power) - np.log(shape(steps))
    middle = np.median(logarithms, axis=1)
    misfit = np.abs(logarithms - middle[:, None]).mean(axis=1)
    likely = len(steps) * np.log(misfit / misfit.min()) < _LIKELY
    levels = shape(place)[:, 0] * np.exp(middle) / math.log(2)  # the median is ln 2 of the mean
    return float(levels[likely].max())


def grows(amplitudes: Vector) -> bool:
    """True if the amplitudes of successive periods, (n,), grow: the slope of the regression line through
    their logarithms is positive with a probability of 99 %. Successive amplitudes are correlated, so the
    number of independent ones is n (1 - r) / (1 + r), with the correlation r of residuals one period apart
    (Santer et al. 2000)."""
    count = len(amplitudes)
    if count < 3:
        return False
    numbers = np.arange(count) - 0.5 * (count - 1)
    logarithms = np.log(np.maximum(amplitudes, 1e-300))
    square = float(np.sum(numbers**2))
    slope = float(np.sum(numbers * logarithms)) / square
    rest = logarithms - logarithms.mean() - slope * numbers
    squares = float(np.sum(rest**2))
    if slope <= 0 or squares <= 1e-24 * count:
        return slope > 0
    correlation = min(max(0.0, float(np.sum(rest[1:] * rest[:-1])) / squares), 0.9)
    freedom = max(count * (1 - correlation) / (1 + correlation) - 2, 0.5)
    return _student_tail(slope / math.sqrt(squares / freedom / square), freedom) < GROWTH_CHANCE


def _student_tail(value: float, freedom: float) -> float:
    """The probability that a variable of Student's t distribution exceeds `value` > 0.

    With value = sqrt(freedom) tan(angle) the density is that of cos(angle)^(freedom - 1).
    """
    power = max(freedom, 1.0) - 1
    tail = np.linspace(math.atan(value / math.sqrt(freedom)), 0.5 * math.pi, _QUANTILES)
    half = np.linspace(0.0, 0.5 * math.pi, _QUANTILES)
    areas = [float(np.trapezoid(np.cos(part) ** power, part)) for part in (tail, half)]
    return 0.5 * areas[0] / areas[1]
