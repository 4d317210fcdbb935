"""The lab's streams: simulations, the hub and viewers, and what one may do to another."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from lab_server import TANK, hear, lab_in_thread, say, start_process, until
from websockets.exceptions import ConnectionClosed, InvalidStatus

import eddyline
from eddyline import _core
from eddyline.live import stream_pb2 as pb
from eddyline.live.codes import given, raster, values_of
from eddyline.live.frames import particles_frame
from eddyline.live.publisher import packed
from eddyline.serve.rasters import Given, Gridded, always_the_same, particles_for
from eddyline.stream.snapshots import read_snapshot
from eddyline.world import World

RUN = "0123456789ab"
EVERYTHING = pb.View(quantities=["speed", "vorticity"], columns=40, frames_per_second=30, particles=True)
HELLO = pb.Hello(
    title="made up",
    dimensions=2,
    lower=[0, 0],
    upper=[1.0, 0.5],
    spacing=0.05,
    end=1,
    quantity="speed",
    ranks=1,
)
for _name, _unit in (("speed", "m/s"), ("vorticity", "1/s"), ("pressure", "Pa")):
    HELLO.quantities.add(name=_name, unit=_unit)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with lab_in_thread(tmp_path_factory.mktemp("runs")) as found:
        yield found


@contextlib.contextmanager
def simulation(client, run=RUN):
    """A connection that says it is a simulation."""
    with client.socket(f"simulations/{run}") as socket:
        say(socket, hello=HELLO)
        until(lambda: client.call("GET", f"runs/{run}")[1].get("live"))
        yield socket


def frame(index: int, turning: float = 2.0) -> pb.Message:
    """Fluid that turns as a rigid body: v = turning/2 (-y, x) about the middle."""
    x, y = np.meshgrid(np.arange(0.025, 1, 0.05), np.arange(0.025, 0.5, 0.05))
    parts = pb.Particles(count=x.size, total=x.size)

    def coded(values, low, high):
        return given(np.rint((values.ravel() - low) / (high - low) * 65535).astype(np.uint16), low, high)

    parts.position.extend([coded(x, 0.0, 1.0), coded(y, 0.0, 0.5)])
    u, v = -0.5 * turning * (y - 0.25), 0.5 * turning * (x - 0.5)
    parts.carried.add(quantity="velocity_x", values=coded(u, -2.0, 2.0))
    parts.carried.add(quantity="velocity_y", values=coded(v, -2.0, 2.0))
    parts.carried.add(quantity="pressure", values=coded(0 * x, 0.0, 1.0))
    return packed(frame=pb.Frame(index=index, step=index, time=0.1 * index, particles=parts))


def repeated(message: pb.Message, times: int) -> pb.Message:
    """A frame with each particle so many times."""
    parts = message.frame.particles
    for codes in (*parts.position, *(each.values for each in parts.carried)):
        codes.data *= times
    parts.count, parts.total = times * parts.count, times * parts.total
    parts.ids = np.arange(parts.count, dtype="<i8").tobytes()
    return message


def rows(first: int, count: int) -> pb.SeriesRows:
    time_ = np.arange(first, first + count, dtype=float)
    columns = [
        pb.Column(name="time", unit="s", values=time_),
        pb.Column(name="f", unit="N", values=2 * time_),
    ]
    return pb.SeriesRows(name="force", first=first, columns=columns)


# --- what viewers see ---------------------------------------------------------------------------------------


def test_coarser_rasters_of_cells_keep_the_values_beside_bodies():
    nan = np.float32(np.nan)
    values = np.array([[1, 2, 3, nan], [5, 6, nan, nan], [1, 1, nan, nan]], np.float32)
    frame = pb.Frame(rasters=[raster("speed", "m/s", values, ((0.0, 0.0), (4.0, 3.0)))])
    made = Given(frame, 2).raster("speed", "m/s", 2)
    assert (made.rows, made.columns) == (2, 2)
    found = values_of(made.values).reshape(2, 2)
    assert found[:, 0] == pytest.approx([3.5, 1.0], abs=1e-3)
    assert found[0, 1] == pytest.approx(3.0, abs=1e-3)  # of the one pixel that has a value
    assert found[1, 1] > made.high + made.values.scale / 2  # none has


def test_the_world_of_a_live_run_comes_with_its_stream(lab):
    client, _, _ = lab
    run = "0a1b2c3d4e5f"
    with client.socket(f"simulations/{run}") as socket:
        told = pb.Hello()
        told.CopyFrom(HELLO)
        told.toml = TANK
        say(socket, hello=told)
        until(lambda: client.call("GET", f"runs/{run}")[1].get("live"))
        assert client.call("GET", f"runs/{run}/world") == (200, {"toml": TANK})
    until(lambda: not client.call("GET", f"runs/{run}")[1].get("live"))
    status, told = client.call("GET", f"runs/{run}/world")
    assert status == 409
    assert "does not run now" in told["problems"][0]["message"]


def test_rasters_show_the_velocity_that_particles_have(lab):
    client = lab[0]
    with simulation(client) as flow, client.look(RUN, EVERYTHING) as viewer:
        assert hear(viewer, "hello").title == "made up"
        flow.send(frame(1).SerializeToString())
        shown = hear(viewer, "frame")
    speed, vorticity = shown.rasters
    assert (speed.rows, speed.columns) == (10, 20)  # no finer than the particles
    inside = values_of(vorticity.values).reshape(10, 20)[2:-2, 2:-2]
    assert np.allclose(inside, 2.0, atol=0.02)
    y, x = np.meshgrid(np.arange(0.025, 0.5, 0.05) - 0.25, np.arange(0.025, 1, 0.05) - 0.5, indexing="ij")
    found = values_of(speed.values).reshape(10, 20)
    assert np.abs(found - np.hypot(x, y))[2:-2, 2:-2].max() < 0.03
    assert speed.values.error < 1e-4 and shown.particles.count == 200
    fast = values_of(shown.particles.values)
    assert np.abs(fast - np.hypot(x, y).ravel()).max() < 1e-3


def test_covers_tell_where_a_surface_is_and_show_drops():
    """Fluid up to y = 0.25 that reaches walls, and a drop in the middle of a cell at (0.625, 0.425)."""
    whole = frame(1).frame
    y = values_of(whole.particles.position[1])
    drop = np.flatnonzero(
        (np.abs(y - 0.425) < 1e-3) & (np.abs(values_of(whole.particles.position[0]) - 0.625) < 1e-3)
    )
    kept = np.concatenate([np.flatnonzero(y < 0.25), drop])
    parts = whole.particles
    for codes in (*parts.position, *(each.values for each in parts.carried)):
        codes.data = np.frombuffer(codes.data, "<u2")[kept].tobytes()
    parts.count = parts.total = len(kept)
    pool = pb.Hello()
    pool.CopyFrom(HELLO)
    assert not Gridded(whole, pool, 0).raster("speed", "m/s", 2).HasField("cover")
    pool.free_surface = True
    made = Gridded(whole, pool, 0).raster("speed", "m/s", 2)
    cover = values_of(made.cover).reshape(made.rows, made.columns)
    assert np.allclose(cover[:4], 1, atol=0.01)  # at walls, too
    assert np.allclose(cover[4:6, :8], [[0.75], [0.25]], atol=0.01)  # so that a half lies at y = 0.25
    assert cover[8, 12] > 0.8 and max(cover[8, 11], cover[9, 12]) < 0.2
    known = np.frombuffer(made.values.data, "<u2").reshape(cover.shape) != 65535
    assert known[cover >= 0.5].all()


def test_frames_leave_out_what_has_flown_over_an_open_side():
    text = """format = 1
