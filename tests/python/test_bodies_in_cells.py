"""Bodies in gases on cells: what stays the same, forces, blank cells, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from test_waves import GAS_BODY, THICK_BODY, gas_text

from eddyline import _core
from eddyline.world import World, WorldError
from eddyline.world.quantities import series_columns

PERIODIC = "\n".join(f'{side} = {{ type = "periodic" }}' for side in ("left", "right", "bottom", "top"))
TILTED = """
[bodies.plate]
shape = "rectangle"
min = [0.4, 0.31]
max = [0.72, 0.48]
angle = 0.3
"""


def after(text: str, steps: int) -> _core.Simulation:
    world = World.from_text(text, overrides={"output.series": 100_000})
    simulation = _core.Simulation(world.core, threads=1)
    simulation.advance(float("inf"), steps, 1e9)
    return simulation


@pytest.mark.parametrize("reconstruction", ["muscl", "weno"])
@pytest.mark.parametrize("friction", ["", "kinematic_viscosity = 0.01\n"])
def test_gas_at_rest_stays_at_rest_beside_a_body(reconstruction: str, friction: str) -> None:
    still = gas_text([1, 0.75], 32, PERIODIC, f'reconstruction = "{reconstruction}"') + TILTED
    still = still.replace("density = 1\n", f"density = 1\n{friction}", 1)
    still = (
        still.replace("0.3*sin(6*x)", "0*x").replace("1 + 9*exp", "1 + 0*exp").replace("[0.7, 0.4]", "[0, 0]")
    )
    columns, _, rows = after(still, 20).take_series()["budget"]
    assert rows[-1, columns.index("max_speed")] < 1e-13


def test_mass_and_energy_stay_and_momentum_changes_by_the_force() -> None:
    simulation = after(gas_text([1, 0.75], 32, PERIODIC) + TILTED, 60)
    series = simulation.take_series()
    columns, _, budget = series["budget"]
    for name in ("mass", "total_energy"):
        values = budget[:, columns.index(name)]
        assert np.abs(values / values[0] - 1).max() < 1e-13
    names, _, force = series["force.plate"]
    for axis in "xy":
        momentum = budget[:, columns.index(f"momentum_{axis}")]
        acting = force[:, names.index(f"total_{axis}")]
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


@pytest.mark.parametrize("text", [GAS_BODY, THICK_BODY])
def test_a_checkpoint_goes_on_to_the_same_bits(text: str) -> None:
    whole, first = after(text, 8), after(text, 4)
    second = _core.Simulation(World.from_text(text).core, threads=2)
    second.restore(iter([first.save()]))
    second.advance(float("inf"), 8, 1e9)
    assert second.checksum() == whole.checksum()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("diameter = 0.3", "diameter = 0.1", "bodies.post is 2.4 cells thick; must be at least 4"),
        ("diameter = 0.3", "diameter = 0.3\nfriction = 0.01", "has no law of friction. Remove it."),
        ("diameter = 0.3", 'diameter = 0.3\nmotion = { displacement = ["0.1*sin(t)", 0] }', "bodies at rest"),
        ('name = "amr"', 'name = "amr"\ncfl = 0.8', "with bodies it must be at most 0.6. Reduce it."),
        (THICK_BODY[THICK_BODY.index("[bodies"):], "", "body_layer = 3; the world has no bodies"),
    ],
)  # fmt: skip
def test_bodies_that_cells_cannot_have_are_refused(old: str, new: str, line: str) -> None:
    text = THICK_BODY.replace(old, new)
    if not new:
        text = text.replace('name = "amr"', 'name = "amr"\nbody_layer = 3')
    with pytest.raises(WorldError) as caught:
        World.from_text(text)
    assert line in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_a_torque_has_its_series_and_bodies_make_the_run_longer() -> None:
    text = THICK_BODY + '[observe.turn]\ntype = "torque"\nbody = "post"\npivot = [0, 0]\n'
    world, empty = World.from_text(text), World.from_text(text[: text.index("[bodies")])
    series = series_columns(world.file)
    assert series["turn"] == ["torque"] and series["force.post"][-1] == "torque"
    assert world.solver.estimate(world).step_seconds > 1.1 * empty.solver.estimate(empty).step_seconds
