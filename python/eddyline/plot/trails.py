"""Tracked particles in pictures of two dimensions: a ring around each, and a line along its path so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
FINER = 3  # pixels that a pixel is drawn with, along each axis
RING = 5.0  # px, radius
LINE, CASING = 1.4, 3.4  # px, widths of the line and of the light one below it
DARK, LIGHT = "#1b1f24", "#ffffff"
MOST_PLACES = 2000  # of a line


@dataclass(frozen=True)
class Trail:
    """The path of a particle. times: (n,) s. places: (n, 2) m. jump: (2,) m, half a period along each axis: a
    longer way between two places crosses a periodic side."""

    times: Floats
    places: Floats
    jump: Floats

    def until(self, time: float) -> Floats:
        """The places up to a time; none before the first one, and after the particle has left."""
        count = int(np.searchsorted(self.times, time * (1 + 1e-9), side="right"))
        apart = float(np.median(np.diff(self.times))) if len(self.times) > 1 else 0.0
        if count == 0 or (count == len(self.times) and time - self.times[-1] > 3 * apart > 0):
            return self.places[:0]
        every = -(-count // MOST_PLACES)
        return self.places[(count - 1) % every : count : every]

    def pieces(self, time: float) -> Iterator[Floats]:
        """The same in pieces between crossings of periodic sides; the last one ends at the particle."""
        places = self.until(time)
        breaks = np.flatnonzero((np.abs(np.diff(places, axis=0)) > self.jump).any(axis=1)) + 1
        yield from (piece for piece in np.split(places, breaks) if len(piece))


def paint(
    field: NDArray[np.uint8], trails: Sequence[Trail], time: float, lower: Floats, upper: Floats
) -> None:
    """Paints trails at a time over a field. field: (rows, columns, 4), row 0 at the top; lower, upper: its
    corners, (2,) m."""
    rows, columns = field.shape[:2]
    scale = np.array([columns, -rows]) / (upper - lower)
    start = np.array([0.0, rows])
    for trail in trails:
        pieces = [start + scale * (piece - lower) for piece in trail.pieces(time)]
        if pieces:
            _paint_one(field, pieces)


def _paint_one(field: NDArray[np.uint8], pieces: Sequence[Floats]) -> None:
    from PIL import Image, ImageDraw

    every = np.concatenate(pieces)
    room = RING + CASING
    left, top = np.maximum(np.floor(every.min(axis=0) - room).astype(int), 0)
    right, bottom = np.minimum(np.ceil(every.max(axis=0) + room).astype(int), field.shape[1::-1])
    if left >= right or top >= bottom:
        return
    part = field[top:bottom, left:right]
    size = (part.shape[1], part.shape[0])
    patch = Image.fromarray(part).resize((FINER * size[0], FINER * size[1]))
    draw = ImageDraw.Draw(patch)
    corner = np.array([left, top])
    lines = [[(float(x), float(y)) for x, y in FINER * (piece - corner)] for piece in pieces]
    x, y = lines[-1][-1]
    for color, width in ((LIGHT, CASING), (DARK, LINE)):
        thick = round(FINER * width)
        for line in lines:
            if len(line) > 1:
                draw.line(line, fill=color, width=thick, joint="curve")
        outer = FINER * RING + 0.5 * thick
        draw.ellipse((x - outer, y - outer, x + outer, y + outer), outline=color, width=thick)
    part[:] = np.asarray(patch.resize(size, Image.Resampling.BOX))