title = "A jet that leaves upwards"
[domain]
size = [1.0, 1.0]
spacing = 0.05
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 2.0
[start]
velocity = [0, 1.0]
[regions.jet]
shape = "rectangle"
min = [0.3, 0.5]
max = [0.7, 1.0]
[boundaries]
left = { type = "wall" }
right = { type = "wall" }
bottom = { type = "wall" }
top = { type = "open" }
[time]
end = 1.0
"""
    world = World.from_text(text, "jet")
    flow = _core.Simulation(world.core, threads=1)
    flow.advance(0.2, 10**6, np.inf)
    inside = int(np.count_nonzero(flow.position[:, 1] <= 1))
    shown = particles_frame(world, flow, 1, pb.View(ids=True)).frame.particles
    assert 0 < inside < flow.fluid_count
    assert shown.count == shown.total == inside == len(shown.ids) // 8


def test_fewer_particles_are_always_the_same_ones_and_say_how_they_go_on():
    given_frame = frame(1).frame
    ids = np.random.default_rng(1).permutation(np.arange(200) << 32)
    given_frame.particles.ids = ids.astype("<i8").tobytes()
    view = pb.View(particles=True, most_particles=60, ids=True, velocities=True)
    shown = particles_for(given_frame, view, HELLO)
    assert shown.count == 60 and shown.total == 200
    chosen = np.frombuffer(shown.ids, "<i8")
    rows = [int(np.flatnonzero(ids == each)[0]) for each in chosen]
    assert len(set(np.diff(np.sort(rows)))) > 2  # no rows or columns of them
    for axis, codes in zip("xy", shown.carried, strict=True):
        whole = next(each for each in given_frame.particles.carried if each.quantity == f"velocity_{axis}")
        assert (codes.quantity, codes.values.width) == (f"velocity_{axis}", 1)
        wrong = np.abs(values_of(codes.values) - values_of(whole.values)[rows])
        assert wrong.max() < 1.01 * codes.values.error + whole.values.error < 0.01
    fewer = np.delete(ids, [*range(5)])
    assert len(set(chosen) - set(fewer[always_the_same(fewer, 60)])) <= 5
    assert set(fewer[always_the_same(fewer, 30)]) < set(fewer[always_the_same(fewer, 60)])
    assert not particles_for(given_frame, pb.View(particles=True), HELLO).carried


def test_rows_that_come_twice_or_too_early_do_no_harm(lab):
    client = lab[0]
    with simulation(client) as flow, client.look(RUN, pb.View()) as viewer:
        for part in (rows(0, 5), rows(3, 4), rows(0, 2), rows(20, 3), rows(7, 2)):
            say(flow, series=part)
        got: list[float] = []
        while len(got) < 9:
            part = hear(viewer, "series")
            assert part.first == len(got)
            got += part.columns[1].values
        assert got == [2.0 * k for k in range(9)]
    with simulation(client) as flow:
        say(flow, series=rows(0, 12))  # it comes back, and begins again
        until(lambda: lab[2].hub.channels[RUN].series.get("force"))
        with client.look(RUN, pb.View()) as late:
            assert len(hear(late, "series").columns[0].values) == 12


def test_viewers_together_get_no_more_than_they_want(lab):
    client = lab[0]
    with simulation(client) as flow:
        assert hear(flow, "view").frames_per_second == 0
        with client.look(RUN, pb.View(quantities=["speed"], frames_per_second=7)):
            assert hear(flow, "view").frames_per_second == 7
            with client.look(RUN, pb.View(particles=True, frames_per_second=3, ids=True)):
                both = hear(flow, "view")
                assert (both.frames_per_second, both.particles, both.ids) == (7, True, True)
            assert not hear(flow, "view").particles
        assert hear(flow, "view").frames_per_second == 0


def test_a_frozen_viewer_costs_the_others_nothing(lab):
    """It never reads: one frame waits for it, and the one beside it sees the newest."""
    client = lab[0]
    large = pb.View(particles=True, frames_per_second=30)
    last = 25
    with simulation(client) as flow, client.look(RUN, large, max_queue=1), client.look(RUN, large) as live:
        for index in range(1, last + 1):
            flow.send(repeated(frame(index), 1000).SerializeToString())
            shown = hear(live, "frame")
        while shown.index < last:
            shown = hear(live, "frame")
        time.sleep(0.2)
        reached = sorted(each._shown.index for each in lab[2].hub.channels[RUN].viewers)
        assert reached[0] < reached[1] == last


@pytest.mark.matrix
def test_two_hundred_viewers_get_the_newest_and_cost_little_memory(tmp_path):
    process, client = start_process(tmp_path)
    try:
        with simulation(client) as flow:
            flow.send(frame(1).SerializeToString())
            with client.look(RUN, EVERYTHING) as first:
                hear(first, "frame")
            before = _resident(process.pid)
            least = asyncio.run(_crowd(client, flow, 200))
            more = _resident(process.pid) - before
        print(f"200 viewers: {more / 1e6:.0f} MB more than one, {before / 1e6:.0f} MB")
        assert least == 5
        assert more < 200 * 0.5e6
    finally:
        process.kill()
        process.wait(10)


async def _crowd(client, flow, count: int) -> int:
    """The smallest number of frames, out of five, that a viewer got; each is the newest when it arrives."""
    from websockets.asyncio.client import connect

    url = f"{client.base.replace('http', 'ws')}api/runs/{RUN}/stream?token={client.token}"
    wish = packed(view=EVERYTHING).SerializeToString()

    async def newest(socket, index: int) -> None:
        while True:
            message = pb.Message.FromString(await socket.recv())
            if message.WhichOneof("body") == "frame" and message.frame.index == index:
                return

    async with contextlib.AsyncExitStack() as stack:
        crowd = []
        for _ in range(count):
            opening = connect(url, compression=None, proxy=None, max_size=None)
            crowd.append(await stack.enter_async_context(opening))
            await crowd[-1].send(wish)
        got = 0
        for index in range(2, 7):
            await asyncio.to_thread(flow.send, frame(index).SerializeToString())
            await asyncio.wait_for(asyncio.gather(*(newest(socket, index) for socket in crowd)), 30)
            got += 1
    return got


def _resident(pid: int) -> int:
    """Memory of a process [bytes]."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_a_viewer_that_tells_what_it_has_seen_has_few_frames_under_way(lab):
    client = lab[0]
    slow = pb.View(particles=True, frames_per_second=30, tells=True)
    with simulation(client) as flow, client.look(RUN, slow) as viewer:
        got = []
        for index in range(1, 7):
            flow.send(frame(index).SerializeToString())
            with contextlib.suppress(AssertionError, TimeoutError):
                got.append(hear(viewer, "frame", 0.5).index)
        assert got in ([1, 2], [1, 2, 3], [1, 2, 3, 4])  # fewer if a tick was due
        for index in got:
            say(viewer, seen=pb.Seen(index=index))
        assert hear(viewer, "frame").index == 6  # the newest


