"""Speed of this machine for a world: a few of its own steps, timed."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eddyline import _core
from eddyline.plan.forecast import PlanError
from eddyline.world import World, WorldError

SECONDS = 0.6  # of core time for each of two sizes
WARM_UP_SECONDS = 1.0  # of core time, at most
MOST_MEMBERS = 60_000
MOST_CELLS = 400_000  # of a mesh or of levels
WARM_UP = 20  # steps, at most; at least one
PARTS = 5  # of a measurement, for the spread
LEAST_TOLERANCE = 1e-14  # of the residual of a steady flow
STEP_COUNT_ERROR = 0.1
"""Relative error of the number of steps: the time step follows the highest speed of the flow."""


@dataclass(frozen=True)
class Calibration:
    """Time of a step on one core: constant + factor x estimate of the solver [s]; spread: relative.

    counts: what the steps counted, per step, such as {"iterations": 12.5}.
    """

    constant: float
    factor: float
    spread: float
    counts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Measured:
    """Steps of one world. estimate: of a step by the solver [s]; seconds: of a step in core time, the median;
    spread: relative; counts: per step; time_step: their mean [s]; window: from when to when they were timed;
    spacing: domain.spacing; levels: cells of each level at the end, of the solver amr."""

    estimate: float
    seconds: float
    spread: float
    counts: Mapping[str, float]
    time_step: float
    window: tuple[float, float]
    spacing: float
    levels: tuple[int, ...] = ()


def calibrate(world: World) -> Calibration:
    """Computes steps of the world at two spacings and compares them with the solver's estimate. Time in which
    other programs have the core does not count. Raises PlanError if the world cannot be computed."""
    members = world.solver.estimate(world).members
    base = max(1.0, (members / MOST_MEMBERS) ** (1 / world.dimensions))
    sizes: list[Measured] = []
    for coarser in (base, 1.8 * base):
        try:
            sizes.append(measure(with_spacing(world, coarser)))
        except WorldError:  # bodies are too small for coarser particles
            continue
    if not sizes:
        raise PlanError(f"{world.name}: cannot be computed with a coarser spacing. Add --no-measure.")
    large = sizes[0]
    if len(sizes) == 1:
        return Calibration(0.0, large.seconds / large.estimate, large.spread, large.counts)
    small = sizes[1]
    factor = (large.seconds - small.seconds) / max(large.estimate - small.estimate, 1e-12)
    whole = large.seconds / large.estimate
    factor = min(max(factor, 0.5 * whole), whole)
    return Calibration(large.seconds - factor * large.estimate, factor, large.spread, large.counts)


def measure_cells(world: World) -> tuple[World, Measured]:
    """Measures a world of cells, coarser by powers of two if it has more than MOST_CELLS; returns the world
    that was measured, too. Raises PlanError."""
    cells = world.solver.estimate(world).members
    halvings = max(0, math.ceil(math.log2(max(cells / MOST_CELLS, 1)) / world.dimensions))
    try:
        coarser = _unending(with_spacing(world, 2.0**halvings))
        return coarser, measure(coarser)
    except WorldError:
        raise PlanError(
            f"{world.name}: has {cells:,} cells, and cannot be computed with a spacing {2**halvings} times "
            "as large, to be timed. Add --no-measure."
        ) from None


def with_spacing(world: World, factor: float) -> World:
    """The world with a spacing `factor` times as large. Raises WorldError."""
    if factor == 1.0:
        return world
    spacing = {"domain.spacing": world.file.domain.spacing * factor}
    return World.from_text(world.source, world.name, spacing, world.path)


def _unending(world: World) -> World:
    """A search for a steady flow that does not end while it is timed: cycles after its end cost nothing."""
    if not getattr(world.file.method, "steady", False):
        return world
    return World.from_text(world.source, world.name, {"method.tolerance": LEAST_TOLERANCE}, world.path)


class Steps:
    """Steps of a simulation. Those after the end of a search for a steady flow, which cost nothing, do not
    count."""

    def __init__(self, world: World) -> None:
        self.simulation = _core.Simulation(world.core, threads=1, series_interval=1e300)
        self._is_steady = bool(getattr(world.file.method, "steady", False))

    @property
    def done(self) -> int:
        return int(self.counts["cycles"]) if self._is_steady else self.simulation.step_count

    @property
    def counts(self) -> dict[str, Any]:
        return dict(self.simulation.statistics())

    def advance(self, steps: int) -> int:
        """Returns the number of steps done."""
        before = self.done
        self.simulation.advance(math.inf, self.simulation.step_count + steps, math.inf)
        return self.done - before

    def timed(self, seconds: float, until: float, most: int | None = None) -> float | None:
        """Core time of a step, of at least one and of many until that took so long; None: there are none."""
        start, steps = time.process_time(), 0
        while steps == 0 or (
            time.process_time() - start < seconds
            and self.simulation.time < until
            and (most is None or steps < most)
        ):
            more = self.advance(5 if steps and most is None else 1)
            if more == 0:
                break
            steps += more
        return (time.process_time() - start) / steps if steps else None


def measure(world: World) -> Measured:
    """Core time of steps after some to warm up."""
    steps = Steps(world)
    simulation = steps.simulation
    warm = steps.timed(WARM_UP_SECONDS, math.inf, WARM_UP)
    before, first, begin = steps.counts, steps.done, simulation.time
    middle = world.end / 2  # the flow of later steps is not that of the run
    timed = [steps.timed(SECONDS / PARTS, middle) for _ in range(PARTS)]
    parts = [each for each in timed if each is not None] or [
        warm or 0.0
    ]  # the search may end while it warms up
    after, count = steps.counts, max(1, steps.done - first)
    counts: dict[str, float] = {
        name: (after[name] - before[name]) / count
        for name in ("cycles", "iterations", "cell_steps")
        if name in after
    }
    seconds = statistics.median(parts)
    return Measured(
        estimate=world.solver.estimate(world).step_seconds,
        seconds=seconds,
        spread=(max(parts) - min(parts)) / seconds / 2,
        counts=counts,
        time_step=(simulation.time - begin) / count,
        window=(begin, simulation.time),
        spacing=world.file.domain.spacing,
        levels=_levels(world, simulation),
    )


def _levels(world: World, simulation: _core.Simulation) -> tuple[int, ...]:
    """Cells of each level, those that finer ones cover included, level 0 first; () for other solvers."""
    if world.solver.name != "amr":
        return ()
    levels = int(getattr(world.file.method, "levels", 1))
    cells = simulation.count("cells")
    if levels == 1:
        return (cells,)
    import numpy as np

    level = np.rint(simulation.values("cells", "level", 0, cells)).astype(int)
    own = np.bincount(level, minlength=levels)
    sums = [int(own[-1])]
    for count in own[-2::-1]:
        sums.append(int(count) + sums[-1] // 2**world.dimensions)
    return tuple(reversed(sums))
