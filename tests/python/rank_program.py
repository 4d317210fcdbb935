"""One of the ranks of a test: `mpiexec -n N python rank_program.py JOURNEY key=value ...`, a journey,
see ways.py, or one of mps_journeys. Rank 0 prints what came out as JSON.

save=FOLDER: leaves the state of each rank there; restore=FOLDER: goes on from it; keep=1: rank 0 still has
its simulation when the program ends."""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from journeys import INTERVAL, JOURNEYS
from mps_journeys import JOURNEYS as MPS_JOURNEYS

from eddyline import _core
from eddyline.ranks import join
from eddyline.stream.particles import batches
from eddyline.world import World

KEPT: list[_core.Simulation] = []


def main() -> None:
    name, *options = sys.argv[1:]
    journey = (JOURNEYS | MPS_JOURNEYS)[name]
    world = World.from_text(journey.text)
    chosen = {key: value for key, _, value in (option.partition("=") for option in options)}
    ranks = join()
    sites = int(chosen.get("sites", 0))
    if ranks.communicator and sites:
        ranks.communicator.sites = [rank % sites for rank in range(ranks.size)]
    simulation = _core.Simulation(
        world.core,
        boxes=int(chosen.get("boxes", 1)),
        threads=int(chosen.get("threads", 1)),
        instructions=chosen.get("instructions", "auto"),  # type: ignore[arg-type]
        series_interval=INTERVAL,
        decomposition=chosen.get("decomposition", "bisection"),
        exchange=chosen.get("exchange", "nonblocking"),
        device=chosen.get("device", "cpu"),
        combine="site" if sites == 3 else "none",
        compress="site" if sites else "none",
        lazy=int(chosen.get("lazy", 1)),
        lazy_exact=chosen.get("lazy_exact", "True") == "True",
        communicator=ranks.communicator,
    )
    with ranks.lead(simulation):
        if "restore" in chosen:
            parts = sorted(Path(chosen["restore"]).glob("part-*"))
            simulation.restore(part.read_bytes() for part in parts)
        simulation.advance(float("inf"), int(chosen["steps"]), float("inf"))
        series = {name: rows.tobytes().hex() for name, (_, _, rows) in simulation.take_series().items()}
        statistics = simulation.statistics()
        particles = np.concatenate(list(batches(simulation, "fluid", 1000)))
        told = {
            "ranks": ranks.size,
            "checksum": f"{simulation.checksum():032x}",
            "series": series,
            "migrants": statistics["migrants"],
            "fluid": simulation.fluid_count,
            "lazy": statistics.get("lazy", {}),
            "device": statistics["instructions"],
            "ids": hashlib.sha256(particles["id"].tobytes()).hexdigest(),
        }
        if "save" in chosen:
            for rank in range(ranks.size):
                (Path(chosen["save"]) / f"part-{rank:02}").write_bytes(simulation.save(rank))
    if "keep" in chosen:
        KEPT.append(simulation)
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
