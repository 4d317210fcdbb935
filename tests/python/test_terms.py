"""Terms that a world states as formulas: what they do, that nothing in how they are computed changes a bit,
and what is wrong with them, told in one line."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ways import needs_ranks

from eddyline import _core
from eddyline.live import stream_pb2 as pb
from eddyline.live.steering import RefusedError, Steering
from eddyline.world import World, WorldError
from eddyline.world.terms import OF_PAIRS, OF_PARTICLES

DROP = """\
format = 1
[let]
a = 0.02
[domain]
size = [1.0, 1.0]
spacing = 0.05
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 1.0
[regions.drop]
shape = "rectangle"
min = [0.2, 0.25]
max = [0.75, 0.75]
[boundaries]
left = { type = "open" }
right = { type = "open" }
bottom = { type = "open" }
top = { type = "open" }
[start]
velocity = ["0.2*sin(9*y)", "0.2*cos(7*x)"]
arrangement = "jittered"
[[terms]]
name = "pull"
central = "-a*m_i*m_j*W*(1 - q)^2 + 40*min(vr, 0)*dW*V_i*V_j*exp(-q)"
[[terms]]
name = "swirl"
vector = ["-2000*V_i*V_j*ry*W*if(q < 0.5 and r > 0, 1, 0.3)", "2000*V_i*V_j*rx*W/(1 + 0.1*x^2)"]
[[terms]]
name = "turn"
particle = ["2*vy*(1 + 0.1*t)", "-2*vx"]
[time]
end = 1.0
"""
FLOW = """\
format = 1
[domain]
size = [1.0, 1.0]
spacing = 0.05
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 1.0
[start]
velocity = [0.5, 0]
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
bottom = { type = "periodic" }
top = { type = "periodic" }
[time]
end = 1.0
"""


def drop(**sets: Any) -> World:
    return World.from_text(DROP, overrides={key.replace("__", "."): value for key, value in sets.items()})


def bits(world: World, steps: int = 12, **how: Any) -> list[Any]:
    simulation = _core.Simulation(world.core, **how)
    simulation.advance(math.inf, steps, 60.0)
    return [
        simulation.checksum(),
        {n: rows.tobytes() for n, (_, _, rows) in simulation.take_series().items()},
    ]


@pytest.mark.parametrize("precision", ["single", "double"])
def test_nothing_that_changes_how_terms_are_computed_changes_a_bit(precision: str) -> None:
    world = drop(method__precision=precision)
    known = bits(world, instructions="scalar", threads=1)
    for instructions in _core.instruction_sets():
        assert bits(world, instructions=instructions, threads=2, boxes=3) == known


def test_a_run_that_is_resumed_has_the_same_bits() -> None:
    world = drop()
    whole, part, rest = (_core.Simulation(world.core, threads=1) for _ in range(3))
    whole.advance(math.inf, 20, 60.0)
    part.advance(math.inf, 9, 60.0)
    rest.restore(iter([part.save()]))
    rest.advance(math.inf, 20, 60.0)
    assert rest.checksum() == whole.checksum()


def test_values_of_let_in_terms_change_while_a_run_goes_on() -> None:
    world = drop()
    command = pb.Command(id="a", parameter=pb.Parameter(name="let.a", value="2*0.25"))

    def steered(commands: bool = True, **how: Any) -> int:
        simulation, steering = _core.Simulation(world.core, **how), Steering(world)
        simulation.advance(math.inf, 4, 60.0)
        if commands:
            planned = steering.plan(command, simulation.time)
            assert steering.apply(planned, simulation) == "let.a 0.5"
            assert steering.present().parameters[0].value == "0.5"
        simulation.advance(math.inf, 10, 60.0)
        return simulation.checksum()

    assert steered() != steered(commands=False)
    assert steered() == steered(threads=2, boxes=3) == steered(instructions="scalar")
    assert steered() == steered(threads=1, device="emulated")


def test_values_of_let_that_other_keys_use_cannot_change_during_a_run() -> None:
    text = DROP.replace("a = 0.02", 'a = 0.02\nb = "a/2"\nnu = 1e-6').replace("= 1e-6\nmax", '= "nu"\nmax')
    text = text.replace('"2*vy*(1 + 0.1*t)"', '"b*vy*(1 + nu*t)"')
    assert [each.name for each in Steering(World.from_text(text)).present().parameters] == ["let.a", "let.b"]
    refusal = Steering(World.from_text(FLOW)).abilities()["parameter"]
    assert refusal.startswith("this world has no parameters")
    with pytest.raises(
        RefusedError, match=r"'let\.nu' is not a parameter that can change; known: let\.a, let\.b"
    ):
        Steering(World.from_text(text)).plan(pb.Command(parameter=pb.Parameter(name="let.nu", value="1")), 0)


def test_a_module_of_terms_that_is_not_there_is_told_in_one_line() -> None:
    text = FLOW + '[[terms]]\nname = "a"\nmodule = "nowhere"\n'
    with pytest.raises(WorldError, match=r"there is no nowhere\.module\.so beside the world") as caught:
        World.from_text(text)
    assert "\n" not in str(caught.value)
    text = DROP.replace('name = "turn"', 'name = "turn"\nparameters = { a = 1 }')
    with pytest.raises(WorldError, match=r"terms\[2\]\.parameters\.a = 1; only modules have parameters"):
        World.from_text(text)


def velocities(text: str, steps: int = 1) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Time [s], places [m] and velocities [m/s] of all particles in the order of their ids."""
    simulation = _core.Simulation(World.from_text(text).core, threads=1)
    simulation.advance(math.inf, steps, 60.0)
    order = np.argsort(simulation.id)
    return simulation.time, simulation.position[order], simulation.velocity[order]


