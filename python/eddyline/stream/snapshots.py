"""Snapshots: all particles at some times, as VTKHDF that ParaView opens and h5py reads.

    snapshots/fluid.vtkhdf, walls.vtkhdf      open these: all times in one data set (VTKHDF PolyData with
    Steps)
    snapshots/fluid/000000.vtkhdf, ...        one complete file a snapshot, each readable alone

The files on top hold no numbers: they join the others (HDF5 virtual data sets). They are replaced when there
is a new snapshot, first after some seconds, and at the end, but not so often that this would take more than a
thousandth of a run's time. A run that was killed, or a disk that is full, leaves every snapshot
before readable; `renew_index` tells the files on top of all of them.
"""

from __future__ import annotations

import contextlib
import functools
import math
import struct
import time as clock
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.stream import atomic, integrity
from eddyline.stream.corrupt import CorruptFileError
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
from eddyline.stream.particles import BATCH, Kind, Records, batches, count

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]
    from h5py import h5d, h5g

    from eddyline import _core

Job = Callable[[], None]
VTKHDF_VERSION = (2, 0)
TOPOLOGY = ("Vertices", "Lines", "Polygons", "Strips")
CHECKSUM_DIGITS = 32
CHUNK = 16_384  # numbers that are stored together, at most
SMALL = 8_000_000  # bytes of a snapshot up to which it is built in memory
INDEX_EVERY = 1000  # smallest interval between writes of the index files, in multiples of their duration
INDEX_FIRST = 10.0  # s until their first write: short runs write them only at the end


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
KINDS: tuple[Kind, ...] = ("walls", "fluid")
"""Kinds of particles, in the order in which they are written."""
_NOTE = struct.Struct("<dqqi4s")
FIELDS: Mapping[Kind, tuple[Field, ...]] = {"fluid": FLUID_FIELDS, "walls": WALL_FIELDS}


@dataclass(frozen=True)
class Moment:
    time: float  # s
    step: int
    dimensions: int
    checksum: str  # of the whole state, CHECKSUM_DIGITS hexadecimal digits

    @classmethod
    def of(cls, simulation: _core.Simulation) -> Moment:
        return cls(
            simulation.time,
            simulation.step_count,
            simulation.dimensions,
            f"{simulation.checksum():0{CHECKSUM_DIGITS}x}",
        )


@dataclass
class SnapshotFiles:
    """Writes snapshots into a folder, one by one."""

    folder: Path
    batch: int = BATCH  # particles in memory at a time
    _number: int = 0  # of the next
    _synced: int = 0  # number of snapshots that are synced to the disk
    _times: list[float] = field(default_factory=list)
    kinds: tuple[Kind, ...] = KINDS
    _counts: dict[Kind, list[int]] = field(default_factory=lambda: defaultdict(list))
    _standing: dict[Kind, _Blank] = field(default_factory=dict)  # for the next small ones
    _indexed: int = 0  # number of snapshots in the index files
    _index_due: float = field(default_factory=lambda: clock.perf_counter() + INDEX_FIRST)
    """Clock time at which writing is retried [s]."""

    def check(self, count: int) -> None:
        """Raises CorruptFileError if there are not as many snapshots."""
        there = snapshot_count(self.folder)
        if there < count:
            raise CorruptFileError(self.folder, f"{count} snapshots should be there, and {there} are")

    def cut(self, kept: int) -> int:
        """Continues after the first `kept` snapshots of a folder; later ones are deleted. Returns the step of
        the last of them, -1 without any."""
        self._number = kept
        self._synced = kept
        for kind in reversed(self.kinds):  # a snapshot exists when the file of its last kind exists
            for path in sorted((self.folder / kind).glob("[0-9]*.vtkhdf"), reverse=True):
                if int(path.stem) >= kept:
                    path.unlink()
            if kept == 0:
                (self.folder / f"{kind}.vtkhdf").unlink(missing_ok=True)
        self._times, self._counts = _find(self.folder)
        self._write_index()
        return snapshot_moment(self.folder.parent, kept - 1)[0] if kept else -1

    def sync(self) -> None:
        """Returns when all snapshots so far are on the disk: those since the last call are written there."""
        for kind in self.kinds:
            for number in range(self._synced, self._number):
                atomic.sync(self.folder / kind / part_name(number))
            if self._synced < self._number:
                atomic.sync_folder(self.folder / kind)
        self._synced = self._number

    def take(self, simulation: _core.Simulation, put: Callable[[Job], None]) -> None:
        """Copies the particles as they are now, in order of their ids, and puts what writes them, batch after
        batch: jobs that are to be done in order. Walls first: a snapshot exists when its fluid file exists.
        """
        counts = {kind: count(simulation, kind) for kind in self.kinds}
        is_small = max(counts.values()) <= self.batch
        jobs: list[Job] = []
        self._lay_out(simulation, counts, jobs.append if is_small else put)
        if is_small:  # to wake the writer costs as much as some of them
            put(functools.partial(_do_all, jobs))

    def _lay_out(
        self, simulation: _core.Simulation, counts: dict[Kind, int], put: Callable[[Job], None]
    ) -> None:
        moment = Moment.of(simulation)
        number, self._number = self._number, self._number + 1
        for kind, total in counts.items():
            part = _Part(self.folder / kind / part_name(number), kind, total, moment, self._standing)
            try:
                put(part.open)
                for batch in batches(simulation, kind, self.batch):
                    put(functools.partial(part.append, batch))
            except BaseException:
                put(part.abandon)
                raise
            put(part.close)
        put(functools.partial(self._note, moment.time, counts))

    def renew_index_if_due(self, put: Callable[[Job], None]) -> None:
        """Queues an update of the index files, unless they were updated recently."""
        if self._indexed < len(self._times) and clock.perf_counter() >= self._index_due:
            self._index_due = math.inf  # until they are written
            put(self._write_index)

    def finish(self, put: Callable[[Job], None]) -> None:
        """Queues an update of the index files with all snapshots."""
        put(self._write_index)
        put(self._standing.clear)

    def _note(self, time: float, counts: dict[Kind, int]) -> None:
        self._times.append(time)
        for kind in self.kinds:
            self._counts[kind].append(counts[kind])

    def _write_index(self) -> None:
        if self._indexed == len(self._times):
            return
        start = clock.perf_counter()
        for kind in self.kinds:
            note = Note(0.0, 0, len(self._times), 0, kind).bytes()
            with atomic.hdf5_file(self.folder / f"{kind}.vtkhdf", note) as file:
                self._describe_index(file, kind)
        self._indexed = len(self._times)
        end = clock.perf_counter()
        self._index_due = end + INDEX_EVERY * (end - start)

    def _describe_index(self, file: h5py.File, kind: Kind) -> None:
        _describe_index(file, kind, self._times, self._counts[kind])


