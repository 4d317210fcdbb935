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
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from eddyline.ranks.launch import find_launcher, local_environment

CASES = {"2d": (2, 200_000, 12), "3d": (3, 200_000, 8)}
"""Dimensions, particles and windows of a run."""

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
        [*launcher, sys.executable, "-m", "eddyline.bench.ranks", *map(str, CASES[case])],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    times: Times = json.loads(done.stdout)
    return times


if __name__ == "__main__":
    main()
