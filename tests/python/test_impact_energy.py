"""Energy of water that hits walls: nothing but gravity works on it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from small_worlds import tank

from eddyline import _core
from eddyline.world import World


@pytest.mark.parametrize("spacing", [0.03, 0.02, 0.015])
def test_an_impact_on_walls_adds_no_energy(spacing):
    """A wall pushes fluid without pulling it, so that it must not expand it below no pressure either."""
    world = World.from_text(tank((0.84, 0.4), (0.2, 0.3), spacing, 0.8))
    simulation = _core.Simulation(world.core, threads=1, series_interval=2e-3)
    simulation.advance(world.end, 2**60, math.inf)
    columns, _, rows = simulation.take_series()["budget"]
    parts = [list(columns).index(f"{name}_energy") for name in ("kinetic", "potential", "elastic")]
    energy = np.asarray(rows)[:, parts].sum(axis=1)
    rise = (energy - np.minimum.accumulate(energy)).max() / energy[0]
    assert rise < 0.005
    assert energy[-1] < 0.95 * energy[0]  # it has hit the far wall
