"""Bodies that move by formula: their places, what they do to the fluid, and what is measured on them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from small_worlds import boundaries

from eddyline import _core
from eddyline.plot import colors
from eddyline.plot.frame import SOLID_COLOR, FramePainter
from eddyline.plot.scene import Scene
from eddyline.stream.frames import Frame
from eddyline.world import World
from eddyline.world.quantities import series_columns


def box(side: str, max_speed: float, tables: str) -> str:
    """A world: fluid in a box whose sides are all of one kind, and the tables of what is in it."""
    return f"""\
format = 1
[domain]
size = [1.0, 0.8]
spacing = 0.025
[fluid]
density = 2.0
kinematic_viscosity = 5e-3
max_speed = {max_speed}
{boundaries(left=side, right=side, bottom=side, top=side)}
{tables}
[time]
end = 0.6
"""


BOX = box(
    side="wall",
    max_speed=1.5,
    tables="""
[bodies.block]
shape = "rectangle"
center = [0.5, 0.4]
size = [0.2, 0.15]
motion = { displacement = ["0.1*sin(8*t)", "0.05*t^2"], rotation = "3*t - sin(t)", pivot = [0.45, 0.4] }
""",
)
NEVER = 2**62


def run(text: str, end: float, **how: object) -> tuple[World, _core.Simulation]:
    world = World.from_text(text)
    simulation = _core.Simulation(world.core, threads=1, series_interval=1e-9, **how)  # type: ignore[arg-type]
    simulation.advance(end, NEVER, np.inf)
    return world, simulation


def body_points(simulation: _core.Simulation) -> np.ndarray:
    """(n, 3) places of the dummy particles of bodies, in an order of their own [m]."""
    points = np.array(simulation.wall_position())[np.asarray(simulation.wall_body()) >= 0]
    points = np.column_stack([points, np.zeros((len(points), 3 - points.shape[1]))])
    return points[np.lexsort(np.round(points, 9).T)]


def columns(simulation: _core.Simulation, name: str) -> dict[str, np.ndarray]:
    names, _, rows = simulation.take_series()[name]
    return {column: rows[:, k] for k, column in enumerate(names)}


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.0, 0.0, -2.0), (1.0, -2.0, 0.5)])
def test_velocity_and_acceleration_are_the_derivatives_of_the_place(axis: tuple[float, float, float]) -> None:
    motion = _core.Motion()
    names = ("x", "y", "z", "t")
    motion.displacement = [_core.Formula(text, names) for text in ("0.3*sin(2*t)", "t^3", "0.1*t/(1+t)")]
    motion.rotation = _core.Formula("2*t + cos(3*t) - 1", names)
    motion.pivot, motion.axis = (0.2, -0.1, 0.3), axis
    points = np.random.default_rng(1).uniform(-1, 1, (20, 3))
    assert np.allclose(motion.place(points, 0.0), points, atol=1e-15)
    assert (motion.place(points, -1.0) == motion.place(points, 0.0)).all()
    assert not motion.velocity(points, -1.0).any()
    for t in (0.3, 1.7):
        step = 1e-5
        before, after = motion.place(points, t - step), motion.place(points, t + step)
        assert np.allclose(motion.velocity(points, t), (after - before) / (2 * step), atol=1e-8)
        before, after = motion.velocity(points, t - step), motion.velocity(points, t + step)
        assert np.allclose(motion.acceleration(points, t), (after - before) / (2 * step), atol=1e-7)
    lengths = [
        np.linalg.norm(place[:, None] - place[None], axis=2) for place in (points, motion.place(points, 2.0))
    ]
    assert np.allclose(*lengths, atol=1e-13)


def test_rotation_is_anticlockwise_and_its_pivot_goes_along() -> None:
    motion = _core.Motion()
    names = ("x", "y", "z", "t")
    motion.displacement = [_core.Formula(text, names) for text in ("t", "0", "0")]
    motion.rotation = _core.Formula("pi/2*t", names)
    motion.pivot = (1.0, 0.0, 0.0)
    points = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    assert np.allclose(motion.place(points, 1.0), [[2, 0, 0], [2, 1, 0]])


def test_dummy_particles_follow_the_formula_rigidly() -> None:
    world = World.from_text(BOX)
    start = _core.Simulation(world.core, threads=1)
    _, simulation = run(BOX, 0.5, boxes=3)
    motion = world.core.bodies[0].motion
    assert motion is not None
    moved = motion.place(body_points(start), simulation.time)
    moved = moved[np.lexsort(np.round(moved, 9).T)]
    assert np.array_equal(moved, body_points(simulation))
    assert simulation.statistics()["rebuilds"] > 5
    inside = world.core.bodies[0].shape_at(simulation.time).signed_distance(moved)
    assert inside.max() < 0
    assert inside.max() == pytest.approx(-0.5 * world.core.spacing, rel=1e-6)


def test_what_moves_with_the_body_is_not_disturbed() -> None:
    """A body that goes with the stream, and a fluid that goes with the body: nothing to do."""
    text = box(
        side="periodic",
        max_speed=1.0,
        tables="""
