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
    split: bool = False,
) -> RunPlan:
    """The plan of a world. measure: time some steps of the world on this machine first.  split: blocks of a
    mesh may be divided between ranks. Raises PlanError."""
    if "mesh" in world.solver.tables:
        return _plan_mesh_world(world, ranks, network, threads, measure, split)
    if world.solver.name != "sph":
        raise PlanError(
            f'{world.name}: method.name = "{world.solver.name}"; plans are made for sph and multiblock only.'
            + (" Add --set method.name=sph to plan the same world." if world.file.given_fluid else "")
        )
    if split:
        raise PlanError(f"--split: is for meshes only, and {world.name} is a world of particles")
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
    speed = _speed(world, estimate.step_seconds, measure)
    work = Work(
        point_seconds=speed.seconds / estimate.members,
        step_seconds=speed.constant,
        low=speed.low,
        high=speed.high,
        row_bytes=ROW_BYTES[world.dimensions, world.has_free_surface],
        exchanges=1,
        point_bytes=estimate.memory_bytes / estimate.members,
        base_bytes=BASE_BYTES,
        origin=speed.origin,
    )
    fixed = needs.seconds - needs.cost.steps
    rows = forecast(divided, work, network, steps=needs.steps, fixed_seconds=fixed, threads=threads)
    refused = [count for count in ranks if count not in possible]
    advice = advice_for_particles(
        rows, fixed=fixed, cores=len(own_cores()), threads=threads, network=network,
        most_ranks=possible[-1] if refused else None,
    )  # fmt: skip
    return RunPlan(world.title, "particles", rows, advice, network, work, needs.steps, fixed, threads)


@dataclass(frozen=True)
class _Speed:
    """seconds: of a step on one core, without the constant [s].  low, high: factors of the error bar."""

    seconds: float
    constant: float
    low: float
    high: float
    origin: str


def _speed(world: World, estimated: float, measure: bool) -> _Speed:
    """The speed of this machine for a world, measured or estimated."""
    if not measure:
        return _Speed(estimated, 0.0, *UNMEASURED, "estimate of `eddyline check`")
    found = calibrate(world)
    error = found.spread + STEP_COUNT_ERROR
    return _Speed(
        found.factor * estimated, found.constant, 1 - error, 1 + error,
        "measured with steps of this world on one core of this machine",
    )  # fmt: skip


def _plan_mesh_world(
    world: World, ranks: Sequence[int], network: Network, threads: int, measure: bool, split: bool
) -> RunPlan:
    from eddyline.world.meshes import make

    needs = needs_of(world, cores=1)
    estimate = needs.estimate
    speed = _speed(world, estimate.step_seconds, measure)
    exchanges = getattr(world.solver, "exchanges", _one_cycle)(world)
    work = Work(
        point_seconds=speed.seconds / estimate.members,
        step_seconds=speed.constant,
        low=speed.low,
        high=speed.high,
        row_bytes=8.0 * (world.dimensions + 1) * exchanges,
        exchanges=exchanges,
        point_bytes=estimate.memory_bytes / estimate.members,
        base_bytes=BASE_BYTES,
        origin=speed.origin,
    )
    fixed = needs.seconds - needs.cost.steps
    return _plan_blocks(
        make(world.file), ranks, work, network, title=world.title, split=split, steps=needs.steps,
        fixed=fixed, threads=threads,
    )  # fmt: skip


def _one_cycle(world: World) -> float:
    """Exchanges of a step of five stages and a residual, for solvers that do not say how many they make."""
    return 6.0


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
    return _plan_blocks(mesh, ranks, work, network, title=title, split=split, multiple=multiple)


def _plan_blocks(
    mesh: Mesh,
    ranks: Sequence[int],
    work: Work,
    network: Network,
    *,
    title: str,
    split: bool,
    multiple: int = 4,
    steps: int = 0,
    fixed: float = 0.0,
    threads: int = 1,
) -> RunPlan:
    pieces = Pieces.of(mesh, multiple)
    contacts = pieces.contacts()
    whole = [pieces.divide(count, contacts) for count in ranks]
    finer = [pieces.split_for(count) for count in ranks]
    halved = [each.divide(count) for each, count in zip(finer, ranks, strict=True)]
    rows, other = (
        forecast(each, work, network, steps=steps, fixed_seconds=fixed, threads=threads)
        for each in ((halved, whole) if split else (whole, halved))
    )
    advice = advice_for_blocks(rows, other, finer, split=split)
    return RunPlan(title, "cells", rows, advice, network, work, steps, fixed, threads)


def read_mesh(path: Path) -> Mesh:
    """The mesh in a PLOT3D or CGNS file."""
    from eddyline.mesh.files import read

    return read(path)
