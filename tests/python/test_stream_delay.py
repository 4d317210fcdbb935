"""The stream over slow links: round trips, the age of frames, their order, and how much detail is sent."""

from __future__ import annotations

import asyncio
import socket
import time

import numpy as np
import pytest
from lab_server import hear, lab_in_thread, say, until

from eddyline.live import stream_pb2 as pb
from eddyline.live.frames import SHARE, SMOOTH_SHARE, Pace
from eddyline.live.publisher import packed
from eddyline.serve.channel import Channel
from eddyline.serve.command import _listen
from eddyline.serve.tokens import Permission
from eddyline.serve.viewer import Viewer

RUN = "0123456789ab"
HELLO = pb.Hello(title="made up", dimensions=3, lower=[0, 0, 0], upper=[1, 1, 1], spacing=0.1, end=1)
WATER = pb.SurfaceRequest(quantity="fluid", level=0.5)
VIEW = pb.View(frames_per_second=30, surfaces=[WATER], tells=True)


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with lab_in_thread(tmp_path_factory.mktemp("runs")) as (client, _, _):
        yield client


@pytest.fixture
def run(lab):
    """A made-up simulation, connected to the hub."""
    with lab.socket(f"simulations/{RUN}") as socket:
        say(socket, hello=HELLO)
        until(lambda: lab.call("GET", f"runs/{RUN}")[1].get("live"))
        yield socket


def frame(index, **more):
    surfaces = [pb.Isosurface(request=WATER, data=b"surface")]
    return pb.Frame(index=index, step=index, surfaces=surfaces, **more)


def test_a_ping_is_returned_with_the_clock_of_the_hub(lab, run):
    with lab.look(RUN, VIEW) as viewer:
        before = time.monotonic()
        say(viewer, ping=pb.Ping(sent=12.5))
        answer = hear(viewer, "ping")
        assert answer.sent == 12.5
        assert before <= answer.received <= answer.returned <= time.monotonic()


def test_a_frame_says_when_it_was_made(lab, run):
    made = time.monotonic() - 0.25
    with lab.look(RUN, VIEW) as viewer:
        say(run, frame=frame(1, made_at=made))
        assert hear(viewer, "frame").made_at == made


@pytest.mark.parametrize("wrong", [0.0, float("nan"), 1e12])
def test_a_frame_without_a_time_was_made_when_it_arrived(lab, run, wrong):
    before = time.monotonic()
    with lab.look(RUN, VIEW) as viewer:
        say(run, frame=frame(1, made_at=wrong))
        assert before <= hear(viewer, "frame").made_at <= time.monotonic()


def test_a_viewer_that_comes_back_gets_the_newest_frame_before_all_rows(lab, run):
    rows = 30_000
    for name in ("force.post", "budget"):
        columns = [pb.Column(name=each, values=np.arange(rows, dtype=float)) for each in ("time", "x", "y")]
        for first in range(0, rows, 2000):
            parts = [pb.Column(name=each.name, values=each.values[first : first + 2000]) for each in columns]
            say(run, series=pb.SeriesRows(name=name, first=first, columns=parts))
    say(run, frame=frame(1))
    say(run, frame=frame(7))
    with lab.look(RUN, VIEW) as earlier:
        until(lambda: hear(earlier, "frame").index == 7)
    with lab.look(RUN, VIEW) as viewer:
        kinds, counts = [], {"force.post": 0, "budget": 0}
        while sum(counts.values()) < 2 * rows or "frame" not in kinds:
            message = pb.Message.FromString(viewer.recv(timeout=20))
            kinds.append(message.WhichOneof("body"))
            if kinds[-1] == "frame":
                assert message.frame.index == 7
            elif kinds[-1] == "series":
                counts[message.series.name] += len(message.series.columns[0].values)
        assert counts == {"force.post": rows, "budget": rows}
        assert kinds.count("series") > 10
        assert kinds[: kinds.index("frame")].count("series") <= 2  # sent before the view was there


def test_the_end_of_a_run_comes_after_its_last_rows(lab, run):
    with lab.look(RUN, VIEW) as viewer:
        hear(viewer, "hello")
        columns = [pb.Column(name="time", values=np.arange(20_000, dtype=float))]
        say(run, series=pb.SeriesRows(name="budget", columns=columns))
        say(run, ended=pb.Ended(outcome="finished"))
        count = 0
        while True:
            message = pb.Message.FromString(viewer.recv(timeout=20))
            if message.HasField("ended"):
                break
            count += len(message.series.columns[0].values) if message.HasField("series") else 0
        assert count == 20_000


