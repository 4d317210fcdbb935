"""Ranks of a test: `mpiexec -n N python scalar_ranks.py WORLD` computes 4 steps of worlds with the module dye
in the folder WORLD, with changes of test_block_modules, and prints a checksum of each."""

from __future__ import annotations

import sys
from pathlib import Path

from test_block_modules import PLATES, VORTEX, world_of

from eddyline import _core
from eddyline.ranks import join


def main() -> None:
    ranks = join()
    for changes in (VORTEX, PLATES):
        world = world_of(Path(sys.argv[1]), changes)
        simulation = _core.Simulation(world.core, communicator=ranks.communicator)
        if not ranks.is_root:
            simulation.follow()
            continue
        simulation.advance(float("inf"), 4, float("inf"))
        print(f"{simulation.checksum():032x}", flush=True)
        for share in simulation.shares() if ranks.size > 1 else []:
            assert all(share["seconds"][phase] > 0 for phase in ("pack", "wait", "rates")), share
        simulation.end()


if __name__ == "__main__":
    main()
