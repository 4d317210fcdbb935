"""Snapshots: what ParaView's reader finds is what the simulation had."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_worlds

import eddyline
from eddyline import _core
from eddyline.stream import snapshot_files
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.integrity import TRAILER_BYTES
from eddyline.stream.particle_files import FIELDS
from eddyline.stream.particles import Kind, Records, batches, count
from eddyline.stream.snapshot_files import Job, SnapshotFiles
from eddyline.stream.snapshots import (
    copy_as_one_file,
    part_name,
    read_snapshot,
    renew_index,
    snapshot_count,
    snapshot_moment,
)

vtk_hdf = pytest.importorskip("vtkmodules.vtkIOHDF")


def read_with_vtk(path: Path, step: int | None) -> tuple[float, dict[str, np.ndarray], int]:
    """(time, arrays and points, vertex cells) of one step as VTK reads it."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    reader = vtk_hdf.vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    if step is not None:
        reader.SetStep(step)
    reader.Update()
    data = reader.GetOutputDataObject(0)
    points = data.GetPointData()
    arrays = {
        points.GetArrayName(k): vtk_to_numpy(points.GetArray(k)) for k in range(points.GetNumberOfArrays())
    }
    arrays["Points"] = vtk_to_numpy(data.GetPoints().GetData())
    return reader.GetTimeValue() if step is not None else 0.0, arrays, data.GetVerts().GetNumberOfCells()


def steps_of(index: Path) -> int:
    reader = vtk_hdf.vtkHDFReader()
    reader.SetFileName(str(index))
    reader.UpdateInformation()
    return int(reader.GetNumberOfSteps())


class Part:
    """A simulation that shows its first particles only: others have not come yet."""

    def __init__(self, simulation: _core.Simulation, shown: int) -> None:
        self._simulation, self.fluid_count = simulation, shown

    def records(self, kind: Kind, after: int, limit: int) -> bytes:
        return self._simulation.records(
            kind, after, min(limit, self.fluid_count) if kind == "fluid" else limit
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._simulation, name)


@dataclass(frozen=True)
class Moment:
    time: float
    particles: dict[Kind, Records]

    @classmethod
    def of(cls, simulation: _core.Simulation) -> Moment:
        kinds: tuple[Kind, ...] = ("fluid", "walls")
        return cls(simulation.time, {kind: np.concatenate(list(batches(simulation, kind))) for kind in kinds})


def at_once(job: Job) -> None:
    job()


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, list[Moment]]:
    """A run's folder with four snapshots, written in batches of 50; the third one has fewer particles."""
    world = eddyline.World.load(small_worlds.write(tmp_path))
    simulation = _core.Simulation(world.core, threads=1)
    files = SnapshotFiles(tmp_path / "snapshots", batch=50)
    moments = []
    for k in range(4):
        shown: Any = Part(simulation, 100) if k == 2 else simulation
        files.take(shown, at_once)
        moments.append(Moment.of(shown))
        simulation.advance(1.0, simulation.step_count + 5, 10.0)
    files.finish(at_once)
    return tmp_path, moments


def check(moment: Moment, kind: Kind, arrays: dict[str, np.ndarray]) -> None:
    particles = moment.particles[kind]
    assert np.array_equal(arrays["Points"], particles["position"])
    assert arrays.keys() == {"Points", *(field.name for field in FIELDS[kind])}
    for field in FIELDS[kind]:
        assert np.array_equal(arrays[field.name], particles[field.name]), field.name
        assert arrays[field.name].dtype == field.dtype, field.name


