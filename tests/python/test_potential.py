"""A gas with a potential, a constraint that is solved after each step: frequencies, errors, ends of runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from test_waves import potential_text

from eddyline import _core
from eddyline.world import World, WorldError

Floats = NDArray[np.float64]

SWING = 100.0 + (0.3 * 2 * np.pi) ** 2
"""Square of the frequency of a plasma with -coupling rho = 100 and c = 0.3, of a wave that is 1 m long."""


def simulated(n: int, end: float, extra: str, density: str = "1 + 0.01*cos(2*pi*x)") -> _core.Simulation:
    world = World.from_text(potential_text([1, 0.5], n, density, extra=extra))
    simulation = _core.Simulation(world.core, threads=1)
    simulation.advance(end, 2**62, 1e9)
    return simulation


def amplitude(simulation: _core.Simulation) -> tuple[Floats, Floats]:
    """Times, and the amplitude of the wave, from the density near its crest."""
    columns, _, rows = simulation.take_series()["spot"]
    return rows[:, 0], rows[:, columns.index("density")] - 1


@pytest.mark.parametrize(
    "levels",
    ["", 'levels = 2\nunit = 4\nrefine = "abs(x - 0.5) < 0.2"', 'levels = 3\nunit = 4\nrefine = "x < 0.5"'],
)
def test_a_plasma_swings_with_its_frequency(levels: str) -> None:
    simulation = simulated(32, 1.0, f"coupling = -100\nsound_speed = 0.3\n{levels}")
    time, density = amplitude(simulation)
    crossings = np.flatnonzero(density[:-1] * density[1:] < 0)
    share = density[crossings] / (density[crossings] - density[crossings + 1])
    at = time[crossings] + share * (time[crossings + 1] - time[crossings])
    assert np.pi / np.diff(at).mean() == pytest.approx(np.sqrt(SWING), rel=0.012)
    assert np.abs(density).max() < 0.0102


def test_a_cloud_collapses_as_jeans_says() -> None:
    """Longer than its limit a wave grows like cosh of the rate, here sqrt(40 - (2 pi c)^2)."""
    simulation = simulated(32, 0.4, "coupling = 40\nsound_speed = 0.5", "1 + 0.001*cos(2*pi*x)")
    time, density = amplitude(simulation)
    rate = np.sqrt(40 - np.pi**2)
    assert density[-1] / density[0] == pytest.approx(
        np.cosh(rate * time[-1]) / np.cosh(rate * time[0]), rel=0.01
    )


def exact_potential(x: Floats, y: Floats) -> Floats:
    values: Floats = np.exp(-((x - 0.5) ** 2 + (y - 0.25) ** 2) / 0.004)
    return values


LUMP = "10 + (4*((x - 0.5)^2 + (y - 0.25)^2)/0.004 - 4)/0.004*exp(-((x - 0.5)^2 + (y - 0.25)^2)/0.004)/500"
"""Density whose potential is a bell, with the coupling 500."""


@pytest.mark.parametrize("levels", [1, 2, 3])
@pytest.mark.parametrize("sides", ["periodic", "wall"])
def test_the_potential_converges_with_order_2(levels: int, sides: str) -> None:
    errors = []
    for n in (64, 128):
        chosen = f'levels = {levels}\nunit = 4\nrefine = "abs(x - 0.5) < if(level == 0, 0.25, 0.1)"'
        chosen = chosen if levels > 1 else ""
        text = potential_text(
            [1, 0.5], n, LUMP, extra=f"coupling = 500\nresidual = 1e-9\n{chosen}", sides=sides
        )
        simulation = _core.Simulation(World.from_text(text).core, threads=1)
        found = simulation.rasters(["potential"], (n // 2, n), (0, 0, 0), (1, 0.5, 0))[0].astype(np.float64)
        places = (np.arange(n) + 0.5) / n
        error = found - exact_potential(places[None, :], places[: n // 2, None])
        errors.append(float(np.std(error)))  # the mean is free
    assert errors[1] < 2e-3 and np.log2(errors[0] / errors[1]) > 1.8


def test_mass_stays_while_levels_move() -> None:
    extra = "coupling = 40\nlevels = 2\nunit = 4\ntolerance = 0.002"
    simulation = simulated(64, 0.1, extra, "1 + 0.5*exp(-((x - 0.4)^2 + (y - 0.2)^2)/0.01)")
    columns, _, rows = simulation.take_series()["budget"]
    mass = rows[:, columns.index("mass")]
    assert np.ptp(mass) < 1e-13 * mass[0] * len(mass)


def test_a_solve_that_does_not_converge_ends_the_run() -> None:
    with pytest.raises(
        _core.UserError, match=r"step 0, t = .*the potential has not converged.*method\.cycles"
    ):
        simulated(32, 0.1, "residual = 1e-12\ncycles = 2")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"boundaries.left.type": "open"}, 'boundaries.left.type = "open"; the Euler-Poisson equations'),
        ({"start.fields.density": "x - 0.5"}, "must be positive everywhere"),
        (
            {"method.equations": "wave"},
            "is an option of the equations euler-poisson, and this world uses wave",
        ),
        ({"method.sound_speed": 0}, "method.sound_speed = 0; must be > 0"),
    ],
)
def test_worlds_refuse_what_the_gas_cannot_have(change: dict[str, Any], told: str) -> None:
    text = potential_text([1, 0.5], 16, "1", extra="coupling = -1")
    with pytest.raises(WorldError) as caught:
        World.from_text(text, overrides=change)
    assert told in str(caught.value)


def test_a_checkpoint_goes_on_with_the_same_bits() -> None:
    extra = "coupling = -100\nsound_speed = 0.3\nlevels = 2\nunit = 4\ntolerance = 0.01"
    world = World.from_text(potential_text([1, 0.5], 32, "1 + 0.3*cos(2*pi*x)", extra=extra))
    whole, other = _core.Simulation(world.core), _core.Simulation(world.core)
    whole.advance(1.0, 5, 1e9)
    other.restore(iter([whole.save()]))
    for simulation in (whole, other):
        simulation.advance(1.0, 7, 1e9)
    assert whole.time == other.time > 0
    assert whole.checksum() == other.checksum()
