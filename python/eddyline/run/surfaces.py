"""Keeps the isosurfaces that a world asks for while it runs."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.run.schedule import Schedule
from eddyline.stream.surfaces import SUFFIX, SurfaceFile, quantities
from eddyline.world.isosurfaces import interval, isosurfaces_of, with_values
from eddyline.world.problems import listed, shown

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.stream.writer import Writer
    from eddyline.world import World
    from eddyline.world.schema import Isosurface


class SurfaceRecorder:
    """Computes surfaces when they are due and hands them to `writer`. folder: `surfaces` of the run, made
    with the first one."""

    def __init__(self, world: World, simulation: _core.Simulation, folder: Path, writer: Writer) -> None:
        """Raises _core.UserError if the solver does not know a quantity."""
        self._simulation, self._folder, self._writer = simulation, folder, writer
        self._world = world
        self._observers = isosurfaces_of(world.file)
        self._due = {name: Schedule(interval(world, each)) for name, each in self._observers.items()}
        for name, observer in self._observers.items():
            self._check(name, observer)

    def _check(self, name: str, observer: Isosurface) -> None:
        from eddyline import _core

        known = quantities(self._simulation)
        for key, quantity in (("quantity", observer.quantity), ("color", observer.color)):
            if quantity is None or quantity in known:
                continue
            if known and not quantity.isidentifier():
                _core.check_surface_quantity(self._simulation, self._text(quantity))
                continue
            choices = f"must be one of {listed(list(known), 'or')}" if known else "this solver has none"
            raise _core.UserError(f"observe.{name}.{key} = {shown(quantity)}; {choices}.")

    def _text(self, quantity: str | None) -> str:
        """A quantity or formula for the core; empty for none."""
        return with_values(self._world, quantity) if quantity else ""

    def _files(self) -> Iterator[SurfaceFile]:
        for path in sorted(self._folder.glob(f"*{SUFFIX}")):
            yield SurfaceFile(path)

    def begin_again(self) -> None:
        """Deletes all surfaces of a run that ended before its first checkpoint."""
        for path in self._folder.glob(f"*{SUFFIX}"):
            path.unlink()
        with contextlib.suppress(OSError):
            self._folder.rmdir()

    def go_on(self, step: int, time: float) -> None:
        """Continues after the surfaces up to a checkpoint. Raises CorruptFileError."""
        for file in self._files():
            file.cut(step)
        for due in self._due.values():
            due.take(time)

    def sync(self) -> None:
        for file in self._files():
            file.sync()

    @property
    def next_time(self) -> float:
        """When the next surface is due [s]; infinity if never."""
        return min((due.next_time for due in self._due.values()), default=math.inf)

    def after_steps(self) -> None:
        """Computes what is due now."""
        time = self._simulation.time
        for name, observer in self._observers.items():
            if self._due[name].take(time):
                for level in observer.levels:
                    self._take(name, observer, level)

    def _take(self, name: str, observer: Isosurface, level: float) -> None:
        from eddyline import _core

        step = self._simulation.step_count
        raw, *_ = _core.isosurface(
            self._simulation,
            self._text(observer.quantity),
            level,
            color=self._text(observer.color),
            resolution=observer.resolution,
        )
        file = SurfaceFile(self._folder / f"{name}{SUFFIX}")
        self._writer.put(lambda: file.append(step, raw))
