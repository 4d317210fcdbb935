"""Snapshots: all particles at some times, as VTKHDF that ParaView opens and h5py reads.

    snapshots/fluid.vtkhdf, walls.vtkhdf      open these: all times in one data set (VTKHDF PolyData with
    Steps)
    snapshots/fluid/000000.vtkhdf, ...        one complete file a snapshot, each readable alone

The files on top hold no numbers: they join the others (HDF5 virtual data sets) and are replaced after each
snapshot, so that a run that was killed, or a disk that is full, leaves every snapshot before readable.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.stream import atomic
from eddyline.stream.particles import BATCH, Kind, Records, batches, count

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]

    from eddyline import _core

Job = Callable[[], None]
VTKHDF_VERSION = (2, 0)
TOPOLOGY = ("Vertices", "Lines", "Polygons", "Strips")
COMPRESSED = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
CHUNK = 16_384  # numbers that are compressed together


@dataclass(frozen=True)
class Field:
    """A column of a snapshot, as it is described in the file."""

    name: str
    dtype: Any
    units: str
    description: str
    components: int = 1


FLUID_FIELDS = (
    Field("id", np.int64, "1", "source, lattice site and count: the name of a particle for life"),
    Field("velocity", np.float64, "m/s", "velocity (the third component is 0 in two dimensions)", 3),
    Field("density", np.float64, "kg/m^3", "density"),
    Field("pressure", np.float64, "Pa", "pressure, 0 where the density is the reference density"),
    Field("surface", np.uint8, "1", "1 at the free surface, else 0"),
    Field("buffer", np.uint8, "1", "1 + the opening beyond which the particle stands; 0: fluid"),
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
_POSITION = Field("Points", np.float64, "m", "position (the third coordinate is 0 in two dimensions)", 3)
KINDS: tuple[Kind, ...] = ("walls", "fluid")
"""In the order in which they are written."""
FIELDS: dict[Kind, tuple[Field, ...]] = {"fluid": FLUID_FIELDS, "walls": WALL_FIELDS}


@dataclass(frozen=True)
class Moment:
    time: float  # s
    step: int
    dimensions: int
    checksum: str  # of the whole state: 32 hexadecimal digits

    @classmethod
    def of(cls, simulation: _core.Simulation) -> Moment:
        return cls(
            simulation.time, simulation.step_count, simulation.dimensions, f"{simulation.checksum():032x}"
        )


@dataclass
class SnapshotFiles:
    """Writes snapshots into a folder, one by one."""

    folder: Path
    batch: int = BATCH  # particles in memory at a time
    _number: int = 0  # of the next
    _times: list[float] = field(default_factory=list)
    _counts: dict[Kind, list[int]] = field(default_factory=lambda: {"fluid": [], "walls": []})

    def cut(self, kept: int) -> None:
        """Goes on after the first `kept` snapshots of a folder; later ones are deleted."""
        import h5py

        self._number = kept
        for number in range(snapshot_count(self.folder)):
            for kind in KINDS:
                path = self.folder / kind / part_name(number)
                if number >= kept:
                    path.unlink(missing_ok=True)
                    continue
                with h5py.File(path) as file:
                    root = file["VTKHDF"]
                    self._counts[kind].append(int(root["NumberOfPoints"][0]))
                    if kind == "fluid":
                        self._times.append(float(root.attrs["time"]))

    def take(self, simulation: _core.Simulation, put: Callable[[Job], None]) -> None:
        """Copies the particles as they are now, in order of their ids, and puts what writes them, batch after
        batch: jobs that are to be done in order. Walls first: a snapshot counts as there when its fluid is.
        """
        moment = Moment.of(simulation)
        number, self._number = self._number, self._number + 1
        for kind in KINDS:
            total = count(simulation, kind)
            part = _Part(self.folder / kind / part_name(number), kind, total, moment)
            try:
                put(part.open)
                for batch in batches(simulation, kind, self.batch):
                    put(functools.partial(part.append, batch))
            except BaseException:
                put(part.abandon)
                raise
            put(part.close)
            put(functools.partial(self._note, kind, total, moment.time))

    def _note(self, kind: Kind, total: int, time: float) -> None:
        if kind == "walls":
            self._times.append(time)
        self._counts[kind].append(total)
        with atomic.hdf5_file(self.folder / f"{kind}.vtkhdf") as file:
            _write_index(file, kind, self._times, self._counts[kind])


def part_name(number: int) -> str:
    return f"{number:06d}.vtkhdf"


def snapshot_count(snapshots: Path) -> int:
    """How many snapshots the folder `snapshots/` of a run holds."""
    return sum(1 for _ in snapshots.glob("fluid/[0-9]*.vtkhdf"))


def read_snapshot(run: str | Path, k: int = -1) -> dict[str, Any]:
    """Snapshot `k` (negative: from the end) of the run in folder `run`.

    Gives time [s], step, position (n, D) m, velocity (n, D) m/s, density (n,) kg/m^3, pressure (n,) Pa,
    surface (n,), buffer (n,), id (n,) int64, in order of id; and wall_position (m, D) m,
    wall_body (m,) int32, wall_pressure (m,) Pa.
    """
    import h5py

    folder = Path(run) / "snapshots"
    count = snapshot_count(folder)
    if not -count <= k < count:
        raise IndexError(f"{folder}: there are {count} snapshots; number {k} is not one of them")
    out: dict[str, Any] = {}
    for kind, prefix in (("fluid", ""), ("walls", "wall_")):
        with h5py.File(folder / kind / part_name(k % count)) as file:
            root = file["VTKHDF"]
            dimensions = int(root.attrs["dimensions"])
            out["time"], out["step"] = float(root.attrs["time"]), int(root.attrs["step"])
            out[prefix + "position"] = root["Points"][:, :dimensions]
            for name, data in root["PointData"].items():
                out[prefix + name] = data[:, :dimensions] if data.ndim == 2 else data[:]
    return out


def snapshot_moment(run: str | Path, k: int) -> tuple[int, float]:
    """Step and time [s] of snapshot `k`, without its particles."""
    import h5py

    with h5py.File(Path(run) / "snapshots" / "fluid" / part_name(k)) as file:
        attributes = file["VTKHDF"].attrs
        return int(attributes["step"]), float(attributes["time"])


def copy_as_one_file(run: str | Path, kind: Kind, target: Path) -> None:
    """All snapshots of a run in one self-contained VTKHDF file, to be moved elsewhere."""
    import h5py

    with h5py.File(Path(run) / "snapshots" / f"{kind}.vtkhdf") as source, h5py.File(target, "w") as file:

        def copy(name: str, item: h5py.Dataset | h5py.Group) -> None:
            if isinstance(item, h5py.Dataset):
                data = file.create_dataset(
                    name, shape=item.shape, dtype=item.dtype, chunks=item.size > 0 or None
                )
                for rows in _blocks(item.shape[0]):
                    data[rows] = item[rows]
                made: h5py.Dataset | h5py.Group = data
            else:
                made = file.require_group(name)
            for key, value in item.attrs.items():
                made.attrs[key] = value

        source.visititems(copy)


def _blocks(rows: int, size: int = 500_000) -> Iterator[slice]:
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def _describe(group: h5py.Group) -> None:
    """What makes a group a VTKHDF PolyData."""
    group.attrs["Version"] = np.array(VTKHDF_VERSION, dtype=np.int64)
    group.attrs["Type"] = np.bytes_("PolyData")


class _Part:
    """One snapshot of one kind of particles, written batch after batch."""

    def __init__(self, path: Path, kind: Kind, total: int, moment: Moment) -> None:
        self._path, self._kind, self._total, self._moment = path, kind, total, moment
        self._written = 0
        self._open = contextlib.ExitStack()

    def open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        bytes_each = 24 + sum(np.dtype(column.dtype).itemsize * column.components for column in self._columns)
        file = self._open.enter_context(atomic.long_hdf5_file(self._path, bytes_each * self._total))
        with self._or_abandon():
            self._describe(file)

    def append(self, batch: Records) -> None:
        """The next particles."""
        with self._or_abandon():
            rows = slice(self._written, self._written + len(batch))
            self._points[rows] = batch["position"]
            for column in self._columns:
                self._data[column.name][rows] = batch[column.name]
            self._written = rows.stop

    def close(self) -> None:
        """The file appears."""
        self._open.close()

    def abandon(self) -> None:
        """Nothing is left of it."""
        with contextlib.suppress(_AbandonedError), self._open:
            raise _AbandonedError

    @contextlib.contextmanager
    def _or_abandon(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.abandon()
            raise

    @property
    def _columns(self) -> tuple[Field, ...]:
        return FIELDS[self._kind]

    def _describe(self, file: h5py.File) -> None:
        root = file.create_group("VTKHDF")
        _describe(root)
        moment = self._moment
        root.attrs["time"], root.attrs["step"] = moment.time, moment.step
        root.attrs["dimensions"] = moment.dimensions
        root.attrs["checksum"] = moment.checksum
        root["NumberOfPoints"] = np.array([self._total], dtype=np.int64)
        self._points = _create_array(root, _POSITION, self._total)
        _write_vertices(root, [self._total])
        self._data = root.create_group("PointData")
        for column in self._columns:
            _create_array(self._data, column, self._total)


class _AbandonedError(Exception):
    """What ends the writing of a file that shall not appear."""


def _create_array(group: h5py.Group, column: Field, length: int) -> h5py.Dataset:
    """Numbers that compress are compressed: whole ones, and those of a vector whose third is 0."""
    vector = column.components > 1
    shape = (length, column.components) if vector else (length,)
    options: dict[str, Any] = {}
    if length > 0 and (vector or np.dtype(column.dtype).kind != "f"):
        options = COMPRESSED | {"chunks": (min(length, CHUNK), *shape[1:])}
    data = group.create_dataset(column.name, shape, column.dtype, **options)
    data.attrs["units"], data.attrs["description"] = column.units, column.description
    return data


def _write_vertices(root: h5py.Group, counts: Sequence[int]) -> None:
    """A vertex cell a point, so that points are seen at once; all steps share one list 0, 1, 2, ..."""
    longest = max(counts, default=0)
    for name in TOPOLOGY:
        group = root.create_group(name)
        cells = list(counts) if name == "Vertices" else [0] * len(counts)
        length = longest if name == "Vertices" else 0
        group["NumberOfCells"] = np.array(cells, dtype=np.int64)
        group["NumberOfConnectivityIds"] = np.array(cells, dtype=np.int64)
        _write_range(group, "Offsets", length + 1)
        _write_range(group, "Connectivity", length)


def _write_range(group: h5py.Group, name: str, length: int) -> None:
    """0, 1, 2, ..."""
    options = COMPRESSED | {"chunks": (min(length, CHUNK),)} if length else {}
    data = group.create_dataset(name, (length,), np.int64, **options)
    for rows in _blocks(length):
        data[rows] = np.arange(rows.start, rows.stop, dtype=np.int64)


def _write_index(file: h5py.File, kind: Kind, times: Sequence[float], counts: Sequence[int]) -> None:
    """One temporal data set made of the files of all snapshots."""
    steps = len(times)
    root = file.create_group("VTKHDF")
    _describe(root)
    root["NumberOfPoints"] = np.array(counts, dtype=np.int64)
    _write_vertices(root, counts)
    columns = [_POSITION, *FIELDS[kind]]
    data = root.create_group("PointData")
    for column in columns:
        group, prefix = (root, "") if column.name == "Points" else (data, "PointData/")
        joined = _join(group, column, kind, f"VTKHDF/{prefix}{column.name}", counts)
        joined.attrs["units"], joined.attrs["description"] = column.units, column.description
    group = root.create_group("Steps")
    group.attrs["NSteps"] = np.int64(steps)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    group["Values"] = np.array(times, dtype=np.float64)
    group["PartOffsets"] = np.arange(steps, dtype=np.int64)
    group["NumberOfParts"] = np.ones(steps, dtype=np.int64)
    group["PointOffsets"] = first
    group["CellOffsets"] = np.zeros((steps, len(TOPOLOGY)), dtype=np.int64)
    group["ConnectivityIdOffsets"] = np.zeros((steps, len(TOPOLOGY)), dtype=np.int64)
    offsets = group.create_group("PointDataOffsets")
    for column in FIELDS[kind]:
        offsets[column.name] = first


def _join(group: h5py.Group, column: Field, kind: Kind, inside: str, counts: Sequence[int]) -> h5py.Dataset:
    import h5py

    tail = (3,) if column.components == 3 else ()
    layout = h5py.VirtualLayout(shape=(sum(counts), *tail), dtype=column.dtype)
    start = 0
    for number, length in enumerate(counts):
        if length:
            source = h5py.VirtualSource(f"{kind}/{part_name(number)}", inside, shape=(length, *tail))
            layout[start : start + length] = source
        start += length
    return group.create_virtual_dataset(column.name, layout)
