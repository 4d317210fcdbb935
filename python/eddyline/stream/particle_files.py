"""Files of snapshots of particles: VTKHDF PolyData, one complete file for each kind and time."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.stream import atomic, integrity
from eddyline.stream.hdf5 import (
    create_dataset,
    create_group,
    describe,
    describe_anew,
    join_datasets,
    link,
    write_dataset,
    write_rows,
)
from eddyline.stream.particles import Kind, Records
from eddyline.stream.snapshot_folder import (
    CHECKSUM_DIGITS,
    SMALL,
    VTKHDF_VERSION,
    Moment,
    Note,
    part_name,
    read_note,
)

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]
    from h5py import h5d, h5g

TOPOLOGY = ("Vertices", "Lines", "Polygons", "Strips")
CHUNK = 16_384  # numbers that are stored together, at most


@dataclass(frozen=True)
class Field:
    """A column of a snapshot and its description in the file."""

    name: str
    dtype: Any
    units: str
    description: str
    components: int = 1


FLUID_FIELDS = (
    Field("id", np.int64, "1", "permanent id of a particle: source, lattice site and count"),
    Field("velocity", np.float64, "m/s", "velocity (the third component is 0 in two dimensions)", 3),
    Field("density", np.float64, "kg/m^3", "density"),
    Field("pressure", np.float64, "Pa", "pressure, 0 where the density is the reference density"),
    Field("surface", np.uint8, "1", "1 at the free surface, else 0"),
    Field("buffer", np.uint8, "1", "1 + index of the opening beyond which the particle is; 0: fluid"),
)
WALL_FIELDS = (
    Field(
        "body",
        np.int32,
        "1",
        "index of the body in the order of the world file, or -1 - side for the domain's walls",
    ),
    Field("pressure", np.float64, "Pa", "pressure, extrapolated from the fluid"),
)
_POINT_DATA = "PointData"
_POSITION = Field("Points", np.float64, "m", "position (the third coordinate is 0 in two dimensions)", 3)
FIELDS: Mapping[Kind, tuple[Field, ...]] = {"fluid": FLUID_FIELDS, "walls": WALL_FIELDS}


class ParticlePart:
    """One snapshot of one kind of particles, written batch after batch. standing: files that small ones of
    each kind are built in."""

    def __init__(self, path: Path, kind: Kind, total: int, moment: Moment, standing: StandingFiles) -> None:
        self._path, self._kind, self._total, self._moment = path, kind, total, moment
        self._standing = standing
        self._written = 0
        self._open = contextlib.ExitStack()

    def open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        columns = FIELDS[self._kind]
        bytes_each = 24 + sum(np.dtype(column.dtype).itemsize * column.components for column in columns)
        size = bytes_each * self._total
        self._blank = self._open.enter_context(self._small() if size <= SMALL else self._long(size))
        with self._or_abandon():
            self._blank.date(self._moment)

    @property
    def _note(self) -> bytes:
        number = int(self._path.stem)
        return Note(self._moment.time, self._moment.step, self._total, number, self._kind).bytes()

    def append(self, batch: Records) -> None:
        """The next particles."""
        with self._or_abandon():
            for column, data in self._blank.data:
                values = batch["position" if column is _POSITION else column.name]
                if column.components > 1:
                    values = values[:, : self._moment.dimensions]
                write_rows(data, self._written, values.astype(column.dtype, copy=False))
            self._written += len(batch)

    def close(self) -> None:
        """Completes the file."""
        self._open.close()

    def abandon(self) -> None:
        """Removes the unfinished file."""
        with contextlib.suppress(_AbandonedError), self._open:
            raise _AbandonedError

    @contextlib.contextmanager
    def _or_abandon(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.abandon()
            raise

    @contextlib.contextmanager
    def _small(self) -> Iterator[_Blank]:
        """A copy of the file in memory appears. Most of what a small snapshot takes is the making of its
        objects, and most flows keep their particles: the same file serves for the next."""
        blank = self._standing.get(self._kind)
        if blank is None or blank.total != self._total:
            blank = _Blank(atomic.hdf5_in_memory(), self._kind, self._total, compressed=False)
            self._standing[self._kind] = blank
        yield blank
        atomic.write_hdf5(self._path, blank.file, self._note)

    @contextlib.contextmanager
    def _long(self, size: int) -> Iterator[_Blank]:
        with atomic.long_hdf5_file(self._path, size, self._note) as file:
            yield _Blank(file, self._kind, self._total, compressed=True)


class _AbandonedError(Exception):
    """Discards an unfinished file."""


class _Blank:
    """A file with everything of a snapshot except its time and particle data, for which space is
    allocated."""

    def __init__(self, file: h5py.File, kind: Kind, total: int, *, compressed: bool) -> None:
        self.file, self.total = file, total
        self._root = _poly_data(file)
        describe(self._root, time=0.0, step=0, dimensions=0, checksum=np.bytes_("0" * CHECKSUM_DIGITS))
        _write_vertices(self._root, [total])
        create_group(self._root, _POINT_DATA)
        self.data = [
            (column, _create_array(self._root, column, total, compressed=compressed))
            for column in [_POSITION, *FIELDS[kind]]
        ]

    def date(self, moment: Moment) -> None:
        describe_anew(
            self._root,
            time=moment.time,
            step=moment.step,
            dimensions=moment.dimensions,
            checksum=np.bytes_(moment.checksum),
        )


StandingFiles = dict[Kind, _Blank]
"""Files in memory that small snapshots of each kind are built in, one after the other."""


def _poly_data(file: h5py.File) -> h5g.GroupID:
    root = create_group(file.id, "VTKHDF")
    describe(root, Version=np.array(VTKHDF_VERSION, dtype=np.int64), Type=np.bytes_("PolyData"))
    return root


def _name(column: Field) -> str:
    """Group of the numbers of one snapshot, below the group of all."""
    return column.name if column is _POSITION else f"{_POINT_DATA}/{column.name}"


def _create_array(root: h5g.GroupID, column: Field, length: int, *, compressed: bool) -> h5d.DatasetID:
    """compressed: whole numbers are; others would take four fifths of their room and several times as long.
    Components of vectors are stored one after the other: the third of two dimensions is nowhere written, and
    so 0."""
    vector, is_whole = column.components > 1, np.dtype(column.dtype).kind != "f"
    compressed, chunk = compressed and is_whole, None
    if length > 0 and (vector or compressed):
        even = math.ceil(length / math.ceil(length / CHUNK))  # so that the last is as full as the others
        chunk = (even, 1) if vector else (even,)
    shape = (length, column.components) if vector else (length,)
    data = create_dataset(root, _name(column), shape, column.dtype, chunk, compressed=compressed)
    describe(data, units=column.units, description=column.description)
    return data


def _write_vertices(root: h5g.GroupID, counts: Sequence[int]) -> None:
    """NumberOfPoints, and a vertex cell a point, so that points are seen at once; all steps share one list
    0, 1, 2, ... Arrays that hold the same numbers are one array of several names."""
    vertices, lines = create_group(root, "Vertices"), create_group(root, "Lines")
    write_dataset(root, "NumberOfPoints", np.array(counts, dtype=np.int64))
    for name in ("NumberOfCells", "NumberOfConnectivityIds"):
        link(vertices, name, root, "NumberOfPoints")
    write_dataset(lines, "NumberOfCells", np.zeros(len(counts), dtype=np.int64))
    link(lines, "NumberOfConnectivityIds", lines, "NumberOfCells")
    for group, length in ((vertices, max(counts, default=0)), (lines, 0)):
        _write_range(group, "Offsets", length + 1)
        _write_range(group, "Connectivity", length)
    for name in TOPOLOGY[2:]:
        link(root, name, root, "Lines")


def blocks_of(rows: int, size: int = 500_000) -> Iterator[slice]:
    """Slices of at most `size` rows."""
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def _write_range(group: h5g.GroupID, name: str, length: int) -> None:
    """0, 1, 2, ..."""
    data = create_dataset(group, name, (length,), np.int64, (min(length, CHUNK),) if length else None)
    for rows in blocks_of(length):
        write_rows(data, rows.start, np.arange(rows.start, rows.stop, dtype=np.int64))


def describe_particle_index(
    file: h5py.File, kind: Kind, times: Sequence[float], counts: Sequence[int]
) -> None:
    """One temporal data set made of the files of all snapshots."""
    steps = len(times)
    root = _poly_data(file)
    _write_vertices(root, counts)
    create_group(root, _POINT_DATA)
    parts = [(f"{kind}/{part_name(k)}", length) for k, length in enumerate(counts)]
    for column in [_POSITION, *FIELDS[kind]]:
        joined = join_datasets(
            root, _name(column), column.dtype, parts, f"VTKHDF/{_name(column)}", column.components
        )
        describe(joined, units=column.units, description=column.description)
    group = create_group(root, "Steps")
    describe(group, NSteps=np.int64(steps))
    write_dataset(group, "Values", np.array(times, dtype=np.float64))
    write_dataset(group, "PartOffsets", np.arange(steps, dtype=np.int64))
    write_dataset(group, "NumberOfParts", np.ones(steps, dtype=np.int64))
    first = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    write_dataset(group, "PointOffsets", first)
    write_dataset(group, "CellOffsets", np.zeros((steps, len(TOPOLOGY)), dtype=np.int64))
    link(group, "ConnectivityIdOffsets", group, "CellOffsets")
    offsets = create_group(group, "PointDataOffsets")
    for column in FIELDS[kind]:
        link(offsets, column.name, group, "PointOffsets")


def read_particles(path: Path, kind: Kind) -> dict[str, Any]:
    """Time, step and the columns of all particles in a file. Raises CorruptFileError."""
    read_note(path)
    with integrity.hdf5_file(path) as file:
        root = file["VTKHDF"]
        dimensions = int(root.attrs["dimensions"])
        out: dict[str, Any] = {"time": float(root.attrs["time"]), "step": int(root.attrs["step"])}
        total = int(root["NumberOfPoints"][0])
        for field in (_POSITION, *FIELDS[kind]):
            data = root[_name(field)]
            if data.shape != ((total, field.components) if field.components > 1 else (total,)):
                raise ValueError(f"{data.name} has {data.shape} numbers for {total} particles")
            name = "position" if field is _POSITION else field.name
            out[name] = integrity.values_of(file, data, dimensions).astype(field.dtype, copy=False)
    return out
