"""The highest speed of a world and the speed of sound, where the file does not say."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from eddyline.world import World

BOX = """\
format = 1
[domain]
size = [2.0, 1.0]
spacing = 0.02
@domain
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[time]
end = 3.0
"""


def scales_of(domain: str = "", add: str = "", nu: str = "1e-6") -> tuple[float, float, str]:
    world = World.from_text(BOX.replace("@domain", domain).replace("1e-6", nu) + add)
    scales = world.scales
    assert world.core.fluid.sound_speed == scales.sound_speed
    assert scales.mach == pytest.approx(scales.max_speed / scales.sound_speed)
    return scales.max_speed, scales.sound_speed, scales.reason


def test_given() -> None:
    text = BOX.replace("@domain", "")
    for key, value in (("max_speed", 3.0), ("sound_speed", 30.0)):
        world = World.from_text(text.replace("[fluid]", f"[fluid]\n{key} = {value}"))
        assert (world.scales.max_speed, world.scales.sound_speed) == (3.0, 30.0)
        assert f"fluid.{key}" in world.scales.reason


def test_start_velocity() -> None:
    highest, sound, reason = scales_of(add='[start]\nvelocity = ["3*y", "4*y"]\n')
    assert highest == pytest.approx(5, rel=0.01)
    assert sound == pytest.approx(10 * highest)
    assert "start.velocity" in reason


def test_gravity_and_the_height_of_the_fluid() -> None:
    highest, _, reason = scales_of("gravity = [0, -9.81]")
    assert highest == pytest.approx(math.sqrt(2 * 9.81 * 1.0))
    assert "gravity along y" in reason
    column = '[regions.a]\nshape = "rectangle"\nmin = [0, 0]\nmax = [0.5, 0.5]\n'
    drop = '[regions.b]\nshape = "circle"\ncenter = [1, 0.8]\ndiameter = 0.2\n'
    assert scales_of("gravity = [0, -9.81]", column)[0] == pytest.approx(math.sqrt(2 * 9.81 * 0.5))
    assert scales_of("gravity = [0, -9.81]", column + drop)[0] == pytest.approx(math.sqrt(2 * 9.81 * 0.9))


def test_a_drop_falls_to_the_floor_and_not_its_own_height() -> None:
    drop = '[regions.b]\nshape = "circle"\ncenter = [1, 0.8]\ndiameter = 0.2\n'
    assert scales_of("gravity = [0, -9.81]", drop)[0] == pytest.approx(math.sqrt(2 * 9.81 * 0.9))
    assert scales_of("gravity = [0, 9.81]", drop)[0] == pytest.approx(math.sqrt(2 * 9.81 * 0.3))


def test_what_swings_is_not_taken_to_rest() -> None:
    """Sixteen periods: at seventeen equal times it would be where it began."""
    swinging = '[boundaries]\ntop = { type = "wall", velocity = ["2*sin(2*pi*t*16/3)", 0] }\n'
    assert scales_of(add=swinging)[0] == pytest.approx(2, rel=0.001)


def test_moving_wall() -> None:
    moving = '[boundaries]\ntop = { type = "wall", velocity = ["2*sin(2*pi*t/3)", 0] }\n'
    assert scales_of(add=moving)[0] == pytest.approx(2, rel=0.02)


PERIODIC = '[boundaries]\nleft = { type = "periodic" }\nright = { type = "periodic" }\n'


def test_body_force_in_a_channel() -> None:
    """The steady laminar speed f L^2 / (8 nu), or what the run's time allows, whatever is less."""
    highest, _, reason = scales_of('body_force = ["0.1", 0]', PERIODIC, nu="0.05")
    assert highest == pytest.approx(0.1 * 1.0 / (8 * 0.05))
    assert "laminar" in reason
    highest, _, reason = scales_of('body_force = ["0.1", 0]', PERIODIC)
    assert highest == pytest.approx(0.1 * 3.0)
    assert "end of the run" in reason


def test_body_force_in_a_box() -> None:
    highest, _, reason = scales_of('body_force = ["0.1*y", 0]')
    assert highest == pytest.approx(math.sqrt(2 * 0.1 * 2.0), rel=0.01)
    assert "sqrt(2 f L)" in reason


def test_viscous_forces_govern() -> None:
    """Morris, Fox & Zhu 1997: 10 sqrt(nu U / L) where that is more than 10 U."""
    moving = PERIODIC + 'top = { type = "wall", velocity = [1e-3, 0] }\n'
    highest, sound, reason = scales_of(add=moving, nu="0.1")
    assert highest == 1e-3
    assert sound == pytest.approx(10 * math.sqrt(0.1 * 1e-3 / 1.0))
    assert "viscous forces govern" in reason


def test_openings_raise_the_pressure_and_leave_density_and_viscosity_as_they_are() -> None:
    """The core's density is that at no pressure; what is the same for both is the dynamic viscosity."""
    sides = 'left = { type = "inflow", velocity = "2.0" }\nright = { type = "outflow" }\n'
    world = World.from_text(BOX.replace("@domain", "") + "[boundaries]\n" + sides)
    core, scales = world.core.fluid, world.scales
    level = 1000.0 * scales.max_speed**2
    assert core.density + level / scales.sound_speed**2 == pytest.approx(1000.0)
    assert core.density < 999
    assert core.density * core.kinematic_viscosity == pytest.approx(1000.0 * 1e-6)


def test_the_fluid_decides_how_viscous_it_is() -> None:
    """Waves at Re 2500, 25 spacings deep, and flows without a free surface use the requested viscosity; dam
    breaks use a larger one."""
    wave = World.load(Path(__file__).parent.parent / "cases" / "standing_wave.toml", {"let.Re": 2500})
    assert wave.effective_viscosity == wave.file.fluid.nu
    channel = World.load("poiseuille", {"fluid.kinematic_viscosity": 1e-9})
    assert channel.effective_viscosity == pytest.approx(1e-9)
    water = World.load("dam_break")
    h, c0 = 2 * water.core.spacing, water.core.fluid.sound_speed
    assert water.effective_viscosity == pytest.approx(0.003 * h * c0 / 8, rel=0.05)
    classic = World.load("dam_break", {"method.scheme": "classic"})
    assert classic.core.method.artificial_viscosity == 0.01
