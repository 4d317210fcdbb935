"""A drawing of a world: domain, sides, fluid, bodies and observers, with dimensions in metres."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eddyline.files import replacing

from .build import gauge_axis
from .cuts import cut_of
from .labels import Labels
from .motions import top_speed
from .openings import faces
from .outlines import outlines
from .patches import rim_of
from .problems import rounded
from .samples import Samples, corners, evaluate, face, lattice
from .schema import SIDES, Front, Gauge, Line, Patch, Periodic, PressureDrop, Profile, SideTable, Wall
from .shapes import Body, vec3

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

    from ..mesh import Mesh
    from .world import World

WATER = "#cfe3f2"
WATER_EDGE = "#7ba7c7"
ARROW = "#3f6f8f"
SOLID = "#6b7178"
INK = "#22272c"
MARK = "#b3361f"
_PATH_TIMES = 400  # at which a moving body is looked at, for
_OUTLINES = 12  # dashed outlines at most
_LINES = 160  # of a block in each direction; of finer ones some are left out
MESH_STYLES: tuple[dict[str, Any], ...] = ({"linewidths": 0.25, "alpha": 0.7}, {"linewidths": 0.9})
_ARROWS = 14  # start velocities drawn along the longer side


def save_picture(world: World, path: str | os.PathLike[str], dpi: float = 150.0) -> None:
    """Draws the world into a file (.png, .svg or .pdf). Shapes are exact; nothing depends on colour alone."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    low, high = corners(world.file)
    shown = views(world)
    widths = [high[axes[0]] - low[axes[0]] for axes in shown]
    height = high[shown[0][1]] - low[shown[0][1]]
    scale = min(8.0 / sum(widths), 5.2 / height)
    margins = 1.9 * len(shown)
    page = max(sum(widths) * scale + margins, 6.6), height * scale + 2.0
    figure = Figure(figsize=page, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(shown), squeeze=False, width_ratios=[w * scale + 1.9 for w in widths])[0]
    drawn = [_View(world, panel, axes, scale) for panel, axes in zip(panels, shown, strict=True)]
    for view in drawn:
        view.draw()
    figure.suptitle(world.title, fontsize=13, color=INK, fontweight="bold", parse_math=False)
    figure.supxlabel(_caption(world), fontsize=8.5, color=INK)
    figure.dpi = dpi
    figure.draw_without_rendering()  # so that sizes of texts are known
    for view in drawn:
        view.labels.settle()
    target = Path(path)
    with replacing(target) as temporary:
        figure.savefig(
            temporary, format=target.suffix.lstrip(".").lower() or None, dpi=dpi, facecolor="white"
        )


def views(world: World) -> list[tuple[int, int]]:
    """Axes to the right and upwards on paper, of each view: gravity acts downwards."""
    if world.dimensions == 2:
        return [(0, 1)]
    gravity = world.file.domain.gravity
    up = int(np.argmax(np.abs(gravity))) if gravity is not None and any(gravity) else 1
    return [(across, up) for across in ((1, 2), (0, 2), (0, 1))[up]]


def _caption(world: World) -> str:
    fluid = world.file.given_fluid
    parts = [world.solver.title]
    if fluid is not None:
        parts = [
            f"density {rounded(fluid.density)} kg/m\N{SUPERSCRIPT THREE}",
            f"kinematic viscosity {rounded(fluid.nu)} m\N{SUPERSCRIPT TWO}/s",
        ]
    parts += [
        f"spacing {rounded(world.file.domain.spacing)} m",
        f"end {rounded(world.end)} {world.time_unit}",
    ]
    if world.reynolds is not None:
        parts.insert(0, f"Re {rounded(world.reynolds)}")
    return "   ".join(parts)