def kinds_in(snapshots: Path) -> tuple[Kind, ...]:
    """Kinds that the folder `snapshots/` of a run holds; a snapshot exists when that of the last one
    exists."""
    return ("cells",) if (snapshots / "cells").is_dir() else KINDS


def files_of(snapshots: Path) -> SnapshotFiles:
    """The files of a run that has snapshots."""
    from eddyline.stream.cells import CellFiles

    return CellFiles(snapshots) if kinds_in(snapshots) == ("cells",) else SnapshotFiles(snapshots)


def _do_all(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job()


def renew_index(run: str | Path) -> None:
    """Writes the index files if they do not list all snapshots."""
    folder = Path(run) / "snapshots"
    count = snapshot_count(folder)
    if any(_known_to(folder / f"{kind}.vtkhdf", kind) != count for kind in kinds_in(folder)):
        files_of(folder).cut(count)


def _known_to(index: Path, kind: Kind) -> int:
    """Number of snapshots in an index file; -1 if it is missing or damaged, as it can be rebuilt."""
    try:
        note = integrity.read_note(index)
        if note is not None and not note.rstrip(b"\0").endswith(kind[:4].encode()):
            return -1
        with integrity.hdf5_file(index) as file:
            return int(file["VTKHDF/Steps"].attrs["NSteps"])
    except CorruptFileError:
        return -1


def _find(folder: Path) -> tuple[list[float], dict[Kind, list[int]]]:
    """Times [s] of the snapshots in a folder, and how many particles they have."""
    times: list[float] = []
    kinds = kinds_in(folder)
    counts: dict[Kind, list[int]] = defaultdict(list)
    for number in range(snapshot_count(folder)):
        for kind in kinds:
            found = read_note(folder / kind / part_name(number))
            counts[kind].append(found.count)
        times.append(found.time)
    return times, counts


def part_name(number: int) -> str:
    return f"{number:06d}.vtkhdf"


def snapshot_count(snapshots: Path) -> int:
    """Number of snapshots in the folder `snapshots/` of a run."""
    return sum(1 for _ in snapshots.glob(f"{kinds_in(snapshots)[-1]}/[0-9]*.vtkhdf"))


def read_snapshot(run: str | Path, k: int = -1) -> dict[str, Any]:
    """Snapshot `k` (negative: from the end) of the run in folder `run`.

    Gives time [s], step, position (n, D) m, velocity (n, D) m/s, density (n,) kg/m^3, pressure (n,) Pa,
    surface (n,), buffer (n,), id (n,) int64, in order of id; and wall_position (m, D) m,
    wall_body (m,) int32, wall_pressure (m,) Pa. Of cells: time, step, position (n, D) of the centres [m],
    id (n,), and the fields of the solver, (n,) each. Raises CorruptFileError.
    """
    folder = Path(run) / "snapshots"
    count = snapshot_count(folder)
    if not -count <= k < count:
        raise IndexError(f"{folder}: there are {count} snapshots, counted from 0; number {k} does not exist")
    if kinds_in(folder) == ("cells",):
        from eddyline.stream.cells import read_cells

        return read_cells(folder / "cells" / part_name(k % count))
    out: dict[str, Any] = {}
    prefixes: dict[Kind, str] = {"fluid": "", "walls": "wall_"}
    for kind, prefix in prefixes.items():
        path = folder / kind / part_name(k % count)
        read_note(path)
        with integrity.hdf5_file(path) as file:
            root = file["VTKHDF"]
            dimensions = int(root.attrs["dimensions"])
            out["time"], out["step"] = float(root.attrs["time"]), int(root.attrs["step"])
            total = int(root["NumberOfPoints"][0])
            for field in (_POSITION, *FIELDS[kind]):
                data = root[_name(field)]
                if data.shape != ((total, field.components) if field.components > 1 else (total,)):
                    raise ValueError(f"{data.name} has {data.shape} numbers for {total} particles")
                name = "position" if field is _POSITION else field.name
                out[prefix + name] = integrity.values_of(file, data, dimensions).astype(
                    field.dtype, copy=False
                )
    return out


def snapshot_moment(run: str | Path, k: int) -> tuple[int, float]:
    """Step and time [s] of snapshot `k`, without its particles; their checksum is not verified. Raises
    CorruptFileError."""
    folder = Path(run) / "snapshots"
    found = read_note(folder / kinds_in(folder)[-1] / part_name(k))
    return found.step, found.time


@dataclass(frozen=True)
class Note:
    """Trailer of a snapshot. number: of the snapshot.  count: of particles; in an index file, of
    snapshots."""

    time: float  # s
    step: int
    count: int
    number: int
    kind: Kind

    def bytes(self) -> bytes:
        return _NOTE.pack(self.time, self.step, self.count, self.number, self.kind[:4].encode())


def read_note(path: Path) -> Note:
    """The note at the end of a snapshot. Raises CorruptFileError."""
    kind: Kind = "fluid" if path.parent.name == "fluid" else "walls"
    if path.parent.name == "cells":
        kind = "cells"
    note = integrity.read_note(path)
    if note is None:
        with integrity.hdf5_file(path) as file:
            root = file["VTKHDF"]
            time, step = float(root.attrs["time"]), int(root.attrs["step"])
            total = int(root["NumberOfPoints"][0]) if "NumberOfPoints" in root else 0
            return Note(time, step, total, int(path.stem), kind)
    time, step, count, number, written_as = _NOTE.unpack(note)
    if (number, written_as) != (int(path.stem), kind[:4].encode()):
        raise CorruptFileError(path, "it is another file of the run with a wrong name")
    return Note(time, step, count, number, kind)


def copy_as_one_file(run: str | Path, kind: Kind, target: Path) -> None:
    """All snapshots of a run in one self-contained VTKHDF file, to be moved elsewhere. Raises
    CorruptFileError."""

    renew_index(run)
    folder = Path(run) / "snapshots"
    for number in range(snapshot_count(folder)):
        read_note(folder / kind / part_name(number))
        with integrity.hdf5_file(folder / kind / part_name(number)):
            pass  # the index file would not tell which one is damaged
    size = sum(path.stat().st_size for path in (folder / kind).iterdir())
    top = folder / f"{kind}.vtkhdf"
    with atomic.long_hdf5_file(target, size) as file, integrity.hdf5_file(top) as source:
        _copy(source, file)


def _copy(source: h5py.Group, target: h5py.Group) -> None:
    """Copies the content of a group; virtual data sets become real ones."""
    import h5py

    for name, item in source.items():
        if isinstance(item, h5py.Dataset):
            made: h5py.Dataset | h5py.Group = target.create_dataset(
                name, shape=item.shape, dtype=item.dtype, chunks=item.size > 0 or None
            )
            for rows in _blocks(item.shape[0]):
                made[rows] = item[rows]
        else:
            made = target.create_group(name)
            _copy(item, made)
        for key, value in item.attrs.items():
            made.attrs[key] = value


def _blocks(rows: int, size: int = 500_000) -> Iterator[slice]:
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def _poly_data(file: h5py.File) -> h5g.GroupID:
    root = create_group(file.id, "VTKHDF")
    describe(root, Version=np.array(VTKHDF_VERSION, dtype=np.int64), Type=np.bytes_("PolyData"))
    return root


class _Part:
    """One snapshot of one kind of particles, written batch after batch. standing: files that small ones of
    each kind are built in."""

    def __init__(
        self, path: Path, kind: Kind, total: int, moment: Moment, standing: dict[Kind, _Blank]
    ) -> None:
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


def _write_range(group: h5g.GroupID, name: str, length: int) -> None:
    """0, 1, 2, ..."""
    data = create_dataset(group, name, (length,), np.int64, (min(length, CHUNK),) if length else None)
    for rows in _blocks(length):
        write_rows(data, rows.start, np.arange(rows.start, rows.stop, dtype=np.int64))


def _describe_index(file: h5py.File, kind: Kind, times: Sequence[float], counts: Sequence[int]) -> None:
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