[start]
velocity = [0.5, 0.25]
[bodies.ball]
shape = "circle"
center = [0.3, 0.3]
diameter = 0.2
motion = { displacement = ["0.5*t", "0.25*t"] }
[method]
shifting = false
""",
    )
    _, simulation = run(text, 0.5)
    assert np.abs(np.asarray(simulation.velocity) - [0.5, 0.25]).max() < 1e-6
    force = columns(simulation, "force.ball")
    assert max(np.abs(force[f"total_{axis}"]).max() for axis in "xy") < 1e-5


def test_the_fluid_gets_the_momentum_that_solids_lose_and_the_work_that_they_do() -> None:
    text = BOX.replace("rectangle", "circle").replace("size = [0.2, 0.15]", "diameter = 0.2")
    text = text.replace("0.1*sin(8*t)", "0.05*(1 - cos(9*t))").replace("3*t - sin(t)", "2*t^2")
    text = text.replace("[time]", "[method]\nshifting = false\n[time]")  # momentum is then conserved exactly
    world, simulation = run(
        text.replace("[boundaries]", '[start]\narrangement = "fitted"\n[boundaries]'), 0.5
    )
    assert simulation.statistics()["contacts"] == 0
    series = {
        name: dict(zip(names, rows.T, strict=True))
        for name, (names, _, rows) in simulation.take_series().items()
    }
    budget, block = series["budget"], series["force.block"]
    time = budget["time"]
    for axis in "xy":
        force = sum(columns[f"total_{axis}"] for name, columns in series.items() if name.startswith("force."))
        given = -np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(time))
        gained = budget[f"momentum_{axis}"][-1] - budget[f"momentum_{axis}"][0]
        assert gained == pytest.approx(given, abs=1e-4 * np.abs(budget[f"momentum_{axis}"]).max())
    motion = world.core.bodies[0].motion
    assert motion is not None
    pivot = np.array([motion.pivot])
    power = []
    for row, t in enumerate(time):
        velocity = motion.velocity(pivot, t)[0]
        turning = 4 * t
        by_force = block["total_x"][row] * velocity[0] + block["total_y"][row] * velocity[1]
        power.append(-(by_force + turning * block["torque"][row]))
    assert np.allclose(block["power"], power, rtol=1e-12, atol=1e-12)
    steps = np.diff(np.concatenate([[0.0], time]))
    before = np.concatenate([[power[0]], power[:-1]])
    assert np.allclose(budget["work"], np.cumsum(0.5 * steps * (before + power)), rtol=1e-9)
    gained = budget["kinetic_energy"][-1] + budget["elastic_energy"][-1]
    assert 0.05 * budget["work"][-1] < gained < budget["work"][-1]


def cylinder_in_a_box(rotation: str, start: str, *, free_surface: bool) -> str:
    """A cylinder of radius 0.5 that turns, far from the walls; a region makes the surface free."""
    text = f"""format = 1