# --- what may not be sent -----------------------------------------------------------------------------------


def closed_with(socket, limit: float = 10) -> int:
    end = time.monotonic() + limit
    with contextlib.suppress(TimeoutError):
        while time.monotonic() < end:
            try:
                socket.recv(timeout=1)
            except ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else 0
    return -1


BAD = {
    "rubbish": (b"\xff\xff\xff", 4400),
    "text": ("hello", 4400),
    "empty": (packed().SerializeToString(), 4400),
    "another version": (pb.Message(version=99, view=pb.View()).SerializeToString(), 4406),
    "a frame": (packed(frame=pb.Frame()).SerializeToString(), 4400),
    "a command without id": (packed(command=pb.Command(pause=pb.Pause())).SerializeToString(), 4400),
    "a view without end": (packed(view=pb.View(frames_per_second=float("nan"))).SerializeToString(), 4400),
    "a view of everything": (packed(view=pb.View(quantities=["x"] * 9)).SerializeToString(), 4400),
    "far too much": (packed(view=pb.View(particle_quantity="x" * 70_000)).SerializeToString(), 4400),
}


@pytest.mark.parametrize("case", BAD)
def test_a_viewer_that_talks_nonsense_is_sent_away_alone(lab, case):
    client = lab[0]
    message, code = BAD[case]
    with simulation(client) as flow, client.look(RUN, EVERYTHING) as other:
        with client.socket(f"runs/{RUN}/stream") as bad:
            bad.send(message)
            assert closed_with(bad) == code
        flow.send(frame(3).SerializeToString())
        assert hear(other, "frame").index == 3


