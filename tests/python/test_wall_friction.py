"""Friction laws at walls: what a world may say, and what they do to the flow."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eddyline import _core
from eddyline.world import World, WorldError

SLAB = """\
format = 1
[domain]
size = [0.4, 0.4]
spacing = 0.02
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 2.0
[start]
velocity = [1, 0]
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
bottom = { type = "wall", friction = FRICTION }
top = { type = "wall", slip = true }
[method]
name = "SOLVER"
[time]
end = 0.2
"""


def world(solver: str, friction: str, **sets: object) -> World:
    text = SLAB.replace("FRICTION", friction).replace("SOLVER", solver)
    return World.from_text(text, overrides={key.replace("__", "."): value for key, value in sets.items()})


@pytest.mark.parametrize("solver", ["sph", "mps"])
def test_a_coefficient_takes_the_momentum_that_it_says(solver: str) -> None:
    """du/dt = -f u^2/dx in the layer at the wall, so 1/u grows by f t/dx there; elsewhere u stays."""
    simulation = _core.Simulation(world(solver, "0.05").core, threads=1)
    simulation.advance(0.05, 10**6, 60.0)
    x, v = simulation.field("fluid", "position"), simulation.field("fluid", "velocity")
    beside = x[:, 1] < 0.02
    assert v[beside, 0].mean() == pytest.approx(1 / (1 + 0.05 * simulation.time / 0.02), rel=0.02)
    assert v[x[:, 1] > 0.3, 0].mean() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("law", "per_sqrt"),
    [
        ('"log"', lambda r: math.log(0.01 / 1e-6 / r) / 0.41 + 5.0),
        ('"log", roughness = 1e-3', lambda r: math.log(30 * 0.01 / 1e-3) / 0.41),
    ],
)
def test_the_law_of_the_wall_holds_at_the_distance_of_the_particle(law: str, per_sqrt: object) -> None:
    ratio = 20.0
    for _ in range(60):
        ratio = per_sqrt(ratio)  # type: ignore[operator]
    simulation = _core.Simulation(world("mps", law).core, threads=1)
    simulation.advance(math.inf, 1, 60.0)
    x, v = simulation.field("fluid", "position"), simulation.field("fluid", "velocity")
    slowed = 1 - v[x[:, 1] < 0.02, 0].mean()
    assert slowed == pytest.approx(simulation.time / ratio**2 / 0.02, rel=0.02)


def test_a_body_with_friction_drags_the_fluid_along_and_bits_stay() -> None:
    text = (
        SLAB.replace("FRICTION", "0.01")
        .replace("SOLVER", "mps")
        .replace("velocity = [1, 0]", "velocity = [0, 0]")
    )
    text += """[bodies.wheel]
shape = "circle"
center = [0.2, 0.2]
diameter = 0.16
friction = 0.2
motion = { rotation = "20*t" }
"""
    runs = [
        _core.Simulation(World.from_text(text).core, **how)
        for how in ({"threads": 1}, {"boxes": 3, "threads": 2})
    ]
    for simulation in runs:
        simulation.advance(math.inf, 12, 60.0)
    x, v = runs[0].field("fluid", "position") - 0.2, runs[0].field("fluid", "velocity")
    near = np.hypot(x[:, 0], x[:, 1]) < 0.1
    assert (x[near, 0] * v[near, 1] - x[near, 1] * v[near, 0]).mean() > 1e-3
    assert runs[0].checksum() == runs[1].checksum()


@pytest.mark.parametrize(
    ("sets", "told"),
    [
        ({"boundaries__bottom__slip": True}, "slip = true and friction, which contradict"),
        ({"boundaries__bottom__roughness": 1e-3}, 'has roughness without friction = "log"'),
        ({"boundaries__bottom__friction": -1}, "boundaries.bottom.friction = -1"),
        ({"boundaries__bottom__friction": "manning"}, 'friction = "manning"; must be "log", a number, or a'),
        ({"boundaries__bottom__friction": "logg"}, 'Did you mean "log"?'),
        ({"boundaries__bottom__friction": "log", "fluid__kinematic_viscosity": 0}, "needs viscosity"),
        (
            {"boundaries__bottom": {"type": "wall", "friction": "log", "roughness": 9}},
            "roughness = 9 m; must be",
        ),
        ({"method__name": "multiblock"}, "the solver multiblock has no law of friction"),
        ({"method__scheme": "classic"}, 'method.scheme = "classic" has no law of friction'),
    ],
)
def test_what_a_world_may_not_say(sets: dict[str, object], told: str) -> None:
    with pytest.raises(WorldError) as error:
        world("sph", "0.01", **sets)
    assert any(told in problem.text for problem in error.value.problems), str(error.value)


def test_the_force_of_friction_is_in_the_series_of_the_wall_and_takes_the_momentum_of_the_fluid() -> None:
    simulation = _core.Simulation(world("mps", "0.05").core, threads=1, series_interval=1e-9)
    simulation.advance(math.inf, 12, 60.0)
    series = simulation.take_series()
    columns, _, force = series["force.bottom"]
    budget_columns, _, budget = series["budget"]
    rubbed = force[:, list(columns).index("viscous_x")]
    momentum = budget[:, list(budget_columns).index("momentum_x")]
    assert (rubbed[1:] > 0).all()
    assert rubbed[1:] * np.diff(budget[:, 0]) == pytest.approx(-np.diff(momentum), rel=3e-5)
