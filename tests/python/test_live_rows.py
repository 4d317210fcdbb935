"""Rows of series on their way from a run to viewers: however many come, they stay few, and none is wrong."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from lab_server import lab_in_thread, say, until
from test_serve_streams import HELLO, RUN

from eddyline.live import rows as live_rows
from eddyline.live import stream_pb2 as pb
from eddyline.live.address import Address
from eddyline.live.publisher import Publisher, packed
from eddyline.live.rows import Block, Rows

COLUMNS = [("time", "s"), ("f", "N")]


@pytest.fixture
def few(monkeypatch):
    """So that little is much."""
    monkeypatch.setattr(live_rows, "MOST_ROWS", 100)


def numbered(first: int, count: int, every: int = 1) -> np.ndarray:
    """Rows that say which of the run they are."""
    number = every * np.arange(first, first + count, dtype=float)
    return np.stack([number, 2 * number], axis=1)


def kept(rows: Rows) -> np.ndarray:
    values = rows.block("force", 0, 10**9).values
    assert np.array_equal(values[:, 1], 2 * values[:, 0])
    return values[:, 0]


def take(rows: Rows, message: pb.SeriesRows) -> None:
    """As a viewer does."""
    block = np.array([column.values for column in message.columns]).T
    rows.add(message.first, block, message.every)


@pytest.mark.parametrize("length", [1, 7, 64, 350])
def test_every_so_manyth_row_is_kept_from_the_first_to_the_last(few, length):
    rows = Rows(COLUMNS)
    for first in range(0, 1000, length):
        rows.add(first, numbered(first, min(length, 1000 - first)))
    assert rows.every == 16
    assert np.array_equal(kept(rows), np.arange(0, 1000, 16))


def test_rows_that_lie_closer_or_further_apart_find_their_place(few):
    rows = Rows(COLUMNS)
    rows.add(0, numbered(0, 90))
    rows.add(46, numbered(46, 5, 2), 2)  # row 90 of the run is missing
    assert rows.every == 2 and np.array_equal(kept(rows), np.arange(0, 90, 2))
    rows.add(43, numbered(43, 10, 2), 2)
    rows.add(101, numbered(101, 20))
    assert np.array_equal(kept(rows), np.arange(0, 121, 2))
    rows.add(0, numbered(0, 200))  # a run that begins again
    assert np.array_equal(kept(rows), np.arange(0, 200, 2))
    rows.add(1000, numbered(1000, 3))
    assert kept(rows)[-1] < 200


def test_a_block_stays_as_it_was_when_it_was_taken(few):
    rows = Rows(COLUMNS)
    rows.add(0, numbered(0, 90))
    block = rows.block("force", 10, 20)
    rows.add(90, numbered(90, 90))
    assert rows.every == 2
    message = block.message()
    assert list(message.columns[0].values) == list(range(10, 30)) and (message.first, message.every) == (
        10,
        1,
    )


def test_a_publisher_sends_few_rows_and_keeps_the_end_in_sight(few):
    """The test has no hub: it takes what would be sent; the hub's rows must follow however late it reads."""
    publisher = Publisher(Address("ws://127.0.0.1:9/nobody", "", RUN), HELLO, lambda: None)
    rows = Rows(COLUMNS)
    for first in range(0, 2000, 10):
        publisher.add_rows({"force": (["time", "f"], ["s", "N"], numbered(first, 10))})
        if first % 70 == 0:
            with publisher._change:
                news = publisher._take_news()
            assert all(isinstance(each, Block) for each in news)
            for each in news:
                take(rows, each.message())
    with publisher._change:
        for each in publisher._take_news():
            take(rows, each.message())
    assert rows.every == 32 and np.array_equal(kept(rows), np.arange(0, 2000, 32))
    publisher.close(packed(ended=pb.Ended()))


def test_viewers_follow_a_series_that_is_thinned_whenever_they_come(few, tmp_path):
    with contextlib.ExitStack() as stack:
        client, gate, lab = stack.enter_context(lab_in_thread(tmp_path))
        url = f"{client.base.replace('http', 'ws')}api/simulations/{RUN}"
        publisher = Publisher(Address(url, gate.steer, RUN), HELLO, lambda: None)
        until(lambda: lab.hub.is_connected(RUN))
        viewers = []
        for first in range(0, 1000, 20):
            if first in (0, 400, 900):
                viewer = client.look(RUN, pb.View())
                stack.callback(viewer.close)
                viewers.append((viewer, Rows(COLUMNS)))
            publisher.add_rows({"force": (["time", "f"], ["s", "N"], numbered(first, 20))})
            if first == 600:  # another takes its place, and goes: it comes again, and begins again
                own = lab.hub._sockets[RUN]
                with client.socket(f"simulations/{RUN}") as other:
                    say(other, hello=HELLO)
                    until(lambda before=own: lab.hub._sockets.get(RUN) not in (before, None))
                until(lambda: publisher.connected and lab.hub.is_connected(RUN))
        for socket, rows in viewers:
            while not rows.count or kept(rows)[-1] < 992:
                message = pb.Message.FromString(socket.recv(timeout=60))
                if message.WhichOneof("body") == "series":
                    assert len(message.series.columns[0].values) <= 100
                    take(rows, message.series)
            assert rows.every == 16 and np.array_equal(kept(rows), np.arange(0, 1000, 16))
        publisher.close(packed(ended=pb.Ended()))
