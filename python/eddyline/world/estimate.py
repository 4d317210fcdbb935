"""Needs of a run, found without running it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .costs import Cost


@dataclass(frozen=True)
class Estimate:
    """Size of a run, as its solver estimates it.

    counts: members of each set, such as {"fluid_particles": 9000, "wall_particles": 500}; the first moves.
    time_step: at the start [s].  step_seconds: computing time of a step on one core.  threads: that pay at
    most.  snapshot_bytes: of one snapshot.
    """

    counts: Mapping[str, int]
    memory_bytes: int
    time_step: float
    step_seconds: float
    threads: int
    snapshot_bytes: int

    @property
    def members(self) -> int:
        """The number of members of the first set."""
        return next(iter(self.counts.values()))


@dataclass(frozen=True)
class Plan:
    """Resources of a run. cost: wall time on `cores` cores, by parts. disk_bytes: final size of the
    folder."""

    estimate: Estimate
    steps: int
    cost: Cost
    cores: int
    disk_bytes: int

    @property
    def seconds(self) -> float:
        """Wall time from the command to its end."""
        return self.cost.seconds
