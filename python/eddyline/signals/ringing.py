"""Frequency and decay rate of a damped oscillation, such as the height of a sloshing surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .averages import Vector, uniform
from .spectrum import dominant_frequency

_MOST_ROWS = 4000
_FIRST_RATES = (-1.0, 0.0, 1.0, 3.0, 6.0, 12.0, 24.0)  # initial guesses, times the length of the window
_PARTS = (1, 2, 4, 8)  # divisors of the window: a strongly damped oscillation is visible in its start only
_REFINEMENTS = 24  # refinements of the grid around the best pair, each by a factor of 0.6
_FEWEST_ROWS = 12


@dataclass(frozen=True)
class Ringing:
    """y = c + exp(-decay_rate t) (d + a cos(2 pi frequency t) + b sin(2 pi frequency t)), by least squares.

    frequency: [1/s].  decay_rate: [1/s], negative for a growing signal. explained: share of the variance
    about c + d exp(-decay_rate t) that the oscillation explains."""

    frequency: float
    decay_rate: float
    explained: float


def ringing(time: Vector, values: Vector) -> Ringing | None:
    """The least-squares damped oscillation of (n,) values; None if there are too few rows, or no oscillation
    of at least one and a half periods."""
    if len(time) < _FEWEST_ROWS or not np.ptp(values) > 0:
        return None
    even, signal = uniform(time, values)
    thin = max(1, len(even) // _MOST_ROWS)
    counts = [len(even) // part for part in _PARTS if len(even) // part >= _FEWEST_ROWS]
    starts = [start for count in counts if (start := dominant_frequency(even[:count], signal[:count])) > 0]
    if not starts:
        return None
    length = float(even[-1] - even[0])
    x, signal = (even[::thin] - even[0]) / length, signal[::thin] / float(np.ptp(values))
    turns, rate = min(
        ((start * length, first) for start in starts for first in _FIRST_RATES),
        key=lambda pair: _fit(x, signal, *pair)[0],
    )
    reach = np.array([0.5, 1.0])  # in turns and in rates, over the window
    for _ in range(_REFINEMENTS):
        around = [(turns + i * reach[0], rate + j * reach[1]) for i in (-1, 0, 1) for j in (-1, 0, 1)]
        turns, rate = min(
            ((max(near, 0.5), other) for near, other in around), key=lambda pair: _fit(x, signal, *pair)[0]
        )
        reach *= 0.6
    rest, swing = _fit(x, signal, turns, rate)
    return Ringing(float(turns / length), float(rate / length), swing / (swing + rest) if swing > 0 else 0.0)


def _fit(x: Vector, signal: Vector, turns: float, rate: float) -> tuple[float, float]:
    """Mean squares of the residual and of the oscillation of the best fit, with this number of turns and this
    decay rate over x from 0 to 1."""
    decay = np.exp(-rate * x)
    phase = 2 * np.pi * turns * x
    basis = np.stack([np.ones_like(x), decay, decay * np.cos(phase), decay * np.sin(phase)], axis=1)
    found = np.linalg.lstsq(basis, signal, rcond=None)[0]
    rest, swing = signal - basis @ found, basis[:, 2:] @ found[2:]
    return float(np.mean(rest**2)), float(np.mean(swing**2))
