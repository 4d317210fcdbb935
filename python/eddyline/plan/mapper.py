"""Hammond's Mapper: blocks assigned to nodes, the largest block to the least loaded node.

Source: Hammond 1997. He prints one row per number of nodes; `row` returns these columns.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WORDS_PER_POINT = 56
"""Words of memory for each grid point in his solver."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Assignment:
    """Owner of each block.

    owners: (blocks,) node of each block.  loads: (nodes,) points of each node.
    """

    owners: Counts
    loads: Counts


@dataclass(frozen=True)
class Row:
    """One row of the table.

    avgpts: truncated average load.  avgdev: mean of |load - avgpts| over the exact average, %.
    megawords: memory of the fullest node.  exetime: its share of all points.
    """

    nodes: int
    maxpts: int
    minpts: int
    avgpts: int
    avgdev: float
    megawords: float
    exetime: float


def assign(points: Sequence[int] | Counts, nodes: int) -> Assignment:
    """Assigns blocks with so many points to nodes.

    Blocks are taken from the largest to the smallest, equal ones in their order; each goes to the node with
    the smallest load, the first of equal ones.
    """
    sizes = np.asarray(points, dtype=np.int64)
    owners = np.zeros(len(sizes), dtype=np.int64)
    loads = [(0, node) for node in range(nodes)]
    for block in np.argsort(-sizes, kind="stable"):
        load, node = heapq.heappop(loads)
        owners[block] = node
        heapq.heappush(loads, (load + int(sizes[block]), node))
    return Assignment(owners, np.bincount(owners, weights=sizes, minlength=nodes).astype(np.int64))


def row_of(loads: Counts, words_per_point: float = WORDS_PER_POINT) -> Row:
    """The row of the table for these loads, (nodes,) points."""
    total, nodes = int(loads.sum()), len(loads)
    average = total / nodes
    deviation = float(np.abs(loads - int(average)).mean())  # from the truncated average, as he prints it
    most = int(loads.max())
    return Row(
        nodes=nodes,
        maxpts=most,
        minpts=int(loads.min()),
        avgpts=int(average),
        avgdev=100 * deviation / average,
        megawords=most * words_per_point / 1e6,
        exetime=most / total,
    )


def table(
    points: Sequence[int] | Counts, nodes: Sequence[int], words_per_point: float = WORDS_PER_POINT
) -> list[Row]:
    """One row for each number of nodes."""
    return [row_of(assign(points, count).loads, words_per_point) for count in nodes]