def test_a_force_of_pairs_is_the_sum_that_the_formula_says() -> None:
    """The reference is a sum over all pairs in double precision; the step is short for what changes in it."""
    text = DROP.split("[[terms]]")[0] + "[time]\nend = 1.0\n[method]\ncfl = 0.01\nshifting = false\n"
    formula = "1e-4*(W/1000 + dW/1e5 + r + q + vr + rx + vy + x)"
    formula += " + 1e-9*(p_i - p_j + rho_i + rho_j) + m_i*m_j*V_i*vx_j"
    term = f'[[terms]]\nname = "all"\nvector = ["{formula}", "2e-4*y"]\n'
    time, x, without = velocities(text)
    _, _, with_term = velocities(text + term)
    dx, radius = 0.05, 0.2
    r = x[:, None, :2] - x[None, :, :2]
    distance = np.sqrt((r**2).sum(axis=2))
    near = (distance < radius) & (distance > 0)
    q = distance / radius
    v = without[:, None, :2] - without[None, :, :2]
    sigma = 7 / math.pi
    kernel = sigma / radius**2 * (1 - q) ** 4 * (1 + 4 * q)
    slope = -20 * sigma / radius**3 * q * (1 - q) ** 3
    along = (v * r).sum(axis=2) / np.where(near, distance, 1)
    middle = 0.5 * (x[:, None] + x[None, :])
    mass = 1000 * dx**2
    fx = 1e-4 * (kernel / 1000 + slope / 1e5 + distance + q + along + r[..., 0] + v[..., 1] + middle[..., 0])
    fx += 1e-9 * 2000 + mass**2 * dx**2 * without[None, :, 0]
    force = np.stack([fx, 2e-4 * middle[..., 1]], axis=2) * near[..., None]
    expected = force.sum(axis=1) / mass
    found = (with_term - without)[:, :2] / time
    assert np.abs(found - expected).max() < 0.01 * np.abs(expected).max()


def test_opposite_forces_keep_the_momentum() -> None:
    text = DROP.split('[[terms]]\nname = "turn"')[0] + "[time]\nend = 1.0\n"
    simulation = _core.Simulation(World.from_text(text).core, threads=1)
    m = simulation.mass[:, None]
    before = (m * simulation.velocity).sum(axis=0)
    simulation.advance(math.inf, 40, 60.0)
    after, size = (m * simulation.velocity).sum(axis=0), (m * np.abs(simulation.velocity)).sum()
    assert np.abs(after - before).max() < 2e-6 * size


def test_drag_and_turning_follow_the_exact_solution() -> None:
    """u' = -k u + f v, v' = -k v - f u: a spiral."""
    term = '[[terms]]\nname = "spiral"\nparticle = ["-2*vx + 3*vy", "-2*vy - 3*vx"]\n'
    time, _, v = velocities(FLOW + term, steps=100)
    exact = 0.5 * math.exp(-2 * time) * np.array([math.cos(3 * time), -math.sin(3 * time)])
    assert time > 0.3 and np.abs(v[:, :2] - exact).max() < 0.01 * 0.5


