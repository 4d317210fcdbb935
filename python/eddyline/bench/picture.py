"""The roofline: what time steps reach, below what memory and arithmetic allow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from eddyline.bench import machine, step
from eddyline.plot.chart import INK, LINES, QUIET, style_axes
from eddyline.stream import atomic

MARKERS = "osD^vP"


def draw(path: Path, records: Sequence[step.Record], limits: machine.Record) -> None:
    """Writes a PNG. records: of as many threads as the limits were measured with."""
    figure = Figure(figsize=(7.2, 4.6), dpi=100, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    style_axes(axes, labelsize=9)
    cores = min(limits.threads, limits.cores)
    intensity = [record.pairs_per_byte for record in records]
    dimensions = sorted({record.dim for record in records})
    roofs = {dim: cores * limits.pairs_per_second_limit["confined"][dim] for dim in dimensions}
    knee = min(roofs.values()) / limits.copy_bytes_per_second  # where memory and arithmetic allow the same
    left, right = min(*intensity, knee) / 4, max(*intensity, knee) * 4
    bottom = min(record.pairs_per_second for record in records) / 4
    axes.set(xscale="log", yscale="log", xlim=(left, right), ylim=(bottom, 4 * max(roofs.values())))
    _draw_roofs(axes, limits, roofs, (left, right))
    cases = list(dict.fromkeys((record.case, record.scheme) for record in records))
    for number, (case, scheme) in enumerate(cases):
        for dim in dimensions:
            found = [r for r in records if (r.case, r.scheme, r.dim) == (case, scheme, dim)]
            if found:
                name = f"{case}, {dim}D" + ("" if scheme == "delta" else f", {scheme}")
                sizes = [28 + 22 * np.log10(record.particles / 1e3).clip(0) for record in found]
                axes.scatter(
                    [record.pairs_per_byte for record in found],
                    [record.pairs_per_second for record in found],
                    s=sizes, marker=MARKERS[number % len(MARKERS)], color=_color(dim), alpha=0.8, lw=0,
                    label=name,
                )  # fmt: skip
    axes.set_xlabel("pairs per evaluation and byte of memory, lists counted once per pass", color=INK)
    axes.set_ylabel(f"pairs per second, {limits.threads} thread{'s' * (limits.threads > 1)}", color=INK)
    axes.legend(
        frameon=False, fontsize=8, loc="lower right", title="larger: more particles", title_fontsize=8
    )
    origin = f"{limits.processor}, {limits.cores} cores, commit {records[0].commit or 'unknown'}"
    axes.set_title(origin, fontsize=8, color=QUIET, loc="left")
    with atomic.replacing(path) as temporary:
        figure.savefig(temporary, format="png")


def _draw_roofs(
    axes: Axes, limits: machine.Record, roofs: dict[int, float], ends: tuple[float, float]
) -> None:
    """The slope of memory as far as the highest roof of arithmetic, and each of these."""
    memory = limits.copy_bytes_per_second
    highest = max(roofs.values())
    knee = min(highest / memory, ends[1])
    axes.plot(
        [ends[0], knee, ends[1]],
        np.minimum([memory * ends[0], memory * knee, highest], highest),
        color=INK,
        lw=1.4,
    )
    here = (ends[0] * knee) ** 0.5
    axes.text(1.1 * here, memory * here, f"memory, {memory / 1e9:.1f} GB/s", color=INK, fontsize=8, va="top")
    for dim, limit in roofs.items():
        from_x = limit / memory
        axes.plot([min(from_x, ends[1]), ends[1]], [limit, limit], color=_color(dim), lw=1.4)
        roof = f"arithmetic of delta, {dim}D without a free surface, {limit / 1e6:.0f} M pairs/s "
        axes.text(ends[1], 1.06 * limit, roof, color=_color(dim), fontsize=8, ha="right")


def _color(dim: int) -> str:
    return LINES[dim - 2][0]
