"""Formulas as Python sees them."""

import math

import numpy as np
import pytest

from eddyline import _core
from eddyline.world import World, WorldError


def test_scalars_give_a_float() -> None:
    formula = _core.Formula("6*U*y*(H-y)/H^2", ["y", "U", "H"])
    value = formula.evaluate({"y": 1, "U": 2.0, "H": np.float64(4)})
    assert isinstance(value, float)
    assert value == 6 * 2 * 1 * 3 / 16
    assert formula.text == "6*U*y*(H-y)/H^2"
    assert not formula.is_constant
    assert formula.used_variables == ["y", "U", "H"]


def test_constants_need_no_values() -> None:
    formula = _core.Formula("2*pi")
    assert formula.is_constant
    assert formula.used_variables == []
    assert formula.evaluate({}) == 2 * math.pi


def test_arrays_have_the_bits_of_scalars() -> None:
    formula = _core.Formula("sin(3*x)*exp(-y^2) + t", ("x", "y", "z", "t"))
    x = np.linspace(-5, 5, 101)
    values = formula.evaluate({"x": x, "y": 0.3, "t": 1})
    assert isinstance(values, np.ndarray)
    assert values.dtype == np.float64
    assert values.shape == (101,)
    assert [formula.evaluate({"x": float(a), "y": 0.3, "t": 1.0}) for a in x] == values.tolist()
    assert np.allclose(values, np.sin(3 * x) * np.exp(-0.09) + 1, rtol=1e-14, atol=1e-14)


def test_arrays_broadcast() -> None:
    formula = _core.Formula("x - y", ["x", "y"])
    x, y = np.arange(3.0), np.arange(4)[:, np.newaxis]
    assert np.array_equal(formula.evaluate({"x": x, "y": y}), x - y)
    assert np.array_equal(formula.evaluate({"x": x[::-1], "y": 1}), x[::-1] - 1)
    assert formula.evaluate({"x": np.zeros((0, 3)), "y": 1.0}).shape == (0, 3)
    with pytest.raises(ValueError, match="broadcast"):
        formula.evaluate({"x": np.zeros(3), "y": np.zeros(4)})


def test_only_the_values_in_use_are_asked_for() -> None:
    formula = _core.Formula("2*b", ["a", "b"])
    assert formula.evaluate({"b": 3, "c": np.zeros(5)}) == 6
    with pytest.raises(_core.UserError, match="no value for `b`"):
        formula.evaluate({"a": 3})


def test_mistakes_are_user_errors() -> None:
    assert issubclass(_core.UserError, RuntimeError)
    with pytest.raises(_core.UserError, match=r"column 3 of `2\*Rr`: unknown name `Rr`; did you mean `R`\?"):
        _core.Formula("2*Rr", ["R"])
    with pytest.raises(_core.UserError, match="empty formula"):
        _core.Formula("")


def test_fields_of_a_world_take_x_y_z_and_t() -> None:
    world = _core.World()
    assert [f.text for f in world.body_force] == ["0", "0", "0"]
    world.body_force = [_core.Formula("sin(t)", ["t"]), _core.Formula("2"), _core.Formula("0")]
    assert world.body_force[0].evaluate({"t": 0.5}) == _core.Formula("sin(0.5)").evaluate({})
    with pytest.raises(_core.UserError, match="unknown name `U`"):
        world.body_force = [_core.Formula("U", ["U"])] * 3
    with pytest.raises(_core.UserError, match="three formulas are needed"):
        world.body_force = [_core.Formula("0")]
    world.sides[2].velocity = [_core.Formula("y", ("x", "y", "z", "t"))] * 3
    assert [f.text for f in world.sides[2].velocity] == ["y", "y", "y"]
    assert world.sides[3].velocity[0].is_constant


