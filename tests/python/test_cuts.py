"""Pictures of a plane of a three-dimensional flow: which plane, what it shows, the same bits in any way."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import eddyline
from eddyline import _core
from eddyline.plot.scene import Scene
from eddyline.world import World
from eddyline.world.cuts import cut_of

DUCT = """format = 1
[let]
H = 0.4
[domain]
size = [0.6, "H", 0.3]
spacing = 0.05
[fluid]
density = 1.0
kinematic_viscosity = 0.005
max_speed = 4.0
[start]
velocity = ["1 + x", "y", "z"]
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
[bodies.ball]
shape = "sphere"
center = [0.3, "H/2", 0.14]
diameter = 0.2
[output]
pictures = 1
snapshots = 0
series = 2
[time]
end = 0.01
"""
POOL = '[regions.water]\nshape = "box"\nmin = [0, 0, 0]\nmax = [0.6, 0.2, 0.3]\n'


def cut(normal: str, at: str = "") -> str:
    return f'[output.cut]\nnormal = "{normal}"\n{at}\n'


@pytest.mark.parametrize(
    ("more", "axes", "at"),
    [
        ("", (0, 1, 2), 0.14),
        (cut("z", "at = 0.2"), (0, 1, 2), 0.2),
        (cut("y"), (0, 2, 1), 0.2),
        (cut("x"), (2, 1, 0), 0.3),
        (cut("none"), None, 0),
        (POOL, None, 0),
        (POOL + cut("z"), (0, 1, 2), 0.14),
    ],
)
def test_which_plane_pictures_show(more: str, axes: tuple[int, int, int] | None, at: float):
    found = cut_of(World.from_text(DUCT + more).file)
    assert (found and found.axes) == axes
    if found is not None:
        assert found.at == pytest.approx(at)


def test_the_plane_lies_along_the_longest_side():
    long = DUCT.replace('[0.6, "H", 0.3]', '[0.6, "H", 0.8]').replace("0.14]", "0.4]")
    found = cut_of(World.from_text(long).file)
    assert found is not None and found.axes == (2, 1, 0) and found.at == pytest.approx(0.3)


@pytest.fixture(scope="module")
def simulations() -> list[_core.Simulation]:
    core = World.from_text(DUCT.replace('"periodic"', '"wall"')).core
    return [_core.Simulation(core, threads=1), _core.Simulation(core, threads=2, boxes=3)]


@pytest.mark.parametrize("axes", [*itertools.permutations(range(3))])
def test_planes_along_any_axes_show_the_flow_that_is_there(
    simulations: list[_core.Simulation], axes: tuple[int, int, int]
):
    """Each velocity follows its own coordinate at the start, between walls and away from the ball."""
    low, high = np.array([0.05, 0.1, 0.06]), np.array([0.15, 0.3, 0.24])
    right, up, normal = axes
    names = ["velocity_x", "velocity_y", "velocity_z"]
    found = [each.rasters(names, (6, 5), tuple(low), tuple(high), axes) for each in simulations]
    assert found[0].tobytes() == found[1].tobytes()
    middles = [
        low[axis] + (np.arange(n) + 0.5) / n * (high[axis] - low[axis]) for axis, n in ((right, 5), (up, 6))
    ]
    expected = np.zeros((3, 6, 5))
    expected[right], expected[up], expected[normal] = middles[0], middles[1][:, None], low[normal]
    expected[0] += 1
    np.testing.assert_allclose(found[0], expected, atol=2e-3)


def test_axes_that_are_none_are_refused(simulations: list[_core.Simulation]):
    with pytest.raises(_core.UserError, match="axes must name 0, 1 and 2 once each"):
        simulations[0].rasters(["speed"], (2, 2), (0, 0, 0), (1, 1, 1), (0, 1, 1))


def test_a_section_of_a_body_is_its_outline():
    world = World.from_text(DUCT + cut("z", "at = 0.2"))
    scene = Scene.of(world)
    (line,) = scene.outlines
    radius = np.sqrt(0.1**2 - 0.06**2)
    assert np.hypot(*(line - [0.3, 0.2]).T) == pytest.approx(radius, rel=0.01)
    assert scene.corners == ((0, 0, 0.2), (0.6, 0.4, 0.2))
    assert [(side.name, side.kind) for side in scene.sides][:2] == [
        ("left", "periodic"),
        ("right", "periodic"),
    ]
    assert not Scene.of(World.from_text(DUCT + cut("z", "at = 0.28"))).outlines


def test_the_pictures_of_a_run_show_the_plane(tmp_path: Path):
    run = eddyline.run(
        World.from_text(DUCT), out=tmp_path / "run", threads=1, progress=False, movie=False, report=False
    )
    frames = run.frames()
    values = frames[0].values if hasattr(frames[0], "values") else np.asarray(frames[0])
    assert np.isnan(values).any() and np.nanmax(values) > 1
    picture = np.asarray(Image.open(run.picture).convert("RGB"))
    middle = picture[picture.shape[0] // 2 - 20 : picture.shape[0] // 2 + 20]
    assert (middle == [201, 205, 211]).all(axis=2).sum() > 500  # the ball
    (made,) = eddyline.export(run, "png", quantity="pressure", out=tmp_path / "out")
    assert made.is_file()
