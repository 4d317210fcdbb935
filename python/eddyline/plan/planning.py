"""Plans of worlds and meshes: what each number of ranks brings, and advice."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eddyline.cores import own_cores
from eddyline.mesh.blocks import Mesh
from eddyline.plan.advice import advice_for_blocks, advice_for_cells, advice_for_particles
from eddyline.plan.blocks import Pieces
from eddyline.plan.calibration import STEP_COUNT_ERROR, calibrate, measure_cells
from eddyline.plan.forecast import HERE, Network, PlanError, Row, Work, as_json, forecast
from eddyline.plan.levels import STAGES
from eddyline.plan.mapper import WORDS_PER_POINT
from eddyline.plan.particles import MESSAGES_PER_NEIGHBOR, CellCounts
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
PARTICLES = ("sph", "mps")
"""Solvers of particles."""
LESS_CYCLES, MORE_CYCLES = 2.6, 1.3
"""Factors by which later time steps may take fewer or more cycles of multigrid than the first ones: a
cylinder in a channel takes 20 in each of the first hundred steps, and 7.9 on average."""
FEWER_CELLS, MORE_CELLS = 0.8, 1.5
"""Factors by which the work of a step may change where finer levels follow the flow: a bow shock takes 1.5
times the time of its first steps."""
UNEVEN_CYCLES = 0.1
"""Relative error of the time of a cycle, which depends on what is in caches."""
MPS_ITERATIONS = 10.0
MPS_AGREEMENTS = 2.0  # of an iteration: dot products
MPS_EXCHANGES = (7.0, 8.0)
"""Messages to each neighbour in a step, and in each iteration: runs of dam breaks on two ranks."""
MPS_ROW_BYTES = {2: (65.0, 29.0), 3: (250.0, 29.0)}
"""Bytes for each ghost, the same."""
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
    """The plan of a world. measure: time some steps of the world on this machine first.  split: of mesh
    files only. Raises PlanError."""
    if split:
        raise PlanError(f"--split: is for mesh files only; a run of {world.name} divides its world itself")
    if world.solver.name == "multiblock":
        return _plan_mesh_world(world, ranks, network, threads, measure)
    if world.solver.name == "amr":
        return _plan_levels(world, ranks, network, threads, measure)
    if world.solver.name not in PARTICLES:
        raise PlanError(f'{world.name}: method.name = "{world.solver.name}"; no plans are made for it')
    return _plan_particles(world, ranks, network, threads, measure)


def _plan_particles(
    world: World, ranks: Sequence[int], network: Network, threads: int, measure: bool
) -> RunPlan:
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
    is_mps = world.solver.name == "mps"
    iterations = speed.counts.get("iterations", MPS_ITERATIONS)
    sph_bytes = ROW_BYTES[world.dimensions, world.has_free_surface]
    work = Work(
        point_seconds=speed.seconds / estimate.members,
        step_seconds=speed.constant,
        low=speed.low,
        high=speed.high,
        row_bytes=_mps_row_bytes(world.dimensions, iterations) if is_mps else sph_bytes,
        exchanges=_mps_exchanges(iterations) / MESSAGES_PER_NEIGHBOR if is_mps else 1,
        agreements=1 + (MPS_AGREEMENTS * iterations if is_mps else 0),
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
    """seconds: of a step on one core, without the constant [s].  low, high: factors of the error bar.
    counts: of a step, as measured."""

    seconds: float
    constant: float
    low: float
    high: float
    origin: str
    counts: Mapping[str, float] = field(default_factory=dict)


MEASURED = "measured with steps of this world on one core of this machine"
UNMEASURED_ORIGIN = "estimate of `eddyline check`"


def _speed(world: World, estimated: float, measure: bool) -> _Speed:
    """The speed of this machine for a world, measured or estimated."""
    if not measure:
        return _Speed(estimated, 0.0, *UNMEASURED, UNMEASURED_ORIGIN)
    found = calibrate(world)
    error = found.spread + STEP_COUNT_ERROR
    return _Speed(found.factor * estimated, found.constant, 1 - error, 1 + error, MEASURED, found.counts)


def _plan_mesh_world(
    world: World, ranks: Sequence[int], network: Network, threads: int, measure: bool
) -> RunPlan:
    """Time steps are cycles, or have as many as the first ones of the world had."""
    from eddyline.plan.meshes import MeshRun, cycle_of
    from eddyline.solvers.multiblock import CYCLES_A_STEP, options_of

    needs = needs_of(world, cores=1)
    estimate, options = needs.estimate, options_of(world.file)
    mesh = MeshRun(world)
    cycle = cycle_of(world, mesh.levels)
    cells, steps = mesh.mesh.cells, needs.steps
    if measure:
        timed, found = measure_cells(world)
        cycles = max(1.0, found.counts["cycles"])
        seconds = found.seconds * cells / timed.solver.estimate(timed).members
        step = found.time_step * world.file.domain.spacing / timed.file.domain.spacing
        steps = needs.steps if options.steady else math.ceil(world.end / step)
        error = found.spread + UNEVEN_CYCLES
        low, high = 1 - error, 1 + error
        if not options.steady:
            low /= max(1.0, min(LESS_CYCLES, cycles))
            high *= max(1.0, min(MORE_CYCLES, options.inner_cycles / cycles))
        origin = MEASURED
    else:
        cycles = 1.0 if options.steady else float(CYCLES_A_STEP)
        seconds, (low, high), origin = estimate.step_seconds, UNMEASURED, UNMEASURED_ORIGIN
    if not options.steady:
        origin += f"; {cycles:.3g} cycles a step"
        if not measure:
            low, high = low / LESS_CYCLES, high * max(1.0, options.inner_cycles / cycles)
    work = Work(
        point_seconds=seconds / cells,
        step_seconds=0.0,
        low=low,
        high=high,
        row_bytes=cycle.face_bytes * cycles,
        exchanges=cycle.exchanges * cycles,
        point_bytes=estimate.memory_bytes / estimate.members,
        base_bytes=BASE_BYTES,
        origin=origin,
        agreements=1 + cycles,
    )
    fixed = needs.seconds - needs.cost.steps
    divided = mesh.divisions(ranks)
    rows = forecast(divided, work, network, steps=steps, fixed_seconds=fixed, threads=threads)
    advice = advice_for_cells(
        rows, fixed=fixed, cores=len(own_cores()), threads=threads, network=network,
        most_ranks=mesh.most_ranks(divided), limit="The blocks of this mesh",
    )  # fmt: skip
    if options.steady:
        drop = f"{1 / options.tolerance:.3g}"
        advice.append(
            f"Times are for all {steps:,} cycles of time.end. How many are needed until the residual "
            f"has dropped by {drop} is not known before; cycles after that cost nothing."
        )
    return RunPlan(world.title, "cells", rows, advice, network, work, steps, fixed, threads)


def _plan_levels(
    world: World, ranks: Sequence[int], network: Network, threads: int, measure: bool
) -> RunPlan:
    """The solver amr: points are cells that a step of level 0 computes, finer ones several times."""
    from eddyline.plan.levels import LevelRun
    from eddyline.solvers.amr.cells import has_fixed_levels
    from eddyline.solvers.amr.options import columns_of

    needs = needs_of(world, cores=1)
    estimate, steps = needs.estimate, needs.steps
    if measure:
        timed, found = measure_cells(world)
        scale = estimate.members / timed.solver.estimate(timed).members
        run = LevelRun.of(world, [round(count * scale) for count in found.levels])
        seconds, error = found.seconds * scale, found.spread + STEP_COUNT_ERROR
        low, high, origin = 1 - error, 1 + error, MEASURED
        if len(run.cells) > 1 and not has_fixed_levels(world.file):
            low, high = low * FEWER_CELLS, high * MORE_CELLS
        step = found.time_step * world.file.domain.spacing / timed.file.domain.spacing
        steps = max(1, math.ceil(world.end / step))
    else:
        run = LevelRun.of(world)
        seconds, (low, high), origin = estimate.step_seconds, UNMEASURED, UNMEASURED_ORIGIN
    work = Work(
        point_seconds=seconds / run.updates,
        step_seconds=0.0,
        low=low,
        high=high,
        row_bytes=8.0 * len(columns_of(world.file)["fields"]) * STAGES,
        exchanges=run.exchanges(),
        point_bytes=estimate.memory_bytes / estimate.members * sum(run.cells) / run.updates,
        base_bytes=BASE_BYTES,
        origin=origin,
    )
    fixed = needs.seconds - needs.cost.steps
    divided = [each for each in map(run.divide, ranks) if each is not None]
    if not divided:
        raise PlanError(f"--ranks: {world.name} has too few cells for so many ranks. Use fewer.")
    rows = forecast(divided, work, network, steps=steps, fixed_seconds=fixed, threads=threads)
    advice = advice_for_cells(
        rows, fixed=fixed, cores=len(own_cores()), threads=threads, network=network,
        most_ranks=divided[-1].nodes if len(divided) < len(ranks) else None, limit="The cells",
    )  # fmt: skip
    if len(run.cells) > 1:
        advice.append(_told_levels(run.cells, measure, has_fixed_levels(world.file)))
    return RunPlan(world.title, "cell updates", rows, advice, network, work, steps, fixed, threads)


def _told_levels(cells: Sequence[int], measured: bool, fixed: bool) -> str:
    counts = ", ".join(f"{count:,}" for count in cells)
    when = (
        "as they are after the first steps"
        if measured
        else "as the condition on places says"
        if fixed
        else ("at most, if everything is refined")
    )
    moves = "" if fixed else " Finer levels grow and shrink with the flow, and times with them."
    return f"Levels have {counts} cells, {when}.{moves}"


def _mps_exchanges(iterations: float) -> float:
    """Exchanges with each neighbour in a step."""
    return MPS_EXCHANGES[0] + MPS_EXCHANGES[1] * iterations


def _mps_row_bytes(dimensions: int, iterations: float) -> float:
    """Bytes for each ghost in a step."""
    once, each = MPS_ROW_BYTES[dimensions]
    return once + each * iterations


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
