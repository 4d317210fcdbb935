"""Pictures and film of the isosurfaces of a run, seen by the camera of its world."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.plot import colors, metadata, movie
from eddyline.plot.frame import FramePainter
from eddyline.plot.oblique import View
from eddyline.plot.surface_view import Body, Clip, paint
from eddyline.run.pictures import PAINTERS, SCALE_FRAMES, RunPictures, digits_of, metadata_of, scene_of
from eddyline.stream.frames import Frame
from eddyline.stream.surfaces import Surface
from eddyline.world.isosurfaces import isosurfaces_of, unit_of
from eddyline.world.surfaces import surface

if TYPE_CHECKING:
    from eddyline.run.record import Run
    from eddyline.world import World

BODY_TOLERANCE = 0.02
"""Tolerance of the surfaces of bodies, in spacings."""
LEVEL_ROOM = 0.35
"""Room of a scale beyond the levels, over their range."""
Raster = NDArray[np.float32]


def observer_of(world: World) -> str:
    """The observer that the camera of a world shows; empty without a camera."""
    camera = world.file.output.camera
    if camera is None:
        return ""
    return camera.surface or next(iter(isosurfaces_of(world.file)))


def pictures_of(run: Run, quantity: str | None = None, *, width: int = 1280) -> RunPictures | SurfacePictures:
    """The pictures of a run: of the camera of its world, if it has one, has kept surfaces, and no quantity is
    asked for; else of its frames. Raises ValueError if the frames cannot show the quantity."""
    if quantity is None and observer_of(run.world) in run.surfaces:
        return SurfacePictures(run, width=width)
    return RunPictures(run, quantity, width=width)


class SurfacePictures:
    """Paints the stored surfaces of one observer, all of a step in one picture, with one scale for all."""

    def __init__(self, run: Run, *, width: int = 1280) -> None:
        """Requires a run with `observer_of(run.world)`."""
        self.run, self.width = run, width
        self.quantity = observer_of(run.world)
        self.observer = isosurfaces_of(run.world.file)[self.quantity]
        self.surfaces = run.surfaces.get(self.quantity)
        steps = np.array([], dtype=np.int64) if self.surfaces is None else self.surfaces.steps
        self.steps = np.unique(steps)
        self.scene = scene_of(run, whole=True)
        self.metadata = metadata_of(run)

    def __len__(self) -> int:
        return len(self.steps)

    def _at(self, k: int) -> list[Surface]:
        assert self.surfaces is not None
        return [self.surfaces[int(n)] for n in (self.surfaces.steps == self.steps[k]).nonzero()[0]]

    def frame(self, k: int) -> Frame:
        camera, cut = self.run.world.file.output.camera, self.run.world.file.output.cut
        assert camera is not None
        clip = None
        if cut is not None and cut.normal != "none":
            axis = "xyz".index(cut.normal)
            middle = 0.5 * (self.scene.lower[axis] + self.scene.upper[axis])
            clip = Clip(axis, middle if cut.at is None else cut.at)
        view, surfaces = self._view, self._at(k)
        is_open = self.observer.quantity != "fluid"
        bodies = self._bodies(surfaces[0].time)
        seen = paint(view, self.scene.spacing, surfaces, clip, is_open=is_open, bodies=bodies)
        return Frame(
            time=surfaces[0].time,
            step=int(self.steps[k]),
            quantity=self.shown.name,
            values=seen.values,
            lower=view.lower,
            upper=view.upper,
            solid=seen.solid,
            shade=seen.shade,
        )

    def _bodies(self, time: float) -> list[Body]:
        """The bodies of the world file where they are at a time."""
        found = []
        for table in self.run.world.file.bodies.values():
            made, motion = surface(table, BODY_TOLERANCE * self.scene.spacing), table.core_motion
            vertices = made.vertices if motion is None else motion.place(made.vertices, time)
            found.append((vertices, made.triangles))
        return found

    @cached_property
    def _view(self) -> View:
        camera = self.run.world.file.output.camera
        assert camera is not None
        return View.of(self.scene, math.radians(camera.azimuth), math.radians(camera.elevation))

    @cached_property
    def shown(self) -> colors.Quantity:
        """The quantity of the colours: the colour of the surfaces, or their level."""
        name = self.observer.color or self.observer.quantity
        known = colors.QUANTITIES.get(name)
        if known is not None:
            return known
        values = self._samples()
        signs = np.sign(np.concatenate(values)) if values else np.zeros(0)
        both = bool((signs > 0).any() and (signs < 0).any())
        unit = unit_of(self.run.world.file, name)
        return colors.unknown_quantity(name, unit, diverging=both)

    def _samples(self) -> list[Raster]:
        """Values of some frames."""
        picked = np.unique(
            np.linspace(0, len(self) - 1, min(len(self), SCALE_FRAMES // 3)).round().astype(int)
        )
        return [
            np.full(1, each.level, dtype=np.float32)
            if each.colors is None
            else each.colors.astype(np.float32)
            for k in picked
            for each in self._at(int(k))
        ]

    @cached_property
    def scale(self) -> colors.Scale:
        found = colors.robust_scale(self.shown, self._samples())
        if self.observer.color is not None:
            return found
        # Lit surfaces are seen best in colours away from the ends of the map.
        room = LEVEL_ROOM * (found.high - found.low)
        return colors.Scale(found.low - room, found.high + room)

    @cached_property
    def painter(self) -> FramePainter:
        footer = f"Eddyline {self.metadata.version}   {self.metadata.fingerprint}"
        times = np.zeros(1) if self.surfaces is None else np.unique(self.surfaces.times)
        return FramePainter(
            self.scene,
            self.shown,
            self.scale,
            width=self.width,
            footer=footer,
            digits=digits_of(times),
            view=self._view,
        )

    def save_picture(self, target: Path, k: int = -1) -> None:
        image = self.painter.paint(self.frame(k % len(self)))
        metadata.save_png(target, image, self.metadata)

    def save_movie(self, target: Path, after_frame: Callable[[int], None] = lambda count: None) -> int:
        """Writes an MP4 of all steps that have surfaces; gives their number."""
        return movie.write_movie(
            target, self._images(), self.metadata, rate=movie.frame_rate(len(self)), after_frame=after_frame
        )

    def _images(self) -> Iterator[NDArray[np.uint8]]:
        painter = self.painter
        with ThreadPoolExecutor(PAINTERS) as pool:
            coming: deque[Future[NDArray[np.uint8]]] = deque()
            for k in range(len(self)):
                coming.append(pool.submit(lambda k: painter.paint_padded(self.frame(k)), k))
                if len(coming) > 2 * PAINTERS:
                    yield coming.popleft().result()
            while coming:
                yield coming.popleft().result()
