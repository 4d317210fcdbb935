"""Charts of series: computed values as lines, published ones as points or bands. No chart relies on colour
alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eddyline.plot import references
from eddyline.plot.chart import INK, TIME_LABEL, Chart, draw_reference, half_band, line, name_above, pretty
from eddyline.plot.colors import QUANTITIES
from eddyline.plot.forces import ALWAYS, Stay, force_charts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eddyline.world import Expect, World
    from eddyline.world.series_table import SeriesTable

Vector = NDArray[np.float64]
SeriesMap = Mapping[str, "SeriesTable"]
ENERGIES = ("kinetic_energy", "potential_energy", "elastic_energy", "thermal_energy", "energy")
"""Columns of the budget that the chart of energies shows."""
MOST_BODIES = 24
"""Maximum number of bodies with charts of their forces."""


def charts_of(
    world: World, series: SeriesMap, results: Mapping[str, Any], stays: Mapping[str, Stay] | None = None
) -> list[Chart]:
    """All charts of a run: published curves first, then forces, observers and energies. stays: of bodies that
    were added or removed, from when until when they were there [s]."""
    found = _unique(_all_charts(world, series, results, stays or {}))
    return [replace(chart, time_unit=world.time_unit) for chart in found]


def _all_charts(
    world: World, series: SeriesMap, results: Mapping[str, Any], stays: Mapping[str, Stay]
) -> Iterator[Chart]:
    from eddyline.plot.profiles import expected_profile_chart, profile_chart
    from eddyline.world.profiles import profile_of
    from eddyline.world.quantities import is_point
    from eddyline.world.schema import Profile

    shown = set()
    for number, expect in enumerate(world.expectations):
        if expect.curve is not None and not is_point(expect, world.file, world.let):
            of_profile = profile_of(expect, world.file, world.let) is not None
            make = expected_profile_chart if of_profile else _curve_chart
            chart, used = make(world, expect, series, _comparison(results, number))
            if chart is not None:
                shown.update(used)
                yield chart
    bodies = _bodies_drawn(world, series)
    for body in sorted(bodies, key=lambda each: stays.get(each, ALWAYS)[0]):
        frame = series[f"force.{body}"]
        if len(frame) > 1:
            yield from force_charts(world, body, frame, results, stays.get(body, ALWAYS))
    for name in (*world.observers, *(f"force.{side}" for side in _expected_walls(world))):
        if name in series and name not in shown and len(series[name]) > 1:
            observer = world.observers.get(name)
            if isinstance(observer, Profile):
                yield profile_chart(name, observer, series[name])
            else:
                yield _series_chart(world, name, series[name])
    is_steady = world.core.options.get("steady") and "residual" not in world.observers
    if is_steady and "residual" in series and len(series["residual"]) > 1:
        yield _residual_chart(series["residual"])
    if "levels" in series and "levels" not in world.observers and len(series["levels"]) > 1:
        yield _level_chart(series["levels"])
    if "budget" in series and len(series["budget"]) > 1 and set(ENERGIES) & set(series["budget"].columns):
        yield _energy_chart(series["budget"])


def bodies_left_out(world: World, names: Iterable[str]) -> int:
    """Number of bodies without a chart of their force. names: of all series."""
    from eddyline.world.quantities import bodies_with_forces

    return max(0, len(bodies_with_forces(world.file, names)) - MOST_BODIES)


def _bodies_drawn(world: World, series: SeriesMap) -> list[str]:
    """Bodies with a chart of their force: of many, those with the largest forces."""
    from eddyline.world.quantities import bodies_with_forces

    def largest(body: str) -> float:
        frame = series[f"force.{body}"]
        totals = [column for column in map(str, frame.columns) if column.startswith("total_")]
        return float(np.abs(np.asarray(frame[totals])).max(initial=0.0))

    bodies = bodies_with_forces(world.file, series)
    drawn = set(sorted(bodies, key=largest, reverse=True)[:MOST_BODIES])
    return [body for body in bodies if body in drawn]


def _curve_chart(
    world: World, expect: Expect, series: SeriesMap, comparison: Mapping[str, Any]
) -> tuple[Chart | None, list[str]]:
    """A quantity over another one, with the published curve, shifted as for the comparison, and its band."""
    from eddyline.world import reference_curve

    assert expect.against is not None and expect.band is not None
    found = _evaluate(world, series, (expect.against, expect.quantity), expect.after)
    curve = reference_curve(world, expect)
    if found is None or curve is None:
        return None, []
    (x, y), names = found
    shift = float(comparison.get("shift") or 0.0)
    band = expect.band
    half = half_band(curve.y, band)
    source = references.short(expect.source) if expect.source else "expected"

    def draw(axes: Axes) -> None:
        order = np.argsort(x, kind="stable")
        draw_reference(axes, curve.x + shift, curve.y, band, source)
        line(axes, x[order], y[order], 0, "this run")
        axes.set_xlabel(pretty(expect.against or ""))
        axes.set_ylabel(pretty(expect.quantity))
        span = float(np.ptp(curve.x)) or 1.0
        axes.set_xlim(min(0.0, float(curve.x[0] + shift)), float(curve.x[-1] + shift) + 0.08 * span)
        inside = (curve.x[-1] + shift + 0.08 * span >= x) & np.isfinite(y)
        if inside.any():
            axes.set_ylim(
                min(0.0, float(y[inside].min())), 1.06 * float(max(y[inside].max(), curve.y.max() + half))
            )
        axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="best")

    moved = f", shifted by {shift:.3g} along the axis for the best agreement" if shift else ""
    text = f"{pretty(expect.quantity)} over {pretty(expect.against)}: line, with {source}: points{moved}"
    return Chart(names[0], f"{pretty(expect.quantity)} against {source}", text, draw), names


def _series_chart(world: World, name: str, frame: SeriesTable) -> Chart:
    """One column of an observer: that which an expected value names, or of the pictured quantity, or the
    first. Of a wall the total force."""
    every = [str(column) for column in frame.columns]
    if name.startswith("force."):
        columns = [column for column in every if column.startswith("total_")]
    else:
        expected = [column for column in every if _expects(world, f"{name}.{column}")]
        pictured = [column for column in every if column == world.file.pictured]
        columns = [*expected, *pictured, *every[1:]][:1]
    unit = frame.attrs.get("units", {}).get(columns[0], "")

    def draw(axes: Axes) -> None:
        time = np.asarray(frame["time"])
        for k, column in enumerate(columns):
            line(axes, time, np.asarray(frame[column]), k, column.replace("_", " "))
        _widen_if_flat(axes)
        axes.set_xlabel(TIME_LABEL)
        axes.set_ylabel(f"{_label(columns[0])} [{unit}]" if len(columns) == 1 else f"force [{unit}]")
        if len(columns) > 1:
            name_above(axes)

    plain = name.replace("force.", "force on ").replace("_", " ")
    text = _sentence(f"{', '.join(map(_label, columns))} of {plain} over time")
    if name.startswith("force."):
        text = f"Total {plain} along {', '.join(column[-1] for column in columns)} over time"
    return Chart(name, _sentence(plain), text, draw, above=len(columns) > 1)


def _label(column: str) -> str:
    """Words for a column of an observer: of a symbol those of its pictures, e.g. strain h_zz."""
    known = QUANTITIES.get(column)
    return known.label if known and column in known.label.split() else column.replace("_", " ")


def _widen_if_flat(axes: Axes) -> None:
    """Values that are equal but for rounding make a level line, instead of an axis with ten digits."""
    low, high = axes.get_ylim()
    size = max(abs(low), abs(high))
    if high - low < 1e-6 * size:
        axes.set_ylim(0.5 * (low + high) - 0.05 * size, 0.5 * (low + high) + 0.05 * size)


def _expects(world: World, column: str) -> bool:
    """True if an expected value of the run is made of this column, e.g. edge.velocity_y."""
    from re import escape, search

    return any(search(rf"\b{escape(column)}\b", expect.quantity) for expect in world.expectations)


def _energy_chart(frame: SeriesTable) -> Chart:
    columns = [c for c in ENERGIES if c in frame.columns]
    columns = [c for c in columns if float(np.nanmax(np.abs(np.asarray(frame[c])))) > 0] or columns[:1]
    unit = frame.attrs.get("units", {}).get(columns[0], "J")
    start = {
        c: float(np.asarray(frame[c])[0]) if c in ("potential_energy", "thermal_energy") else 0.0
        for c in columns
    }

    def draw(axes: Axes) -> None:
        time = np.asarray(frame["time"])
        for k, column in enumerate(columns):
            label = ("change of " if start[column] else "") + column.replace("_", " ")
            line(axes, time, np.asarray(frame[column]) - start[column], k, label)
        axes.set_xlabel(TIME_LABEL)
        axes.set_ylabel(f"energy [{unit}]")
        name_above(axes)

    names = ", ".join(c.replace("_", " ") for c in columns)
    return Chart("energy", "Energy", _sentence(f"{names} over time"), draw, above=True)


def _residual_chart(frame: SeriesTable) -> Chart:
    """The residual of a steady flow, on a logarithmic axis."""

    def draw(axes: Axes) -> None:
        line(axes, np.asarray(frame["time"]), np.asarray(frame["drop"]), 0, "residual")
        if (np.asarray(frame["drop"]) > 0).any():
            axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.yaxis.set_minor_formatter(lambda value, _: "")
        axes.set_xlabel(TIME_LABEL)
        axes.set_ylabel("residual, relative to the first")

    return Chart("residual", "Residual", "Residual over time, relative to the first one", draw)


def _level_chart(frame: SeriesTable) -> Chart:
    """Cells of each level; 0 has the largest cells."""
    columns = [str(column) for column in frame.columns if str(column).startswith("cells_")]

    def draw(axes: Axes) -> None:
        time = np.asarray(frame["time"])
        for k, column in enumerate(columns):
            line(axes, time, np.asarray(frame[column]), k, f"level {column.removeprefix('cells_')}")
        axes.set_xlabel(TIME_LABEL)
        axes.set_ylabel("cells")
        axes.set_ylim(bottom=0)
        name_above(axes)

    text = "Number of cells of each level over time; level 0 has the largest cells"
    return Chart("levels", "Cells of each level", text, draw, above=True)


# --- parts of charts ---


def _evaluate(
    world: World, series: SeriesMap, formulas: Sequence[str], after: float
) -> tuple[list[Vector], list[str]] | None:
    """The formulas over the times of the first series they name, and the names of their series; None if one
    is missing."""
    from eddyline.world.quantities import Quantity, find_quantity, plain_formula

    compiled = [plain_formula(formula, world.let) for formula in formulas]
    found = {
        name: find_quantity(name, world.file) for _, names in compiled for name in names if name != "time"
    }
    quantities = {name: quantity for name, quantity in found.items() if isinstance(quantity, Quantity)}
    used = list(dict.fromkeys(quantity.series for quantity in quantities.values()))
    if not used or any(name not in series for name in used) or len(quantities) < len(found):
        return None
    time = np.asarray(series[used[0]]["time"])
    time = time[time >= after]
    columns: dict[str, Any] = {"time": time}
    for name, quantity in quantities.items():
        frame = series[quantity.series]
        if quantity.column not in frame.columns or len(frame) == 0:
            return None
        columns[name] = np.interp(time, np.asarray(frame["time"]), np.asarray(frame[quantity.column]))
    out = []
    for formula, names in compiled:
        values = formula.evaluate({**world.let, **{plain: columns[name] for name, plain in names.items()}})
        out.append(np.broadcast_to(np.asarray(values, dtype=np.float64), time.shape))
    return out, used


def _comparison(results: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    items = results.get("expectations", [])
    return items[number] if number < len(items) else {}


def _expected_walls(world: World) -> list[str]:
    """Sides of the domain that have an [[expect]] on their force."""
    return [
        side
        for side in world.sides
        if any(f"force.{side}." in expect.quantity for expect in world.expectations)
    ]


def _unique(charts: Iterator[Chart]) -> Iterator[Chart]:
    seen: dict[str, int] = {}
    for chart in charts:
        seen[chart.name] = seen.get(chart.name, 0) + 1
        if seen[chart.name] > 1:
            chart = Chart(f"{chart.name}-{seen[chart.name]}", chart.title, chart.description, chart.draw)
        yield chart


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].replace("_", " ")