@pytest.mark.parametrize(
    ("formula", "kept"),
    [
        ("m_i*m_j*W", True),
        ("-V_i*V_j*(p_i + p_j)*dW*(x + t)", True),
        ("m_i*V_j*W", False),
        ("m_i*m_j*W*rx", False),
    ],
)
def test_check_says_whether_momentum_is_kept(formula: str, kept: bool) -> None:
    text = FLOW + f'[[terms]]\nname = "push"\ncentral = "{formula}"\n'
    world = World.from_text(text)
    assert any("does not conserve momentum" in line for line in world.warnings) is not kept


@pytest.mark.parametrize(
    ("term", "line"),
    [
        ('central = "m_k*W"', 'terms[0].central = "m_k*W"; unknown name `m_k`'),
        ('central = "rz"', "unknown name `rz`"),
        ('central = "W/(q - q)"', "terms[0].central gives"),
        ('central = "s*W"\n[let]\ns = 2\nW = 1', "W is a variable of terms and a value of [let]. Rename"),
        ('particle = ["x", "t"]', "Write it as domain.body_force"),
        ('vector = ["W"]', "must be two numbers, as domain.size has two"),
        ('central = "W"\nvector = ["W", "W"]', "must have exactly one of: central, vector, particle"),
        ("", "has no formula; must have exactly one of"),
        ('centrl = "W"', 'Did you mean "central"'),
        ('central = "W"\n[method]\nscheme = "classic"', 'this world uses method.scheme = "classic"'),
        ('central = "W"\n[method]\nname = "mps"', "this world uses the solver mps"),
    ],
)
def test_what_is_wrong_with_a_term_is_told_in_one_line(term: str, line: str) -> None:
    text = FLOW + f'[[terms]]\nname = "push"\n{term}\n'
    with pytest.raises(WorldError) as caught:
        World.from_text(text)
    assert line in str(caught.value) and "\n" not in str(caught.value), str(caught.value)


def test_a_particle_too_light_for_single_precision_is_refused() -> None:
    text = FLOW.replace("spacing = 0.05", "spacing = 5e-9").replace("[1.0, 1.0]", "[1e-7, 1e-7]")
    text += '[[terms]]\nname = "push"\ncentral = "m_i*m_j*W"\n'
    with pytest.raises(WorldError, match=r'Write method\.precision = "double"'):
        World.from_text(text)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_devices_give_the_same_bits(precision: str) -> None:
    world = drop(method__precision=precision)
    assert _core.device_refusal(world.core) == ""
    assert bits(world, threads=1, device="emulated") == bits(world, threads=1)


def test_the_core_knows_the_variables_that_the_package_offers() -> None:
    world = World.from_text(FLOW + '[[terms]]\nname = "push"\ncentral = "W"\n')
    pairs = [name for name in OF_PAIRS if "z" not in name]
    world.core.options = world.core.options | {
        "terms.00.central.0": "+".join(OF_PAIRS),
        "terms.01.particle.0": "+".join(OF_PARTICLES),
    }
    _core.Simulation(world.core, threads=1)
    assert len(pairs) < len(OF_PAIRS)


@pytest.mark.matrix
@needs_ranks
def test_ranks_give_the_same_bits(tmp_path: Any) -> None:
    import subprocess
    import sys

    path = tmp_path / "drop.toml"
    path.write_text(DROP.replace("end = 1.0", "end = 0.3") + "[output]\npictures = 2\nsnapshots = 2\n")
    for name, how in (("alone", ()), ("shared", ("--ranks", "3")), ("lazy", ("--ranks", "2", "--lazy", "2"))):
        words = [sys.executable, "-m", "eddyline", "run", str(path), *how, "--out", str(tmp_path / name)]
        subprocess.run(words, check=True, capture_output=True, cwd=tmp_path)
    for name in ("shared", "lazy"):
        words = [sys.executable, "-m", "eddyline", "compare", str(tmp_path / "alone"), str(tmp_path / name)]
        same = subprocess.run(words, check=True, capture_output=True, text=True)
        assert "identical" in same.stdout
