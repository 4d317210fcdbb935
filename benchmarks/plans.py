"""Plans beside runs: time of the steps, messages and bytes, on real ranks of this machine.

  python benchmarks/plans.py                               worlds of all solvers on 1, 2 and 4 ranks
  python benchmarks/plans.py --world blast --ranks 1,2     one of them

Prints a table in Markdown. On one rank times are core time, so that other programs do not disturb them; on
several they are wall time of the steps, which only means something where every rank has a core of its own and
nothing else runs. Times of a search for a steady flow are those of the cycles that it took. Messages and kB
are those of the busiest rank in a step.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from eddyline.cores import own_cores
from eddyline.plan import RunPlan, plan_world
from eddyline.plan.calibration import Steps
from eddyline.plan.run_plan import numbers_of_ranks
from eddyline.plan.traffic import planned_traffic
from eddyline.world import World

HERE = Path(__file__).resolve().parent.parent
BLOCKS = 'method={name="multiblock"}'
WORLDS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "dam break": ("dam_break", ("time.end=0.3",)),
    "cylinder": ("cylinder", ("time.end=0.3",)),
    "3D dam break": ("dam_break_3d", ("time.end=0.05",)),
    "dam break, mps": ("dam_break", ("method.name=mps", "time.end=0.3")),
    "airfoil, 300 cycles": ("airfoil", ()),
    "cavity, to 1e-6": (str(HERE / "validation/blocks/cavity.toml"), ("domain.spacing=L/64",)),
    "cylinder on blocks, D/10": ("cylinder", ("method.name=multiblock", "domain.spacing=D/10")),
    "shock tube on blocks": ("sod", (BLOCKS,)),
    "blast": ("blast", ()),
    "bow shock, levels that follow": ("bow_shock", ()),
    "double Mach reflection, the same": ("double_mach", ()),
    "waves on levels, the same": ("waves/levels", ()),
    "plasma": ("plasma", ()),
}
"""Worlds and what is set in them, by name."""
WITHOUT_OUTPUT = ("output.pictures=0", "output.snapshots=0")


@dataclass(frozen=True)
class Measured:
    """seconds: of all steps.  steps: computed.  messages, kilobytes: of the busiest rank in a step.  counts:
    cycles or iterations of a step."""

    seconds: float
    steps: int
    messages: float
    kilobytes: float
    counts: Mapping[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--world", action="append", choices=WORLDS, metavar="NAME", help="default: all")
    parser.add_argument("--ranks", default="1,2,4", metavar="N,M")
    wanted = parser.parse_args()
    ranks = numbers_of_ranks(wanted.ranks)
    print("| world | ranks | steps: plan, run | seconds: plan | run | inside | messages, kB: plan | run |")
    print("|---|---|---|---|---|---|---|---|")
    for name in wanted.world or WORLDS:
        place, settings = WORLDS[name]
        world = load(place, settings)
        plan = plan_world(world, ranks)
        for count in ranks:
            found = alone(world) if count == 1 else on_ranks(place, settings, count)
            print(line(name, world, plan, count, found), flush=True)


def load(place: str, settings: tuple[str, ...]) -> World:
    from eddyline.world import parse_set

    return World.load(place, parse_set([*settings, *WITHOUT_OUTPUT]))


def alone(world: World) -> Measured:
    """All steps in this process, in core time."""
    run = Steps(world)
    start = time.process_time()
    run.simulation.advance(world.end, sys.maxsize, math.inf)
    seconds, steps = time.process_time() - start, run.simulation.step_count
    return Measured(seconds, steps, 0.0, 0.0, counts_of(run.counts, steps))


def counts_of(statistics: Mapping[str, float], steps: int) -> dict[str, float]:
    return {name: statistics[name] / steps for name in ("cycles", "iterations") if name in statistics}


def on_ranks(place: str, settings: tuple[str, ...], ranks: int) -> Measured:
    """A run with one thread a rank."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word for each in (*settings, *WITHOUT_OUTPUT) for word in ("--set", each)]
        command = [sys.executable, "-m", "eddyline", "run", place, "--ranks", str(ranks), "--threads", "1"]
        subprocess.run([*command, "--quiet", "--out", folder, *words], check=True, stdout=subprocess.DEVNULL)
        record = json.loads((Path(folder) / "run.json").read_text(encoding="utf-8"))
    steps, shares = record["steps"], record["shares"]
    seconds = max(sum(v for k, v in share["seconds"].items() if k != "observe") for share in shares)
    return Measured(
        seconds, steps, max(share["messages"] for share in shares) / steps,
        max(share["bytes"] for share in shares) / steps / 1e3, counts_of(record["statistics"], steps),
    )  # fmt: skip


def line(name: str, world: World, plan: RunPlan, ranks: int, found: Measured) -> str:
    row = next((row for row in plan.rows if row.nodes == ranks), None)
    if row is None or row.step is None:
        return f"| {name} | {ranks} | | not in the plan | {found.seconds:.2g} | | | |"
    steps = plan.steps
    if getattr(world.file.method, "steady", False):
        steps = round(found.counts["cycles"] * found.steps)
    value, low, high = (steps * each for each in (row.step.value, row.step.low, row.step.high))
    inside = "yes" if low <= found.seconds <= high else f"{found.seconds / value:.2f} times"
    if ranks > len(own_cores()):
        inside = "too few cores"
    traffic = planned_traffic(world, ranks, found.counts) if ranks > 1 else None
    planned = f"{traffic.messages:,.1f}, {traffic.bytes / 1e3:,.1f}" if traffic else ""
    sent = f"{found.messages:,.1f}, {found.kilobytes:,.1f}" if ranks > 1 else ""
    return (
        f"| {name} | {ranks} | {steps:,}, {found.steps:,} | {value:.2g} ({low:.2g} to {high:.2g}) | "
        f"{found.seconds:.2g} | {inside} | {planned} | {sent} |"
    )


if __name__ == "__main__":
    main()
