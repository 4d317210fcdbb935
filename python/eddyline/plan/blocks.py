"""Blocks divided among nodes: pieces of blocks, the messages between them, and splitting of large blocks."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from eddyline.mesh.blocks import Int, Link, Mesh
from eddyline.plan.distribution import Distribution, Traffic
from eddyline.plan.mapper import assign

GHOST_LAYERS = 2
MOST_PIECES_PER_NODE = 4
WORTH_SPLITTING = 0.02
"""Smallest reduction of the largest load for which more pieces are made."""


@dataclass(frozen=True)
class Piece:
    """Cells [low, high) of a block."""

    block: int
    low: Int
    high: Int

    def points(self, vertices: int) -> int:
        """Number of cells, or with `vertices` = 1 of grid points, those on its faces included."""
        return int(np.prod([b - a + vertices for a, b in zip(self.low, self.high, strict=True)]))


@dataclass(frozen=True)
class Contact:
    """Two pieces that share so many faces of cells."""

    first: int
    second: int
    faces: int


@dataclass(frozen=True)
class _Boxes:
    """Pieces of one block: their numbers, (n,), and corners, (n, dimensions)."""

    numbers: NDArray[np.int_]
    low: NDArray[np.int_]
    high: NDArray[np.int_]

    def touching(self, k: int, low: Sequence[int], high: Sequence[int]) -> list[Contact]:
        """Contacts of piece k with those that have cells in [low, high)."""
        sides = np.minimum(self.high, np.array(high)) - np.maximum(self.low, np.array(low))
        hits = np.flatnonzero(sides.min(axis=1) > 0)
        return [Contact(k, int(self.numbers[m]), int(sides[m].prod())) for m in hits]


@dataclass(frozen=True)
class Pieces:
    """Blocks, or parts of them, that are divided among nodes.

    shapes: cells of each block.  vertices: 1 if grid points count as work, as in TLNS3DMB, else 0.
    multiple: cuts lie at multiples of so many cells, so that coarser grids fit.
    """

    shapes: tuple[Int, ...]
    links: tuple[Link, ...] = ()
    pieces: tuple[Piece, ...] = ()
    vertices: int = 0
    multiple: int = 1
    names: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, mesh: Mesh, multiple: int = 4) -> Pieces:
        shapes = tuple(block.cells for block in mesh.blocks)
        names = tuple(block.name for block in mesh.blocks)
        return cls.whole(shapes, mesh.links, names=names, multiple=multiple)

    @classmethod
    def whole(
        cls,
        shapes: Sequence[Int],
        links: Sequence[Link] = (),
        *,
        names: Sequence[str] = (),
        vertices: int = 0,
        multiple: int = 1,
    ) -> Pieces:
        """Each block is one piece."""
        pieces = tuple(Piece(k, (0,) * len(shape), tuple(shape)) for k, shape in enumerate(shapes))
        names = names or [str(k + 1) for k in range(len(shapes))]
        return cls(tuple(shapes), tuple(links), pieces, vertices, multiple, tuple(names))

    @property
    def points(self) -> list[int]:
        return [piece.points(self.vertices) for piece in self.pieces]

    def contacts(self) -> list[Contact]:
        """All pairs of pieces that touch, once each for every surface that they share."""
        by_block: dict[int, list[int]] = {}
        for k, piece in enumerate(self.pieces):
            by_block.setdefault(piece.block, []).append(k)
        others = {
            block: _Boxes(
                np.array(numbers),
                np.array([self.pieces[k].low for k in numbers]),
                np.array([self.pieces[k].high for k in numbers]),
            )
            for block, numbers in by_block.items()
        }
        found: list[Contact] = []
        for k, piece in enumerate(self.pieces):
            for axis in range(len(piece.low)):  # inside a block: the layer of cells above
                if piece.high[axis] < self.shapes[piece.block][axis]:
                    low, high = list(piece.low), list(piece.high)
                    low[axis], high[axis] = piece.high[axis], piece.high[axis] + 1
                    found += others[piece.block].touching(k, low, high)
        for link in self.links:
            patch = link.patch
            beyond = 1 if patch.end else -1
            for k in by_block.get(patch.block, []):
                piece = self.pieces[k]
                low = [max(a, b) for a, b in zip(piece.low, patch.low, strict=True)]
                high = [min(a, b) for a, b in zip(piece.high, patch.high, strict=True)]
                if any(a >= b for a, b in zip(low, high, strict=True)):
                    continue
                low[patch.axis], high[patch.axis] = low[patch.axis] + beyond, high[patch.axis] + beyond
                touching = others[link.giver].touching(k, *link.giver_range(low, high))
                found += [each for each in touching if each.first < each.second]  # a link exists both ways
        return found

    def divide(self, nodes: int, contacts: Sequence[Contact] | None = None) -> Distribution:
        """The largest piece to the least loaded node, and the messages that follow."""
        assignment = assign(self.points, nodes)
        owners = assignment.owners
        messages, rows = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
        for contact in self.contacts() if contacts is None else contacts:
            first, second = owners[contact.first], owners[contact.second]
            if first != second:
                messages[[first, second]] += 1
                rows[[first, second]] += GHOST_LAYERS * contact.faces
        return Distribution(assignment.loads, rows, Traffic(messages, rows))

    def halves(self, piece: Piece) -> tuple[Piece, Piece] | None:
        """The piece cut in the middle of its longest side; None if no cut is possible."""
        sides = [b - a for a, b in zip(piece.low, piece.high, strict=True)]
        for axis in sorted(range(len(sides)), key=lambda k: -sides[k]):
            cut = piece.low[axis] + sides[axis] // 2 // self.multiple * self.multiple
            if piece.low[axis] < cut < piece.high[axis]:
                high, low = list(piece.high), list(piece.low)
                high[axis] = low[axis] = cut
                return replace(piece, high=tuple(high)), replace(piece, low=tuple(low))
        return None

    def split_for(self, nodes: int) -> Pieces:
        """Halves the largest pieces as long as that lowers the largest load by WORTH_SPLITTING at least."""
        heap = [(-piece.points(self.vertices), k, piece) for k, piece in enumerate(self.pieces)]
        heapq.heapify(heap)
        best, count = self.pieces, len(heap)
        least = int(assign(self.points, nodes).loads.max())
        ideal = sum(self.points) / nodes
        while len(heap) < max(MOST_PIECES_PER_NODE * nodes, 64) and least > 1.02 * ideal:
            for _ in range(max(1, len(heap) // 16)):
                halves = self.halves(heapq.heappop(heap)[2])
                if halves is None:
                    return replace(self, pieces=best)
                for half in halves:
                    heapq.heappush(heap, (-half.points(self.vertices), count, half))
                    count += 1
            load = int(assign([-points for points, _, _ in heap], nodes).loads.max())
            if load < (1 - WORTH_SPLITTING) * least:
                best, least = tuple(piece for _, _, piece in heap), load
        return replace(self, pieces=best)

    def split_blocks(self) -> list[str]:
        """Names of the blocks that have more than one piece."""
        counts = np.bincount([piece.block for piece in self.pieces], minlength=len(self.shapes))
        return [self.names[k] for k in np.flatnonzero(counts > 1)]
