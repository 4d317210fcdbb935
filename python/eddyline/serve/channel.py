"""State of one run while it has viewers: the latest messages, and the view of each viewer."""

from __future__ import annotations

import asyncio
import math
import time as clock
from collections import deque

import numpy as np

from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed
from eddyline.live.rows import Rows
from eddyline.live.surfaces import key as surface_key
from eddyline.live.surfaces import merged as merged_surfaces
from eddyline.live.surfaces import selected
from eddyline.serve.detail import Detail
from eddyline.serve.rasters import Given, Gridded, particles_for

LASTING = ("progress", "marks", "bodies", "ended")
"""Kinds of messages whose latest one is sent to a viewer that connects later."""
MOST_COLUMNS = 1600  # of a raster
LIFETIME = 5.0
"""Seconds after which an undelivered command expires."""
_RAREST = 1 << 40  # largest accepted number of rows of a run
_MOST_COMMANDS = 256  # commands that wait for the connection of a simulation
_MOST_SERIES = 500
_MOST_NUMBERS = 100_000_000  # numbers of all series, kept for viewers
_MOST_CELLS = 20_000_000  # of a raster
_LONGEST = 2000  # characters of the answer of a simulation to a command


class Outbox:
    """Messages that wait to be sent to a simulation: commands in order, and the latest view."""

    def __init__(self) -> None:
        self._commands: deque[pb.Message] = deque()
        self._view: pb.Message | None = None
        self._change = asyncio.Event()

    def put(self, message: pb.Message) -> bool:
        """Adds a message; False if the queue is full."""
        if message.WhichOneof("body") == "view":
            self._view = message
        elif len(self._commands) >= _MOST_COMMANDS:
            return False
        else:
            self._commands.append(message)
        self._change.set()
        return True

    async def take(self, seconds: float) -> pb.Message | None:
        """The next message; None if none arrives within `seconds`."""
        timer = asyncio.get_running_loop().call_later(seconds, self._change.set)
        try:
            await self._change.wait()
        finally:
            timer.cancel()
        message = self._commands.popleft() if self._commands else self._view
        if message is self._view:
            self._view = None
        if self._view is None and not self._commands:
            self._change.clear()
        return message

    def left(self) -> list[pb.Command]:
        """Commands that have not been sent."""
        return [message.command for message in self._commands]


def late(command: pb.Command) -> str:
    """The reason why a command has expired; empty if it has not."""
    age = clock.monotonic() - command.asked_at
    if not command.asked_at or -LIFETIME <= age <= LIFETIME:
        return ""
    return f"expired, not applied: it arrived {abs(age):.0f} s late. Send it again."