@pytest.mark.parametrize(
    "messages",
    [
        [b"\xff\xff"],
        [frame(1).SerializeToString()],  # before hello
        [packed(hello=HELLO).SerializeToString(), packed(command=pb.Command(id="x")).SerializeToString()],
        [packed(hello=HELLO).SerializeToString(), packed(hello=HELLO).SerializeToString()],
        [pb.Message(version=2, hello=HELLO).SerializeToString()],
    ],
)
def test_a_simulation_that_talks_nonsense_is_sent_away(lab, messages):
    client = lab[0]
    with client.socket("simulations/0123456789cc") as bad:
        for message in messages:
            bad.send(message)
        assert closed_with(bad) in (4400, 4406)
    assert client.call("GET", "version")[0] == 200


def test_a_message_beyond_all_limits_ends_its_connection_only(lab):
    client = lab[0]
    with client.socket("simulations/0123456789cd") as bad:
        say(bad, hello=HELLO)
        with contextlib.suppress(ConnectionClosed):
            bad.send(bytes(17 * 1024**2))
        assert closed_with(bad) in (1009, 0)
    assert client.call("GET", "version")[0] == 200


# --- access -------------------------------------------------------------------------------------------------


def test_tokens_and_origin_hold_for_sockets_too(lab):
    client, gate, _ = lab
    with simulation(client) as flow:
        for path, token in ((f"runs/{RUN}/stream", "wrong"), ("simulations/0123456789ce", gate.look)):
            with client.socket(path, token) as socket:
                assert closed_with(socket) == 4403
        with client.socket("runs/ffffffffffff/stream") as unknown:
            assert closed_with(unknown) == 4404
        with client.socket(f"runs/{RUN}/stream", gate.look) as looker:
            say(looker, command=pb.Command(id="x", pause=pb.Pause()))
            assert "view-only" in hear(looker, "acknowledged").refusal
        with client.look(RUN, pb.View()) as steerer:
            say(steerer, command=pb.Command(id="y", pause=pb.Pause()))
            assert hear(flow, "command").id == "y"
            for number in range(40):
                say(steerer, command=pb.Command(id=str(number), pause=pb.Pause()))
            assert "commands per second" in hear(steerer, "acknowledged").refusal
    from websockets.sync.client import connect

    url = f"{client.base.replace('http', 'ws')}api/runs/{RUN}/stream?token={client.token}"
    with pytest.raises(InvalidStatus):
        connect(url, origin="http://evil.example", proxy=None)


