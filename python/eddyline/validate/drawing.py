"""Pictures of the cases: exact and published values dark, lines or open points; measured ones in colour."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from eddyline.plot.chart import GRID, INK, LINES, QUIET, style_axes
from eddyline.stream import atomic

__all__ = ["GRID", "INK", "LINES", "QUIET", "caption", "panels", "save"]

DPI = 100
LARGEST = 140_000
_PANEL = (4.6, 3.6)  # inches


def panels(count: int = 1, width: float = _PANEL[0], height: float = _PANEL[1]) -> tuple[Figure, list[Axes]]:
    """A row of empty axes, each `width` by `height` inches."""
    figure = Figure(figsize=(width * count, height), dpi=DPI, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = [figure.add_subplot(1, count, k + 1) for k in range(count)]
    for axis in axes:
        style_axes(axis, labelsize=8)
    return figure, axes


def caption(axes: Axes, text: str) -> None:
    """A small title."""
    axes.set_title(text, fontsize=9, color=INK)


def save(figure: Figure, folder: Path, name: str = "picture.png") -> Path:
    """Writes a small PNG: of 256 colours where all of them would take more than LARGEST bytes."""
    import io

    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    path = folder / name
    with Image.open(buffer) as image:
        picture = image.convert("RGB")
        with atomic.replacing(path) as temporary:
            picture.save(temporary, format="PNG", optimize=True)
            if temporary.stat().st_size > LARGEST:
                reduced = picture.quantize(256, dither=Image.Dither.NONE)
                reduced.save(temporary, format="PNG", optimize=True)
    return path
