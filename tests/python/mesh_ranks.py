"""Ranks of a test: `mpiexec -n N python mesh_ranks.py WAYS` computes each way of a JSON list.

A way: [world of mesh_worlds, {option of [method]: value}, {option of the simulation: value}, sites]. A fifth
element divides the run: {"save": FOLDER} computes the first half, {"restore": FOLDER} the second. Rank 0
prints a digest of each result; for a first half, the checksum of the state."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from mesh_worlds import world_of
from test_waves import STEPS, result_of, series_of

from eddyline import _core
from eddyline.ranks import join
from eddyline.world import World


def main() -> None:
    ranks = join()
    for name, method, options, sites, *halves in json.loads(sys.argv[1]):
        if ranks.communicator:
            ranks.communicator.sites = [rank % sites for rank in range(ranks.size)] if sites else []
        world = world_of(name, {f"method.{key}": value for key, value in method.items()})
        simulation = _core.Simulation(world.core, communicator=ranks.communicator, **options)
        if not ranks.is_root:
            simulation.follow()
            continue
        half = halves[0] if halves else {}
        if "save" in half:
            told = _save(simulation, ranks.size, Path(half["save"]))
        else:
            told = _digest(world, simulation, Path(half["restore"]) if "restore" in half else None)
        simulation.end()
        print(told, flush=True)


def _save(simulation: _core.Simulation, ranks: int, folder: Path) -> str:
    simulation.advance(float("inf"), STEPS // 2, float("inf"))
    series = {name: rows.hex() for name, rows in series_of(simulation).items()}
    folder.mkdir(parents=True)
    (folder / "series.json").write_text(json.dumps(series))
    for rank in range(ranks):
        (folder / f"part-{rank:02}").write_bytes(simulation.save(rank))
    return f"{simulation.checksum():032x}"


def _digest(world: World, simulation: _core.Simulation, first_half: Path | None) -> str:
    if first_half is None:
        result = result_of(world, simulation)
    else:
        told = json.loads((first_half / "series.json").read_text())
        simulation.restore(part.read_bytes() for part in sorted(first_half.glob("part-*")))
        before = {name: bytes.fromhex(rows) for name, rows in told.items()}
        result = result_of(world, simulation, before)
    return hashlib.sha256(repr(result).encode()).hexdigest()


if __name__ == "__main__":
    main()
