"""Regions that a condition gives: what is placed, its pressure, how it is drawn, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import eddyline
from eddyline.world import World, WorldError
from eddyline.world.outlines import outlines

WAVE = """format = 1
[let]
L = 1.0
h = 0.3
a = 0.06
[domain]
size = ["L", 0.5]
spacing = 0.02
gravity = [0, -9.81]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.water]
shape = "formula"
inside = "y < h + a*cos(pi*x/L)"
pressure = "hydrostatic"
[boundaries]
top = { type = "open" }
[time]
end = 0.1
"""


def test_a_wave_begins_below_its_surface_with_the_pressure_of_its_columns():
    world = World.from_text(WAVE)
    particles = eddyline.Simulation(world, threads=1).particles
    x, y = particles.position[:, 0], particles.position[:, 1]
    depth = 0.3 + 0.06 * np.cos(np.pi * x) - y
    assert (depth > 0).all()
    assert len(particles) == pytest.approx(0.3 / 0.02**2, rel=0.02)
    assert np.allclose(particles.pressure, 9810 * depth, atol=0.01)


def test_columns_of_a_world_in_three_dimensions_end_below_a_gap():
    text = WAVE.replace('["L", 0.5]', '["L", 0.5, 0.2]').replace("[0, -9.81]", "[0, -9.81, 0]")
    text = text.replace('"y < h + a*cos(pi*x/L)"', '"(y < 0.2 + z/10 or y > 0.4) and x > 0.5"')
    particles = eddyline.Simulation(World.from_text(text), threads=1).particles
    x, y, z = particles.position.T
    top = np.where(y > 0.4, 0.5, 0.2 + z / 10)
    assert x.min() > 0.5
    assert np.allclose(particles.pressure, 9810 * (top - y), atol=0.01)


def test_what_is_expected_and_drawn_of_a_wave_follows_its_surface():
    world = World.from_text(WAVE)
    assert world.scales.max_speed == pytest.approx(np.sqrt(2 * 9.81 * 0.36), rel=0.01)
    (line,) = outlines(world.file.regions["water"], (0, 1), 0.001)
    on_surface = line[(line[:, 1] > 0.01) & (line[:, 0] > 0.01) & (line[:, 0] < 0.99)]
    assert len(on_surface) > 150
    assert np.allclose(on_surface[:, 1], 0.3 + 0.06 * np.cos(np.pi * on_surface[:, 0]), atol=1e-4)


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("y < 0.2 + 0.1*t", "is evaluated at t = 0 only. Write it without t."),
        ("0.2 - y", "must be a condition. Write e.g. y < 0.2."),
        ("y < -1", "is true nowhere in the domain. Change it."),
        ("y < hh", "unknown name `hh`"),
    ],
)
def test_a_condition_that_says_nothing_is_refused(inside: str, said: str):
    text = WAVE.replace("y < h + a*cos(pi*x/L)", inside)
    with pytest.raises(WorldError) as caught:
        World.from_text(text)
    assert said in str(caught.value)
    assert "regions.water.inside" in str(caught.value)


def test_bodies_take_no_formula():
    text = WAVE + '[bodies.hill]\nshape = "formula"\ninside = "y < 0.1"\n'
    with pytest.raises(WorldError, match=r"bodies\.hill\.shape"):
        World.from_text(text)
