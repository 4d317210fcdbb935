"""Snapshots: all particles at some times, as VTKHDF that ParaView opens and h5py reads.

    snapshots/fluid.vtkhdf, walls.vtkhdf      open these: all times in one data set (VTKHDF PolyData with
    Steps)
    snapshots/fluid/000000.vtkhdf, ...        one complete file a snapshot, each readable alone

The files on top hold no numbers: they join the others (HDF5 virtual data sets) and are replaced after each
snapshot, so that a run that was killed, or a disk that is full, leaves every snapshot before readable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from eddyline.stream import atomic

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]

    from eddyline import _core

Array = NDArray[Any]
Kind = Literal["fluid", "walls"]
VTKHDF_VERSION = (2, 0)
TOPOLOGY = ("Vertices", "Lines", "Polygons", "Strips")


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
KINDS: tuple[Kind, ...] = ("fluid", "walls")
FIELDS: dict[Kind, tuple[Field, ...]] = {"fluid": FLUID_FIELDS, "walls": WALL_FIELDS}


@dataclass(frozen=True)
class Points:
    """Particles of one kind: position (n, 3) m and the fields of FIELDS."""

    position: NDArray[np.float64]
    fields: Mapping[str, Array]


@dataclass(frozen=True)
class Snapshot:
    time: float  # s
    step: int
    dimensions: int
    fluid: Points
    walls: Points
    checksum: str = ""  # of the whole state: 32 hexadecimal digits


def take_snapshot(simulation: _core.Simulation, dimensions: int) -> Snapshot:
    """Copies the particles as they are now, in order of their ids: the same snapshot on any number of
    threads."""
    order = np.argsort(simulation.id, kind="stable")
    fluid: dict[str, Array] = {
        "id": simulation.id[order],
        "velocity": three_columns(simulation.velocity[order]),
        "density": simulation.density[order],
        "pressure": simulation.pressure()[order],
        "surface": simulation.surface()[order].astype(np.uint8),
        "buffer": simulation.buffer[order],
    }
    wall_position = three_columns(simulation.wall_position())
    body = np.asarray(simulation.wall_body(), dtype=np.int32)
    wall_order = np.lexsort((wall_position[:, 0], wall_position[:, 1], wall_position[:, 2], body))
    walls: dict[str, Array] = {
        "body": body[wall_order],
        "pressure": np.asarray(simulation.wall_pressure())[wall_order],
    }
    return Snapshot(
        time=simulation.time,
        step=simulation.step_count,
        dimensions=dimensions,
        fluid=Points(three_columns(simulation.position[order]), fluid),
        walls=Points(wall_position[wall_order], walls),
        checksum=f"{simulation.checksum():032x}",
    )


def three_columns(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, D) -> (n, 3), missing components 0."""
    out = np.zeros((vectors.shape[0], 3))
    out[:, : vectors.shape[1]] = vectors
    return out


@dataclass
class SnapshotFiles:
    """Writes snapshots into a folder, one by one."""

    folder: Path
    _times: list[float] = field(default_factory=list)
    _counts: dict[Kind, list[int]] = field(default_factory=lambda: {"fluid": [], "walls": []})

    def cut(self, count: int) -> None:
        """Goes on after the first `count` snapshots of a folder; later ones are deleted."""
        import h5py

        for number in range(snapshot_count(self.folder)):
            for kind in KINDS:
                path = self.folder / kind / part_name(number)
                if number >= count:
                    path.unlink(missing_ok=True)
                    continue
                with h5py.File(path) as file:
                    root = file["VTKHDF"]
                    self._counts[kind].append(int(root["NumberOfPoints"][0]))
                    if kind == "fluid":
                        self._times.append(float(root.attrs["time"]))

    def job(self, snapshot: Snapshot) -> Callable[[], None]:
        """The writing of `snapshot`, to be called later, in order."""
        return lambda: self.write(snapshot)

    def write(self, snapshot: Snapshot) -> None:
        """Walls first: a snapshot counts as there when its fluid is."""
        number = len(self._times)
        parts: dict[Kind, Points] = {"walls": snapshot.walls, "fluid": snapshot.fluid}
        for kind, points in parts.items():
            (self.folder / kind).mkdir(parents=True, exist_ok=True)
            with atomic.hdf5_file(self.folder / kind / part_name(number)) as file:
                _write_points(file, kind, points, snapshot)
        self._times.append(snapshot.time)
        for kind, points in parts.items():
            self._counts[kind].append(len(points.position))
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


def _blocks(rows: int, size: int = 1_000_000) -> Iterator[slice]:
    for start in range(0, rows, size):
        yield slice(start, min(start + size, rows))


def _describe(group: h5py.Group) -> None:
    """What makes a group a VTKHDF PolyData."""
    group.attrs["Version"] = np.array(VTKHDF_VERSION, dtype=np.int64)
    group.attrs["Type"] = np.bytes_("PolyData")


def _write_points(file: h5py.File, kind: Kind, points: Points, snapshot: Snapshot) -> None:
    root = file.create_group("VTKHDF")
    _describe(root)
    root.attrs["time"], root.attrs["step"] = snapshot.time, snapshot.step
    root.attrs["dimensions"] = snapshot.dimensions
    root.attrs["checksum"] = snapshot.checksum
    count = len(points.position)
    root["NumberOfPoints"] = np.array([count], dtype=np.int64)
    _write_array(
        root, "Points", points.position, "m", "position (the third coordinate is 0 in two dimensions)"
    )
    _write_vertices(root, [count])
    data = root.create_group("PointData")
    for column in FIELDS[kind]:
        values = np.asarray(points.fields[column.name], dtype=column.dtype)
        _write_array(data, column.name, values, column.units, column.description)


def _write_array(group: h5py.Group, name: str, values: Array, units: str, description: str) -> None:
    compress = values.size > 0 and (values.dtype.kind != "f" or values.ndim == 2)
    options: dict[str, Any] = (
        {"compression": "gzip", "compression_opts": 1, "shuffle": True} if compress else {}
    )
    data = group.create_dataset(name, data=values, **options)
    data.attrs["units"], data.attrs["description"] = units, description


def _write_vertices(root: h5py.Group, counts: Sequence[int]) -> None:
    """A vertex cell a point, so that points are seen at once; all steps share one list 0, 1, 2, ..."""
    longest = max(counts, default=0)
    for name in TOPOLOGY:
        group = root.create_group(name)
        cells = list(counts) if name == "Vertices" else [0] * len(counts)
        length = longest if name == "Vertices" else 0
        options: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True}
        group["NumberOfCells"] = np.array(cells, dtype=np.int64)
        group["NumberOfConnectivityIds"] = np.array(cells, dtype=np.int64)
        group.create_dataset("Offsets", data=np.arange(length + 1, dtype=np.int64), **options)
        group.create_dataset(
            "Connectivity", data=np.arange(length, dtype=np.int64), **(options if length else {})
        )


def _write_index(file: h5py.File, kind: Kind, times: Sequence[float], counts: Sequence[int]) -> None:
    """One temporal data set made of the files of all snapshots."""
    steps = len(times)
    root = file.create_group("VTKHDF")
    _describe(root)
    root["NumberOfPoints"] = np.array(counts, dtype=np.int64)
    _write_vertices(root, counts)
    columns = [Field("Points", np.float64, "m", "position", 3), *FIELDS[kind]]
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
    for number, count in enumerate(counts):
        if count:
            source = h5py.VirtualSource(f"{kind}/{part_name(number)}", inside, shape=(count, *tail))
            layout[start : start + count] = source
        start += count
    return group.create_virtual_dataset(column.name, layout)
