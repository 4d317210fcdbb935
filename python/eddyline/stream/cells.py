"""Snapshots of cells: VTKHDF that ParaView opens and h5py reads.

    snapshots/cells.vtkhdf                open this: all times in one data set (VTKHDF with Steps)
    snapshots/cells/000000.vtkhdf, ...    one complete file a snapshot, each readable alone

Cells of a grid are ImageData with x fastest, those of a body-fitted mesh and of several levels an
UnstructuredGrid in order of their ids. Numbers of cells are doubles. See `eddyline.stream.snapshots` for when
which file is written.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eddyline.stream import atomic, integrity
from eddyline.stream.level_cells import ATTRIBUTE, LevelCells, Levels, describe_index
from eddyline.stream.mesh_cells import MeshCells
from eddyline.stream.particles import Kind
from eddyline.stream.snapshot_files import Job, SnapshotFiles
from eddyline.stream.snapshot_folder import SMALL, VTKHDF_VERSION, Moment, Note, part_name, read_note

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]

    from eddyline import _core
    from eddyline.world import World


CELLS_AT_ONCE = 1_000_000
"""Cells in memory at a time, in whole layers across the last axis: 8 MB."""
_CELL_DATA = "CellData"


@dataclass(frozen=True)
class Grid:
    """Cells of a domain. shape: their numbers along x, y and z (1 in two dimensions).  origin, edge: [m]."""

    shape: tuple[int, int, int]
    origin: tuple[float, float, float]
    edge: tuple[float, float, float]
    dimensions: int

    @classmethod
    def of(cls, world: World) -> Grid:
        core, dimensions = world.core, world.dimensions
        counts = [round(core.size[k] / core.spacing) if k < dimensions else 1 for k in range(3)]
        edges = [core.size[k] / counts[k] if k < dimensions else core.spacing for k in range(3)]
        return cls(
            (counts[0], counts[1], counts[2]),
            (core.origin[0], core.origin[1], core.origin[2] if dimensions == 3 else 0.0),
            (edges[0], edges[1], edges[2]),
            dimensions,
        )

    def at(self, simulation: _core.Simulation) -> Grid:
        """The cells of now: always the same."""
        return self

    @property
    def array(self) -> tuple[int, ...]:
        """Shape of an array of all cells, with the last axis first, as VTK expects it."""
        return self.shape[: self.dimensions][::-1]

    @property
    def layer(self) -> int:
        """Cells of a layer across the last axis."""
        return math.prod(self.array[1:])

    def slabs(self) -> Iterator[tuple[int, int]]:
        """First layer and number of layers of the parts that are in memory at a time."""
        together, layers = max(1, CELLS_AT_ONCE // self.layer), self.array[0]
        for first in range(0, layers, together):
            yield first, min(together, layers - first)

    def centres(self) -> NDArray[np.float64]:
        """(n, D) centres of all cells, with x fastest [m]."""
        axes = [self.origin[k] + (np.arange(self.shape[k]) + 0.5) * self.edge[k] for k in range(3)]
        z, y, x = np.meshgrid(axes[2], axes[1], axes[0], indexing="ij")
        return np.stack([x.ravel(), y.ravel(), z.ravel()][: self.dimensions], axis=1)

    def describe(self, root: h5py.Group) -> None:
        """Attributes of an image. Its points are the corners of the cells."""
        ends = [self.shape[k] if k < self.dimensions else 0 for k in range(3)]
        root.attrs["Version"] = np.array(VTKHDF_VERSION, dtype=np.int64)
        root.attrs["Type"] = np.bytes_("ImageData")
        root.attrs["WholeExtent"] = np.array([0, ends[0], 0, ends[1], 0, ends[2]], dtype=np.int64)
        root.attrs["Origin"] = np.array(self.origin, dtype=np.float64)
        root.attrs["Spacing"] = np.array(self.edge, dtype=np.float64)
        root.attrs["Direction"] = np.eye(3).ravel()

    def describe_steps(self, group: h5py.Group, steps: int) -> None:
        """Further content of the group Steps: nothing."""

    def joined(self, steps: int) -> tuple[int, ...]:
        """Shape of a field at all times."""
        return (steps, *self.array)

    def place(self, step: int) -> int | slice:
        """The place of a time in that shape."""
        return step

    def offset(self, step: int) -> int:
        """The same, as VTK counts it."""
        return step


def layout_of(world: World) -> Grid | MeshCells | Levels:
    """The cells of a world: of its mesh if it has one, else of a grid, or of levels."""
    if world.core.mesh is None:
        levels = int(world.core.options.get("levels", 1))
        return Levels.of(world, levels) if levels > 1 else Grid.of(world)
    from eddyline.world.meshes import make

    return MeshCells.of([block.nodes for block in make(world.file).blocks])


@dataclass
class CellFiles(SnapshotFiles):
    """Writes snapshots of cells into a folder, one by one. fields: name and unit of each; needed to write."""

    kinds: tuple[Kind, ...] = ("cells",)
    grid: Grid | MeshCells | Levels | None = None
    fields: Mapping[str, str] = field(default_factory=dict)

    def take(self, simulation: _core.Simulation, put: Callable[[Job], None]) -> None:
        """Copies all cells as they are now, and puts what writes them, slab after slab."""
        assert self.grid is not None
        moment, grid = Moment.of(simulation), self.grid.at(simulation)
        fields = self.fields if isinstance(self.grid, Grid | MeshCells) else {**self.fields, "level": "1"}
        number, self._number = self._number, self._number + 1
        part = _Part(self.folder / "cells" / part_name(number), grid, fields, moment)
        put(part.open)
        try:
            for name in fields:
                for first, layers in grid.slabs():
                    layer = grid.layer
                    values = simulation.values("cells", name, first * layer, layers * layer)
                    put(functools.partial(part.write, name, first, values))
        except BaseException:
            put(part.abandon)
            raise
        put(part.close)
        put(functools.partial(self._note, moment.time, {"cells": math.prod(grid.array)}))

    def _describe_index(self, file: h5py.File, kind: Kind) -> None:
        """One temporal data set made of the files of all snapshots."""
        import h5py

        steps = len(self._times)
        root = file.create_group("VTKHDF")
        with integrity.hdf5_file(self.folder / "cells" / part_name(0)) as first:
            units = _units_of(first)
            changes = ATTRIBUTE in first["VTKHDF"].attrs
            grid = None if changes else _layout_of_file(first)
        if grid is None:
            self._describe_levels(root, units)
            return
        grid.describe(root)
        data = root.create_group(_CELL_DATA, track_order=True)
        group = root.create_group("Steps")
        group.attrs["NSteps"] = np.int64(steps)
        group["Values"] = np.array(self._times, dtype=np.float64)
        grid.describe_steps(group, steps)
        offsets = group.create_group("CellDataOffsets")
        for name, unit in units.items():
            layout = h5py.VirtualLayout(grid.joined(steps), dtype=np.float64)
            for k in range(steps):
                layout[grid.place(k)] = h5py.VirtualSource(
                    f"cells/{part_name(k)}", f"VTKHDF/{_CELL_DATA}/{name}", shape=grid.array
                )
            data.create_virtual_dataset(name, layout).attrs["units"] = unit
            offsets[name] = np.array([grid.offset(k) for k in range(steps)], dtype=np.int64)

    def _describe_levels(self, root: h5py.Group, units: Mapping[str, str]) -> None:
        """The same of cells that are other ones at each time."""
        import h5py

        steps = len(self._times)
        paths = [f"cells/{part_name(k)}" for k in range(steps)]
        index = describe_index(root, self.folder, paths)
        data = root.create_group(_CELL_DATA, track_order=True)
        group = root.create_group("Steps")
        group.attrs["NSteps"] = np.int64(steps)
        group["Values"] = np.array(self._times, dtype=np.float64)
        index.describe_steps(group)
        offsets = group.create_group("CellDataOffsets")
        for name, unit in units.items():
            layout = h5py.VirtualLayout((index.total,), dtype=np.float64)
            for k, path in enumerate(paths):
                place = index.place(k)
                layout[place] = h5py.VirtualSource(
                    path, f"VTKHDF/{_CELL_DATA}/{name}", shape=(place.stop - place.start,)
                )
            data.create_virtual_dataset(name, layout).attrs["units"] = unit
            offsets[name] = index.first("NumberOfCells")


class _Part:
    """One snapshot, written slab after slab."""

    def __init__(self, path: Path, grid: Grid | MeshCells, fields: Mapping[str, str], moment: Moment) -> None:
        self._path, self._grid, self._fields, self._moment = path, grid, fields, moment
        self._open = contextlib.ExitStack()

    def open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        total, moment = math.prod(self._grid.array), self._moment
        note = Note(moment.time, moment.step, total, int(self._path.stem), "cells").bytes()
        size = 8 * total * len(self._fields)
        opened = atomic.hdf5_file(self._path, note)
        if size > SMALL:
            opened = atomic.long_hdf5_file(self._path, size, note)
        file = self._open.enter_context(opened)
        root = file.create_group("VTKHDF")
        self._grid.describe(root)
        root.attrs.update(
            time=moment.time,
            step=moment.step,
            dimensions=moment.dimensions,
            checksum=np.bytes_(moment.checksum),
        )
        data = root.create_group(_CELL_DATA, track_order=True)
        for name, unit in self._fields.items():
            data.create_dataset(name, self._grid.array, np.float64).attrs["units"] = unit
        self._data = data

    def write(self, name: str, first: int, values: NDArray[np.float64]) -> None:
        """The values of the layers from `first` on."""
        try:
            layers = values.reshape(-1, *self._grid.array[1:])
            self._data[name][first : first + len(layers)] = layers
        except BaseException:
            self.abandon()
            raise

    def close(self) -> None:
        """Completes the file."""
        self._open.close()

    def abandon(self) -> None:
        """Removes the unfinished file."""
        with contextlib.suppress(_AbandonedError), self._open:
            raise _AbandonedError


class _AbandonedError(Exception):
    """Discards an unfinished file."""


def _layout_of_file(file: h5py.File) -> Grid | MeshCells:

    root = file["VTKHDF"]
    if root.attrs["Type"] == b"UnstructuredGrid":
        return LevelCells.read(file) if ATTRIBUTE in root.attrs else MeshCells.read(file)
    ends = [int(value) for value in root.attrs["WholeExtent"][1::2]]
    origin, edge = ([float(value) for value in root.attrs[name]] for name in ("Origin", "Spacing"))
    return Grid(
        (ends[0], ends[1], max(1, ends[2])),
        (origin[0], origin[1], origin[2]),
        (edge[0], edge[1], edge[2]),
        3 if ends[2] > 0 else 2,
    )


def _units_of(file: h5py.File) -> dict[str, str]:
    return {name: str(data.attrs["units"]) for name, data in file[f"VTKHDF/{_CELL_DATA}"].items()}


def read_cells(path: Path) -> dict[str, Any]:
    """A snapshot of cells: see `eddyline.stream.snapshots.read_snapshot`."""
    read_note(path)
    with integrity.hdf5_file(path) as file:
        root, grid = file["VTKHDF"], _layout_of_file(file)
        out: dict[str, Any] = {"time": float(root.attrs["time"]), "step": int(root.attrs["step"])}
        fields = {}
        for name in _units_of(file):
            data = root[_CELL_DATA][name]
            if data.shape != grid.array:
                raise ValueError(f"{data.name} has {data.shape} numbers for {grid.array} cells")
            fields[name] = integrity.values_of(file, data).reshape(-1)
    total = math.prod(grid.array)
    return out | {"id": np.arange(total), "position": grid.centres(), **fields}
