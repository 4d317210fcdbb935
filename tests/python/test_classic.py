"""The scheme classic: what it conserves, and that a gas and a liquid do what they should."""

from __future__ import annotations

import law_worlds
import numpy as np
import pytest
from numpy.typing import NDArray

from eddyline import _core
from eddyline.world import World

Floats = NDArray[np.float64]
CLOSED = {"single": 1e-7, "double": 1e-14}
"""Drift of the total energy over the energy that moves, by the precision of the pair sums."""

BOX = """format = 1
[domain]
size    = [1.0, 1.0]
spacing = 0.025
[fluid]
{fluid}
[start]
arrangement = "jittered"
velocity    = ["0.5*sin(2*pi*y)", "0.5*sin(2*pi*x)"]
{start}
[boundaries]
left   = {{ type = "{side}" }}
right  = {{ type = "{side}" }}
bottom = {{ type = "{side}" }}
top    = {{ type = "{side}" }}
[time]
end = 1.0
[method]
scheme = "classic"
{method}
"""
WATER = {"fluid": "density = 1000\nkinematic_viscosity = 1e-3\nmax_speed = 1.0", "start": ""}
GAS = {
    "fluid": 'state = "ideal_gas"\ndensity = 1.0',
    "start": 'pressure = "1 + 5*exp(-((x-0.4)^2+(y-0.5)^2)/0.02)"\ndensity = "1 + 0.9*sin(2*pi*x)"',
}


def run(text: str, steps: int, **overrides: str) -> tuple[_core.Simulation, dict[str, Floats]]:
    world = World.from_text(text, overrides={f"method.{key}": value for key, value in overrides.items()})
    simulation = _core.Simulation(world.core, threads=1)
    simulation.advance(np.inf, steps, np.inf)
    columns, _, values = simulation.take_series()["budget"]
    return simulation, {name: values[:, k] for k, name in enumerate(columns)}


def until(text: str, end: float) -> dict[str, Floats]:
    simulation = _core.Simulation(World.from_text(text).core, threads=1)
    simulation.advance(end, 2**62, np.inf)
    columns, _, values = simulation.take_series()["budget"]
    return {name: values[:, k] for k, name in enumerate(columns)}


@pytest.mark.parametrize("precision", CLOSED)
@pytest.mark.parametrize("side", ["periodic", "wall"])
@pytest.mark.parametrize("fluid", [WATER, GAS], ids=["water", "gas"])
def test_total_energy_is_conserved_in_a_closed_box(fluid: dict[str, str], side: str, precision: str):
    simulation, budget = run(BOX.format(**fluid, side=side, method=""), 250, precision=precision)
    assert (simulation.statistics()["contacts"] > 0) is (side == "wall")
    total = budget["total_energy"]
    moved = np.ptp(budget["kinetic_energy"])
    assert moved > 0.01 * budget["kinetic_energy"].max()
    assert np.abs(total - total[0]).max() <= CLOSED[precision] * max(moved, np.abs(total).max())
    assert np.allclose(total, budget["kinetic_energy"] + budget["thermal_energy"], rtol=1e-14)


@pytest.mark.parametrize("precision", CLOSED)
@pytest.mark.parametrize("fluid", [WATER, GAS], ids=["water", "gas"])
def test_momentum_is_conserved_without_walls(fluid: dict[str, str], precision: str):
    simulation, budget = run(BOX.format(**fluid, side="periodic", method=""), 250, precision=precision)
    scale = float((simulation.mass * np.linalg.norm(simulation.velocity, axis=1)).sum())
    for axis in "xy":
        momentum = budget[f"momentum_{axis}"]
        assert np.abs(momentum - momentum[0]).max() <= CLOSED[precision] * scale


def test_energy_with_gravity_is_conserved_in_a_dam_break():
    """Potential energy counts as well."""
    text = law_worlds.by_classic(law_worlds.DAM_2D)
    _, budget = run(text, 600, precision="double")
    total = budget["total_energy"]
    assert np.ptp(budget["potential_energy"]) > 1.0
    assert np.abs(total - total[0]).max() <= 1e-11 * budget["potential_energy"].max()


def test_viscosity_heats_and_never_cools():
    """The thermal energy of water comes from friction and, to a small part, from compression."""
    _, budget = run(BOX.format(**WATER, side="periodic", method="artificial_viscosity = 0"), 400)
    _, more = run(BOX.format(**WATER, side="periodic", method="artificial_viscosity = 0.2"), 400)
    assert budget["thermal_energy"][-1] > 0
    assert more["thermal_energy"][-1] > 2 * budget["thermal_energy"][-1]


def test_xsph_brings_particles_in_order_and_keeps_the_centre_of_mass():
    _, plain = run(BOX.format(**WATER, side="periodic", method=""), 100)
    simulation, mixed = run(BOX.format(**WATER, side="periodic", method="xsph = 0.5"), 100)
    assert not np.array_equal(plain["kinetic_energy"], mixed["kinetic_energy"])
    scale = float((simulation.mass * np.linalg.norm(simulation.velocity, axis=1)).sum())
    assert abs(mixed["momentum_x"][-1] - mixed["momentum_x"][0]) < 1e-7 * scale


def test_a_gas_at_rest_stays_at_rest():
    text = BOX.format(fluid=GAS["fluid"], start="pressure = 2.0", side="wall", method="")
    text = (
        text.replace('arrangement = "jittered"\n', "")
        .replace("0.5*sin(2*pi*y)", "0")
        .replace("0.5*sin(2*pi*x)", "0")
    )
    simulation, _ = run(text, 200)
    assert np.abs(simulation.velocity).max() < 1e-4
    assert np.abs(simulation.pressure() - 2.0).max() < 1e-3


def test_sound_in_a_gas_has_its_speed():
    """A standing wave in a periodic box comes back after L / sqrt(gamma p / rho)."""
    text = BOX.format(
        fluid=GAS["fluid"],
        start="pressure = 1.0",
        side="periodic",
        method="artificial_viscosity = 0\nartificial_viscosity_beta = 0",
    )
    text = text.replace('arrangement = "jittered"\n', "")
    text = text.replace('"0.5*sin(2*pi*y)", "0.5*sin(2*pi*x)"', '"0.01*sin(2*pi*x)", 0')
    budget = until(text, 0.9)
    kinetic, time = budget["kinetic_energy"], budget["time"]
    assert kinetic.min() < 1e-3 * kinetic.max()  # all of it is pressure twice in a period
    first = time[np.argmin(np.where(time < 0.4, kinetic, np.inf))]
    second = time[np.argmin(np.where(time > 0.4, kinetic, np.inf))]
    assert second - first == pytest.approx(0.5 / np.sqrt(1.4), rel=0.02)


def test_delta_pays_nothing_for_thermal_energy():
    world = World.from_text(law_worlds.DAM_2D)
    simulation = _core.Simulation(world.core, threads=1)
    assert simulation.thermal_energy().size == 0
    assert "elastic_energy" in simulation.take_series()["budget"][0]


def test_the_doctor_names_a_gas_that_breaks_down():
    world = World.from_text(law_worlds.GAS_2D, overrides={"method.speed_limit": 3.2})
    with pytest.raises(_core.StepError, match=r"above the limit of 3\.2 m/s: raise method\.speed_limit"):
        _core.Simulation(world.core, threads=1).advance(np.inf, 2000, np.inf)
