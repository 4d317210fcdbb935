"""Torque about a point that a world chooses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eddyline
from eddyline.world import World

STREAM = """format = 1
[domain]
size = [0.6, 0.4]
spacing = 0.02
[fluid]
density = 1000.0
kinematic_viscosity = 1e-3
max_speed = 2.0
[start]
velocity = [1.0, "0.3 - y"]
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
[bodies.flap]
shape = "rectangle"
center = [0.3, 0.2]
size = [0.06, 0.16]
MOTION
[output]
series = 5
snapshots = 0
pictures = 0
[time]
end = 0.05
[observe.own]
type = "torque"
body = "flap"
pivot = [0.3, 0.2]
[observe.hinge]
type = "torque"
body = "flap"
pivot = [0.3, 0.12]
[observe.far]
type = "torque"
body = "flap"
pivot = [-1.0, 2.0]
[[expect]]
quantity = "hinge.torque.final"
range = [-1e9, 1e9]
"""


@pytest.mark.parametrize(
    "motion", ["", '[bodies.flap.motion]\ndisplacement = ["0.2*t^2", 0]\nrotation = "t^2"']
)
def test_torque_about_any_point(tmp_path: Path, motion: str):
    world = World.from_text(STREAM.replace("MOTION", motion))
    run = eddyline.run(world, out=tmp_path / "run", threads=1, progress=False, movie=False, report=False)
    force = run.series("force.flap")
    assert np.abs(force["torque"]).max() > 0 and np.abs(force["total_x"]).max() > 0
    x = 0.3 + (0.2 * force["time"] ** 2 if motion else 0)
    for name, pivot in {"own": (0.3, 0.2), "hinge": (0.3, 0.12), "far": (-1.0, 2.0)}.items():
        found = run.series(name)
        expected = force["torque"] + (x - pivot[0]) * force["total_y"] - (0.2 - pivot[1]) * force["total_x"]
        assert found["torque"].to_numpy() == pytest.approx(expected.to_numpy(), rel=1e-9, abs=1e-9)
        assert found.attrs["units"]["torque"] == "N m/m"
    assert run.table()["inside"].all()
