"""Worlds with the solver multiblock: what it refuses, and a run from the world file to its results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eddyline
from eddyline import _core
from eddyline.live import stream_pb2 as pb
from eddyline.live.steering import RefusedError, Steering
from eddyline.mesh import Block, connect
from eddyline.run.closing import next_command, window_text
from eddyline.run.known import known_range
from eddyline.solvers.multiblock import core_mesh
from eddyline.stream.mesh_cells import MeshCells
from eddyline.world import Comparison, World, WorldError
from eddyline.world.describe import describe

CYLINDER = Path(__file__).parents[2] / "worlds" / "cylinder.toml"
STEADY = {"method.name": "multiblock", "method.steady": True, "let.Re": 20, "domain.spacing": "D/10"}


def refused(**changes: object) -> str:
    with pytest.raises(WorldError) as error:
        World.load(CYLINDER, STEADY | {key.replace("__", "."): value for key, value in changes.items()})
    return str(error.value)


def test_a_world_of_particles_runs_on_blocks(tmp_path: Path) -> None:
    world = World.load(CYLINDER, STEADY | {"time.end": 0.6, "output.pictures": 1, "output.series": 20})
    assert world.core.mesh is not None
    run = eddyline.run(world, out=tmp_path / "run", movie=False, report=False)
    drag = run.series("force.cylinder")["total_x"].iloc[-1] / (0.5 * 0.1)
    assert run.series("residual")["drop"].iloc[-1] < 1e-5
    assert drag == pytest.approx(5.58, rel=0.05)
    assert run.results["time_unit"] == "s"
    flow = [run.series(f"opening.{side}")["mass_flow"].iloc[-1] for side in ("left", "right")]
    assert sum(flow) == pytest.approx(0, abs=1e-4)


def test_a_search_for_a_steady_flow_counts_cycles() -> None:
    world = World.load("airfoil", {"time.end": 20})
    assert world.time_unit == "cycles"
    assert "end 20 cycles" in repr(world)
    item = {"what": "mean, steady", "window": [10, 20]}
    assert window_text(item, {"time_unit": world.time_unit}) == "mean, steady, 10 to 20 cycles"


def test_what_the_solver_does_not_have_is_refused_line_by_line() -> None:
    assert 'no free surface. Write "outflow"' in refused(boundaries__right={"type": "open"})
    assert "start.pressure is missing" in refused(fluid__state="ideal_gas")
    assert "turn about their centres" in refused(bodies__cylinder__motion={"displacement": ["0.01*t", 0]})
    assert "no particles" in refused(start__settle=0.1)
    assert "method.cycle" in refused(method__cycle="X")


def test_results_of_particles_are_not_expected_of_blocks() -> None:
    comparison = Comparison(
        quantity="cylinder.drag_coefficient.mean", kind="range", measured=5.7, expected="5.57 to 5.59",
        error=0.02, allowed=0.0, source="", inside=False,
    )  # fmt: skip
    with_particles = World.load(CYLINDER, {"let.Re": 20, "domain.spacing": "D/20"})
    assert known_range(with_particles, comparison) is not None
    assert known_range(World.load(CYLINDER, STEADY | {"domain.spacing": "D/20"}), comparison) is None


def test_nodes_keep_their_places_on_the_way_to_the_core() -> None:
    x, y = np.meshgrid(np.linspace(0, 3, 4), np.linspace(0, 2, 3), indexing="ij")
    block = Block("box", np.stack([x, y], axis=-1))
    names = {(0, axis, end): "left" for axis in (0, 1) for end in (0, 1)}
    core = core_mesh(connect([block], names))
    core.check()
    assert (core.cells, core.blocks) == (6, ["box"])
    with pytest.raises(_core.UserError, match=r"shape \(ni \+ 1, nj \+ 1, 2\)"):
        core.add_block("flat", np.zeros((4, 3)))
    with pytest.raises(_core.UserError, match="2 indices are needed, found 3"):
        core.add_boundary(0, 0, 0, [0, 0, 0], [1, 2, 1], "left")


def test_snapshots_hold_the_cells_of_the_mesh(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    world = World.load(CYLINDER, STEADY | {"time.end": 0.05, "output.pictures": 1, "output.snapshots": 2})
    run = eddyline.run(world, out=tmp_path / "run", movie=False, report=False)
    last, cells = run.snapshot(-1), world.core.mesh.cells
    assert run.snapshot_count == 3 and last["position"].shape == (cells, 2)

    simulation = eddyline.Simulation(world)
    assert np.allclose(simulation.field("pressure"), run.snapshot(0)["pressure"])
    y = last["position"][:, 1]  # means of the corners, near the centres of mass
    assert np.allclose(run.snapshot(0)["velocity_x"], 6 * y * (0.41 - y) / 0.41**2, atol=5e-3)

    part = run.folder / "snapshots" / "cells" / "000002.vtkhdf"
    with h5py.File(part) as file, h5py.File(run.folder / "snapshots" / "cells.vtkhdf") as index:
        root = file["VTKHDF"]
        assert root.attrs["Type"] == b"UnstructuredGrid" and root["Offsets"].shape == (cells + 1,)
        corners = root["Points"][:][root["Connectivity"][:].reshape(cells, 4)][..., :2]
        across, along = corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]
        areas = 0.5 * np.abs(across[:, 0] * along[:, 1] - across[:, 1] * along[:, 0])
        assert areas.sum() == pytest.approx(2.2 * 0.41 - np.pi * 0.05**2, rel=1e-3)
        assert index["VTKHDF/Steps"].attrs["NSteps"] == 3
        every = index["VTKHDF/CellData/pressure"]
        assert np.array_equal(every[2 * cells :], last["pressure"])


def test_vtk_reads_snapshots_of_the_mesh(tmp_path: Path) -> None:
    vtk = pytest.importorskip("vtkmodules.vtkIOHDF")
    world = World.load(CYLINDER, STEADY | {"time.end": 0.05, "output.pictures": 1, "output.snapshots": 2})
    run = eddyline.run(world, out=tmp_path / "run", movie=False, report=False)
    for name, steps in (("cells/000001.vtkhdf", 0), ("cells.vtkhdf", 3)):
        reader = vtk.vtkHDFReader()
        reader.SetFileName(str(run.folder / "snapshots" / name))
        reader.UpdateInformation()
        if steps:
            assert reader.GetNumberOfSteps() == steps
            reader.SetStep(1)
        reader.Update()
        found = reader.GetOutputDataObject(0)
        cells = run.snapshot(1)["pressure"]
        assert found.GetNumberOfCells() == len(cells)
        pressure = found.GetCellData().GetArray("pressure")
        assert pressure.GetTuple1(7) == cells[7]
        assert found.GetCell(7).GetCellType() == 9


def test_a_mesh_in_space_names_the_corners_of_hexahedra() -> None:
    nodes = np.stack(np.meshgrid(*(np.arange(n) for n in (3.0, 4.0, 2.0)), indexing="ij"), axis=-1)
    cells = MeshCells.of([nodes, nodes + 10])
    assert cells.corners.shape == (12, 8) and cells.points.shape == (48, 3)
    assert np.array_equal(
        cells.centres()[[0, 1, 2, 6]], [[0.5, 0.5, 0.5], [1.5, 0.5, 0.5], [0.5, 1.5, 0.5], [10.5] * 3]
    )


def test_check_speaks_of_the_mesh() -> None:
    text = describe(World.load(CYLINDER, {"method.name": "multiblock"}))
    assert "domain                 2.2 x 0.41 m\n" in text and "spacings" not in text
    assert (
        "5 blocks, 7,424 cells" in text
        and "wall cylinder          128 cells along it, 0.00167 m high" in text
    )


def test_a_sweep_over_solvers_tells_their_core_times(tmp_path: Path) -> None:
    small = {
        "let.Re": 20,
        "domain.spacing": "D/8",
        "time.end": 0.05,
        "output.pictures": 1,
        "output.snapshots": 0,
    }
    chosen = {"method.name": ["sph", "multiblock"], **small}
    eddyline.sweep(CYLINDER, chosen, out=tmp_path / "sweep")
    frame = pd.read_csv(tmp_path / "sweep" / "table.csv")
    assert list(frame["method.name"]) == ["sph", "multiblock"] and (frame["core time [s]"] > 0).all()
    text = (tmp_path / "sweep" / "table.txt").read_text(encoding="utf-8")
    assert text.splitlines()[0].endswith("core time")


def test_a_run_on_blocks_is_steered_between_steps() -> None:
    changes = {"method.steady": False, "boundaries.left.velocity": 0.2, "output.pictures": 0}
    world = World.load(CYLINDER, STEADY | changes)
    commands = [
        pb.Command(id="a", viscosity=pb.Viscosity(value="2e-3")),
        pb.Command(id="b", inflow=pb.Inflow(opening="left", velocity=["0.25"])),
        pb.Command(id="c", gravity=pb.Gravity(value=["0.1", "0"])),
        pb.Command(id="d", add_probe=pb.AddProbe(name="later", position=[1.0, 0.2])),
    ]
    seen = set()
    for count in range(len(commands) + 1):
        simulation = _core.Simulation(world.core, threads=1)
        steering = Steering(world)
        simulation.advance(np.inf, 1, np.inf)
        for command in commands[:count]:
            steering.apply(steering.plan(command, simulation.time), simulation)
        simulation.advance(np.inf, 2, np.inf)
        seen.add(simulation.checksum())
    assert len(seen) == len(commands)  # a probe only looks
    assert "later" in simulation.take_series()
    move = pb.Command(id="e", move_body=pb.MoveBody(body="cylinder", by=[0.1, 0.0], seconds=1))
    with pytest.raises(RefusedError, match="and nothing else"):
        steering.plan(move, simulation.time)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("channel", {"mesh.cells": [100000, 100000]}),
        ("cylinder", {"domain.spacing": 1e-6}),
        ("channel", {"mesh.first_cell": 1e-12, "mesh.stretching": 1.00001}),
        ("free_stream", {"mesh.cells": [100000, 100000]}),
    ],
)
def test_a_mesh_that_does_not_fit_is_refused_before_it_is_made(name: str, change: dict[str, object]) -> None:
    with pytest.raises(WorldError, match=r"are the most that fit\. Use a larger"):
        World.load(name, {"method.name": "multiblock"} | change)


def test_the_next_command_keeps_the_solver(tmp_path: Path) -> None:
    world = World.load("cylinder", STEADY | {"time.end": 0.01, "output.pictures": 0, "output.snapshots": 0})
    run = eddyline.run(world, out=tmp_path / "run", movie=False, report=False)
    assert next_command(run).startswith("eddyline run cylinder --set method.name=multiblock --set ")