[domain]
size = [3, 3]
origin = [-1.5, -1.5]
spacing = 0.05
[fluid]
density = 1.0
kinematic_viscosity = 0.05
max_speed = 1.0
[start]
arrangement = "fitted"
pressure = 2.0
{start}
[bodies.cylinder]
shape = "circle"
center = [0, 0]
diameter = 1.0
motion = {{ rotation = "{rotation}" }}
[time]
end = 1
"""
    if free_surface:
        text += '[regions.all]\nshape = "rectangle"\nmin = [-1.5, -1.5]\nmax = [1.5, 1.5]\n'
    return text


def torque_of_cylinder(simulation: _core.Simulation) -> dict[str, np.ndarray]:
    (names, _, rows) = simulation.take_series()["force.cylinder"]
    return dict(zip(names, rows.T, strict=True))


@pytest.mark.parametrize("free_surface", [False, True])
def test_the_torque_of_a_cylinder_is_what_the_fluid_gets(free_surface: bool) -> None:
    """Whichever form of viscosity the fluid has. Walls are not felt yet."""
    text = cylinder_in_a_box("2*t - 0.2*(1 - exp(-10*t))", "", free_surface=free_surface)
    world, simulation = run(text, 0.8)
    assert world.has_free_surface == free_surface
    torque = torque_of_cylinder(simulation)
    given = -np.trapezoid(torque["torque"], torque["time"])
    x, v = np.asarray(simulation.position), np.asarray(simulation.velocity)
    gained = np.sum(np.asarray(simulation.mass) * (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]))
    assert given == pytest.approx(gained, rel=0.03)


@pytest.mark.parametrize("free_surface", [False, True])
def test_fluid_that_turns_with_a_body_does_not_rub_it(free_surface: bool) -> None:
    text = cylinder_in_a_box("2*t", 'velocity = ["-2*y", "2*x"]', free_surface=free_surface)
    _, simulation = run(text, 0.01)
    at_rest = 4 * np.pi * 0.05 * 0.5**2 * 2  # torque that fluid at rest would end with [N m/m]
    assert np.abs(torque_of_cylinder(simulation)["torque"]).max() < 0.03 * at_rest


def test_a_side_that_slides_works_on_the_fluid() -> None:
    """A side works also if no body moves; a side of velocity 0 rests."""
    text = box("wall", 1.5, "").replace(
        'top = { type = "wall" }', 'top = { type = "wall", velocity = ["sin(9*t)", 0] }'
    )
    for side in ("left", "right"):
        text = text.replace(f'{side} = {{ type = "wall" }}', f'{side} = {{ type = "periodic" }}')
    world, simulation = run(text, 0.3)
    taken = simulation.take_series()
    series = {name: dict(zip(names, rows.T, strict=True)) for name, (names, _, rows) in taken.items()}
    time, work = series["budget"]["time"], series["budget"]["work"]
    power = -series["force.top"]["total_x"] * np.sin(9 * time)
    steps = 0.5 * (power[1:] + power[:-1]) * np.diff(time)
    assert work[-1] - work[0] == pytest.approx(steps.sum(), rel=1e-6)
    assert work[-1] > series["budget"]["kinetic_energy"][-1] > 0
    assert "work" in series_columns(world.file)["budget"]
    rests = World.from_text(text.replace("sin(9*t)", "0"))
    assert "work" not in series_columns(rests.file)["budget"]
    resting = _core.Simulation(rests.core, threads=1, series_interval=1.0)
    assert "work" not in resting.take_series()["budget"][0]


def test_a_body_rests_while_a_start_settles() -> None:
    settled = BOX.replace("[boundaries]", '[start]\narrangement = "jittered"\nsettle = 0.2\n[boundaries]')
    world = World.from_text(settled)
    simulation = _core.Simulation(world.core, threads=1)
    start = body_points(simulation)
    while simulation.time < -1e-3 - simulation.time_step:
        simulation.advance(np.inf, simulation.step_count + 1, np.inf)
        assert np.array_equal(body_points(simulation), start)
    simulation.advance(0.05, NEVER, np.inf)
    assert np.abs(body_points(simulation) - start).max() > 0.01


def test_series_say_what_moves() -> None:
    _, simulation = run(BOX, 0.02)
    series = simulation.take_series()
    assert series["force.block"][0][-2:] == ["torque", "power"]
    assert series["force.block"][1][-2:] == ["N m/m", "W/m"]
    assert "torque" not in series["force.left"][0]
    assert series["budget"][0][-1] == "work"
    still = BOX.replace("motion =", "# motion =")
    _, simulation = run(still, 0.02)
    assert simulation.take_series()["force.block"][0][-1] == "torque"


@pytest.mark.parametrize("time", [0.0, 0.4])
def test_pictures_show_a_body_where_it_is(time: float) -> None:
    world = World.from_text(BOX)
    scene = Scene.of(world)
    assert scene.outlines == () and len(scene.moving) == 1
    painter = FramePainter(scene, "speed", colors.Scale(0.0, 1.0, "neither"), width=900)
    values = np.zeros((40, 50), dtype=np.float32)
    image = painter.paint(Frame(time, 0, "speed", values, scene.lower[:2], scene.upper[:2]))
    layout = painter.layout
    field = image[layout.top : layout.top + layout.rows, layout.left : layout.left + layout.columns]
    solid = (field[::-1] == SOLID_COLOR).all(axis=2)
    rows, cols = np.nonzero(solid)
    pixel = world.core.size[0] / layout.columns
    centre = np.array([[(cols.mean() + 0.5) * pixel, (rows.mean() + 0.5) * pixel, 0.0]])
    motion = world.core.bodies[0].motion
    assert motion is not None
    expected = motion.place(np.array([[0.5, 0.4, 0.0]]), time)
    assert np.abs(centre - expected).max() < 0.01
    assert solid.sum() * pixel**2 == pytest.approx(0.2 * 0.15, rel=0.15)  # its edge and mark are dark


def test_the_speed_of_a_body_counts_for_the_speed_of_sound() -> None:
    world = World.from_text(BOX.replace("max_speed = 1.5\n", ""))
    motion = world.core.bodies[0].motion
    assert motion is not None
    corners = np.array([[0.4, 0.325, 0], [0.6, 0.325, 0], [0.6, 0.475, 0], [0.4, 0.475, 0]])
    fastest = max(
        np.linalg.norm(motion.velocity(corners, t), axis=1).max() for t in np.linspace(0, 0.6, 2000)
    )
    assert world.scales.max_speed == pytest.approx(fastest, rel=1e-4)
    assert "bodies.block moves at" in world.scales.reason


GATE = """format = 1
[domain]
size = SIZE
spacing = SPACING
gravity = GRAVITY
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 2.5
[regions.water]
shape = "formula"
inside = "x < 0.3 and y < 0.3"
pressure = "hydrostatic"
[bodies.gate]
shape = SHAPE
min = LOW
max = HIGH
slip = true
[boundaries]
top = { type = "open" }
front = { type = "periodic" }
back = { type = "periodic" }
[time]
end = 1.0
"""


@pytest.mark.parametrize("dimensions", [2, 3])
def test_a_body_at_rest_feels_a_torque_about_its_middle(dimensions: int) -> None:
    """Water 0.3 m deep leans on a gate 0.4 m high, on average at a third of its depth."""
    flat = dimensions == 2
    values = {
        "SIZE": "[0.5, 0.5]" if flat else "[0.5, 0.5, 0.3]",
        "SPACING": "0.02" if flat else "0.025",
        "GRAVITY": "[0, -9.81]" if flat else "[0, -9.81, 0]",
        "SHAPE": '"rectangle"' if flat else '"box"',
        "LOW": "[0.3, 0]" if flat else "[0.3, 0, 0]",
        "HIGH": "[0.4, 0.4]" if flat else "[0.4, 0.4, 0.3]",
    }
    text = GATE if not flat else re.sub("(front|back) = .*\n", "", GATE)
    for key, value in values.items():
        text = text.replace(f" {key}\n", f" {value}\n")
    _, simulation = run(text, 0.2)
    columns, _, rows = simulation.take_series()["force.gate"]
    late = rows[rows[:, 0] > 0.05].mean(axis=0)
    names = ["torque"] if flat else ["torque_x", "torque_y", "torque_z"]
    assert list(columns)[-len(names) :] == names
    assert "power" not in columns
    width = 1.0 if flat else 0.3
    force = 0.5 * 9810 * 0.3**2 * width
    assert late[columns.index("total_x")] == pytest.approx(force, rel=0.03)
    assert late[columns.index(names[-1])] == pytest.approx(0.1 * force, rel=0.08)
    for name in names[:-1]:
        assert abs(late[columns.index(name)]) < 0.02 * force
