"""A plan as a picture: time and efficiency over the number of ranks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from eddyline.files import replacing
from eddyline.plan.distribution import Counts
from eddyline.plan.run_plan import RunPlan
from eddyline.plot import fonts
from eddyline.plot.chart import BAND, INK, LINES, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEW_MARKS = 8
"""Largest over smallest value of an axis below which it has marks at more than 1, 2 and 5."""


def save_picture(plan: RunPlan, path: Path) -> None:
    """Draws the plan into a file (.png, .svg or .pdf)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.2), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    nodes = np.array([row.nodes for row in plan.rows])
    for axes in (left, right):
        style_axes(axes, labelsize=9)
        axes.set_xscale("log", base=2)
        axes.set_xlabel("ranks", color=INK)
        marks = [count for count in nodes if count & (count - 1) == 0] or list(nodes)
        axes.set_xticks(marks, [f"{count:,}" for count in marks])
        axes.minorticks_off()
    _times(left, plan, nodes)
    _shares(right, plan, nodes)
    figure.suptitle(plan.title, fontsize=12, color=INK, x=0.01, ha="left", parse_math=False)
    fonts.settle(figure)
    with replacing(path) as temporary:
        figure.savefig(temporary, format=path.suffix.lstrip(".").lower(), dpi=130)


def _times(axes: Axes, plan: RunPlan, nodes: Counts) -> None:
    """Wall time with its error bar, or the time relative to one rank."""
    (color, _), (ideal_color, dashes) = LINES[0], LINES[1]
    times = [each for row in plan.rows if (each := row.wall if plan.steps else row.step) is not None]
    if not times:
        values = np.array([row.exetime for row in plan.rows])
        label = "time, relative to one rank"
    else:
        values = np.array([each.value for each in times])
        low, high = (np.array([getattr(each, end) for each in times]) for end in ("low", "high"))
        axes.fill_between(nodes, low, high, color=BAND, alpha=0.3, lw=0, label="error bar")
        label = "wall time [s]" if plan.steps else "time of a step [s]"
    ideal = (values[0] - plan.fixed_seconds) * nodes[0] / nodes + plan.fixed_seconds
    axes.plot(nodes, ideal, dashes, color=ideal_color, lw=1.2, label="equal loads, no messages")
    axes.plot(nodes, values, "-o", color=color, ms=3.5, lw=1.5, label="plan")
    _mark_log(axes)
    axes.set_ylabel(label, color=INK)
    _legend(axes)


def _shares(axes: Axes, plan: RunPlan, nodes: Counts) -> None:
    """Efficiency and what it is lost to, %."""
    shares: dict[str, list[float | None]] = {
        "efficiency": [row.efficiency for row in plan.rows],
        "lost to uneven loads": [1 - row.avgpts / row.maxpts for row in plan.rows],
        "messages, share of a step": [row.communication for row in plan.rows],
    }
    for (label, values), (color, style) in zip(shares.items(), LINES, strict=False):
        shown = [100 * value for value in values if value is not None]
        if shown:
            axes.plot(nodes, shown, style, color=color, marker="o", ms=3, lw=1.4, label=label)
    axes.set_ylim(0, 105)
    axes.set_ylabel("%", color=INK)
    _legend(axes)


def _mark_log(axes: Axes) -> None:
    """A logarithmic axis with plain numbers: 1, 2, 5, 10, and more of them if it is short."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    steps = (1, 2, 5) if high > FEW_MARKS * low else (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
    axes.yaxis.set_major_locator(LogLocator(subs=steps))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axes.yaxis.set_minor_locator(NullLocator())


def _legend(axes: Axes) -> None:
    """A legend above the axes, where it covers no curve."""
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize=8, borderaxespad=0.2,
        handlelength=1.6, columnspacing=1.2, handletextpad=0.5,
    )  # fmt: skip
