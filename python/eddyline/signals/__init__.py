"""Analysis of flow signals: periodic or steady state, its start, and statistical errors of means.

This package does not depend on worlds or runs: signals are (n,) float64 over increasing times [s], at any
intervals.

`flow_state` decides which values of a flow are converged. Its rules and their reasons:

- *Periodic*: the last five periods or more whose amplitude changes by less than 2 %. Amplitudes are those of
  the fundamental, one for each period; their change is that of a straight line through them, so that noise
  from period to period is not taken for growth. They scatter by less than 5 % about it, and no mean drifts.
- *Steady*: the mean has no drift above 1 % of the force over the part that remains when the start has been
  cut off (White 1997), which must be half of the time or more. *Irregular* if it swings without a period.
  Swings of less than 5 % (rms) that neither grow nor last, or are of random size, are noise, as of sound.
- Everything else is *unsettled*: no number yet, but an estimate of when there will be one.
"""

from __future__ import annotations

from .averages import Statistic, correlation_time, cut, mean_with_error, root_mean_square, time_mean
from .periods import Irregular, Periodic, Quiet, Unsettled, find_periods, over_periods
from .ringing import Ringing, ringing
from .spectrum import Spectrum, power_spectrum
from .state import FlowState, Steady, flow_state, noise, statistic, steady_part

__all__ = [
    "FlowState",
    "Irregular",
    "Periodic",
    "Quiet",
    "Ringing",
    "Spectrum",
    "Statistic",
    "Steady",
    "Unsettled",
    "correlation_time",
    "cut",
    "find_periods",
    "flow_state",
    "mean_with_error",
    "noise",
    "over_periods",
    "power_spectrum",
    "ringing",
    "root_mean_square",
    "statistic",
    "steady_part",
    "time_mean",
]
