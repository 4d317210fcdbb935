"""Cells of a body-fitted mesh in snapshots: a VTKHDF UnstructuredGrid of quadrilaterals or hexahedra."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.stream import integrity
from eddyline.stream.snapshot_folder import VTKHDF_VERSION

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]

    from eddyline import _core

CELLS_AT_ONCE = 1_000_000
"""Cells of a field in memory at a time: 8 MB."""
QUADRILATERAL, HEXAHEDRON = 9, 12
"""Types of cells of VTK."""
CORNERS = {
    2: ((0, 0), (1, 0), (1, 1), (0, 1)),
    3: ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)),
}
"""Corners of a cell along i, j and k, in the order of VTK."""


@dataclass(frozen=True)
class MeshCells:
    """points: (n, 3) nodes of all blocks [m].  corners: (m, 4 or 8) the nodes of each cell, in order of the
    ids of cells: block after block, i fastest."""

    points: NDArray[np.float64]
    corners: NDArray[np.int64]

    @classmethod
    def of(cls, blocks: Sequence[NDArray[np.float64]]) -> MeshCells:
        """blocks: nodes of each, (ni + 1, nj + 1[, nk + 1], D) [m]."""
        points: list[NDArray[np.float64]] = []
        corners: list[NDArray[np.int64]] = []
        first = 0
        for nodes in blocks:
            *shape, dimensions = nodes.shape
            flat = np.zeros((int(np.prod(shape)), 3))
            flat[:, :dimensions] = nodes.reshape(-1, dimensions)
            number = first + np.arange(len(flat), dtype=np.int64).reshape(shape)
            of_cells = [
                number[tuple(slice(at, at + n - 1) for at, n in zip(corner, shape, strict=True))].ravel(
                    order="F"
                )
                for corner in CORNERS[dimensions]
            ]
            points.append(flat)
            corners.append(np.stack(of_cells, axis=1))
            first += len(flat)
        return cls(np.concatenate(points), np.concatenate(corners))

    @classmethod
    def read(cls, file: h5py.File) -> MeshCells:
        root = file["VTKHDF"]
        cells = len(root["Types"])
        corners = integrity.values_of(file, root["Connectivity"]).reshape(cells, -1)
        return cls(integrity.values_of(file, root["Points"]), corners.astype(np.int64, copy=False))

    def at(self, simulation: _core.Simulation) -> MeshCells:
        """The cells of now: always the same."""
        return self

    @property
    def dimensions(self) -> int:
        return 2 if self.corners.shape[1] == 4 else 3

    @property
    def array(self) -> tuple[int, ...]:
        return (len(self.corners),)

    @property
    def layer(self) -> int:
        return 1

    def slabs(self) -> Iterator[tuple[int, int]]:
        """First cell and number of cells of the parts that are in memory at a time."""
        for first in range(0, len(self.corners), CELLS_AT_ONCE):
            yield first, min(CELLS_AT_ONCE, len(self.corners) - first)

    def centres(self) -> NDArray[np.float64]:
        """(m, D) means of the corners of the cells [m]."""
        means: NDArray[np.float64] = self.points[self.corners].mean(axis=1)
        return means[:, : self.dimensions]

    def describe(self, root: h5py.Group) -> None:
        """The mesh."""
        cells, each = self.corners.shape
        root.attrs["Version"] = np.array(VTKHDF_VERSION, dtype=np.int64)
        root.attrs["Type"] = np.bytes_("UnstructuredGrid")
        root["NumberOfPoints"] = np.array([len(self.points)], dtype=np.int64)
        root["NumberOfCells"] = np.array([cells], dtype=np.int64)
        root["NumberOfConnectivityIds"] = np.array([cells * each], dtype=np.int64)
        root["Points"] = self.points
        root["Points"].attrs["units"] = "m"
        root["Connectivity"] = self.corners.ravel()
        root["Offsets"] = np.arange(0, cells * each + 1, each, dtype=np.int64)
        root["Types"] = np.full(cells, QUADRILATERAL if each == 4 else HEXAHEDRON, dtype=np.uint8)

    def describe_steps(self, group: h5py.Group, steps: int) -> None:
        """All times have the same mesh."""
        zeros = np.zeros(steps, dtype=np.int64)
        group["PartOffsets"] = zeros
        group["NumberOfParts"] = np.ones(steps, dtype=np.int64)
        group["PointOffsets"] = zeros
        group["CellOffsets"] = zeros[:, None]
        group["ConnectivityIdOffsets"] = zeros[:, None]

    def joined(self, steps: int) -> tuple[int, ...]:
        """Shape of a field at all times: one after the other."""
        return (steps * len(self.corners),)

    def place(self, step: int) -> int | slice:
        """The place of a time in that shape."""
        return slice(self.offset(step), self.offset(step + 1))

    def offset(self, step: int) -> int:
        """The same, as VTK counts it."""
        return step * len(self.corners)
