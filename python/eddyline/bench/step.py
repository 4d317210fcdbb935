"""`eddyline bench step`: the whole time step, with everything a run does but output.

An evaluation is the rates of all fluid and wall particles, once; it counts as one for each fluid particle,
and a step has one. Pairs are true directed pairs (nearer than the interaction radius) of an evaluation: fluid
over fluid, fluid over walls, and walls over fluid.

Sizes and numbers of threads of a world take turns, repetition by repetition, so that what else a machine
does falls on all of them alike.
"""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from eddyline import _core
from eddyline.bench.machine import arithmetic_limit, best_known, sums_of
from eddyline.bench.origin import commit
from eddyline.bench.worlds import make, only_scheme
from eddyline.run.device import check_world, library_of
from eddyline.run.machine import available_cores, processor_name
from eddyline.world import World

REPETITIONS = 5
WARM_UP = 20  # steps
PASSES = {"delta": 2, "classic": 1}  # over the pairs of the fluid in a step
REBUILD = ("sort", "migrate", "lists")  # the phases of a rebuild
_WORK = 500_000  # particle steps of a repetition


@dataclass(frozen=True)
class Record:
    """One measurement.

    particles: fluid; wall_particles: dummy particles. neighbours: pairs of a fluid particle.
    evals_per_second, pairs_per_second: all threads together. A step is the median of the repetitions without
    rebuilds, and the mean of all rebuilds, as some repetitions have more of them than others.
    clock: "core": CPU time of the program, so that other programs do not count, with one thread;
    "wall" with several. core_share: core time over wall-clock time and threads; 1 on an idle machine.
    ns_per_pair: of one pair, all passes.
    spread: (slowest - fastest) / median of the repetitions.
    limit_fraction: share of what the threads' cores reach in the arithmetic of such a flow alone, measured
    before each repetition; None if other programs held the core at every measurement.
    bytes_per_particle: of fluid and walls, beside the lists; list_bytes_per_pair: of a stored pair.
    pairs_per_byte: of an evaluation, for each byte that is held, the lists once for each pass.
    phases: ns of a step for each fluid particle: the step, shared out as the core's own timers say.
    checksum: of the state at the end, in hexadecimal; the same for any number of threads and on any device.
    device: that computes; on others than "cpu" there is no limit to compare with, and memory is that of the
    device, walls included. device_rebuilds: share of rebuilds that the device has made alone.
    """

    case: str
    dim: int
    scheme: str
    particles: int
    wall_particles: int
    neighbours: float
    threads: int
    evals_per_second: float
    pairs_per_second: float
    ns_per_pair: float
    passes: int
    spread: float
    clock: str
    core_share: float
    limit_fraction: float | None
    bytes_per_particle: float
    list_bytes_per_pair: float
    pairs_per_byte: float
    steps: int
    steps_per_rebuild: float
    steps_per_list: float
    phases: dict[str, float]
    instructions: str
    checksum: str
    commit: str | None
    processor: str
    device: str = "cpu"
    device_bytes_per_particle: float | None = None  # lists included, for each particle of the fluid
    device_rebuilds: float | None = None

    @property
    def ns_per_particle(self) -> float:
        """Nanoseconds of a step for each fluid particle."""
        return 1e9 / self.evals_per_second

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    cases: Sequence[str],
    dimensions: Sequence[int],
    sizes: Sequence[int],
    threads: Sequence[int],
    schemes: Sequence[str] = ("delta",),
    device: str = "cpu",
) -> Iterator[Record]:
    """Every combination, world after world; a case that knows one scheme only is computed by that one. Raises
    SizeError, or RequestError if the device cannot compute a world, before anything is measured."""
    groups = [
        (case, [make(case, dim, size, scheme) for size in sizes])
        for case, dim in itertools.product(cases, dimensions)
        for scheme in dict.fromkeys(only_scheme(case) or scheme for scheme in schemes)
    ]
    library_of(device)
    for _, worlds in groups:
        for world in worlds:
            check_world(device, world)
    return _measure(groups, threads, device)


def _measure(
    groups: Sequence[tuple[str, Sequence[World]]], threads: Sequence[int], device: str
) -> Iterator[Record]:
    origin, processor = commit(), processor_name()
    for case, worlds in groups:
        runs = [_Timed(case, world, count, device) for world in worlds for count in threads]
        for _ in range(REPETITIONS):
            for run in runs:
                run.repeat()
        while runs:
            yield runs.pop(0).record(origin, processor)


@dataclass
class _Repetition:
    """Seconds by the run's clock, of the wall and of cores; share of it that rebuilds took; the machine's
    limit before it, and pairs after it."""

    seconds: float
    wall: float
    core: float
    rebuild_share: float
    limit: tuple[float, bool]
    pairs: int


