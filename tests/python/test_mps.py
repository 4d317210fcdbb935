"""Worlds of the solver mps: still water, series, and what they refuse."""

from __future__ import annotations

import law_worlds
import numpy as np
import pytest

from eddyline import _core
from eddyline.world import World, WorldError
from eddyline.world.quantities import series_columns

TANK = """\
format = 1
title = "A tank"
[domain]
size = [2, 1.5]
spacing = 0.05
gravity = [0, -9.81]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[method]
name = "mps"
artificial_viscosity = 0.02
[regions.water]
shape = "rectangle"
min = [0, 0]
max = [2, 1]
pressure = "hydrostatic"
[start]
arrangement = "jittered"
jitter = 0.2
[boundaries]
left = { type = "wall", slip = true }
right = { type = "wall", slip = true }
bottom = { type = "wall", slip = true }
top = { type = "open" }
[time]
end = 6
"""


def test_still_water_stays_still() -> None:
    world = World.from_text(TANK)
    simulation = _core.Simulation(world.core, threads=1, series_interval=0.1)
    simulation.advance(3.0, 10**6, 60.0)
    place, speed = simulation.field("fluid", "position"), simulation.field("fluid", "velocity")
    exact = 1000 * 9.81 * (1.0 - place[:, 1])
    error = np.sqrt(np.sum((simulation.field("fluid", "pressure") - exact) ** 2) / np.sum(exact**2))
    assert error < 0.015  # 0.9 %; 0.28 % with 50 particles over the depth
    energy = 0.5 * 0.05**2 * np.sum(speed**2) / (0.5 * 9.81 * 2)
    assert energy < 5e-5
    assert abs(place[:, 1].mean() / 0.5 - 1) < 0.003
    columns, _, rows = simulation.take_series()["solver"]
    assert columns[1:] == series_columns(world.file)["solver"]
    assert rows[:, columns.index("iterations")].max() < 10
    assert rows[:, columns.index("residual")].max() <= 0.03


def test_series_have_the_columns_that_the_package_expects() -> None:
    world = World.load("dam_break", {"method.name": "mps", "domain.spacing": "a/8"})
    simulation = _core.Simulation(world.core, threads=1)
    simulation.advance(1.0, 5, 60.0)
    expected = series_columns(world.file)
    for name, (columns, _, rows) in simulation.take_series().items():
        if name in ("budget", "solver", "front"):
            assert columns[1:] == expected[name]
            assert len(rows) > 0 and np.isfinite(rows).all()


@pytest.mark.parametrize(
    "name", ["couette", "dam_break_3d", "oscillating_cylinder", "poiseuille", "still_water", "taylor_green"]
)
def test_worlds_of_the_gallery_need_no_change(name: str) -> None:
    world = World.load(name, {"method.name": "mps"})
    assert world.core.solver == "mps"


@pytest.mark.parametrize(
    ("world", "change", "told"),
    [
        ("sod", {}, 'fluid.state = "ideal_gas"; the solver mps has liquids only'),
        ("dam_break", {"method.weights": "cubic"}, 'method.weights = "cubic"'),
        ("dam_break", {"method.cfl": 3}, "method.cfl = 3"),
        ("dam_break", {"method.skin": 0.5}, "is an option of sph, and this world uses mps"),
    ],
)
def test_refusals_are_one_line_each(world: str, change: dict[str, object], told: str) -> None:
    with pytest.raises(WorldError) as error:
        World.load(world, {"method.name": "mps"} | change)
    assert told in str(error.value)


def test_sides_of_a_stream_are_refused_by_name() -> None:
    text = law_worlds.FREE_STREAM_2D
    with pytest.raises(WorldError, match=r'boundaries\.left\.type = "stream"; the solver mps has inflow and'):
        World.from_text(text, overrides={"method.name": "mps"})
