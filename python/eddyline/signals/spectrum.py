"""Power spectra by Welch's method, and the frequency of the highest peak."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .averages import polynomial, uniform

Vector = NDArray[np.float64]
PADDING = 8  # ratio of points to rows, so that a peak has several points
ROUNDING = 1e-12  # relative change of a value that counts as rounding


@dataclass(frozen=True)
class Spectrum:
    """One-sided power spectral density.

    frequency: (m,) [1/s], from 0.  power: (m,) [unit^2 s]; its integral is the variance. segments: number of
    averaged segments. resolution: smallest distance of two distinct peaks [1/s]. window: of the signal [s].
    """

    frequency: Vector
    power: Vector
    segments: int
    resolution: float
    window: tuple[float, float]

    @property
    def peak(self) -> float:
        """The frequency of the highest peak [1/s], interpolated by a parabola through the logarithms."""
        return peak_frequency(self.frequency, self.power)


def power_spectrum(time: Vector, values: Vector, segments: int = 3) -> Spectrum:
    """The spectrum of a signal: `segments` parts of equal length that overlap by half, each without its mean
    and under a Hann window; their periodograms are averaged. Source: Welch 1967. Raises ValueError for fewer
    than 16 rows, and for a signal that is constant within rounding."""
    if len(time) < 16:
        raise ValueError(f"a spectrum needs at least 16 rows; there are {len(time)}")
    if np.ptp(values) <= ROUNDING * np.abs(values).max():
        raise ValueError(f"it is constant ({values[0]:.6g}), so it has no spectrum")
    even, signal = uniform(time, values)
    step = float(even[1] - even[0])
    length = 2 * len(signal) // (segments + 1)
    starts = [k * (len(signal) - length) // max(segments - 1, 1) for k in range(segments)]
    taper = np.hanning(length + 1)[:-1]
    scale = 2 * step / float((taper**2).sum())
    power = np.mean([_periodogram(signal[a : a + length], taper) for a in starts], axis=0) * scale
    power[0] /= 2
    frequency = np.fft.rfftfreq(PADDING * length, step).astype(np.float64)
    window = (float(time[0]), float(time[-1]))
    return Spectrum(frequency, power, segments, 2 / (length * step), window)


def dominant_frequency(time: Vector, values: Vector) -> float:
    """The frequency of the strongest oscillation about a cubic trend [1/s], with at least one and a half
    periods; 0 if there is none."""
    even, signal = uniform(time, values)
    length = len(signal)
    power = _periodogram(signal - polynomial(even, signal, 3), np.hanning(length + 1)[:-1])
    frequency = np.fft.rfftfreq(PADDING * length, float(even[1] - even[0])).astype(np.float64)
    usable = frequency >= 1.5 / float(even[-1] - even[0])
    return peak_frequency(frequency[usable], power[usable]) if power[usable].max() > 0 else 0.0


def peak_frequency(frequency: Vector, power: Vector) -> float:
    """Vertex of the parabola through the logarithms of the highest value and its neighbours."""
    k = int(np.argmax(power))
    if not 0 < k < len(power) - 1 or min(power[k - 1 : k + 2]) <= 0:
        return float(frequency[k])
    left, top, right = np.log(power[k - 1 : k + 2])
    bend = left - 2 * top + right
    shift = 0.5 * (left - right) / bend if bend < 0 else 0.0
    return float(frequency[k] + shift * (frequency[1] - frequency[0]))


def _periodogram(signal: Vector, taper: Vector) -> Vector:
    """|F|^2 of the tapered signal without its mean, padded with zeros."""
    spectrum: Vector = np.abs(np.fft.rfft((signal - signal.mean()) * taper, PADDING * len(signal))) ** 2
    return spectrum
