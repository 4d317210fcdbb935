"""One picture of a flow, fast enough for movies: what stands still is drawn once, the field is put in as an
array."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eddyline.plot import colors, fonts, oblique, trails
from eddyline.plot.scene import Scene
from eddyline.stream.frames import LEVEL, Frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Image = NDArray[np.uint8]
Pixels = NDArray[np.uint32]
"""The same as a number a pixel, whose bytes are red, green, blue and 255: moved several times as fast."""
DPI = 100
INK = "#1b1f24"
QUIET = "#6b7280"
SOLID = "#c9cdd3"
SOLID_EDGE = "#1b1f24"
SOLID_COLOR = np.array([201, 205, 211], dtype=np.uint8)
NO_FLUID = np.array([246, 247, 249], dtype=np.uint8)
MARGIN = {"left": 74, "right": 120, "bottom": 62, "top": 58}  # px around the field
MAXIMUM_HEIGHT = 860  # px of the field
FILLED = 3  # pixels of a raster
LEVEL_DARK = np.array([20, 20, 20], dtype=np.uint8)
LEVEL_LIGHT = np.array([255, 255, 255], dtype=np.uint8)
LEVEL_OPACITY = 0.45
MOST_DIGITS = 7  # decimals of a time; a shorter one is told with a power of ten
LEVEL_NOTE = "Dark lines beside light ones: edges of finer cells"
NO_FLUID_CODE = 256  # after the 256 colours of a map
EDGE, COVERED = 0.45, 0.5  # of the blurred fluid mask, or of the cover: where the fluid is drawn to end
MINIMUM_WIDTH = 700  # px of the whole picture
LETTER = 6  # px of a letter beside the colour bar, about
SMOOTHING = 4  # pixels that a pixel of a moving body is drawn with, along each axis


@dataclass(frozen=True)
class Layout:
    """Whole pixels: size of the picture and the place of the field in it, row 0 at the top."""

    width: int
    height: int
    left: int
    top: int
    columns: int
    rows: int

    @classmethod
    def of(cls, size: tuple[float, float], width: int) -> Layout:
        """A picture about `width` px wide for a field of `size` (width, height) in metres; even sizes, as
        movies need."""
        available = width - MARGIN["left"] - MARGIN["right"]
        rows = round(available * size[1] / size[0])
        columns = available
        if rows > MAXIMUM_HEIGHT * width // 1280:
            rows = MAXIMUM_HEIGHT * width // 1280
            columns = max(1, round(rows * size[0] / size[1]))
        rows = max(rows, 24)
        total = max(columns + MARGIN["left"] + MARGIN["right"], min(MINIMUM_WIDTH, width))
        left = MARGIN["left"] + (total - columns - MARGIN["left"] - MARGIN["right"]) // 2
        height = rows + MARGIN["top"] + MARGIN["bottom"]
        return cls(_even(total), _even(height), left, MARGIN["top"], columns, rows)

    def box(self, left: float, top: float, columns: float, rows: float) -> tuple[float, float, float, float]:
        """Pixels as matplotlib's fractions (left, bottom, width, height)."""
        return left / self.width, 1 - (top + rows) / self.height, columns / self.width, rows / self.height


