"""Jets, sheets and spray: fluid that has lost its neighbours does not hold together by tension."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from eddyline import _core
from eddyline.world import World

Floats = NDArray[np.float64]
CASES = Path(__file__).parent.parent / "cases"
NEVER = 2**62
G = 9.81


def start(world: World, rows: int = 2000) -> _core.Simulation:
    return _core.Simulation(world.core, threads=1, series_interval=world.end / rows)


def test_a_sheet_of_four_spacings_falls_over_a_weir_as_bernoulli_allows():
    """Critical flow on the crest, and no suction before the brink."""
    world = World.load(CASES / "weir.toml", {"domain.spacing": 0.02})
    simulation = start(world)
    crest, speed, least, fastest = [], [], [], []
    for time in np.arange(3.0, 5.01, 0.25):
        simulation.advance(float(time), NEVER, np.inf)
        x, v, p = simulation.position, simulation.velocity, np.array(simulation.pressure())
        over = (x[:, 0] > 1.5) & (x[:, 0] < 1.7) & (x[:, 1] > 0.2)
        brink = (x[:, 0] > 1.85) & (x[:, 0] < 1.98) & (x[:, 1] > 0.2)
        crest.append(np.array(simulation.mass)[over].sum() / 1000 / 0.2)
        speed.append(v[over, 0].mean())
        least.append(p[brink].mean() / (1000 * G))
        fastest.append(v[brink, 0].mean())
    _, _, up = simulation.take_series()["up"]
    head = up[-100:, -1].mean() - world.let["P"] + (world.let["q"] / world.let["h0"]) ** 2 / (2 * G)
    # The corner in front of the crest costs 5 % of the head, with twice as many spacings as well.
    assert np.mean(crest) + np.mean(speed) ** 2 / (2 * G) == pytest.approx(0.95 * head, rel=0.03)
    assert np.mean(fastest) < np.sqrt(2 * G * head)
    assert np.mean(least) > -0.02  # m of water; -0.16 with unlimited tension


def test_a_wave_that_hits_a_wall_presses_and_does_not_pull():
    """Compares with the probe of Buchner 2002; a wave without friction presses with 0.22 rho g H at first."""
    world = World.load(CASES / "dam_break_buchner.toml", {"domain.spacing": "H/40"})
    simulation = start(world, 8000)
    height, time_unit = world.let["H"], np.sqrt(world.let["H"] / G)
    under_tension = []
    for time in np.arange(0.5, 8.01, 0.25):
        simulation.advance(float(time * time_unit), NEVER, np.inf)
        dynamic = 500 * (simulation.velocity**2).sum(axis=1).max()
        under_tension.append((np.array(simulation.pressure()) < -0.2 * dynamic).mean())
    columns, _, rows = simulation.take_series()["p"]
    time, pressure = rows[:, 0] / time_unit, rows[:, columns.index("pressure")] / (1000 * G * height)

    def mean(low: float, high: float, at: Floats, values: Floats) -> float:
        return float(np.interp(np.linspace(low, high, 2001), at, values).mean())

    measured = measurements()
    assert 0.1 < mean(2.5, 2.9, time, pressure) < 0.4  # -0.35 with unlimited tension
    impulse = mean(2.4, 6.0, time, pressure) / mean(2.4, 6.0, *measured)
    assert 0.85 < impulse < 1.15
    assert np.mean(under_tension) < 1e-3


def measurements() -> tuple[Floats, Floats]:
    """t sqrt(g/H) and p / (rho g H) of the experiment, in the order of time."""
    with (CASES / "dambreak_buchner_2002_pressure.csv").open() as file:
        lines = [line for line in file if not line.startswith("#")]
    table = np.array([[float(value) for value in row] for row in list(csv.reader(lines))[1:]])
    table = table[np.argsort(table[:, 0], kind="stable")]
    return table[:, 0], table[:, 1]
