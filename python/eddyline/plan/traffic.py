"""Messages of a run on ranks as a plan tells them, for its report: of the steps that it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eddyline.plan.distribution import Distribution
from eddyline.plan.exchange import Exchange
from eddyline.world import World


@dataclass(frozen=True)
class BusiestRank:
    """Messages and bytes that the busiest rank sends in a step."""

    messages: float
    bytes: float


def planned_traffic(world: World, ranks: int, counts: Mapping[str, float]) -> BusiestRank | None:
    """counts: cycles or iterations of a step. None: no plan is made, or levels follow the flow, whose cells
    are not known before."""
    found = _divided(world, ranks, counts)
    if found is None:
        return None
    divided, exchange = found
    return BusiestRank(
        messages=exchange.messages * float(divided.traffic.messages.max()),
        bytes=exchange.row_bytes * float(divided.traffic.rows.max()),
    )


def _divided(world: World, ranks: int, counts: Mapping[str, float]) -> tuple[Distribution, Exchange] | None:
    divided: Distribution | None = None
    if world.solver.name in ("sph", "mps"):
        from eddyline.plan.particles import MPS_ITERATIONS, CellCounts, exchange_of

        divided = CellCounts.of(world, world.solver.estimate(world).members).divide(ranks)
        exchange = exchange_of(world, counts.get("iterations", MPS_ITERATIONS))
    elif world.solver.name == "multiblock":
        from eddyline.plan import meshes

        divided = meshes.MeshRun(world).divide(ranks)
        exchange = meshes.exchange_of(counts.get("cycles", 1.0))
    elif world.solver.name == "amr":
        from eddyline.plan.levels import LevelRun
        from eddyline.solvers.amr.cells import has_fixed_levels

        levels = LevelRun.of(world)
        if len(levels.cells) == 1 or has_fixed_levels(world.file):
            divided, exchange = levels.divide(ranks), levels.exchange(world)
    return None if divided is None else (divided, exchange)
