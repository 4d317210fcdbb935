"""What is known of one run while somebody looks: the newest of everything, and who wants what of it."""

from __future__ import annotations

import asyncio

import numpy as np

from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed
from eddyline.live.rows import Rows
from eddyline.serve.rasters import Gridded

LASTING = ("progress", "marks", "bodies", "ended")
"""Kinds of which a viewer that comes late gets the newest."""
_RAREST = 1 << 40  # rows of the run, beyond which no number is believed


class Channel:
    """A run: its simulation on one side, viewers on the other. Used in the event loop only."""

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
        self.to_simulation: asyncio.Queue[bytes] | None = None
        self._news: set[asyncio.Event] = set()
        self._grids: dict[int, Gridded] = {}
        self._rasters: dict[tuple[int, str, int, int], bytes] = {}
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
        """A message of the simulation, hello apart."""
        kind = message.WhichOneof("body") or ""
        if kind == "frame":
            self.frame = message.frame
            self._grids.clear()
            self._rasters.clear()
        elif kind == "series":
            self._take_series(message.series)
        elif kind == "acknowledged":
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
            raise ValueError("rows of a series have impossible numbers")
        kept = self.series.setdefault(rows.name, Rows(columns))
        if kept.columns != columns:
            kept = self.series[rows.name] = Rows(columns)
        kept.add(rows.first, np.array([column.values for column in rows.columns]).T, every)

    # --- what viewers want --------------------------------------------------------------------------------

    def want(self, viewer: object, view: pb.View) -> None:
        self.views[viewer] = view
        self.tell_view()
        self.ring()

    def tell_view(self) -> None:
        """Tells the simulation what all viewers together want, if that has changed."""
        merged = pb.View()
        for view in self.views.values():
            wants = bool(view.quantities) or view.particles
            if wants:
                merged.frames_per_second = max(merged.frames_per_second, view.frames_per_second)
            merged.particles |= view.particles
            merged.ids |= view.ids and view.particles
            merged.most_particles = max(merged.most_particles, view.most_particles)
            merged.quantities.extend(name for name in view.quantities if name not in merged.quantities)
        if merged != self._merged:
            self._merged = merged
            self.command(packed(view=merged))

    def command(self, message: pb.Message) -> bool:
        """Passes a message on to the simulation; False if there is none."""
        if self.to_simulation is None:
            return False
        try:
            self.to_simulation.put_nowait(message.SerializeToString())
        except asyncio.QueueFull:
            return False
        return True

    def begin(self, hello: pb.Hello, queue: asyncio.Queue[bytes]) -> None:
        """A simulation has come, or come back."""
        self.hello = hello
        self.to_simulation = queue
        self.newest.pop("ended", None)
        self.command(packed(view=self._merged))
        self.ring()

    def raster(self, frame: pb.Frame, quantity: str, columns: int, width: int) -> bytes | None:
        """A Raster of a frame, as bytes; made once for all viewers. None if it cannot be made. May be called
        in another thread, by one at a time."""
        hello = self.hello
        key = (frame.index, quantity, columns, width)
        unit = (
            next((each.unit for each in hello.quantities if each.name == quantity), None) if hello else None
        )
        if hello is None or unit is None:
            return None
        if key not in self._rasters:
            grid = self._grids.get(columns)
            if grid is None or grid.frame is not frame:
                grid = self._grids[columns] = Gridded(frame, hello, columns)
            self._rasters[key] = grid.raster(quantity, unit, width).SerializeToString()
        return self._rasters[key]
