"""Cost of a step with each exchange strategy, compared with the default.

  python benchmarks/exchanges.py                      two ranks, 200,000 particles in two dimensions
  python benchmarks/exchanges.py --rounds 61 shared   one of them, longer

A periodic box of vortices, one thread a rank. All strategies compute the same steps and take turns of half a
second or so, each round in another order, so that what else happens on the machine falls on all of them. Told
are, for each, the median in milliseconds a step, and the median over rounds of the ratio to the default in
the same round, with the quartiles in brackets.
"""

from __future__ import annotations

import argparse
import random
import statistics
from contextlib import ExitStack

from eddyline.bench.ranks import exchanges
from eddyline.bench.turns import Player, quartiles

BEFORE = 20  # steps before the first turn


def main() -> None:
    default, *others = exchanges()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("exchanges", nargs="*", metavar="NAME", default=others)
    parser.add_argument("--rounds", type=int, default=31, metavar="N")
    parser.add_argument("--ranks", type=int, default=2, metavar="N")
    parser.add_argument("--dimensions", type=int, choices=(2, 3), default=2)
    parser.add_argument("--particles", type=int, default=200_000, metavar="N")
    parser.add_argument("--steps", type=int, default=10, metavar="N", help="of a turn")
    wanted = parser.parse_args()

    names = [default, *wanted.exchanges]
    times: dict[str, list[float]] = {name: [] for name in names}
    chance = random.Random(1)
    with ExitStack() as stack:
        world = wanted.dimensions, wanted.particles
        players = {name: stack.enter_context(Player([*world, name], ranks=wanted.ranks)) for name in names}
        for player in players.values():
            player.turn(BEFORE)
        for _ in range(wanted.rounds):
            for name in chance.sample(names, len(names)):
                times[name].append(players[name].turn(wanted.steps))
    for name, each in times.items():
        ratios = [own / of_default for own, of_default in zip(each, times[default], strict=True)]
        step = 1000 * statistics.median(each) / wanted.steps
        print(f"{name:15} {step:7.2f} ms a step   {quartiles(ratios)}")


if __name__ == "__main__":
    main()
