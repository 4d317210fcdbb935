"""The hub: simulations on any machine connect to it, and viewers watch them."""

from __future__ import annotations

import asyncio
import contextlib
import time as clock
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from starlette.websockets import WebSocket

from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed
from eddyline.serve.channel import Channel, Outbox, check_hello
from eddyline.serve.limits import Limits
from eddyline.serve.tokens import Permission
from eddyline.serve.viewer import TOO_MUCH, BadMessageError, Viewer, parsed_of_any_size, tick

_HELLO = 10.0  # s within which a simulation must send hello
_TICK_EVERY = 5.0  # s between ticks to a simulation
_KINDS = ("frame", "series", "progress", "acknowledged", "marks", "bodies", "ended")
Heard = Callable[[str, pb.Message], None]


class Hub:
    """All channels. `heard(run, message)` is called for hello, progress and ended of every simulation;
    `lost(run)` when a simulation's connection ends without `ended`."""

    def __init__(self, limits: Limits, heard: Heard, lost: Callable[[str], None]) -> None:
        self.limits = limits
        self.channels: dict[str, Channel] = {}
        self._heard, self._lost = heard, lost
        self._sockets: dict[str, WebSocket] = {}
        self._workers = ThreadPoolExecutor(1, thread_name_prefix="eddyline-rasters")

    def channel(self, run: str) -> Channel:
        return self.channels.setdefault(run, Channel(run))

    def is_connected(self, run: str) -> bool:
        return run in self._sockets

    @property
    def viewers(self) -> int:
        return sum(len(channel.viewers) for channel in self.channels.values())

    async def look(self, socket: WebSocket, run: str, may: Permission) -> None:
        """Serves a viewer until it disconnects. The connection must be accepted."""
        channel = self.channel(run)
        limits = self.limits
        if len(channel.viewers) >= limits.viewers or self.viewers >= limits.viewers_in_all:
            await socket.close(TOO_MUCH, f"{len(channel.viewers)} viewers are already connected, the maximum")
            return
        await Viewer(socket, channel, may, limits.commands, self._workers).serve()

    async def join(self, socket: WebSocket, run: str) -> None:
        """Serves a simulation until it disconnects. The connection must be accepted. A simulation that
        reconnects replaces its old connection."""
        channel = self.channel(run)
        before = self._sockets.get(run)
        outbox = Outbox()
        sender: asyncio.Task[None] | None = None
        channel.users += 1
        try:
            hello = await self._hello(socket)
            if before is not None:
                with contextlib.suppress(Exception):
                    await before.close(1000, "the run has connected again")
            hello.hello.run = run
            self._sockets[run] = socket
            channel.begin(hello.hello, outbox)
            self._heard(run, hello)
            sender = asyncio.create_task(_pass_on(socket, outbox))
            while True:
                self._take(channel, parsed_of_any_size(await _next(socket)))
        except BadMessageError as error:
            with contextlib.suppress(Exception):
                await socket.close(error.code, str(error)[:120])
        except (_GoneError, RuntimeError):
            pass
        finally:
            channel.users -= 1
            if sender is not None:
                sender.cancel()
            _refuse(channel, outbox.left())
            if self._sockets.get(run) is socket:
                del self._sockets[run]
                channel.to_simulation = None
                if "ended" not in channel.newest:
                    self._lost(run)
            self.forget(run)

    async def _hello(self, socket: WebSocket) -> pb.Message:
        """The first message of a simulation. Raises BadMessageError."""
        try:
            message = parsed_of_any_size(await asyncio.wait_for(_next(socket), _HELLO))
        except asyncio.TimeoutError:
            raise BadMessageError(f"a simulation must send hello within {_HELLO:g} s") from None
        if message.WhichOneof("body") != "hello":
            raise BadMessageError("a simulation must send hello first")
        try:
            check_hello(message.hello)
        except ValueError as error:
            raise BadMessageError(str(error)) from None
        return message

    def _take(self, channel: Channel, message: pb.Message) -> None:
        kind = message.WhichOneof("body")
        if kind not in _KINDS:
            raise BadMessageError(f"unexpected message from a simulation: {kind or 'empty'}")
        try:
            channel.take(message)
        except ValueError as error:
            raise BadMessageError(str(error)) from None
        if kind in ("progress", "ended"):
            self._heard(channel.run, message)

    def forget(self, run: str) -> None:
        """Removes a channel without users; its content is in the run's folder."""
        channel = self.channels.get(run)
        if channel is not None and not channel.viewers and not channel.users and run not in self._sockets:
            del self.channels[run]

    def close(self) -> None:
        self._workers.shutdown(wait=False, cancel_futures=True)


class _GoneError(Exception):
    """Handles the end of the connection of a simulation."""


async def _next(socket: WebSocket) -> bytes:
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise _GoneError
    data = message.get("bytes")
    if data is None:
        raise BadMessageError("messages are binary")
    return bytes(data)


async def _pass_on(socket: WebSocket, outbox: Outbox) -> None:
    with contextlib.suppress(Exception):
        next_tick = 0.0
        while True:
            if clock.monotonic() >= next_tick:
                await socket.send_bytes(tick().SerializeToString())
                next_tick = clock.monotonic() + _TICK_EVERY
            message = await outbox.take(_TICK_EVERY)
            if message is not None:
                await socket.send_bytes(message.SerializeToString())


def _refuse(channel: Channel, commands: list[pb.Command]) -> None:
    """Tells viewers that commands were not sent because the connection of the simulation ended."""
    for command in commands:
        text = "not applied: the connection to the run was lost. Send it again after it is restored."
        name = command.WhichOneof("action") or ""
        channel.take(packed(acknowledged=pb.Acknowledged(id=command.id, refusal=text, command=name)))
