"""Plans of worlds and meshes: what each number of ranks brings, and advice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eddyline.cores import own_cores
from eddyline.mesh.blocks import Mesh
from eddyline.plan.advice import advice_for_blocks, advice_for_particles
from eddyline.plan.blocks import Pieces
from eddyline.plan.calibration import STEP_COUNT_ERROR, calibrate
from eddyline.plan.forecast import HERE, Network, PlanError, Row, Work, as_json, forecast
from eddyline.plan.mapper import WORDS_PER_POINT
from eddyline.plan.particles import CellCounts
from eddyline.world import World
from eddyline.world.describe import plan as needs_of

MOST_RANKS = 100_000
MOST_ROWS = 32  # of a range that is shown whole
ROW_BYTES = {(2, True): 45, (2, False): 75, (3, True): 85, (3, False): 85}
"""Bytes that a rank sends for each of its ghosts in a step, by dimensions and free surface: measured with
runs of worlds of the gallery on four ranks, 40 to 47, 56 to 90 and 67 to 95."""
BASE_BYTES = 43e6
"""Memory of a rank beside its particles: Python and libraries, docs/ranks.md."""
UNMEASURED = (0.35, 1.25)
"""Computing time over the estimate of `eddyline check`: ten worlds of the gallery took 0.38 to 0.87 of it on
an EPYC Zen 4; slower processors need more."""
CELL_VALUES = 5
"""Values that are sent for each ghost cell of a mesh."""


@dataclass(frozen=True)
class RunPlan:
    """unit: what is divided, "particles" or "points".  rows: by number of ranks.  advice: sentences."""

    title: str
    unit: str
    rows: list[Row]
    advice: list[str]
    network: Network
    work: Work
    steps: int
    fixed_seconds: float
    threads: int

    def as_json(self) -> dict[str, Any]:
        from dataclasses import asdict

        return {
            "title": self.title,
            "unit": self.unit,
            "steps": self.steps,
            "fixed_seconds": self.fixed_seconds,
            "threads": self.threads,
            "network": asdict(self.network),
            "work": asdict(self.work),
            "rows": [as_json(row) for row in self.rows],
            "advice": self.advice,
        }


def numbers_of_ranks(text: str) -> list[int]:
    """Numbers of ranks: "4", "1,2,4", "1..32": all, or "1..1024": all up to 8, and then two in each octave.
    Raises PlanError."""
    found: set[int] = set()
    for part in text.split(","):
        low, dots, high = part.partition("..")
        try:
            first, last = int(low), int(high if dots else low)
        except ValueError:
            raise PlanError(f"--ranks {text}: must be numbers such as 8, 1,2,4 or 1..1024") from None
        if not 1 <= first <= last <= MOST_RANKS:
            raise PlanError(f"--ranks {text}: must be from 1 to {MOST_RANKS}, the lower number first")
        if last - first < MOST_ROWS:
            found |= set(range(first, last + 1))
            continue
        octaves = [k * 2**n for n in range(2, last.bit_length()) for k in (2, 3)]
        shown = [*range(1, 9), *octaves]
        found |= {first, last} | {count for count in shown if first <= count <= last}
    return sorted(found)


def plan_world(
    world: World,
    ranks: Sequence[int],
    *,
    network: Network = HERE,
    threads: int = 1,
    measure: bool = True,
) -> RunPlan:
    """The plan of an SPH world. measure: time some steps of the world on this machine first. Raises
    PlanError."""
    if world.solver.name != "sph":
        raise PlanError(
            f'{world.name}: method.name = "{world.solver.name}"; the messages of sph and of meshes '
            "are known only. Add --set method.name=sph to plan the same world with particles."
        )
    needs = needs_of(world, cores=1)
    estimate = needs.estimate
    cells = CellCounts.of(world, estimate.members)
    divided = [each for each in map(cells.divide, ranks) if each is not None]
    possible = [each.nodes for each in divided]
    if not divided:
        raise PlanError(
            f"--ranks: {world.name} has {cells.most_ranks} cells and each rank needs one. Use fewer ranks, "
            "or a finer spacing."
        )
    if measure:
        found = calibrate(world)
        error = found.spread + STEP_COUNT_ERROR
        seconds, constant = found.factor * estimate.step_seconds, found.constant
        bounds, origin = (
            (1 - error, 1 + error),
            "measured with steps of this world on one core of this machine",
        )
    else:
        seconds, constant = estimate.step_seconds, 0.0
        bounds, origin = UNMEASURED, "estimate of `eddyline check`"
    work = Work(
        point_seconds=seconds / estimate.members,
        step_seconds=constant,
        low=bounds[0],
        high=bounds[1],
        row_bytes=ROW_BYTES[world.dimensions, world.has_free_surface],
        exchanges=1,
        point_bytes=estimate.memory_bytes / estimate.members,
        base_bytes=BASE_BYTES,
        origin=origin,
    )
    fixed = needs.seconds - needs.cost.steps
    rows = forecast(divided, work, network, steps=needs.steps, fixed_seconds=fixed, threads=threads)
    refused = [count for count in ranks if count not in possible]
    advice = advice_for_particles(
        rows, fixed=fixed, cores=len(own_cores()), threads=threads, network=network,
        most_ranks=possible[-1] if refused else None,
    )  # fmt: skip
    return RunPlan(world.title, "particles", rows, advice, network, work, needs.steps, fixed, threads)


def plan_mesh(
    mesh: Mesh,
    ranks: Sequence[int],
    *,
    title: str = "mesh",
    network: Network = HERE,
    rate: float | None = None,
    exchanges: int = 1,
    split: bool = False,
    multiple: int = 4,
) -> RunPlan:
    """The plan of a mesh of blocks. rate: cells that a core updates in a second; None: times are relative.
    exchanges: of ghost cells in a step.  split: blocks may be divided, at multiples of `multiple` cells."""
    pieces = Pieces.of(mesh, multiple)
    work = Work(
        point_seconds=1 / rate if rate else None,
        step_seconds=0.0,
        low=0.85,
        high=1.15,
        row_bytes=8.0 * CELL_VALUES * exchanges,
        exchanges=exchanges,
        point_bytes=8.0 * WORDS_PER_POINT,
        base_bytes=BASE_BYTES,
        origin="the rate given" if rate else "none: times relative to one rank",
    )
    contacts = pieces.contacts()
    whole = [pieces.divide(count, contacts) for count in ranks]
    finer = [pieces.split_for(count) for count in ranks]
    halved = [each.divide(count) for each, count in zip(finer, ranks, strict=True)]
    rows = forecast(halved if split else whole, work, network)
    other = forecast(whole if split else halved, work, network)
    advice = advice_for_blocks(rows, other, finer, split=split)
    return RunPlan(title, "cells", rows, advice, network, work, 0, 0.0, 1)


def read_mesh(path: Path) -> Mesh:
    """The mesh in a PLOT3D or CGNS file."""
    from eddyline.mesh.files import read

    return read(path)
