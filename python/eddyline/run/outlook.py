"""While a run is on its way: since when its numbers can be trusted, or when that is likely."""

from __future__ import annotations

import time as clock
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.run.results import flow_states
from eddyline.signals import Periodic, Unsettled
from eddyline.stream.series import read_series
from eddyline.world.quantities import bodies_with_forces

if TYPE_CHECKING:
    from eddyline.run.folder import RunFolder
    from eddyline.world import World

INTERVAL = 5.0  # s of wall time between looks: each reads the series of forces


@dataclass(frozen=True)
class Outlook:
    """words: for the progress of the run; empty as long as nothing can be said.  likely: the time of the
    first trusted number [s]; None if it is there or not known."""

    words: str = ""
    likely: float | None = None


class Lookout:
    """Looks now and then at what the series of forces say so far."""

    def __init__(self, world: World, folder: RunFolder) -> None:
        self._world = world
        self._folder = folder
        self._next = clock.perf_counter() + INTERVAL
        self._latest = Outlook()
        self._settled = ""  # what the flow has been when there were numbers last

    def look(self, time: float, gone: Container[str] = ()) -> Outlook:
        """The latest outlook at `time` [s], a new one if it is time. gone: bodies that were removed."""
        if clock.perf_counter() >= self._next:
            self._latest = self.look_now(gone)
            self._next = clock.perf_counter() + INTERVAL
        if self._latest.likely is not None and time >= self._latest.likely:
            return Outlook(f"{self._numbers} soon")  # what was foreseen has not come yet, or not been seen
        return self._latest

    def look_now(self, gone: Container[str] = ()) -> Outlook:
        folder = self._folder.series
        named = bodies_with_forces(
            self._world.file, [path.stem for path in sorted(folder.glob("force.*.csv"))]
        )
        paths = [folder / f"force.{body}.csv" for body in named if body not in gone]
        series = {path.stem: read_series(path) for path in paths if _has_rows(path)}
        states = list(flow_states(self._world, series).values())
        if not states:
            return Outlook()
        unsettled = [state for state in states if isinstance(state, Unsettled)]
        if not unsettled:
            word = "periodic" if any(isinstance(state, Periodic) for state in states) else "steady"
            since = max(state.window[0] for state in states if not isinstance(state, Unsettled))
            self._settled = word
            return Outlook(f"{word} since t = {since:.3g} s")
        times = [state.likely for state in unsettled if state.likely is not None]
        if len(times) < len(unsettled):
            return Outlook(f"no longer {self._settled}" if self._settled else unsettled[0].reason)
        latest, now = max(times), max(float(frame["time"].iloc[-1]) for frame in series.values())
        if latest <= now:
            return Outlook(f"{self._numbers} soon")
        late = ", after the end" if latest > self._world.end else ""
        rounded = f"{latest:.2g}"
        shown = rounded if float(rounded) > now else f"{latest:.4g}"
        return Outlook(f"{self._numbers} likely at t = {shown} s{late}", latest)

    @property
    def _numbers(self) -> str:
        return f"no longer {self._settled}, numbers" if self._settled else "first numbers"


def _has_rows(path: Path) -> bool:
    """Whether the header and a row are written: the writer works beside us."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline().endswith("\n") and file.readline().endswith("\n")
    except FileNotFoundError:
        return False
