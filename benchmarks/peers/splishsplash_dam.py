"""The dam break in SPlisHSPlasH: WCSPH. Run by run.py with the Python of its own environment."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path

from case import GRAVITY, RHO0, SOUND_SPEED, TANK, Case

out = os.dup(1)  # it writes its log to the standard output
os.dup2(2, 1)
import pysplishsplash as sph  # noqa: E402

GAMMA = 7.0
ABOUT = {
    "name": f"SPlisHSPlasH {metadata.version('pysplishsplash')}, WCSPH",
    "differs": "single precision; neighbours found anew at every step; cubic spline, walls of Akinci et al.; "
    "no density diffusion, shifting or extrapolation",
}
case = Case.from_arguments()
if case.reach != 2:
    sys.exit("its interaction radius is always 2 spacings")
folder = tempfile.TemporaryDirectory()
(Path(folder.name) / "box.obj").write_text("""v -0.5 -0.5 -0.5
v 0.5 -0.5 -0.5
v 0.5 0.5 -0.5
v -0.5 0.5 -0.5
v -0.5 -0.5 0.5
v 0.5 -0.5 0.5
v 0.5 0.5 0.5
v -0.5 0.5 0.5
f 1 3 2
f 1 4 3
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 4 7 3
f 4 8 7
f 1 5 8
f 1 8 4
f 2 3 7
f 2 7 6
""")
half, depth = case.spacing / 2, 1.0
scene = {
    "Configuration": {
        "particleRadius": half, "sim2D": True, "pause": False, "stopAt": 1e9, "timeStepSize": case.dt,
        "cflMethod": 0, "simulationMethod": 0, "gravitation": [0, -GRAVITY, 0], "enableZSort": True,
        "density0": RHO0, "exponent": GAMMA, "stiffness": SOUND_SPEED**2 * RHO0 / GAMMA / RHO0,
        "boundaryHandlingMethod": 0,
    },
    "Materials": [{"id": "Fluid", "density0": RHO0, "viscosityMethod": 1, "viscosity": 0.01}],
    "RigidBodies": [
        {
            "geometryFile": "box.obj", "translation": [TANK[0] / 2, TANK[1] / 2, 0], "isWall": True,
            "rotationAxis": [1, 0, 0], "rotationAngle": 0, "scale": [*TANK, depth], "isDynamic": False,
        }
    ],
    "FluidBlocks": [{"denseMode": 0, "start": [-half, -half, -1.0], "end": [1 + half, 2 + half, 1.0]}],
}  # fmt: skip
path = Path(folder.name) / "scene.json"
path.write_text(json.dumps(scene))
base = sph.Exec.SimulatorBase()
base.init(
    sceneFile=str(path), useCache=False, outputDir=folder.name, initialPause=False, useGui=False, stopAt=1e9
)
base.initSimulation()
told = os.fdopen(out, "w")


def after_step() -> None:
    """The program has the loop: it stops here for the next line, with the clock standing."""
    global wanted, start
    wanted -= 1
    if wanted > 0:
        return
    if start is None:
        fluid = sph.Simulation.getCurrent().getFluidModel(0).numActiveParticles()
        print(json.dumps(ABOUT | {"fluid": fluid}), file=told, flush=True)
    else:
        print(json.dumps(time.process_time() - start), file=told, flush=True)
    line = sys.stdin.readline()
    if not line:
        os._exit(0)
    wanted, start = int(line), time.process_time()


wanted, start = 1, None
base.setTimeStepCB(after_step)
base.runSimulation()
