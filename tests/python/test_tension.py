"""Fluid under tension in the budget and in the closing lines of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_flows import run_of
from test_patches import FLAT, pool

import eddyline
from eddyline.run.closing import warnings
from eddyline.world import World


def test_the_budget_tells_the_share_of_the_mass_under_tension(tmp_path: Path):
    """A fifth of the dynamic pressure of 2 m/s is 400 Pa."""
    changes = {"regions.water.pressure": "if(x < 0.1, -1500, 0)"}
    world = World.from_text(pool(FLAT | {"END": "0.004"}).source, overrides=changes)
    budget = run_of(world, tmp_path / "run").series("budget")
    simulation = eddyline.Simulation(world, threads=1)
    for step, share in zip(budget["step"], budget["under_tension"], strict=True):
        simulation.step(int(step) - simulation.steps)
        mass, tense = simulation.particles.mass, simulation.particles.pressure < -400
        assert share == pytest.approx(mass[tense].sum() / mass.sum(), rel=1e-12)
    assert budget["under_tension"].iloc[0] > 0.2


def test_a_run_warns_of_much_fluid_under_tension():
    def told(mean: float) -> list[str]:
        return list(warnings(world, {"series": {"budget": {"under_tension": {"mean": mean, "max": 0.02}}}}))

    world = pool(FLAT)
    assert not told(0.005)
    assert "on average 0.6 % of the fluid was under tension, up to 2 %" in told(0.006)[0]


def test_a_confined_flow_has_no_such_column(tmp_path: Path):
    world = World.load("taylor_green", {"domain.spacing": "L/16", "time.end": 0.01})
    assert "under_tension" not in run_of(world, tmp_path / "run").series("budget").columns