def test_records_are_the_particles_in_order_of_id(tmp_path: Path) -> None:
    world = eddyline.World.load(small_worlds.write(tmp_path))
    simulation = _core.Simulation(world.core, boxes=3, threads=1)
    simulation.advance(1.0, 20, 10.0)
    order = np.argsort(simulation.id)
    for limit in (1, 37, 128, 1000):
        parts = list(batches(simulation, "fluid", limit))
        assert max(len(part) for part in parts) == min(limit, 128)
        particles = np.concatenate(parts)
        assert np.array_equal(particles["id"], simulation.id[order])
        assert np.array_equal(particles["position"][:, :2], simulation.position[order])
        assert np.array_equal(particles["velocity"][:, :2], simulation.velocity[order])
        assert np.array_equal(particles["density"], simulation.density[order])
        assert np.array_equal(particles["pressure"], simulation.pressure()[order])
        assert np.array_equal(particles["surface"], simulation.surface()[order])
    walls = np.concatenate(list(batches(simulation, "walls", 17)))
    assert len(walls) == count(simulation, "walls") and len(np.unique(walls["id"])) == len(walls)
    assert sorted(map(tuple, walls["position"][:, :2])) == sorted(map(tuple, simulation.wall_position()))
    assert sorted(walls["pressure"]) == sorted(simulation.wall_pressure())


def test_vtk_reads_every_step(written: tuple[Path, list[Moment]]) -> None:
    folder, moments = written
    for k, moment in enumerate(moments):
        time, arrays, cells = read_with_vtk(folder / "snapshots" / "fluid.vtkhdf", k)
        assert time == moment.time and cells == len(moment.particles["fluid"])
        check(moment, "fluid", arrays)
        time, arrays, _ = read_with_vtk(folder / "snapshots" / "walls.vtkhdf", k)
        assert time == moment.time
        check(moment, "walls", arrays)


def test_vtk_reads_one_snapshot_alone(written: tuple[Path, list[Moment]]) -> None:
    folder, moments = written
    _, arrays, cells = read_with_vtk(folder / "snapshots" / "fluid" / "000002.vtkhdf", None)
    assert cells == 100
    check(moments[2], "fluid", arrays)


def test_one_file_holds_all_and_can_be_moved(
    written: tuple[Path, list[Moment]], tmp_path_factory: Any
) -> None:
    folder, moments = written
    target = tmp_path_factory.mktemp("elsewhere") / "fluid.vtkhdf"
    copy_as_one_file(folder, "fluid", target)
    for k, moment in enumerate(moments):
        check(moment, "fluid", read_with_vtk(target, k)[1])
    os.truncate(folder / "snapshots" / "fluid" / "000001.vtkhdf", 1000)
    for read in (lambda: copy_as_one_file(folder, "fluid", target), lambda: read_snapshot(folder, 1)):
        with pytest.raises(CorruptFileError, match=r"000001\.vtkhdf: damaged"):
            read()


def test_a_run_that_was_killed_is_readable(written: tuple[Path, list[Moment]]) -> None:
    """A kill in the middle of a write leaves a temporary file and the index before."""
    folder, moments = written
    (folder / "snapshots" / "fluid" / ".000004.vtkhdf.1-1.part").write_bytes(b"half")
    assert snapshot_count(folder / "snapshots") == 4
    check(moments[3], "fluid", read_with_vtk(folder / "snapshots" / "fluid.vtkhdf", 3)[1])


