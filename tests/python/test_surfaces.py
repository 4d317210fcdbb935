"""Surfaces of bodies in three dimensions, as the lab's page gets them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from eddyline.live import stream_pb2 as pb
from eddyline.live.hello import body
from eddyline.live.steering import Steering
from eddyline.world import World
from eddyline.world.shapes import BODIES
from eddyline.world.surfaces import surface

SHAPES = {
    "sphere": {"shape": "sphere", "center": (0.3, -0.2, 0.5), "diameter": 0.4},
    "box": {"shape": "box", "min": (-0.1, 0.2, 0.3), "max": (0.5, 0.3, 0.7)},
    "upright": {"shape": "cylinder", "from": (0.2, 0.1, 0), "to": (0.2, 0.1, 1), "diameter": 0.3},
    "slanted": {"shape": "cylinder", "from": (0.4, 0.1, 0.2), "to": (-0.3, 0, 0.4), "diameter": 0.2},
}
SPACING = 0.05
WORLD = f"""
format = 1
[domain]
size = [1.0, 1.0, 1.0]
spacing = {SPACING}
[fluid]
density = 1000.0
kinematic_viscosity = 1e-3
max_speed = 1.0
[bodies.ball]
shape = "sphere"
center = [0.3, 0.5, 0.5]
diameter = 0.2
[bodies.blade]
shape = "box"
min = [0.6, 0.45, 0.3]
max = [0.8, 0.55, 0.7]
[bodies.blade.motion]
displacement = ["0.1*t", 0, 0]
rotation = "t"
axis = [0, 1, 1]
[boundaries]
left = {{ type = "periodic" }}
right = {{ type = "periodic" }}
bottom = {{ type = "wall" }}
top = {{ type = "wall" }}
front = {{ type = "wall" }}
back = {{ type = "wall" }}
[time]
end = 1.0
"""


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("tolerance", [1e-5, 0.004, 0.05])
def test_surfaces_are_closed_look_outwards_and_lie_on_the_shape(name, tolerance):
    shape = BODIES[SHAPES[name]["shape"]](**SHAPES[name])
    made = surface(shape, tolerance)
    assert len(made.triangles) < 2000
    assert set(made.triangles.ravel()) == set(range(len(made.vertices)))
    assert np.abs(shape.core_shape.signed_distance(made.vertices)).max() < 1e-14

    edges = Counter((one[k], one[(k + 1) % 3]) for one in made.triangles.tolist() for k in range(3))
    assert set(edges.values()) == {1}
    assert all((b, a) in edges for a, b in edges)  # of the other triangle, which goes the other way

    a, b, c = (made.vertices[made.triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    assert (np.linalg.norm(normal, axis=1) > 0).all()
    middle = (a + b + c) / 3
    reach = 1e-6 * normal / np.linalg.norm(normal, axis=1)[:, None]
    distance = shape.core_shape.signed_distance
    assert (distance(middle + reach) > distance(middle - reach)).all()

    shares = np.random.default_rng(1).dirichlet((1, 1, 1), 50)
    inside = distance(np.concatenate([np.stack([a, b, c], axis=2) @ share for share in shares]))
    error = max(tolerance, 0.006 * getattr(shape, "diameter", 0) / 2)
    assert inside.max() < 1e-14 and inside.min() > -error
    volume = np.einsum("nk,nk->", a, np.cross(b, c)) / 6
    assert 0.9 < volume / shape.core_shape.volume < 1 + 1e-12


def test_messages_have_surfaces_where_the_bodies_are():
    world = World.from_text(WORLD)
    for time in (0.0, 0.7):
        said = {name: body(name, table, SPACING, time) for name, table in world.file.bodies.items()}
        assert not any(each.outlines for each in said.values())
        expected = surface(world.file.bodies["ball"], 0.02 * SPACING)
        assert np.allclose(_vertices(said["ball"]), expected.vertices, atol=1e-7)
        assert list(said["ball"].surface.triangles) == expected.triangles.ravel().tolist()
        motion = world.file.bodies["blade"].core_motion
        corners = surface(world.file.bodies["blade"], SPACING).vertices
        assert np.allclose(_vertices(said["blade"]), motion.place(corners, time), atol=1e-7)
        assert np.allclose(said["blade"].center, [0.7 + 0.1 * time, 0.5, 0.5])


def test_bodies_that_come_and_go_have_surfaces_while_they_are_there():
    steering = Steering(World.from_text(WORLD))
    post = 'shape = "cylinder"\nfrom = [0.5, 0, 0.2]\nto = [0.5, 0.8, 0.2]\ndiameter = 0.15\n'
    for command, time in (
        (pb.Command(add_body=pb.AddBody(name="post", toml=post)), 0.1),
        (pb.Command(remove_body=pb.RemoveBody(body="post")), 0.2),
        (pb.Command(remove_body=pb.RemoveBody(body="blade")), 0.3),
    ):
        steering.remember(steering.plan(command, time), time)
    there = {
        time: {each.name: len(each.surface.triangles) // 3 for each in steering.bodies(0, time).bodies}
        for time in (0.05, 0.15, 0.25, 0.35)
    }
    post_triangles = there[0.15].pop("post")
    assert 50 < post_triangles < 2000
    assert there == {0.05: {"blade": 12}, 0.15: {"blade": 12}, 0.25: {"blade": 12}, 0.35: {}}


def _vertices(said: pb.Body) -> np.ndarray:
    return np.array(said.surface.vertices).reshape(-1, 3)
