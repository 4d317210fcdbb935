"""The dam break that all programs compute, and how each is asked for steps. Needs numpy alone."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RHO0, GRAVITY, TANK = 1000.0, 9.81, (4.0, 3.0)
SOUND_SPEED = 10 * (2 * GRAVITY * 2.0) ** 0.5  # m/s: ten times that of a fall from the column's top


@dataclass(frozen=True)
class Case:
    """A column of water, 1 m wide and 2 m high, in a tank of 4 m by 3 m; all lengths in m.

    across: particles across the column. reach: interaction radius in spacings. dt: time step [s].
    """

    across: int
    reach: float
    dt: float

    @classmethod
    def from_arguments(cls) -> Case:
        return cls(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))

    @property
    def spacing(self) -> float:
        return 1 / self.across

    @property
    def radius(self) -> float:
        return self.reach * self.spacing

    def fluid(self) -> NDArray[np.float64]:
        """(n, 2) centres of a square lattice."""
        return _lattice((0, self.across), (0, 2 * self.across)) * self.spacing

    def walls(self) -> NDArray[np.float64]:
        """(m, 2) particles in layers around floor and sides, as deep as a fluid particle looks."""
        layers = int(np.ceil(self.reach))
        width, height = (round(length * self.across) for length in TANK)
        floor = _lattice((-layers, width + layers), (-layers, 0))
        left, right = (_lattice(ends, (0, height)) for ends in ((-layers, 0), (width, width + layers)))
        return np.concatenate([floor, left, right]) * self.spacing


def serve(steps: Callable[[int], None], about: dict[str, object]) -> None:
    """Says what is computed, then makes as many steps as each line of the input asks for and tells the
    seconds that the core has worked on them."""
    print(json.dumps(about), flush=True)
    for line in sys.stdin:
        start = time.process_time()
        steps(int(line))
        print(json.dumps(time.process_time() - start), flush=True)


def _lattice(columns: tuple[int, int], rows: tuple[int, int]) -> NDArray[np.float64]:
    x, y = np.meshgrid(np.arange(*columns) + 0.5, np.arange(*rows) + 0.5)
    return np.column_stack([x.ravel(), y.ravel()])
