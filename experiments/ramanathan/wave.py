"""One of the ranks of timed runs of wave3d.toml:

  mpiexec -n N python wave.py own|spare CELLS LEVELS BOXES STEPS ROUNDS

own: ranks compute on all cores, which they share with the threads that send and receive for them. spare: all
ranks compute on the first core, and those threads have the second. The three ways of exchange take turns.
Rank 0 prints, for each way, the seconds of a step in each round, seconds of all ranks by phase, messages, a
checksum, and laps of a timeline.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from spare import cores, keep_apart

from eddyline import _core
from eddyline.ranks import join
from eddyline.world import World, parse_set

WAYS = ("blocking", "nonblocking", "threaded")
WARM, LAPS = 2, 400


def main() -> None:
    place, script = sys.argv[1], Path(__file__).resolve()
    cells, levels, boxes, steps, rounds = (int(word) for word in sys.argv[2:7])
    ranks = join()
    keep_apart(*cores(place, ranks.rank))
    changes = [f"let.n={cells}", f"method.levels={levels}"]
    if levels > 1:
        half = "max(abs(x-0.5), max(abs(y-0.5), abs(z-0.5)))"
        changes += [f"method.refine={half} < if(level == 0, 0.25, 0.125)", "method.unit=4"]
    world = World.load(str(script.with_name("wave3d.toml")), parse_set(changes))
    told: dict[str, Any] = {way: {"seconds": [], "wait": 0.0, "pack": 0.0, "busy": 0.0} for way in WAYS}
    for _ in range(rounds):
        for way in WAYS:
            simulation = _core.Simulation(
                world.core,
                threads=1,
                series_interval=1e9,
                boxes=boxes,
                exchange=way,
                communicator=ranks.communicator,
            )
            if not ranks.is_root:
                simulation.follow()
                continue
            add(told[way], simulation, steps)
            simulation.end()
    if ranks.is_root:
        print(json.dumps(told))


def add(told: dict[str, Any], simulation: _core.Simulation, steps: int) -> None:
    simulation.advance(float("inf"), WARM, float("inf"))
    before, sent = simulation.shares(), simulation.statistics()
    simulation.keep_timeline(LAPS)
    start = time.perf_counter()
    simulation.advance(float("inf"), WARM + steps, float("inf"))
    told["seconds"].append((time.perf_counter() - start) / steps)
    after, now = simulation.shares(), simulation.statistics()
    for key in ("wait", "pack"):
        told[key] += sum(b["seconds"][key] - a["seconds"][key] for a, b in zip(before, after, strict=True))
    told["messages"] = (now["messages"] - sent["messages"]) / steps
    told["bytes"] = (now["message_bytes"] - sent["message_bytes"]) / steps
    told["patches"] = now["patches"] / len(after)
    told["checksum"] = f"{simulation.checksum():032x}"
    told["timeline"] = [[moments.tolist(), list(phases)] for moments, phases in simulation.timeline()]


if __name__ == "__main__":
    try:
        main()
    except Exception:  # the other ranks would wait for this one
        traceback.print_exc()
        if (communicator := join().communicator) is not None:
            communicator.abort(1)
