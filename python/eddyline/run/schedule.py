"""When something is written: at the first step at or after its time, never shortening a step."""

from __future__ import annotations

import math


class Schedule:
    """Times 0, interval, 2 interval, ... An interval of 0 or infinity means never."""

    def __init__(self, interval: float) -> None:
        self.interval = interval
        self._next = 0 if 0 < interval < math.inf else None

    @property
    def next_time(self) -> float:
        """The next time at which something is due [s]; infinity if never."""
        return math.inf if self._next is None else self._next * self.interval

    def take(self, time: float) -> bool:
        """True, once, if an output is due at `time` [s]; times that one step jumped over are served
        together."""
        if self._next is None or time < self.next_time:
            return False
        self._next = max(self._next + 1, math.floor(time / self.interval) + 1)
        if self.next_time <= time:  # the division rounded down
            self._next += 1
        return True
