"""Bodies in gases on cells: what stays the same, forces, blank cells, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_equations import tube
from test_waves import GAS_BODY, SOLID_BODY, THICK_BODY, gas_text

import eddyline
from eddyline import _core
from eddyline.world import World, WorldError

PERIODIC = "\n".join(f'{side} = {{ type = "periodic" }}' for side in ("left", "right", "bottom", "top"))
TILTED = """
[bodies.plate]
shape = "rectangle"
min = [0.4, 0.31]
max = [0.72, 0.48]
angle = 0.3
"""


def after(text: str, steps: int, **overrides: object) -> _core.Simulation:
    world = World.from_text(text, overrides={key.replace("__", "."): value for key, value in overrides.items()})
    simulation = _core.Simulation(world.core, threads=1)
    simulation.advance(float("inf"), steps, 1e9)
    return simulation


@pytest.mark.parametrize("reconstruction", ["muscl", "weno"])
@pytest.mark.parametrize("friction", ["", "kinematic_viscosity = 0.01\n"])
def test_gas_at_rest_stays_at_rest_beside_a_body(reconstruction: str, friction: str) -> None:
    still = gas_text([1, 0.75], 32, PERIODIC, f'reconstruction = "{reconstruction}"') + TILTED
    still = still.replace("density = 1\n", f"density = 1\n{friction}", 1)
    still = still.replace('"1 + 0.3*sin(6*x)*cos(5*y)"', "1").replace("velocity = [0.7, 0.4]", "velocity = [0, 0]")
    still = "\n".join("pressure = 1" if line.startswith("pressure") else line for line in still.split("\n"))
    columns, _, rows = after(still, 20).take_series()["budget"]
    assert rows[-1, columns.index("max_speed")] < 1e-13


def test_mass_and_energy_stay_and_momentum_changes_by_the_force() -> None:
    simulation = after(gas_text([1, 0.75], 32, PERIODIC) + TILTED, 60, output__series=100_000)
    series = simulation.take_series()
    columns, _, budget = series["budget"]
    for name in ("mass", "total_energy"):
        values = budget[:, columns.index(name)]
        assert np.abs(values / values[0] - 1).max() < 1e-13
    names, _, force = series["force.plate"]
    for axis in "xy":
        momentum, acting = budget[:, columns.index(f"momentum_{axis}")], force[:, names.index(f"total_{axis}")]
        impulse = np.trapezoid(acting, force[:, 0])
        assert abs(momentum[0] - momentum[-1] - impulse) < 0.01 * np.trapezoid(np.abs(acting), force[:, 0])


def test_cells_in_a_body_are_blank() -> None:
    simulation = after(GAS_BODY, 5)
    core = World.from_text(GAS_BODY).core
    body, spacing = core.bodies[0], core.spacing
    count = simulation.count("cells")
    at = np.zeros((count, 3))
    for k, axis in enumerate("xy"):
        at[:, k] = simulation.values("cells", f"position_{axis}", 0, count)
    values = simulation.values("cells", "pressure", 0, count)
    distance = body.shape.signed_distance(at)
    assert np.isnan(values[distance < -spacing]).all()
    others = core.bodies[1].shape.signed_distance(at)
    assert np.isfinite(values[(distance > spacing) & (others > spacing)]).all()
    low, upper = core.origin, [core.origin[k] + core.size[k] for k in range(3)]
    picture = simulation.rasters(["pressure"], (75, 100), tuple(low), (upper[0], upper[1], low[2]))[0]
    rows, columns = np.mgrid[0:75, 0:100]
    points = np.zeros((7500, 3))
    points[:, 0], points[:, 1] = (columns.ravel() + 0.5) * 0.01, (rows.ravel() + 0.5) * 0.01
    inside = np.minimum(*(each.shape.signed_distance(points) for each in core.bodies)) <= 0
    assert (np.isnan(picture.ravel()) == inside).all()
