"""Ranks of test_waves: `mpiexec -n N python wave_ranks.py WAYS` computes each way of a JSON list.

A way: [world, {option of [method]: value}, {option of the simulation: value}, sites]. Rank 0 prints a line of
JSON with a digest for each way."""

import hashlib
import json
import sys

from test_waves import WORLDS, result_of

from eddyline import _core
from eddyline.ranks import join
from eddyline.world import World


def main() -> None:
    ranks = join()
    digests = []
    for name, method, options, sites in json.loads(sys.argv[1]):
        ranks.communicator.sites = [rank % sites for rank in range(ranks.size)] if sites else []
        world = World.from_text(
            WORLDS[name], overrides={f"method.{key}": value for key, value in method.items()}
        )
        simulation = _core.Simulation(world.core, communicator=ranks.communicator, **options)
        if not ranks.is_root:
            simulation.follow()
            continue
        digests.append(hashlib.sha256(repr(result_of(world, simulation)).encode()).hexdigest())
        simulation.end()
    if ranks.is_root:
        print(json.dumps(digests), flush=True)


if __name__ == "__main__":
    main()
