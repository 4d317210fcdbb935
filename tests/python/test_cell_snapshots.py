"""Snapshots of cells: what ParaView's reader finds is what the simulation had."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eddyline.stream import cells
from eddyline.stream.cells import CellFiles, Grid
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.snapshot_files import Job
from eddyline.stream.snapshots import (
    copy_as_one_file,
    read_snapshot,
    renew_index,
    snapshot_count,
    snapshot_moment,
)

vtk_hdf = pytest.importorskip("vtkmodules.vtkIOHDF")
GRIDS = {
    "2D": Grid((6, 4, 1), (1.0, 2.0, 0.0), (0.5, 0.5, 0.5), 2),
    "3D": Grid((6, 4, 5), (1.0, 2.0, 3.0), (0.5, 0.5, 0.5), 3),
}


class Cells:
    """A simulation with numbers that tell cell, field and step apart."""

    def __init__(self, grid: Grid) -> None:
        self.grid, self.dimensions, self.step_count = grid, grid.dimensions, 0

    @property
    def time(self) -> float:
        return 0.25 * self.step_count

    def checksum(self) -> int:
        return 7 + self.step_count

    def values(self, kind: str, name: str, first: int, count: int) -> NDArray[np.float64]:
        assert kind == "cells"
        return self.all(name)[first : first + count]

    def all(self, name: str) -> NDArray[np.float64]:
        offset = {"u": 0.0, "p": 1e4}[name] + 1000.0 * self.step_count
        return offset + np.arange(np.prod(self.grid.shape)) / 7


def at_once(job: Job) -> None:
    job()


def written(folder: Path, grid: Grid) -> Cells:
    simulation = Cells(grid)
    files = CellFiles(folder / "snapshots", grid=grid, fields={"u": "m", "p": "m/s"})
    for _ in range(3):
        files.take(simulation, at_once)  # type: ignore[arg-type]
        simulation.step_count += 2
    files.finish(at_once)
    return simulation


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_vtk_reads_every_step(tmp_path: Path, grid: Grid, monkeypatch: pytest.MonkeyPatch) -> None:
    from vtkmodules.util.numpy_support import vtk_to_numpy

    monkeypatch.setattr(cells, "CELLS_AT_ONCE", 50)  # some layers at a time
    simulation = written(tmp_path, grid)
    one = tmp_path / "one.vtkhdf"
    copy_as_one_file(tmp_path, "cells", one)
    for path, steps in ((tmp_path / "snapshots/cells.vtkhdf", 3), (one, 3)):
        reader = vtk_hdf.vtkHDFReader()
        reader.SetFileName(str(path))
        reader.UpdateInformation()
        assert reader.GetNumberOfSteps() == steps
        for k in range(steps):
            reader.SetStep(k)
            reader.Update()
            image = reader.GetOutputDataObject(0)
            assert image.IsA("vtkImageData")
            assert reader.GetTimeValue() == 0.5 * k
            assert image.GetOrigin() == grid.origin and image.GetSpacing() == grid.edge
            assert image.GetNumberOfCells() == np.prod(grid.shape)
            simulation.step_count = 2 * k
            for name in ("u", "p"):
                found = vtk_to_numpy(image.GetCellData().GetArray(name))
                assert np.array_equal(found, simulation.all(name))


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_a_snapshot_is_read_as_arrays(tmp_path: Path, grid: Grid) -> None:
    simulation = written(tmp_path, grid)
    assert snapshot_count(tmp_path / "snapshots") == 3
    assert snapshot_moment(tmp_path, 1) == (2, 0.5)
    found = read_snapshot(tmp_path, 1)
    simulation.step_count = 2
    assert found["time"] == 0.5 and found["step"] == 2
    assert np.array_equal(found["p"], simulation.all("p"))
    assert found["position"].shape == (np.prod(grid.shape), grid.dimensions)
    assert found["position"][1].tolist() == [1.75, 2.25, 3.25][: grid.dimensions]
    assert found["position"][6].tolist() == [1.25, 2.75, 3.25][: grid.dimensions]


def test_a_resumed_run_cuts_and_a_lost_index_is_written_again(tmp_path: Path) -> None:
    simulation = written(tmp_path, GRIDS["2D"])
    (tmp_path / "snapshots/cells.vtkhdf").unlink()
    renew_index(tmp_path)
    assert (tmp_path / "snapshots/cells.vtkhdf").is_file()
    files = CellFiles(tmp_path / "snapshots", grid=GRIDS["2D"], fields={"u": "m", "p": "m/s"})
    files.check(3)
    with pytest.raises(CorruptFileError, match="4 snapshots should be there, and 3 are"):
        files.check(4)
    assert files.cut(2) == 2
    assert snapshot_count(tmp_path / "snapshots") == 2
    files.take(simulation, at_once)  # type: ignore[arg-type]
    files.finish(at_once)
    assert read_snapshot(tmp_path)["step"] == 6


def test_a_damaged_snapshot_is_recognised(tmp_path: Path) -> None:
    written(tmp_path, GRIDS["2D"])
    path = tmp_path / "snapshots/cells/000001.vtkhdf"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(CorruptFileError, match="checksum"):
        read_snapshot(tmp_path, 1)


def test_a_failure_while_cells_are_read_leaves_no_file(tmp_path: Path) -> None:
    simulation: Any = Cells(GRIDS["2D"])
    simulation.values = SimpleNamespace  # not callable with these arguments
    files = CellFiles(tmp_path / "snapshots", grid=GRIDS["2D"], fields={"u": "m"})
    with pytest.raises(TypeError):
        files.take(simulation, at_once)
    assert list((tmp_path / "snapshots/cells").iterdir()) == []
