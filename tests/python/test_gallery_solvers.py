"""Every world of the gallery with every solver: it runs, or each line tells why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from eddyline.serve.gallery import gallery_worlds
from eddyline.solvers import solvers
from eddyline.world import World, WorldError

WATER = Path(__file__).parents[2] / "examples" / "water_surface.toml"
NAMES = [world.name for world in gallery_worlds()]


@pytest.mark.parametrize("solver", sorted(solvers()))
@pytest.mark.parametrize("name", NAMES)
def test_a_world_of_the_gallery_is_taken_or_refused_line_by_line(name: str, solver: str) -> None:
    own = World.load(name).solver.name
    try:
        world = World.load(name, {"method.name": solver})
    except WorldError as error:
        assert solver != own
        for problem in error.problems:
            assert "\n" not in problem.text and problem.text.endswith((".", "?")), problem.text
    else:
        assert world.solver.name == solver and world.core.solver == solver


def test_flow_on_blocks_needs_a_speed() -> None:
    with pytest.raises(
        WorldError, match=r"method\.reference_speed is missing, and nothing moves at the start"
    ):
        World.load("poiseuille", {"method.name": "multiblock"})
    World.load("poiseuille", {"method.name": "multiblock", "method.reference_speed": 1e-5})
    World.load("couette", {"method.name": "multiblock"})


def test_periods_of_blocks_are_not_measured_in_cells_of_particles() -> None:
    sets = {"method.name": "multiblock", "domain.spacing": "L/4", "method.reference_speed": 1e-5}
    assert World.load("poiseuille", sets).solver.name == "multiblock"


@pytest.mark.parametrize("solver", ["sph", "mps"])
def test_surfaces_of_particles_and_their_mistakes(solver: str) -> None:
    sets = {"method.name": solver, "domain.spacing": 0.04}
    World.load(WATER, sets)
    with pytest.raises(
        WorldError, match=r'observe\.water\.quantity = "foo"; must be one of speed, .*fluid.*or q'
    ):
        World.load(WATER, sets | {"observe.water.quantity": "foo"})
