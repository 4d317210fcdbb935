"""One of the ranks of a run with surfaces: `mpiexec -n N python surfaces.py WORLD STEPS`. Rank 0 prints its
core time of a step, and that of surfaces with their bytes, as JSON."""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable

from eddyline import _core
from eddyline.ranks import join
from eddyline.stream.surfaces import Surface, isosurface
from eddyline.world import World

REPEATED = 5
WANTED = {"a sphere": ("u", 0.12), "many sheets": ("u", 0.0), "of a formula": ("u^2 + 1e-3*p^2", 1e-3)}


def main() -> None:
    world, steps = World.load(sys.argv[1]), int(sys.argv[2])
    ranks = join()
    ranks.take_a_core()
    simulation = _core.Simulation(world.core, threads=1, series_interval=1e9, communicator=ranks.communicator)
    with ranks.lead(simulation):
        simulation.advance(float("inf"), 20, float("inf"))
        begin = time.process_time()
        simulation.advance(float("inf"), 20 + steps, float("inf"))
        told = {"step": (time.process_time() - begin) / steps, "surfaces": {}}
        for name, (quantity, level) in WANTED.items():
            data = isosurface(simulation, quantity, level).data
            surface = Surface.of(data)
            told["surfaces"][name] = {
                "seconds": timed(lambda q=quantity, v=level: isosurface(simulation, q, v)),
                "bytes": len(data),
                "triangles": len(surface.triangles),
            }
    print(json.dumps(told), flush=True)


def timed(work: Callable[[], object]) -> float:
    """The median core time [s]."""
    times = []
    for _ in range(REPEATED):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return statistics.median(times)


if __name__ == "__main__":
    main()
