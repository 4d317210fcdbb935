"""The pictures of a finished run, painted from what its folder holds."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.plot import colors, metadata, movie
from eddyline.plot.chart import Chart
from eddyline.plot.charts import charts_of
from eddyline.plot.frame import LEVEL_NOTE, FramePainter, time_digits
from eddyline.plot.scene import Scene, TemporaryBody
from eddyline.run.folder import RunFolder
from eddyline.stream.corrupt import reading
from eddyline.stream.frames import LEVEL, Frame, FrameStore

if TYPE_CHECKING:
    from eddyline.run.record import Run

Raster = NDArray[np.float32]
PAINTERS = 3  # threads that paint the frames of a film
SCALE_FRAMES = 60  # frames that a movie's scale is found from, evenly spread


class RunPictures:
    """Paints the frames of a run in one quantity and with one scale for all."""

    def __init__(self, run: Run, quantity: str | None = None, *, width: int = 1280) -> None:
        self.run = run
        self.width = width
        self.store = RunFolder(run.folder).read_frames()
        self.scene = scene_of(run, whole=self._is_seen_from_outside())
        self.quantity = quantity or run.quantity
        self.metadata = metadata_of(run)
        if self.quantity not in self.quantities():
            known = ", ".join(self.quantities()) or "none (the run kept no frames)"
            raise ValueError(f"{run.folder}: its frames cannot show {self.quantity}; must be one of: {known}")

    def _is_seen_from_outside(self) -> bool:
        """True if the frames of a 3D flow show it from outside, as in older runs."""
        if self.run.world.dimensions == 2 or not len(self.store) or not self.store.quantities:
            return False
        return self.store.read(0, self.store.quantities[0]).shade is not None

    def __len__(self) -> int:
        """Number of frames."""
        return len(self.store)

    def quantities(self) -> list[str]:
        """Quantities that the kept frames can show."""
        kept = self.store.quantities
        made = [name for name, needed in _SOURCES.items() if kept and set(needed) <= set(kept) and self.store]
        if self.run.world.file.is_gas:
            made = [name for name in made if name != "density"]  # of a liquid it follows from the pressure
        if self.run.world.dimensions == 3:
            made = [name for name in made if name != "vorticity"]
        return list(dict.fromkeys([*kept, *made]))

    def frame(self, k: int) -> Frame:
        """Frame `k` of the quantity, as kept or made from what was kept."""
        if self.quantity in self.store.quantities:
            return self.store.read(k, self.quantity)
        parts = [self.store.read(k, name) for name in _SOURCES[self.quantity]]
        first = parts[0]
        values = _make(self.quantity, parts, self.run)
        return replace(first, quantity=self.quantity, values=values)

    @cached_property
    def scale(self) -> colors.Scale:
        """One scale for the whole run."""
        count = len(self.store)
        picked = np.unique(np.linspace(0, count - 1, min(count, SCALE_FRAMES)).round().astype(int))
        rasters = (
            colors.shown_values(self.quantity, self.frame(int(k)).values[::2, ::2], self.scene.density)
            for k in picked
        )
        return colors.robust_scale(colors.quantity_of(self.quantity, self.scene.density), rasters)

    @cached_property
    def painter(self) -> FramePainter:
        footer = f"Eddyline {self.metadata.version}   {self.metadata.fingerprint}"
        return FramePainter(
            self.scene,
            self.quantity,
            self.scale,
            width=self.width,
            footer=footer,
            note=LEVEL_NOTE if shows_levels(self.store, self.quantity) else "",
            digits=digits_of(self.store.index["time"]),
        )

    def save_picture(self, target: Path, k: int = -1) -> None:
        metadata.save_png(target, self.painter.paint(self.frame(k)), self.metadata)

    def save_movie(self, target: Path, after_frame: Callable[[int], None] = lambda count: None) -> int:
        """Writes an MP4 of all frames; gives their number."""
        return movie.write_movie(
            target,
            self._images(),
            self.metadata,
            rate=movie.frame_rate(len(self.store)),
            after_frame=after_frame,
        )

    def _images(self) -> Iterator[NDArray[np.uint8]]:
        """All frames, painted by some threads, as the coder is faster than one."""
        painter = self.painter
        with ThreadPoolExecutor(PAINTERS) as pool:
            coming: deque[Future[NDArray[np.uint8]]] = deque()
            for k in range(len(self.store)):
                coming.append(pool.submit(lambda k: painter.paint_padded(self.frame(k)), k))
                if len(coming) > 2 * PAINTERS:
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()


def digits_of(times: NDArray[np.float64]) -> int:
    """Decimals of the times of all pictures of a run, (n,) s."""
    apart = np.diff(times)[:-1]  # the last picture may follow at any time
    end = float(times[-1]) if times.size else 0.0
    return time_digits(end, float(np.median(apart)) if apart.size else 0.0)


def shows_levels(store: FrameStore, quantity: str) -> bool:
    """True if pictures of a quantity have outlines of finer cells."""
    return LEVEL in store.quantities and quantity != LEVEL


def scene_of(run: Run, *, whole: bool = False) -> Scene:
    """The world with the bodies as steering moved, added and removed them. whole: not cut."""
    steering = RunFolder(run.folder).steered(run.world)
    if steering is None:
        return Scene.of(run.world, whole=whole)
    world = steering.world
    temporary_bodies = [
        TemporaryBody(body, steering.added[body.name], math.inf)
        for body in world.core.bodies
        if body.name in steering.added
    ]
    temporary_bodies += [
        TemporaryBody(body, steering.added.get(name, -math.inf), time)
        for name, (body, time) in steering.removed.items()
    ]
    return Scene.of(world, temporary_bodies, whole=whole)


_SOURCES = {
    "speed": ("velocity_x", "velocity_y"),
    "vorticity": ("velocity_x", "velocity_y"),
    "density": ("pressure",),
}
"""Quantities that are computed from other rasters."""


def _make(quantity: str, parts: list[Frame], run: Run) -> Raster:
    first = parts[0]
    if quantity == "density":
        fluid = run.world.core.fluid
        if run.world.file.sph.scheme == "classic":  # Tait's state equation
            unit = np.float32(fluid.density * fluid.sound_speed**2 / 7)
            return np.float32(fluid.density) * (1 + first.values / unit) ** np.float32(1 / 7)
        return first.values / np.float32(fluid.sound_speed**2) + np.float32(fluid.density)
    x, y = first.values, parts[1].values
    if quantity == "speed":
        return np.hypot(x, y)
    rows, columns = x.shape
    across, along = (first.upper[0] - first.lower[0]) / columns, (first.upper[1] - first.lower[1]) / rows
    return slope(y, 1) / np.float32(across) - slope(x, 0) / np.float32(along)


def slope(values: Raster, axis: int) -> Raster:
    """Differences from pixel to pixel: the mean of the two sides, or the one side that is wet."""
    step = np.diff(values, axis=axis)
    pad = [(0, 0), (0, 0)]
    pad[axis] = (1, 1)
    step = np.pad(step, pad, constant_values=np.nan)
    length = values.shape[axis]
    before, after = np.take(step, range(length), axis), np.take(step, range(1, length + 1), axis)
    left, right = np.isnan(before), np.isnan(after)
    total = np.where(left, 0, before) + np.where(right, 0, after)
    count = 2 - left.astype(np.float32) - right
    out: Raster = np.where(count > 0, total / np.maximum(count, 1), np.nan).astype(np.float32)
    return out


def metadata_of(run: Run) -> metadata.Metadata:
    """Metadata of every picture of `run`. Raises CorruptFileError."""
    source = run.world.source
    with reading(RunFolder(run.folder).record):
        return metadata.Metadata(
            world=source,
            version=str(run.record["versions"]["eddyline"]),
            fingerprint=run.fingerprint,
            title=run.title,
            options=str(run.record.get("options", "")),
        )


def charts(run: Run) -> list[Chart]:
    stays = {each.body.name: (each.begin, each.end) for each in scene_of(run).temporary_bodies}
    return charts_of(
        run.world, {name: run.read_series(name) for name in run.series_names}, run.results_if_any, stays
    )


def save_charts(run: Run, folder: Path, made: list[Chart]) -> list[Path]:
    """Each chart as `folder/NAME.png`."""
    carried = metadata_of(run)
    paths = [folder / f"{chart.name}.png" for chart in made]
    for chart, path in zip(made, paths, strict=True):
        metadata.save_png(path, chart.image(), carried)
    return paths