def test_parts_of_a_world_are_set_in_place_or_whole() -> None:
    world = _core.World()
    world.sides[1].kind = "periodic"
    world.sides[1].slip = True
    assert [side.kind for side in world.sides] == ["wall", "periodic", "wall", "wall", "wall", "wall"]
    assert world.sides[1].slip
    with pytest.raises(_core.UserError, match="kind = porous; must be one of wall, periodic, open"):
        world.sides[0].kind = "porous"
    world.fluid.density = 1.5
    world.start.pressure_start = "hydrostatic"
    world.method.cfl = 0.5
    assert (world.fluid.density, world.start.pressure_start, world.method.cfl) == (1.5, "hydrostatic", 0.5)
    world.gravity = (0, -9.81, 0)
    assert world.gravity == (0.0, -9.81, 0.0)
    body = _core.Body()
    assert body.shape is None
    body.name, body.shape = "cylinder", _core.circle((0.2, 0.2, 0), 0.1)
    world.bodies = [body]
    assert world.bodies[0].name == "cylinder"
    assert world.bodies[0].shape.volume == pytest.approx(math.pi * 0.05**2)
    world.probes = [_core.Probe("a", (1, 2, 0))]
    assert world.probes[0].position == (1.0, 2.0, 0.0)
    with pytest.raises(_core.UserError, match="axis = 3"):
        _core.Front("a", 3)


def test_shapes() -> None:
    shape = _core.circle((0, 0, 0), 2)
    distance = shape.signed_distance(np.array([[0.0, 0, 0], [2, 0, 5]]))
    assert distance.tolist() == [-1, 1]
    assert shape.bounds == ((-1, -1, 0), (1, 1, 0))
    assert shape.dimensions == 2
    positions, volumes = shape.layers(0.1, 100)
    assert positions.shape == (len(volumes), 3)
    assert volumes.sum() == pytest.approx(shape.volume, rel=1e-12)
    outside, _ = shape.layers(0.1, 1, inside=False)
    assert np.allclose(shape.signed_distance(outside), 0.05)
    (loop,) = shape.outline(1e-3)
    assert loop.shape[1] == 3
    for wrong in (lambda: _core.circle((0, 0, 0), -0.1), lambda: _core.sphere((0, 0, 0), 1).outline(0.1)):
        with pytest.raises(_core.UserError):
            wrong()


FOURIER = """format = 1
[let]
n = 3
[domain]
size = [1.0, 1.0]
spacing = 0.05
[fluid]
density = 1.0
kinematic_viscosity = 0.01
max_speed = 2.0
[start]
velocity = ["n*sum(k, 1, 20, sin(k*pi*y)/k^2)", 0]
[time]
end = 0.1
"""


def test_sums_in_a_world() -> None:
    world = World.from_text(FOURIER)
    velocity = world.core.start.velocity[0]
    y = np.array([0.25, 0.5])
    expected = 3 * sum(np.sin(k * np.pi * y) / k**2 for k in range(1, 21))
    assert velocity.evaluate({"x": 0.0, "y": y, "z": 0.0, "t": 0.0}) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("velocity", "told"),
    [
        ("sum(n, 1, 3, n)", "n is a value of [let]; use another name for the index of the sum"),
        ("sum(k, 1, n, k)", "the bounds of a sum must be whole numbers"),
        ("sum(k, 1, 2000, sin(k*y))", "may have 1000 terms in all, found 2000; lower the bounds"),
        ("sum(y, 1, 3, y)", "`y` is already in use"),
        ("sum(k, 1, 3, m*k)", "unknown name `m`"),
    ],
)
def test_mistakes_in_sums_are_reported(velocity: str, told: str) -> None:
    with pytest.raises(WorldError) as error:
        World.from_text(FOURIER.replace("n*sum(k, 1, 20, sin(k*pi*y)/k^2)", velocity))
    (line,) = str(error.value).splitlines()
    assert line.startswith("world.toml:12: start.velocity[0]") and told in line


def test_a_value_of_let_cannot_be_called_sum() -> None:
    with pytest.raises(WorldError, match="sum = 1; is a name reserved for formulas"):
        World.from_text(FOURIER.replace("n = 3", "n = 3\nsum = 1"))