class Channel:
    """Connects the simulation of a run with its viewers. For use in the event loop only."""

    def __init__(self, run: str) -> None:
        self.run = run
        self.hello: pb.Hello | None = None
        self.frame: pb.Frame | None = None
        self.newest: dict[str, pb.Message] = {}  # of LASTING
        self.versions: dict[str, int] = {}  # of what is in `newest`, and of acknowledged
        self.series: dict[str, Rows] = {}
        self.acknowledged: list[pb.Message] = []
        self.viewers: set[object] = set()
        self.views: dict[object, pb.View] = {}
        self.to_simulation: Outbox | None = None
        self.filling = asyncio.Lock()  # of one that is filled from a folder
        self.users = 0  # connections that are being opened and are not viewers yet
        self._news: set[asyncio.Event] = set()
        self._grids: dict[int, Gridded | Given] = {}
        self._rasters: dict[tuple[int, str, int, int], bytes] = {}
        self._frames: dict[tuple[object, ...], bytes] = {}
        self._serialized: dict[str, tuple[int, bytes]] = {}  # newest messages with their versions
        self._merged = pb.View()

    # --- news ---------------------------------------------------------------------------------------------

    def listen(self) -> asyncio.Event:
        event = asyncio.Event()
        event.set()
        self._news.add(event)
        return event

    def leave(self, viewer: object, event: asyncio.Event) -> None:
        self._news.discard(event)
        self.viewers.discard(viewer)
        self.views.pop(viewer, None)
        self.tell_view()

    def ring(self) -> None:
        for event in self._news:
            event.set()

    def take(self, message: pb.Message) -> None:
        """Receives a message of the simulation, other than hello. Raises ValueError."""
        kind = message.WhichOneof("body") or ""
        if kind == "frame":
            self._check_frame(message.frame)
            now = clock.monotonic()
            if not 0 < message.frame.made_at <= now:
                message.frame.made_at = now
            self.frame = message.frame
            self._grids.clear()
            self._rasters.clear()
            self._frames.clear()
        elif kind == "series":
            self._take_series(message.series)
        elif kind == "acknowledged":
            if message.ByteSize() > _LONGEST:
                raise ValueError("the answer to a command is too long")
            self.acknowledged = [*self.acknowledged[-99:], message]
            self.versions[kind] = self.versions.get(kind, 0) + 1
        elif kind in LASTING:
            self.newest[kind] = message
            self.versions[kind] = self.versions.get(kind, 0) + 1
        self.ring()

    def _take_series(self, rows: pb.SeriesRows) -> None:
        columns = [(column.name, column.unit) for column in rows.columns]
        lengths = {len(column.values) for column in rows.columns}
        if not columns or len(lengths) != 1:
            raise ValueError("columns of a series have different lengths")
        every = rows.every or 1
        if every & (every - 1) or every > _RAREST or rows.first > _RAREST:
            raise ValueError("rows of a series have invalid indices")
        kept = self.series.get(rows.name)
        if kept is None or kept.columns != columns:
            kept = Rows(columns)
        others = sum(len(each.columns) * each.count for each in self.series.values() if each is not kept)
        numbers = others + len(columns) * (kept.count + lengths.pop())
        if numbers > _MOST_NUMBERS or (len(self.series) >= _MOST_SERIES and rows.name not in self.series):
            raise ValueError("too many or too long series for the hub")
        self.series[rows.name] = kept
        kept.add(rows.first, np.array([column.values for column in rows.columns]).T, every)

    def _check_frame(self, frame: pb.Frame) -> None:
        """Raises ValueError if rasters cannot be made from the frame."""
        if frame.rasters:
            self._check_rasters(frame)
            return
        hello, parts = self.hello, frame.particles
        if hello is not None and not frame.HasField("particles") and frame.surfaces:
            return
        carried = [each.values for each in parts.carried]
        fits = all(
            codes.width == 2 and len(codes.data) == 2 * parts.count for codes in (*parts.position, *carried)
        )
        known = {each.quantity for each in parts.carried}
        needed = {f"velocity_{axis}" for axis in "xyz"[: hello.dimensions if hello else 0]}
        if hello is None or not fits or (parts.ids and len(parts.ids) != 8 * parts.count):
            raise ValueError("particles of a frame have different numbers of codes")
        if len(parts.position) != hello.dimensions or not needed <= known:
            raise ValueError("particles of a frame lack positions or velocities")

    def _check_rasters(self, frame: pb.Frame) -> None:
        """Raises ValueError if rasters of a frame cannot be shown."""
        known = {each.name for each in self.hello.quantities} if self.hello is not None else set()
        for each in frame.rasters:
            codes, cells = each.values, each.rows * each.columns
            if each.quantity not in known or not 0 < cells <= _MOST_CELLS:
                raise ValueError("a raster of a frame has an unknown quantity or size")
            if codes.width not in (1, 2) or len(codes.data) != codes.width * cells:
                raise ValueError("a raster of a frame has a wrong number of codes")
        if frame.HasField("particles"):
            raise ValueError("a frame has rasters and particles")

    def adopt(self, other: Channel) -> None:
        """Takes over the content of another channel, which was filled separately."""
        self.hello, self.series, self.newest = other.hello, other.series, other.newest
        self.versions = other.versions
        self.ring()

    # --- what viewers want --------------------------------------------------------------------------------

    def want(self, viewer: object, view: pb.View) -> None:
        self.views[viewer] = view
        self.tell_view()
        self.ring()

    def tell_view(self) -> None:
        """Sends the simulation the combined view of all viewers, if it has changed."""
        merged = pb.View()
        for view in self.views.values():
            wants = bool(view.quantities) or view.particles or bool(view.surfaces)
            if wants:
                merged.frames_per_second = max(merged.frames_per_second, view.frames_per_second)
                merged.smooth |= view.smooth
            if view.quantities:
                merged.columns = max(merged.columns, view.columns or MOST_COLUMNS)
            merged.particles |= view.particles
            merged.ids |= view.ids and view.particles
            merged.most_particles = max(merged.most_particles, view.most_particles)
            merged.quantities.extend(name for name in view.quantities if name not in merged.quantities)
        merged.surfaces.extend(
            merged_surfaces(each for view in self.views.values() for each in view.surfaces)
        )
        if merged != self._merged:
            self._merged = merged
            self.command(packed(view=merged))

    def command(self, message: pb.Message) -> bool:
        """Forwards a message to the simulation; False if there is none, or its queue is full. Commands
        expire."""
        if message.WhichOneof("body") == "command":
            asked = message.command.asked_at or clock.monotonic()
            message.command.not_after = min(asked, clock.monotonic()) + LIFETIME
        return self.to_simulation is not None and self.to_simulation.put(message)

    def begin(self, hello: pb.Hello, outbox: Outbox) -> None:
        """Registers a simulation that has connected, possibly again."""
        self.hello = hello
        self.to_simulation = outbox
        self.newest.pop("ended", None)
        self.command(packed(view=self._merged))
        self.ring()

    def newest_bytes(self, kind: str) -> bytes:
        """The newest message of a kind, serialized once for all viewers."""
        version = self.versions[kind]
        kept = self._serialized.get(kind)
        if kept is None or kept[0] != version:
            kept = self._serialized[kind] = (version, self.newest[kind].SerializeToString())
        return kept[1]

    def frame_bytes(self, frame: pb.Frame, view: pb.View, detail: Detail) -> bytes:
        """The message with what a view requests of a frame, made once for all viewers that request the same.
        May be called in any thread, but only in one at a time."""
        key = (*view.quantities, view.width, view.particles, view.particle_quantity, view.ids)
        key = (frame.index, detail, *key, view.velocities, *(surface_key(each) for each in view.surfaces))
        found = self._frames.get(key)
        if found is None:
            found = self._frames[key] = self._make_frame(frame, view, detail)
        return found

    def _make_frame(self, frame: pb.Frame, view: pb.View, detail: Detail) -> bytes:
        made = pb.Frame(
            index=frame.index, step=frame.step, time=frame.time, stored=frame.stored, made_at=frame.made_at
        )
        if frame.HasField("bodies"):
            made.bodies.CopyFrom(frame.bodies)
        parts = [made.SerializeToString()]
        for quantity in view.quantities:
            data = self.raster(frame, quantity, detail.columns, view.width or 2)
            if data is not None:
                parts.append(field_bytes(pb.Frame.RASTERS_FIELD_NUMBER, data))
        if view.particles and self.hello is not None and frame.HasField("particles"):
            thinned = pb.View()
            thinned.CopyFrom(view)
            thinned.most_particles = detail.particles
            particles = particles_for(frame, thinned, self.hello).SerializeToString()
            parts.append(field_bytes(pb.Frame.PARTICLES_FIELD_NUMBER, particles))
        for surface in selected(frame.surfaces, view.surfaces):
            parts.append(field_bytes(pb.Frame.SURFACES_FIELD_NUMBER, surface.SerializeToString()))
        version = pb.Message(version=pb.VERSION_CURRENT).SerializeToString()
        return version + field_bytes(pb.Message.FRAME_FIELD_NUMBER, b"".join(parts))

    def raster(self, frame: pb.Frame, quantity: str, columns: int, width: int) -> bytes | None:
        """A Raster of a frame, as bytes, made once for all viewers; None if it cannot be made. May be called
        in any thread, but only in one at a time."""
        hello = self.hello
        key = (frame.index, quantity, columns, width)
        unit = (
            next((each.unit for each in hello.quantities if each.name == quantity), None) if hello else None
        )
        if hello is None or unit is None or not _can_show(frame, quantity):
            return None
        if key not in self._rasters:
            grid = self._grids.get(columns)
            if grid is None or grid.frame is not frame:
                made = Given(frame, columns) if frame.rasters else Gridded(frame, hello, columns)
                grid = self._grids[columns] = made
            self._rasters[key] = grid.raster(quantity, unit, width).SerializeToString()
        return self._rasters[key]


