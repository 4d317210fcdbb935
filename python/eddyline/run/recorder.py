"""Records a run while it runs: series, frames, snapshots and surfaces, each at its times."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.plot import oblique
from eddyline.plot.scene import MESH_PIXEL, Scene
from eddyline.run.derived import Series as Rows
from eddyline.run.derived import derive
from eddyline.run.schedule import Schedule
from eddyline.run.surfaces import SurfaceRecorder
from eddyline.run.view import paint_bodies, paint_fluid
from eddyline.stream import atomic
from eddyline.stream.cells import CellFiles, layout_of
from eddyline.stream.checkpoints import Checkpoint, write_checkpoint
from eddyline.stream.checksums import NAME as CHECKSUMS
from eddyline.stream.checksums import append_checksums, cut_checksums
from eddyline.stream.frames import FrameFiles, Known, Picture
from eddyline.stream.series import SeriesFiles
from eddyline.stream.snapshot_files import SnapshotFiles
from eddyline.stream.writer import Writer

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.run.folder import RunFolder
    from eddyline.world import World

PIXELS = 1600  # the longest side of a raster
PIXEL = 5 / 4  # in spacings: finer than what a value is a mean over
ROWS_PATIENCE, ROWS_WAIT = 2500, 5.0
"""Interval between fetches of series rows, in multiples of their duration, and its upper limit in seconds of
wall time. With writing, which takes three times as long, the cost is a sixth of a percent."""


class Recorder:
    """Copies what is due after a step; the writing is done by `writer`, beside the computation. frame_files:
    of the folder, to be closed when it is done."""

    def __init__(
        self,
        world: World,
        simulation: _core.Simulation,
        folder: RunFolder,
        frame_files: FrameFiles,
        writer: Writer,
    ) -> None:
        self._world = world
        self.simulation = simulation
        self.writer = writer
        self.scene = Scene.of(world)
        self.quantity = world.output.quantity
        self._units = dict(simulation.quantities)
        self._also_kept = world.solver.kept(world.file)
        self.frames = 0
        self._series = SeriesFiles(folder.series)
        self._snapshots = _snapshot_files(world, folder)
        self._checksums = folder.path / CHECKSUMS
        self._frame_files = frame_files
        self._surfaces = SurfaceRecorder(world, simulation, folder.surfaces, writer)
        self._pictures_due = Schedule(world.output.picture_interval)
        has_snapshots = bool(world.solver.snapshot_fields(world.file)) or self.simulation.has_points
        self._snapshots_due = Schedule(world.output.snapshot_interval if has_snapshots else 0.0)
        self._last_picture = self._last_snapshot = -1
        self._view = oblique.View.of(self.scene) if self.scene.dimensions == 3 else None
        self.bodies_change = bool(self.scene.moving)  # so that views of 3D paint them anew for each frame
        self._bodies: oblique.Painting | None = None
        self._snapshots_taken = 0
        self._frames_due = 0
        self._rows_due = 0.0  # wall clock [s]
        self.on_rows: Callable[[Mapping[str, Rows]], None] = lambda rows: None  # gets all rows of series, too

    def begin_again(self) -> None:
        """Deletes what a folder holds of a run that ended before its first checkpoint."""
        self._series.cut(-math.inf)
        self._frame_files.cut(0)
        self._snapshots.cut(0)
        self._surfaces.begin_again()
        cut_checksums(self._checksums, -1)

    def go_on(self, checkpoint: Checkpoint) -> None:
        """Takes up the folder as it was at `checkpoint`: what came later is deleted. Raises CorruptFileError
        before anything is if it does not hold what came earlier."""
        self._frame_files.check(checkpoint.frames)
        self._snapshots.check(checkpoint.snapshots)
        self._series.cut(checkpoint.time)
        for due in (self._pictures_due, self._snapshots_due):
            due.take(checkpoint.time)
        self.frames = self._frames_due = checkpoint.frames
        self._snapshots_taken = checkpoint.snapshots
        self._last_picture = self._frame_files.cut(checkpoint.frames)
        self._last_snapshot = self._snapshots.cut(checkpoint.snapshots)
        self._surfaces.go_on(checkpoint.step, checkpoint.time)
        cut_checksums(self._checksums, checkpoint.step)

    def save(self, folder: Path, ranks: int, world: str) -> None:
        """Writes a checkpoint, after everything that came before it is on the disk."""
        self.write_series()
        self.writer.finish()
        for files in (self._series, self._frame_files, self._snapshots, self._surfaces):
            files.sync()
        if self._checksums.is_file():
            atomic.sync(self._checksums)
        write_checkpoint(
            folder,
            (self.simulation.save(rank) for rank in range(ranks)),
            step=self.simulation.step_count,
            time=self.simulation.time,
            frames=self._frames_due,
            snapshots=self._snapshots_taken,
            world=world,
        )

    @property
    def next_time(self) -> float:
        """When the next picture, snapshot or surface is due [s]."""
        return min(self._pictures_due.next_time, self._snapshots_due.next_time, self._surfaces.next_time)

    def after_steps(self) -> None:
        """Keeps what is due now. Raises what the writing of earlier things raised."""
        self.writer.check()
        if clock.perf_counter() >= self._rows_due:
            self.write_series()
        time = self.simulation.time
        if self._pictures_due.take(time):
            self._take_picture()
            self._frames_due = self.frames
        self._surfaces.after_steps()
        if self._snapshots_due.take(time):
            self.write_series()  # what is known of a snapshot's time stands before it
            self._take_snapshot()
            self._snapshots_taken += 1
        self._snapshots.renew_index_if_due(self.writer.put)

    def finish(self, *, state_is_sound: bool = True) -> None:
        """Keeps the last state as well, and waits until everything is on disk."""
        self.write_series()
        if state_is_sound:
            if self._last_picture != self.simulation.step_count:
                self._take_picture()
            if self._snapshots_due.interval > 0 and self._last_snapshot != self.simulation.step_count:
                self._take_snapshot()
        self._snapshots.finish(self.writer.put)
        self.writer.close()

    def write_series(self) -> None:
        start = clock.perf_counter()
        rows = derive(self._world, self.simulation.take_series())
        self.on_rows(rows)
        self.writer.put(lambda: self._series.append(rows))
        checksums = self.simulation.take_checksums()
        if checksums:
            self.writer.put(lambda: append_checksums(self._checksums, checksums))
        end = clock.perf_counter()
        self._rows_due = end + min(ROWS_PATIENCE * (end - start), ROWS_WAIT)

    def _take_snapshot(self) -> None:
        self._last_snapshot = self.simulation.step_count
        self._snapshots.take(self.simulation, self.writer.put)

    def _take_picture(self) -> None:
        self.frames += 1
        self._last_picture = self.simulation.step_count
        if self._view is None:
            picture = self._plane()
            self.writer.put(lambda: self._frame_files.append(picture))
        else:
            self._put_view(self._view)

    def _plane(self) -> Picture:
        """Rasters of a two-dimensional flow or of a plane, all at once, with the cover where a free surface
        shows."""
        scene = self.scene
        names = list(dict.fromkeys([self.quantity, *self._also_kept]))
        wanted = [*names, "cover"] if self._world.has_free_surface else names
        shape = raster_shape(self._world, scene)
        drawn = self.simulation.known_rasters(wanted, shape, *scene.corners, scene.axes)
        rasters = {name: Known(shape, *pixels) for name, pixels in zip(wanted, drawn, strict=True)}
        return Picture(
            time=self.simulation.time,
            step=self.simulation.step_count,
            lower=scene.lower[:2],
            upper=scene.upper[:2],
            cover=rasters.pop("cover", None),
            rasters=rasters,
            units=self._units,
        )

    def _put_view(self, view: oblique.View) -> None:
        time, step = self.simulation.time, self.simulation.step_count
        quantities = sorted({self.quantity, *self._also_kept})
        if self._bodies is None or self.bodies_change:
            self._bodies = oblique.Painting(view, self.scene.spacing, quantities)
            for job in paint_bodies(self._bodies, self.simulation):
                self.writer.put(job)
        bodies = self._bodies
        painting = oblique.Painting(view, self.scene.spacing, quantities)
        for job in paint_fluid(painting, self.simulation, quantities):
            self.writer.put(job)

        def write() -> None:
            painting.add_solids_of(bodies)
            seen = painting.finish()
            rasters = {name: Known.of(values, seen.solid) for name, values in seen.values.items()}
            picture = Picture(time, step, view.lower, view.upper, rasters, self._units, seen.shade)
            self._frame_files.append(picture)

        self.writer.put(write)


def raster_shape(world: World, scene: Scene) -> tuple[int, int]:
    """(rows, columns) of the pictures of a plane."""
    pixel = PIXEL
    if scene.has_mesh:
        pixel = MESH_PIXEL
    elif world.solver.members == "cells":
        pixel = 1.0  # cells of a grid are shown as they are
    return scene.raster_shape(pixel * scene.spacing, PIXELS)


def _snapshot_files(world: World, folder: RunFolder) -> SnapshotFiles:
    fields = world.solver.snapshot_fields(world.file)
    if not fields:
        return SnapshotFiles(folder.snapshots)
    return CellFiles(folder.snapshots, grid=layout_of(world), fields=fields)
