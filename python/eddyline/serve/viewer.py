"""One viewer: it receives the latest data as fast as it reads, and never delays other viewers."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time as clock
from collections import deque
from concurrent.futures import ThreadPoolExecutor

from google.protobuf.message import DecodeError
from starlette.websockets import WebSocket, WebSocketDisconnect

from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed
from eddyline.live.rows import kept_before
from eddyline.live.surfaces import MOST_OF_VIEWER, STRIDES, is_valid, selected
from eddyline.serve.channel import LASTING, MOST_COLUMNS, Channel, late
from eddyline.serve.detail import LEAST_BUDGET, Level, Link, detail_of, full_bytes
from eddyline.serve.tokens import Permission

_log = logging.getLogger(__name__)

MALFORMED, TOO_MUCH, OTHER_VERSION = 4400, 4429, 4406
LARGEST = 64 * 1024  # bytes of a message
_ROWS = 2000  # of a series in a message
_VIEW_WAIT = 1.0  # s that rows wait for the first view, so that a frame can come before them
_NUMBERS = 8000  # of all series between two frames: on a slow connection, frames do not wait for long
_COLUMNS = MOST_COLUMNS
_MESSAGES = 200.0  # a second that are read: a viewer that says more waits
_TICK_EVERY = 5.0  # s
_SECOND_TICK = 0.5  # s after the first, which the browser answers late while it opens the page
_LARGEST_BUT_FRAMES = 4 * 1024**2  # bytes of a message
_FRAME = b"\x1a"  # its first byte after the version
_FASTEST = 30.0  # frames a second
_ROOM = 256  # bytes that a command may grow by on its way
_TOO_LARGE, _FINER = 1.5, 5.0
"""Ratio of surfaces to the budget above which they become coarser; assumed ratio of finer ones to them. The
product of the two leaves a gap, so that the stride does not hunt."""
_UNDER_WAY, _MOST_UNDER_WAY = 2, 4
"""Unacknowledged frames, for a viewer that acknowledges frames, of any size and of a size of which the
connection carries all within the time of a frame."""
_PATIENCE = 0.02  # s, so that a burst of news is one round


class BadMessageError(ValueError):
    """A message that ends the connection with this code."""

    def __init__(self, text: str, code: int = MALFORMED) -> None:
        super().__init__(text)
        self.code = code


class Viewer:
    """A browser connected to a channel. workers: threads that make rasters."""

    def __init__(
        self,
        socket: WebSocket,
        channel: Channel,
        may: Permission,
        commands: float,
        workers: ThreadPoolExecutor,
    ) -> None:
        self._socket, self._channel, self._may = socket, channel, may
        self._workers = workers
        self._requested = pb.View(frames_per_second=0)  # by the browser
        self._view = self._requested  # the same, with coarser surfaces on a slow connection
        self._stride = 1  # of surfaces
        self._rate, self._allowance, self._last = commands, commands, clock.monotonic()
        self._hello: pb.Hello | None = None
        self._shown: pb.Frame | None = None
        self._view_is_new = False
        self._next_frame = 0.0
        self._link, self._level = Link(), Level()
        self._sent: deque[tuple[int, float]] = deque()  # bytes and send times of frames, not acknowledged yet
        self._before = (-math.inf, -math.inf)  # when the last acknowledged frame was sent and acknowledged
        self._versions: dict[str, int] = {}
        self._rows: dict[str, tuple[int, int]] = {}  # of each series: number of rows sent, and their thinning
        self._notices: list[pb.Message] = []
        self._pings: list[pb.Message] = []  # to be returned
        self._rows_after = clock.monotonic() + _VIEW_WAIT  # or after the first view
        self._next_tick = self._tick_sent = 0.0

    async def serve(self) -> None:
        """Serves the browser until it disconnects or is disconnected."""
        event = self._channel.listen()
        self._channel.viewers.add(self)
        asyncio.get_running_loop().call_later(_VIEW_WAIT, event.set)
        tasks = [asyncio.create_task(self._receive(event)), asyncio.create_task(self._send(event))]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
            self._channel.leave(self, event)
        for error in ended:
            await self._close_for(error)

    async def _close_for(self, error: BaseException | None) -> None:
        """Sends the browser the reason if it or the server made an error."""
        if isinstance(error, BadMessageError):
            with contextlib.suppress(Exception):
                await self._socket.close(error.code, str(error)[:120])
        elif isinstance(error, Exception) and not isinstance(error, (WebSocketDisconnect, RuntimeError)):
            _log.error("a viewer of run %s was lost", self._channel.run, exc_info=error)
            with contextlib.suppress(Exception):
                await self._socket.close(1011, "internal server error")

    # --- from the browser ---------------------------------------------------------------------------------

    async def _receive(self, event: asyncio.Event) -> None:
        allowance, last = _MESSAGES, clock.monotonic()
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            self._hear(parsed(message.get("bytes")))
            event.set()
            now = clock.monotonic()
            allowance, last = min(_MESSAGES, allowance + (now - last) * _MESSAGES) - 1, now
            if allowance < 0:
                await asyncio.sleep(-allowance / _MESSAGES)

    def _hear(self, message: pb.Message) -> None:
        kind = message.WhichOneof("body")
        if kind == "view":
            self._requested, self._rows_after = checked(message.view), 0.0
            self._requested.smooth &= self._may >= Permission.STEER  # a spectator does not slow the run
            self._view, self._view_is_new = _with_stride(self._requested, self._stride), True
            self._channel.want(self, self._view)
        elif kind == "ping":
            message.ping.received = clock.monotonic()
            self._pings.append(message)
        elif kind == "seen":
            if message.seen.index == 0:
                self._link.answered(clock.monotonic() - self._tick_sent)
            elif self._sent:
                self._measure(*self._sent.popleft())
        elif kind == "command":
            refusal = self._refusal(message.command)
            if not refusal and not self._channel.command(message):
                refusal = (
                    "the run is not connected: it has ended, is waiting, or lost its network connection."
                )
            if refusal:
                said = pb.Acknowledged(
                    id=message.command.id,
                    refusal=refusal,
                    command=message.command.WhichOneof("action") or "",
                )
                self._notices.append(packed(acknowledged=said))
        else:
            raise BadMessageError(f"unexpected message from a viewer: {kind or 'empty'}")

    def _measure(self, size: int, began: float) -> None:
        """A frame that was sent at `began` [s] was acknowledged."""
        now = clock.monotonic()
        before_sent, before_seen = self._before
        self._before = began, now
        self._link.sent(size, now - began, max(began - before_sent, now - before_seen))

    def _refusal(self, command: pb.Command) -> str:
        if not command.id or len(command.id) > 64:
            raise BadMessageError("a command needs an id of at most 64 characters")
        if self._may < Permission.STEER:
            return "This link is view-only; use the control link to steer."
        now = clock.monotonic()
        self._allowance = min(self._rate, self._allowance + (now - self._last) * self._rate)
        self._last = now
        if self._allowance < 1:
            return f"more than {self._rate:g} commands per second. Send it again."
        self._allowance -= 1
        if command.ByteSize() > LARGEST - _ROOM:
            return f"the command must have at most {LARGEST - _ROOM:,} bytes."
        return late(command)

    # --- to the browser -----------------------------------------------------------------------------------

    async def _send(self, event: asyncio.Event) -> None:
        while True:
            await event.wait()
            event.clear()
            while True:  # rows come in portions: a viewer that returns sees the latest frame before all rows
                for message in self._news():
                    data = message if isinstance(message, bytes) else message.SerializeToString()
                    await self._send_bytes(data)
                wait = await self._send_frame()
                rows = self._new_rows()
                if not rows:
                    break
                for block in rows:
                    await self._send_bytes(block.SerializeToString())
            if wait > 0:
                asyncio.get_running_loop().call_later(wait, event.set)
            await asyncio.sleep(_PATIENCE)

    async def _send_bytes(self, data: bytes) -> None:
        """Sends data as soon as the connection accepts it; a connection that accepts nothing for long is
        closed elsewhere."""
        await self._socket.send_bytes(data)
        await asyncio.sleep(0)  # lets other viewers proceed

    def _news(self) -> list[pb.Message | bytes]:
        """Messages that this viewer has not received yet, except frames and rows of series."""
        channel = self._channel
        for message in self._pings:
            message.ping.returned = clock.monotonic()
        found: list[pb.Message | bytes] = [*self._pings, *self._notices]
        self._notices, self._pings = [], []
        if self._tick_is_due() and not self._sent:  # a frame under way would delay it
            is_first = self._tick_sent == 0
            self._tick_sent = clock.monotonic()
            self._next_tick = self._tick_sent + (_SECOND_TICK if is_first else _TICK_EVERY)
            found.append(tick())
        if channel.hello is None:
            return found
        if channel.hello is not self._hello:
            self._hello = channel.hello
            said = packed(hello=channel.hello)
            said.hello.over = "ended" in channel.newest
            found.append(said)
        seen, now = self._versions.get("acknowledged"), channel.versions.get("acknowledged", 0)
        if seen is not None and now > seen:
            found += channel.acknowledged[-(now - seen) :]
        self._versions["acknowledged"] = now
        for kind in LASTING:
            version = channel.versions.get(kind, 0)
            if kind in channel.newest and version != self._versions.get(kind, 0):
                if kind == "ended" and self._lacks_rows():
                    continue  # after the last rows
                self._versions[kind] = version
                found.append(channel.newest_bytes(kind))
        return found

    def _tick_is_due(self) -> bool:
        return clock.monotonic() >= self._next_tick

    def _lacks_rows(self) -> bool:
        """True if the channel has rows that this viewer has not received."""
        return any(self._first_row(name) < series.count for name, series in self._channel.series.items())

    def _first_row(self, name: str) -> int:
        """The first kept row of a series that this viewer has not received."""
        series = self._channel.series[name]
        sent, every = self._rows.get(name, (0, series.every))
        first = kept_before(sent * every, series.every)
        return 0 if first > series.count else first

    def _new_rows(self) -> list[pb.Message]:
        """Rows of series that this viewer has not received yet, a limited number at a time."""
        channel, found, left = self._channel, [], _NUMBERS
        if self._hello is None or clock.monotonic() < self._rows_after:
            return []
        for name, series in channel.series.items():
            if left <= 0:
                break
            first = self._first_row(name)
            block = series.block(name, first, max(1, min(_ROWS, left // len(series.columns))))
            self._rows[name] = first + len(block.values), block.every
            if len(block.values):
                left -= block.values.size
                found.append(packed(series=block.message()))
        return found

    async def _send_frame(self) -> float:
        """Sends the latest frame if one is due; else returns the time to wait [s]."""
        frame, view = self._channel.frame, self._view
        wanted = min(view.frames_per_second, _FASTEST)
        is_new = frame is not self._shown or self._view_is_new
        has_nothing = self._channel.hello is None or frame is None or not _has_requested(frame, view)
        if frame is None or has_nothing or not is_new or wanted <= 0:
            return 0.0
        if view.tells and not self._has_room():
            return 0.0  # the next acknowledgement wakes this task
        now = clock.monotonic()
        if now < self._next_frame and not self._view_is_new:
            return self._next_frame - now
        self._shown, self._view_is_new = frame, False
        loop = asyncio.get_running_loop()
        data = await loop.run_in_executor(self._workers, self._frame_for, frame, view)
        began = clock.monotonic()
        if view.tells:
            self._sent.append((len(data), began))
        await self._send_bytes(data)
        if not view.tells:  # its buffers hide how long a frame takes
            self._link.sent(len(data), clock.monotonic() - began)
        self._choose_stride(sum(len(each.data) for each in selected(frame.surfaces, view.surfaces)))
        carried = len(data) / self._link.rate if view.tells else 0.0  # [s]; no frame waits for another
        self._next_frame = now + max(1 / wanted, carried)
        return 0.0

    def _has_room(self) -> bool:
        """True if another frame may be under way. A tick that is due waits until none is."""
        count, size = len(self._sent), sum(size for size, _ in self._sent)
        if self._tick_is_due():
            return count == 0
        if count < _UNDER_WAY:
            return True
        return count < _MOST_UNDER_WAY and size * (count + 1) <= count * self._link.budget

    def _choose_stride(self, size: int) -> None:
        """Requests coarser surfaces if those of a frame, `size` bytes, exceed the budget, and finer ones if
        these would fit into it: about four times as many bytes. size: 0 without surfaces."""
        before = self._stride
        if size > _TOO_LARGE * self._link.budget:
            self._stride = min(2 * before, STRIDES[-1])
        elif 0 < _FINER * size < self._link.budget:
            self._stride = max(before // 2, 1)
        if self._stride != before:
            self._view = _with_stride(self._requested, self._stride)
            self._channel.want(self, self._view)

    def _frame_for(self, frame: pb.Frame, view: pb.View) -> bytes:
        hello = self._channel.hello
        assert hello is not None
        surfaces = sum(len(each.data) for each in selected(frame.surfaces, view.surfaces))  # are sent whole
        budget = max(self._link.budget - surfaces, LEAST_BUDGET)
        share = self._level.choose(full_bytes(view, frame, hello, _COLUMNS), budget)
        return self._channel.frame_bytes(frame, view, detail_of(share, view, frame, hello, _COLUMNS))


def _with_stride(view: pb.View, stride: int) -> pb.View:
    """A view with coarser surfaces for a slow connection."""
    if stride == 1 or not view.surfaces:
        return view
    coarser = pb.View()
    coarser.CopyFrom(view)
    for request in coarser.surfaces:
        request.stride = min(max(request.stride, 1) * stride, STRIDES[-1])
    return coarser


def _has_requested(frame: pb.Frame, view: pb.View) -> bool:
    """False if a frame, made for earlier views, has nothing that this view requests."""
    if (view.quantities or view.particles) and (frame.HasField("particles") or frame.rasters):
        return True
    return bool(selected(frame.surfaces, view.surfaces))


def tick() -> pb.Message:
    """The clock by which commands expire."""
    return packed(tick=pb.Tick(clock=clock.monotonic()))


def parsed(data: bytes | None) -> pb.Message:
    """A message of this version. Raises BadMessageError."""
    if data is None:
        raise BadMessageError("messages are binary")
    if len(data) > LARGEST:
        raise BadMessageError(f"a message of {len(data)} bytes; at most {LARGEST} are allowed")
    return parsed_of_any_size(data)


def parsed_of_any_size(data: bytes) -> pb.Message:
    """A message of a simulation; only frames may be large. Raises BadMessageError."""
    if len(data) > _LARGEST_BUT_FRAMES and data[2:3] != _FRAME:
        raise BadMessageError(f"a message of {len(data)} bytes; only frames may be so large")
    try:
        message = pb.Message.FromString(data)
    except DecodeError as error:
        raise BadMessageError("not a message of the stream schema") from error
    if message.version != pb.VERSION_CURRENT:
        text = f"schema version {message.version}; this server uses version {pb.VERSION_CURRENT}"
        raise BadMessageError(text, OTHER_VERSION)
    return message


def checked(view: pb.View) -> pb.View:
    """A view within its limits. Raises BadMessageError."""
    fine = (
        0 <= view.frames_per_second <= 1000
        and view.columns <= 10_000
        and view.width in (0, 1, 2)
        and len(view.quantities) <= 8
        and all(len(name) <= 32 for name in [*view.quantities, view.particle_quantity])
        and len(view.surfaces) <= MOST_OF_VIEWER
        and all(is_valid(request) for request in view.surfaces)
    )
    if not fine:
        raise BadMessageError(
            f"invalid view: at most 8 quantities, 10000 columns, width 1 or 2, {MOST_OF_VIEWER} surfaces"
        )
    view.columns = min(view.columns, _COLUMNS)
    return view
