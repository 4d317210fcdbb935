"""Charts of ranks: a timeline of their phases, and the distribution of their time and messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.plot.chart import INK, Chart, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eddyline.stream.timeline import Laps

PHASES = {
    "rates": "#0b6e99",
    "forces": "#3f9bbf",
    "fringe": "#7a4fa3",
    "walls": "#b79bd1",
    "integrate": "#5b7f1a",
    "sort": "#8c6d3f",
    "lists": "#b9985f",
    "migrate": "#d08c1d",
    "pack": "#e0a526",
    "wait": "#d9dde2",
    "observe": "#9aa1aa",
}
"""Colours of phases: computing is blue, violet and green, preparation brown, communication yellow, waiting
pale."""


def timeline_figure(ranks: Sequence[Laps], steps: int = 6) -> Figure:
    """The phases of each rank over the last `steps` steps of a timeline."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size = (11.0, 1.4 + 0.42 * len(ranks))
    figure = Figure(figsize=size, dpi=150, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    begin, end = _window(ranks, steps)
    seen: set[str] = set()
    for rank, laps in enumerate(ranks):
        inside = (laps.moments[:, 1] > begin) & (laps.moments[:, 0] < end)
        for phase in PHASES:
            mine = inside & np.array([name == phase for name in laps.phases])
            if not mine.any():
                continue
            seen.add(phase)
            bars = [(1e3 * (a - begin), 1e3 * (b - a)) for a, b in laps.moments[mine].tolist()]
            axes.broken_barh(bars, (rank - 0.4, 0.8), color=PHASES[phase], lw=0)
    axes.set_xlim(0, 1e3 * (end - begin))
    axes.set_yticks(range(len(ranks)), [f"rank {rank}" for rank in range(len(ranks))])
    axes.invert_yaxis()
    axes.set_xlabel("time [ms]", color=INK)
    style_axes(axes, 9)
    axes.grid(False, axis="y")
    _legend(axes, seen)
    return figure


def _window(ranks: Sequence[Laps], steps: int) -> tuple[float, float]:
    """A typical interval of `steps` steps: of all, the one of median duration."""
    end = min(float(laps.moments[-1, 1]) for laps in ranks)
    first = ranks[0]
    starts = [
        float(begin)
        for (begin, _), phase, before in zip(
            first.moments[1:], first.phases[1:], first.phases[:-1], strict=True
        )
        if phase == "integrate" and before == "wait" and begin < end
    ][::2]  # a step integrates twice
    if len(starts) <= steps:
        return float(first.moments[0, 0]), end
    windows = [(starts[k + steps] - starts[k], starts[k]) for k in range(len(starts) - steps)]
    length, begin = sorted(windows)[len(windows) // 2]
    return begin, begin + length


def _legend(axes: Axes, seen: set[str]) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(color=color, label=phase) for phase, color in PHASES.items() if phase in seen]
    axes.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(handles),
        frameon=False,
        fontsize=8,
    )


def share_chart(shares: Sequence[Mapping[str, Any]], wall: float) -> Chart:
    """Seconds of each rank by phase, of `wall` seconds."""

    def draw(axes: Axes) -> None:
        left = np.zeros(len(shares))
        for phase, color in PHASES.items():
            seconds = np.array([share["seconds"].get(phase, 0.0) for share in shares])
            axes.barh(range(len(shares)), seconds, left=left, color=color, label=phase, height=0.7)
            left += seconds
        axes.set_yticks(range(len(shares)), [str(rank) for rank in range(len(shares))])
        axes.invert_yaxis()
        axes.set(xlabel="time [s]", ylabel="rank")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=6, frameon=False, fontsize=7)

    text = f"Time of each of {len(shares)} ranks by phase; {wall:.3g} s in total"
    return Chart("ranks", "Time of ranks by phase", text, draw, above=True)


def message_chart(shares: Sequence[Mapping[str, Any]]) -> Chart:
    """Number of messages by size."""
    counts = np.sum([share["sizes"] for share in shares], axis=0)
    used = np.flatnonzero(counts)

    def draw(axes: Axes) -> None:
        first, last = (int(used[0]), int(used[-1])) if len(used) else (1, 1)
        places = np.arange(first, last + 1)
        axes.bar(places, counts[first : last + 1], color=PHASES["pack"], width=0.9)
        axes.set_xticks(places, [_size(2 ** (k - 1)) for k in places.tolist()])
        axes.set(xlabel="size of a message, from [bytes]", ylabel="messages")

    text = f"{int(counts.sum()):,} messages between ranks by their size"
    return Chart("messages", "Messages between ranks", text, draw)


def _size(size: float) -> str:
    for unit in ("", "k", "M"):
        if size < 1024:
            return f"{size:.0f}{unit}"
        size /= 1024
    return f"{size:.0f}G"
