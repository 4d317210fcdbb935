"""Still water beside slopes on the floor: hydrostatic forces on each, and water that comes to rest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eddyline import _core
from eddyline.world import World

CASES = Path(__file__).parent.parent / "cases"
SLOPE = """
format = 1
title  = "Still water beside a slope"

[domain]
size    = [{width}, 1.3]
spacing = "1/20"
gravity = [0, -9.81]

[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 3.13

[regions.water]
shape    = "rectangle"
min      = [0, 0]
max      = [{width}, 1]
pressure = "hydrostatic"

[bodies.slope]
shape  = "polygon"
points = [[1, 0], [{beyond}, 0], [{beyond}, 1.2], [{top}, 1.2]]
slip   = true

[boundaries]
left   = {{ type = "wall", slip = true }}
right  = {{ type = "wall", slip = true }}
bottom = {{ type = "wall", slip = true }}
top    = {{ type = "open" }}

[time]
end = 3
"""


@pytest.mark.parametrize("angle", [30, 60, 90])
def test_a_slope_and_the_floor_before_it_carry_hydrostatic_forces(angle: float):
    cotangent = 1 / np.tan(np.radians(angle))
    width = round(1.3 + 1.2 * cotangent, 6)
    world = World.from_text(SLOPE.format(width=width, beyond=width + 0.2, top=round(1 + 1.2 * cotangent, 6)))
    simulation = _core.Simulation(world.core, threads=1, series_interval=0.02)
    simulation.advance(3.0, 2**62, np.inf)
    series = {
        name: dict(zip(columns, rows[-50:].mean(axis=0), strict=True))
        for name, (columns, _, rows) in simulation.take_series().items()
    }
    weight = 9.81 * series["budget"]["mass"] / (1 + 0.5 * cotangent)  # of a unit of area
    floor, slope = series["force.bottom"], series["force.slope"]
    assert floor["total_y"] == pytest.approx(-weight, rel=0.015)
    assert abs(floor["total_x"]) < 0.03 * weight  # beside corners a floor is pushed along itself a little
    assert slope["total_y"] == pytest.approx(-0.5 * cotangent * weight, rel=0.02, abs=0.005 * weight)
    assert slope["total_x"] == pytest.approx(0.5 * weight, rel=0.035)


def test_particles_held_beside_a_slope_come_to_rest():
    """A particle that shifting held in place beside the slope kept 0.33 m/s forever."""
    world = World.load(CASES / "slope.toml")
    simulation = _core.Simulation(world.core, threads=1, series_interval=0.02)
    simulation.advance(world.end, 2**62, np.inf)
    columns, _, rows = simulation.take_series()["budget"]
    last = dict(zip(columns, rows[-50:].mean(axis=0), strict=True))
    assert last["max_speed"] < 0.1
    assert last["kinetic_energy"] < 4e-5 * 0.5 * 1000 * 9.81 * 3  # of the pool, which oscillates a little
    x, v = simulation.position - [1.267949192, 0], simulation.velocity
    beside = -0.5 * x[:, 0] + np.sqrt(0.75) * x[:, 1] < 1 / 30
    assert (v[beside] ** 2).sum(axis=1).max() < 0.1**2
