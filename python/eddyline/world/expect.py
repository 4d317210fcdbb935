"""Holding the results of a run against the values that its world expects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .curves import Curve, find_curve
from .problems import rounded
from .quantities import COEFFICIENTS, Quantity, find_quantity, plain_formula, result_names
from .schema import Expect

if TYPE_CHECKING:
    import pandas as pd

    from .world import World

_FEWEST_POINTS = 3  # of a curve that a run must have passed
_SHIFT_STEPS = 601


@dataclass(frozen=True)
class Comparison:
    """One [[expect]] against one run.

    quantity: the formula.  kind: "range", "value" or "curve".
    measured: the value, in the unit of the quantity; for a curve the RMS difference. None: not found.
    expected: what was expected, in words.
    error: range and value: (measured - nearest allowed or expected value) / that value, 0 inside a range (the
        plain difference where that value is 0); curve: RMS difference / RMS of the curve.
    allowed: the largest |error| inside the band; 0 for a range.
    inside: whether it is inside; None if there is nothing to judge.
    note: what the reader should know, or why there is nothing.
    shift: curve: what was added to the curve's x for the best agreement.
    points: curve: how many of its points count.
    """

    quantity: str
    kind: str
    measured: float | None
    expected: str
    error: float | None
    allowed: float | None
    source: str
    inside: bool | None
    note: str = ""
    shift: float | None = None
    points: int = 0

    def __str__(self) -> str:
        if self.measured is None or self.error is None:
            return f"{self.quantity}: {self.note}"
        verdict = "inside" if self.inside else "OUTSIDE"
        shown = (
            f"RMS {self.error:.1%}"
            if self.kind == "curve"
            else f"{rounded(self.measured)} ({self.error:+.1%})"
        )
        note = f" ({self.note})" if self.note else ""
        return f"{self.quantity}: {shown} | {self.expected} | {verdict}{note}"


class _MissingError(Exception):
    """A result that the run does not have; the text says which."""


def evaluate_expectations(
    world: World, series: Mapping[str, pd.DataFrame], scalars: Mapping[str, float] | None = None
) -> list[Comparison]:
    """Compares a run with each [[expect]] of its world whose `when` holds.

    series: by name ("budget", "force.cylinder", "front"), with a column `time` [s]; a unit in brackets after
    the name of a column is ignored.
    scalars: results by dotted name ("cylinder.strouhal"), which go before the series.
    """
    results = _Results(world, series, scalars or {})
    return [_compare(expect, results) for expect in world.expectations]


def reference_curve(world: World, expect: Expect) -> Curve | None:
    """The curve of an [[expect]], in its own units; None for ranges and values."""
    if expect.curve is None:
        return None
    return find_curve(expect.curve, [world.path.parent] if world.path is not None else [])


class _Results:
    """The names of a formula as numbers or as columns over one time."""

    def __init__(
        self, world: World, series: Mapping[str, pd.DataFrame], scalars: Mapping[str, float]
    ) -> None:
        self.world = world
        self.scalars = scalars
        self.series: dict[str, dict[str, NDArray[np.float64]]] = {}
        for name, frame in series.items():
            columns = {str(column).split(" [")[0].split("[")[0].strip(): column for column in frame.columns}
            self.series[name] = {
                plain: np.asarray(frame[column], dtype=np.float64) for plain, column in columns.items()
            }

    def evaluate(
        self, formula: str, after: float, time: NDArray[np.float64] | None
    ) -> float | NDArray[np.float64]:
        """The value of a formula; columns are taken at the rows of `time` where one is given."""
        compiled, names = plain_formula(formula, self.world.let)
        values: dict[str, float | NDArray[np.float64]] = dict(self.world.let)
        for name, plain in names.items():
            values[plain] = time if name == "time" and time is not None else self._value(name, after, time)
        return compiled.evaluate(values)

    def time_of(self, formulas: Sequence[str], after: float) -> NDArray[np.float64]:
        """The times [s] of the first series that the formulas name."""
        for formula in formulas:
            for name in result_names(formula, self.world.let):
                found = find_quantity(name, self.world.file)
                if isinstance(found, Quantity) and name not in self.scalars:
                    time = self._columns(found)[0]
                    return time[time >= after]
        raise _MissingError("no series in the formula")

    def _value(
        self, name: str, after: float, time: NDArray[np.float64] | None
    ) -> float | NDArray[np.float64]:
        if name in self.scalars:
            return float(self.scalars[name])
        found = find_quantity(name, self.world.file)
        if isinstance(found, str):
            raise _MissingError(found)
        own_time, column = self._columns(found)
        if found.statistic is not None:
            return _statistic(found.statistic, own_time, column, after)
        if time is None:
            raise _MissingError(f"`{name}` is a whole series")
        return np.interp(time, own_time, column)

    def _columns(self, found: Quantity) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The times and the values of a quantity."""
        name, column, factor = found.series, found.column, 1.0
        if column in COEFFICIENTS and name not in self.series:
            reference = self.world.reference
            assert reference is not None
            factor = 2 / (self.world.file.fluid.density * reference.velocity**2 * reference.length)
            name, column = f"force.{name}", COEFFICIENTS[column]
        columns = self.series.get(name)
        if columns is None or column not in columns or "time" not in columns:
            raise _MissingError(f"the run has no {found.series}.{found.column}")
        finite = np.isfinite(columns[column])
        if not finite.any():
            raise _MissingError(f"{found.series}.{found.column} has no values")
        return columns["time"][finite], factor * columns[column][finite]


