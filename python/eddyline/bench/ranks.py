"""Ranks that are timed, and told when: each line of input is a number of steps to compute.

  mpiexec -n N python -m eddyline.bench.ranks DIMENSIONS PARTICLES [EXCHANGE]

A periodic box, one thread on a core of its own. Rank 0 answers each line with the seconds that it took.
"""

from __future__ import annotations

import sys
import time


def exchanges() -> list[str]:
    """Ways in which ranks can exchange boundaries, the default first."""
    from eddyline import _core

    return _core.exchange_strategies()


def main() -> None:
    from eddyline import _core
    from eddyline.bench.worlds import box
    from eddyline.ranks import join

    dimensions, particles = (int(word) for word in sys.argv[1:3])
    exchange = sys.argv[3] if len(sys.argv) > 3 else "nonblocking"
    ranks = join()
    ranks.take_a_core()
    simulation = _core.Simulation(
        box(dimensions, particles).core,
        threads=1,
        series_interval=1e9,
        exchange=exchange,
        communicator=ranks.communicator,
    )
    steps = 0
    with ranks.lead(simulation):
        for line in iter(sys.stdin.readline, ""):
            steps += int(line)
            start = time.perf_counter()
            simulation.advance(float("inf"), steps, float("inf"))
            print(time.perf_counter() - start, flush=True)


if __name__ == "__main__":
    main()
