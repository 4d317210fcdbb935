"""Worlds of benchmarks, with about a given number of particles: a closed box that mixes, a dam break, a
channel with an inflow, a box of gas; and worlds that are awkward for cells and lists: a thin jet, everything
in one corner, a splash."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from eddyline import _core
from eddyline.world import World, WorldError

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

_CHANNEL = """format = 1
title  = "A channel with a body in it"
[let]
U = 1.0
H = 0.41
[domain]
size    = {size}
spacing = {spacing}
[fluid]
density = 1.0
kinematic_viscosity = 1e-3
[start]
velocity = {velocity}
[boundaries]
left  = {{ type = "inflow", velocity = {velocity} }}
right = {{ type = "outflow" }}
{sides}
[bodies.post]
shape    = "{shape}"
center   = {center}
diameter = 0.1
[time]
end = 1000.0
"""

_EMPTY = """format = 1
title  = "{title}"
[domain]
size    = {size}
spacing = {spacing}
gravity = {gravity}
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 4.0
[start]
velocity = {velocity}
{regions}
[boundaries]
{sides}
[time]
end = 1000.0
"""

_REGION = """[regions.{name}]
shape = "{shape}"
{keys}"""


def box(dimensions: int, particles: int, scheme: str = "delta") -> World:
    """A unit square or cube, periodic on all sides."""
    across = round(particles ** (1 / dimensions))
    velocity = {
        2: '["-cos(k*x)*sin(k*y)", "sin(k*x)*cos(k*y)"]',
        3: '["-cos(k*x)*sin(k*y)*cos(k*z)", "sin(k*x)*cos(k*y)*cos(k*z)", 0]',
    }[dimensions]
    sides = _sides(dimensions, {}, "periodic")
    text = _BOX.format(size=[1.0] * dimensions, spacing=1 / across, velocity=velocity, sides=sides)
    return World.from_text(text, "box", {"method.scheme": scheme})


def dam(dimensions: int, particles: int, scheme: str = "delta") -> World:
    """A column as wide as deep and twice as high, in a tank of four times its width."""
    across = round((particles / 2) ** (1 / dimensions))
    text = _DAM.format(
        size=[4.0, 3.0, 1.0][:dimensions],
        spacing=1 / across,
        gravity=[0.0, -9.81, 0.0][:dimensions],
        shape={2: "rectangle", 3: "box"}[dimensions],
        low=[0.0] * dimensions,
        high=[1.0, 2.0, 1.0][:dimensions],
        sides=_sides(dimensions, {"top": "open"}, "wall"),
    )
    return World.from_text(text, "dam", {"method.scheme": scheme})


def gas(dimensions: int, particles: int, scheme: str = "classic") -> World:
    """A unit square or cube of gas, periodic on all sides; it needs the scheme classic."""
    across = round(particles ** (1 / dimensions))
    middle = "+".join(f"({axis}-0.5)^2" for axis in "xyz"[:dimensions])
    sides = _sides(dimensions, {}, "periodic")
    pressure = f"1 + 10*exp(-({middle})/0.01)"
    text = _GAS.format(size=[1.0] * dimensions, spacing=1 / across, pressure=pressure, sides=sides)
    return World.from_text(text, "gas", {"method.scheme": scheme})


def channel(dimensions: int, particles: int, scheme: str = "delta") -> World:
    """A channel with an inflow, an outflow and a cylinder (3D: a sphere) in it."""
    size = [2.2, 0.41, 0.41][:dimensions]
    volume = math.prod(size) - {2: math.pi / 4, 3: math.pi / 6}[dimensions] * 0.1**dimensions
    profile = {2: "6*U*y*(H-y)/H^2", 3: "36*U*y*(H-y)*z*(H-z)/H^4"}[dimensions]
    text = _CHANNEL.format(
        size=size,
        spacing=(volume / particles) ** (1 / dimensions),
        velocity=[profile, "0", "0"][:dimensions],
        sides="\n".join(f'{name} = {{ type = "wall" }}' for name in _core.SIDES[2 : 2 * dimensions]),
        shape={2: "circle", 3: "sphere"}[dimensions],
        center=[0.2, 0.2, 0.2][:dimensions],
    )
    return World.from_text(text, "channel", {"method.scheme": scheme})


def jet(dimensions: int, particles: int, scheme: str = "delta") -> World:
    """A thin jet across an empty domain, as high and deep as the jet is long: a hundred times its width (3D:
    twenty times). One cell in a hundred (3D: four hundred) has anything in it."""
    slender = {2: 100, 3: 20}[dimensions]
    across = round((particles / slender) ** (1 / dimensions))
    low, high = (0.5 * (slender - 1), 0.5 * (slender + 1))
    text = _EMPTY.format(
        title="A jet in an empty domain",
        size=[float(slender)] * dimensions,
        spacing=1 / across,
        gravity=[0.0] * dimensions,
        velocity=[f"0.5 + 0.5*cos(2*pi*x/{slender})", f"0.1*sin(2*pi*x/{slender})", "0"][:dimensions],
        regions=_block("jet", [0.0, low, low][:dimensions], [slender, high, high][:dimensions]),
        sides=_sides(dimensions, {}, "open"),
    )
    return World.from_text(text, "jet", {"method.scheme": scheme})


def corner(dimensions: int, particles: int, scheme: str = "delta") -> World:
    """A column of water in the corner of a domain ten times as wide and as high (3D: four times)."""
    wide = {2: 10.0, 3: 4.0}[dimensions]
    across = round((particles / 2) ** (1 / dimensions))
    text = _EMPTY.format(
        title="Everything in one corner",
        size=[wide] * dimensions,
        spacing=1 / across,
        gravity=[0.0, -9.81, 0.0][:dimensions],
        velocity=["0", "0", "0"][:dimensions],
        regions=_block("column", [0.0] * dimensions, [1.0, 2.0, 1.0][:dimensions]),
        sides=_sides(dimensions, dict.fromkeys(("left", "bottom", "front"), "wall"), "open"),
    )
    return World.from_text(text, "corner", {"method.scheme": scheme})


def splash(dimensions: int, particles: int, scheme: str = "delta") -> World:
    """Drops of all sizes, a single particle the smallest, above a pool with as many particles as they."""
    counts = {2: (12, 8), 3: (5, 4, 5)}[dimensions]
    shares = [(k + 0.5) / 20 for k in range(20)]  # of the logarithm of the largest diameter
    largest = 2.0  # in spacings
    while _drop(dimensions, largest, shares) * math.prod(counts) < 0.5 * particles:
        largest *= 1.02
    pitch = largest + 6.0  # farther from drop to drop than any particle looks
    size = [count * pitch for count in counts]
    depth = 0.5 * particles * size[1] / math.prod(size)
    size[1] += depth
    draw = random.Random(1)
    regions = [_block("pool", [0.0] * dimensions, [depth if d == 1 else size[d] for d in range(dimensions)])]
    for number, place in enumerate(itertools.product(*map(range, counts))):
        middle = [(k + 0.5) * pitch + (depth if d == 1 else 0.0) for d, k in enumerate(place)]
        on_lattice = [int(x) + 0.5 for x in middle]
        diameter = largest ** draw.choice(shares)
        keys = f"center = {on_lattice}\ndiameter = {diameter!r}"
        shape = {2: "circle", 3: "sphere"}[dimensions]
        regions.append(_REGION.format(name=f"drop_{number}", shape=shape, keys=keys))
    text = _EMPTY.format(
        title="A splash",
        size=size,
        spacing=1.0,
        gravity=[0.0, -0.01, 0.0][:dimensions],
        velocity=[f"if(y > {depth}, x/1000, 0)", f"if(y > {depth}, -1 + y/1000, 0)", "0"][:dimensions],
        regions="\n".join(regions),
        sides=_sides(dimensions, {"top": "open"}, "wall"),
    )
    return World.from_text(text, "splash", {"method.scheme": scheme})


def _drop(dimensions: int, largest: float, shares: list[float]) -> float:
    """Mean number of particles of a drop."""
    unit = {2: 0.785, 3: 0.524}[dimensions]
    counts = [max(1.0, unit * math.pow(largest, share * dimensions)) for share in shares]
    return sum(counts) / len(counts)


def _block(name: str, low: Sequence[float], high: Sequence[float]) -> str:
    shape = {2: "rectangle", 3: "box"}[len(low)]
    return _REGION.format(name=name, shape=shape, keys=f"min = {list(low)}\nmax = {list(high)}")


def _sides(dimensions: int, kinds: Mapping[str, str], others: str) -> str:
    """Slip walls, open and periodic sides."""

    def side(kind: str) -> str:
        return f'{{ type = "{kind}"{", slip = true" if kind == "wall" else ""} }}'

    return "\n".join(f"{name} = {side(kinds.get(name, others))}" for name in _core.SIDES[: 2 * dimensions])


CASES: dict[str, Callable[[int, int, str], World]] = {
    "box": box, "dam": dam, "channel": channel, "gas": gas, "jet": jet, "corner": corner, "splash": splash,
}  # fmt: skip
"""Worlds by name: (dimensions, particles, scheme) -> world."""
SCHEMES = ("delta", "classic")


class SizeError(ValueError):
    """So many particles make no world."""


def make(case: str, dimensions: int, particles: int, scheme: str) -> World:
    """A world of CASES. Raises SizeError: with how many would be enough, or what is too much."""
    try:
        return CASES[case](dimensions, particles, scheme)
    except (WorldError, ZeroDivisionError) as error:
        for enough in _rising(particles):
            if _can_be(case, dimensions, enough, scheme):
                raise SizeError(
                    f"{particles}: too few particles for a {case} in {dimensions}D. Try {enough}."
                ) from None
        raise SizeError(f"{particles}: no {case} in {dimensions}D. {error}") from None


def _rising(particles: int) -> Iterator[int]:
    """Round numbers above it, not above a million."""
    for power in range(len(str(particles)) - 1, 6):
        yield from (n for n in (10**power, 2 * 10**power, 5 * 10**power) if n > particles)


def _can_be(case: str, dimensions: int, particles: int, scheme: str) -> bool:
    try:
        CASES[case](dimensions, particles, scheme)
    except (WorldError, ZeroDivisionError):
        return False
    return True


def only_scheme(case: str) -> str | None:
    """The scheme of a case that knows no other."""
    return {"gas": "classic", "channel": "delta"}.get(case)
