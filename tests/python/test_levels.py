"""Worlds with levels: checks, series, snapshots that VTK reads, resumed runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_waves import LEVELS, world_text

import eddyline
from eddyline.world import World, WorldError, describe


def changed(**options: object) -> World:
    return World.from_text(LEVELS, overrides={f"method.{key}": value for key, value in options.items()})  # type: ignore[misc]


def problem(**options: object) -> str:
    with pytest.raises(WorldError) as found:
        changed(**options)
    return str(found.value)


def test_problems_of_levels_name_the_change() -> None:
    without = LEVELS.replace("tolerance = 0.01", "")
    with pytest.raises(WorldError, match="requires something that chooses the cells to refine"):
        World.from_text(without)
    assert "multiple of 128. Try domain.spacing = " in problem(levels=5, unit=8)
    assert "is not a number everywhere at the start" in problem(refine="x + sqrt(x - 0.5)")
    assert "method.refine uses mach; the equations wave have u and p" in problem(refine="mach > 1")
    assert "unknown name" in problem(refine="vorticity > 5")
    assert "gives 0.37; must be a condition" in problem(refine="u")
    assert "must be a condition" in problem(refine="x")
    assert "depends on nothing" in problem(refine="1/0 > 0")
    assert "must be one of 4 or 8" in problem(unit=5)
    assert "must be a formula of x, y and z only" in problem(potential="t")
    assert "must be at most" in problem(potential=1e9)
    assert "is not a finite number at (" in problem(source="log(x - 0.5)")
    assert "the world has no source" in problem(signal="sin(t)")
    assert 'method.signal = "1/t" is not a number at all times' in problem(source="exp(-x^2)", signal="1/t")
    assert changed(levels=1).core.options["levels"] == 1


def test_all_refined_tells_memory_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("checks", "solver"):
        monkeypatch.setattr(f"eddyline.solvers.amr.{place}.available_memory", lambda: 1e7)
    fine = LEVELS.replace("spacing = 0.015625", "spacing = 0.001953125")
    assert fine != LEVELS
    for refine in ('refine = "x > -1"', 'tolerance = 0.01\nrefine = "x > -1"'):
        with pytest.raises(WorldError, match=r"the levels that method\.refine chooses, makes 340,000 cells"):
            World.from_text(fine.replace("tolerance = 0.01", refine))
    World.from_text(fine.replace("tolerance = 0.01", 'refine = "x > 0.9"'))
    world = World.from_text(fine)  # what the fields ask for is not known yet
    told = "memory are free. If the run needs too much, raise method.tolerance or reduce method.levels."
    assert told in describe(world) and "of memory are free" not in describe(changed())


def test_check_describes_levels() -> None:
    text = describe(changed())
    assert "levels        3, edges 0.0625 to 0.01562 m; if everything is refined, 5,400 cells" in text


def test_cells_of_levels_are_a_series_and_make_up_the_domain() -> None:
    world = changed()
    simulation = eddyline.Simulation(world)
    simulation.step(6)
    core = simulation._core
    columns, _, rows = core.take_series()["levels"]
    assert columns == ["time", "cells_0", "cells_1", "cells_2"]
    assert rows[-1, 1] == 256 and rows[-1, 3] > 0
    total = core.count("cells")
    level = simulation.field("level")
    assert level.shape == (total,) and max(level) == 2
    assert float((4.0 ** (2 - level)).sum()) == 64 * 64


@pytest.mark.parametrize("dimensions", [2, 3])
def test_vtk_reads_snapshots_of_levels(tmp_path: Path, dimensions: int) -> None:
    vtk_hdf = pytest.importorskip("vtkmodules.vtkIOHDF")
    from vtkmodules.util.numpy_support import vtk_to_numpy

    from eddyline.stream.cells import CellFiles, layout_of
    from eddyline.stream.snapshots import copy_as_one_file, read_snapshot

    text = LEVELS
    if dimensions == 3:
        text = world_text(
            [1, 1, 0.5], 32, "exp(-((x-.4)^2+(y-.5)^2+(z-.2)^2)/.01)", end=0.3,
            extra="levels = 2\ntolerance = 0.05\nunit = 4",
        )  # fmt: skip
    world = World.from_text(text)
    simulation = eddyline.Simulation(world)
    files = CellFiles(tmp_path / "snapshots", grid=layout_of(world), fields={"u": "m"})
    kept, counts = [], []
    for _ in range(3):
        files.take(simulation._core, lambda job: job())
        kept.append(simulation.field("u"))
        counts.append(len(kept[-1]))
        simulation.step(4)
    files.finish(lambda job: job())
    assert len(set(counts)) > 1
    copy_as_one_file(tmp_path, "cells", tmp_path / "one.vtkhdf")
    volume = float(np.prod(world.core.size[:dimensions]))
    for path in (tmp_path / "snapshots/cells.vtkhdf", tmp_path / "one.vtkhdf"):
        reader = vtk_hdf.vtkHDFReader()
        reader.SetFileName(str(path))
        reader.UpdateInformation()
        assert reader.GetNumberOfSteps() == 3
        for k in range(3):
            reader.SetStep(k)
            reader.Update()
            grid = reader.GetOutputDataObject(0)
            assert grid.IsA("vtkUnstructuredGrid") and grid.GetNumberOfCells() == counts[k]
            assert np.array_equal(vtk_to_numpy(grid.GetCellData().GetArray("u")), kept[k])
            points = vtk_to_numpy(grid.GetPoints().GetData())
            corners = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(counts[k], -1)
            edges = np.ptp(points[corners], axis=1)[:, :dimensions]
            assert np.isclose(np.prod(edges, axis=1).sum(), volume)
    found = read_snapshot(tmp_path, 1)
    assert np.array_equal(found["u"], kept[1]) and set(found) >= {"level", "position", "id", "time"}


def test_a_run_with_levels_is_kept_and_resumed(tmp_path: Path) -> None:
    quiet = {"progress": False, "movie": False, "report": False}
    path = tmp_path / "pulse.toml"
    path.write_text(LEVELS)
    run = eddyline.run(path, out=tmp_path / "run", **quiet)  # type: ignore[arg-type]
    part = eddyline.run(path, out=tmp_path / "part", until=0.15, **quiet)  # type: ignore[arg-type]
    whole = eddyline.resume(part, until=0.3, **quiet)  # type: ignore[arg-type]
    compared = eddyline.compare(run, whole)
    assert compared.identical
    assert set(run.snapshot()) == {"time", "step", "id", "position", "u", "p", "level"}


def test_pictures_outline_levels() -> None:
    from dataclasses import replace

    from eddyline.plot.colors import Scale
    from eddyline.plot.frame import FramePainter
    from eddyline.plot.scene import Scene
    from eddyline.stream.frames import Frame

    world = changed()
    simulation = eddyline.Simulation(world)
    level = simulation.raster("level", (64, 64))
    assert set(np.unique(level)) <= {0, 1, 2} and level.max() == 2
    frame = Frame(
        time=0.0, step=0, quantity="u", values=np.zeros((64, 64), np.float32), lower=(0.0, 0.0),
        upper=(1.0, 1.0), level=level,
    )  # fmt: skip
    painter = FramePainter(Scene.of(world, whole=True), "u", Scale(-1.0, 1.0), width=500)
    lines = painter.paint(frame) != painter.paint(replace(frame, level=None))
    assert 200 < lines.any(axis=2).sum() < 5000


@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
def test_outlines_of_levels_are_seen_on_any_colour(value: float) -> None:
    from eddyline.plot.colors import Scale
    from eddyline.plot.frame import FramePainter
    from eddyline.plot.scene import Scene
    from eddyline.stream.frames import Frame

    level = np.zeros((64, 64), np.float32)
    level[16:48, 16:48] = 1
    values = np.full((64, 64), value, np.float32)
    frame = Frame(0.0, 0, "u", values, (0.0, 0.0), (1.0, 1.0), level=level)
    painter = FramePainter(Scene.of(changed(), whole=True), "u", Scale(-1.0, 1.0), width=500)
    layout = painter.layout
    row = painter.paint(frame)[layout.top + layout.rows // 2, layout.left : layout.left + layout.columns]
    light = row.astype(float).mean(axis=1)
    field = light[layout.columns // 2]
    for edge in (layout.columns // 4, 3 * layout.columns // 4):
        assert np.abs(light[edge - 3 : edge + 3] - field).max() > 60


def test_levels_are_painted_as_whole_numbers() -> None:
    from eddyline.plot import colors
    from eddyline.plot.frame import FramePainter
    from eddyline.plot.scene import Scene
    from eddyline.stream.frames import Frame

    level = np.zeros((64, 64), np.float32)
    level[16:48, 16:48], level[24:40, 24:40] = 1, 2
    quantity = colors.quantity_of("level", None)
    scale = colors.robust_scale(quantity, [level])
    assert (scale.low, scale.high) == (-0.5, 2.5)
    frame = Frame(0.0, 0, "level", level, (0.0, 0.0), (1.0, 1.0), level=level)
    painter = FramePainter(Scene.of(changed(), whole=True), quantity, scale, width=500)
    layout = painter.layout
    inside = painter.paint(frame)[layout.top + 4 : layout.top + layout.rows - 4, layout.left + 4 :]
    shown = np.unique(inside[:, : layout.columns - 8].reshape(-1, 3), axis=0)
    assert {tuple(color) for color in shown} == {
        tuple(color) for color in colors.table(quantity)[[0, 127, 255]]
    }


def test_a_chart_shows_the_cells_of_each_level() -> None:
    import pandas as pd

    from eddyline.plot.charts import charts_of

    rows = pd.DataFrame({"time": [0.0, 0.1, 0.2], "cells_0": 64, "cells_1": [0, 16, 32]})
    (chart,) = charts_of(changed(), {"levels": rows}, {})
    lines = chart.figure().axes[0].lines
    assert [line.get_label() for line in lines] == ["level 0", "level 1"]
    assert list(np.asarray(lines[1].get_ydata())) == [0, 16, 32]
