"""Speed of this machine for a world: a few of its own steps, timed."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from eddyline.plan.forecast import PlanError
from eddyline.simulation import Simulation
from eddyline.world import World, WorldError

SECONDS = 0.6  # of core time for each of two sizes
MOST_PARTICLES = 60_000
WARM_UP = 20  # steps
PARTS = 5  # of a measurement, for the spread
STEP_COUNT_ERROR = 0.1
"""Relative error of the number of steps: the time step follows the highest speed of the flow."""


@dataclass(frozen=True)
class Calibration:
    """Time of a step on one core: constant + factor x estimate of the solver [s]; spread: relative."""

    constant: float
    factor: float
    spread: float


def calibrate(world: World) -> Calibration:
    """Computes steps of the world at two spacings and compares them with the solver's estimate. Time in which
    other programs have the core does not count. Raises PlanError if the world cannot be computed."""
    members = world.solver.estimate(world).members
    base = max(1.0, (members / MOST_PARTICLES) ** (1 / world.dimensions))
    sizes: list[tuple[float, float, float]] = []
    for coarser in (base, 1.8 * base):
        try:
            sizes.append(_measure(_coarser(world, coarser)))
        except WorldError:  # bodies are too small for coarser particles
            continue
    if not sizes:
        raise PlanError(f"{world.name}: cannot be computed with a coarser spacing. Add --no-measure.")
    (estimate, seconds, spread) = sizes[0]
    if len(sizes) == 1:
        return Calibration(0.0, seconds / estimate, spread)
    (small_estimate, small_seconds, _) = sizes[1]
    factor = (seconds - small_seconds) / max(estimate - small_estimate, 1e-12)
    factor = min(max(factor, 0.5 * seconds / estimate), seconds / estimate)
    return Calibration(seconds - factor * estimate, factor, spread)


def _coarser(world: World, factor: float) -> World:
    if factor == 1.0:
        return world
    spacing = {"domain.spacing": world.file.domain.spacing * factor}
    return World.from_text(world.source, world.name, spacing, world.path)


def _measure(world: World) -> tuple[float, float, float]:
    """Estimate of the solver, and core seconds of a step: median, relative spread of the parts."""
    simulation = Simulation(world, threads=1)
    simulation.step(WARM_UP)
    parts: list[float] = []
    for _ in range(PARTS):
        start, done = time.process_time(), 0
        while done == 0 or time.process_time() - start < SECONDS / PARTS:
            simulation.step(5)
            done += 5
        parts.append((time.process_time() - start) / done)
    seconds = statistics.median(parts)
    return world.solver.estimate(world).step_seconds, seconds, (max(parts) - min(parts)) / seconds / 2
