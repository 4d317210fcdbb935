"""Wings: closed surfaces of triangles, C-H meshes, and a gas that lifts."""

from __future__ import annotations

import math
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from eddyline import _core
from eddyline.mesh.quality import check_folds
from eddyline.world import World, WorldError
from eddyline.world.meshes import make
from eddyline.world.shapes import Wing

ROOT = Path(__file__).resolve().parents[2]
WORLD = """
format = 1
domain = { origin = [-1, -1, 0], size = [4, 2, 3], spacing = 0.1 }
fluid = { state = "ideal_gas", density = 1.0 }
start = { pressure = "1/1.4", velocity = [0.6, 0.03, 0] }
time = { end = 40 }
output = { pictures = 0, snapshots = 0 }
mesh = { cells = [32, 8, 8], far_field = 8, stretching = 1.4 }
method = { name = "multiblock", steady = true, time_step = 1 }
[boundaries]
left = { type = "stream", velocity = [0.6, 0.03, 0] }
bottom = { type = "stream", velocity = [0.6, 0.03, 0] }
top = { type = "stream", velocity = [0.6, 0.03, 0] }
back = { type = "stream", velocity = [0.6, 0.03, 0] }
right = { type = "outflow" }
front = { type = "wall", slip = true }
[bodies.wing]
shape = "wing"
slip = true
stations = [{ nose = [0, 0, 0], chord = 1, digits = "0012" }, { nose = [0.5, 0, 2], chord = 0.5, angle = -1 }]
"""

BALL = '[bodies.ball]\nshape = "sphere"\ncenter = [2, 0.5, 1]\ndiameter = 0.2\n'
BACK = 'back = { type = "stream", velocity = [0.6, 0.03, 0] }'
METHOD = 'method = { name = "multiblock", steady = true, time_step = 1 }'


def _world(*changes: tuple[str, str]) -> World:
    text = WORLD
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return World.from_text(text)


def _cube() -> tuple[np.ndarray, list[tuple[int, int, int]]]:
    """A unit cube: corner n has the bits of its x, y, z."""
    points = np.array([[n & 1, n >> 1 & 1, n >> 2 & 1] for n in range(8)], dtype=float)
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return points, [each for a, b, c, d in faces for each in ((a, b, c), (a, c, d))]


def test_a_surface_of_triangles_is_as_far_as_the_box() -> None:
    points, triangles = _cube()
    surface = _core.triangulated(points, triangles)
    box = _core.box((0, 0, 0), (1, 1, 1))
    places = np.random.default_rng(1).uniform(-1, 2, (2000, 3))
    assert np.abs(surface.signed_distance(places) - box.signed_distance(places)).max() < 1e-14
    assert surface.volume == pytest.approx(1) and surface.bounds == box.bounds
    with pytest.raises(_core.UserError, match="not closed at the edge"):
        _core.triangulated(points, triangles[1:])
    with pytest.raises(_core.UserError, match="turned inwards"):
        _core.triangulated(points, [(a, c, b) for a, b, c in triangles])


def test_the_surface_of_a_wing_lies_on_its_sections() -> None:
    body = _world().file.bodies["wing"]
    assert isinstance(body, Wing)
    wing = body.surface
    for z in (0.0, 0.7, 1.9):
        section = wing.at(z)
        local = np.concatenate([section.upper, section.lower])
        plane = section.nose + (section.edge - section.nose) * local
        places = np.stack([plane.real, plane.imag, np.full(len(plane), z)], axis=1)
        assert np.abs(body.core_shape.signed_distance(places)).max() < 2e-3 * abs(section.edge - section.nose)
    assert abs(wing.at(1.0).edge - wing.at(1.0).nose) == pytest.approx(0.75, rel=1e-3)
    assert wing.at(2 + wing.cap).share == 0 and wing.cap == pytest.approx(0.03, rel=0.01)
    inside = body.core_shape.signed_distance(np.array([[0.4, 0, 0.1], [0.4, 0, -0.1], [0.4, 0.2, 0.1]]))
    assert inside[0] < 0 and inside[1] == pytest.approx(0.1) and inside[2] > 0.1


def test_the_mesh_of_a_wing_fits() -> None:
    """No cell is folded, cells at the wing are its own, and the two sides are linked elsewhere."""
    mesh = make(_world().file)
    check_folds(mesh)
    (patch,) = mesh.patches("wing")
    assert patch.axis == 1 and patch.low[2] == 0 and patch.size == 32 * 6  # on the wing and its tip
    layers = mesh.blocks[0].nodes[0, 0, :, 2]
    assert layers[0] == 0 and all(a < b for a, b in pairwise(layers.tolist()))
    assert set(mesh.boundary_names) == {"far", "wing", "front"}


@pytest.mark.parametrize("layers", [24, 40])
def test_many_layers_of_a_wing_coarsen_three_times(layers: int) -> None:
    """The end of its tip lies between cells of the third coarser level of multigrid too."""
    mesh = make(_world(("[32, 8, 8]", f"[32, 8, {layers}]")).file)
    ends = [each.patch.high[k] for each in (*mesh.links, *mesh.boundaries) for k in (0, 1, 2)
            if k != each.patch.axis]  # fmt: skip
    assert all(end % 8 == 0 for end in ends)


def test_a_wing_is_lifted_with_the_same_bits_in_boxes() -> None:
    forces = []
    for boxes, coarse in ((1, 0), (1, 10), (3, 10)):
        world = _world(("steady = true", f"steady = true, coarse_start = {coarse}"))
        simulation = _core.Simulation(world.core, threads=1, boxes=boxes, series_interval=0)
        simulation.advance(math.inf, 40, 60.0)
        columns, _, values = simulation.take_series()["force.wing"]
        forces.append(values[-1, list(columns).index("total_y")])
    assert forces[1] == forces[2]
    assert forces[0] == pytest.approx(forces[1], rel=0.05)  # another start of the search
    assert 0.03 < forces[0] / (0.5 * 0.36 * 1.5) < 0.4


def test_sections_of_a_wing_are_files_that_a_run_keeps(tmp_path: Path) -> None:
    """The report of a run cannot read the world without them."""
    shutil.copy(ROOT / "validation" / "wing" / "section.csv", tmp_path)
    (tmp_path / "wing.toml").write_text(WORLD.replace('digits = "0012"', 'file = "section.csv"'))
    assert World.load(tmp_path / "wing.toml").file.named_files == ["section.csv"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((BACK, 'back = { type = "wall" }'), "boundaries.back.type"),
        (("nose = [0, 0, 0]", "nose = [0, 0, 0.5]"), "the root must lie in the side front"),
        (("nose = [0.5, 0, 2]", "nose = [0.5, 0, 0]"), "its z must be larger"),
        ((', digits = "0012"', ""), "has neither digits nor file"),
        (("[boundaries]", BALL + "[boundaries]"), "no room for other bodies"),
        ((METHOD, ""), "particles of a body cannot follow it"),
    ],
)
def test_refusals(change: tuple[str, str], said: str) -> None:
    changes = [change]
    if "method" in change[0]:
        changes.append(("mesh = { cells = [32, 8, 8], far_field = 8, stretching = 1.4 }", ""))
    with pytest.raises(WorldError, match=said):
        _world(*changes)
