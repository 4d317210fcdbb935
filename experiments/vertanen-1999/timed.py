"""One of the ranks of a timed run:

  mpiexec -n N python timed.py WORLD SPACING STEPS [exchange=NAME] [lazy=K] [lazy_exact=no] [keep=FOLDER]

The domain is cut into slices along the stream. Rank 0 prints what STEPS steps took and what all did. With
`keep` the particles are written after every twentieth of the steps."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

from eddyline import _core
from eddyline.ranks import join
from eddyline.stream.particles import batches
from eddyline.world import World

BEFORE = 30  # steps that are not timed
SKIN = 2  # spacings: lists that last for the eight steps of the laziest
MOMENTS = 20


def main() -> None:
    path, spacing, steps, *options = sys.argv[1:]
    chosen = dict(option.split("=") for option in options)
    ranks = join()
    simulation = _core.Simulation(
        World.load(path, {"domain.spacing": spacing, "method.skin": SKIN}).core,
        threads=1,
        series_interval=1e9,
        decomposition="strips-y",
        rebalance=False,
        exchange=chosen.get("exchange", "nonblocking"),
        lazy=int(chosen.get("lazy", 1)),
        lazy_exact=chosen.get("lazy_exact", "yes") == "yes",
        communicator=ranks.communicator,
    )
    with ranks.lead(simulation):
        seconds = go(simulation, int(steps), chosen.get("keep"))
        told = {
            "seconds": seconds / int(steps),
            "particles": simulation.fluid_count,
            "checksum": f"{simulation.checksum():032x}",
            "statistics": simulation.statistics(),
            "shares": simulation.shares(),
        }
    print(json.dumps(told), flush=True)


def go(simulation: _core.Simulation, steps: int, folder: str | None) -> float:
    """Seconds that the steps took."""
    moments = [steps * k // MOMENTS for k in range(1, MOMENTS + 1)] if folder else [BEFORE, BEFORE + steps]
    begin = time.perf_counter()
    for moment in moments:
        simulation.advance(float("inf"), moment, float("inf"))
        if folder:
            keep(simulation, Path(folder) / f"{moment:08d}.npz")
        elif moment == BEFORE:
            begin = time.perf_counter()
    return time.perf_counter() - begin


def keep(simulation: _core.Simulation, path: Path) -> None:
    """A moment as `eddyline.compare` matches it."""
    particles = np.concatenate(list(batches(simulation, "fluid", 100_000)))
    fields = {name: particles[name] for name in ("id", "position", "velocity", "density")}
    np.savez(path, time=simulation.time, step=simulation.step_count, **fields)


if __name__ == "__main__":
    main()
