"""Compares the results of a run with the expectations of its world."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..signals import Statistic, mean_with_error, ringing, root_mean_square, time_mean
from .curves import FEWEST_POINTS, Curve, find_curve
from .problems import listed, rounded
from .profiles import column_names, coordinate, difference, profile_of, statistic_of
from .quantities import (
    COEFFICIENTS,
    RINGING,
    Quantity,
    find_quantity,
    is_point,
    is_trusted,
    plain_formula,
    result_names,
)
from .schema import Expect, Profile

if TYPE_CHECKING:
    from .series_table import SeriesTable
    from .world import World

_SHIFT_STEPS = 601
_SHIFT = 0.3  # unless an [[expect]] says another; of a profile 0
_LEAST_EXPLAINED = 0.8  # of the variance of what swings, below which an oscillation is none


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
    points: curve: how many of its points count; 0 for a curve that is compared at one place.
    band: the lowest and the highest value inside, in the unit of the quantity; None for a whole curve.
    at: curve at one place: where, in the unit of `against`.
    statistical_error: of measured, one standard error; window: over which it was measured [s]; what: what it
        is, in words. None and empty where the values of a formula differ in them or have none.
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
    band: tuple[float, float] | None = None
    at: float | None = None
    statistical_error: float | None = None
    window: tuple[float, float] | None = None
    what: str = ""
    relative: bool = True  # error and allowed, but where what is expected is 0

    def __str__(self) -> str:
        if self.measured is None or self.error is None:
            return f"{self.quantity}: {self.note}"
        verdict = "inside" if self.inside else "OUTSIDE"
        shown = (
            f"RMS {self.error:.1%}"
            if self.kind == "curve" and self.at is None
            else f"{rounded(self.measured)} ({f'{self.error:+.1%}' if self.relative else 'expected 0'})"
        )
        note = f" ({self.note})" if self.note else ""
        return f"{self.quantity}: {shown} | {self.expected} | {verdict}{note}"


class _MissingError(Exception):
    """A result that the run does not have; the message names it."""


def evaluate_expectations(
    world: World, series: Mapping[str, SeriesTable], trusted: Mapping[str, Statistic | str] | None = None
) -> list[Comparison]:
    """Compares a run with each [[expect]] of its world whose `when` is true.

    series: by name ("budget", "force.cylinder", "front"), with a column `time` [s]; a unit in brackets after
    the name of a column is ignored.
    trusted: results by dotted name ("cylinder.strouhal", "cylinder.drag_coefficient.max"), which go before
    the series unless the [[expect]] chooses its own part of the run with `after`; or why there is no such
    result.
    """
    results = _Results(world, series, trusted or {})
    return [_compare(expect, results) for expect in world.expectations]


def measure(
    world: World,
    quantity: str,
    series: Mapping[str, SeriesTable],
    trusted: Mapping[str, Statistic | str],
    *,
    after: float = 0.0,
    end: float | None = None,
) -> Statistic | str:
    """The value of one formula of results, see `evaluate_expectations`; or the reason why there is none.

    after: the part of the run that counts [s]. end: of the run [s], if not that of its world.
    """
    results = _Results(world, series, trusted, end)
    try:
        return results.statistic(quantity, after)
    except _MissingError as error:
        return str(error)


def reference_curve(world: World, expect: Expect) -> Curve | None:
    """The curve of an [[expect]], in its own units; None for ranges and values."""
    if expect.curve is None:
        return None
    return find_curve(expect.curve, [world.path.parent] if world.path is not None else [])


def profile_along(
    world: World, expect: Expect, series: Mapping[str, SeriesTable], quantity: str | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """(x, y) of the profile that an [[expect]] compares with its curve, where there was fluid, x rising; None
    if the run does not have it. quantity: a formula in place of that of the [[expect]]."""
    profile = profile_of(expect, world.file, world.let)
    if profile is None:
        return None
    changed = expect if quantity is None else expect.model_copy(update={"quantity": quantity})
    try:
        return _profile_values(changed, _Results(world, series, {}), profile)
    except _MissingError:
        return None


class _Results:
    """The names of a formula as numbers with their errors, or as columns over one time."""

    def __init__(
        self,
        world: World,
        series: Mapping[str, SeriesTable],
        trusted: Mapping[str, Statistic | str],
        end: float | None = None,
    ) -> None:
        self.world = world
        self.end = world.end if end is None else end
        self.trusted = trusted
        self.series: dict[str, dict[str, NDArray[np.float64]]] = {}
        for name, frame in series.items():
            columns = {str(column).split(" [")[0].split("[")[0].strip(): column for column in frame.columns}
            self.series[name] = {
                plain: np.asarray(frame[column], dtype=np.float64) for plain, column in columns.items()
            }

    def statistic(self, formula: str, after: float) -> Statistic:
        """The value of a formula of numbers, and its error, from the errors of the numbers as independent
        ones."""
        compiled, names = plain_formula(formula, self.world.let)
        if formula.strip() in names:
            return self._value(formula.strip(), after)
        parts = {plain: self._value(name, after) for name, plain in names.items()}
        values = {**self.world.let, **{plain: part.value for plain, part in parts.items()}}
        value = float(compiled.evaluate(values))
        if not math.isfinite(value):
            raise _MissingError(_not_finite(formula, value, parts))
        variance = 0.0
        for plain, part in parts.items():
            moved = float(compiled.evaluate({**values, plain: part.value + (part.error or 0.0)}))
            variance += (moved - value) ** 2
        known = [part for part in parts.values() if part.error is not None]
        windows = {part.window for part in parts.values()}
        whats = {part.what for part in parts.values()}
        return Statistic(
            value,
            math.sqrt(variance) if known and len(known) == len(parts) else None,
            windows.pop() if len(windows) == 1 else None,
            whats.pop() if len(whats) == 1 else "",
        )

    def column(self, formula: str, after: float, time: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) the values of a formula at the rows of `time`."""
        compiled, names = plain_formula(formula, self.world.let)
        values: dict[str, float | NDArray[np.float64]] = dict(self.world.let)
        for name, plain in names.items():
            values[plain] = time if name == "time" else self._at(name, after, time)
        return np.broadcast_to(compiled.evaluate(values), time.shape)

    def time_of(self, formulas: Sequence[str], after: float) -> NDArray[np.float64]:
        """The times [s] of the first series that the formulas name."""
        for formula in formulas:
            for name in result_names(formula, self.world.let):
                found = find_quantity(name, self.world.file)
                if isinstance(found, Quantity) and name not in self.trusted:
                    time = self._columns(found)[0]
                    return time[time >= after]
        raise _MissingError("no series in the formula")

    def along(self, formula: str, profile: tuple[str, Profile], after: float) -> NDArray[np.float64]:
        """(n,) the values of a formula at the n places of a profile, NaN where there was no fluid."""
        series, observer = profile
        compiled, names = plain_formula(formula, self.world.let)
        values: dict[str, float | NDArray[np.float64]] = dict(self.world.let)
        for name, plain in names.items():
            found = find_quantity(name, self.world.file)
            if not isinstance(found, Quantity) or found.series != series:
                values[plain] = self._value(name, after).value
            elif found.statistic is None:
                values[plain] = coordinate(observer, found.column)
            else:
                values[plain] = self._at_places(series, observer, found.statistic, after)
        return np.broadcast_to(compiled.evaluate(values), (observer.points,))

    def _at_places(self, series: str, observer: Profile, statistic: str, after: float) -> NDArray[np.float64]:
        columns, names = self.series.get(series, {}), column_names(observer)
        if "time" not in columns or any(name not in columns for name in names):
            raise _MissingError(f"the run has no {series}.{observer.quantity}")
        if not (columns["time"] >= after).any():
            raise _MissingError(f"the run ends before t = {rounded(after)} s")
        rows = np.stack([columns[name] for name in names], axis=1)
        return statistic_of(columns["time"], rows, statistic, after)

    def _value(self, name: str, after: float) -> Statistic:
        if name == "time":
            raise _MissingError("`time` is a series, not a value")
        found = find_quantity(name, self.world.file)
        if isinstance(found, str):
            raise _MissingError(found)
        chosen = after > 0 and found.statistic is not None
        result = None if chosen else self.trusted.get(name)
        if isinstance(result, str):
            raise _MissingError(result)
        if result is not None:
            return result
        time, column = self._columns(found)
        if found.statistic is None:
            raise _MissingError(f"`{name}` is a series, not a value")
        return _statistic(found, time, column, after, self.end)

    def _at(self, name: str, after: float, time: NDArray[np.float64]) -> float | NDArray[np.float64]:
        found = find_quantity(name, self.world.file)
        if isinstance(found, Quantity) and found.statistic is None and name not in self.trusted:
            return np.interp(time, *self._columns(found))
        return self._value(name, after).value

    def _columns(self, found: Quantity) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The times and the values of a quantity."""
        name, column, factor = found.series, found.column, 1.0
        if column in COEFFICIENTS and name not in self.series:
            factor = self.world.coefficient_of_force or 1.0
            name, column = f"force.{name}", COEFFICIENTS[column]
        columns = self.series.get(name)
        if columns is None or column not in columns or "time" not in columns:
            raise _MissingError(f"the run has no {found.series}.{found.column}")
        finite = np.isfinite(columns[column])
        if not finite.any():
            raise _MissingError(f"{found.series}.{found.column} has no values")
        return columns["time"][finite], factor * columns[column][finite]


def _not_finite(formula: str, value: float, parts: Mapping[str, Statistic]) -> str:
    """Reason why a formula has no value, although all its parts have one."""
    found = listed([f"{name} = {rounded(part.value)}" for name, part in parts.items()])
    return f"`{formula}` gives {value}" + (f" with {found}" if found else "")


def _statistic(
    found: Quantity, time: NDArray[np.float64], values: NDArray[np.float64], after: float, end: float
) -> Statistic:
    """A statistic of the rows from `after` on; means are over time, whatever the distance of the rows."""
    if found.statistic == "final" and len(time) > 1 and max(time[-2], after) <= end < time[-1]:
        return _between_the_last(time, values, end)
    keep = time >= after
    time, values = time[keep], values[keep]
    if not len(values):
        raise _MissingError(f"the run ends before t = {rounded(after)} s")
    if found.statistic == "mean" and (after > 0 or is_trusted(found.column)):
        return replace(mean_with_error(time, values), what=f"mean from t = {rounded(after)} s on")
    window = (float(time[0]), float(time[-1]))
    name = found.statistic
    if name == "final":
        return Statistic(float(values[-1]), None, (window[1], window[1]))
    if name in RINGING:
        return _of_ringing(found, time, values, after)
    if name in ("min", "max"):
        return Statistic(float(values.min() if name == "min" else values.max()), None, window)
    if name == "amplitude":
        return Statistic(0.5 * float(np.ptp(values)), None, window)
    return Statistic((time_mean if name == "mean" else root_mean_square)(time, values), None, window)


def _of_ringing(
    found: Quantity, time: NDArray[np.float64], values: NDArray[np.float64], after: float
) -> Statistic:
    """Frequency or decay rate of a series that rings."""
    rings = ringing(time, values)
    name = f"{found.series}.{found.column}"
    if rings is None:
        raise _MissingError(f"{name} does not oscillate for at least one and a half periods")
    if rings.explained < _LEAST_EXPLAINED:
        raise _MissingError(
            f"{name} is not a damped oscillation: the best fit explains {rings.explained:.0%} of the "
            f"variance; {_LEAST_EXPLAINED:.0%} is required"
        )
    value = rings.frequency if found.statistic == "frequency" else rings.decay_rate
    window = (float(time[0]), float(time[-1]))
    return Statistic(value, None, window, f"of the damped oscillation from t = {rounded(after)} s on")


def _between_the_last(time: NDArray[np.float64], values: NDArray[np.float64], end: float) -> Statistic:
    """The value at the end of the run, interpolated from the last two rows. The last step passes the end by a
    different time at each spacing, so last rows would not converge."""
    return Statistic(float(np.interp(end, time[-2:], values[-2:])), None, (end, end))


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
    found = results.statistic(expect.quantity, expect.after)
    low, high = expect.range
    edge = min(max(found.value, low), high)
    error = _relative(found.value - edge, edge)
    return _compared(expect, "range", found, error, 0.0, (low, high), edge)


def _compare_value(expect: Expect, results: _Results) -> Comparison:
    assert expect.value is not None and expect.tolerance is not None
    found = results.statistic(expect.quantity, expect.after)
    error = _relative(found.value - expect.value, expect.value)
    allowed = _relative(expect.tolerance, expect.value)
    band = (expect.value - expect.tolerance, expect.value + expect.tolerance)
    return _compared(expect, "value", found, error, allowed, band, expect.value)


def _compared(
    expect: Expect, kind: str, found: Statistic, error: float, allowed: float, band: tuple[float, float],
    base: float,
) -> Comparison:  # fmt: skip
    inside = band[0] <= found.value <= band[1]
    return Comparison(
        expect.quantity, kind, found.value, _expected(expect), error, allowed, expect.source, inside,
        band=band, statistical_error=found.error, window=found.window,
        what=found.what, relative=base != 0,
    )  # fmt: skip


def _compare_curve(expect: Expect, results: _Results) -> Comparison:
    """The RMS difference at the curve's points after the best shift, relative to the curve's RMS; or the
    difference from the curve at one place."""
    assert expect.against is not None and expect.band is not None
    curve = reference_curve(results.world, expect)
    assert curve is not None
    profile = profile_of(expect, results.world.file, results.world.let)
    if profile is not None:
        return _compare_profile(expect, results, profile, curve)
    if is_point(expect, results.world.file, results.world.let):
        return _compare_point(expect, results, curve)
    time = results.time_of((expect.quantity, expect.against), expect.after)
    if len(time) < 2:
        raise _MissingError("the run has fewer than two rows to compare")
    x = results.column(expect.against, expect.after, time)
    y = results.column(expect.quantity, expect.after, time)
    order = np.argsort(x, kind="stable")
    limit = _SHIFT if expect.shift is None else expect.shift
    found = best_shift(x[order], y[order], curve, limit)
    if found is None:
        raise _MissingError(f"the run covers fewer than {FEWEST_POINTS} points of the curve")
    shift, rms, points = found
    if not math.isfinite(rms):
        raise _MissingError(f"{expect.quantity} against {expect.against} is not finite everywhere")
    return _compared_with_curve(expect, curve, shift if limit > 0 else None, rms, points)


def _compare_profile(
    expect: Expect, results: _Results, profile: tuple[str, Profile], curve: Curve
) -> Comparison:
    """Compares a profile with a curve along its line; the curve is shifted only if the world sets a limit."""
    found = _profile_values(expect, results, profile)
    if len(found[0]) < FEWEST_POINTS:
        raise _MissingError(f"{profile[0]} has fluid at fewer than {FEWEST_POINTS} places")
    limit = expect.shift or 0.0
    shifts = np.linspace(-limit, limit, _SHIFT_STEPS) if limit > 0 else np.zeros(1)
    tried = [(*difference(*found, curve.x, curve.y, float(shift)), float(shift)) for shift in shifts]
    most = max(points for _, points, _ in tried)
    if most < FEWEST_POINTS:
        raise _MissingError(f"{profile[0]} covers fewer than {FEWEST_POINTS} points of the curve")
    rms, _, shift = min((rms, abs(shift), shift) for rms, points, shift in tried if points == most)
    return _compared_with_curve(expect, curve, shift if limit > 0 else None, rms, most)


def _compared_with_curve(
    expect: Expect, curve: Curve, shift: float | None, rms: float, points: int
) -> Comparison:
    """shift: None if the curve was not to be moved."""
    assert expect.band is not None
    total = len(curve.x)
    notes = [f"shifted by {rounded(shift, 2)}"] if shift is not None else []
    if points < total:
        notes.append(f"{points} of {total} points of the curve")
    error = _relative(rms, math.sqrt(float(np.mean(curve.y**2))))
    inside = error <= expect.band
    return Comparison(
        expect.quantity, "curve", rms, _expected(expect), error, expect.band, expect.source, inside,
        ", ".join(notes), shift or 0.0, points, what="RMS difference from the curve",
    )  # fmt: skip


def _profile_values(
    expect: Expect, results: _Results, profile: tuple[str, Profile]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(x, y) along the line where both are numbers, x rising."""
    assert expect.against is not None
    x = results.along(expect.against, profile, expect.after)
    y = results.along(expect.quantity, profile, expect.after)
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    order = known[np.argsort(x[known], kind="stable")]
    return x[order], y[order]


