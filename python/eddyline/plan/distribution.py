"""Work and messages of each node: what a division of a world among nodes leads to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Traffic:
    """Messages of one step, or of a cycle of multigrid.

    messages: (nodes,) messages that each node sends and receives, halved: each is sent once and received
    once.  rows: (nodes,) particles or cells in them, or bytes.  crossing: messages of all nodes together.
    """

    messages: Counts
    rows: Counts

    @property
    def crossing(self) -> int:
        return int(self.messages.sum())

    @property
    def busiest(self) -> int:
        """The node with the most messages; of equal ones that with the most rows."""
        return int(np.lexsort((self.rows, self.messages))[-1])


@dataclass(frozen=True)
class Distribution:
    """loads: (nodes,) work of each node, in particles or points.  ghosts: (nodes,) copies that it holds."""

    loads: Counts
    ghosts: Counts
    traffic: Traffic

    @property
    def nodes(self) -> int:
        return len(self.loads)


def bringing_something(divided: Sequence[Distribution]) -> list[Distribution]:
    """The divisions without those that leave nodes idle, and the fullest one no less than fewer nodes do."""
    kept: list[Distribution] = []
    for each in divided:
        least = min((int(other.loads.max()) for other in kept), default=None)
        if least is None or each.loads.min() > 0 or each.loads.max() < least:
            kept.append(each)
    return kept