def test_there_is_room_for_so_many_viewers_and_no_more(tmp_path):
    with contextlib.ExitStack() as stack:
        client, _, _ = stack.enter_context(lab_in_thread(tmp_path, viewers=2))
        stack.enter_context(simulation(client))
        for _ in range(2):
            hear(stack.enter_context(client.look(RUN, pb.View())), "hello")
        assert closed_with(stack.enter_context(client.socket(f"runs/{RUN}/stream"))) == 4429


# --- real runs ----------------------------------------------------------------------------------------------


def test_a_run_from_the_order_to_its_end(lab):
    client = lab[0]
    # Long enough to be paused before it is over.
    toml = TANK.replace("snapshots = 0", "snapshots = 2").replace("end = 0.2", "end = 2.0")
    status, row = client.call("POST", "runs", {"toml": toml, "threads": 1, "name": "tank"})
    assert status == 201 and row["predicted_seconds"] > 0
    run = row["id"]
    with client.look(run, EVERYTHING) as viewer:
        assert hear(viewer, "hello").title == "Small channel"
        first = hear(viewer, "frame")
        while first.step < 5:  # the start is at rest
            first = hear(viewer, "frame")
        assert first.particles.count > 700 and 0.5 < first.rasters[0].high < 3
        say(viewer, command=pb.Command(id="p", pause=pb.Pause()))
        paused = hear(viewer, "acknowledged")
        say(viewer, command=pb.Command(id="s", step=pb.Step(count=2)))
        # Progress may come before the word that the command is obeyed, if steps are fast.
        until(lambda: hear(viewer, "progress").step == paused.step + 2)
        say(viewer, command=pb.Command(id="v", viscosity=pb.Viscosity(value="2e-3")))
        changed = paused
        while changed.id != "v":
            changed = hear(viewer, "acknowledged")
        assert (changed.step, changed.refusal) == (paused.step + 2, "")
        assert hear(viewer, "marks").marks[-1].changes_flow
        say(viewer, command=pb.Command(id="r", resume=pb.Resume()))
        with client.look(run, pb.View()) as rows_only:
            ended = hear(viewer, "ended")
            force = hear(rows_only, "series")
    assert ended.outcome == "finished" and "-" in ended.fingerprint
    assert force.first == 0 and len(force.columns[0].values)
    done = client.wait_for(run, "finished")
    assert done["fingerprint"] == ended.fingerprint and done["actual_seconds"] > 0
    journal = client.call("GET", f"runs/{run}/journal")[1]
    assert [entry["command"] for entry in journal] == ["pause", "step", "viscosity", "resume"]
    frames = client.call("GET", f"runs/{run}/frames")[1]
    assert len(frames["frames"]) >= 3 and {"speed", "vorticity", "pressure"} <= set(frames["quantities"])
    stored = pb.Message.FromString(client.call("GET", f"runs/{run}/frames/1?quantity=vorticity&width=20")[1])
    assert stored.frame.stored and stored.frame.rasters[0].columns <= 20
    moments = client.call("GET", f"runs/{run}/particles")[1]["moments"]
    assert len(moments) == 3
    kept = pb.Message.FromString(client.call("GET", f"runs/{run}/particles/2?quantity=speed&most=500")[1])
    shown, snapshot = kept.frame.particles, read_snapshot(done["folder"], 2)
    inside = ((snapshot["position"] >= 0) & (snapshot["position"] <= [0.4, 0.2])).all(axis=1)
    assert shown.total == inside.sum() and 250 < shown.count <= 500 and kept.frame.step == moments[2]["step"]
    order = np.searchsorted(snapshot["id"], np.frombuffer(shown.ids, "<i8"))
    places = np.stack([values_of(axis) for axis in shown.position], axis=1)
    assert np.abs(places - snapshot["position"][order]).max() < 1e-5
    speed = np.hypot(*snapshot["velocity"][order].T)
    assert np.abs(values_of(shown.values) - speed).max() < 1.01 * shown.values.error + 1e-6
    velocity = np.stack([values_of(each.values) for each in shown.carried], axis=1)
    wrong = np.abs(velocity - snapshot["velocity"][order]).max(axis=0)
    assert (wrong < [1.01 * each.values.error + 1e-6 for each in shown.carried]).all()
    assert client.call("GET", f"runs/{run}/particles/3")[0] == 404
    assert client.call("GET", f"runs/{run}/particles/0?quantity=vorticity")[0] == 422
    names = client.call("GET", f"runs/{run}/series")[1]
    assert "force.post" in names
    table = client.call("GET", f"runs/{run}/series/force.post")[1]
    assert table["columns"][0] == "time" and len(table["values"][0]) > 10
    assert client.call("GET", f"runs/{run}/series/force.post.csv")[1].startswith(b"time [s],")
    with client.look(run, pb.View()) as again:  # without a simulation
        assert hear(again, "hello").title == "Small channel"
        assert hear(again, "ended").fingerprint == ended.fingerprint
    until(lambda: client.call("DELETE", f"runs/{run}")[0] == 204)  # when its pictures are painted
    assert client.call("GET", f"runs/{run}")[0] == 404 and not Path(done["folder"]).exists()


