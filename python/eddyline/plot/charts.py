"""Charts of series: measured values as lines, published ones as points or bands. No chart relies on colour
alone."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eddyline.plot import references

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eddyline.world import Expect, World

Vector = NDArray[np.float64]
SeriesMap = Mapping[str, "pd.DataFrame"]
INK, QUIET, GRID = "#1b1f24", "#6b7280", "#dfe3e8"
LINES = (("#0b6e99", "-"), ("#b5451b", "--"), ("#5b7f1a", "-."), ("#7a4fa3", ":"))
BAND = "#e0a526"
PLACE = (0.085, 0.125, 0.895, 0.785)  # of the axes in the figure: left, bottom, width, height
PLACE_WITHOUT_TITLE = (0.075, 0.125, 0.915, 0.86)
MOST_POINTS = 3000  # of a line; more are thinned to the extremes of equal stretches
CSS_COLORS = {
    INK: "--ink",
    QUIET: "--quiet",
    GRID: "--grid",
    BAND: "--band",
    **{color: f"--line-{k}" for k, (color, _) in enumerate(LINES, 1)},
}


@dataclass(frozen=True)
class Chart:
    """`name`: of the file, `title`: a heading, `description`: what a reader who does not see it should
    know."""

    name: str
    title: str
    description: str
    draw: Callable[[Axes], None]

    def figure(self, paper: str = "white", place: tuple[float, float, float, float] = PLACE) -> Figure:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8.0, 4.0), dpi=150, facecolor=paper)
        FigureCanvasAgg(figure)
        axes = figure.add_axes(place)
        axes.margins(x=0.01)
        axes.set_facecolor("none")
        axes.grid(color=GRID, lw=0.7)
        axes.set_axisbelow(True)
        axes.tick_params(color=QUIET, labelcolor=INK, labelsize=9)
        for name, spine in axes.spines.items():
            spine.set_visible(name in ("left", "bottom"))
            spine.set_color(QUIET)
        self.draw(axes)
        for text in (axes.xaxis.label, axes.yaxis.label):
            text.set_color(INK)
        return figure

    def image(self) -> NDArray[np.uint8]:
        """(rows, columns, 3) uint8, with the title in it."""
        figure = self.figure()
        figure.text(PLACE[0], 0.945, self.title, color=INK, size=12)
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()  # type: ignore[attr-defined]

    def svg(self) -> str:
        """For the inside of a page: transparent, its colours the page's CSS variables."""
        import matplotlib

        out = io.StringIO()
        with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": self.name}):
            figure = self.figure("none", PLACE_WITHOUT_TITLE)
            figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        return _for_page(out.getvalue(), self.description)


def charts_of(world: World, series: SeriesMap, results: Mapping[str, Any]) -> list[Chart]:
    """All charts of a run: published curves first, then forces, observers and energies."""
    return list(_unique(_all_charts(world, series, results)))


def _all_charts(world: World, series: SeriesMap, results: Mapping[str, Any]) -> Iterator[Chart]:
    shown = set()
    for number, expect in enumerate(world.expectations):
        if expect.curve is not None:
            chart, used = _curve_chart(world, expect, series, _comparison(results, number))
            if chart is not None:
                shown.update(used)
                yield chart
    for body in world.core.bodies:
        frame = series.get(f"force.{body.name}")
        if frame is not None and len(frame) > 1:
            yield _force_chart(world, body.name, frame, results)
    for name in (*world.observers, *(f"force.{side}" for side in _expected_walls(world))):
        if name in series and name not in shown and len(series[name]) > 1:
            yield _series_chart(world, name, series[name])
    if "budget" in series and len(series["budget"]) > 1:
        yield _energy_chart(series["budget"])


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
    half = band * float(np.sqrt(np.mean(curve.y**2)))
    source = references.short(expect.source) if expect.source else "expected"

    def draw(axes: Axes) -> None:
        order = np.argsort(x, kind="stable")
        axes.fill_between(
            curve.x + shift, curve.y - half, curve.y + half, color=BAND, alpha=0.25, lw=0,
            label=f"band ±{100 * band:g} % RMS",
        )  # fmt: skip
        axes.plot(curve.x + shift, curve.y, "o", ms=5, mfc="none", mec=INK, mew=1.2, label=source)
        _line(axes, x[order], y[order], 0, "this run")
        axes.set_xlabel(_pretty(expect.against or ""))
        axes.set_ylabel(_pretty(expect.quantity))
        span = float(np.ptp(curve.x)) or 1.0
        axes.set_xlim(min(0.0, float(curve.x[0] + shift)), float(curve.x[-1] + shift) + 0.08 * span)
        inside = (curve.x[-1] + shift + 0.08 * span >= x) & np.isfinite(y)
        if inside.any():
            axes.set_ylim(
                min(0.0, float(y[inside].min())), 1.06 * float(max(y[inside].max(), curve.y.max() + half))
            )
        axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper left")

    moved = f", moved by {shift:.3g} along the axis for the best agreement" if shift else ""
    text = f"{_pretty(expect.quantity)} over {_pretty(expect.against)}: line, with {source}: points{moved}"
    return Chart(names[0], f"{_pretty(expect.quantity)} against {source}", text, draw), names


