"""One of two ranks of a timed run, whose threads for messages have a core to themselves, or have not:

  mpiexec -n 2 python rank.py own|spare BOXES EXCHANGE PARTICLES WINDOWS

own: each rank computes on a core of its own, which it shares with the threads that send and receive for it.
spare: both compute on the first core, and those threads have the second. A periodic box in three dimensions.
Rank 0 prints the seconds of each window of steps, and the share of its time for which it waited.
"""

from __future__ import annotations

import itertools
import json
import sys
import time

from spare import cores, keep_apart

from eddyline import _core
from eddyline.bench.worlds import box
from eddyline.ranks import join

WINDOW, BEFORE = 5, 10  # steps; those before the first window


def main() -> None:
    place, exchange = sys.argv[1], sys.argv[3]
    boxes, particles, windows = (int(sys.argv[k]) for k in (2, 4, 5))
    ranks = join()
    own, threads = cores(place, ranks.rank)
    keep_apart(own, threads)
    simulation = _core.Simulation(
        box(3, particles).core,
        threads=1,
        series_interval=1e9,
        boxes=boxes,
        exchange=exchange,
        rebalance=False,
        communicator=ranks.communicator,
    )
    with ranks.lead(simulation):
        marks, waits = [], []
        for steps in range(BEFORE, BEFORE + WINDOW * windows + 1, WINDOW):
            simulation.advance(float("inf"), steps, float("inf"))
            waits.append(simulation.shares()[0]["seconds"]["wait"])
            marks.append(time.perf_counter())
        seconds = [b - a for a, b in itertools.pairwise(marks)]
        print(json.dumps({"seconds": seconds, "wait": (waits[-1] - waits[0]) / sum(seconds)}))


if __name__ == "__main__":
    main()
