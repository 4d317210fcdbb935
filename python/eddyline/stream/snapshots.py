"""Snapshots: all particles at some times, as VTKHDF that ParaView opens and h5py reads.

    snapshots/fluid.vtkhdf, walls.vtkhdf      open these: all times in one data set (VTKHDF PolyData with
    Steps)
    snapshots/fluid/000000.vtkhdf, ...        one complete file a snapshot, each readable alone

The files on top hold no numbers: they join the others (HDF5 virtual data sets). They are replaced when there
is a new snapshot, first after some seconds, and at the end, but not so often that this would take more than a
thousandth of a run's time. A run that was killed, or a disk that is full, leaves every snapshot
before readable; `renew_index` tells the files on top of all of them.

snapshot_folder: which snapshots there are.  snapshot_files: writing them during a run.  particle_files and
cells: the content of a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.stream import atomic, integrity
from eddyline.stream.cells import CellFiles, read_cells
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.particle_files import blocks_of, read_particles
from eddyline.stream.particles import Kind
from eddyline.stream.snapshot_files import SnapshotFiles
from eddyline.stream.snapshot_folder import kinds_in, part_name, read_note, snapshot_count, snapshot_moment

if TYPE_CHECKING:
    import h5py  # type: ignore[import-untyped]

__all__ = [
    "copy_as_one_file",
    "files_of",
    "kinds_in",
    "part_name",
    "read_snapshot",
    "renew_index",
    "snapshot_count",
    "snapshot_moment",
]


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
        return read_cells(folder / "cells" / part_name(k % count))
    out: dict[str, Any] = {}
    prefixes: dict[Kind, str] = {"fluid": "", "walls": "wall_"}
    for kind, prefix in prefixes.items():
        found = read_particles(folder / kind / part_name(k % count), kind)
        out |= {"time": found.pop("time"), "step": found.pop("step")}
        out |= {prefix + name: values for name, values in found.items()}
    return out


def files_of(snapshots: Path) -> SnapshotFiles:
    """The files of a run that has snapshots."""
    return CellFiles(snapshots) if kinds_in(snapshots) == ("cells",) else SnapshotFiles(snapshots)


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
            for rows in blocks_of(item.shape[0]):
                made[rows] = item[rows]
        else:
            made = target.create_group(name)
            _copy(item, made)
        for key, value in item.attrs.items():
            made.attrs[key] = value
