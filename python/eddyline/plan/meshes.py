"""Runs of the solver multiblock: pieces of blocks as a run divides them, and the messages of its cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eddyline.mesh.blocks import Mesh
from eddyline.plan.blocks import GHOST_LAYERS, Piece, Pieces
from eddyline.plan.distribution import Distribution, Traffic
from eddyline.solvers.multiblock import core_mesh, options_of
from eddyline.world import World
from eddyline.world.meshes import make

STAGES, FRESH_STAGES = 5, 3
"""Stages of a cycle on a level, and those of them with new dissipation and friction."""


@dataclass(frozen=True)
class Cycle:
    """Messages of a cycle of multigrid.

    exchanges: messages to each neighbour.  face_bytes: for each face of a finest cell between two ranks.
    evaluations: of the flow in all cells, in cells of the finest level.
    """

    exchanges: int
    face_bytes: float
    evaluations: float


def cycle_of(world: World, levels: int) -> Cycle:
    """A cycle with so many levels."""
    options, dim = options_of(world.file), world.dimensions
    is_gas = world.file.is_gas
    unknowns = dim + 2 if is_gas else dim + 1
    has_gradients = options.viscous == "full" and world.file.fluid.nu > 0
    sweeps = options.sweeps if is_gas else 0
    exchanges, face_bytes, evaluations, visits, parents = 0, 0.0, 0.0, 1, 0
    for level in range(levels):
        is_last = level + 1 == levels
        residuals = parents + (0 if is_last else visits)  # beside the stages
        fills = STAGES * visits + residuals
        radii = visits + residuals
        gradients = (FRESH_STAGES * visits + residuals) if has_gradients and level == 0 else 0
        smoothed = sweeps * STAGES * visits
        exchanges += fills + radii + gradients + smoothed + parents
        layers = GHOST_LAYERS if level == 0 else 1
        values = (
            fills * layers * unknowns + radii + gradients * unknowns * dim + (smoothed + parents) * unknowns
        )
        face_bytes += 8.0 * values / 2 ** ((dim - 1) * level)
        evaluations += (STAGES * visits + residuals) / 2 ** (dim * level)
        parents = visits  # of the next level
        if options.cycle == "W" and level + 2 < levels:
            visits *= 2
    return Cycle(exchanges, face_bytes, evaluations)


class MeshRun:
    """A world on a mesh, divided among ranks as a run divides it."""

    def __init__(self, world: World) -> None:
        self.mesh: Mesh = make(world.file)
        self._core = core_mesh(self.mesh)
        self._levels = options_of(world.file).levels
        self._is_gas = world.file.is_gas
        self._whole = Pieces.of(self.mesh)
        self.levels, _ = self._core.divide(1, self._levels, self._is_gas)

    def pieces(self, ranks: int) -> tuple[Pieces, list[int]]:
        """The pieces of a run on so many ranks, and the rank of each."""
        dim = self.mesh.blocks[0].dimensions
        found = self._core.divide(ranks, self._levels, self._is_gas)[1]
        pieces = tuple(Piece(block, tuple(low[:dim]), tuple(high[:dim])) for block, low, high, _ in found)
        return replace(self._whole, pieces=pieces), [rank for *_, rank in found]

    def divide(self, ranks: int) -> Distribution:
        """Messages: one to each neighbouring rank; rows: faces of cells between this rank and others."""
        pieces, owners = self.pieces(ranks)
        loads = np.bincount(owners, weights=pieces.points, minlength=ranks).astype(np.int64)
        faces = np.zeros(ranks, dtype=np.int64)
        neighbors: list[set[int]] = [set() for _ in range(ranks)]
        for contact in pieces.contacts():
            first, second = owners[contact.first], owners[contact.second]
            if first != second:
                faces[[first, second]] += contact.faces
                neighbors[first].add(second)
                neighbors[second].add(first)
        messages = np.array([len(each) for each in neighbors], dtype=np.int64)
        return Distribution(loads, GHOST_LAYERS * faces, Traffic(messages, faces))

    def divisions(self, ranks: Sequence[int]) -> list[Distribution]:
        return [self.divide(count) for count in ranks]

    def most_ranks(self, divided: Sequence[Distribution]) -> int | None:
        """The largest number of ranks that all have cells, if some of these have none."""
        full = [each.nodes for each in divided if each.loads.min() > 0]
        return None if len(full) == len(divided) else max(full, default=1)
