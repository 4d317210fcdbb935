"""Cells of several levels in snapshots: a VTKHDF UnstructuredGrid of squares or cubes, other ones in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eddyline.stream.mesh_cells import CELLS_AT_ONCE, CORNERS, MeshCells

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]

    from eddyline import _core
    from eddyline.world import World

ATTRIBUTE = "levels"
"""Attribute of the files: number of levels at most."""
COUNTS = ("NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds")
ARRAYS = ("Points", "Connectivity", "Offsets", "Types")


@dataclass(frozen=True)
class Levels:
    """The cells that no finer level covers, whichever they are at a time. edge: of the finest cells [m].
    levels: at most."""

    origin: tuple[float, float, float]
    edge: float
    levels: int
    dimensions: int

    @classmethod
    def of(cls, world: World, levels: int) -> Levels:
        core = world.core
        return cls(core.origin, core.spacing, levels, world.dimensions)

    def at(self, simulation: _core.Simulation) -> LevelCells:
        """The cells of now."""
        total = simulation.count("cells")
        level = _column(simulation, "level", total).astype(np.int64)
        size = np.int64(1) << (self.levels - 1 - level)  # in cells of the finest level
        lower = np.empty((total, self.dimensions), dtype=np.int64)
        for axis in range(self.dimensions):
            centre = _column(simulation, f"position_{'xyz'[axis]}", total)
            lower[:, axis] = np.rint((centre - self.origin[axis]) / self.edge - 0.5 * size)
        return LevelCells.joined_at_corners(self, lower, size)


def _column(simulation: _core.Simulation, name: str, total: int) -> NDArray[np.float64]:
    parts = [
        simulation.values("cells", name, first, min(CELLS_AT_ONCE, total - first))
        for first in range(0, total, CELLS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.zeros(0)


@dataclass(frozen=True)
class LevelCells(MeshCells):
    """The cells of one time."""

    levels: int

    @classmethod
    def joined_at_corners(cls, of: Levels, lower: NDArray[np.int64], size: NDArray[np.int64]) -> LevelCells:
        """lower: (n, D) lowest corners of cells, and size: (n,) their edges, in cells of the finest level."""
        offsets = np.array(CORNERS[of.dimensions], dtype=np.int64)
        corners = lower[:, None, :] + size[:, None, None] * offsets[None, :, :]
        strides = np.concatenate([[1], np.cumprod(corners.max(axis=(0, 1), initial=0) + 1)])[:-1]
        codes, number = np.unique(corners @ strides, return_inverse=True)
        points = np.zeros((len(codes), 3))
        for axis in reversed(range(of.dimensions)):
            points[:, axis] = of.origin[axis] + of.edge * (codes // strides[axis])
            codes = codes % strides[axis]
        return cls(points, number.reshape(len(lower), -1).astype(np.int64), of.levels)

    @classmethod
    def read(cls, file: h5py.File) -> LevelCells:
        mesh = MeshCells.read(file)
        return cls(mesh.points, mesh.corners, int(file["VTKHDF"].attrs[ATTRIBUTE]))

    def describe(self, root: h5py.Group) -> None:
        super().describe(root)
        root.attrs[ATTRIBUTE] = np.int64(self.levels)


def describe_index(root: h5py.Group, folder: Path, paths: Sequence[str]) -> Index:
    """The cells of all times in the index file, one after the other. paths: of the parts, in the folder."""
    import h5py

    counts: dict[str, list[int]] = {name: [] for name in COUNTS}
    shapes: dict[str, list[tuple[int, ...]]] = {name: [] for name in ARRAYS}
    types: dict[str, np.dtype[Any]] = {}
    for path in paths:
        with h5py.File(folder / path, "r") as file:
            part = file["VTKHDF"]
            for name in COUNTS:
                counts[name].append(int(part[name][0]))
            for name in ARRAYS:
                shapes[name].append(part[name].shape)
                types[name] = part[name].dtype
            for name in ("Version", "Type", ATTRIBUTE):
                root.attrs[name] = part.attrs[name]
    for name, values in counts.items():
        root[name] = np.array(values, dtype=np.int64)
    for name, each in shapes.items():
        layout = h5py.VirtualLayout((sum(shape[0] for shape in each), *each[0][1:]), dtype=types[name])
        first = 0
        for path, shape in zip(paths, each, strict=True):
            layout[first : first + shape[0]] = h5py.VirtualSource(path, f"VTKHDF/{name}", shape=shape)
            first += shape[0]
        root.create_virtual_dataset(name, layout)
    root["Points"].attrs["units"] = "m"
    return Index({name: np.array(values, dtype=np.int64) for name, values in counts.items()})


@dataclass(frozen=True)
class Index:
    """Places of the cells of each time among those of all. counts: of each time."""

    counts: dict[str, NDArray[np.int64]]

    def first(self, name: str) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.counts[name])[:-1]]).astype(np.int64)

    def describe_steps(self, group: h5py.Group) -> None:
        steps = len(self.counts["NumberOfCells"])
        group["PartOffsets"] = np.arange(steps, dtype=np.int64)
        group["NumberOfParts"] = np.ones(steps, dtype=np.int64)
        group["PointOffsets"] = self.first("NumberOfPoints")
        group["CellOffsets"] = self.first("NumberOfCells")[:, None]
        group["ConnectivityIdOffsets"] = self.first("NumberOfConnectivityIds")[:, None]

    @property
    def total(self) -> int:
        return int(self.counts["NumberOfCells"].sum())

    def place(self, step: int) -> slice:
        first = int(self.first("NumberOfCells")[step])
        return slice(first, first + int(self.counts["NumberOfCells"][step]))