def field_bytes(number: int, data: bytes) -> bytes:
    """A field of a message whose content is serialized already."""
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that another byte follows."""
    digits = bytearray()
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])


def _can_show(frame: pb.Frame, quantity: str) -> bool:
    if frame.rasters:
        return any(each.quantity == quantity for each in frame.rasters)
    if not frame.HasField("particles"):
        return False
    return quantity in ("speed", "vorticity") or any(
        each.quantity == quantity for each in frame.particles.carried
    )


def check_hello(hello: pb.Hello) -> None:
    """Raises ValueError if a run with this hello cannot be drawn."""
    dimensions, lower, upper = hello.dimensions, hello.lower, hello.upper
    if dimensions not in (2, 3) or len(lower) != dimensions or len(upper) != dimensions:
        raise ValueError("hello: dimensions must be 2 or 3, with as many coordinates in lower and upper")
    sizes = [high - low for low, high in zip(lower, upper, strict=True)]
    if not all(0 < size < math.inf for size in sizes) or not 0 < hello.spacing < math.inf:
        raise ValueError("hello: the domain and the spacing must be finite and larger than 0")
    if sizes[1] / sizes[0] * MOST_COLUMNS**2 > _MOST_CELLS:
        raise ValueError("hello: the domain is too tall for its width")