@dataclass
class _Timed:
    """A simulation and what its repetitions took."""

    case: str
    world: World
    threads: int
    device: str = "cpu"
    done: list[_Repetition] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.simulation = _core.Simulation(
            self.world.core,
            threads=self.threads,
            series_interval=1e9,
            device=self.device,
            device_library=library_of(self.device),
        )
        self.fluid = self.simulation.fluid_count
        self._advance(WARM_UP)
        self.steps = max(5, _WORK // self.fluid)  # fixed, so that the checksum does not depend on the machine
        self.before = self.last = self.simulation.statistics()

    def _advance(self, steps: int) -> None:
        self.simulation.advance(np.inf, self.simulation.step_count + steps, np.inf)

    def repeat(self) -> None:
        limit = (1.0, False)
        if self.device == "cpu":
            limit = arithmetic_limit(self.world.dimensions, sums_of(self.world))
        wall, core, thread = time.perf_counter(), time.process_time(), time.thread_time()
        self._advance(self.steps)
        thread, core, wall = (
            time.thread_time() - thread,
            time.process_time() - core,
            time.perf_counter() - wall,
        )
        now = self.simulation.statistics()
        phases = _difference(self.last["seconds"], now["seconds"])
        share = sum(phases[name] for name in REBUILD) / sum(phases.values())
        seconds = thread if self._clock == "core" else wall
        self.done.append(_Repetition(seconds, wall, core, share, limit, now["pairs"]))
        self.last = now

    @property
    def _clock(self) -> str:
        return "core" if self.threads == 1 and self.device == "cpu" else "wall"

    def record(self, origin: str | None, processor: str) -> Record:
        scheme, now, fluid = self.world.file.sph.scheme, self.last, self.fluid
        cores = min(self.threads, available_cores())
        seconds = [each.seconds for each in self.done]
        pairs = statistics.mean([self.before["pairs"], *(each.pairs for each in self.done)])
        rate = 1 / self._step([1.0] * len(self.done))  # steps a second
        limits = best_known([each.limit for each in self.done])
        known = any(ours for _, ours in (each.limit for each in self.done))
        possible = self._step([limit * cores for limit in limits])  # pairs of arithmetic alone
        phases = _difference(self.before["seconds"], now["seconds"])
        scale = 1e9 / (rate * fluid * sum(phases.values()))
        total = self.steps * len(self.done)
        rebuilds, renewals = (now[name] - self.before[name] for name in ("rebuilds", "renewals"))
        on_device = "device_" if self.device != "cpu" else ""
        all_bytes = now["device_bytes"] if on_device else now["memory_bytes"]
        list_bytes = now[f"{on_device}list_bytes"]
        beside = all_bytes - list_bytes
        return Record(
            case=self.case,
            dim=self.world.dimensions,
            scheme=scheme,
            particles=fluid,
            wall_particles=self.simulation.wall_count,
            neighbours=pairs / fluid,
            threads=self.threads,
            evals_per_second=rate * fluid,
            pairs_per_second=rate * pairs,
            ns_per_pair=1e9 / (rate * pairs),
            passes=PASSES[scheme],
            spread=(max(seconds) - min(seconds)) / statistics.median(seconds),
            clock=self._clock,
            core_share=sum(each.core for each in self.done)
            / (self.threads * sum(each.wall for each in self.done)),
            limit_fraction=pairs / possible if known else None,
            bytes_per_particle=beside / (fluid + self.simulation.wall_count),
            list_bytes_per_pair=list_bytes / now["stored_pairs"],
            pairs_per_byte=pairs / (beside + PASSES[scheme] * list_bytes),
            steps=total,
            steps_per_rebuild=total / max(1, rebuilds),
            steps_per_list=total / max(1, rebuilds + renewals),
            phases={name: scale * value for name, value in phases.items()},
            instructions=now["instructions"],
            checksum=f"{self.simulation.checksum():032x}",
            commit=origin,
            processor=processor,
            device=self.device,
            device_bytes_per_particle=all_bytes / fluid if on_device else None,
            device_rebuilds=(now["device_rebuilds"] - self.before["device_rebuilds"]) / max(1, rebuilds)
            if on_device
            else None,
        )

    def _step(self, weights: Sequence[float]) -> float:
        """Weighted seconds of a step: the median of what is no rebuild, and the mean of rebuilds."""
        spent = [each.seconds * weight for each, weight in zip(self.done, weights, strict=True)]
        plain = [time * (1 - each.rebuild_share) for each, time in zip(self.done, spent, strict=True)]
        rebuilds = [time * each.rebuild_share for each, time in zip(self.done, spent, strict=True)]
        return (statistics.median(plain) + statistics.mean(rebuilds)) / self.steps


def _difference(before: dict[str, float], after: dict[str, float]) -> dict[str, float]:
    return {name: after[name] - value for name, value in before.items()}