class FramePainter:
    """Paints frames of one quantity of one scene with one scale.

    `paint` gives (height, width, 3) uint8 with row 0 at the top, `paint_padded` the same (height, width, 4)
    for a film, as it is moved faster. Several threads may paint at a time.
    """

    def __init__(
        self,
        scene: Scene,
        quantity: str | colors.Quantity,
        scale: colors.Scale,
        *,
        width: int = 1280,
        footer: str = "",
        note: str = "",
        digits: int | None = None,
        view: oblique.View | None = None,
        tracks: Sequence[trails.Trail] = (),
    ) -> None:
        """note: on the left below the picture. digits: decimals of the time, by default those that suit each
        frame. view: of a scene in three dimensions, if not the usual one. tracks: of particles, in 2D."""
        self.scene = scene
        if isinstance(quantity, str):
            quantity = colors.quantity_of(quantity, scene.density)
        self.quantity = quantity
        self.scale = scale
        self._digits = digits
        self._tracks = tracks
        self._steps = colors.steps_of(quantity, scale)
        self.view = view or (oblique.View.of(scene) if scene.dimensions == 3 else None)
        size = (
            self.view.size
            if self.view
            else (scene.upper[0] - scene.lower[0], scene.upper[1] - scene.lower[1])
        )
        self.layout = Layout.of(size, width)
        self._background = _pixels(self._draw(fixed=True, footer=footer, note=note))
        self._set_overlay(self._draw(fixed=False))
        self._table = _pixels(np.vstack([colors.table(self.quantity, self._steps), NO_FLUID]))
        self._resample = Resampler(self.layout.rows, self.layout.columns)

    def paint(self, frame: Frame) -> Image:
        from PIL import Image as Pictures

        return np.asarray(Pictures.fromarray(self.paint_padded(frame)).convert("RGB"))

    def paint_padded(self, frame: Frame) -> Image:
        layout = self.layout
        image = self._background.copy()
        field = image[layout.top : layout.top + layout.rows, layout.left : layout.left + layout.columns]
        self._paint_field(field, frame)
        self._blend_overlay(image)
        self._paint_moving_bodies(field, frame.time)
        lower, upper = np.array(self.scene.lower[:2]), np.array(self.scene.upper[:2])
        trails.paint(_channels(field), self._tracks, frame.time, lower, upper)
        self._write_time(image, frame.time)
        return _channels(image)

    def _paint_field(self, field: Pixels, frame: Frame) -> None:
        values = colors.shown_values(frame.quantity, frame.values, self.scene.density)
        is_gas = self.scene.density is None  # which leaves no place empty
        cover = None if is_gas else frame.cover
        if (self.scene.has_mesh or is_gas) and frame.shade is None:
            values = filled_at_gaps(values)
        stretched, cover, where = self._resample(values, cover, whole=frame.shade is not None)
        if self._steps:
            stretched = self._nearest(frame.values, where)
            cover = np.where(np.isfinite(stretched), np.float32(1), np.float32(0))
            stretched = np.nan_to_num(stretched)
        stretched = stretched - np.float32(self.scale.low)
        stretched *= np.float32(255.999 / (self.scale.high - self.scale.low))
        np.nan_to_num(
            stretched, copy=False
        )  # numbers of a diverging run may be too large for single precision
        codes = np.clip(stretched, 0, 255, out=stretched).astype(np.intp)
        if frame.shade is not None:
            colored = _channels(np.take(self._table, codes))
            self._light_field(_channels(field)[..., :3], frame, colored[..., :3])
            return
        dry = cover <= 0
        codes[dry] = NO_FLUID_CODE
        shown = np.take(self._table, codes)
        channels = _channels(shown).reshape(-1, 4)[:, :3]
        first = (where[0].start or 0, where[1].start or 0)  # so that dashes stay where they are in a film
        for level in colors.contour_levels(self.quantity, self.scale):
            share = (level - self.scale.low) / (self.scale.high - self.scale.low)
            over = stretched >= math.floor(255.999 * share) + 1
            _draw_contour(channels, over, cover >= 0.5, dashed_from=first if level < 0 else None)
        if frame.level is not None and frame.quantity != LEVEL:
            self._outline_levels(channels, frame.level, where, cover.shape)
        edge = np.flatnonzero((cover < 1) & ~dry)
        part = cover.ravel()[edge, None]
        channels[edge] = (channels[edge] * part + NO_FLUID * (1 - part)).astype(np.uint8)
        if self.quantity.kind == "diverging":  # the middle is as light as a place without fluid
            _draw_contour(channels, cover >= 0.5, np.ones(cover.shape, dtype=bool), dashed_from=None)
        field[:] = self._table[NO_FLUID_CODE]
        field[::-1][where] = shown

    def _outline_levels(
        self, pixels: Image, level: NDArray[np.float32], where: Slices, shape: tuple[int, ...]
    ) -> None:
        """Faint lines around the cells of each finer level, dark beside light: they show on any colour."""
        shown = self._nearest(np.rint(level), where)  # NaN in bodies
        edge = np.zeros(shape, dtype=bool)
        edge[:-1] |= np.abs(shown[:-1] - shown[1:]) > 0
        edge[:, :-1] |= np.abs(shown[:, :-1] - shown[:, 1:]) > 0
        beside = edge.copy()
        beside[1:] |= edge[:-1]
        beside[:, 1:] |= edge[:, :-1]
        beside[1:, 1:] |= edge[:-1, :-1]
        for mask, color in ((beside & ~edge, LEVEL_LIGHT), (edge, LEVEL_DARK)):
            line = np.flatnonzero(mask)
            pixels[line] = (pixels[line] * (1 - LEVEL_OPACITY) + color * LEVEL_OPACITY).astype(np.uint8)

    def _nearest(self, raster: NDArray[np.float32], where: Slices) -> NDArray[np.float32]:
        """The values of a raster at the pixels of `where`, without values in between."""
        rows, columns = (
            (np.arange(count)[part] * length) // count
            for count, part, length in zip(
                (self.layout.rows, self.layout.columns), where, raster.shape, strict=True
            )
        )
        picked: NDArray[np.float32] = raster[rows[:, None], columns[None, :]]
        return picked

    def _light_field(self, field: Image, frame: Frame, shown: Image) -> None:
        """A view of particles: colours times light; the background shows where there is neither fluid nor
        body."""
        assert frame.shade is not None and frame.solid is not None
        lit = self._resample.stretch((frame.shade > 0).astype(np.float32))
        light = self._resample.stretch(frame.shade) / np.maximum(lit, np.float32(1e-6))
        if frame.solid.any():
            shown[self._resample.stretch(frame.solid.astype(np.float32)) > 0.5 * lit] = SOLID_COLOR
        rows, columns = np.nonzero(lit > 0.5)
        bright = shown[rows, columns] * light[rows, columns, None]
        field[::-1][rows, columns] = np.minimum(bright, 255).astype(np.uint8)

    def _draw(self, *, fixed: bool, footer: str = "", note: str = "") -> Image:
        """The parts below the field (`fixed`: axes, bar, words) or those over it (walls, bodies), RGBA."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        layout = self.layout
        figure = Figure(figsize=(layout.width / DPI, layout.height / DPI), dpi=DPI)
        canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes(layout.box(layout.left, layout.top, layout.columns, layout.rows))
        if fixed:
            self._draw_axes(axes)
            self._draw_bar(figure)
            title, size = fitting(fonts.drawable(self.scene.title), layout.width - layout.left - 10)
            place = layout.left / layout.width, 1 - 25 / layout.height
            figure.text(*place, title, size=size, color=INK, parse_math=False, family=fonts.families(title))
            if footer:
                figure.text(1 - 10 / layout.width, 8 / layout.height, footer, size=8, color=QUIET, ha="right")
            if note:
                figure.text(10 / layout.width, 8 / layout.height, note, size=8, color=QUIET)
        else:
            figure.patch.set_alpha(0)
            axes.set_axis_off()
            if self.view:
                self.view.draw_box(axes, front=True)
            else:
                _draw_walls(axes, self.scene)
                _draw_bodies(axes, self.scene)
        self._set_limits(axes)
        canvas.draw()  # type: ignore[no-untyped-call]
        return np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]

    def _draw_axes(self, axes: Axes) -> None:
        if self.view:
            axes.set_axis_off()
            self.view.draw_box(axes, front=False)
            return
        from eddyline.plot.numbers import Numbers

        right, up, _ = ("xyz"[axis] for axis in self.scene.axes)
        plane = f", in the plane {self.scene.cut}" if self.scene.cut else ""
        axes.set_xlabel(f"{right} [m]{plane}", color=INK, size=10)
        axes.set_ylabel(f"{up} [m]", color=INK, size=10)
        axes.tick_params(labelsize=9, color=QUIET, labelcolor=INK)
        axes.locator_params(axis="y", nbins=max(2, min(9, self.layout.rows // 45)))
        for spine in axes.spines.values():
            spine.set_visible(False)
        self._set_limits(axes)
        for axis in (axes.xaxis, axes.yaxis):
            Numbers.beside(axis, (-2, 4))

    def _set_limits(self, axes: Axes) -> None:
        lower, upper = (
            (self.view.lower, self.view.upper) if self.view else (self.scene.lower, self.scene.upper)
        )
        axes.set_xlim(lower[0], upper[0])
        axes.set_ylim(lower[1], upper[1])

    def _draw_bar(self, figure: Figure) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import ListedColormap, Normalize

        from eddyline.plot.numbers import Numbers

        layout = self.layout
        place = figure.add_axes(layout.box(layout.left + layout.columns + 22, layout.top, 16, layout.rows))
        colormap: Any = self.quantity.colormap
        if self._steps:
            colormap = ListedColormap(colors.table(self.quantity, self._steps) / 255)
        mapped = ScalarMappable(Normalize(self.scale.low, self.scale.high), cmap=colormap)
        bar = figure.colorbar(
            mapped, cax=place, extend=self.scale.extend, extendfrac=min(0.06, 12 / layout.rows)
        )
        room = int((layout.rows + 0.5 * MARGIN["top"]) / LETTER)
        label = colors.bar_label(self.quantity, self.scene.density, room)
        bar.set_label(label, size=9, color=INK)
        bar.ax.tick_params(labelsize=9, color=QUIET, labelcolor=INK)
        if self._steps:
            bar.ax.tick_params(length=0)
            bar.set_ticks([round(self.scale.low + 0.5) + k for k in range(self._steps)])
        else:
            bar.ax.locator_params(axis="y", nbins=max(2, min(9, layout.rows // 40)))
            Numbers.beside(bar.ax.yaxis, (-3, 4))
        bar.outline.set_edgecolor(QUIET)
        for level in () if self.view else colors.contour_levels(self.quantity, self.scale):
            bar.ax.axhline(level, color=INK, lw=0.8, ls="--" if level < 0 else "-")

    def _set_overlay(self, overlay: Image) -> None:
        overlay = overlay.reshape(-1, 4)
        self._over = np.flatnonzero(overlay[:, 3])
        strength = overlay[self._over, 3].astype(np.float32)[:, None] / 255
        self._over_light = overlay[self._over, :3] * strength
        self._over_rest = 1 - strength

    def _blend_overlay(self, image: Pixels) -> None:
        channels = _channels(image).reshape(-1, 4)[:, :3]
        channels[self._over] = (channels[self._over] * self._over_rest + self._over_light).astype(np.uint8)

    def _paint_moving_bodies(self, field: Pixels, time: float) -> None:
        """Bodies where they are at `time`, as those at rest look; a line shows how far one has turned."""
        outlines = self.scene.moving_outlines(time)
        if not outlines:
            return
        from PIL import Image as Pictures
        from PIL import ImageDraw

        lower = np.array(self.scene.lower[:2])
        pixel = (self.scene.upper[0] - lower[0]) / self.layout.columns
        finer = SMOOTHING * np.array([1.0, -1.0])
        start = np.array([0.0, SMOOTHING * self.layout.rows])
        points = [start + finer * (line - lower) / pixel for line in outlines]
        marks = [start + finer * (line - lower) / pixel for line in self.scene.marks(time)]
        low = np.floor(np.min([p.min(axis=0) for p in points], axis=0) / SMOOTHING).astype(int) - 2
        high = np.ceil(np.max([p.max(axis=0) for p in points], axis=0) / SMOOTHING).astype(int) + 2
        left, top = np.maximum(low, 0)
        right, bottom = np.minimum(high, [self.layout.columns, self.layout.rows])
        if left >= right or top >= bottom:
            return
        part = _channels(field[top:bottom, left:right])
        size = (part.shape[1], part.shape[0])
        patch = Pictures.fromarray(part).resize((SMOOTHING * size[0], SMOOTHING * size[1]))
        draw = ImageDraw.Draw(patch)
        width = round(1.8 * SMOOTHING)
        corner = SMOOTHING * np.array([left, top])
        for polygon in points:
            corners = [(float(x), float(y)) for x, y in polygon - corner]
            draw.polygon(corners, fill=SOLID)
            draw.line([*corners, *corners[:2]], fill=SOLID_EDGE, width=width, joint="curve")
        for line in marks:
            draw.line([(float(x), float(y)) for x, y in line - corner], fill=SOLID_EDGE, width=width)
        part[:] = np.asarray(patch.resize(size, Pictures.Resampling.BOX))

    def _write_time(self, image: Pixels, time: float) -> None:
        from PIL import Image as Pictures
        from PIL import ImageDraw

        layout = self.layout
        right = layout.left + layout.columns
        left, top, bottom = max(0, right - 190), 16, layout.top - 6
        part = _channels(image[top:bottom, left:right])
        patch = Pictures.fromarray(part)
        digits = time_digits(time) if self._digits is None else self._digits
        text = f"{time:.{digits}f}" if digits <= MOST_DIGITS else f"{time:.3e}"
        unit = self.scene.time_unit
        text = f"t = {text} s" if unit == "s" else f"{time:.0f} {unit}"
        ImageDraw.Draw(patch).text(
            (right - left - 1, bottom - top - 4), text, fill=INK, font=_font(18), anchor="rs"
        )
        part[:] = np.asarray(patch)


def _pixels(image: Image) -> Pixels:
    """(..., 3) or (..., 4) as a number a pixel."""
    channels = np.full((*image.shape[:-1], 4), 255, dtype=np.uint8)
    channels[..., : image.shape[-1]] = image
    return channels.view(np.uint32)[..., 0]


def _channels(pixels: Pixels) -> Image:
    """(..., 4) of the same memory."""
    return pixels[..., None].view(np.uint8)


Slices = tuple[slice, slice]  # rows and columns
WHOLE: Slices = (slice(None), slice(None))


class Resampler:
    """Rasters to pixels, bilinear, with smooth edges where the fluid ends."""

    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns

    def __call__(
        self, values: NDArray[np.float32], cover: NDArray[np.float32] | None = None, *, whole: bool = False
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], Slices]:
        """(values, shown, where): shown is 1 in the fluid, 0 outside, and in between over about a pixel; it
        is 0 where nothing is given, which is nowhere if the `whole` is asked for. cover: of a frame, whose
        level COVERED is then the edge; else that is made from where there are values."""
        known = np.isfinite(values)
        if known.all():
            return self.stretch(values), np.ones((self.rows, self.columns), dtype=np.float32), WHOLE
        size = values.shape
        rows = _Stretch.of(np.logical_or.reduce(known, axis=1), self.rows, whole)
        columns = _Stretch.of(np.logical_or.reduce(known, axis=0), self.columns, whole)
        kept = (rows.kept, columns.kept)
        values, known = values[kept], known[kept]
        wet = known.astype(np.float32)
        filled = np.where(known, values, np.float32(0))
        near = _blur(wet)
        around = near > 0
        filled = np.where(known, filled, _blur(filled) / np.maximum(near, np.float32(1e-6)))
        stretched = _stretched(filled * around, rows, columns)
        seen: NDArray[np.float32] = np.maximum(
            _stretched(around.astype(np.float32), rows, columns), np.float32(1e-6)
        )
        stretched = stretched / seen
        # `least`: nothing of the fluid is seen where there is none, or farther out than values are known.
        edge, steepness, least, source = (
            (EDGE, 1.5, 0.55 / EDGE, near) if cover is None else (COVERED, 2.0, 2.0, cover[kept])
        )
        shown = _stretched(source, rows, columns) - np.float32(edge)
        shown *= np.float32(max(least, steepness * self.rows / size[0]))
        shown += np.float32(0.5)
        return stretched, np.clip(shown, 0, 1, out=shown), (rows.shown, columns.shown)

    def stretch(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        rows, columns = values.shape
        return _stretched(values, _Stretch.all_of(rows, self.rows), _Stretch.all_of(columns, self.columns))


@dataclass(frozen=True)
class _Stretch:
    """Along an axis: which values of a raster are needed, which pixels they are stretched to, and where these
    begin and end, in values from the first that is needed."""

    kept: slice
    shown: slice
    begin: float
    end: float

    @classmethod
    def all_of(cls, values: int, pixels: int) -> _Stretch:
        return cls(slice(0, values), slice(0, pixels), 0, values)

    @classmethod
    def of(cls, wet: NDArray[np.bool_], pixels: int, whole: bool) -> _Stretch:
        """Blurs the wet values and returns them at the visible pixels."""
        places = np.flatnonzero(wet)
        if whole or len(places) == 0:
            return cls.all_of(len(wet), pixels)
        values = len(wet) / pixels  # of a pixel
        reach = 1 + math.ceil(max(1.0, values))  # of the blur, and of a pixel
        first = max(0, math.floor((places[0] - reach) / values))
        last = min(pixels, math.ceil((places[-1] + 1 + reach) / values))
        lower = max(0, math.floor(first * values) - reach)
        upper = min(len(wet), math.ceil(last * values) + reach)
        begin, end = first * values - lower, min(last * values, upper) - lower
        return cls(slice(lower, upper), slice(first, last), begin, end)


def _stretched(values: NDArray[np.float32], rows: _Stretch, columns: _Stretch) -> NDArray[np.float32]:
    from PIL import Image

    size = (columns.shown.stop - columns.shown.start, rows.shown.stop - rows.shown.start)
    box = (columns.begin, rows.begin, columns.end, rows.end)
    resized = Image.fromarray(values).resize(size, Image.Resampling.BILINEAR, box)
    return np.asarray(resized)


def filled_at_gaps(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Values also up to FILLED pixels beyond those that have one, from the nearest of them: straight edges
    of a mesh at a curved body leave gaps, and particles of a thin gas too. Bodies are drawn over the rest."""
    for _ in range(FILLED):
        known = np.isfinite(values)
        if known.all():
            break
        near = _blur(known.astype(np.float32))
        mean = _blur(np.where(known, values, np.float32(0))) / np.maximum(near, np.float32(1e-6))
        values = np.where(known, values, np.where(near > 0, mean, np.float32(np.nan)))
    return values


