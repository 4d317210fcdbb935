"""Rasters from the particles of a frame: made here, so that they cost the simulation nothing.

Each particle gives its values to the four cells around it, by how near they are; sums are smoothed once, and
divided by how much fluid there is, which also tells where a surface is. Fine for the eye; the run's own
pictures and numbers come from the core.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eddyline.live import stream_pb2 as pb
from eddyline.live.codes import coded, raster, values_of
from eddyline.run.pictures import slope

Floats = NDArray[np.float32]
LEAST_FLUID = 0.35
"""Smallest fluid share of a visible cell, unless it holds a particle and the flow has a free surface."""
_LARGE = 9.5  # largest cell that may be a drop, in particle areas
_SLICE = 1.5  # half thickness of a slice of a 3D flow, in spacings


class Gridded:
    """Particles of a frame on a grid of cells of at least one spacing. In 3D: those near the middle of z."""

    def __init__(self, frame: pb.Frame, hello: pb.Hello, columns: int) -> None:
        self.hello, self.frame = hello, frame
        lower, upper = np.array(hello.lower), np.array(hello.upper)
        width, height = (upper - lower)[:2]
        finest = max(2, round(width / hello.spacing))
        self.columns = min(columns, finest) if columns else finest
        self.rows = max(2, round(height / width * self.columns))
        parts = frame.particles
        self._chosen: NDArray[np.bool_] | None = None
        if hello.dimensions == 3:
            middle = 0.5 * (lower[2] + upper[2])
            self._chosen = np.abs(values_of(parts.position[2]) - middle) < _SLICE * hello.spacing
        x = (self._take(parts.position[0]) - lower[0]) / width * self.columns - 0.5
        y = (self._take(parts.position[1]) - lower[1]) / height * self.rows - 0.5
        self._left, self._low = np.floor(x).astype(np.int32), np.floor(y).astype(np.int32)
        self._across, self._up = x - self._left, y - self._low
        self._carried = {each.quantity: each.values for each in parts.carried}
        cell = width / self.columns * height / self.rows
        area = hello.spacing**2 * max(1.0, parts.total / max(parts.count, 1))
        if hello.dimensions == 3:
            area /= 2 * _SLICE
        self._count = self._smooth(self._deposit(None))
        share = self._count * np.float32(area / cell)
        self._known = share > LEAST_FLUID
        self._cover = None
        if hello.free_surface and hello.dimensions == 2:
            share /= self._inside()
            if cell < _LARGE * area:
                holds_particle = self._holding()
                share = _with_spray(share, holds_particle)
                self._known |= holds_particle
            self._cover = share
        self._made: dict[str, Floats] = {}

    def values(self, quantity: str) -> Floats:
        """(rows, columns), row 0 at the bottom, NaN where there is no fluid. KeyError if there are none."""
        if quantity not in self._made:
            self._made[quantity] = self._make(quantity)
        return self._made[quantity]

    def raster(self, quantity: str, unit: str, width: int) -> pb.Raster:
        corners = tuple(self.hello.lower[:2]), tuple(self.hello.upper[:2])
        return raster(quantity, unit, self.values(quantity), corners, width, cover=self._cover)

    def _make(self, quantity: str) -> Floats:
        if quantity == "speed":
            parts = [self.values(name) for name in self._carried if name.startswith("velocity")]
            total = np.sqrt(sum(part**2 for part in parts))
            return np.asarray(total, dtype=np.float32)
        if quantity == "vorticity":
            across = (self.hello.upper[0] - self.hello.lower[0]) / self.columns
            up = (self.hello.upper[1] - self.hello.lower[1]) / self.rows
            turning = slope(self.values("velocity_y"), 1) / across - slope(self.values("velocity_x"), 0) / up
            return np.asarray(turning, dtype=np.float32)
        total = self._smooth(self._deposit(self._take(self._carried[quantity])))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self._known, total / self._count, np.float32(np.nan)).astype(np.float32)

    def _take(self, codes: pb.Codes) -> Floats:
        values = values_of(codes)
        return values if self._chosen is None else values[self._chosen]

    def _deposit(self, values: Floats | None) -> Floats:
        """Sums of cells, with a cell more on every side."""
        columns = self.columns + 2
        size = columns * (self.rows + 2)
        first = (self._low + 1) * columns + self._left + 1
        total = np.zeros(size)
        for up, across in ((0, 0), (0, 1), (1, 0), (1, 1)):
            weight = (self._up if up else 1 - self._up) * (self._across if across else 1 - self._across)
            if values is not None:
                weight = weight * values
            total += np.bincount(first + up * columns + across, weight, size)[:size]
        return total.reshape(self.rows + 2, columns).astype(np.float32)

    def _holding(self) -> NDArray[np.bool_]:
        """(rows, columns): the cells that hold a particle."""
        column, row = self._left + (self._across >= 0.5), self._low + (self._up >= 0.5)
        inside = (column >= 0) & (column < self.columns) & (row >= 0) & (row < self.rows)
        holds = np.zeros((self.rows, self.columns), dtype=np.bool_)
        holds[row[inside], column[inside]] = True
        return holds

    def _inside(self) -> Floats:
        """Share of the smoothing window around each cell that lies within the grid, (rows, columns)."""
        return self._smooth(np.pad(np.ones((self.rows, self.columns), dtype=np.float32), 1))

    def _smooth(self, padded: Floats) -> Floats:
        for axis in (0, 1):
            padded = 0.5 * padded + 0.25 * (np.roll(padded, 1, axis) + np.roll(padded, -1, axis))
        return padded[1:-1, 1:-1]


class Given:
    """Rasters that the simulation made, such as those of cells."""

    def __init__(self, frame: pb.Frame, columns: int) -> None:
        self.frame, self._columns = frame, columns
        self._given = {each.quantity: each for each in frame.rasters}

    def raster(self, quantity: str, unit: str, width: int) -> pb.Raster:
        """The raster with at most the requested columns: means over blocks of pixels, without those that have
        no value. KeyError if there is none."""
        found = self._given[quantity]
        step = max(1, -(-found.columns // self._columns)) if self._columns else 1
        if step == 1 and width == found.values.width:
            return found
        values = values_of(found.values).reshape(found.rows, found.columns)
        values = np.where(values > found.high + 0.5 * found.values.scale, np.float32(np.nan), values)
        values = _block_means(values, step)
        return raster(quantity, unit, values, (tuple(found.lower), tuple(found.upper)), width)


def _block_means(values: Floats, step: int) -> Floats:
    """Means of the values in blocks of `step` by `step` pixels, NaN where a block has none. The last blocks
    may be smaller."""
    known = np.isfinite(values)
    sums, counts = np.where(known, values, np.float32(0)), known.astype(np.float32)
    for axis in (0, 1):
        first = np.arange(0, values.shape[axis], step)
        sums, counts = np.add.reduceat(sums, first, axis=axis), np.add.reduceat(counts, first, axis=axis)
    means: Floats = np.where(counts > 0, sums / np.maximum(counts, 1), np.float32(np.nan))
    return means


def _with_spray(share: Floats, holds_particle: NDArray[np.bool_]) -> Floats:
    """Cover added to the cell of a single particle: its smoothed share is a quarter at most, and would not be
    visible. Particles at a surface get nothing."""
    spray = np.interp(share, (0.3, 0.45), (0.85, 0.0)).astype(np.float32)
    return np.where(holds_particle, np.maximum(share, spray), share)


def particles_for(frame: pb.Frame, view: pb.View, hello: pb.Hello) -> pb.Particles:
    """The particles for a viewer: one quantity, at most the requested number."""
    parts = frame.particles
    ids = np.frombuffer(parts.ids, "<i8") if parts.ids else np.arange(parts.count)
    rows = always_the_same(ids, view.most_particles)
    made = pb.Particles(total=parts.total)
    if parts.ids:
        made.ids = ids[rows].tobytes()
    for axis in parts.position:
        made.position.append(_thin(axis, rows))
    made.count = len(made.position[0].data) // 2
    quantity = view.particle_quantity or "speed"
    carried = {each.quantity: each.values for each in parts.carried}
    velocities = sorted(name for name in carried if name.startswith("velocity"))
    made.quantity = quantity
    made.unit = next((each.unit for each in hello.quantities if each.name == quantity), "")
    if quantity in carried:
        made.values.CopyFrom(_thin(carried[quantity], rows))
    elif quantity == "speed":
        velocity = [values_of(_thin(carried[name], rows)) for name in velocities]
        made.values.CopyFrom(coded(np.sqrt(sum(part**2 for part in velocity))))
    if view.velocities:
        for name in velocities:
            made.carried.add(quantity=name, values=coded(values_of(_thin(carried[name], rows)), width=1))
    return made


Rows = NDArray[np.int64] | slice


def always_the_same(ids: NDArray[np.int64], most: int) -> Rows:
    """Rows of at most `most` particles (0: of all): the first in a shuffled order of ids, so that all frames
    show the same ones. ids: (n,)."""
    if not most or len(ids) <= most:
        return slice(None)
    mixed = ids.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.sort(np.argpartition(mixed, most)[:most])


def _thin(codes: pb.Codes, rows: Rows) -> pb.Codes:
    if isinstance(rows, slice):
        return codes
    thin = pb.Codes()
    thin.CopyFrom(codes)
    thin.data = np.frombuffer(codes.data, dtype=f"V{codes.width}")[rows].tobytes()
    return thin