def viewer_of(view):
    made = Viewer(None, Channel(RUN), Permission.STEER, 10.0, None)
    made._hear(packed(view=view))
    return made


@pytest.mark.parametrize("rate", [5e4, 2e5, 5e5, 2e6, 1e9])
@pytest.mark.parametrize("whole", [2e3, 40e3, 500e3])
def test_the_detail_of_surfaces_settles_on_any_link(rate, whole):
    viewer = viewer_of(VIEW)
    strides = []
    for k in range(60):
        size = whole / viewer._stride**2
        viewer._link.sent(round(size), size / rate * (1 + 0.2 * (-1) ** k))  # a link that varies
        viewer._choose_stride(round(size))
        strides.append(viewer._stride)
    assert len(set(strides[30:])) == 1
    budget = viewer._link.budget
    assert whole / strides[-1] ** 2 < 1.6 * budget or strides[-1] == 4
    assert strides[-1] == 1 or 5 * whole / strides[-1] ** 2 > budget


def test_a_slow_link_gets_coarser_surfaces_and_the_run_is_told():
    viewer = viewer_of(VIEW)
    viewer._choose_stride(0)
    assert [each.stride for each in viewer._view.surfaces] == [0]
    for stride in (2, 4, 4):
        viewer._choose_stride(10_000_000)
        assert [each.stride for each in viewer._view.surfaces] == [stride]
        assert viewer._channel.views[viewer].surfaces[0].stride == stride
    viewer._hear(packed(view=pb.View(surfaces=[WATER, WATER], frames_per_second=30)))
    assert [each.stride for each in viewer._view.surfaces] == [4, 4]
    for _ in range(2):
        viewer._choose_stride(100)
    assert viewer._view.surfaces[0].stride == 0


def test_small_messages_do_not_wait_for_acknowledgements_of_earlier_ones():
    """Nagle's algorithm holds them back for a round trip."""

    async def is_off():
        found = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda _, writer: found.set_result(writer), sock=listener)
        async with server:
            _, writer = await asyncio.open_connection(*listener.getsockname())
            here = await found
            answer = here.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            for each in (writer, here):
                each.close()
            return answer

    listener = _listen("127.0.0.1", 0)
    assert asyncio.run(is_off())


def test_a_tick_measures_the_link_without_frames_before_it():
    viewer = viewer_of(VIEW)
    viewer._next_tick = time.monotonic() + 100
    viewer._sent.append((1000, time.monotonic()))
    assert viewer._has_room()
    viewer._next_tick = 0.0
    assert not viewer._has_room()
    assert not any(message.HasField("tick") for message in viewer._news())
    viewer._hear(packed(seen=pb.Seen(index=1)))
    assert viewer._has_room()
    assert [message.WhichOneof("body") for message in viewer._news()] == ["tick"]
    assert viewer._next_tick < time.monotonic() + 1  # the first answer is late while a page opens


def test_more_small_frames_are_under_way_than_large_ones():
    viewer = viewer_of(VIEW)
    viewer._next_tick = time.monotonic() + 100
    for size, most in ((1000, 4), (40_000, 2)):
        viewer._sent.clear()
        while viewer._has_room():
            viewer._sent.append((size, time.monotonic()))
        assert len(viewer._sent) == most


@pytest.mark.parametrize("smooth", [False, True])
def test_a_smooth_picture_takes_a_larger_share_of_the_run_if_the_viewer_may_steer(smooth):
    view = pb.View()
    view.CopyFrom(VIEW)
    view.smooth = smooth
    spectator = Viewer(None, Channel(RUN), Permission.VIEW, 10.0, None)
    spectator._hear(packed(view=view))
    assert not spectator._channel._merged.smooth
    owner = viewer_of(view)
    assert owner._channel._merged.smooth == smooth
    pace = Pace()
    pace.begin()
    pace.end(30.0, 0.003, smooth=owner._channel._merged.smooth)
    share = SMOOTH_SHARE if smooth else SHARE
    assert pace._next - pace._began == pytest.approx(0.003 / share, rel=0.1)