def _blur(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each pixel with its neighbours, weights 1 2 1 along both axes."""
    wide = np.pad(values, 1, mode="edge")
    wide = wide[:-2] + 2 * wide[1:-1] + wide[2:]
    out: NDArray[np.float32] = (wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]) / np.float32(16)
    return out


def _draw_contour(
    pixels: Image, over: NDArray[np.bool_], wet: NDArray[np.bool_], *, dashed_from: tuple[int, int] | None
) -> None:
    """Darkens the pixels at the edge of `over`; they lie row by row. `dashed_from`: row and column of the
    first one, if the line is dashed: along rows where it is steep, else along columns."""
    flat, steep = np.zeros(over.shape, dtype=bool), np.zeros(over.shape, dtype=bool)
    flat[:-1] = (over[:-1] != over[1:]) & wet[:-1] & wet[1:]
    steep[:, :-1] = (over[:, :-1] != over[:, 1:]) & wet[:, :-1] & wet[:, 1:]
    at = np.flatnonzero(flat | steep)
    if dashed_from is not None:
        row, column = at // over.shape[1] + dashed_from[0], at % over.shape[1] + dashed_from[1]
        at = at[np.where(steep.ravel()[at], row, column) // 5 % 2 == 0]
    pixels[at] = (pixels[at] * np.float32(0.45)).astype(np.uint8)


def _draw_walls(axes: Axes, scene: Scene) -> None:
    """No-slip walls are thick lines, slip walls thin ones, with gaps where they have openings, periodic sides
    dotted; an open side has no line."""
    (left, bottom, _), (right, top, _) = scene.lower, scene.upper
    across = {"left": left, "right": right, "bottom": bottom, "top": top}
    for side in scene.sides:
        style: dict[str, Any] = {"color": SOLID_EDGE, "lw": 1.3 if side.slip else 3.0}
        if side.kind == "periodic":
            style = {"color": QUIET, "lw": 1.3, "ls": (0, (1, 2))}
        elif side.kind != "wall":
            continue
        style["solid_capstyle"] = "butt" if side.gaps else "projecting"
        upright = side.name in ("left", "right")
        ends = (bottom, top) if upright else (left, right)
        stops = [ends[0], *itertools.chain(*side.gaps), ends[1]]
        for piece in zip(stops[::2], stops[1::2], strict=True):
            place = [across[side.name]] * 2
            axes.plot(*((place, piece) if upright else (piece, place)), clip_on=False, **style)


def _draw_bodies(axes: Axes, scene: Scene) -> None:
    from matplotlib.patches import Polygon

    for outline in scene.outlines:
        axes.add_patch(
            Polygon(outline, closed=True, facecolor=SOLID, edgecolor=SOLID_EDGE, lw=1.3, joinstyle="round")
        )


def fitting(title: str, width: int) -> tuple[str, int]:
    """The title and the size of its letters [points] with which it is not wider than so many pixels; the end
    of a long one is left out."""
    sizes = (14, 12, 10)
    for size in sizes:
        if _length(title, size) <= width:
            return title, size
    while len(title) > 1 and _length(title + "…", sizes[-1]) > width:
        title = title[:-1].rstrip()
    return title + "…", sizes[-1]


def _length(title: str, size: int) -> float:
    """Pixels of a title in letters of `size` points."""
    pieces = itertools.groupby(title, fonts.path_for)
    pixels = round(size * DPI / 72)
    return sum(float(_font(pixels, path).getlength("".join(piece))) for path, piece in pieces)


@cache
def _font(size: int, path: Path | None = None) -> Any:
    from PIL import ImageFont

    return ImageFont.truetype(str(path or fonts.path_for(" ")), size)


def time_digits(end: float, interval: float = 0.0) -> int:
    """Decimals that show times up to `end` to about a thousandth of it, and times `interval` apart as
    different ones."""
    sizes = [(abs(end), 2), (interval, 1)]
    found = [more - math.floor(math.log10(size)) for size, more in sizes if size > 0 and math.isfinite(size)]
    return max(0, max(found, default=3))


def _even(number: int) -> int:
    return number + number % 2
