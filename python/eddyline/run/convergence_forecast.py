"""Forecast for a running simulation: from what time its statistics are converged, or when that is likely."""

from __future__ import annotations

import time as clock
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.run.results import flow_states
from eddyline.signals import FlowState, Periodic, Steady, Unsettled
from eddyline.stream.series import Series, read_series
from eddyline.world.quantities import bodies_with_forces

if TYPE_CHECKING:
    from eddyline.run.folder import RunFolder
    from eddyline.world import World

INTERVAL = 5.0  # s of wall time between looks: each reads the series of forces
HOLD = 2.0  # periods for which a new verdict must have held before it is reported
SPAN = 0.1  # share of the time so far that replaces HOLD for a flow without a period
PROBES = 4  # number of times within that span at which the verdict must have been the same


@dataclass(frozen=True)
class Forecast:
    """words: text for the progress line; empty while nothing is known. likely: expected time of the first
    converged value [s]; None if it exists or is not known."""

    words: str = ""
    likely: float | None = None


class ConvergenceForecast:
    """Analyses the force series at intervals while a run computes. Near a threshold, noise makes the verdict
    alternate; it therefore changes only after a new verdict has held for some periods."""

    def __init__(self, world: World, folder: RunFolder) -> None:
        self._world = world
        self._folder = folder
        self._next = clock.perf_counter() + INTERVAL
        self._latest = Forecast()
        self._verdict = ""  # "periodic" or "steady", if the flow is
        self._said = Forecast()  # when the verdict was last confirmed
        self._hold = 0.0  # for how long another verdict must hold [s]
        self._settled = ""  # latest verdict other than unsettled

    def look(self, time: float, removed: Container[str] = ()) -> Forecast:
        """The latest forecast at `time` [s]; computes a new one when it is due. removed: removed bodies."""
        if clock.perf_counter() >= self._next:
            self._latest = self.look_now(removed)
            self._next = clock.perf_counter() + INTERVAL
        if self._latest.likely is not None and time >= self._latest.likely:
            return Forecast(f"{self._numbers} expected soon")  # the forecast is due, but has not come true
        return self._latest

    def look_now(self, removed: Container[str] = ()) -> Forecast:
        folder = self._folder.series
        named = bodies_with_forces(
            self._world.file, [path.stem for path in sorted(folder.glob("force.*.csv"))]
        )
        paths = [folder / f"force.{body}.csv" for body in named if body not in removed]
        series = {path.stem: read_series(path) for path in paths if _has_rows(path)}
        states = list(flow_states(self._world, series).values())
        if not states:
            return Forecast()
        found = _verdict(states)
        if found != self._verdict and not self._has_held(found, series, self._hold or _hold(states, series)):
            return self._said if self._verdict else Forecast(f"{self._numbers} expected soon")
        self._verdict = found
        if not found:
            self._hold = 0.0
            return self._unsettled(states, series)
        self._settled, self._hold = found, _hold(states, series)
        since = max(state.window[0] for state in states if not isinstance(state, Unsettled))
        self._said = Forecast(f"{found} since t = {since:.3g} s")
        return self._said

    def _has_held(self, verdict: str, series: Mapping[str, Series], hold: float) -> bool:
        """True if the series gave the same verdict throughout the last `hold` seconds."""
        now = _last_time(series)
        for k in range(1, PROBES + 1):
            before = now - hold * k / PROBES
            cut = {name: frame.until(before) for name, frame in series.items()}
            if _verdict(list(flow_states(self._world, cut).values())) != verdict:
                return False
        return True

    def _unsettled(self, states: Sequence[FlowState], series: Mapping[str, Series]) -> Forecast:
        """Forecast of the first converged values, or the reason why there are none."""
        unsettled = [state for state in states if isinstance(state, Unsettled)]
        times = [state.likely for state in unsettled if state.likely is not None]
        if len(times) < len(unsettled):
            return Forecast(f"no longer {self._settled}" if self._settled else unsettled[0].reason)
        latest, now = max(times), _last_time(series)
        if latest <= now:
            return Forecast(f"{self._numbers} expected soon")
        late = ", after time.end" if latest > self._world.end else ""
        rounded = f"{latest:.2g}"
        shown = rounded if float(rounded) > now else f"{latest:.4g}"
        return Forecast(f"{self._numbers} likely at t = {shown} s{late}", latest)

    @property
    def _numbers(self) -> str:
        return f"no longer {self._settled}, converged values" if self._settled else "first converged values"


def _verdict(states: Sequence[FlowState]) -> str:
    """State of the flow around all bodies: "periodic", "steady", or "" so far."""
    if not states or any(isinstance(state, Unsettled) for state in states):
        return ""
    return "periodic" if any(isinstance(state, Periodic) for state in states) else "steady"


def _hold(states: Sequence[FlowState], series: Mapping[str, Series]) -> float:
    """Time [s] for which a verdict other than that of `states` must hold."""
    periods = [1 / state.frequency for state in states if isinstance(state, Periodic)]
    periods += [state.period for state in states if isinstance(state, Steady) and state.period]
    if periods:
        return HOLD * max(periods)
    first = min(float(frame["time"][0]) for frame in series.values())
    return SPAN * (_last_time(series) - first)


def _last_time(series: Mapping[str, Series]) -> float:
    return max(float(frame["time"][-1]) for frame in series.values())


def _has_rows(path: Path) -> bool:
    """True if the header and a row are written: the writer works in its own thread."""
    try:
        with path.open(encoding="utf-8") as file:
            return file.readline().endswith("\n") and file.readline().endswith("\n")
    except FileNotFoundError:
        return False
