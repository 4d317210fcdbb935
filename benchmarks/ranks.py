"""Speed-up of two ranks over one.

  python benchmarks/ranks.py                       200,000 particles in two and in three dimensions
  python benchmarks/ranks.py --starts 9 --case 3d  one of them, longer

A periodic box of vortices, one thread a rank, every rank on a core of its own. Six programs compute the same
steps and take turns every second or so, so that what else happens on the machine falls on all of them: one
rank on each of the two cores; two ranks; one under an MPI's launcher; and two runs of one rank that know
nothing of each other but compute at the same time, which is what the cores give, who share memory and perhaps
a host. One start of a program may be slower than another for as long as it lives, so that all are started
anew every few rounds. Told is the ratio to one rank in the same round, the mean of both cores:
of each start the median of its rounds, of these the median, with the lowest and the highest in brackets; then
the ratio of the fastest tenth of each program's turns, in which least else happened on the machine.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from eddyline.bench.turns import Player

CASES = {"2d": (2, 200_000, 20), "3d": (3, 200_000, 5)}
"""Dimensions, particles and steps of a turn."""
BEFORE = 20  # steps before the first turn
NAMES = ("two ranks", "one rank under a launcher", "two runs at once, together")

QUIET = 0.1  # share of the turns that count as undisturbed


@dataclass(frozen=True)
class Round:
    """Times of the turns of a round [s]."""

    alone: tuple[float, float]  # on each of the two cores
    two: float
    launched: float
    both: tuple[float, float]

    @property
    def ratios(self) -> tuple[float, float, float]:
        """Speed relative to one rank: of two ranks, of one under a launcher, and of two runs at once."""
        one, both = statistics.mean(self.alone), statistics.mean(self.both)
        return one / self.two, self.alone[0] / self.launched, 2 * one / both


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--starts", type=int, default=5, metavar="N")
    parser.add_argument("--rounds", type=int, default=9, metavar="N", help="of each start")
    parser.add_argument("--case", choices=CASES, nargs="+", default=list(CASES))
    wanted = parser.parse_args()
    for case in wanted.case:
        starts = [play(case, wanted.rounds) for _ in range(wanted.starts)]
        quiet = undisturbed([one for rounds in starts for one in rounds])
        for k, name in enumerate(NAMES):
            of_starts = [statistics.median(one.ratios[k] for one in rounds) for rounds in starts]
            told = f"{statistics.median(of_starts):.3f} ({min(of_starts):.3f} to {max(of_starts):.3f})"
            told += f"; undisturbed {quiet.ratios[k]:.3f}"
            print(f"{case}: {name}: {told} times as fast as one rank", flush=True)


def undisturbed(rounds: Sequence[Round]) -> Round:
    """The fast turns of each program."""

    def fast(times: Iterable[float]) -> float:
        return float(np.quantile(list(times), QUIET))

    return Round(
        alone=(fast(one.alone[0] for one in rounds), fast(one.alone[1] for one in rounds)),
        two=fast(one.two for one in rounds),
        launched=fast(one.launched for one in rounds),
        both=(fast(one.both[0] for one in rounds), fast(one.both[1] for one in rounds)),
    )


def play(case: str, rounds: int) -> list[Round]:
    dimensions, particles, steps = CASES[case]
    world = dimensions, particles
    with ExitStack() as stack:
        alone = [stack.enter_context(Player(world, core=core)) for core in (0, 1)]
        both = [stack.enter_context(Player(world, core=core)) for core in (0, 1)]
        launched, two = (stack.enter_context(Player(world, ranks=ranks)) for ranks in (1, 2))
        for player in (*alone, *both, launched, two):
            player.turn(BEFORE)
        return [one_round(alone, both, launched, two, steps) for _ in range(rounds)]


def one_round(
    alone: Sequence[Player], both: Sequence[Player], launched: Player, two: Player, steps: int
) -> Round:
    first = alone[0].turn(steps)
    of_launched = launched.turn(steps)
    of_two = two.turn(steps)
    second = alone[1].turn(steps)
    for player in both:
        player.begin(steps)
    together = both[0].end(), both[1].end()
    return Round((first, second), of_two, of_launched, together)


if __name__ == "__main__":
    main()