def _statistic(name: str, time: NDArray[np.float64], values: NDArray[np.float64], after: float) -> float:
    """A statistic of the rows from `after` on; means are over time, whatever the distance of the rows."""
    keep = time >= after
    time, values = time[keep], values[keep]
    if not len(values):
        raise _MissingError(f"the run ends before t = {rounded(after)} s")
    if name == "final":
        return float(values[-1])
    if name in ("min", "max"):
        return float(values.min() if name == "min" else values.max())
    mean = _time_mean(time, values)
    return mean if name == "mean" else math.sqrt(_time_mean(time, (values - mean) ** 2))


def _time_mean(time: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    span = float(time[-1] - time[0])
    if span <= 0:
        return float(values.mean())
    return float(np.sum((values[1:] + values[:-1]) / 2 * np.diff(time)) / span)


# --- the three kinds ----------------------------------------------------------------------------------------


def _compare(expect: Expect, results: _Results) -> Comparison:
    kind = "curve" if expect.curve is not None else "value" if expect.value is not None else "range"
    compare = {"curve": _compare_curve, "value": _compare_value, "range": _compare_range}[kind]
    try:
        return compare(expect, results)
    except _MissingError as error:
        return Comparison(
            expect.quantity, kind, None, _expected(expect), None, None, expect.source, None, str(error)
        )


def _expected(expect: Expect) -> str:
    if expect.range is not None:
        return f"{rounded(expect.range[0])} to {rounded(expect.range[1])}"
    if expect.value is not None:
        return f"{rounded(expect.value)} +- {rounded(expect.tolerance or 0.0)}"
    return f"{expect.curve} within {expect.band:.1%}"


def _relative(difference: float, base: float) -> float:
    return difference / abs(base) if base != 0 else difference


def _compare_range(expect: Expect, results: _Results) -> Comparison:
    assert expect.range is not None
    measured = float(results.evaluate(expect.quantity, expect.after, None))
    low, high = expect.range
    edge = min(max(measured, low), high)
    inside = measured == edge
    error = _relative(measured - edge, edge)
    return Comparison(
        expect.quantity,
        "range",
        measured,
        _expected(expect),
        error,
        0.0,
        expect.source,
        inside,
        results_note(measured),
    )


def _compare_value(expect: Expect, results: _Results) -> Comparison:
    assert expect.value is not None and expect.tolerance is not None
    measured = float(results.evaluate(expect.quantity, expect.after, None))
    error = _relative(measured - expect.value, expect.value)
    allowed = _relative(expect.tolerance, expect.value)
    inside = abs(measured - expect.value) <= expect.tolerance
    return Comparison(
        expect.quantity,
        "value",
        measured,
        _expected(expect),
        error,
        allowed,
        expect.source,
        inside,
        results_note(measured),
    )


def results_note(measured: float) -> str:
    """What to say about a value that is not finite."""
    return "" if math.isfinite(measured) else "not finite"


def _compare_curve(expect: Expect, results: _Results) -> Comparison:
    """The RMS difference at the curve's points after the best shift, relative to the curve's RMS."""
    assert expect.against is not None and expect.band is not None
    curve = reference_curve(results.world, expect)
    assert curve is not None
    time = results.time_of((expect.quantity, expect.against), expect.after)
    if len(time) < 2:
        raise _MissingError("the run has fewer than two rows to compare")
    x = np.broadcast_to(results.evaluate(expect.against, expect.after, time), time.shape)
    y = np.broadcast_to(results.evaluate(expect.quantity, expect.after, time), time.shape)
    order = np.argsort(x, kind="stable")
    found = best_shift(x[order], y[order], curve, expect.shift)
    if found is None:
        raise _MissingError(f"the run covers fewer than {_FEWEST_POINTS} points of the curve")
    shift, rms, points = found
    total = len(curve.x)
    notes = [f"shifted by {rounded(shift, 2)}"] if expect.shift > 0 else []
    if points < total:
        notes.append(f"{points} of {total} points of the curve")
    error = _relative(rms, math.sqrt(float(np.mean(curve.y**2))))
    inside = error <= expect.band
    return Comparison(
        expect.quantity, "curve", rms, _expected(expect), error, expect.band, expect.source, inside,
        ", ".join(notes), shift, points,
    )  # fmt: skip


def best_shift(
    x: NDArray[np.float64], y: NDArray[np.float64], curve: Curve, limit: float
) -> tuple[float, float, int] | None:
    """(shift, RMS difference, points) where the curve, moved by `shift` along x, agrees best with y(x).

    |shift| <= limit. Only points that x covers whatever the shift count; None if fewer than three remain.
    """

    covered = (curve.x - limit >= x[0]) & (curve.x + limit <= x[-1])
    points = int(covered.sum())
    if points < _FEWEST_POINTS:
        return None

    def difference(shift: float) -> float:
        gap = np.interp(curve.x[covered] + shift, x, y) - curve.y[covered]
        return math.sqrt(float(np.mean(gap**2)))

    shifts = np.linspace(-limit, limit, _SHIFT_STEPS) if limit > 0 else np.zeros(1)
    rms, _, shift = min((difference(float(shift)), abs(float(shift)), float(shift)) for shift in shifts)
    return shift, rms, points
