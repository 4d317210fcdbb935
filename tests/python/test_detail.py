"""Viewers get frames of as many bytes as their connection carries in a tenth of a second, without hunting."""

from __future__ import annotations

import itertools
import random

import pytest

from eddyline.live import stream_pb2 as pb
from eddyline.serve.channel import Channel, field_bytes
from eddyline.serve.detail import SECONDS, STEP, Level, Link, detail_of, full_bytes

FULL = 20e6  # bytes of a full frame


def sizes(
    rate: float, delay: float, full: float = FULL, frames: int = 120, noise: float = 0.2
) -> list[float]:
    """Bytes of the frames that a viewer gets over a connection of this rate [bytes/s] and delay [s]."""
    link, level, dice = Link(), Level(), random.Random(1)
    link.answered(delay)
    found = []
    for _ in range(frames):
        size = full * level.choose(full, link.budget)
        found.append(size)
        seconds = delay * dice.uniform(1, 1 + noise) + size / rate * dice.uniform(1 - noise, 1 + noise)
        link.sent(int(size), seconds)
    return found


@pytest.mark.parametrize("delay", [0.002, 0.03, 0.25])
@pytest.mark.parametrize("rate", [1e5, 1e6, 1e7])
def test_frames_settle_at_a_tenth_of_a_second(rate: float, delay: float) -> None:
    found = sizes(rate, delay)
    late = found[60:]
    assert max(late) <= 3 * rate * SECONDS
    assert min(late) >= 0.25 * rate * SECONDS
    changes = sum(a != b for a, b in itertools.pairwise(late))
    assert changes <= 6, "the picture hunts"
    assert max(late) / min(late) < STEP**4


def test_the_first_frames_are_small_and_a_fast_link_soon_gets_all() -> None:
    found = sizes(1e9, 0.001)
    assert found[0] < 60_000
    assert found[40] == FULL


def test_a_delay_that_was_measured_too_long_does_not_make_frames_too_large() -> None:
    """With frames always under way, one comes after the time that the connection needs for it."""
    link, level, rate = Link(), Level(), 525_000.0
    link.answered(0.18)  # late, while the page opened; the delay is 0.085 s
    for _ in range(40):
        size = FULL * level.choose(FULL, link.budget)
        link.sent(int(size), 0.085 + 2 * size / rate, size / rate)
    assert 0.7 * rate < link.rate < 1.1 * rate


def test_a_small_frame_is_never_thinned() -> None:
    assert set(sizes(1e6, 0.01, full=30_000)) == {30_000}


def test_detail_keeps_what_a_frame_has() -> None:
    hello = pb.Hello(dimensions=2, lower=[0, 0], upper=[2, 1], spacing=0.01, free_surface=True)
    frame = pb.Frame(particles=pb.Particles(count=10_000))
    view = pb.View(quantities=["speed"], particles=True, most_particles=50_000, width=1, velocities=True)
    assert full_bytes(view, frame, hello, 1600) == 200 * 100 * 2 + 10_000 * 8
    whole = detail_of(1.0, view, frame, hello, 1600)
    assert (whole.columns, whole.particles) == (200, 50_000)
    quarter = detail_of(0.25, view, frame, hello, 1600)
    assert (quarter.columns, quarter.particles) == (100, 2_500)


def test_frames_made_of_bytes_are_the_messages_that_protobuf_makes() -> None:
    channel = Channel("a")
    channel.hello = pb.Hello(dimensions=2, lower=[0, 0], upper=[1, 1], spacing=0.25)
    channel.hello.quantities.add(name="u", unit="m", diverging=True)
    raster = pb.Raster(quantity="u", unit="m", rows=4, columns=4, lower=[0, 0], upper=[1, 1], low=0, high=15)
    raster.values.CopyFrom(pb.Codes(data=bytes(range(16)), width=1, offset=0.0, scale=1.0))
    frame = pb.Frame(index=3, step=300, time=0.5, rasters=[raster])
    channel.take(pb.Message(version=pb.VERSION_CURRENT, frame=frame))
    assert channel.frame is not None
    view = pb.View(quantities=["u"], width=1)
    detail = detail_of(1.0, view, frame, channel.hello, 1600)
    data = channel.frame_bytes(channel.frame, view, detail)
    frame.made_at = channel.frame.made_at
    assert frame.made_at > 0
    assert pb.Message.FromString(data) == pb.Message(version=pb.VERSION_CURRENT, frame=frame)
    assert channel.frame_bytes(channel.frame, pb.View(quantities=["u"], width=1), detail) is data
    half = channel.raster(channel.frame, "u", 2, 2)
    assert half is not None
    coarse = pb.Raster.FromString(half)
    assert (coarse.rows, coarse.columns, coarse.low, coarse.high) == (2, 2, 2.5, 12.5)
    for size in (0, 1, 127, 128, 300, 70_000):
        made = field_bytes(pb.Message.FRAME_FIELD_NUMBER, b"\x12" + bytes(0) if size == 0 else bytes(0))
        assert made[0] == 0x1A


@pytest.mark.parametrize("size", [0, 1, 127, 128, 300, 70_000])
def test_a_field_of_bytes_is_read_by_protobuf(size: int) -> None:
    data = field_bytes(pb.Particles.IDS_FIELD_NUMBER, bytes(size))
    assert pb.Particles.FromString(data).ids == bytes(size)


@pytest.mark.parametrize(
    "change",
    [
        {"quantity": "v"},
        {"rows": 5},
        {"rows": 0},
        {"values": pb.Codes(data=bytes(16), width=3)},
    ],
)
def test_rasters_that_cannot_be_shown_are_refused(change: dict[str, object]) -> None:
    channel = Channel("a")
    channel.hello = pb.Hello(dimensions=2, lower=[0, 0], upper=[1, 1], spacing=0.25)
    channel.hello.quantities.add(name="u", unit="m")
    fields = {"quantity": "u", "rows": 4, "columns": 4, "values": pb.Codes(data=bytes(16), width=1)}
    raster = pb.Raster(**(fields | change))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a raster of a frame"):
        channel.take(pb.Message(version=pb.VERSION_CURRENT, frame=pb.Frame(index=1, rasters=[raster])))
