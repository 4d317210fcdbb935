"""Particles that are too close to each other move apart again, also with a free surface."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from eddyline import _core
from eddyline.world import World

DROP = """format = 1
title = "A drop at rest, in disorder"
[domain]
size = [40.0, 40.0]
spacing = 1.0
[fluid]
density = 1.0
kinematic_viscosity = 1e-3
max_speed = 1.0
[start]
arrangement = {arrangement}
[regions.drop]
shape = "circle"
center = [20.0, 20.0]
diameter = 30.0
[boundaries]
left = {{ type = "open" }}
right = {{ type = "open" }}
bottom = {{ type = "open" }}
top = {{ type = "open" }}
[time]
end = 100.0
"""
DISORDER = '"jittered"\njitter = 0.45'


def drop(arrangement: str, relaxation: float) -> _core.Simulation:
    world = World.from_text(
        DROP.format(arrangement=arrangement), overrides={"method.volume_relaxation": relaxation}
    )
    return _core.Simulation(world.core)


def places(simulation: _core.Simulation) -> npt.NDArray[np.float64]:
    return np.array(simulation.position)[:, :2]


def crowd(simulation: _core.Simulation) -> float:
    """The sum of m W that one particle in a hundred exceeds, by the density at rest."""
    x = places(simulation)
    reach = 4.0
    q = np.linalg.norm(x[:, None] - x[None], axis=2) / reach
    kernel = 7 / np.pi / reach**2 * np.clip(1 - q, 0, None) ** 4 * (1 + 4 * q)
    return float(np.quantile(kernel.sum(axis=1), 0.99))


def test_a_crowd_finds_its_room() -> None:
    relaxed, left_alone = drop(DISORDER, 0.01), drop(DISORDER, 0.0)
    before, middle = crowd(relaxed), places(relaxed).mean(axis=0)
    assert before > 1.12
    for simulation in (relaxed, left_alone):
        simulation.advance(np.inf, 400, np.inf)
    assert crowd(left_alone) > 0.99 * before
    assert 1.04 < crowd(relaxed) < 1.07
    # It swells where it was crowded, and goes nowhere.
    assert places(relaxed).mean(axis=0) == pytest.approx(middle, abs=5e-3)
    assert np.ptp(places(relaxed)) == pytest.approx(np.ptp(places(left_alone)), rel=0.01)
    assert np.abs(np.asarray(relaxed.density) - 1).max() < 1e-3


def test_particles_with_room_stay() -> None:
    """The limits allow for particles under the steps of the rim: their sums miss some neighbours."""
    relaxed = drop('"lattice"', 0.01)
    start = places(relaxed)
    relaxed.advance(np.inf, 400, np.inf)
    assert np.abs(places(relaxed) - start).max() < 0.03
    assert np.abs(np.asarray(relaxed.density) - 1).max() < 1e-4
