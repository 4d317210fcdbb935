"""Frequency and decay of series with known answers, and coefficients of forces in three dimensions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from test_formula_regions import WAVE

from eddyline.signals import ringing
from eddyline.world import Comparison, World, WorldError, evaluate_expectations

TIME = np.linspace(0.0, 4.0, 801) ** 1.1
SLOSH = 0.3 + 0.05 * np.exp(-0.4 * TIME) * np.cos(2 * np.pi * 0.9 * TIME + 0.3)
RANDOM = np.random.default_rng(2)


def compare(quantity: str, height: np.ndarray, value: float, **keys: float) -> Comparison:
    extra = "".join(f"{key} = {number}\n" for key, number in keys.items())
    text = (
        f'{WAVE.replace("end = 0.1", "end = 5.0")}[observe.level]\ntype = "gauge"\nposition = [0.1, 0]\n'
        f'[[expect]]\nquantity = "{quantity}"\nvalue = {value}\ntolerance = 0.01\n{extra}'
    )
    series = {"level": pd.DataFrame({"time": TIME, "height": height})}
    return evaluate_expectations(World.from_text(text), series)[0]


@pytest.mark.parametrize("noise", [0.0, 0.002])
def test_a_ringing_series_gives_frequency_and_decay(noise: float):
    height = SLOSH + noise * RANDOM.normal(size=len(TIME))
    frequency = compare("level.height.frequency", height, 0.9, after=0.2)
    decay = compare("level.height.decay_rate", height, 0.4)
    assert frequency.measured == pytest.approx(0.9, rel=0.002)
    assert decay.measured == pytest.approx(0.4, rel=0.02)
    assert (frequency.inside, decay.window) == (True, (0.0, TIME[-1]))
    assert frequency.what == "of the damped oscillation from t = 0.2 s on"


def test_an_energy_rings_twice_as_fast_about_a_mean_that_decays():
    found = ringing(TIME, (np.exp(-0.4 * TIME) * np.cos(2 * np.pi * 0.9 * TIME)) ** 2)
    assert found is not None
    assert (found.frequency, found.decay_rate) == pytest.approx((1.8, 0.8), rel=1e-3)


@pytest.mark.parametrize("rate", [-0.5, 0.0, 3.0])
def test_signals_may_grow_stay_or_die_fast(rate: float):
    found = ringing(TIME, 1 + np.exp(-rate * TIME) * np.sin(2 * np.pi * 2.2 * TIME))
    assert found is not None
    assert found.frequency == pytest.approx(2.2, rel=1e-3)
    assert found.decay_rate == pytest.approx(rate, abs=0.01)


@pytest.mark.parametrize(
    ("height", "said"),
    [
        (0 * TIME + 0.3, "does not oscillate"),
        (RANDOM.normal(size=len(TIME)), "is not a damped oscillation"),
    ],
)
def test_what_does_not_ring_has_no_frequency(height: np.ndarray, said: str):
    found = compare("level.height.frequency", height, 0.9)
    assert found.measured is None
    assert said in found.note


SPHERE = """format = 1
[reference]
velocity = 2.0
length = 0.2
area = 0.03
[domain]
size = [1, 1, 1]
spacing = 0.05
[fluid]
density = 1000.0
kinematic_viscosity = 1e-3
max_speed = 2.0
[bodies.ball]
shape = "sphere"
center = [0.5, 0.5, 0.5]
diameter = 0.2
[time]
end = 1.0
[[expect]]
quantity = "ball.drag_coefficient.mean"
value = 0.5
tolerance = 0.01
after = 0.1
"""


def test_coefficients_of_forces_in_space_take_the_reference_area():
    world = World.from_text(SPHERE)
    force = pd.DataFrame({"time": TIME / TIME[-1], "total_x": 0 * TIME + 30.0, "total_y": 0 * TIME})
    (found,) = evaluate_expectations(world, {"force.ball": force})
    assert found.measured == pytest.approx(30 / (0.5 * 1000 * 4 * 0.03))
    with pytest.raises(WorldError, match=r"needs \[reference\] with velocity, length and area"):
        World.from_text(SPHERE.replace("area = 0.03\n", ""))
    assert (
        World.from_text(SPHERE.replace("area = 0.03\n", "").split("[[expect]]")[0]).coefficient_of_force
        is None
    )


def test_a_flat_world_takes_no_area():
    with pytest.raises(WorldError, match="force coefficients of a 2D world use length"):
        World.from_text(WAVE + "[reference]\nvelocity = 1\nlength = 1\narea = 1\n")
