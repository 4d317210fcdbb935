"""Wall time, memory and messages of a run on so many ranks, with error bars."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eddyline.plan.distribution import Distribution
from eddyline.plan.mapper import row_of


class PlanError(Exception):
    """One line for the user."""


@dataclass(frozen=True)
class Network:
    """latency: of a message [s].  bandwidth: of a node in each direction [bytes/s].  origin: in words."""

    latency: float
    bandwidth: float
    origin: str


HERE = Network(0.75e-6, 1.05e9, "default, shared memory of an AMD EPYC (Zen 4)")
"""Two ranks on one machine, as `eddyline bench machine` measured them."""


def network_of(path: Path) -> Network:
    """The network that `eddyline bench machine --json FILE` measured. Raises PlanError."""
    text = path.read_text(encoding="utf-8")
    try:
        record = json.loads(text)[0]
        latency, bandwidth = record["message_seconds"], record["message_bytes_per_second"]
        name = str(record["processor"])
    except (ValueError, KeyError, IndexError, TypeError):
        raise PlanError(
            f"{path}: contains no record of messages; `eddyline bench machine --json {path}` writes it"
        ) from None
    if not latency or not bandwidth:
        raise PlanError(
            f"{path}: two ranks could not be started on that machine; give --latency and --bandwidth"
        )
    return Network(float(latency), float(bandwidth), f"measured on {name} ({path})")


@dataclass(frozen=True)
class Interval:
    """An expected value with its error bar."""

    value: float
    low: float
    high: float

    def plus(self, constant: float) -> Interval:
        return Interval(self.value + constant, self.low + constant, self.high + constant)

    def times(self, factor: float) -> Interval:
        return Interval(self.value * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True)
class Work:
    """Cost of a step.

    point_seconds: of a particle or a cell on one core.  step_seconds: of a step, however small.  low, high:
    factors of the error bar of the computing time.  row_bytes: sent for each ghost in a step.
    exchanges: how often each message is sent in a step.  point_bytes: memory per particle or cell.
    base_bytes: memory of a rank that holds nothing.  origin: in words.  agreements: how often all ranks agree
    on a value in a step.
    """

    point_seconds: float | None
    step_seconds: float
    low: float
    high: float
    row_bytes: float
    exchanges: float
    point_bytes: float
    base_bytes: float
    origin: str
    agreements: float = 1.0


@dataclass(frozen=True)
class Row:
    """One number of ranks: the columns of Mapper, then messages, time and memory.

    messages, kilobytes: of the busiest rank in a step.  step: seconds.  wall: of the whole run, outputs and
    report included [s].  None: the rate is unknown.  communication: its share of a step if nothing overlaps.
    repeated: share of work that every rank does.  efficiency: speedup of the steps over the number of ranks.
    memory_bytes: of the fullest rank.
    """

    nodes: int
    maxpts: int
    minpts: int
    avgpts: int
    avgdev: float
    megawords: float
    exetime: float
    messages: int
    kilobytes: float
    memory_bytes: float
    step: Interval | None
    communication: float | None
    repeated: float | None
    wall: Interval | None
    efficiency: float | None


def forecast(
    distributions: Sequence[Distribution],
    work: Work,
    network: Network,
    *,
    steps: int = 0,
    fixed_seconds: float = 0.0,
    threads: int = 1,
) -> list[Row]:
    """One row for each distribution. fixed_seconds: wall time that no rank shortens."""
    total = int(distributions[0].loads.sum())
    alone = None if work.point_seconds is None else work.step_seconds + work.point_seconds * total / threads
    return [_row(each, work, network, alone, steps, fixed_seconds, threads, total) for each in distributions]


def _row(
    each: Distribution,
    work: Work,
    network: Network,
    alone: float | None,
    steps: int,
    fixed: float,
    threads: int,
    total: int,
) -> Row:
    mapped = row_of(each.loads, work.point_bytes / 8)
    busiest = each.traffic.busiest
    messages = work.exchanges * float(each.traffic.messages[busiest])
    sent = work.row_bytes * float(each.traffic.rows.max())
    fullest = float((each.loads + each.ghosts).max())
    step = wall = share = repeated = efficiency = None
    if work.point_seconds is not None and alone is not None:
        computing = work.step_seconds + work.point_seconds * mapped.maxpts / threads
        agreeing = 2 * work.agreements * math.ceil(math.log2(each.nodes)) if each.nodes > 1 else 0.0
        talking = (messages + agreeing) * network.latency + sent / network.bandwidth
        step = Interval(computing + talking, work.low * computing, work.high * computing + 2 * talking)
        share, repeated = talking / step.value, work.step_seconds / step.value
        wall = step.times(steps).plus(fixed)
        efficiency = alone / (each.nodes * step.value)
    columns = asdict(mapped) | {"exetime": mapped.maxpts / total}
    return Row(
        **columns, messages=round(messages), kilobytes=sent / 1e3,
        memory_bytes=work.base_bytes + work.point_bytes * fullest, step=step, communication=share,
        repeated=repeated, wall=wall, efficiency=efficiency,
    )  # fmt: skip


def as_json(row: Row) -> dict[str, Any]:
    return asdict(row)
