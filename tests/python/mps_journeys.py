"""Journeys of the solver mps: free surfaces, openings, bodies, and starts that settle around a body."""

from __future__ import annotations

import law_worlds
from journeys import Journey

AROUND_A_BODY = """format = 1
[domain]
size    = [1.2, 0.9]
spacing = 0.04
gravity = [0, -9.81]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 3.0
[start]
arrangement = "fitted"
settle      = 0.1
velocity    = ["0.4*sin(5*y)", "0"]
[regions.water]
shape    = "rectangle"
min      = [0, 0]
max      = [1.2, 0.72]
pressure = "hydrostatic"
[bodies.wheel]
shape    = "circle"
center   = [0.5, 0.35]
diameter = 0.3
motion   = { rotation = "4*t", displacement = ["0.1*t^2", "0"] }
[boundaries]
left   = { type = "wall" }
right  = { type = "wall", slip = true }
bottom = { type = "wall", slip = true }
top    = { type = "open" }
[time]
end = 1.0
[observe.level]
type     = "gauge"
position = [0.9, 0]
"""


def _by_mps(text: str) -> str:
    return f'{text}\n[method]\nname = "mps"\n'


JOURNEYS = {
    "mps-dam-2d": Journey(_by_mps(law_worlds.DAM_2D), 40, 0, 1.0),
    "mps-dam-3d": Journey(_by_mps(law_worlds.DAM_3D), 16, 0, 0.2),
    "mps-jets-2d": Journey(_by_mps(law_worlds.JETS_2D), 40, 0, 0.5),
    "mps-around-a-body": Journey(_by_mps(AROUND_A_BODY), 40, 0, 0.2),
}
