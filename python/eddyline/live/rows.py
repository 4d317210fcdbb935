"""Rows of a growing series, stored by a run, the hub and viewers, with a limited number of rows."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eddyline.live import stream_pb2 as pb

MOST_ROWS = 200_000  # of a series that are kept
_GROWTH = 1024  # rows


@dataclass(frozen=True)
class Block:
    """Some rows of a series. Kept row k is row k * every of the run; these begin with kept row `first`."""

    name: str
    columns: list[tuple[str, str]]  # names and units
    first: int
    every: int
    values: NDArray[np.float64]  # (rows, columns)

    def message(self) -> pb.SeriesRows:
        columns = [
            pb.Column(name=column, unit=unit, values=self.values[:, k])
            for k, (column, unit) in enumerate(self.columns)
        ]
        return pb.SeriesRows(name=self.name, first=self.first, every=self.every, columns=columns)


@dataclass
class Rows:
    """Rows 0, every, 2 every, ... of a series, from its beginning as far as it has come.

    There are at most MOST_ROWS: when more have come every second one is dropped, and `every` doubles. The
    stored rows are therefore evenly distributed, and two readers of one series drop the same rows, see
    kept_before()."""

    columns: list[tuple[str, str]]  # names and units
    every: int = 1
    count: int = 0
    _values: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))

    def add(self, first: int, block: NDArray[np.float64], every: int = 1) -> None:
        """Rows first * every, (first + 1) * every, ... of the run: block is (rows, columns) float64. Known
        rows and rows after a gap are ignored."""
        while self.every < every:
            self._halve()
        ratio = self.every // every
        begin = kept_before(first, ratio)
        block = block[begin * ratio - first :: ratio][max(self.count - begin, 0) :]
        if begin > self.count or not len(block):
            return
        need = self.count + len(block)
        if need > len(self._values):
            grown = np.empty((max(need, 2 * len(self._values), _GROWTH), len(self.columns)))
            if self.count:
                grown[: self.count] = self._values[: self.count]
            self._values = grown
        self._values[self.count : need] = block
        self.count = need
        while self.count > MOST_ROWS:
            self._halve()

    def _halve(self) -> None:
        kept = kept_before(self.count, 2)
        self._values[:kept] = self._values[: self.count : 2].copy()
        self.every, self.count = 2 * self.every, kept

    def block(self, name: str, first: int, most: int) -> Block:
        """A copy of what is kept from kept row `first` on, at most so many rows."""
        values = self._values[first : min(self.count, first + most)].copy()
        return Block(name, self.columns, first, self.every, values)


def kept_before(first: int, ratio: int) -> int:
    """Number of rows before row `first` that remain if only the first of every `ratio` rows stays."""
    return -(-first // ratio)
