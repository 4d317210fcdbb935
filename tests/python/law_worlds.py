"""Small worlds for the tests of the law: walls, free surfaces, periodic sides, bodies, disordered starts."""

from __future__ import annotations

from small_worlds import boundaries

DAM_2D = f"""format = 1
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
{boundaries(left="slip", right="slip", bottom="wall", top="open")}
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

DAM_3D = f"""format = 1
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
{boundaries(left="slip", right="slip", bottom="wall", top="open", front="slip", back="wall")}
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

STREAM_3D = f"""format = 1
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
{boundaries(left="periodic", right="periodic", bottom="wall", top="slip", front="periodic", back="periodic")}
[bodies.ball]
shape    = "sphere"
center   = ["L/2", "0.4*L", "L/2"]
diameter = "0.4*L"
[time]
end = 1.0
"""

SETTLED_2D = f"""format = 1
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
{boundaries(left="wall", right="slip", bottom="slip", top="open")}
[time]
end = 1.0
[observe.level]
type     = "gauge"
position = ["H/2", 0]
axis     = "y"
"""

VORTICES = f"""format = 1
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
{boundaries(left="periodic", right="periodic", bottom="periodic", top="periodic")}
[time]
end = 1.0
"""

CHANNEL_2D = """format = 1
[let]
H = 0.4
U = 1.5
[domain]
size    = ["3*H", "H"]
spacing = "H/16"
[fluid]
density = 1.0
kinematic_viscosity = 4e-3
max_speed = 2.5
[start]
velocity = ["U", "0.3*sin(9*x)"]
[boundaries]
left  = { type = "inflow", velocity = ["4*U*y*(H - y)/H^2*(1 + 0.3*sin(20*t))", "0.2*U*sin(12*y)"] }
right = { type = "outflow", pressure = "0.1*(y - H/2)" }
[bodies.cylinder]
shape    = "circle"
center   = ["2.5*H", "0.45*H"]
diameter = "0.4*H"
[time]
end = 1.0
[observe.wake]
type     = "probe"
position = ["2.9*H", "H/2"]
"""

FREE_STREAM_2D = """format = 1
[let]
D = 0.1
U = 1.5
stream = 0.25
[domain]
size    = ["7*D", "5*D"]
origin  = ["-3*D", "-2.5*D"]
spacing = "D/7"
[fluid]
density = 1.0
kinematic_viscosity = 4e-3
max_speed = 2.5
[start]
velocity = ["U", "0.3*sin(20*x)"]
[boundaries]
left   = { type = "stream", velocity = ["U", "stream"] }
right  = { type = "outflow" }
bottom = { type = "stream", velocity = ["U", "stream"] }
top    = { type = "stream", velocity = ["U", "stream"] }
[bodies.wheel]
shape    = "circle"
center   = [0, 0]
diameter = "D"
motion   = { displacement = ["-0.1*D*sin(9*t)", 0], rotation = "-30*t" }
[bodies.block]
shape    = "rectangle"
center   = ["D", "-D"]
size     = ["0.5*D", "0.3*D"]
[time]
end = 1.0
[observe.wake]
type     = "probe"
position = ["2*D", 0]
"""

CHANNEL_3D = """format = 1
[let]
H = 0.4
[domain]
size    = ["H", "H", "2*H"]
spacing = "H/11"
[fluid]
density = 1.0
kinematic_viscosity = 4e-3
max_speed = 2.0
[start]
arrangement = "jittered"
velocity    = [0, 0, -1]
[boundaries]
left   = { type = "periodic" }
right  = { type = "periodic" }
bottom = { type = "wall", slip = true }
top    = { type = "wall" }
front  = { type = "outflow" }
back   = { type = "inflow", velocity = "1 + 0.3*sin(2*pi*x/H)*cos(7*y)" }
[time]
end = 1.0
"""

