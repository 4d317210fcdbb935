"""Charts of the force on a body: components over time with published values, and a spectrum."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.plot import references
from eddyline.plot.chart import BAND, GRID, INK, LINES, QUIET, TIME_LABEL, Chart, Vector, line, thin
from eddyline.signals import Periodic, Spectrum, flow_state, power_spectrum
from eddyline.signals.averages import moving_mean, uniform
from eddyline.signals.periods import harmonics, mean_cycle, phase_of
from eddyline.world.problems import number_with_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eddyline.world import World
    from eddyline.world.series_table import SeriesTable

COEFFICIENTS = {"drag_coefficient": "total_x", "lift_coefficient": "total_y"}
SHOWN = ("mean", "max", "min", "rms")
DECADES = 7  # of a spectrum below its peak
Stay = tuple[float, float]
"""Start and end of the presence of a body [s]."""
ALWAYS: Stay = (-math.inf, math.inf)


def force_charts(
    world: World, body: str, frame: SeriesTable, results: Mapping[str, Any], stay: Stay = ALWAYS
) -> Iterator[Chart]:
    """Charts of the drag and lift coefficient of a body, and the spectrum of the lift; one chart of forces if
    the world has no [reference]. A moving body has a chart of its torque first."""
    time = np.asarray(frame["time"])
    factor = world.coefficient_of_force
    if "power" in frame.columns:
        yield _torque(body, time, frame, stay)
    if factor is None:
        yield _newtons(body, time, frame, stay)
        return
    for coefficient, column in COEFFICIENTS.items():
        forces = np.asarray(frame["total_y"]), np.asarray(frame["total_x"])
        cycle = _cycle_of(time, forces, factor * np.asarray(frame[column]), results, body)
        yield _coefficient(body, coefficient, time, factor * np.asarray(frame[column]), results, stay, cycle)
    if results.get("flows", {}).get(body, {}).get("state") in ("periodic", "irregular"):
        spectrum = spectrum_of(frame, "total_y", body, results)
        unit = density_unit(frame, "total_y")
        yield spectrum_chart(world, f"force.{body}", "total_y", spectrum, unit, oscillates=True)


def density_unit(frame: SeriesTable, column: str) -> str:
    """Unit of the power spectral density of a column: the square of its own times seconds."""
    unit = frame.attrs.get("units", {}).get(column, "1")
    return "s" if unit == "1" else f"({unit})^2 s"


def spectrum_of(frame: SeriesTable, column: str, body: str, results: Mapping[str, Any]) -> Spectrum:
    """The power spectrum of a column of a series over the window in which the flow around `body` is periodic
    or steady, otherwise over its second half. Raises ValueError if there are too few rows or all are
    equal."""
    time, values = np.asarray(frame["time"]), np.asarray(frame[column])
    if not len(time):
        raise ValueError("the series has no rows")
    window = window_of(results, body) or (0.5 * (time[0] + time[-1]), time[-1])
    inside = (time >= window[0]) & (time <= window[1]) & np.isfinite(values)
    return power_spectrum(time[inside], values[inside])


def window_of(results: Mapping[str, Any], body: str) -> tuple[float, float] | None:
    """The window of the values of a body [s]; None as long as there is none."""
    window = results.get("flows", {}).get(body, {}).get("window")
    return (float(window[0]), float(window[1])) if window else None


def spectrum_chart(
    world: World, series: str, column: str, spectrum: Spectrum, unit: str, *, oscillates: bool
) -> Chart:
    """Chart of the power over frequency, logarithmic, with its peak; a second axis for the Strouhal number
    with [reference]. unit: of the density. oscillates: True if the flow oscillates, so that the peak is not
    noise."""
    reference = world.reference
    scale = reference.length / reference.velocity if reference is not None else None
    known = (spectrum.frequency > 0) & (spectrum.power > 0)
    frequency, power = spectrum.frequency[known], spectrum.power[known]
    peak, place = spectrum.peak, _pretty(series, column)
    end = min(float(frequency[-1]), max(12 * peak, 20 * spectrum.resolution))

    def draw(axes: Axes) -> None:
        line(axes, frequency, power, 0, place)
        top = float(power.max())
        axes.set_yscale("log")
        axes.set_xlim(0, end)
        axes.set_ylim(top * 10.0**-DECADES, 8 * top)
        words = f"peak at {peak:.4g} 1/s"
        if not oscillates:
            words += ", but the flow is not periodic"
        elif scale:
            words += f", Strouhal number {peak * scale:.4g}"
        axes.axvline(peak, color=QUIET, lw=0.9, ls=(0, (4, 3)), label=words)
        axes.set_xlabel("frequency [1/s]")
        axes.set_ylabel(f"power spectral density [{unit}]")
        axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper right")
        if scale:
            above = axes.secondary_xaxis("top", functions=(_times(scale), _times(1 / scale)))
            above.set_xlabel("Strouhal number", color=INK, fontsize=9, labelpad=2)
            above.tick_params(color=QUIET, labelcolor=INK, labelsize=8, pad=1)
            above.spines["top"].set_color(QUIET)

    text = (
        f"Power spectrum of {place} from t = {spectrum.window[0]:.3g} to {spectrum.window[1]:.3g} s, "
        f"{spectrum.segments} segments under Hann windows that overlap by half; resolution "
        f"{spectrum.resolution:.2g} 1/s"
    )
    return Chart(f"{series}.spectrum", f"Spectrum of {place}", text, draw, above=scale is not None)


def _times(factor: float) -> Callable[[Any], Any]:
    return lambda values: np.asarray(values) * factor


def _pretty(series: str, column: str) -> str:
    """`force on cylinder along y` for total_y of force.cylinder; `pressure of gap`."""
    what, name = column.replace("_", " "), series.removeprefix("force.")
    if series.startswith("force."):
        part = what[:-2].replace("total", "").strip()
        return f"{part} force on {name} along {what[-1]}".strip()
    return f"{what} of {name}"


def _coefficient(
    body: str, name: str, time: Vector, values: Vector, results: Mapping[str, Any], stay: Stay,
    cycle: tuple[Vector, Vector] | None,
) -> Chart:  # fmt: skip
    """A coefficient over time: all rows thin and pale, without its noise as a line, and its mean cycle; the
    window of its values shaded, the values written, published ranges as bands."""
    frequency = results.get("flows", {}).get(body, {}).get("frequency")
    smooth = without_noise(time, values, frequency)
    label = name.replace("_", " ")
    window = window_of(results, body)
    found = [value for value in results.get("values", []) if value["name"].startswith(f"{body}.{name}.")]
    shown = {value["name"].rpartition(".")[2]: value for value in found if value["value"] is not None}
    bands = list(_bands(results, body, name))

    def draw(axes: Axes) -> None:
        axes.plot(*thin(time, values), color=LINES[0][0], lw=0.6, alpha=0.3, zorder=1, label="all rows")
        line(axes, *smooth, 0, f"{label}, filtered")
        if cycle is not None:
            line(axes, *cycle, 1, "mean cycle")
        if window:
            axes.axvspan(
                *window, fc=GRID, ec=QUIET, alpha=0.45, lw=0.8, zorder=0, label="window of the values"
            )
        for low, high, words in bands:
            axes.axhspan(low, high, color=BAND, alpha=0.4, lw=0)
            axes.axhline(0.5 * (low + high), color=BAND, lw=1, ls=(0, (5, 3)), label=words)
        levels = [shown[word]["value"] for word in ("mean", "max", "min") if word in shown]
        if levels and window:
            words = "mean; max and min of the mean cycle" if len(levels) > 1 else "mean"
            axes.hlines(levels, *window, color=INK, lw=1.2, ls=(0, (1, 1)), zorder=5, label=words)
        axes.set_xlabel(TIME_LABEL)
        axes.set_ylabel(f"{label} [1]")
        _mark_stay(axes, stay)
        _limit_to_window(axes, time, values, window, [edge for band in bands for edge in band[:2]])
        axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper right", ncols=2)
        axes.text(
            0.0, 1.02, _written(shown, found), transform=axes.transAxes, va="bottom", color=INK, fontsize=9
        )

    letter = {"drag_coefficient": "Drag", "lift_coefficient": "Lift"}[name]
    text = f"{label.capitalize()} of {body} over time" + (", with published values" if bands else "")
    if shown:
        text += f": {_written(shown, found)}"
    text += "".join(f"; {words}" for words in _moments(stay))
    return Chart(f"force.{body}.{letter.lower()}", f"{letter} of {body}", text, draw, above=True)


def without_noise(time: Vector, values: Vector, frequency: float | None) -> tuple[Vector, Vector]:
    """Smoothed values for display only: the mean over an eighth of a period around each row, or over a
    hundredth of the time without a period. frequency: [1/s]."""
    known = np.isfinite(values)
    if known.sum() < 2:
        return time[known], values[known]
    even, signal = uniform(time[known], values[known])
    width = 1 / (8 * frequency) if frequency else 0.01 * float(even[-1] - even[0])
    return even, moving_mean(even, signal, width)


def _cycle_of(
    time: Vector, forces: Sequence[Vector], values: Vector, results: Mapping[str, Any], body: str
) -> tuple[Vector, Vector] | None:
    """The mean cycle of `values` over the periods of the window of the results; None without periods."""
    flow = results.get("flows", {}).get(body, {})
    if flow.get("state") != "periodic":
        return None
    state = flow_state(time, forces)
    if not isinstance(state, Periodic):
        return None
    rows = np.isfinite(values)
    cycle = mean_cycle(
        time[rows], values[rows], state.edges, harmonics(time[rows], values[rows], state.edges)
    )
    moments = np.linspace(*state.window, 100 * state.periods + 1)
    phases = phase_of(moments, state.edges) % 1.0
    return moments, np.interp(phases, np.arange(len(cycle) + 1) / len(cycle), np.append(cycle, cycle[0]))


def _moments(stay: Stay) -> list[str]:
    """Texts about the addition and removal of a body; none if it was present all the time."""
    words = zip(("added", "removed"), stay, strict=True)
    return [f"{word} at t = {time:.4g} s" for word, time in words if math.isfinite(time)]


def _mark_stay(axes: Axes, stay: Stay) -> None:
    times = [time for time in stay if math.isfinite(time)]
    for time, words in zip(times, _moments(stay), strict=True):
        dashes = (6, 2) if time == stay[0] else (1, 2)
        axes.axvline(time, color=QUIET, lw=1.1, ls=(0, dashes), label=words)


def _written(shown: Mapping[str, Mapping[str, Any]], found: list[Mapping[str, Any]]) -> str:
    """Each value with its error, or the reason why there is none."""
    if not shown:
        return str(found[0]["note"]) if found else ""
    texts = {word: number_with_error(item["value"], item["error"]) for word, item in shown.items()}
    return ",  ".join(f"{word} {texts[word].replace('+-', '±')}" for word in SHOWN if word in texts)


def _limit_to_window(
    axes: Axes, time: Vector, values: Vector, window: tuple[float, float] | None, edges: list[float]
) -> None:
    """Limits the axis to the values in the window and to nearly all other values, so that a sudden start does
    not flatten the curve. Without a window all values except the start count, e.g. an impact."""
    known = np.isfinite(values)
    time, values = time[known], values[known]
    if not values.size:
        return
    late = values[time >= 0.9 * time[0] + 0.1 * time[-1]]
    shares = (1, 99) if window else (0, 100)
    low, high = (float(edge) for edge in np.percentile(late if late.size else values, shares))
    if window:
        part = values[(time >= window[0]) & (time <= window[1])]
        low, high = min(low, float(part.min())), max(high, float(part.max()))
    low, high = min([low, *edges]), max([high, *edges])
    margin = 0.15 * (high - low) or 0.5
    axes.set_ylim(low - margin, high + 3 * margin)


def _newtons(body: str, time: Vector, frame: SeriesTable, stay: Stay) -> Chart:
    columns = [column for column in map(str, frame.columns) if column.startswith("total_")]
    labels = [f"force along {column[-1]}" for column in columns]
    text = f"Force along {', '.join(column[-1] for column in columns)} on {body} over time"
    return _components(f"force.{body}", f"Force on {body}", text, "force", columns, labels, time, frame, stay)


def _torque(body: str, time: Vector, frame: SeriesTable, stay: Stay) -> Chart:
    columns = [column for column in map(str, frame.columns) if column.startswith("torque")]
    labels = [f"torque about {column[-1]}" if len(columns) > 1 else "torque" for column in columns]
    text = f"Torque of the fluid on {body}, about the pivot of its motion, over time"
    return _components(
        f"force.{body}.torque", f"Torque on {body}", text, "torque", columns, labels, time, frame, stay
    )


def _components(
    name: str,
    title: str,
    description: str,
    what: str,
    columns: Sequence[str],
    labels: Sequence[str],
    time: Vector,
    frame: SeriesTable,
    stay: Stay,
) -> Chart:
    """Some columns over time, in the unit of the first of them."""
    unit = frame.attrs.get("units", {}).get(columns[0], "1")

    def draw(axes: Axes) -> None:
        for k, (column, label) in enumerate(zip(columns, labels, strict=True)):
            line(axes, time, np.asarray(frame[column]), k, label)
        axes.set_xlabel(TIME_LABEL)
        axes.set_ylabel(f"{what} [{unit}]")
        _mark_stay(axes, stay)
        values = np.asarray(frame[list(columns)]).T.ravel()
        _limit_to_window(axes, np.tile(time, len(columns)), values, None, [])
        axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="upper right", ncols=2)

    return Chart(name, title, description + "".join(f"; {words}" for words in _moments(stay)), draw)


def _bands(results: Mapping[str, Any], body: str, name: str) -> Iterator[tuple[float, float, str]]:
    """Expected range of a coefficient: (low, high, label)."""
    for item in results.get("expectations", []):
        found = re.fullmatch(rf"{re.escape(body)}\.{name}\.(mean|max|min)", item["quantity"])
        if found and item.get("band"):
            word = "published" if references.known(item["source"]) else "expected"
            yield float(item["band"][0]), float(item["band"][1]), f"{word} {found[1]}"
