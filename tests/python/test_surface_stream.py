"""Isosurfaces in the stream: what viewers request, what the run makes, and what each viewer gets."""

from __future__ import annotations

import contextlib

import pytest
from lab_server import hear, lab_in_thread, say, until
from websockets.exceptions import ConnectionClosed

import eddyline
from eddyline.live import stream_pb2 as pb
from eddyline.live.frames import frame_of
from eddyline.live.surfaces import MOST_OF_RUN, merged, offer
from eddyline.serve import stored_runs, stored_surfaces
from eddyline.simulation import Simulation
from eddyline.world import World

RUN = "0123456789ab"
HELLO = pb.Hello(title="made up", dimensions=3, lower=[0, 0, 0], upper=[1, 1, 1], spacing=0.1, end=1)
WATER = pb.SurfaceRequest(quantity="fluid", level=0.5)
TANK = """
format = 1
[domain]
size = [0.4, 0.3, 0.2]
spacing = 0.02
gravity = [0, -9.81, 0]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.water]
shape = "box"
min = [0, 0, 0]
max = [0.4, 0.2, 0.2]
[time]
end = 1.0
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with lab_in_thread(tmp_path_factory.mktemp("runs")) as (client, _, _):
        yield client


@contextlib.contextmanager
def simulation(client):
    """A made-up simulation, connected to the hub."""
    with client.socket(f"simulations/{RUN}") as socket:
        say(socket, hello=HELLO)
        until(lambda: client.call("GET", f"runs/{RUN}")[1].get("live"))
        yield socket


def requesting(*surfaces, **more):
    return pb.View(frames_per_second=30, surfaces=surfaces, **more)


def frame(index, *requests):
    """A frame with a surface for each request; its bytes name the level."""
    surfaces = [pb.Isosurface(request=each, data=f"level {each.level:g}".encode()) for each in requests]
    return pb.Frame(index=index, step=index, surfaces=surfaces)


def test_a_viewer_gets_the_surfaces_that_it_requests_and_no_particles(lab):
    fast, other = (pb.SurfaceRequest(quantity="speed", level=level) for level in (1.0, 2.0))
    with simulation(lab) as run, lab.look(RUN, requesting(WATER)) as first:
        assert hear(run, "view").frames_per_second in (0, 30)
        with lab.look(RUN, requesting(WATER, fast)) as second:
            until(lambda: len(hear(run, "view").surfaces) == 2)
            say(run, frame=frame(1, WATER, fast, other))
            got = hear(first, "frame")
            assert [each.data for each in got.surfaces] == [b"level 0.5"]
            assert not got.HasField("particles")
            assert [each.data for each in hear(second, "frame").surfaces] == [b"level 0.5", b"level 1"]


def test_a_frame_made_before_a_request_is_not_sent_as_its_answer(lab):
    with simulation(lab) as run, lab.look(RUN, requesting(WATER)) as viewer:
        say(run, frame=frame(1, WATER))
        assert hear(viewer, "frame").index == 1
        later = pb.SurfaceRequest(quantity="speed", level=3.0)
        say(viewer, view=requesting(later))
        until(lambda: [each.level for each in hear(run, "view").surfaces] == [3.0])
        say(run, frame=frame(2, WATER))
        say(run, frame=frame(3, later))
        assert hear(viewer, "frame").index == 3


def test_rasters_and_particles_wait_for_a_frame_that_has_particles(lab):
    with simulation(lab) as run, lab.look(RUN, requesting(particles=True)) as viewer:
        say(run, frame=frame(1, WATER))
        say(viewer, view=requesting(WATER, particles=True))
        assert not hear(viewer, "frame").HasField("particles")


@pytest.mark.parametrize(
    "surfaces",
    [
        [WATER] * 5,
        [pb.SurfaceRequest(quantity="fluid", level=float("nan"))],
        [pb.SurfaceRequest(quantity="fluid", stride=3)],
        [pb.SurfaceRequest(quantity="")],
        [pb.SurfaceRequest(quantity="fluid", color="x" * 33)],
    ],
    ids=["too many", "no number", "stride", "no quantity", "long name"],
)
def test_a_viewer_that_requests_nonsense_is_disconnected(lab, surfaces):
    with simulation(lab), lab.look(RUN, requesting(*surfaces)) as viewer:
        with pytest.raises(ConnectionClosed):
            hear(viewer, "frame")
        assert viewer.close_code == 4400
        assert "4 surfaces" in viewer.close_reason


def test_equal_requests_are_made_once_with_a_histogram_if_anyone_wants_it():
    plain, counted = WATER, pb.SurfaceRequest(quantity="fluid", level=0.5, stride=1, histogram=True)
    finer = pb.SurfaceRequest(quantity="fluid", level=0.5, stride=2)
    assert [(each.stride, each.histogram) for each in merged([plain, counted, finer, plain])] == [
        (0, True),
        (2, False),
    ]
    assert not plain.histogram


@pytest.fixture(scope="module")
def tank():
    world = World.from_text(TANK, "tank")
    return world, Simulation(world)._core


def test_a_run_makes_the_surface_of_its_water(tank):
    from eddyline.stream.surfaces import Surface

    world, core = tank
    request = pb.SurfaceRequest(quantity="fluid", level=0.5, color="pressure", histogram=True)
    made = frame_of(world, core, 1, requesting(request)).frame
    assert not made.HasField("particles")
    (surface,) = made.surfaces
    assert surface.request == request
    assert Surface.of(surface.data).volume == pytest.approx(0.4 * 0.2 * 0.2, rel=0.1)
    assert sum(surface.histogram.counts) > 1000
    assert surface.histogram.low <= 0.5 <= surface.histogram.high


def test_a_surface_that_cannot_be_made_has_a_reason_and_the_others_come(tank):
    world, core = tank
    unknown = pb.SurfaceRequest(quantity="taste", level=1.0)
    first, second = frame_of(world, core, 1, requesting(unknown, WATER)).frame.surfaces
    assert "taste" in first.refusal
    assert not first.data
    assert second.data


def test_a_run_makes_so_many_surfaces_and_no_more(tank):
    world, core = tank
    levels = [0.3 + 0.04 * k for k in range(MOST_OF_RUN + 1)]
    requests = [pb.SurfaceRequest(quantity="fluid", level=level, stride=4) for level in levels]
    surfaces = frame_of(world, core, 1, requesting(*requests)).frame.surfaces
    assert [bool(each.data) for each in surfaces] == [True] * MOST_OF_RUN + [False]
    assert surfaces[-1].refusal == "all viewers together request 9 surfaces; a run makes at most 8."


def test_a_run_says_which_surfaces_it_offers(tank):
    from eddyline.stream.surfaces import quantities

    hello = pb.Hello()
    offer(hello, quantities(tank[1]))
    offered = {each.name: (each.unit, each.level) for each in hello.surfaces}
    assert offered["fluid"] == ("1", 0.5)
    assert offered["pressure"] == ("Pa", 0.0)
    assert "fluid" not in hello.surface_colors
    assert "speed" in hello.surface_colors


STORED = """
[observe.water]
type = "isosurface"
every = 0.01
color = "speed"
[observe.pressures]
type = "isosurface"
quantity = "pressure"
values = [500.0, 1000.0]
every = 0.02
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The folder of a finished run with surfaces of two observers."""
    text = TANK.replace("end = 1.0", "end = 0.02\n[output]\npictures = 0\nsnapshots = 0") + STORED
    folder = tmp_path_factory.mktemp("stored") / "run"
    run = eddyline.run(World.from_text(text, "tank"), out=folder, threads=1, progress=False, report=False)
    assert run.outcome == "finished"
    return folder


def test_stored_surfaces_are_frames_of_all_observers(stored):
    from eddyline.stream.surfaces import Surface

    moments = stored_surfaces.moments(stored)
    assert [round(time, 2) for _, time in moments] == [0.0, 0.01, 0.02]
    counts = []
    for index, (step, time_) in enumerate(moments):
        made = stored_runs.surfaces(stored, index).frame
        assert (made.index, made.step, made.time, made.stored) == (index, step, time_, True)
        counts.append(len(made.surfaces))
        levels = {each.request.quantity: each.request.level for each in made.surfaces}
        assert levels["fluid"] == 0.5
        for each in made.surfaces:
            assert Surface.of(each.data).level == each.request.level
            assert each.request.color == ("speed" if each.request.quantity == "fluid" else "")
    assert counts == [3, 1, 3]


def test_a_finished_run_offers_the_surfaces_that_it_has_stored(stored):
    hello = next(iter(stored_runs.messages(stored, RUN))).hello
    assert [(each.name, each.unit, each.level) for each in hello.surfaces] == [
        ("pressure", "Pa", 500.0),
        ("fluid", "1", 0.5),
    ]
    assert list(hello.surface_colors) == ["speed"]


def test_a_surface_that_is_not_stored_is_refused_with_the_number_of_those_that_are(stored):
    with pytest.raises(IndexError, match="surfaces at 3 steps"):
        stored_runs.surfaces(stored, 3)
