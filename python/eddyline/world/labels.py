"""Places for the labels of a drawing, where they cover neither bodies nor marks nor each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path
    from matplotlib.text import Text

Points = NDArray[np.float64]
_LINES = (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5)  # heights by which a label may be moved
_SHIFTS = (0.0, 0.5, -0.5, 1.0, -1.0)  # widths
_SAMPLES = (16, 5)  # points in a label that are looked at, across and upwards
_ROOM = 2.0  # px around a label
_FAR = 1.3  # heights: a label that is farther from what it names has a line to it


@dataclass
class Labels:
    """Labels of a panel, each with points of what it names, (n, 2) m; `domain`: lower and upper corner."""

    panel: Axes
    domain: Points
    movable: list[tuple[Text, Points]] = field(default_factory=list)
    outlines: list[Points] = field(default_factory=list)
    marks: list[Points] = field(default_factory=list)

    def settle(self) -> None:
        """Moves labels that cover something, one after the other. The layout of the figure is done."""
        from matplotlib.path import Path

        texts = {id(text) for text, _ in self.movable}
        transform = self.panel.transData.transform
        taken = [_box(text) for text in self.panel.texts if id(text) not in texts and text.get_text()]
        solids = [Path(transform(line)) for line in self.outlines]
        marks = np.concatenate([np.zeros((0, 2)), *(transform(points) for points in self.marks)])
        panel = self.panel.get_window_extent()
        frame = np.array([[panel.x0, panel.y0], [panel.x1, panel.y1]])
        domain = transform(self.domain)
        for text, named in self.movable:
            box, places = _box(text), np.clip(transform(named), *domain)
            size = box[1] - box[0]
            shifts = [size * (across, lines) for lines in _LINES for across in _SHIFTS]
            costs = [
                _cost(box + shift, (frame, domain), taken, solids, marks)
                + (0.4 * _nearest(box + shift, places)[0] + 0.05 * float(np.abs(shift).sum())) / size[1]
                for shift in shifts
            ]
            shift = shifts[int(np.argmin(costs))]
            taken.append(box + shift)
            if shift.any():
                text.set_position(self._moved(text.get_position(), shift))
            distance, line = _nearest(box + shift, places)
            if distance > _FAR * size[1]:
                ends = self.panel.transData.inverted().transform(line)
                self.panel.plot(
                    *ends.T, color=text.get_color(), linewidth=0.6, zorder=5, scalex=False, scaley=False
                )

    def _moved(self, position: Sequence[float], shift: Points) -> tuple[float, float]:
        data = self.panel.transData
        x, y = data.inverted().transform(data.transform(position) + shift)
        return float(x), float(y)


def _box(text: Text) -> Points:
    """Lower left and upper right corner, with some room [px]."""
    extent = text.get_window_extent()
    return np.array([[extent.x0 - _ROOM, extent.y0 - _ROOM], [extent.x1 + _ROOM, extent.y1 + _ROOM]])


def _cost(
    box: Points, frames: Iterable[Points], taken: Iterable[Points], solids: Iterable[Path], marks: Points
) -> float:
    """Penalty of a place: by its shares that are covered, on bodies, or outside of each of `frames`."""
    size = box[1] - box[0]
    covered = sum(_overlap(box, other) for other in taken) / float(np.prod(size))
    outside = sum(1.0 - _overlap(box, frame) / float(np.prod(size)) for frame in frames)
    nodes: list[Any] = [
        np.linspace(low, high, count) for low, high, count in zip(*box, _SAMPLES, strict=True)
    ]
    points = np.stack(np.meshgrid(*nodes), axis=-1).reshape(-1, 2)
    inside = np.zeros(len(points), dtype=bool)
    for solid in solids:
        inside |= solid.contains_points(points)
    hidden = bool(((marks > box[0]) & (marks < box[1])).all(axis=1).any())
    return 20 * covered + 5 * outside + 10 * float(inside.mean()) + 4 * hidden


def _nearest(box: Points, places: Points) -> tuple[float, Points]:
    """Distance from a box to the nearest of some places, and the line between, (2, 2) [px]."""
    starts = np.clip(places, box[0] + _ROOM, box[1] - _ROOM)
    distances = np.linalg.norm(places - starts, axis=1)
    first = int(np.argmin(distances))
    return float(distances[first]), np.array([starts[first], places[first]])


def _overlap(one: Points, other: Points) -> float:
    """The area that two boxes share."""
    sides = np.minimum(one[1], other[1]) - np.maximum(one[0], other[0])
    return float(np.prod(np.maximum(sides, 0.0)))
