"""`eddyline bench machine`: what the machine can do, whatever Eddyline does with it.

Measured are how fast memory is copied, by the C library's memmove, and the arithmetic limit of pair sums: the
pairs that one core sums a second if it does nothing else (see `_core.arithmetic_limit`).
"""

from __future__ import annotations

import ctypes
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from eddyline import _core
from eddyline.bench.origin import commit
from eddyline.run.machine import available_cores, processor_name

COPY_BYTES = 256 * 1024**2  # of each thread: far more than any cache
REPETITIONS = 7


@dataclass(frozen=True)
class Record:
    """copy_bytes_per_second: read and written together, median; all threads at once.
    pairs_per_second_limit: of the arithmetic alone, of one core, by dimensions: median."""

    processor: str
    cores: int
    instructions: list[str]
    threads: int
    copy_bytes_per_second: float
    spread: float
    pairs_per_second_limit: dict[int, float]
    commit: str | None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def measure(threads: Sequence[int], size: int = COPY_BYTES) -> list[Record]:
    origin = commit()
    limits = {
        dim: statistics.median(_core.arithmetic_limit(dim) for _ in range(REPETITIONS)) for dim in (2, 3)
    }
    records = []
    for count in threads:
        rates = _copy_rates(count, size)
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
                commit=origin,
            )
        )
    return records


def _copy_rates(threads: int, size: int) -> list[float]:
    """Bytes read and written a second, for each repetition; memmove runs without the interpreter's lock."""
    buffers = [(ctypes.create_string_buffer(size), ctypes.create_string_buffer(size)) for _ in range(threads)]
    rates = []
    barrier = threading.Barrier(threads + 1)

    def copy(source: ctypes.Array[ctypes.c_char], target: ctypes.Array[ctypes.c_char]) -> None:
        for _ in range(REPETITIONS + 1):
            barrier.wait()
            ctypes.memmove(target, source, size)
            barrier.wait()

    workers = [threading.Thread(target=copy, args=pair) for pair in buffers]
    for worker in workers:
        worker.start()
    for repetition in range(REPETITIONS + 1):
        barrier.wait()
        start = time.perf_counter()
        barrier.wait()
        seconds = time.perf_counter() - start
        if repetition > 0:  # the first touches the pages
            rates.append(2 * size * threads / seconds)
    for worker in workers:
        worker.join()
    return rates
