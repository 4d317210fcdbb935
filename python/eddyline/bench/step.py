"""`eddyline bench step`: the whole time step, with everything a run does but output.

An evaluation is the rates of one fluid particle, once, with the walls' share of the work; a step has one for
each fluid particle. Pairs are true directed pairs (nearer than the interaction radius) of an evaluation:
fluid over fluid, fluid over walls, and walls over fluid.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from eddyline import _core
from eddyline.bench.origin import commit
from eddyline.bench.worlds import CASES
from eddyline.run.machine import available_cores, processor_name
from eddyline.world import World

REPETITIONS = 5
WARM_UP = 20  # steps
PASSES = {"delta": 2, "classic": 1}  # over the pairs of the fluid in a step
_WORK = 1_000_000  # particle steps of a repetition


@dataclass(frozen=True)
class Record:
    """One measurement; rates are medians over the repetitions.

    particles: fluid; wall_particles: dummy particles. neighbours: pairs of a fluid particle.
    evals_per_second, pairs_per_second: in wall-clock time, all threads together.
    ns_per_pair: of one pair, all passes.
    spread: (fastest - slowest) / median of the repetitions.
    limit_fraction: share of what the threads' cores reach in arithmetic alone, measured between the
    repetitions, median; None for the scheme classic, whose limit is not measured.
    bytes_per_particle: of fluid and walls, lists included; list_bytes_per_pair: of a stored pair.
    phases: ns of a step for each fluid particle.
    checksum: of the state at the end, in hexadecimal; the same for any number of threads.
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
    limit_fraction: float | None
    bytes_per_particle: float
    list_bytes_per_pair: float
    steps: int
    steps_per_rebuild: float
    phases: dict[str, float]
    instructions: str
    checksum: str
    commit: str | None
    processor: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    cases: Sequence[str],
    dimensions: Sequence[int],
    sizes: Sequence[int],
    threads: Sequence[int],
    scheme: str = "delta",
) -> Iterator[Record]:
    """Every combination, one after the other; the gas is always computed by the scheme classic."""
    origin, processor = commit(), processor_name()
    for case in cases:
        for dim in dimensions:
            for size in sizes:
                for count in threads:
                    world = CASES[case](dim, size, "classic" if case == "gas" else scheme)
                    yield _measure(case, world, count, origin, processor)


def _measure(case: str, world: World, threads: int, origin: str | None, processor: str) -> Record:
    simulation = _core.Simulation(world.core, threads=threads, series_interval=1e9)
    fluid = simulation.fluid_count
    simulation.advance(np.inf, WARM_UP, np.inf)
    steps = max(5, _WORK // fluid)  # fixed, so that the checksum does not depend on the machine
    before = simulation.statistics()
    seconds, limits, pairs = [], [], [before["pairs"]]
    for _ in range(REPETITIONS):
        limits.append(_core.arithmetic_limit(world.dimensions))
        start = time.perf_counter()
        simulation.advance(np.inf, simulation.step_count + steps, np.inf)
        seconds.append(time.perf_counter() - start)
        pairs.append(simulation.statistics()["pairs"])
    after = simulation.statistics()

    total = REPETITIONS * steps
    rate = statistics.median(steps / s for s in seconds)  # steps a second
    per_step = statistics.mean(pairs)
    scale = 1e9 / (total * fluid)
    delta = world.file.method.scheme == "delta"
    shares = [
        steps * per_step / s / (min(threads, available_cores()) * limit)
        for s, limit in zip(seconds, limits, strict=True)
    ]
    return Record(
        case=case,
        dim=world.dimensions,
        scheme=world.file.method.scheme,
        particles=fluid,
        wall_particles=simulation.wall_count,
        neighbours=per_step / fluid,
        threads=threads,
        evals_per_second=rate * fluid,
        pairs_per_second=rate * per_step,
        ns_per_pair=1e9 / (rate * per_step),
        passes=PASSES[world.file.method.scheme],
        spread=(max(seconds) - min(seconds)) / statistics.median(seconds),
        limit_fraction=statistics.median(shares) if delta else None,
        bytes_per_particle=after["memory_bytes"] / (fluid + simulation.wall_count),
        list_bytes_per_pair=after["list_bytes"] / after["stored_pairs"],
        steps=total,
        steps_per_rebuild=total / max(1, after["rebuilds"] - before["rebuilds"]),
        phases={name: scale * (after["seconds"][name] - value) for name, value in before["seconds"].items()},
        instructions=after["instructions"],
        checksum=f"{simulation.checksum():032x}",
        commit=origin,
        processor=processor,
    )
