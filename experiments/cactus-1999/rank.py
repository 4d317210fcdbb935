"""One of the ranks of a timed run: `mpiexec -n N python rank.py WORLD STEPS [key=value ...]`, keys as
eddyline.run has them, and before: steps that are not timed, window: steps of which one time is taken. Rank 0
prints what it took and what travelled as JSON."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Mapping

from eddyline import _core
from eddyline.ranks import join
from eddyline.world import World

LAPS = 12_000  # of the timeline: enough for a hundred steps
WHERE = ("rows at the middle", "decisions", "rows at the end", "rows of walls")
"""Exchanges in which a step waits for other ranks, in this order."""


def main() -> None:
    world, steps = World.load(sys.argv[1]), int(sys.argv[2])
    chosen = dict(word.split("=", 1) for word in sys.argv[3:])
    ranks = join()
    ranks.take_a_core()
    if ranks.communicator is not None:
        sizes = [int(word) for word in chosen.pop("sites", "").split(",") if word]
        ranks.communicator.sites = ranks.sites(sizes)
    lazy = int(chosen.pop("lazy", 1))
    before_it, window = int(chosen.pop("before", 20)), int(chosen.pop("window", 20))
    simulation = _core.Simulation(
        world.core,
        threads=1,
        lazy=lazy,
        series_interval=1e9,
        rebalance=False,
        communicator=ranks.communicator,
        **chosen,  # type: ignore[arg-type]
    )
    with ranks.lead(simulation):
        simulation.advance(float("inf"), before_it, float("inf"))
        before = simulation.statistics()
        simulation.keep_timeline(LAPS)
        marks = [time.perf_counter()]
        for last in range(before_it + window, before_it + steps + 1, window):
            simulation.advance(float("inf"), last, float("inf"))
            marks.append(time.perf_counter())
        after = simulation.statistics()
        told = {
            "windows": [(b - a) / window for a, b in itertools.pairwise(marks)],
            "members": after["cells"] if "cells" in after else after["fluid_particles"],
            "each step": {key: (after.get(key, 0) - before.get(key, 0)) / steps for key in COUNTED},
            "waits": waits(simulation)
            if world.solver.name == "sph"
            else {"ghosts": (after["seconds"]["wait"] - before["seconds"]["wait"]) / steps},
            "phases": phases(before["seconds"], after["seconds"], steps),
            "checksum": f"{simulation.checksum():032x}",
        }
    print(json.dumps(told), flush=True)


COUNTED = ("rebuilds", "messages", "message_bytes", "messages_between_sites", "bytes_between_sites")


def phases(before: Mapping[str, float], after: Mapping[str, float], steps: int) -> dict[str, float]:
    """Seconds a step, of the rank that took longest."""
    return {name: (after[name] - before[name]) / steps for name in after}


def waits(simulation: _core.Simulation) -> dict[str, float]:
    """Seconds a step that ranks waited, in the mean over them, by what for."""
    total = dict.fromkeys(WHERE, 0.0)
    timelines = simulation.timeline()
    count = 0
    for moments, names in timelines:
        pending: list[float] = []
        for (begin, end), name in zip(moments.tolist(), names, strict=True):
            if name == "wait":
                pending.append(end - begin)
            elif name == "walls":  # once a step; the first wait after it is for rows of walls
                count += 1
                if len(pending) % 2:  # all met between two windows
                    total["decisions"] += pending.pop(1)
                if count > 1 and len(pending) >= len(WHERE):
                    total["rows of walls"] += pending[0]
                    total["rows at the end"] += pending[-1]
                    for number, seconds in enumerate(pending[1:-1]):
                        total[WHERE[number % 2]] += seconds
                pending = []
    return {name: seconds / max(1, count) for name, seconds in total.items()}


if __name__ == "__main__":
    main()
