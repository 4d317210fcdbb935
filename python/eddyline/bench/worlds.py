"""What is benchmarked, of about a given number of particles: a closed box that mixes, a dam break, and a
box of gas."""

from __future__ import annotations

from collections.abc import Callable

from eddyline.world import World

_BOX = """format = 1
title  = "A periodic box of vortices, from a disordered start"
[let]
k = "2*pi"
[domain]
size    = {size}
spacing = {spacing}
[fluid]
density = 1.0
kinematic_viscosity = 1e-4
max_speed = 1.0
[start]
arrangement = "jittered"
velocity    = {velocity}
[boundaries]
{sides}
[time]
end = 1000.0
"""

_DAM = """format = 1
title  = "A dam break"
[domain]
size    = {size}
spacing = {spacing}
gravity = {gravity}
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.column]
shape    = "{shape}"
min      = {low}
max      = {high}
pressure = "hydrostatic"
[boundaries]
{sides}
[time]
end = 1000.0
"""

_GAS = """format = 1
title  = "A periodic box of gas with a blast in the middle"
[domain]
size    = {size}
spacing = {spacing}
[fluid]
state   = "ideal_gas"
density = 1.0
[start]
pressure = "{pressure}"
[boundaries]
{sides}
[time]
end = 1000.0
[method]
scheme = "classic"
"""

_NAMES = ("left", "right", "bottom", "top", "front", "back")


def box(dimensions: int, particles: int, scheme: str = "delta") -> World:
    """A unit square or cube, periodic on all sides."""
    across = round(particles ** (1 / dimensions))
    velocity = {
        2: '["-cos(k*x)*sin(k*y)", "sin(k*x)*cos(k*y)"]',
        3: '["-cos(k*x)*sin(k*y)*cos(k*z)", "sin(k*x)*cos(k*y)*cos(k*z)", 0]',
    }[dimensions]
    sides = "\n".join(f'{name} = {{ type = "periodic" }}' for name in _NAMES[: 2 * dimensions])
    text = _BOX.format(size=[1.0] * dimensions, spacing=1 / across, velocity=velocity, sides=sides)
    return World.from_text(text, "box", {"method.scheme": scheme})


def dam(dimensions: int, particles: int, scheme: str = "delta") -> World:
    """A column as wide as deep and twice as high, in a tank of four times its width."""
    across = round((particles / 2) ** (1 / dimensions))
    kinds = {"top": '{ type = "open" }'}
    wall = '{ type = "wall", slip = true }'
    text = _DAM.format(
        size=[4.0, 3.0, 1.0][:dimensions],
        spacing=1 / across,
        gravity=[0.0, -9.81, 0.0][:dimensions],
        shape={2: "rectangle", 3: "box"}[dimensions],
        low=[0.0] * dimensions,
        high=[1.0, 2.0, 1.0][:dimensions],
        sides="\n".join(f"{name} = {kinds.get(name, wall)}" for name in _NAMES[: 2 * dimensions]),
    )
    return World.from_text(text, "dam", {"method.scheme": scheme})


def gas(dimensions: int, particles: int, scheme: str = "classic") -> World:
    """A unit square or cube of gas, periodic on all sides; it needs the scheme classic."""
    across = round(particles ** (1 / dimensions))
    middle = "+".join(f"({axis}-0.5)^2" for axis in "xyz"[:dimensions])
    sides = "\n".join(f'{name} = {{ type = "periodic" }}' for name in _NAMES[: 2 * dimensions])
    pressure = f"1 + 10*exp(-({middle})/0.01)"
    text = _GAS.format(size=[1.0] * dimensions, spacing=1 / across, pressure=pressure, sides=sides)
    return World.from_text(text, "gas", {"method.scheme": scheme})


CASES: dict[str, Callable[[int, int, str], World]] = {"box": box, "dam": dam, "gas": gas}
"""Worlds by name: (dimensions, particles, scheme) -> world."""
SCHEMES = ("delta", "classic")
