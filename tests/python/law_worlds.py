"""Small worlds for the tests of the law: walls, free surfaces, periodic sides, bodies, disordered starts."""

from __future__ import annotations

DAM_2D = """format = 1
[let]
a = 0.5
g = 9.81
x0 = 0.0
[domain]
origin  = ["x0", "x0"]
size    = ["4*a", "3*a"]
spacing = "a/12"
gravity = [0, "-g"]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.column]
shape    = "rectangle"
min      = ["x0", "x0"]
max      = ["x0 + a", "x0 + 2*a"]
pressure = "hydrostatic"
[boundaries]
left   = { type = "wall", slip = true }
right  = { type = "wall", slip = true }
bottom = { type = "wall" }
top    = { type = "open" }
[time]
end = 1.0
[observe.front]
type = "front"
[observe.impact]
type     = "probe"
position = ["x0 + 2*a", "x0 + a/10"]
[observe.level]
type     = "gauge"
position = ["x0 + a/2", "x0"]
"""

DAM_3D = """format = 1
[let]
a = 0.5
g = 9.81
[domain]
size    = ["4*a", "2.5*a", "a"]
spacing = "a/6"
gravity = [0, "-g", 0]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.column]
shape    = "box"
min      = [0, 0, 0]
max      = ["a", "2*a", "a"]
pressure = "hydrostatic"
[boundaries]
left   = { type = "wall", slip = true }
right  = { type = "wall", slip = true }
bottom = { type = "wall" }
top    = { type = "open" }
front  = { type = "wall", slip = true }
back   = { type = "wall" }
[bodies.post]
shape  = "box"
min    = ["2*a", 0, "0.3*a"]
max    = ["2.4*a", "0.8*a", "0.7*a"]
[time]
end = 1.0
[observe.front]
type = "front"
"""

STREAM_2D = """format = 1
[let]
W = 0.6
H = 0.4
D = 0.12
[reference]
velocity = 2.0
length   = "D"
[domain]
size       = ["W", "H"]
spacing    = "D/8"
body_force = ["1.0 + y", "0.2*sin(20*x + t)"]
[fluid]
density = 1.0
kinematic_viscosity = 5e-4
max_speed = 4.0
[start]
arrangement = "fitted"
velocity    = [2.0, 0]
[boundaries]
left   = { type = "periodic" }
right  = { type = "periodic" }
bottom = { type = "wall" }
top    = { type = "wall", velocity = [2.0, 0] }
[bodies.cylinder]
shape    = "circle"
center   = [0.3, "H/2"]
diameter = "D"
[time]
end = 1.0
"""

STREAM_3D = """format = 1
[let]
L = 1.0
[domain]
size       = ["L", "0.8*L", "L"]
spacing    = "L/12"
body_force = [1.0, 0, "0.5*cos(5*y)"]
[fluid]
density = 1.0
kinematic_viscosity = 2e-3
max_speed = 4.0
[start]
arrangement = "jittered"
velocity    = ["2 + sin(6.2831853*z)", 0, 1.5]
[boundaries]
left   = { type = "periodic" }
right  = { type = "periodic" }
bottom = { type = "wall" }
top    = { type = "wall", slip = true }
front  = { type = "periodic" }
back   = { type = "periodic" }
[bodies.ball]
shape    = "sphere"
center   = ["L/2", "0.4*L", "L/2"]
diameter = "0.4*L"
[time]
end = 1.0
"""

SETTLED_2D = """format = 1
[let]
H = 1.0
g = 9.81
[domain]
size    = ["H", "1.2*H"]
spacing = "H/24"
gravity = ["0.3*g", "-g"]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = "sqrt(g*H)"
[start]
arrangement = "jittered"
jitter      = 0.2
settle      = 0.1
velocity    = ["2*sin(7*y)", "x*y"]
[regions.water]
shape    = "rectangle"
min      = [0, 0]
max      = ["H", "H"]
pressure = "hydrostatic"
[boundaries]
left   = { type = "wall" }
right  = { type = "wall", slip = true }
bottom = { type = "wall", slip = true }
top    = { type = "open" }
[time]
end = 1.0
[observe.level]
type     = "gauge"
position = ["H/2", 0]
axis     = "y"
"""

VORTICES = """format = 1
[let]
x0 = 0.0
k  = "2*pi"
[domain]
origin  = ["x0", "x0"]
size    = [1.0, 1.0]
spacing = 0.04
[fluid]
density = 1.0
kinematic_viscosity = 0.002
max_speed = 1.0
[start]
arrangement = "jittered"
velocity    = ["-cos(k*(x - x0))*sin(k*(y - x0))", "sin(k*(x - x0))*cos(k*(y - x0))"]
[boundaries]
left   = { type = "periodic" }
right  = { type = "periodic" }
bottom = { type = "periodic" }
top    = { type = "periodic" }
[time]
end = 1.0
"""

GAS_2D = """format = 1
[domain]
size    = [1.0, 0.6]
spacing = 0.02
[fluid]
state   = "ideal_gas"
density = 1.0
[start]
velocity = [3, 0.3]
pressure = "1 + 3*exp(-((x-0.5)^2+(y-0.3)^2)/0.01)"
density  = "1 + 0.5*step(x-0.5)"
[boundaries]
left   = { type = "periodic" }
right  = { type = "periodic" }
bottom = { type = "wall", slip = true }
top    = { type = "wall" }
[bodies.post]
shape    = "circle"
center   = [0.2, 0.2]
diameter = 0.12
[time]
end = 1.0
[method]
scheme = "classic"
"""

GAS_3D = """format = 1
[domain]
size    = [0.8, 0.6, 0.5]
spacing = 0.05
[fluid]
state   = "ideal_gas"
density = 1.0
gamma   = 1.6667
kinematic_viscosity = 1e-3
[start]
velocity    = [2, 0.5, 0]
arrangement = "jittered"
pressure    = "1 + 3*exp(-((x-0.4)^2+(y-0.3)^2+(z-0.25)^2)/0.01)"
[boundaries]
left   = { type = "periodic" }
right  = { type = "periodic" }
bottom = { type = "wall", slip = true }
top    = { type = "wall" }
front  = { type = "wall", slip = true }
back   = { type = "wall", slip = true }
[time]
end = 1.0
[method]
scheme          = "classic"
smoothing_ratio = 1.5
"""


def by_classic(text: str, options: str = "") -> str:
    """The same world with the scheme classic."""
    return f'{text}\n[method]\nscheme = "classic"\n{options}\n'