def test_a_spare_process_becomes_the_next_run_and_goes_with_the_server(tmp_path):
    with lab_in_thread(tmp_path) as (client, _, lab):
        lab.keep_spare()
        spare, pipe, _ = lab.jobs._spare
        until(lambda: pipe.is_heard)
        _, row = client.call("POST", "runs", {"toml": TANK, "threads": 1})
        assert lab.store.get(row["id"]).job == str(spare.native_id)
        done = client.wait_for(row["id"], "finished", "failed")
        assert (done["state"], done["message"]) == ("finished", "")
        until(lambda: spare.status.final)  # painted, too
        after = until(lambda: lab.jobs._spare)[0]
        assert after is not spare
    until(lambda: after.status.final)


LONG = TANK.replace("end = 0.2", "end = 500").replace("series = 50", "series = 200000")


def test_a_killed_simulation_leaves_its_data_and_the_lab(lab):
    client = lab[0]
    _, row = client.call("POST", "runs", {"toml": LONG, "threads": 1})
    with client.look(row["id"], EVERYTHING) as viewer:
        hear(viewer, "frame")
        hear(viewer, "series")
        folder = client.call("GET", f"runs/{row['id']}")[1]["folder"]
        job = int(lab[2].store.get(row["id"]).job)
        found = subprocess.run(["pgrep", "-P", str(job)], capture_output=True, text=True, check=False)
        for child in found.stdout.split():
            if b"eddyline" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(int(child), signal.SIGKILL)
        done = client.wait_for(row["id"], "failed")
    assert done["message"]
    assert json.loads(Path(folder, "run.json").read_text())["outcome"] == "failed"
    assert client.call("GET", f"runs/{row['id']}/series/budget")[1]["values"][0]
    assert client.call("GET", f"runs/{row['id']}/frames/0")[0] == 200


