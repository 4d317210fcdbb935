"""How much faster two ranks are than one.

  python benchmarks/ranks.py                        200,000 particles in two and in three dimensions
  python benchmarks/ranks.py --groups 9 --case 3d   one of them, more often

A periodic box of vortices, one thread a rank, every rank on a core of its own. Runs follow each other in
groups: one rank; two ranks; one under an MPI's launcher; two runs of one rank at the same time that know
nothing of each other, which is what the cores give, who share memory and perhaps a host; one rank again. Told
are ratios of the medians over all windows of ten steps, so that a pause of the machine counts for one window,
and, in brackets, the median and range over groups of ratios of whole runs, in which it counts in full.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, pairwise

from eddyline.ranks.launch import find_launcher, local_environment

PARTICLES = 200_000
CASES = {"2d": (2, 12), "3d": (3, 8)}
"""Dimensions, and windows of a run."""
WINDOW, BEFORE = 10, 20  # steps; those before the first window

Times = list[float]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--groups", type=int, default=5, metavar="N")
    parser.add_argument("--case", choices=CASES, nargs="+", default=list(CASES))
    wanted = parser.parse_args()
    for case in wanted.case:
        groups = [group(case) for _ in range(wanted.groups)]
        one = [run[0] for run in groups]
        for k, name in enumerate(("two ranks", "one rank under a launcher", "two runs at once, together"), 1):
            told = [run[k] for run in groups]
            ratio = statistics.median(chain.from_iterable(one)) / statistics.median(chain.from_iterable(told))
            factor = 2 if k == 3 else 1
            whole = sorted(
                sum(b) / len(b) / (sum(a) / len(a)) * factor for a, b in zip(told, one, strict=True)
            )
            print(
                f"{case}: {name}: {ratio * factor:.3f} times as fast as one rank "
                f"({statistics.median(whole):.3f}, {whole[0]:.3f} to {whole[-1]:.3f})",
                flush=True,
            )


def group(case: str) -> list[Times]:
    """Seconds of each window: of one rank, two ranks, one under a launcher, two runs at once."""
    alone = run(case, 0)
    two, launched = run(case, 2), run(case, 1)
    with ThreadPoolExecutor(2) as pool:
        both = list(chain.from_iterable(pool.map(lambda core: run(case, 0, core), (0, 1))))
    return [alone + run(case, 0), two, launched, both]


def run(case: str, ranks: int, core: int = 0) -> Times:
    """Of one run; ranks: 0: without a launcher, on one core."""
    launcher = [*find_launcher(), "-n", str(ranks)] if ranks else ["taskset", "-c", str(core)]
    environment = local_environment() if ranks else dict(os.environ)
    done = subprocess.run(
        [*launcher, sys.executable, __file__, "--rank", case],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    times: Times = json.loads(done.stdout)
    return times


def be_a_rank(case: str) -> None:
    from eddyline import _core
    from eddyline.bench.worlds import box
    from eddyline.ranks import join

    ranks = join()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[ranks.rank % len(cores)]})
    dimensions, windows = CASES[case]
    simulation = _core.Simulation(
        box(dimensions, PARTICLES).core, threads=1, series_interval=1e9, communicator=ranks.communicator
    )
    if not ranks.is_root:
        ranks.follow(simulation)
        return
    try:
        marks = []
        for steps in range(BEFORE, BEFORE + WINDOW * windows + 1, WINDOW):
            simulation.advance(float("inf"), steps, float("inf"))
            marks.append(time.perf_counter())
        print(json.dumps(differences(marks)))
    finally:
        simulation.end()


def differences(marks: Sequence[float]) -> Times:
    return [b - a for a, b in pairwise(marks)]


if __name__ == "__main__":
    be_a_rank(sys.argv[2]) if sys.argv[1:2] == ["--rank"] else main()
