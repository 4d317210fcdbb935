"""`eddyline bench machine`: what the machine can do, whatever Eddyline does with it.

Measured are how fast memory is copied, by the C library's memmove; latency and bandwidth of messages between
two ranks, see network.py; and the arithmetic limit of pair sums:
the pairs that one core sums a second if it does nothing else (see `_core.arithmetic_limit`). Time in which
other programs had a core does not count.
"""

from __future__ import annotations

import ctypes
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from eddyline import _core
from eddyline.bench import network
from eddyline.bench.origin import commit
from eddyline.run.machine import available_cores, processor_name
from eddyline.world import World

LEAST_SHARE = 0.98  # of a core, below which a measurement of the limit is made again
MOST_TRIES = 6
REST = 0.01  # s
COPY_BYTES = 256 * 1024**2  # of each thread: far more than any cache
REPETITIONS = 7
SUMS = {
    "confined": "delta, without a free surface",
    "free surface": "delta, with a free surface",
    "liquid": "classic, a liquid",
    "gas": "classic, a gas",
}
"""Kinds of pair sums."""


@dataclass(frozen=True)
class Record:
    """copy_bytes_per_second: read and written together, median; all threads at once, each by its own clock.
    pairs_per_second_limit: of the arithmetic alone, of one core, by SUMS and dimensions: median.
    message_seconds, message_bytes_per_second: latency and bandwidth between two ranks of this machine; None
    if two ranks cannot be started."""

    processor: str
    cores: int
    instructions: list[str]
    threads: int
    copy_bytes_per_second: float
    spread: float
    pairs_per_second_limit: dict[str, dict[int, float]]
    message_seconds: float | None
    message_bytes_per_second: float | None
    commit: str | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(threads: Sequence[int]) -> list[Record]:
    origin = commit()
    limits = {
        sums: {
            dim: statistics.median(best_known([arithmetic_limit(dim, sums) for _ in range(REPETITIONS)]))
            for dim in (2, 3)
        }
        for sums in SUMS
    }
    messages = network.measure()
    records = []
    for count in threads:
        rates = _copy_rates(count, COPY_BYTES)
        median = statistics.median(rates)
        records.append(
            Record(
                processor=processor_name(),
                cores=available_cores(),
                instructions=list(_core.instruction_sets()),
                threads=count,
                copy_bytes_per_second=median,
                spread=(max(rates) - min(rates)) / median,
                pairs_per_second_limit=limits,
                message_seconds=messages.latency if messages else None,
                message_bytes_per_second=messages.bandwidth if messages else None,
                commit=origin,
            )
        )
    return records


def sums_of(world: World) -> str:
    """The entry of SUMS that a world's steps compute."""
    if world.file.sph.scheme == "classic":
        return "gas" if world.file.fluid.state == "ideal_gas" else "liquid"
    return "free surface" if world.has_free_surface else "confined"


def arithmetic_limit(dimensions: int, sums: str) -> tuple[float, bool]:
    """Pairs a second of one core's arithmetic alone, and whether the core was ours meanwhile. If it never is,
    the best of some tries, each after a rest, after which a busy core is given back for a moment."""
    best = 0.0
    for _ in range(MOST_TRIES):
        core, wall = time.thread_time(), time.perf_counter()
        found = _core.arithmetic_limit(dimensions, sums)
        if time.thread_time() - core > LEAST_SHARE * (time.perf_counter() - wall):
            return found, True
        best = max(best, found)
        time.sleep(REST)
    return best, False


def best_known(limits: Sequence[tuple[float, bool]]) -> list[float]:
    """Combines several measurements: each as it is if the core was free, else the best of all, because other
    programs only ever make it less."""
    best = max(limit for limit, _ in limits)
    return [limit if ours else best for limit, ours in limits]


def _copy_rates(threads: int, size: int) -> list[float]:
    """Bytes read and written a second, for each repetition; memmove runs without the interpreter's lock."""
    rates = np.zeros((threads, REPETITIONS + 1))
    barrier = threading.Barrier(threads)

    def copy(number: int) -> None:
        source, target = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)
        ctypes.memset(source, 1, size)  # pages that were never written all share one physical page
        for repetition in range(REPETITIONS + 1):
            barrier.wait()
            start = time.thread_time()
            ctypes.memmove(target, source, size)
            rates[number, repetition] = 2 * size / (time.thread_time() - start)

    workers = [threading.Thread(target=copy, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return [float(rate) for rate in rates.sum(axis=0)[1:]]  # the first touches the pages
