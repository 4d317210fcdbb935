"""What a step costs with each exchange strategy, beside the default.

  python benchmarks/exchanges.py                     two ranks, 200,000 particles in two dimensions
  python benchmarks/exchanges.py --groups 5 shared   one of them, more often

A periodic box of vortices, one thread a rank. Runs alternate: the default, a strategy, the default, the next
one ... Told are, for each, the median over its windows of ten steps in milliseconds a step, and the median
over groups of the ratio to the mean of the two runs of the default before and after it, with its range.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys

from eddyline.bench.ranks import WINDOW, exchanges
from eddyline.ranks.launch import find_launcher, local_environment


def main() -> None:
    default, *others = exchanges()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("exchanges", nargs="*", metavar="NAME", default=others)
    parser.add_argument("--groups", type=int, default=3, metavar="N")
    parser.add_argument("--ranks", type=int, default=2, metavar="N")
    parser.add_argument("--dimensions", type=int, choices=(2, 3), default=2)
    parser.add_argument("--particles", type=int, default=200_000, metavar="N")
    parser.add_argument("--windows", type=int, default=8, metavar="N")
    wanted = parser.parse_args()

    def median(exchange: str) -> float:
        return statistics.median(
            run(wanted.ranks, wanted.dimensions, wanted.particles, wanted.windows, exchange)
        )

    ratios: dict[str, list[float]] = {name: [] for name in wanted.exchanges}
    steps: dict[str, list[float]] = {name: [] for name in (default, *wanted.exchanges)}
    steps[default].append(median(default))
    for _ in range(wanted.groups):
        for name in wanted.exchanges:
            steps[name].append(median(name))
            steps[default].append(median(default))
            ratios[name].append(2 * steps[name][-1] / sum(steps[default][-2:]))
    for name, times in steps.items():
        each = sorted(ratios.get(name, [1.0]))
        print(
            f"{name:15} {1000 * statistics.median(times) / WINDOW:7.2f} ms a step   "
            f"{statistics.median(each):.3f} ({each[0]:.3f} to {each[-1]:.3f})"
        )


def run(ranks: int, *words: int | str) -> list[float]:
    """Seconds of each window of one run."""
    worker = [sys.executable, "-m", "eddyline.bench.ranks", *map(str, words)]
    done = subprocess.run(
        [*find_launcher(), "-n", str(ranks), *worker],
        env=local_environment(), check=True, capture_output=True, text=True,
    )  # fmt: skip
    times: list[float] = json.loads(done.stdout)
    return times


if __name__ == "__main__":
    main()
