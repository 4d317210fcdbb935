"""The law with the solvers amr and multiblock: covering arrays of ways to compute small worlds on ranks."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from itertools import combinations, product
from pathlib import Path

import pytest
from mesh_worlds import BLOCKS, PATCHES, world_of
from test_waves import result_of
from ways import covering, needs_ranks, started

from eddyline import _core

PROGRAM = str(Path(__file__).with_name("mesh_ranks.py"))


@dataclass(frozen=True)
class Way:
    """pieces: largest size of a patch of amr [cells], or boxes of multiblock. replicated: cells of levels of
    multigrid that every rank computes; amr has none. resumed: number of ranks that continue from half way;
    0: none."""

    world: str
    ranks: int
    threads: int
    pieces: int
    instructions: str
    exchange: str
    replicated: int
    resumed: int

    def __str__(self) -> str:
        return "-".join(str(value) for value in astuple(self))

    def told(self, half: dict[str, str] | None = None) -> list[object]:
        """This way as mesh_ranks reads it."""
        options = {"threads": self.threads, "exchange": self.exchange, "instructions": self.instructions}
        if self.world in BLOCKS:
            own = {"boxes": self.pieces, "replicated_cells": self.replicated}
            return [self.world, {}, options | own, 0, half or {}]
        return [self.world, {"patch": self.pieces}, options, 0, half or {}]


def factors(
    worlds: Sequence[str], pieces: Sequence[int], instructions: Sequence[str], replicated: Sequence[int]
) -> list[Sequence[object]]:
    strategies = _core.exchange_strategies()
    return [worlds, (1, 2, 3), (1, 2), pieces, instructions, strategies, replicated, (0, 1, 2, 3)]


def is_possible(choice: Sequence[object]) -> bool:
    """Several ranks exchange, and another number continues."""
    ranks, resumed = choice[1], choice[-1]
    return ranks != resumed and {ranks, resumed} != {0, 1}


FACTORS = {
    "amr": factors(list(PATCHES), (8, 13, 17, 64), _core.instruction_sets(), [0]),
    "multiblock": factors(list(BLOCKS), (1, 2, 5, 7), ["auto"], (0, 100, 1024, 10**9)),
}
WAYS = {
    solver: [Way(*way) for way in covering(choices, is_possible)]  # type: ignore[arg-type]
    for solver, choices in FACTORS.items()
}


@pytest.mark.parametrize(("solver", "least"), [("amr", 40), ("multiblock", 30)])
def test_any_two_choices_meet(solver: str, least: int) -> None:
    ways = [tuple(getattr(way, field.name) for field in fields(Way)) for way in WAYS[solver]]
    assert len(ways) == len(set(ways)) >= least
    possible = [choice for choice in product(*FACTORS[solver]) if is_possible(choice)]
    for a, b in combinations(range(len(FACTORS[solver])), 2):
        met, wanted = ({(way[a], way[b]) for way in some} for some in (ways, possible))
        assert met == wanted


def expected(name: str) -> str:
    """Computed on one rank in one piece with one thread and no vectors."""
    world = world_of(name, {})
    simulation = _core.Simulation(world.core, threads=1, instructions="scalar")
    return hashlib.sha256(repr(result_of(world, simulation)).encode()).hexdigest()


def computed(ranks: int, ways: Sequence[list[object]]) -> list[str]:
    done = started(ranks, PROGRAM, json.dumps(ways))
    found = done.stdout.split()
    assert done.returncode == 0, (ways[len(found) : len(found) + 1], done.stderr)
    assert len(found) == len(ways)
    return found


@pytest.mark.matrix
@needs_ranks
@pytest.mark.parametrize("solver", WAYS)
def test_any_way_gives_the_same_bits(solver: str, tmp_path: Path) -> None:
    """Ways with equal numbers of ranks share processes: whole runs and first halves, then second halves."""
    ways = WAYS[solver]
    halves = firsts, rests = defaultdict(list), defaultdict(list)
    for number, way in enumerate(ways):
        folder = str(tmp_path / str(number))
        firsts[way.ranks].append((way, way.told({"save": folder} if way.resumed else None)))
        if way.resumed:
            rests[way.resumed].append((way, way.told({"restore": folder})))
    found: dict[Way, str] = {}
    for groups in halves:
        for ranks, group in groups.items():
            digests = computed(ranks, [told for _, told in group])
            found |= {way: digest for (way, _), digest in zip(group, digests, strict=True)}
    worlds = PATCHES if solver == "amr" else BLOCKS
    known = {name: expected(name) for name in worlds}
    assert [str(way) for way in ways if found[way] != known[way.world]] == []
