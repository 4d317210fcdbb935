"""Runs of the solver amr: cells on one or several levels, divided among ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline.plan.distribution import Distribution, Traffic
from eddyline.plan.exchange import Exchange
from eddyline.solvers.amr.cells import cells_along, cells_of_levels
from eddyline.solvers.amr.options import columns_of, options_of
from eddyline.world import World
from eddyline.world.schema import SIDES

STAGES = 4
"""Exchanges of ghosts of a step on one level: one before each stage."""
BETWEEN_LEVELS = 3
"""Exchanges of a step with the next coarser level: coarse states, fine values, fluxes."""
CORNERS = 1.1
"""Ghost cells over those beside faces."""


@dataclass(frozen=True)
class LevelRun:
    """Cells that each level computes in one step of level 0: cells x 2^level. cells: of each level."""

    cells: tuple[int, ...]
    across: tuple[int, ...]  # cells of level 0 along each axis
    patch: int
    unit: int
    periodic: tuple[bool, ...]
    ghosts: int  # layers

    @classmethod
    def of(cls, world: World, cells: Sequence[int] = ()) -> LevelRun:
        """cells: of each level as measured; (): as the solver estimates."""
        options = options_of(world.file)
        counts = tuple(cells or cells_of_levels(world.file))
        across = tuple(count >> (options.levels - 1) for count in cells_along(world.file))
        sides = SIDES
        periodic = tuple(
            world.file.boundaries.side(sides[2 * k]).type == "periodic" for k in range(world.dimensions)
        )
        reach = options.order or (6 if options.reconstruction == "weno" else 4)
        return cls(counts, across, options.patch, options.unit, periodic, reach // 2)

    @property
    def updates(self) -> int:
        """Cells that a step of level 0 computes."""
        return sum(count * 2**level for level, count in enumerate(self.cells))

    def exchange(self, world: World) -> Exchange:
        """Messages of a step of level 0."""
        finer = sum((STAGES + BETWEEN_LEVELS) * 2**level for level in range(1, len(self.cells)))
        return Exchange(STAGES + finer, 8.0 * len(columns_of(world.file)["fields"]) * STAGES)

    def divide(self, ranks: int) -> Distribution | None:
        """Cell updates of each rank in a step of level 0: level 0 by its patches, finer levels in even shares
        of units. None if level 0 cannot be cut into so many patches."""
        tiles = self._tiles(ranks)
        if math.prod(tiles) < ranks:
            return None
        loads, ghosts, neighbors = self._level_0(tiles, ranks)
        dim = len(self.across)
        unit = self.unit**dim
        for level, count in enumerate(self.cells[1:], start=1):
            units = max(1, round(count / unit))
            share = np.full(ranks, units // ranks, dtype=np.int64)
            share[: units % ranks] += 1
            loads = loads + share * unit * 2**level
            if ranks > 1:
                edge = (share.max() * unit) ** (1 / dim)
                ghosts = ghosts + np.rint(2 * dim * self.ghosts * edge ** (dim - 1) * 2**level).astype(
                    np.int64
                )
        sent = np.rint(CORNERS * ghosts).astype(np.int64)
        return Distribution(loads, ghosts, Traffic(neighbors, sent))

    def _tiles(self, ranks: int) -> list[int]:
        """Number of patches along each axis, as the core cuts them."""
        tiles = [-(-count // self.patch) for count in self.across]
        while math.prod(tiles) < ranks:
            widths = [count / each for count, each in zip(self.across, tiles, strict=True)]
            widest = max(range(len(tiles)), key=lambda d: (widths[d], d))
            most = self.across[widest] if len(self.cells) == 1 else self.across[widest] // self.unit
            if tiles[widest] >= most:
                break
            tiles[widest] = min(2 * tiles[widest], most)
        return tiles

    def _level_0(
        self, tiles: Sequence[int], ranks: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Cells, ghosts and number of neighbours of each rank, (ranks,)."""
        dim = len(tiles)
        edges = [
            np.array([count * k // n for k in range(n + 1)])
            for count, n in zip(self.across, tiles, strict=True)
        ]
        places = np.stack(np.meshgrid(*(np.arange(n) for n in tiles), indexing="ij"), axis=-1).reshape(
            -1, dim
        )
        sizes = np.stack([np.diff(edges[d])[places[:, d]] for d in range(dim)], axis=-1)
        order = np.argsort(_morton(places), kind="stable")
        owners = np.empty(len(places), dtype=np.int64)
        weights = sizes.prod(axis=1)[order]
        middle = np.cumsum(weights) - weights / 2
        owners[order] = np.minimum((middle * ranks / weights.sum()).astype(np.int64), ranks - 1)
        loads = np.bincount(owners, weights=sizes.prod(axis=1), minlength=ranks).astype(np.int64)
        grid = owners.reshape(tuple(tiles))
        extent = sizes.reshape((*tiles, dim))
        ghosts = np.zeros(ranks, dtype=np.int64)
        pairs: list[NDArray[np.int64]] = []
        for d in range(dim):
            beside = np.roll(grid, -1, axis=d)
            area = (extent.prod(axis=-1) // extent[..., d]).astype(np.int64)
            real = np.ones(grid.shape, dtype=bool)
            if not self.periodic[d]:
                last = [slice(None)] * dim
                last[d] = slice(-1, None)
                real[tuple(last)] = False
            cut = real & (grid != beside)
            np.add.at(ghosts, grid[cut], self.ghosts * area[cut])
            np.add.at(ghosts, beside[cut], self.ghosts * area[cut])
            pairs.append(np.stack([grid[cut], beside[cut]], axis=-1))
        joined = np.unique(np.concatenate([*pairs, *(pair[:, ::-1] for pair in pairs)]), axis=0)
        neighbors = np.bincount(joined[:, 0], minlength=ranks).astype(np.int64)
        return loads, ghosts, neighbors


def _morton(places: NDArray[np.int_]) -> NDArray[np.int64]:
    """Numbers of places along Morton's curve."""
    dim = places.shape[1]
    key = np.zeros(len(places), dtype=np.int64)
    for bit in range(20):
        for d in range(dim):
            key |= ((places[:, d].astype(np.int64) >> bit) & 1) << (dim * bit + d)
    return key
