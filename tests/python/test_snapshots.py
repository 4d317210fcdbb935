"""Snapshots: what ParaView's reader finds is what the simulation had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import small_worlds

import eddyline
from eddyline import _core
from eddyline.stream.snapshots import (
    Points,
    Snapshot,
    SnapshotFiles,
    copy_as_one_file,
    read_snapshot,
    snapshot_count,
    take_snapshot,
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


@pytest.fixture
def written(tmp_path: Path) -> tuple[Path, list[Snapshot]]:
    """A run's folder with four snapshots; the third one has lost some particles."""
    world = eddyline.World.load(small_worlds.write(tmp_path))
    simulation = _core.Simulation(world.core, threads=1)
    files = SnapshotFiles(tmp_path / "snapshots")
    snapshots = []
    for k in range(4):
        snapshot = take_snapshot(simulation, 2)
        if k == 2:
            snapshot = fewer(snapshot, 100)
        files.write(snapshot)
        snapshots.append(snapshot)
        simulation.advance(1.0, simulation.step_count + 5, 10.0)
    return tmp_path, snapshots


def fewer(snapshot: Snapshot, count: int) -> Snapshot:
    fluid = Points(snapshot.fluid.position[:count], {k: v[:count] for k, v in snapshot.fluid.fields.items()})
    return Snapshot(snapshot.time, snapshot.step, snapshot.dimensions, fluid, snapshot.walls)


def check(points: Points, arrays: dict[str, np.ndarray]) -> None:
    assert np.array_equal(arrays["Points"], points.position)
    for name, values in points.fields.items():
        assert np.array_equal(arrays[name], values), name
        assert arrays[name].dtype == values.dtype, name


def test_vtk_reads_every_step(written: tuple[Path, list[Snapshot]]) -> None:
    folder, snapshots = written
    for k, snapshot in enumerate(snapshots):
        time, arrays, cells = read_with_vtk(folder / "snapshots" / "fluid.vtkhdf", k)
        assert time == snapshot.time and cells == len(snapshot.fluid.position)
        check(snapshot.fluid, arrays)
        time, arrays, _ = read_with_vtk(folder / "snapshots" / "walls.vtkhdf", k)
        assert time == snapshot.time
        check(snapshot.walls, arrays)


def test_vtk_reads_one_snapshot_alone(written: tuple[Path, list[Snapshot]]) -> None:
    folder, snapshots = written
    _, arrays, cells = read_with_vtk(folder / "snapshots" / "fluid" / "000002.vtkhdf", None)
    assert cells == 100
    check(snapshots[2].fluid, arrays)


def test_one_file_holds_all_and_can_be_moved(
    written: tuple[Path, list[Snapshot]], tmp_path_factory: Any
) -> None:
    folder, snapshots = written
    target = tmp_path_factory.mktemp("elsewhere") / "fluid.vtkhdf"
    copy_as_one_file(folder, "fluid", target)
    for k, snapshot in enumerate(snapshots):
        check(snapshot.fluid, read_with_vtk(target, k)[1])


def test_a_run_that_was_killed_is_readable(written: tuple[Path, list[Snapshot]]) -> None:
    """A kill in the middle of a write leaves a temporary file and the index before."""
    folder, snapshots = written
    (folder / "snapshots" / "fluid" / ".000004.vtkhdf.1-1.part").write_bytes(b"half")
    assert snapshot_count(folder / "snapshots") == 4
    check(snapshots[3].fluid, read_with_vtk(folder / "snapshots" / "fluid.vtkhdf", 3)[1])


def test_read_snapshot_gives_arrays(written: tuple[Path, list[Snapshot]]) -> None:
    folder, snapshots = written
    got = read_snapshot(folder, -1)
    last = snapshots[-1]
    assert got["time"] == last.time and got["step"] == 15
    assert np.array_equal(got["position"], last.fluid.position[:, :2])
    assert np.array_equal(got["velocity"], last.fluid.fields["velocity"][:, :2])
    assert np.all(np.diff(got["id"]) > 0)
    assert got["wall_position"].shape[1] == 2 and 0 in got["wall_body"] and -3 in got["wall_body"]
    with pytest.raises(IndexError, match="4 snapshots"):
        read_snapshot(folder, 4)


def test_fields_say_what_they_are(written: tuple[Path, list[Snapshot]]) -> None:
    import h5py

    for name in ("fluid.vtkhdf", "fluid/000000.vtkhdf"):
        with h5py.File(written[0] / "snapshots" / name) as file:
            root = file["VTKHDF"]
            assert root["PointData/velocity"].attrs["units"] == "m/s"
            assert root["Points"].attrs["units"] == "m"
            assert "id" in root["PointData"] and root["PointData/id"].dtype == np.int64


def test_snapshots_do_not_depend_on_boxes(tmp_path: Path) -> None:
    world = eddyline.World.load(small_worlds.write(tmp_path))
    taken = []
    for boxes in (1, 3):
        simulation = _core.Simulation(world.core, boxes=boxes, threads=1)
        simulation.advance(1.0, 20, 10.0)
        taken.append(take_snapshot(simulation, 2))
    assert np.array_equal(taken[0].fluid.position, taken[1].fluid.position)
    for name, values in taken[0].fluid.fields.items():
        assert np.array_equal(values, taken[1].fluid.fields[name]), name
    assert np.array_equal(taken[0].walls.fields["pressure"], taken[1].walls.fields["pressure"])
