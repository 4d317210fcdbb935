"""Connections of uvicorn with time limits: slow requests and answers that are not read are closed.

uvicorn limits how long a connection may rest between two requests, and how long a WebSocket may leave a ping
unanswered. This adds limits to everything between: headers, bodies, answers that are not read, messages in
many parts, and the number of connections.
"""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from collections.abc import Callable
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

HEADERS = 10.0  # time limit [s] of the headers of a request, from its connection or first byte
BODY = 30.0  # time limit [s] of a body, plus one second per SLOWEST bytes
SLOWEST = 20_000  # bytes a second
READING = 60.0  # time limit [s] for a client to read pending data
PARTS = 30.0  # time limit [s] of a message in several parts
FRAMES = 2000.0  # frames per second that a WebSocket may send, of any kind
_BURST = 5000
_MOST_PARTS = 4096  # of a message
_AT_ONCE = 8192  # bytes read before other connections proceed: each of many small parts takes time
_LARGEST_OF_VIEWERS = 128 * 1024  # bytes of a message; longer ones than LARGEST are refused with the reason
_KEPT_HANDLES = 200  # open files that are not connections


class ConnectionLimit:
    """Number of connections. most: in all; of_client: of one address. If it is reached, connections without a
    request so far are closed, the oldest first."""

    def __init__(self, most: int, of_client: int) -> None:
        handles = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self.most = max(min(most, handles - _KEPT_HANDLES), 16)
        self.of_client = min(of_client, self.most)
        self._there: Counter[str] = Counter()
        self._silent: dict[Http, str] = {}  # and their addresses

    def enters(self, connection: Http, address: str) -> bool:
        """Counts one more connection and returns True if there is room for it."""
        if self._there.total() >= self.most:
            self._make_room(set(self._silent.values()))
        elif self._there[address] >= self.of_client:
            self._make_room({address})
        if self._there.total() >= self.most or self._there[address] >= self.of_client:
            return False
        self._there[address] += 1
        self._silent[connection] = address
        return True

    def _make_room(self, addresses: set[str]) -> None:
        oldest = next((each for each, address in self._silent.items() if address in addresses), None)
        if oldest is not None:
            oldest.go()

    def hears(self, connection: Http) -> None:
        """Marks a connection that has sent a request."""
        self._silent.pop(connection, None)

    def leaves(self, address: str) -> None:
        self._there[address] -= 1
        if self._there[address] <= 0:
            del self._there[address]


class _Deadline:
    """Closes a connection after a time limit unless it is cancelled."""

    def __init__(self, loop: asyncio.AbstractEventLoop, end: Callable[[], None]) -> None:
        self._loop, self._end = loop, end
        self._timer: asyncio.TimerHandle | None = None

    def set(self, seconds: float) -> None:
        self.drop()
        self._timer = self._loop.call_later(seconds, self._end)

    def drop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def is_set(self) -> bool:
        return self._timer is not None


class Http(H11Protocol):
    """HTTP with deadlines. A connection that becomes a WebSocket is counted until it ends."""

    limit: ConnectionLimit

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._counts = self.limit.enters(self, self._address)
        _read_little(transport)
        self._saying, self._reading = (_Deadline(self.loop, transport.abort) for _ in range(2))
        self._taken, self._began, self._is_upgraded = 0, 0.0, False
        if not self._counts:
            transport.abort()
            return
        self._saying.set(HEADERS)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        self._saying.drop()
        self._reading.drop()
        self._leave()

    def _leave(self) -> None:
        if self._counts:
            self._counts = False
            self.limit.hears(self)
            self.limit.leaves(self._address)

    def go(self) -> None:
        """Closes the connection to make room for another one."""
        self._leave()
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        began = self.cycle
        self._taken += len(data)
        if self.conn.their_state is h11.IDLE and not self._saying.is_set:
            self._saying.set(HEADERS)
        super().data_received(data)
        if self._is_upgraded:
            return
        if self.cycle is not began and self.cycle is not None:
            self.limit.hears(self)
            self._taken = 0
            self._saying.set(BODY)
            self._began = self.loop.time()
        if self.conn.their_state is not h11.SEND_BODY and self.conn.their_state is not h11.IDLE:
            self._saying.drop()
        elif self.conn.their_state is h11.SEND_BODY:
            left = BODY + self._taken / SLOWEST - (self.loop.time() - self._began)
            self._saying.set(max(left, 0.0))

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self._saying.set(HEADERS)  # the next request has begun
        elif self.conn.their_state is not h11.SEND_BODY:
            self._saying.drop()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._is_upgraded = True
        self.limit.hears(self)
        self._saying.drop()
        self._reading.drop()
        made = self.ws_protocol_class

        def following(**given: Any) -> asyncio.Protocol:
            protocol = made(**given)  # type: ignore[misc]
            if isinstance(protocol, WebSockets) and self._counts:
                self._counts = False
                protocol.follow(self.limit, self._address)
            return cast(asyncio.Protocol, protocol)

        self.ws_protocol_class = following  # type: ignore[assignment]
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading.set(READING)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._reading.drop()


class WebSockets(WebSocketsSansIOProtocol):
    """WebSockets that are closed if their client neither answers nor reads."""

    _limit: ConnectionLimit | None = None
    _address = ""

    def follow(self, limit: ConnectionLimit, address: str) -> None:
        """Counts as one connection of an address until it ends."""
        self._limit, self._address = limit, address

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._frames, self._since = 0.0, self.loop.time()
        self._parts = _Deadline(self.loop, self.transport.abort)
        self._reading = _Deadline(self.loop, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._parts.drop()
        self._reading.drop()
        if self._limit is not None:
            self._limit.leaves(self._address)
            self._limit = None

    def handle_events(self) -> None:
        now = self.loop.time()
        self._frames = max(self._frames - (now - self._since) * FRAMES, 0.0) + len(self.conn.events)
        self._since = now
        if self._frames > _BURST:
            self.transport.abort()
            return
        super().handle_events()

    def handle_connect(self, event: Any) -> None:
        if not event.path.startswith("/api/simulations/"):
            self.conn.max_message_size = _LARGEST_OF_VIEWERS
        super().handle_connect(event)

    def handle_text(self, event: Frame) -> None:
        self._begin_parts(event)
        super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        self._begin_parts(event)
        super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) >= _MOST_PARTS:
            self.transport.abort()
            return
        if event.fin:
            self._parts.drop()
        super().handle_cont(event)

    def _begin_parts(self, event: Frame) -> None:
        if not event.fin:
            self._parts.set(PARTS)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading.set(READING)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._reading.drop()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()  # pending data would keep it open forever


def http(most: int, of_client: int) -> type[Http]:
    """The protocol of one server, with its own count of connections."""
    return type("Http", (Http,), {"limit": ConnectionLimit(most, of_client)})


def _read_little(transport: asyncio.Transport) -> None:
    if hasattr(transport, "max_size"):  # of the asyncio event loop
        transport.max_size = _AT_ONCE
