"""Time of the steps of a world on one core, and their number: measured here, or estimated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from eddyline.plan.calibration import STEP_COUNT_ERROR, calibrate, measure_cells
from eddyline.plan.rehearsal import rehearse
from eddyline.world import World
from eddyline.world.estimate import Plan

UNMEASURED = (0.35, 1.25)
"""Computing time over the estimate of `eddyline check`: ten worlds of the gallery took 0.38 to 0.87 of it on
an EPYC Zen 4; slower processors need more."""
FEWER_CYCLES, MORE_CYCLES = 0.65, 1.2
"""Factors of the number of cycles of multigrid in a step, which a rehearsal on coarser cells tells: its
steps are longer and need more."""
UNKNOWN_CYCLES = 2.6
"""The same without a rehearsal: a cylinder in a channel takes 20 cycles in each of the first hundred steps,
and 7.9 on average."""
FEWER_CELLS, MORE_CELLS = 0.8, 1.25
"""Factors of the work of a step where finer levels follow the flow, which a rehearsal tells."""
UNEVEN_CYCLES = 0.1
"""Relative error of the time of a cycle, which depends on what is in caches."""
SHARE_OF_CYCLES = 0.3
"""Share of a run whose cycles a rehearsal counts: their number is constant once the flow has developed."""
MEASURED = "measured with steps of this world on one core of this machine"
ESTIMATED = "estimate of `eddyline check`"


@dataclass(frozen=True)
class Speed:
    """seconds: of a step on one core, without the constant [s].  constant: of a step, however small.  low,
    high: factors of the error bar.  steps: of the run.  origin: in words.  counts: of a step.  levels: cells
    of each, of the solver amr."""

    seconds: float
    constant: float
    low: float
    high: float
    steps: int
    origin: str
    counts: Mapping[str, float] = field(default_factory=dict)
    levels: tuple[int, ...] = ()

    def scaled(self, factor: float, constant_share: float) -> Speed:
        """Steps that take so much longer, with another share that is constant."""
        seconds = factor * (self.seconds + self.constant)
        return replace(self, seconds=(1 - constant_share) * seconds, constant=constant_share * seconds)


def speed_of_particles(world: World, needs: Plan, measure: bool) -> Speed:
    estimated = needs.estimate.step_seconds
    if not measure:
        return Speed(estimated, 0.0, *UNMEASURED, needs.steps, ESTIMATED)
    found = calibrate(world)
    error = found.spread + STEP_COUNT_ERROR
    return Speed(
        found.factor * estimated, found.constant, 1 - error, 1 + error, needs.steps, MEASURED, found.counts
    )


def speed_of_cycles(world: World, needs: Plan, constant_share: float, measure: bool) -> Speed:
    """The speed of the solver multiblock. constant_share: of a cycle."""
    from eddyline.solvers.multiblock import CYCLES_A_STEP, options_of

    options, estimate, steps = options_of(world.file), needs.estimate, needs.steps
    if not measure:
        cycles = 1.0 if options.steady else float(CYCLES_A_STEP)
        seconds, (low, high), origin = estimate.step_seconds, UNMEASURED, ESTIMATED
        if not options.steady:
            low, high = low / UNKNOWN_CYCLES, high * options.inner_cycles / cycles
    else:
        timed, found = measure_cells(world)
        cycles, seconds = max(1.0, found.counts["cycles"]), found.seconds
        seconds *= estimate.members / timed.solver.estimate(timed).members
        error, origin = found.spread + UNEVEN_CYCLES, MEASURED
        low, high = 1 - error, 1 + error
        if not options.steady:
            steps = max(
                1, math.ceil(world.end / (found.time_step * world.file.domain.spacing / found.spacing))
            )
            course = rehearse(world, found, steps, "cycles", SHARE_OF_CYCLES)
            cycles, seconds = cycles * course.work, seconds * course.work
            low *= max(FEWER_CYCLES, 1 / cycles)
            high *= max(1.0, min(MORE_CYCLES, options.inner_cycles / cycles))
    if not options.steady:
        origin += f"; {cycles:.3g} cycles a step"
    constant = constant_share * seconds
    return Speed(seconds - constant, constant, low, high, steps, origin, {"cycles": cycles})


def speed_of_levels(world: World, needs: Plan, measure: bool) -> Speed:
    """The speed of the solver amr; `levels` are () unless measured."""
    from eddyline.solvers.amr.cells import has_fixed_levels

    if not measure:
        return Speed(needs.estimate.step_seconds, 0.0, *UNMEASURED, needs.steps, ESTIMATED)
    timed, found = measure_cells(world)
    scale = needs.estimate.members / timed.solver.estimate(timed).members
    levels = tuple(round(count * scale) for count in found.levels)
    error = found.spread + STEP_COUNT_ERROR
    low, high, seconds = 1 - error, 1 + error, found.seconds * scale
    step = found.time_step * world.file.domain.spacing / found.spacing
    if len(levels) > 1 and not has_fixed_levels(world.file):
        course = rehearse(world, found, math.ceil(world.end / step), "cell_steps", 1.0)
        levels, seconds, step = _grown(levels, course.work), seconds * course.work, step * course.step
        low, high = low * FEWER_CELLS, high * MORE_CELLS
    steps = max(1, math.ceil(world.end / step))
    return Speed(seconds, 0.0, low, high, steps, MEASURED, found.counts, levels)


def _grown(levels: tuple[int, ...], work: float) -> tuple[int, ...]:
    """Levels whose cells are computed `work` times as often in a step of level 0, which stays as it is."""
    finer = sum(count * 2**level for level, count in enumerate(levels[1:], start=1))
    factor = max(0.0, 1 + (work - 1) * (levels[0] + finer) / max(finer, 1))
    return (levels[0], *(round(factor * count) for count in levels[1:]))
