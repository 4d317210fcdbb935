"""One chart: how it looks in a file and on a page, and the parts that charts are made of."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.plot import fonts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Vector = NDArray[np.float64]
INK, QUIET, GRID = "#1b1f24", "#6b7280", "#dfe3e8"
LINES = (("#0b6e99", "-"), ("#b5451b", "--"), ("#5b7f1a", "-."), ("#7a4fa3", ":"))
BAND = "#e0a526"
PLACE = (0.085, 0.125, 0.895, 0.785)  # of the axes in the figure: left, bottom, width, height
PLACE_WITHOUT_TITLE = (0.075, 0.125, 0.915, 0.86)
EDGE = 0.008  # of the width of a figure, which stays free at its left
ROOM_ABOVE = 0.085  # of the height of a figure: for an axis or a line of text
MOST_POINTS = 3000  # of a line; more are thinned to the extremes of equal stretches
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
CSS_COLORS = {
    INK: "--ink",
    QUIET: "--quiet",
    GRID: "--grid",
    BAND: "--band",
    **{color: f"--line-{k}" for k, (color, _) in enumerate(LINES, 1)},
}


def style_axes(axes: Axes, labelsize: float) -> None:
    """A pale grid behind the curves, and two axes instead of a box. labelsize: of the numbers, in points."""
    axes.grid(color=GRID, lw=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(color=QUIET, labelcolor=INK, labelsize=labelsize)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(QUIET)


TIME_LABEL = "time [s]"


@dataclass(frozen=True)
class Chart:
    """`name`: of the file, `title`: a heading, `description`: text for readers who cannot see it."""

    name: str
    title: str
    description: str
    draw: Callable[[Axes], None]
    above: bool = False  # something stands above the axes, which leave room for it
    time_unit: str = "s"

    def figure(
        self,
        paper: str = "white",
        place: tuple[float, float, float, float] = PLACE,
        *,
        for_page: bool = False,
    ) -> Figure:
        """for_page: its letters are those of a browser, which has more of them."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8.0, 4.0), dpi=150, facecolor=paper)
        FigureCanvasAgg(figure)
        left, bottom, width, height = place
        axes = figure.add_axes((left, bottom, width, height - (ROOM_ABOVE if self.above else 0.0)))
        axes.margins(x=0.01)
        axes.set_facecolor("none")
        style_axes(axes, labelsize=9)
        self.draw(axes)
        if self.time_unit != "s" and axes.get_xlabel() == TIME_LABEL:
            axes.set_xlabel(self.time_unit)
        for text in (axes.xaxis.label, axes.yaxis.label):
            text.set(text=raised(text.get_text()), color=INK)
        if not for_page:
            fonts.settle(figure)
        _make_room_left(axes)
        for text in (axes.xaxis.label, axes.yaxis.label):
            text.set_text(text.get_text().removesuffix(" [1]"))
        return figure

    def image(self) -> NDArray[np.uint8]:
        """(rows, columns, 3) uint8, with the title in it."""
        figure = self.figure()
        figure.text(PLACE[0], 0.945, self.title, color=INK, size=12)
        fonts.settle(figure)
        figure.canvas.draw()
        return np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()  # type: ignore[attr-defined]

    def svg(self) -> str:
        """SVG for a page: transparent, its colours the page's CSS variables."""
        import matplotlib

        out = io.StringIO()
        with (
            matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": self.name}),
            warnings.catch_warnings(),
        ):
            warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font", UserWarning)
            figure = self.figure("none", PLACE_WITHOUT_TITLE, for_page=True)
            figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
        return _for_page(out.getvalue(), self.description)


def half_band(y: Vector, band: float) -> float:
    """Half the height of the band around a published curve, whose RMS is `band` of that of the curve."""
    return band * float(np.sqrt(np.mean(y**2)))


def draw_reference(axes: Axes, x: Vector, y: Vector, band: float, source: str) -> None:
    """A published curve as points, with its band."""
    half = half_band(y, band)
    axes.fill_between(
        x, y - half, y + half, color=BAND, alpha=0.25, lw=0, label=f"band ±{100 * band:g} % RMS"
    )
    axes.plot(x, y, "o", ms=5, mfc="none", mec=INK, mew=1.2, label=source)


def pretty(formula: str) -> str:
    """A formula of results as the label of an axis."""
    return raised(re.sub(r"\s*\*\s*", " · ", formula.replace("_", " ")))


def _make_room_left(axes: Axes) -> None:
    """Numbers and label of the axis on the left stay inside the figure, however long they are."""
    from matplotlib.ticker import ScalarFormatter

    from eddyline.plot.numbers import Numbers

    if isinstance(axes.yaxis.get_major_formatter(), ScalarFormatter):
        Numbers.beside(axes.yaxis)
    figure = axes.get_figure(root=True)
    assert figure is not None
    box = axes.yaxis.get_tightbbox()
    lacking = EDGE - (box.x0 / figure.bbox.width if box is not None else EDGE)
    if lacking > 0:
        place = axes.get_position()
        axes.set_position((place.x0 + lacking, place.y0, place.width - lacking, place.height))


def line(axes: Axes, x: Vector, y: Vector, k: int, label: str) -> None:
    color, style = LINES[k % len(LINES)]
    axes.plot(*thin(x, y), color=color, ls=style, lw=1.6, label=label, solid_joinstyle="round")


def name_above(axes: Axes) -> None:
    """The names of curves that may be anywhere, in a line above the axes: for a chart that has something
    above."""
    axes.legend(
        frameon=False, labelcolor=INK, fontsize=9, ncols=len(axes.lines),
        loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.1, borderpad=0.2,
    )  # fmt: skip


def raised(text: str) -> str:
    """A unit with superscripts: "m^2/s" as "m²/s"."""
    return re.sub(r"\^(\d+)(?![\d.])", lambda power: power[1].translate(_RAISED), text)


def thin(x: Vector, y: Vector, most: int = MOST_POINTS) -> tuple[Vector, Vector]:
    """Thins a curve to about `most` points: the lowest and the highest of each of equal intervals, so that
    peaks stay."""
    if len(x) <= most:
        return x, y
    stretches = np.array_split(np.arange(len(x)), most // 2)
    kept = sorted(
        {int(part[f(y[part])]) for part in stretches for f in (np.argmin, np.argmax)} | {0, len(x) - 1}
    )
    return x[kept], y[kept]


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
