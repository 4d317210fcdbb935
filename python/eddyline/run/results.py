"""The results of a run: values with windows and errors, compared with the expectations of the world."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.run.known import known_range
from eddyline.run.suspects import Suspects
from eddyline.signals import (
    FlowState,
    Periodic,
    Statistic,
    Steady,
    Unsettled,
    flow_state,
    statistic,
    steady_part,
    time_mean,
)
from eddyline.world.quantities import (
    COEFFICIENTS,
    TRUSTED,
    bodies_with_forces,
    is_trusted,
    series_columns,
)

if TYPE_CHECKING:
    from eddyline.world import Comparison, World
    from eddyline.world.series_table import SeriesTable

Series = Mapping[str, "SeriesTable"]
Trusted = dict[str, Statistic | str]


@dataclass(frozen=True)
class Value:
    """A value with its unit, error and window.

    name: as in [[expect]]. value: None if it is not converged yet; `note` gives the reason and the expected
    time. error: statistical, one standard error. window: [s]. what: such as "maximum of 7 periods"."""

    name: str
    value: float | None
    unit: str
    error: float | None = None
    window: tuple[float, float] | None = None
    what: str = ""
    note: str = ""


@dataclass(frozen=True)
class Results:
    """values: of bodies (coefficients, Strouhal numbers, forces) and observers with converged values. flows:
    state of the flow around each body (periodic, steady or neither) and its start. comparisons: one per
    active [[expect]]. reasons: likely reason for each value outside its band. foreseen: expected value at
    this spacing from earlier runs, for each value that is outside as they were; else empty. time_unit: of
    windows: s or cycles."""

    values: list[Value]
    flows: dict[str, dict[str, Any]]
    comparisons: list[Comparison]
    reasons: list[str]
    foreseen: list[str]
    spacing: str
    summary: dict[str, dict[str, dict[str, float]]]
    time_unit: str

    def to_json(self) -> dict[str, Any]:
        return {
            "spacing": self.spacing,
            "time_unit": self.time_unit,
            "flows": self.flows,
            "values": [asdict(value) for value in self.values],
            "expectations": [
                {**asdict(comparison), "reason": reason, "foreseen": foreseen}
                for comparison, reason, foreseen in zip(
                    self.comparisons, self.reasons, self.foreseen, strict=True
                )
            ],
            "series": self.summary,
        }


def evaluate(world: World, series: Series, *, reached: float, removed: Container[str] = ()) -> Results:
    """Evaluates a run that reached the time `reached` [s]. removed: removed bodies."""
    from eddyline.world import evaluate_expectations

    states = flow_states(world, series, removed)
    values = list(trusted_values(world, series, states, removed))
    comparisons = evaluate_expectations(world, series, trusted(values))
    suspects = Suspects(world, series, reached, _drags(values))
    holding = world.expectations
    foreseen = [known_range(world, each) if each.inside is False else None for each in comparisons]
    return Results(
        values=values,
        flows={body: _flow(state) for body, state in states.items()},
        comparisons=comparisons,
        reasons=[
            suspects.reason(comparison, unbounded=expect.unbounded, known=known)
            for expect, comparison, known in zip(holding, comparisons, foreseen, strict=True)
        ],
        foreseen=[each.text if each is not None and each.as_expected else "" for each in foreseen],
        spacing=spacing_text(world),
        summary={name: summarise(frame) for name, frame in series.items()},
        time_unit=world.time_unit,
    )


def _drags(values: list[Value]) -> dict[str, float]:
    """The mean drag coefficient of each body that has one."""
    word = ".drag_coefficient.mean"
    return {
        value.name.removesuffix(word): value.value
        for value in values
        if value.name.endswith(word) and value.value is not None
    }


def summarise(frame: SeriesTable) -> dict[str, dict[str, float]]:
    """mean (over time), min, max and final of each column of a series."""
    out: dict[str, dict[str, float]] = {}
    time = np.asarray(frame["time"])
    for column in frame.columns:
        values = np.asarray(frame[column])
        known = np.isfinite(values)
        if column == "time" or not known.any():
            continue
        out[str(column)] = {
            "mean": time_mean(time[known], values[known]),
            "min": float(values[known].min()),
            "max": float(values[known].max()),
            "final": float(values[known][-1]),
        }
    return out


def spacing_text(world: World) -> str:
    """The spacing as the world file writes it if that says how fine it is, e.g. `D/20`, else in m."""
    import tomlkit

    raw = str(tomlkit.parse(world.source).unwrap().get("domain", {}).get("spacing")).replace(" ", "")
    return raw if re.fullmatch(r"[A-Za-z]\w*/[\d.]+", raw) else f"{world.core.spacing:.4g} m"


# --- values -------------------------------------------------------------------------------------------------


def flow_states(world: World, series: Series, removed: Container[str] = ()) -> dict[str, FlowState]:
    """The state of the flow around each body, from the force on it: first the lift, then the drag. gone:
    bodies that were removed from the run; their forces have ended."""
    across = ("total_y", "total_z", "total_x")
    found = {}
    for body in bodies_with_forces(world.file, series):
        frame = series[f"force.{body}"]
        columns = [column for column in across if column in frame.columns]
        state = flow_state(np.asarray(frame["time"]), [np.asarray(frame[column]) for column in columns])
        if body in removed and isinstance(state, Unsettled):
            state = Unsettled(f"{state.reason} when it was removed")
        found[body] = state
    return found


def trusted_values(
    world: World, series: Series, states: Mapping[str, FlowState], removed: Container[str] = ()
) -> Iterator[Value]:
    """Every value that has a window of its own, or why it has none yet."""
    for body, state in states.items():
        yield from _of_body(world, body, series[f"force.{body}"], state)
    states = {body: state for body, state in states.items() if body not in removed}
    for name, columns in series_columns(world.file).items():
        frame = series.get(name)
        if frame is not None and is_trusted(columns[0]):
            yield from _of_observer(world, name, columns[0], frame, states)


def trusted(values: list[Value]) -> Trusted:
    """The values by name, as an [[expect]] takes them; or why there is none."""
    return {
        value.name: value.note
        if value.value is None
        else Statistic(value.value, value.error, value.window, value.what)
        for value in values
    }


def _of_body(world: World, body: str, frame: SeriesTable, state: FlowState) -> Iterator[Value]:
    """Coefficients and the Strouhal number, with [reference], in 3D with its area; the components of the
    force."""
    time, factor, reference = np.asarray(frame["time"]), world.coefficient_of_force, world.reference
    if factor is not None and reference is not None:
        for coefficient, column in COEFFICIENTS.items():
            values = factor * np.asarray(frame[column])
            yield from _statistics(world, f"{body}.{coefficient}", "1", time, values, state, TRUSTED)
        yield _strouhal(world, f"{body}.strouhal", state, reference.length / reference.velocity)
    units = frame.attrs.get("units", {})
    for column in frame.columns:
        if str(column).startswith("total_"):
            name, unit = f"force.{body}.{column}", units.get(column, "N")
            yield from _statistics(world, name, unit, time, np.asarray(frame[column]), state, ("mean",))


def _strouhal(world: World, name: str, state: FlowState, scale: float) -> Value:
    """frequency length / velocity, of a lift that repeats."""
    if isinstance(state, Periodic) and state.component == 0:
        what = f"over {state.periods} periods"
        return Value(name, state.frequency * scale, "1", state.frequency_error * scale, state.window, what)
    if isinstance(state, Periodic):
        return Value(name, None, "1", note="the lift does not oscillate, the drag does")
    return Value(name, None, "1", note=why_not(state, world))


def _of_observer(
    world: World, name: str, column: str, frame: SeriesTable, states: Mapping[str, FlowState]
) -> Iterator[Value]:
    """Values of a pressure drop or a line, over the window that the bodies of the world give, or its own."""
    time, values = np.asarray(frame["time"]), np.asarray(frame[column])
    unit = frame.attrs.get("units", {}).get(column, "1")
    unsettled = [state for state in states.values() if isinstance(state, Unsettled)]
    state = (*unsettled, *states.values(), None)[0]
    if state is None:
        state = flow_state(time, [values])
    if not isinstance(state, Unsettled):
        inside = (time >= state.window[0]) & (time <= state.window[1])
        if not np.isfinite(values[inside]).all():
            state = Unsettled(f"the fluid still flows back at the end of {name}; make the line longer")
        elif states and isinstance(state, Steady):  # a body may be at rest while all else moves
            own = steady_part(time[inside], values[inside], period=state.period)
            state = own if isinstance(own, Unsettled) else state
    yield from _statistics(world, f"{name}.{column}", unit, time, values, state, TRUSTED)


def _statistics(
    world: World,
    name: str,
    unit: str,
    time: np.ndarray[Any, Any],
    values: np.ndarray[Any, Any],
    state: FlowState,
    names: tuple[str, ...],
) -> Iterator[Value]:
    for word in names:
        full, own_unit = f"{name}.{word}", "1" if word == "noise" else unit
        got = None if isinstance(state, Unsettled) else statistic(time, values, state, word)
        if got is None and word == "noise" and not isinstance(state, Unsettled):
            yield Value(full, None, own_unit, note="none: the mean is close to 0")
        elif got is None:
            yield Value(full, None, own_unit, note=why_not(state, world))
        else:
            yield Value(full, got.value, own_unit, got.error, got.window, got.what)


def why_not(state: FlowState, world: World) -> str:
    """The reason that there is no value: `not periodic yet, likely at t = 4 s`."""
    unit = world.time_unit
    if isinstance(state, Periodic):
        return "too few rows"
    if isinstance(state, Steady):
        return state.why_not_periodic or f"none: steady since t = {state.window[0]:.3g} {unit}"
    if state.likely is None:
        return state.reason
    return f"{state.reason}, likely at t = {state.likely:.2g} {unit}" + (
        " (set time.end)" if state.likely > world.end else ""
    )


def _flow(state: FlowState) -> dict[str, Any]:
    if isinstance(state, Unsettled):
        return {"state": "unsettled", "reason": state.reason, "likely": state.likely}
    if isinstance(state, Periodic):
        return {
            "state": "periodic",
            "window": state.window,
            "periods": state.periods,
            "frequency": state.frequency,
        }
    return {"state": "irregular" if state.why_not_periodic else "steady", "window": state.window}
