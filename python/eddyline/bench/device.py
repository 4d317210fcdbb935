"""A device beside the processor: whether bits are equal, and how fast whole steps are."""

from __future__ import annotations

import math
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eddyline.run.device import library_of

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.world import World


WAITS = "EDDYLINE_CUDA_WAIT"
"""If this environment variable is set, the host waits for every loop of a GPU."""


@dataclass(frozen=True)
class Case:
    """A world of the gallery with a spacing, or a box of vortices with about so many particles."""

    world: str
    spacing: str
    steps: int
    dimensions: int = 2
    particles: int = 0
    scheme: str = ""  # in place of that of the world

    def load(self) -> World:
        from eddyline.bench.worlds import make
        from eddyline.world import World

        if self.particles:
            return make(self.world, self.dimensions, self.particles, "delta")
        own = {"domain.spacing": self.spacing, "method.scheme": self.scheme}
        return World.load(self.world, {key: value for key, value in own.items() if value})

    def __str__(self) -> str:
        size = f"{self.dimensions}D" if self.particles else self.spacing
        return ", ".join(each for each in (self.world, size, self.scheme) if each)


@dataclass
class Timed:
    case: str
    particles: int
    steps_per_second: float
    evaluations_per_second: float
    rebuilds: int
    device_rebuilds: int  # those that the device made alone
    launches: float  # of loops, a step
    bytes_per_particle: float  # on the device, lists included
    shares: dict[str, float]  # of the time of a step, by phases


def simulation_of(world: World, device: str) -> _core.Simulation:
    from eddyline import _core

    return _core.Simulation(world.core, device=device, device_library=library_of(device))


def _advance(simulation: _core.Simulation, steps: int) -> None:
    simulation.advance(math.inf, steps, math.inf)


def estimated_bytes(case: Case) -> int:
    """Bytes on a device that a world is expected to take."""
    from eddyline import _core

    return _core.estimate(case.load().core).device_bytes


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


PHASES = {
    "sweeps": ("rates", "forces"),
    "walls": ("walls",),
    "updates": ("integrate", "wait"),
    "sort": ("sort",),
    "lists": ("lists",),
    "copies": ("pack", "migrate"),
}


def timed(case: Case, device: str) -> Timed:
    """Measures steps, and then some more in which the host waits for every loop, so that phases are known."""
    world = case.load()
    warm = max(10, case.steps // 10)
    simulation = simulation_of(world, device)
    _advance(simulation, warm)
    before = simulation.statistics()
    start = time.perf_counter()
    _advance(simulation, warm + case.steps)
    seconds = time.perf_counter() - start
    after = simulation.statistics()
    particles = simulation.count("fluid")
    rate = case.steps / seconds
    del simulation

    def more(name: str) -> int:
        return int(after.get(name, 0) - before.get(name, 0))

    return Timed(
        case=str(case),
        particles=particles,
        steps_per_second=rate,
        evaluations_per_second=rate * particles,
        rebuilds=more("rebuilds"),
        device_rebuilds=more("device_rebuilds"),
        launches=more("device_launches") / case.steps,
        bytes_per_particle=after.get("device_bytes", after["memory_bytes"]) / particles,
        shares=_shares(world, device, warm, max(10, case.steps // 4)),
    )


def _shares(world: World, device: str, warm: int, steps: int) -> dict[str, float]:
    os.environ[WAITS] = "1"
    try:
        simulation = simulation_of(world, device)
        _advance(simulation, warm)
        before = simulation.statistics()["seconds"]
        _advance(simulation, warm + steps)
        after = simulation.statistics()["seconds"]
    finally:
        del os.environ[WAITS]
    spent = {name: sum(after[each] - before[each] for each in of) for name, of in PHASES.items()}
    total = sum(spent.values())
    return {name: value / total for name, value in spent.items()}
