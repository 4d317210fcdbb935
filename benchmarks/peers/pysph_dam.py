"""The dam break in PySPH: WCSPHScheme. Run by run.py with the Python of its own environment."""

from __future__ import annotations

import contextlib
import sys
from importlib import metadata

from case import GRAVITY, RHO0, SOUND_SPEED, Case, serve
from compyle.config import get_config
from pysph.base.kernels import WendlandQuintic
from pysph.base.nnps import LinkedListNNPS
from pysph.base.utils import get_particle_array
from pysph.sph.scheme import WCSPHScheme

get_config().use_openmp = False
case = Case.from_arguments()
h = case.radius / 2  # the kernel ends at 2 h
arrays = []
for name, places in (("fluid", case.fluid()), ("boundary", case.walls())):
    array = get_particle_array(
        name=name, x=places[:, 0], y=places[:, 1], m=RHO0 * case.spacing**2, rho=RHO0, h=h
    )
    arrays.append(array)
scheme = WCSPHScheme(
    ["fluid"], ["boundary"], dim=2, rho0=RHO0, c0=SOUND_SPEED, h0=h, hdx=h / case.spacing, gy=-GRAVITY,
    alpha=0.1, beta=0.0, gamma=7.0,
)  # fmt: skip
with contextlib.redirect_stdout(sys.stderr):  # it tells of its compiler
    scheme.setup_properties(arrays)
    kernel = WendlandQuintic(dim=2)
    scheme.configure_solver(kernel=kernel, tf=1.0, dt=case.dt, adaptive_timestep=False, pfreq=10**9)
    solver = scheme.get_solver()
    nnps = LinkedListNNPS(dim=2, particles=arrays, radius_scale=kernel.radius_scale)
    solver.set_parallel_manager(None)
    solver.setup(particles=arrays, equations=scheme.get_equations(), nnps=nnps, kernel=kernel)
time = 0.0


def steps(count: int) -> None:
    """Predict, evaluate, correct: one evaluation a step."""
    global time
    for _ in range(count):
        solver.integrator.step(time, case.dt)
        time += case.dt


serve(
    steps,
    {
        "name": f"PySPH {metadata.version('pysph')}, WCSPHScheme",
        "fluid": arrays[0].get_number_of_particles(),
        "walls": arrays[1].get_number_of_particles(),
        "differs": "double precision; neighbours found anew at every step; Tait's equation, artificial "
        "viscosity, XSPH, walls with a density of their own; no density diffusion, shifting or extrapolation",
    },
)
