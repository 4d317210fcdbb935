"""Worlds with the solver multiblock: what it refuses, and a run from the world file to its results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eddyline
from eddyline import _core
from eddyline.mesh import Block, connect
from eddyline.run.known import known_range
from eddyline.solvers.multiblock import core_mesh
from eddyline.world import Comparison, World, WorldError

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
    flow = [run.series(f"opening.{side}")["mass_flow"].iloc[-1] for side in ("left", "right")]
    assert sum(flow) == pytest.approx(0, abs=1e-4)


def test_what_the_solver_does_not_have_is_refused_line_by_line() -> None:
    assert 'no free surface. Write "outflow"' in refused(boundaries__right={"type": "open"})
    assert "liquids only" in refused(fluid__state="ideal_gas")
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
