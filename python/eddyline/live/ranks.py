"""Load and messages of each rank of a run, for viewers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eddyline.live import stream_pb2 as pb

if TYPE_CHECKING:
    from eddyline import _core

_EXCHANGE = ("pack", "migrate")
_IDLE = ("wait",)


def ranks_of(simulation: _core.Simulation, hosts: Sequence[str], steps_per_second: float) -> list[pb.Rank]:
    """hosts: the machine of each rank. Shares are of the time that a rank's phases took so far."""
    shares = simulation.shares()
    return [_rank(number, hosts[number], share, steps_per_second) for number, share in enumerate(shares)]


def _rank(number: int, host: str, share: dict[str, Any], steps_per_second: float) -> pb.Rank:
    seconds: dict[str, float] = share["seconds"]
    members: int = next(iter(share.values()))  # of the set that moves
    total = sum(seconds.values()) or 1.0
    exchange = sum(seconds[phase] for phase in _EXCHANGE)
    idle = sum(seconds[phase] for phase in _IDLE)
    return pb.Rank(
        rank=number,
        host=host,
        particles=members,
        updates_per_second=members * steps_per_second,
        compute=(total - exchange - idle) / total,
        exchange=exchange / total,
        idle=idle / total,
        messages=share["messages"],
        bytes=share["bytes"],
        memory=share["memory_bytes"],
    )
