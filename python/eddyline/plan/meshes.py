"""Runs of the solver multiblock: pieces of blocks as a run divides them, and the messages of its cycles."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np

from eddyline.mesh.blocks import Mesh
from eddyline.plan.blocks import Piece, Pieces
from eddyline.plan.distribution import Distribution, Traffic
from eddyline.plan.exchange import Exchange
from eddyline.solvers.multiblock import core_mesh, options_of, scheme_of
from eddyline.solvers.multigrid import GHOST_LAYERS, Cycle, cycle_of
from eddyline.world import World
from eddyline.world.meshes import make


def exchange_of(cycles: float) -> Exchange:
    """Messages of a step of so many cycles: traffic counts those of a cycle, and their bytes."""
    return Exchange(cycles, cycles, 1 + cycles)


class MeshRun:
    """A world on a mesh, divided among ranks as a run divides it."""

    def __init__(self, world: World) -> None:
        self.mesh: Mesh = make(world.file)
        self._core = core_mesh(self.mesh)
        self._wanted = options_of(world.file).levels
        self._is_gas = world.file.is_gas
        self._scheme = scheme_of(world.file)
        self._whole = Pieces.of(self.mesh)

    @property
    def levels(self) -> int:
        """Levels of multigrid of a run."""
        return self._core.divide(1, self._wanted, self._is_gas)[0]

    @property
    def multiple(self) -> int:
        """Cuts lie at multiples of so many cells, as the core has it."""
        return max(1 << (self.levels - 1), 2)

    @property
    def cycle(self) -> Cycle:
        return cycle_of(self._scheme, self.levels, self.mesh.cells)

    @property
    def cycle_seconds(self) -> float:
        """Time of a cycle on one core, as `eddyline check` estimates it."""
        return self.cycle.seconds(self._scheme, self.mesh.cells)

    @property
    def constant_share(self) -> float:
        """Share of the time of a cycle that ranks do not shorten."""
        return self.cycle.constant_share(self._scheme, self.mesh.cells)

    def with_levels(self, levels: int) -> MeshRun:
        """The same run with method.levels."""
        other = copy(self)
        other._wanted = levels
        return other

    def pieces(self, ranks: int) -> tuple[Pieces, list[int]]:
        """The pieces of a run on so many ranks, and the rank of each."""
        dim = self.mesh.blocks[0].dimensions
        found = self._core.divide(ranks, self._wanted, self._is_gas)[1]
        pieces = tuple(Piece(block, tuple(low[:dim]), tuple(high[:dim])) for block, low, high, _ in found)
        return replace(self._whole, pieces=pieces), [rank for *_, rank in found]

    def divide(self, ranks: int) -> Distribution:
        """Loads, and the messages and bytes of a cycle."""
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
        cycle = self.cycle
        messages = cycle.exchanges * np.array([len(each) for each in neighbors], dtype=np.int64)
        messages += cycle.gathers * (ranks - 1)
        sent = np.rint(cycle.face_bytes * faces + cycle.gathered_bytes * (ranks - 1) * loads).astype(np.int64)
        return Distribution(loads, GHOST_LAYERS * faces, Traffic(messages, sent))
