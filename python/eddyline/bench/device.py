"""A device beside the processor: whether bits are equal, and how fast whole steps are."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eddyline.run.device import library_of

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.world import World


@dataclass(frozen=True)
class Case:
    world: str
    spacing: str
    steps: int

    def load(self) -> World:
        from eddyline.world import World

        return World.load(self.world, {"domain.spacing": self.spacing})

    def __str__(self) -> str:
        return f"{self.world}, {self.spacing}"


@dataclass
class Timed:
    case: str
    particles: int
    steps_per_second: float
    evaluations_per_second: float
    rebuilds: int
    host_share: float  # of the time: sorting, lists and copies between device and host


def simulation_of(world: World, device: str) -> _core.Simulation:
    from eddyline import _core

    return _core.Simulation(world.core, device=device, device_library=library_of(device))


def _advance(simulation: _core.Simulation, steps: int) -> None:
    simulation.advance(math.inf, steps, math.inf)


def differs(case: Case, device: str) -> str:
    """Compares the state after the last step, and that of a run that changes between the two half way.
    Returns what differs; "": nothing."""
    world = case.load()
    alone = simulation_of(world, "cpu")
    _advance(alone, case.steps // 2)
    half = [alone.save()]
    _advance(alone, case.steps)
    on_device = simulation_of(world, device)
    _advance(on_device, case.steps // 2)
    back = [on_device.save()]
    _advance(on_device, case.steps)
    wrong = [] if on_device.checksum() == alone.checksum() else ["state"]
    for name, parts, where in (
        ("checkpoint to device", half, device),
        ("checkpoint from device", back, "cpu"),
    ):
        resumed = simulation_of(world, where)
        resumed.restore(iter(parts))
        _advance(resumed, case.steps)
        if resumed.checksum() != alone.checksum():
            wrong.append(name)
    return ", ".join(wrong)


def timed(case: Case, device: str) -> Timed:
    simulation = simulation_of(case.load(), device)
    warm = max(10, case.steps // 10)
    _advance(simulation, warm)
    before = simulation.statistics()
    start = time.perf_counter()
    _advance(simulation, warm + case.steps)
    seconds = time.perf_counter() - start
    after = simulation.statistics()
    on_host = sum(after["seconds"][phase] - before["seconds"][phase] for phase in ("sort", "lists", "pack"))
    particles = simulation.count("fluid")
    rate = case.steps / seconds
    rebuilds = after["rebuilds"] - before["rebuilds"]
    return Timed(str(case), particles, rate, rate * particles, rebuilds, on_host / seconds)
