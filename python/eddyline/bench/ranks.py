"""One of the ranks of a timed run:

  mpiexec -n N python -m eddyline.bench.ranks DIMENSIONS PARTICLES WINDOWS [EXCHANGE]

A periodic box, one thread on a core of its own. Rank 0 prints a list: seconds of each window of ten steps.
"""

from __future__ import annotations

import itertools
import json
import sys
import time

WINDOW, BEFORE = 10, 20  # steps; those before the first window


def exchanges() -> list[str]:
    """Ways in which ranks can exchange boundaries, the default first."""
    from eddyline import _core

    return _core.exchange_strategies()


def main() -> None:
    from eddyline import _core
    from eddyline.bench.worlds import box
    from eddyline.ranks import join

    dimensions, particles, windows = (int(word) for word in sys.argv[1:4])
    exchange = sys.argv[4] if len(sys.argv) > 4 else "nonblocking"
    ranks = join()
    ranks.take_a_core()
    simulation = _core.Simulation(
        box(dimensions, particles).core,
        threads=1,
        series_interval=1e9,
        exchange=exchange,
        communicator=ranks.communicator,
    )
    with ranks.lead(simulation):
        marks = []
        for steps in range(BEFORE, BEFORE + WINDOW * windows + 1, WINDOW):
            simulation.advance(float("inf"), steps, float("inf"))
            marks.append(time.perf_counter())
        print(json.dumps([b - a for a, b in itertools.pairwise(marks)]))


if __name__ == "__main__":
    main()