def test_a_killed_server_costs_a_run_nothing_and_finds_it_again(tmp_path):
    """A run joins by hand, with --live; its server dies and another takes its place."""
    process, client = start_process(tmp_path)
    again = None
    out = tmp_path / "joined" / "0001"
    (tmp_path / "world.toml").write_text(LONG)
    command = [
        sys.executable,
        "-m",
        "eddyline",
        "run",
        str(tmp_path / "world.toml"),
        "--out",
        str(out),
        "--quiet",
    ]
    url = f"{client.base}?token={client.token}"
    run = subprocess.Popen([*command, "--threads", "1", "--live", url])
    try:
        row = until(lambda: next((each for each in client.call("GET", "runs")[1] if each["live"]), None))
        assert row["origin"] == "joined" and row["folder"] == str(out)
        process.kill()
        process.wait(10)
        step = _rows(out)
        until(lambda: _rows(out) > step + 2)
        assert run.poll() is None
        again, second = start_process(tmp_path, int(client.base.rsplit(":", 1)[1].strip("/")))
        assert second.token != client.token  # the run may look at nothing there
        found = second.call("GET", f"runs/{row['id']}")[1]
        assert found["folder"] == str(out)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 130
        assert json.loads((out / "run.json").read_text())["outcome"] == "stopped by user"
    finally:
        for each in (process, again, run):
            if each is not None and each.poll() is None:
                each.kill()
                each.wait(10)


def test_a_run_says_why_a_lab_refused_it(lab, tmp_path, capfd):
    client, *_ = lab
    url = f"{client.base}?token=wrong"
    eddyline.run(World.from_text(TANK), steps=3, out=tmp_path / "run", progress=False, movie=False, live=url)
    told = capfd.readouterr().err
    assert "refused this run: the token is missing or wrong" in told and len(told.splitlines()) == 1


def _rows(out) -> int:
    path = out / "series" / "budget.csv"
    return len(path.read_text().splitlines()) if path.is_file() else 0
