"""Worlds that run in a moment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

DAM = """# A small dam break.
# Try: --set let.a=0.08
format = 1
title  = "Small dam"

[let]
a = 0.05                    # width of the column [m]
g = 9.81

[reference]
length   = "a"
velocity = "sqrt(2*g*a)"

[domain]
size    = ["4*a", "3*a"]
spacing = "a/8"
gravity = [0, "-g"]

[fluid]
density = 1000.0
kinematic_viscosity = 1e-6

[regions.column]
shape    = "rectangle"
min      = [0, 0]
max      = ["a", "2*a"]
pressure = "hydrostatic"

[bodies.post]
shape    = "circle"
center   = ["3*a", "a/2"]
diameter = "0.8*a"

[boundaries]
left   = { type = "wall", slip = true }
right  = { type = "wall", slip = true }
bottom = { type = "wall", slip = true }
top    = { type = "open" }

[time]
end = 0.1

[output]
pictures  = 5
snapshots = 3
series    = 50

[observe.front]
type = "front"
axis = "x"

[[expect]]
quantity = "front.position.final / a"
range    = [1.0, 3.9]
source   = "martin-moyce-1952"

[[expect]]
quantity = "budget.max_speed.max"
range    = [100, 200]
source   = "nobody, to be outside"
"""

BOX = """
format = 1
title  = "Small dam in 3D"

[domain]
size    = [0.2, 0.1, 0.1]
spacing = 0.0125
gravity = [0, -9.81, 0]

[fluid]
density = 1000.0
kinematic_viscosity = 1e-6

[regions.column]
shape    = "box"
min      = [0, 0, 0]
max      = [0.1, 0.1, 0.1]
pressure = "hydrostatic"

[bodies.post]
shape = "box"
min   = [0.15, 0, 0.04]
max   = [0.175, 0.08, 0.065]

[boundaries]
left   = { type = "wall", slip = true }
right  = { type = "wall", slip = true }
bottom = { type = "wall", slip = true }
top    = { type = "open" }
front  = { type = "wall", slip = true }
back   = { type = "wall", slip = true }

[time]
end = 0.02

[output]
pictures  = 2
snapshots = 1
"""


def boundaries(**sides: str) -> str:
    """The table of the sides by their kinds; "slip" is a wall without friction."""
    lines = ["[boundaries]"]
    for side, kind in sides.items():
        keys = 'type = "wall", slip = true' if kind == "slip" else f'type = "{kind}"'
        lines.append(f"{side} = {{ {keys} }}")
    return "\n".join(lines)


def tank(size: Sequence[float], water: Sequence[float], spacing: float, end: float, tables: str = "") -> str:
    """Water at rest in the lower left corner of a tank, in 2D or 3D.

    size, water: of the domain and of the water [m]; sides are walls unless further `tables` say otherwise.
    """
    return f"""format = 1
[domain]
size = {[*size]}
spacing = {spacing}
gravity = {[0, -9.81, 0][: len(size)]}
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.water]
shape = "{"rectangle" if len(size) == 2 else "box"}"
min = {[0] * len(size)}
max = {[*water]}
pressure = "hydrostatic"
[time]
end = {end}
{tables}"""


def write(folder: Path, text: str = DAM, name: str = "small") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path