def _force_chart(world: World, body: str, frame: pd.DataFrame, results: Mapping[str, Any]) -> Chart:
    """Drag and lift of a body: coefficients if the world has a [reference], else forces."""
    time = frame["time"].to_numpy()
    reference = world.reference if world.core.dimensions == 2 else None
    if reference is not None:
        factor = 2 / (world.core.fluid.density * reference.velocity**2 * reference.length)
        columns = {"total_x": "drag coefficient", "total_y": "lift coefficient"}
        axis = "coefficient [1]"
    else:
        factor, unit = 1.0, frame.attrs.get("units", {}).get("total_x", "N")
        columns = {c: f"force along {c[-1]}" for c in map(str, frame.columns) if c.startswith("total_")}
        axis = f"force [{unit}]"
    bands = list(_bands(results, body)) if reference is not None else []

    def draw(axes: Axes) -> None:
        for k, (column, label) in enumerate(columns.items()):
            _line(axes, time, factor * frame[column].to_numpy(), k, label)
        for low, high, label in bands:
            axes.axhspan(low, high, color=BAND, alpha=0.4, lw=0)
            axes.axhline(0.5 * (low + high), color=BAND, lw=1, ls=(0, (5, 3)), label=label)
        window = _window(results, body)
        if window:
            axes.axvspan(
                *window, fc=GRID, ec=QUIET, alpha=0.5, lw=0.8, zorder=0, label="window of the values"
            )
        axes.set_xlabel("time [s]")
        axes.set_ylabel(axis)
        shown = np.concatenate([factor * frame[column].to_numpy() for column in columns])
        _limit(axes, shown, [edge for low, high, _ in bands for edge in (low, high)])
        axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper right", ncols=2)

    names = " and ".join(columns.values())
    text = f"{names.capitalize()} of {body} over time" + (", with published bands" if bands else "")
    return Chart(f"force.{body}", f"Forces on {body}", text, draw)


def _series_chart(world: World, name: str, frame: pd.DataFrame) -> Chart:
    """The first column of an observer, e.g. the pressure at a probe; the total force of a wall."""
    wanted = "total_" if name.startswith("force.") else str(frame.columns[1])
    columns = [str(column) for column in frame.columns if str(column).startswith(wanted)]
    unit = frame.attrs.get("units", {}).get(columns[0], "")

    def draw(axes: Axes) -> None:
        time = frame["time"].to_numpy()
        for k, column in enumerate(columns):
            _line(axes, time, frame[column].to_numpy(), k, column.replace("_", " "))
        axes.set_xlabel("time [s]")
        axes.set_ylabel(
            f"{columns[0].replace('_', ' ')} [{unit}]" if len(columns) == 1 else f"force [{unit}]"
        )
        if len(columns) > 1:
            axes.legend(frameon=False, labelcolor=INK, fontsize=9)

    plain = name.replace("force.", "force on ").replace("_", " ")
    return Chart(name, _sentence(plain), _sentence(f"{', '.join(columns)} of {plain} over time"), draw)


def _energy_chart(frame: pd.DataFrame) -> Chart:
    energies = ("kinetic_energy", "potential_energy", "elastic_energy", "thermal_energy")
    columns = [c for c in energies if c in frame.columns]
    columns = [c for c in columns if float(np.nanmax(np.abs(frame[c].to_numpy()))) > 0] or columns[:1]
    unit = frame.attrs.get("units", {}).get(columns[0], "J")
    start = {
        c: float(frame[c].iloc[0]) if c in ("potential_energy", "thermal_energy") else 0.0 for c in columns
    }

    def draw(axes: Axes) -> None:
        time = frame["time"].to_numpy()
        for k, column in enumerate(columns):
            label = column.replace("_", " ") + (", change since the start" if start[column] else "")
            _line(axes, time, frame[column].to_numpy() - start[column], k, label)
        axes.set_xlabel("time [s]")
        axes.set_ylabel(f"energy [{unit}]")
        axes.legend(frameon=False, labelcolor=INK, fontsize=9)

    names = ", ".join(c.replace("_", " ") for c in columns)
    return Chart("energy", "Energy", _sentence(f"{names} of the fluid over time"), draw)


