"""The course of a run: how its steps change after those that were timed, as a run on coarser cells shows."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.plan.calibration import Measured, with_spacing
from eddyline.world import World, WorldError

SECONDS = 2.5  # of core time, at most
SAMPLES = 200
LATE = 0.25
"""Share of the time covered, at its end, that stands for the time not covered."""


@dataclass(frozen=True)
class Course:
    """Means over the whole run, relative to the steps that were timed. work: of a step, in cycles of
    multigrid or cells computed.  step: the time step.  covered: share of the run that was rehearsed."""

    work: float
    step: float
    covered: float


def rehearse(world: World, measured: Measured, steps: int, counted: str, share: float) -> Course:
    """Runs the world on cells 1, 2, 4, ... times as large, so that `share` of it takes about SECONDS.
    counted: the statistic that is the work.  steps: of the run, about."""
    wanted = share * measured.seconds * steps / SECONDS
    halvings = max(0, round(math.log2(max(wanted, 1.0)) / (world.dimensions + 1)))
    for n in range(halvings, -1, -1):
        try:
            return _course(with_spacing(world, 2.0**n), measured, steps, counted)
        except WorldError:  # bodies are too small for coarser cells
            continue
    raise AssertionError("the world itself is valid")


def _course(world: World, measured: Measured, steps: int, counted: str) -> Course:
    simulation = _core.Simulation(world.core, threads=1, series_interval=1e300)
    factor = world.file.domain.spacing / measured.spacing
    stride = max(1, round(steps / factor / SAMPLES))
    samples = [(0.0, 0.0, 0.0)]  # time, steps, work
    start = time.process_time()
    while simulation.time < world.end and time.process_time() - start < SECONDS:
        simulation.advance(math.inf, simulation.step_count + stride, math.inf)
        samples.append((simulation.time, simulation.step_count, simulation.statistics()[counted]))
    return _whole(np.array(samples, dtype=np.float64), measured.window, world.end)


def _whole(samples: NDArray[np.float64], window: tuple[float, float], end: float) -> Course:
    """samples: (n, 3), sums of steps and of work at times."""
    times = samples[:, 0]
    covered = float(times[-1])

    def at(moment: float) -> NDArray[np.float64]:
        return np.array([np.interp(moment, times, samples[:, k]) for k in (0, 1, 2)])

    high = max(window[1], float(times[1]))
    low = min(window[0], high - float(times[1]))
    timed = at(high) - at(low)
    late = at(covered) - at((1 - LATE) * covered)
    total = at(covered) + late / late[0] * max(0.0, end - covered)
    return Course(
        work=float(total[2] / total[1] / (timed[2] / timed[1])),
        step=float(total[0] / total[1] / (timed[0] / timed[1])),
        covered=min(1.0, covered / end),
    )
