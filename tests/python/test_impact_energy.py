"""Energy of water that hits walls: nothing but gravity works on it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eddyline import _core
from eddyline.world import World

TANK = """
format = 1
[domain]
size = [0.84, 0.4]
spacing = {spacing}
gravity = [0, -9.81]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.column]
shape = "rectangle"
min = [0, 0]
max = [0.2, 0.3]
pressure = "hydrostatic"
[time]
end = 0.8
"""


@pytest.mark.parametrize("spacing", [0.03, 0.02, 0.015])
def test_an_impact_on_walls_adds_no_energy(spacing):
    """A wall pushes fluid without pulling it, so that it must not expand it below no pressure either."""
    world = World.from_text(TANK.format(spacing=spacing))
    simulation = _core.Simulation(world.core, threads=1, series_interval=2e-3)
    simulation.advance(world.end, 2**60, math.inf)
    columns, _, rows = simulation.take_series()["budget"]
    parts = [list(columns).index(f"{name}_energy") for name in ("kinetic", "potential", "elastic")]
    energy = np.asarray(rows)[:, parts].sum(axis=1)
    rise = (energy - np.minimum.accumulate(energy)).max() / energy[0]
    assert rise < 0.005
    assert energy[-1] < 0.95 * energy[0]  # it has hit the far wall
