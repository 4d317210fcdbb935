"""Box plots of exchanges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from eddyline.bench.exchange.replay import Record
from eddyline.plot.chart import INK, LINES, QUIET, style_axes


def draw(path: Path, records: Sequence[Record]) -> None:
    """Writes a PNG: a box for each strategy, quartiles and median, whiskers to the least and the most."""
    figure = Figure(
        figsize=(7.2, 1.4 + 0.32 * len(records)), dpi=110, layout="constrained", facecolor="white"
    )
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    draw_boxes(axes, [(record.strategy, record.seconds) for record in records])
    first = records[0]
    what = "numbers of 4 bytes" if first.as_counts else f"messages of {first.world}"
    crowded = ", more ranks than cores" if first.oversubscribed else ""
    axes.set_title(f"{what}, {first.ranks} ranks{crowded}", fontsize=9, color=QUIET, loc="left")
    figure.savefig(path, format="png")


def draw_boxes(axes: Axes, boxes: Sequence[tuple[str, dict[str, float]]], color: str = LINES[0][0]) -> None:
    """Lying boxes from top to bottom: a name and five numbers [s] each."""
    style_axes(axes, labelsize=9)
    stats = [
        {
            "label": name,
            "med": 1e6 * five["median"],
            "q1": 1e6 * five["q1"],
            "q3": 1e6 * five["q3"],
            "whislo": 1e6 * five["min"],
            "whishi": 1e6 * five["max"],
            "fliers": [],
        }
        for name, five in boxes
    ]
    axes.bxp(
        stats,
        orientation="horizontal",
        showfliers=False,
        patch_artist=True,
        widths=0.55,
        boxprops={"facecolor": color, "alpha": 0.35, "edgecolor": color},
        medianprops={"color": color, "lw": 2},
        whiskerprops={"color": color},
        capprops={"color": color},
    )
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    axes.set_xlabel("time of an exchange [µs]", color=INK)