# --- parts of charts ---


def _line(axes: Axes, x: Vector, y: Vector, k: int, label: str) -> None:
    color, style = LINES[k % len(LINES)]
    axes.plot(*thin(x, y), color=color, ls=style, lw=1.6, label=label, solid_joinstyle="round")


def thin(x: Vector, y: Vector, most: int = MOST_POINTS) -> tuple[Vector, Vector]:
    """At most about `most` points: the lowest and the highest of each of equal stretches, so that peaks
    stay."""
    if len(x) <= most:
        return x, y
    stretches = np.array_split(np.arange(len(x)), most // 2)
    kept = sorted(
        {int(part[f(y[part])]) for part in stretches for f in (np.argmin, np.argmax)} | {0, len(x) - 1}
    )
    return x[kept], y[kept]


def _limit(axes: Axes, values: Vector, edges: Sequence[float]) -> None:
    """An axis that holds nearly all values: the jolt of a sudden start must not flatten the rest."""
    values = values[np.isfinite(values)]
    if not values.size:
        return
    low, high = np.percentile(values, (0.5, 99.5))
    low, high = min([float(low), *edges]), max([float(high), *edges])
    margin = 0.12 * (high - low) or 0.5
    axes.set_ylim(low - margin, high + 2 * margin)


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
    time = series[used[0]]["time"].to_numpy()
    time = time[time >= after]
    columns: dict[str, Any] = {"time": time}
    for name, quantity in quantities.items():
        frame = series[quantity.series]
        if quantity.column not in frame.columns:
            return None
        columns[name] = np.interp(time, frame["time"].to_numpy(), frame[quantity.column].to_numpy())
    out = []
    for formula, names in compiled:
        values = formula.evaluate({**world.let, **{plain: columns[name] for name, plain in names.items()}})
        out.append(np.broadcast_to(np.asarray(values, dtype=np.float64), time.shape))
    return out, used


def _bands(results: Mapping[str, Any], body: str) -> Iterator[tuple[float, float, str]]:
    """Published ranges of coefficients of `body`: (low, high, label)."""
    for item in results.get("expectations", []):
        if re.match(rf"^{re.escape(body)}\.(drag|lift)_coefficient\.\w+$", item["quantity"]):
            numbers = [float(n) for n in re.findall(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?", item["expected"])]
            what = item["quantity"].removeprefix(f"{body}.").replace("_", " ").replace(".", " ")
            if item["kind"] == "range" and len(numbers) == 2:
                yield numbers[0], numbers[1], f"published {what}"
            elif item["kind"] == "value" and len(numbers) == 2:
                yield numbers[0] - numbers[1], numbers[0] + numbers[1], f"published {what}"


def _window(results: Mapping[str, Any], body: str) -> tuple[float, float] | None:
    for value in results.get("values", []):
        if value["name"] == f"{body}.drag_coefficient.mean" and value.get("window"):
            return float(value["window"][0]), float(value["window"][1])
    return None


def _comparison(results: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    items = results.get("expectations", [])
    return items[number] if number < len(items) else {}


def _expected_walls(world: World) -> list[str]:
    """Sides of the domain whose force an [[expect]] names."""
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


def _pretty(formula: str) -> str:
    return re.sub(r"\s*\*\s*", " · ", formula.replace("_", " "))


def _for_page(svg: str, description: str) -> str:
    """The <svg> element alone: colours as CSS variables, no ids but those that are referred to, a
    description."""
    svg = svg[svg.index("<svg") :]
    for color, variable in CSS_COLORS.items():
        svg = svg.replace(color, f"var({variable})")
    used = set(re.findall(r'(?:url\(#|href="#)([\w-]+)', svg))
    svg = re.sub(r' id="([\w.-]+)"', lambda match: match[0] if match[1] in used else "", svg)
    svg = re.sub(r'<svg ([^>]*?)width="[^"]*"', r"<svg \1", svg, count=1)
    svg = re.sub(r'<svg ([^>]*?)height="[^"]*"', r"<svg \1", svg, count=1)
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;\"]*;?\s*", "", svg)
    label = description.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