def _compare_point(expect: Expect, results: _Results, curve: Curve) -> Comparison:
    """One run as one point of a curve such as a drag coefficient over the Reynolds number."""
    assert expect.against is not None and expect.band is not None
    found = results.statistic(expect.quantity, expect.after)
    at = results.statistic(expect.against, expect.after).value
    low, high = float(curve.x[0]), float(curve.x[-1])
    if not low <= at <= high:
        raise _MissingError(
            f"{expect.against} = {rounded(at)} is outside the curve, {rounded(low)} to {rounded(high)}"
        )
    published = float(np.interp(at, curve.x, curve.y))
    error = _relative(found.value - published, published)
    expected = f"{rounded(published)} +- {expect.band:.1%} at {expect.against} = {rounded(at)}"
    half = expect.band * abs(published) if published != 0 else expect.band
    band = (published - half, published + half)
    compared = _compared(expect, "curve", found, error, expect.band, band, published)
    return replace(compared, expected=expected, at=at)


def best_shift(
    x: NDArray[np.float64], y: NDArray[np.float64], curve: Curve, limit: float
) -> tuple[float, float, int] | None:
    """(shift, RMS difference, points) where the curve, moved by `shift` along x, agrees best with y(x).

    |shift| <= limit. Only points that x covers whatever the shift count; None if fewer than three remain.
    """

    covered = (curve.x - limit >= x[0]) & (curve.x + limit <= x[-1])
    points = int(covered.sum())
    if points < FEWEST_POINTS:
        return None

    def difference(shift: float) -> float:
        gap = np.interp(curve.x[covered] + shift, x, y) - curve.y[covered]
        return math.sqrt(float(np.mean(gap**2)))

    shifts = np.linspace(-limit, limit, _SHIFT_STEPS) if limit > 0 else np.zeros(1)
    rms, _, shift = min((difference(float(shift)), abs(float(shift)), float(shift)) for shift in shifts)
    return shift, rms, points
