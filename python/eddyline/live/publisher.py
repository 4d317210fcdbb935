"""The connection of a run to a hub: a thread of its own, which the computation never waits for.

What is newest wins: of frames and progress one each is kept. Rows of series are kept from the beginning, so
that a hub that was gone, or came late, gets them; of a very long series only every so-manyth, see `Rows`: all
of them stand in the run's folder. A hub that is dead costs an attempt to connect now and then.
"""

from __future__ import annotations

import contextlib
import threading
import time as clock
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.live import stream_pb2 as pb
from eddyline.live.address import Address
from eddyline.live.rows import Block, Rows, kept_before

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

MOST_COMMANDS = 64  # commands that wait to be applied
ROWS_OF_A_MESSAGE = 2000
PATIENCE = 3.0  # s that the end of a run waits for a hub
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 10.0  # s between attempts to connect
_LARGEST = 1 << 16  # bytes of a message from the hub
_REFUSED = (4401, 4403, 4404, 4406)  # codes with which the hub refuses this run


@dataclass
class _Series:
    """A series so far: its number of rows, the stored rows, and the number of those that the hub has."""

    kept: Rows
    rows: int = 0
    sent: int = 0

    def add(self, rows: NDArray[np.float64]) -> None:
        every = self.kept.every
        self.kept.add(self.rows, rows)
        self.rows += len(rows)
        self.sent = kept_before(self.sent, self.kept.every // every)

    @property
    def has_news(self) -> bool:
        return self.sent < self.kept.count

    def take(self, name: str) -> Block:
        """Rows that the hub has not received yet, at most ROWS_OF_A_MESSAGE."""
        block = self.kept.block(name, self.sent, ROWS_OF_A_MESSAGE)
        self.sent += len(block.values)
        return block


class Publisher:
    """Sends what a run shows to a hub, and takes what the hub says to it.

    `view`: what viewers want to see now. `arrived`: called, in the thread of the connection, when a command
    can be taken; whoever takes it acknowledges it.
    """

    def __init__(self, address: Address, hello: pb.Hello, arrived: Callable[[], None]) -> None:
        self.view = pb.View()
        self.connected = False
        self.has_connected = False  # ever
        self.refusal = ""  # why codes with which the hub refuses this run
        self.cost = 0.0  # processor time that the last frame took to send [s]
        self._address = address
        self._hello = hello
        self._arrived = arrived
        self._commands: deque[pb.Command] = deque()
        self._taken = 0  # commands that were taken and are not acknowledged
        self._series: dict[str, _Series] = {}
        self._slots: dict[str, pb.Message] = {}  # latest message of each kind, to be sent
        self._lasting: dict[
            str, pb.Message
        ] = {}  # latest message of each kind that a new connection receives, too
        self._acknowledged: deque[pb.Message] = deque(maxlen=1000)
        self._change = threading.Condition()
        self._hub_ahead = float("-inf")  # estimated clock of the hub minus the local clock [s]
        self._closed = self._has_tried = False
        self._thread = threading.Thread(target=self._work, name="eddyline-live", daemon=True)
        self._thread.start()

    # --- from the computation -----------------------------------------------------------------------------

    def put(self, kind: str, message: pb.Message, *, lasting: bool = False) -> None:
        """Stores the latest message of a kind; an earlier unsent one is dropped."""
        with self._change:
            self._slots[kind] = message
            if lasting:
                self._lasting[kind] = message
            self._change.notify()

    def acknowledge(self, message: pb.Message) -> None:
        """Answers a command that was taken."""
        with self._change:
            self._taken -= 1
            self._acknowledged.append(message)
            self._change.notify()

    def add_rows(
        self, series: Mapping[str, tuple[Sequence[str], Sequence[str], NDArray[np.float64]]]
    ) -> None:
        """New rows: {name: (columns, units, (rows, columns) float64)}."""
        with self._change:
            for name, (columns, units, rows) in series.items():
                if name not in self._series:
                    self._series[name] = _Series(Rows(list(zip(columns, units, strict=True))))
                self._series[name].add(rows)
            self._change.notify()

    def take_commands(self) -> list[pb.Command]:
        with self._change:
            taken = list(self._commands)
            self._commands.clear()
            self._taken += len(taken)
        return taken

    @property
    def frame_is_waiting(self) -> bool:
        """True while the last frame has not been sent."""
        return "frame" in self._slots

    def close(self, ended: pb.Message) -> None:
        """Sends the end of the run if the hub is connected, and closes the connection."""
        self.put("ended", ended, lasting=True)
        with self._change:
            self._closed = True
            self._change.notify()
        self._thread.join(PATIENCE if self.connected or not self._has_tried else 0.0)

    @property
    def hub_clock(self) -> float:
        """The hub's clock now [s], too low by the time that its ticks take; 0 while it is unknown."""
        ahead = self._hub_ahead
        return clock.monotonic() + ahead if ahead > float("-inf") else 0.0

    @property
    def url(self) -> str:
        return self._address.url

    # --- the thread ---------------------------------------------------------------------------------------

    def _work(self) -> None:
        pause = _FIRST_PAUSE
        while not (
            self._closed and self._has_tried
        ):  # even the shortest run is streamed, or gets the reason why not
            try:
                self._speak()
                pause = _FIRST_PAUSE
            except _NotWantedError:
                return
            except Exception:  # failures of the hub never stop the run
                pause = min(2 * pause, _LONGEST_PAUSE)
            self._has_tried = True
            self.connected = False
            with self._change:
                if not self._closed:
                    self._change.wait_for(lambda: self._closed, pause)

    def _speak(self) -> None:
        """One connection, from hello to its end."""
        from websockets.exceptions import ConnectionClosed
        from websockets.sync.client import connect

        headers = {"Authorization": f"Bearer {self._address.token}"}
        with connect(
            self._address.url,
            additional_headers=headers,
            compression=None,
            max_size=_LARGEST,
            open_timeout=5,
            close_timeout=1,
            proxy=None,
        ) as socket:
            listener = threading.Thread(target=self._listen, args=(socket,), daemon=True)
            try:
                socket.send(packed(hello=self._hello).SerializeToString())
                self._begin_again()
                listener.start()
                self._send_all(socket, listener)
            except (ConnectionClosed, ConnectionError):
                if socket.close_code in _REFUSED:
                    self.refusal = socket.close_reason or "it refused the connection"
                    raise _NotWantedError from None
                raise

    def _begin_again(self) -> None:
        """A new connection receives all rows and the latest lasting messages."""
        with self._change:
            for series in self._series.values():
                series.sent = 0
            self._hub_ahead = float("-inf")
            self._slots = {**self._lasting, **self._slots}
            self.connected = self.has_connected = True

    def _send_all(self, socket: ClientConnection, listener: threading.Thread) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._has_news() or self._closed, 0.5)
                news = self._take_news()
                over = self._closed and not news
            for each in news:
                message = packed(series=each.message()) if isinstance(each, Block) else each
                began = clock.thread_time()
                socket.send(message.SerializeToString())
                if message.WhichOneof("body") == "frame":
                    self.cost = clock.thread_time() - began
            if over:
                return
            if not listener.is_alive():
                raise ConnectionError("the hub has closed the connection")

    def _has_news(self) -> bool:
        waiting = any(series.has_news for series in self._series.values())
        return bool(self._slots or self._acknowledged or waiting)

    def _take_news(self) -> list[pb.Message | Block]:
        """Returns the data to send next: small portions, so that the latest frame is not delayed. Blocks are
        encoded later, because the computation may wait for the lock."""
        news: list[pb.Message | Block] = list(self._acknowledged)
        self._acknowledged.clear()
        ended = self._slots.pop("ended", None)
        news += [series.take(name) for name, series in self._series.items() if series.has_news]
        news += self._slots.values()
        self._slots.clear()
        if ended is not None and any(series.has_news for series in self._series.values()):
            self._slots["ended"] = ended  # after the last rows
        elif ended is not None:
            news.append(ended)
        return news

    def _listen(self, socket: ClientConnection) -> None:
        with contextlib.suppress(Exception):
            for data in socket:
                if isinstance(data, bytes):
                    self._hear(data)
        with self._change:
            self._change.notify()

    def _hear(self, data: bytes) -> None:
        message = pb.Message.FromString(data)
        kind = message.WhichOneof("body")
        if kind == "view":
            self.view = message.view
        elif kind == "tick":
            self._hub_ahead = max(self._hub_ahead, message.tick.clock - clock.monotonic())
        elif kind == "command":
            refusal = self._take_command(message.command)
            if refusal:
                name = message.command.WhichOneof("action") or ""
                said = pb.Acknowledged(id=message.command.id, refusal=refusal, command=name)
                with self._change:
                    self._acknowledged.append(packed(acknowledged=said))
                    self._change.notify()
            else:
                self._arrived()

    def _take_command(self, command: pb.Command) -> str:
        """Reason for refusing a command; otherwise the command waits for the end of a step. Commands that
        were delayed by a broken link expire."""
        late = clock.monotonic() + self._hub_ahead - command.not_after
        if command.not_after and late > 0:
            return f"expired, not applied: it arrived {late:.0f} s too late. Send it again."
        command.ClearField("not_after")
        command.ClearField("asked_at")
        with self._change:
            if len(self._commands) + self._taken >= MOST_COMMANDS:
                return f"{MOST_COMMANDS} commands are already waiting. Send it again later."
            self._commands.append(command)
        return ""


class _NotWantedError(Exception):
    """The hub has refused this run for good."""


def packed(**body: object) -> pb.Message:
    """A message of this version with one body."""
    return pb.Message(version=pb.VERSION_CURRENT, **body)  # type: ignore[arg-type]