def mesh_lines(mesh: Mesh) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
    """Lines through the nodes of a mesh in the plane, and the edges of its blocks, each (n, 2), m."""
    inner: list[NDArray[np.float64]] = []
    edges: list[NDArray[np.float64]] = []
    for block in mesh.blocks:
        for axis in (0, 1):
            across = np.moveaxis(block.nodes, axis, 0)
            step = max(1, (len(across) - 1) // _LINES)
            inner += list(across[step:-1:step])
            edges += [across[0], across[-1]]
    return inner, edges


class _View:
    """The world seen along one axis. axes: horizontal and vertical on paper; scale: inches per metre."""

    def __init__(self, world: World, panel: Axes, axes: tuple[int, int], scale: float) -> None:
        self.world, self.file, self.panel, self.axes = world, world.file, panel, axes
        low, high = corners(world.file)
        self.low = np.array([low[axes[0]], low[axes[1]]])
        self.high = np.array([high[axes[0]], high[axes[1]]])
        self.labels = Labels(panel, np.array([self.low, self.high]))
        self.inch = 1.0 / scale  # metres of the world on one inch of paper

    def draw(self) -> None:
        self._fluid()
        self._mesh()
        self._bodies()
        self._velocities()
        for index in (2 * self.axes[0], 2 * self.axes[0] + 1, 2 * self.axes[1], 2 * self.axes[1] + 1):
            self._side(index)
        self._openings()
        self._observers()
        self._cut()
        self._accelerations()
        self._dimensions()
        pad = 0.95 * self.inch
        self.panel.set_xlim(self.low[0] - pad, self.high[0] + pad)
        self.panel.set_ylim(self.low[1] - 0.75 * self.inch, self.high[1] + 0.55 * self.inch)
        self.panel.set_aspect("equal")
        self.panel.axis("off")

    def _polygon(self, corners_: NDArray[np.float64], **style: Any) -> None:
        from matplotlib.patches import Polygon, Rectangle

        patch = Polygon(corners_, closed=True, **style)
        self.panel.add_patch(patch)
        patch.set_clip_path(
            Rectangle((self.low[0], self.low[1]), *(self.high - self.low), transform=self.panel.transData)
        )

    def _fluid(self) -> None:
        tolerance = 0.002 * self.inch
        style = {"facecolor": WATER, "edgecolor": WATER_EDGE, "linewidth": 0.8, "zorder": 1}
        if not self.file.regions:
            box = np.array([self.low, [self.high[0], self.low[1]], self.high, [self.low[0], self.high[1]]])
            self._polygon(box, **style)
        for name, region in self.file.regions.items():
            for line in outlines(region, self.axes, tolerance):
                self._polygon(line, **style)
            left = max(float(line[:, 0].min()), self.low[0])
            top = min(float(line[:, 1].max()), self.high[1])
            place = np.array([left, top]) + np.array([0.07, -0.06]) * self.inch
            self._text(place, name, color="#2f5d7c", ha="left", va="top", style="italic")

    def _mesh(self) -> None:
        """Lines of the mesh in 2D, edges of its blocks stronger; cells may be drawn several together."""
        if "mesh" not in self.file.solver.tables or self.world.dimensions != 2:
            return
        from matplotlib.collections import LineCollection
        from matplotlib.patches import Rectangle

        from .meshes import make

        frame = Rectangle((self.low[0], self.low[1]), *(self.high - self.low), transform=self.panel.transData)
        for lines, style in zip(mesh_lines(make(self.file)), MESH_STYLES, strict=True):
            drawn = LineCollection(lines, colors=SOLID, zorder=2, **style)
            self.panel.add_collection(drawn, autolim=False)
            drawn.set_clip_path(frame)

    def _bodies(self) -> None:
        for name, body in self.file.bodies.items():
            hatch = None if body.slip else "xxxx"
            for line in outlines(body, self.axes, 0.002 * self.inch):
                self.labels.outlines.append(line)
                self._polygon(
                    line, facecolor="#c9ccd0", edgecolor=SOLID, hatch=hatch, linewidth=1.2, zorder=3
                )
            self._path(body)
            high, low = line.max(axis=0), line.min(axis=0)
            place = np.array([(high[0] + low[0]) / 2, high[1] + 0.06 * self.inch])
            label = f"{name}, slip" if body.slip else name
            if body.motion is not None:
                label += f", moves at up to {rounded(top_speed(body, self.file))} m/s"
            self._label(place, line, label, va="bottom", zorder=6)

    def _velocities(self) -> None:
        if self.file.start.velocity is None:
            return
        low, high = corners(self.file)
        size = self.high - self.low
        most = max(4, round(_ARROWS**2 * min(size) / max(size)))
        flat_low, flat_high = list(low), list(high)
        for axis in set(range(self.file.dimensions)) - set(self.axes):
            middle = (low[axis] + high[axis]) / 2
            flat_low[axis], flat_high[axis] = middle - 1e-9, middle + 1e-9
        points = lattice(flat_low, flat_high, self.file.dimensions, most)
        inside = np.ones(len(points), dtype=bool)
        if self.file.regions:
            inside &= (
                np.min([r.core_shape.signed_distance(points) for r in self.file.regions.values()], axis=0) < 0
            )
        for body in self.file.bodies.values():
            inside &= body.core_shape.signed_distance(points) > 0
        points = points[inside]
        vectors = np.stack([evaluate(self.file.start.velocity[axis], points) for axis in self.axes], axis=1)
        highest = float(np.linalg.norm(vectors, axis=1).max()) if len(points) else 0.0
        if highest > 0:
            step = float(np.sqrt(np.prod(size) / most))
            style: dict[str, Any] = {"color": ARROW, "width": 0.0022, "headwidth": 5, "pivot": "mid"}
            style |= {"angles": "xy", "scale_units": "xy", "scale": highest / (0.85 * step), "zorder": 2}
            self.panel.quiver(*points[:, list(self.axes)].T, *vectors.T, **style)

    def _path(self, body: Body) -> None:
        """Future places of a moving body: its outline, dashed, at a few times."""
        if body.motion is None:
            return
        drawn = [outlines(body, self.axes, 0.002 * self.inch)[0]]
        for time in np.linspace(0.0, self.world.end, _PATH_TIMES):
            line = outlines(body, self.axes, 0.002 * self.inch, float(time))[0]
            near = min(
                float(np.abs(line - other).max()) if line.shape == other.shape else np.inf for other in drawn
            )
            if near > 0.35 * self.inch and len(drawn) <= _OUTLINES:
                drawn.append(line)
                dashes = {"linestyle": (0, (4, 3)), "linewidth": 0.9, "zorder": 3}
                self._polygon(line, facecolor="none", edgecolor=SOLID, **dashes)

    # --- sides ----------------------------------------------------------------------------------------------

    def _side(self, index: int) -> None:
        from matplotlib.patches import Rectangle

        axis, end = self.axes.index(index // 2), index % 2
        side = self.file.boundaries.side(SIDES[index])
        along = 1 - axis
        where = self.high[axis] if end else self.low[axis]
        first, last = np.zeros(2), np.zeros(2)
        first[axis] = last[axis] = where
        first[along], last[along] = self.low[along], self.high[along]
        line = np.array([first, last])
        if isinstance(side, Wall):
            thickness = 0.09 * self.inch
            corner = first.copy()
            corner[axis] = where if end else where - thickness
            size = np.zeros(2)
            size[axis], size[along] = thickness, self.high[along] - self.low[along]
            hatch = None if side.slip else "//////"
            style: dict[str, Any] = {"facecolor": "#e4e6e8", "edgecolor": SOLID, "hatch": hatch, "zorder": 2}
            self.panel.add_patch(Rectangle((corner[0], corner[1]), size[0], size[1], linewidth=0, **style))
            self.panel.plot(line[:, 0], line[:, 1], color=INK, linewidth=1.6, zorder=4, solid_capstyle="butt")
            self._wall_motion(side, index, axis, end, where)
        else:
            dashes = (6, 3) if isinstance(side, Periodic) else (1, 2.5)
            self.panel.plot(line[:, 0], line[:, 1], color=INK, linewidth=1.3, dashes=dashes, zorder=4)
        self._side_label(index, axis, end, where, self._side_words(side, index))

    def _openings(self) -> None:
        """Those in walls and bodies: a gap, with an arrow the way that fluid passes it."""
        for opening in faces(self.file):
            if opening.path[0] != "openings":
                continue
            low, high = (
                np.array([corner[axis] for axis in self.axes]) for corner in (opening.low, opening.high)
            )
            middle = (low + high) / 2
            line = np.array([low, high])
            kind = "inflow" if opening.is_inflow else "outflow"
            if opening.axis in self.axes:
                self.panel.plot(line[:, 0], line[:, 1], color="white", linewidth=4.0, zorder=5)
                self.panel.plot(line[:, 0], line[:, 1], color=ARROW, linewidth=1.6, dashes=(2, 1), zorder=6)
                inward = np.zeros(2)
                inward[self.axes.index(opening.axis)] = opening.inward
                start, end = middle - 0.16 * self.inch * inward, middle + 0.22 * self.inch * inward
                self._arrow(*((start, end) if opening.is_inflow else (end, start)))
                side: dict[str, Any] = {"ha": ("right", "center", "left")[round(inward[0]) + 1]}
                side["va"] = ("top", "center", "bottom")[round(inward[1]) + 1]
                self._label(middle + 0.27 * self.inch * inward, middle, f"{opening.name}: {kind}", **side)
            else:
                box = np.array([low, [high[0], low[1]], high, [low[0], high[1]]])
                self._polygon(box, facecolor="none", edgecolor=ARROW, linestyle=(0, (2, 1)), zorder=4)
                self._text(middle, f"{opening.name}: {kind}", ha="center", va="center")

    def _side_words(self, side: SideTable, index: int) -> str:
        name = SIDES[index]
        if isinstance(side, Periodic):
            return f"{name}: periodic"
        if not isinstance(side, Wall):
            return f"{name}: {side.type}"
        if side.slip:
            return f"{name}: wall, slip"
        if side.velocity is not None:
            return f"{name}: wall, moves at {rounded(self._wall_speed(side, index)[0])} m/s"
        return f"{name}: wall"

    def _wall_speed(self, side: Wall, index: int) -> tuple[float, NDArray[np.float64]]:
        """The highest speed of a moving wall [m/s], at t = 0 or when it first moves; and its direction."""
        assert side.velocity is not None
        points = face(self.file, index)
        for time in np.linspace(0.0, self.world.end, 9):
            vectors = np.stack([evaluate(formula, points, float(time)) for formula in side.velocity], axis=1)
            speeds = np.linalg.norm(vectors, axis=1)
            fastest = int(np.argmax(speeds))
            if speeds[fastest] > 0:
                return float(speeds[fastest]), vectors[fastest, list(self.axes)] / speeds[fastest]
        return 0.0, np.zeros(2)

    def _wall_motion(self, side: Wall, index: int, axis: int, end: int, where: float) -> None:
        if side.velocity is None:
            return
        direction = self._wall_speed(side, index)[1]
        if not direction.any():
            return
        middle = (self.low + self.high) / 2
        middle[axis] = where + (0.17 if end else -0.17) * self.inch
        self._arrow(middle - 0.3 * self.inch * direction, middle + 0.3 * self.inch * direction)

    def _side_label(self, index: int, axis: int, end: int, where: float, words: str) -> None:
        place = (self.low + self.high) / 2
        upright = axis == 0
        side = self.file.boundaries.side(SIDES[index])
        gap = (0.24 if isinstance(side, Wall) and side.velocity is not None else 0.14) * self.inch
        place[axis] = where + (gap if end else -gap)
        self._text(
            place, words, rotation=90 if upright else 0,
            ha=("left" if end else "right") if upright else "center",
            va="center" if upright else ("bottom" if end else "top"),
        )  # fmt: skip

    # --- observers, accelerations, dimensions ---------------------------------------------------------------

    def _observers(self) -> None:
        for name, observer in self.file.observe.items():
            if isinstance(observer, Front):
                axis = "xyz".index(observer.axis)
                if axis not in self.axes:
                    continue
                on_paper = self.axes.index(axis)
                start = self.low + 0.12 * (self.high - self.low)
                start[1 - on_paper] = self.low[1 - on_paper] + 0.22 * self.inch
                start[on_paper] = self._fluid_end(axis)
                step = np.zeros(2)
                step[on_paper] = 0.45 * self.inch
                self._arrow(start, start + step, color=MARK)
                self.labels.marks.append(np.linspace(start, start + step, 30))
                beside = start + step + 0.05 * self.inch
                self._label(beside, start + step, f"{name} (front)", color=MARK, ha="left", va="bottom")
            elif isinstance(observer, PressureDrop | Line | Profile):
                self._two_places(name, observer)
            elif observer.marks:
                places = [np.array(vec3(mark))[list(self.axes)] for mark in observer.marks.values()]
                place, kind = places[0], observer.type
                if isinstance(observer, Gauge):
                    self._gauge(place, gauge_axis(observer, self.file))
                elif isinstance(observer, Patch):
                    rim = rim_of(observer, self.file)[:, list(self.axes)]
                    self.panel.plot(*np.concatenate([rim, rim[:1]]).T, color=MARK, linewidth=3, zorder=6)
                else:
                    for x, y in places:
                        self.panel.plot(x, y, marker="o", ms=6, mfc="white", mec=MARK, mew=1.5, zorder=6)
                right = place[0] > self.low[0] + 0.75 * (self.high[0] - self.low[0])
                beside = place + np.array([-0.09 if right else 0.09, 0.06]) * self.inch
                self.labels.marks.append(np.array(places))
                side = {"ha": "right" if right else "left", "va": "bottom"}
                self._label(beside, place, f"{name} ({kind})", color=MARK, **side)

    def _cut(self) -> None:
        """The plane that pictures show, where it is seen from its edge."""
        cut = cut_of(self.file)
        if cut is None or cut.axes[2] not in self.axes:
            return
        on_paper = self.axes.index(cut.axes[2])
        ends = np.array([self.low, self.high])
        ends[:, on_paper] = cut.at
        self.panel.plot(*ends.T, color=MARK, linewidth=1.0, linestyle=(0, (8, 2, 1, 2)), zorder=6)
        beside = ends[1] + np.array([-0.06, -0.06]) * self.inch
        self._text(beside, f"pictures: {cut}", color=MARK, ha="right", va="top")

    def _two_places(self, name: str, observer: PressureDrop | Line | Profile) -> None:
        ends = np.array([vec3(observer.from_), vec3(observer.to)])[:, list(self.axes)]
        line = isinstance(observer, Line | Profile)
        self.panel.plot(
            ends[:, 0], ends[:, 1], color=MARK, linewidth=1.2, linestyle="-" if line else ":",
            marker="|" if line else "o", ms=6, mfc="white", mec=MARK, mew=1.5, zorder=6,
        )  # fmt: skip
        self.labels.marks.append(np.linspace(ends[0], ends[1], 100))
        last = ends[int(np.argmax(ends[:, 0]))]
        kind = observer.type.replace("_", " ")
        if line:  # beside it, as a pressure drop may be told above
            left = last[0] > self.low[0] + 0.75 * (self.high[0] - self.low[0])
            last = ends[int(np.argmin(ends[:, 0]))] if left else last
            beside = last + np.array([-0.08 if left else 0.08, 0.0]) * self.inch
            side = "right" if left else "left"
            self._label(beside, ends, f"{name} ({kind})", color=MARK, ha=side, va="center")
        else:
            above = last + np.array([0.0, 0.08]) * self.inch
            self._label(above, ends, f"{name} ({kind})", color=MARK, ha="center", va="bottom")

    def _gauge(self, place: NDArray[np.float64], axis: int) -> None:
        if axis not in self.axes:
            return
        end = place.copy()
        end[self.axes.index(axis)] = self.high[self.axes.index(axis)]
        self.panel.plot(
            [place[0], end[0]],
            [place[1], end[1]],
            color=MARK,
            linewidth=1.2,
            linestyle=(0, (8, 2, 1, 2)),
            zorder=5,
        )
        self.panel.plot(*place, marker="^", ms=6, color=MARK, zorder=6)

    def _fluid_end(self, axis: int) -> float:
        samples = Samples(self.file)
        return float(samples.high[axis]) if self.file.regions else float(self.low[self.axes.index(axis)])

    def _accelerations(self) -> None:
        arrows: list[tuple[str, NDArray[np.float64]]] = []
        if self.file.domain.gravity is not None:
            arrows.append(("g", np.array(self.file.domain.gravity, dtype=np.float64)))
        if self.file.domain.body_force is not None:
            centre = (np.array(corners(self.file)[0]) + np.array(corners(self.file)[1]))[None, :] / 2
            force = [float(evaluate(formula, centre)[0]) for formula in self.file.domain.body_force]
            arrows.append(("body force", np.array(force)))
        for row, (symbol, vector) in enumerate(arrows):
            size = float(np.linalg.norm(vector))
            on_paper = vector[list(self.axes)]
            if size == 0 or not on_paper.any():
                continue
            centre_ = self.high + np.array([0.55, -0.35 - 0.8 * row]) * self.inch
            step = on_paper / size * 0.22 * self.inch
            self._arrow(centre_ - step, centre_ + step)
            words = f"{symbol}\n{rounded(size)} m/s\N{SUPERSCRIPT TWO}"
            self._text(centre_ + np.array([0.0, -0.3 * self.inch]), words, va="top", fontsize=7.5)

    def _dimensions(self) -> None:
        (left, bottom), (right, top) = self.low, self.high
        below, beside = bottom - 0.52 * self.inch, left - 0.52 * self.inch
        self._arrow([left, below], [right, below], both=True)
        self._arrow([beside, bottom], [beside, top], both=True)
        narrow = right - left < 0.9 * self.inch
        width = [(left + right) / 2, below - (0.05 * self.inch if narrow else 0.0)]
        self._text(width, f"{rounded(right - left)} m", box=not narrow, va="top" if narrow else "center")
        height = [beside, (bottom + top) / 2]
        self._text(height, f"{rounded(top - bottom)} m", box=True, va="center", rotation=90)
        across, upwards = ("xyz"[axis] for axis in self.axes)
        self._text([right + 0.1 * self.inch, below], across, va="center")
        self._text([beside, top + 0.05 * self.inch], upwards, va="bottom")

    def _arrow(self, start: Any, end: Any, both: bool = False, color: str = INK) -> None:
        style = {
            "arrowstyle": "<|-|>" if both else "-|>",
            "color": color,
            "lw": 1.0,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        self.panel.annotate("", xy=tuple(end), xytext=tuple(start), zorder=6, arrowprops=style)

    def _label(self, place: Any, named: NDArray[np.float64], words: str, **style: Any) -> None:
        """A text that may be moved. named: points of what it names, (n, 2) or (2,) m."""
        self.labels.movable.append((self._text(place, words, **style), np.atleast_2d(named)))

    def _text(self, place: Any, words: str, box: bool = False, **style: Any) -> Text:
        from matplotlib.patheffects import withStroke

        style = {"fontsize": 8.5, "color": INK, "zorder": 7, "ha": "center", **style}
        if box:
            style["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        text = self.panel.text(place[0], place[1], words, **style)
        text.set_path_effects([withStroke(linewidth=2.5, foreground="white", alpha=0.8)])
        return text
