"""Level of detail of a viewer: frames of as many bytes as its connection carries in a tenth of a second.

Each acknowledged frame is a measurement of the connection: its bytes over its time, without the delay that
even a clock tick has, or over the time since the frame before it, on which it may have waited. The rate
follows slowly, and a level of detail is kept until the budget has left it by more than a quarter, so that the
picture does not hunt.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from eddyline.live import stream_pb2 as pb

SECONDS = 0.09  # of transfer that a frame may take
FIRST_RATE = 400_000.0  # assumed rate of a new connection [bytes/s]
LEAST_RATE, MOST_RATE = 20_000.0, 1e9
LEAST_BUDGET = LEAST_RATE * SECONDS  # bytes of a frame beside its surfaces
FAST_RISE, RISE = 4.0, 1.3  # largest ratio of a measurement to the rate: until the rate has been found, later
SHARE = 0.3  # weight of a measurement in the mean
TICKS = 10  # answers from which the delay of the connection is taken
STEP = 1.25  # ratio of neighbouring levels of detail
FEWEST_PARTICLES, FEWEST_COLUMNS = 2000, 16


class Link:
    """The measured rate of a connection [bytes/s]."""

    def __init__(self) -> None:
        self.rate = FIRST_RATE
        self._is_new = True
        self._delays: deque[float] = deque(maxlen=TICKS)

    def answered(self, seconds: float) -> None:
        """A tick was answered `seconds` after it was sent."""
        self._delays.append(seconds)

    def sent(self, size: int, seconds: float, apart: float = math.inf) -> None:
        """A frame of `size` bytes was acknowledged `seconds` after it was sent.

        apart: time between it and the frame before it, as they were sent or as they were acknowledged,
        whichever is longer [s]."""
        transfer = max(min(seconds - min(self._delays, default=0.0), apart), 1e-4)
        rise = FAST_RISE if self._is_new else RISE
        measured = min(max(size / transfer, LEAST_RATE), rise * self.rate)
        if size < 0.5 * self.budget and measured < self.rate:
            return  # so small a frame only says that the connection is not slower
        self._is_new = self._is_new and measured >= self.rate
        mean = self.rate ** (1 - SHARE) * measured**SHARE
        self.rate = min(max(mean, LEAST_RATE), MOST_RATE)

    @property
    def budget(self) -> float:
        """Bytes of a frame."""
        return self.rate * SECONDS


@dataclass(frozen=True)
class Detail:
    """Part of a frame: columns of its rasters, and number of its particles."""

    columns: int
    particles: int


class Level:
    """Level of detail of one viewer: a power of STEP of the bytes of its full frames."""

    def __init__(self) -> None:
        self._level = 0  # of the last frame
        self._is_new = True

    def choose(self, full: float, budget: float) -> float:
        """Share of the bytes of a full frame, at most 1."""
        exact = math.log(max(full, 1.0) / budget, STEP)
        if self._is_new or not self._level - 2 <= exact <= self._level:
            self._level, self._is_new = max(0, math.ceil(exact)), False
        return float(STEP**-self._level)


def full_columns(view: pb.View, hello: pb.Hello, most: int) -> int:
    """Columns of the finest raster that a view may get."""
    finest = max(2, round((hello.upper[0] - hello.lower[0]) / hello.spacing))
    return min(view.columns or most, most, finest)


def full_bytes(view: pb.View, frame: pb.Frame, hello: pb.Hello, most: int) -> float:
    """Bytes of a frame with everything that a view requests."""
    columns = full_columns(view, hello, most)
    rows = columns * (hello.upper[1] - hello.lower[1]) / (hello.upper[0] - hello.lower[0])
    cell = (view.width or 2) + (1 if hello.free_surface else 0)
    size = len(view.quantities) * columns * rows * cell
    if view.particles and frame.HasField("particles"):
        count = frame.particles.count
        size += bytes_of_particle(view, hello) * min(view.most_particles or count, count)
    return size


def bytes_of_particle(view: pb.View, hello: pb.Hello) -> int:
    """Position and value of two bytes each, id, and velocities of one byte an axis."""
    return 2 * hello.dimensions + 2 + (8 if view.ids else 0) + (hello.dimensions if view.velocities else 0)


def detail_of(share: float, view: pb.View, frame: pb.Frame, hello: pb.Hello, most: int) -> Detail:
    """The detail of a frame with about this share of its bytes."""
    columns = max(FEWEST_COLUMNS, round(full_columns(view, hello, most) * math.sqrt(share)))
    if share == 1:
        return Detail(columns, view.most_particles)
    count = frame.particles.count
    wanted = min(view.most_particles or count, count)
    return Detail(columns, max(min(wanted, FEWEST_PARTICLES), round(wanted * share)))
