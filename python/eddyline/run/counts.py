"""Sizes of a run and its work, as run.json has them and as words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eddyline.world.solver import Solver

OLD_COUNTS = ("fluid_particles", "wall_particles")
_WORDS = {"fluid_particles": "fluid", "wall_particles": "wall"}


def work_unit(solver: Solver) -> str:
    """Unit of the work of a run, such as "particle updates"."""
    return f"{solver.members.removesuffix('s')} updates"


def counts_of(record: Mapping[str, Any]) -> dict[str, int]:
    """Members of each set of a run by name, those that move first; also of a run of version 0.1."""
    if "counts" in record:
        return dict(record["counts"])
    return {name: record[name] for name in OLD_COUNTS if name in record}


def work_of(record: Mapping[str, Any]) -> tuple[str, float]:
    """Unit of the work of a run, and how much of it was done per second; also of a run of version 0.1."""
    if "work" in record:
        return str(record["work"]["unit"]), float(record["work"]["per_second"])
    return "particle updates", float(record.get("particle_updates_per_second", 0.0))


def first_count(record: Mapping[str, Any]) -> int:
    """Number of particles or cells that each step updates."""
    return next(iter(counts_of(record).values()), 0)


def counts_in_words(record: Mapping[str, Any]) -> tuple[str, str]:
    """Name of the members and their numbers: ("Particles", "3,200 fluid, 3,104 wall"), ("Cells", "4,096")."""
    counts = counts_of(record)
    name = next(iter(counts), "particles").rpartition("_")[2].capitalize()
    texts = [f"{count:,} {_WORDS[key]}" if key in _WORDS else f"{count:,}" for key, count in counts.items()]
    return name, ", ".join(texts)
