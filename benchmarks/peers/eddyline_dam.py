"""The dam break in Eddyline. Run by run.py with its own Python."""

from __future__ import annotations

from case import GRAVITY, RHO0, SOUND_SPEED, TANK, Case, serve

import eddyline

case = Case.from_arguments()
wall = '{ type = "wall", slip = true }'
world = eddyline.World.from_text(f"""format = 1
title = "A dam break for comparison"
[domain]
size    = {list(TANK)}
spacing = {case.spacing!r}
gravity = [0, {-GRAVITY}]
[fluid]
density = {RHO0}
kinematic_viscosity = 1e-6
max_speed = {SOUND_SPEED / 10!r}
[regions.column]
shape = "rectangle"
min   = [0, 0]
max   = [1, 2]
pressure = "hydrostatic"
[boundaries]
left = {wall}
right = {wall}
bottom = {wall}
top = {{ type = "open" }}
[time]
end = 100.0
[method]
smoothing_ratio = {case.reach / 2}
""")
simulation = eddyline.Simulation(world, threads=1)
simulation.step()
serve(
    simulation.step,
    {
        "name": f"Eddyline {eddyline.__version__}, delta",
        "fluid": len(simulation.particles),
        "time_step": simulation.time_step,
    },
)
