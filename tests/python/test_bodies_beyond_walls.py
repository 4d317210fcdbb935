"""Parts of a body beyond a wall of the domain change nothing: the wall's own dummy particles are there."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from small_worlds import tank

from eddyline import _core
from eddyline.world import World

Floats = NDArray[np.float64]
NEVER = 2**62

BODY = "[bodies.body]\n{body}\n"
TANK_2D = tank((0.4, 0.25), (0.4, 0.2), 0.01, 1.0, BODY)
TANK_3D = tank((0.3, 0.2, 0.2), (0.3, 0.15, 0.2), 0.0125, 1.0, BODY)
MOTION = 'motion = {{ displacement = ["0.02*(1-cos(6*t))", 0] }}'
PAIRS = {
    "block": (TANK_2D, 'shape = "rectangle"\nmin = [0.15, {foot}]\nmax = [0.25, 0.1]', "-0.04"),
    "deep block": (TANK_2D, 'shape = "rectangle"\nmin = [0.15, {foot}]\nmax = [0.25, 0.1]', "-0.2"),
    "piston": (TANK_2D, f'shape = "rectangle"\nmin = [0.1, {{foot}}]\nmax = [0.2, 0.3]\n{MOTION}', "-0.04"),
    "box": (TANK_3D, 'shape = "box"\nmin = [0.1, {foot}, 0.05]\nmax = [0.2, 0.1, 0.15]', "-0.05"),
}


def run(text: str, steps: int) -> tuple[_core.Simulation, dict[str, Floats]]:
    world = World.from_text(text)
    simulation = _core.Simulation(world.core, threads=1, series_interval=0.01)
    simulation.advance(np.inf, steps, np.inf)
    series = {
        name: rows[:, [not column.startswith("torque") for column in columns]]  # about the middle of the body
        for name, (columns, _, rows) in simulation.take_series().items()
    }
    return simulation, series


@pytest.mark.parametrize("name", PAIRS)
def test_a_body_that_goes_on_below_the_floor_is_the_one_that_stands_on_it(name: str):
    text, body, below = PAIRS[name]
    steps = 60 if text is TANK_3D else 200
    on, through = (run(text.format(body=body.format(foot=foot)), steps) for foot in ("0", below))
    assert on[1].keys() == through[1].keys()
    for series, rows in on[1].items():
        scale = np.abs(rows).max(axis=0) + 1e-3
        assert np.abs(through[1][series] - rows).max(axis=0) == pytest.approx(0, abs=1e-3 * scale.max()), (
            series
        )


ROUND = {
    "half in the floor": 'shape = "circle"\ncenter = [0.2, 0.0]\ndiameter = 0.12',
    "mostly above": 'shape = "circle"\ncenter = [0.2, 0.0313]\ndiameter = 0.12',
    "in a corner": 'shape = "circle"\ncenter = [0.4, 0.0]\ndiameter = 0.2',
    "a beach": 'shape = "polygon"\npoints = [[0.2, -0.05], [0.5, -0.05], [0.5, 0.12], [0.3, 0.1], [0.2, 0]]',
}


@pytest.mark.parametrize("name", ROUND)
def test_water_at_a_body_that_is_partly_in_a_wall_comes_to_rest(name: str):
    _, series = run(TANK_2D.format(body=ROUND[name]), 700)
    speed = series["budget"][-20:, 9]
    assert speed.mean() < 0.04  # 0.03 of sqrt(g H); 0.3 and more where dummy particles are doubled