JETS_2D = """format = 1
[domain]
size    = [1.2, 0.6]
spacing = 0.025
[fluid]
density = 1.0
kinematic_viscosity = 4e-3
max_speed = 2.0
[start]
arrangement = "jittered"
velocity    = ["0.5*sin(5*y)", 0]
[openings.jet]
type     = "inflow"
min      = [0, 0.3]
max      = [0, 0.45]
velocity = ["1.5*min(1, t/0.05)", -0.3]
[openings.nozzle]
type     = "inflow"
min      = [0.6, 0.2]
max      = [0.75, 0.2]
facing   = "top"
velocity = "1 + 0.5*sin(30*t)"
pressure = "4 + y"
[openings.drain]
type     = "outflow"
min      = [1.2, 0.2]
max      = [1.2, 0.5]
pressure = 3.0
[bodies.block]
shape = "rectangle"
min   = [0.5, 0]
max   = [0.85, 0.2]
[boundaries]
top = { type = "wall", slip = true }
[time]
end = 1.0
"""

GAS_2D = f"""format = 1
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
{boundaries(left="periodic", right="periodic", bottom="slip", top="wall")}
[bodies.post]
shape    = "circle"
center   = [0.2, 0.2]
diameter = 0.12
[time]
end = 1.0
[method]
scheme = "classic"
"""

GAS_3D = f"""format = 1
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
{boundaries(left="periodic", right="periodic", bottom="slip", top="wall", front="slip", back="slip")}
[time]
end = 1.0
[method]
scheme          = "classic"
smoothing_ratio = 1.5
"""


def by_classic(text: str, options: str = "") -> str:
    """The same world with the scheme classic."""
    return f'{text}\n[method]\nscheme = "classic"\n{options}\n'


MOVING_2D = """format = 1
[let]
W = 0.6
H = 0.4
[domain]
size       = ["W", "H"]
spacing    = "H/30"
body_force = [2.0, 0]
[fluid]
density = 1.0
kinematic_viscosity = 5e-4
max_speed = 4.0
[start]
velocity = [2.0, 0]
[boundaries]
left   = { type = "periodic" }
right  = { type = "periodic" }
bottom = { type = "wall" }
top    = { type = "wall", velocity = ["2 + sin(9*t)", 0] }
[bodies.swing]
shape    = "circle"
center   = [0.2, 0.15]
diameter = 0.1
motion   = { displacement = ["0.03*sin(20*t)", "0.08*(1 - cos(11*t))/2"] }
[bodies.paddle]
shape  = "rectangle"
center = [0.42, 0.2]
size   = [0.14, 0.05]
motion = { displacement = [0, "-0.03*sin(15*t)"], rotation = "25*t^2/(0.1 + t)", pivot = [0.44, 0.2] }
[time]
end = 1.0
"""

MOVING_3D = f"""format = 1
[let]
L = 1.0
[domain]
size    = ["L", "0.8*L", "0.8*L"]
spacing = "L/14"
gravity = [0, -2, 0]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-3
max_speed = 3.0
[regions.water]
shape    = "box"
min      = [0, 0, 0]
max      = ["L", "0.65*L", "0.8*L"]
pressure = "hydrostatic"
{boundaries(left="periodic", right="periodic", bottom="wall", top="open", front="slip", back="wall")}
[bodies.blade]
shape  = "box"
min    = ["0.3*L", "0.25*L", "0.3*L"]
max    = ["0.7*L", "0.4*L", "0.5*L"]
[bodies.blade.motion]
displacement = ["0.1*sin(6*t)", 0, 0]
rotation     = "9*t"
axis         = [0.2, 1, 0.3]
[time]
end = 1.0
"""

MOVING_CHANNEL = CHANNEL_2D.replace(
    'diameter = "0.4*H"',
    """diameter = "0.4*H"
motion   = { displacement = ["-0.1*H*sin(9*t)", "0.04*H*t*sin(30*t)"], rotation = "5*t" }""",
)