def test_the_index_of_a_run_that_was_killed_is_renewed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is written after the first snapshot, and then no more before the run is killed."""
    monkeypatch.setattr(snapshot_files, "INDEX_EVERY", 1e9)
    simulation = _core.Simulation(eddyline.World.load(small_worlds.write(tmp_path)).core, threads=1)
    files = SnapshotFiles(tmp_path / "snapshots")
    for _ in range(3):
        files.take(simulation, at_once)
        simulation.advance(1.0, simulation.step_count + 5, 10.0)
    index = tmp_path / "snapshots" / "fluid.vtkhdf"
    assert steps_of(index) == 1
    renew_index(tmp_path)
    assert steps_of(index) == 3
    before = index.stat().st_mtime_ns
    renew_index(tmp_path)
    assert index.stat().st_mtime_ns == before
    last = read_snapshot(tmp_path, 2)
    assert np.array_equal(read_with_vtk(index, 2)[1]["Points"][:, :2], last["position"])


def test_snapshots_that_are_cut_are_not_in_the_index(written: tuple[Path, list[Moment]]) -> None:
    folder, moments = written
    assert SnapshotFiles(folder / "snapshots").cut(2) == snapshot_moment(folder, 1)[0]
    assert steps_of(folder / "snapshots" / "fluid.vtkhdf") == snapshot_count(folder / "snapshots") == 2
    check(moments[1], "fluid", read_with_vtk(folder / "snapshots" / "fluid.vtkhdf", 1)[1])


def test_read_snapshot_gives_arrays(written: tuple[Path, list[Moment]]) -> None:
    folder, moments = written
    got = read_snapshot(folder, -1)
    last = moments[-1].particles["fluid"]
    assert got["time"] == moments[-1].time and got["step"] == 15
    assert np.array_equal(got["position"], last["position"][:, :2])
    assert np.array_equal(got["velocity"], last["velocity"][:, :2])
    assert np.all(np.diff(got["id"]) > 0)
    assert got["wall_position"].shape[1] == 2 and 0 in got["wall_body"] and -3 in got["wall_body"]
    with pytest.raises(IndexError, match="4 snapshots"):
        read_snapshot(folder, 4)


def test_fields_say_what_they_are(written: tuple[Path, list[Moment]]) -> None:
    import h5py

    for name in ("fluid.vtkhdf", "fluid/000000.vtkhdf"):
        with h5py.File(written[0] / "snapshots" / name) as file:
            root = file["VTKHDF"]
            assert root["PointData/velocity"].attrs["units"] == "m/s"
            assert root["Points"].attrs["units"] == "m"
            if name.startswith("fluid/"):
                assert int(root.attrs["checksum"], 16) > 0 and int(root.attrs["step"]) == 0
            assert "id" in root["PointData"] and root["PointData/id"].dtype == np.int64


def test_snapshots_do_not_depend_on_boxes(tmp_path: Path) -> None:
    world = eddyline.World.load(small_worlds.write(tmp_path))
    taken = []
    for boxes in (1, 3):
        simulation = _core.Simulation(world.core, boxes=boxes, threads=1)
        simulation.advance(1.0, 20, 10.0)
        taken.append(Moment.of(simulation).particles)
    for kind in ("fluid", "walls"):
        assert taken[0][kind].tobytes() == taken[1][kind].tobytes()


def test_a_snapshot_has_the_same_bytes_whatever_was_written_before(tmp_path: Path) -> None:
    """Small ones are built where the last was; a half-written one, too, leaves nothing behind in the next."""
    world = eddyline.World.load(small_worlds.write(tmp_path))
    simulation = _core.Simulation(world.core, threads=1)
    files, fresh = SnapshotFiles(tmp_path / "one by one"), SnapshotFiles(tmp_path / "alone")
    for _ in range(2):
        files.take(simulation, at_once)
        simulation.advance(1.0, simulation.step_count + 5, 10.0)
    kept: list[Job] = []
    files.take(simulation, kept.append)
    for job in kept[:1]:  # the file is opened, and no more comes
        job()
    simulation.advance(1.0, simulation.step_count + 5, 10.0)
    files.take(simulation, at_once)
    fresh.take(simulation, at_once)
    for kind in ("fluid", "walls"):
        last, alone = (tmp_path / name / kind / part_name(k) for name, k in (("one by one", 3), ("alone", 0)))
        end = -TRAILER_BYTES  # a trailer holds the number of the snapshot
        assert last.read_bytes()[:end] == alone.read_bytes()[:end]


def test_a_snapshot_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    world = eddyline.World.load(small_worlds.write(tmp_path))
    simulation = _core.Simulation(world.core, threads=1)
    files = SnapshotFiles(tmp_path / "snapshots", batch=50)
    done: list[str] = []

    def fail_late(job: Job) -> None:
        done.append("")
        if len(done) > 7:
            raise OSError("the disk is full")
        job()

    with pytest.raises(OSError, match="full"):
        files.take(simulation, fail_late)
    assert not [path for path in (tmp_path / "snapshots").rglob("*") if path.name.startswith(".")]
