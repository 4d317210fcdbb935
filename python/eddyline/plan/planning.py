"""Plans of worlds: what each number of ranks brings, and advice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from eddyline.cores import own_cores
from eddyline.plan.advice import advice_for_runs
from eddyline.plan.distribution import Distribution, bringing_something
from eddyline.plan.exchange import Exchange
from eddyline.plan.forecast import HERE, Network, PlanError, Row, Work, forecast
from eddyline.plan.particles import MPS_ITERATIONS, CellCounts, exchange_of
from eddyline.plan.run_plan import RunPlan
from eddyline.plan.speed import Speed, speed_of_cycles, speed_of_levels, speed_of_particles
from eddyline.world import World
from eddyline.world.describe import plan as needs_of
from eddyline.world.estimate import Plan

if TYPE_CHECKING:
    from eddyline.plan.meshes import MeshRun

BASE_BYTES = 43e6
"""Memory of a rank beside its particles: Python and libraries, docs/ranks.md."""
MOST_COARSEST = 128
"""Cells of the coarsest level of multigrid up to which a finer one would do: a cavity of 64 x 64 cells takes
265 cycles with 6 levels, 270 with 4 and 738 with 3; a cylinder of 7,424 cells 69 with 4, 133 with 3."""
WORTH_FEWER_LEVELS = 1.25
"""Gain in the time of a cycle from which on fewer levels of multigrid are proposed."""


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
    planners = {"sph": _particles, "mps": _particles, "multiblock": _blocks, "amr": _levels}
    if world.solver.name not in planners:
        raise PlanError(f'{world.name}: method.name = "{world.solver.name}"; no plans are made for it')
    request = _Request(world, needs_of(world, cores=1), ranks, network, threads, measure)
    return planners[world.solver.name](request)


@dataclass(frozen=True)
class _Request:
    """A request for a plan. needs: on one core."""

    world: World
    needs: Plan
    ranks: Sequence[int]
    network: Network
    threads: int
    measure: bool

    @property
    def fixed(self) -> float:
        """Wall seconds that ranks do not shorten."""
        return self.needs.seconds - self.needs.cost.steps

    def work(self, speed: Speed, exchange: Exchange, points: int, members: int) -> Work:
        """points: that loads add up to.  members: particles or cells that are stored."""
        estimate = self.needs.estimate
        return Work(
            point_seconds=speed.seconds / points,
            step_seconds=speed.constant,
            low=speed.low,
            high=speed.high,
            row_bytes=exchange.row_bytes,
            exchanges=exchange.messages,
            agreements=exchange.agreements,
            point_bytes=estimate.memory_bytes / estimate.members * members / points,
            base_bytes=BASE_BYTES,
            origin=speed.origin,
        )

    def rows(self, divided: Sequence[Distribution], work: Work, steps: int) -> list[Row]:
        return forecast(
            divided, work, self.network, steps=steps, fixed_seconds=self.fixed, threads=self.threads
        )

    def plan(
        self, unit: str, divided: Sequence[Distribution], work: Work, steps: int, limit: str | None
    ) -> RunPlan:
        """limit: a sentence on numbers of ranks that are not possible or idle."""
        rows = self.rows(bringing_something(divided), work, steps)
        advice = advice_for_runs(
            rows, fixed=self.fixed, cores=len(own_cores()), threads=self.threads, network=self.network,
            limit=limit,
        )  # fmt: skip
        return RunPlan(
            self.world.title, unit, rows, advice, self.network, work, steps, self.fixed, self.threads
        )


def _particles(request: _Request) -> RunPlan:
    world, members = request.world, request.needs.estimate.members
    cells = CellCounts.of(world, members)
    divided = [each for each in map(cells.divide, request.ranks) if each is not None]
    if not divided:
        raise PlanError(
            f"--ranks: {world.name} has {cells.most_ranks} cells and each rank needs one. Use fewer ranks, "
            "or a finer spacing."
        )
    speed = speed_of_particles(world, request.needs, request.measure)
    exchange = exchange_of(world, speed.counts.get("iterations", MPS_ITERATIONS))
    limit = None
    if len(divided) < len(request.ranks):
        limit = (
            f"The cell grid cannot be cut into more than about {divided[-1].nodes} boxes. For more ranks use "
            "a finer spacing."
        )
    work = request.work(speed, exchange, members, members)
    return request.plan("particles", divided, work, speed.steps, limit)


def _blocks(request: _Request) -> RunPlan:
    """Time steps are cycles, or have several."""
    from eddyline.plan.meshes import MeshRun, exchange_of
    from eddyline.solvers.multiblock import options_of

    run, options = MeshRun(request.world), options_of(request.world.file)
    cells = run.mesh.cells
    speed = speed_of_cycles(request.world, request.needs, run.constant_share, request.measure)
    cycles = speed.counts["cycles"]

    def rows_of(other: MeshRun) -> list[Row]:
        scaled = speed.scaled(other.cycle_seconds / run.cycle_seconds, other.constant_share)
        work = request.work(scaled, exchange_of(cycles), cells, cells)
        return request.rows(
            bringing_something([other.divide(count) for count in request.ranks]), work, speed.steps
        )

    divided = [run.divide(count) for count in request.ranks]
    idle = [each.nodes for each in divided if each.loads.min() == 0]
    limit = None
    if idle:
        limit = f"{idle[0]} ranks cannot all have cells: blocks are cut at multiples of {run.multiple} cells."
        limit += _fewer_levels(rows_of, run)
    work = request.work(speed, exchange_of(cycles), cells, cells)
    plan = request.plan("cells", divided, work, speed.steps, limit)
    if options.steady:
        plan.advice.append(
            f"Times are for all {speed.steps:,} cycles of time.end. How many are needed until the residual "
            f"has dropped by {1 / options.tolerance:.3g} is not known before; cycles after that cost nothing."
        )
    return plan


def _fewer_levels(rows_of: Callable[[MeshRun], list[Row]], run: MeshRun) -> str:
    """Fewer levels of multigrid, which allow more cuts."""
    now = _fastest(rows_of(run))
    for levels in range(run.levels - 1, 0, -1):
        if run.mesh.cells >> (run.mesh.dimensions * (levels - 1)) > MOST_COARSEST:
            break
        row = _fastest(rows_of(run.with_levels(levels)))
        assert row.step is not None and now.step is not None
        gain = now.step.value / row.step.value
        if row.nodes > now.nodes and gain > WORTH_FEWER_LEVELS:
            return (
                f" With method.levels = {levels} ({run.levels} now) cycles are {gain:.1f} times as fast on "
                f"{row.nodes} ranks, and hardly more are needed."
            )
    return " Fewer levels of multigrid (method.levels) allow more cuts, but may need many more cycles."


def _fastest(rows: Sequence[Row]) -> Row:
    return min(rows, key=lambda row: row.step.value if row.step else 0.0)


def _levels(request: _Request) -> RunPlan:
    """Points are cells that a step of level 0 computes, finer ones several times."""
    from eddyline.plan.levels import LevelRun
    from eddyline.solvers.amr.cells import has_fixed_levels

    world = request.world
    speed = speed_of_levels(world, request.needs, request.measure)
    run = LevelRun.of(world, speed.levels)
    divided = [each for each in map(run.divide, request.ranks) if each is not None]
    if not divided:
        raise PlanError(f"--ranks: {world.name} has too few cells for so many ranks. Use fewer.")
    limit = None
    if len(divided) < len(request.ranks):
        limit = (
            f"Level 0 cannot be cut for more than about {divided[-1].nodes} ranks. For more use a finer "
            "spacing."
        )
    work = request.work(speed, run.exchange(world), run.updates, sum(run.cells))
    plan = request.plan("cell updates", divided, work, speed.steps, limit)
    if len(run.cells) > 1:
        plan.advice.append(_told_levels(run.cells, request.measure, has_fixed_levels(world.file)))
    return plan


def _told_levels(cells: Sequence[int], measured: bool, fixed: bool) -> str:
    counts = ", ".join(f"{count:,}" for count in cells)
    if fixed:
        when = "as after the first steps" if measured else "as the condition on places says"
    else:
        when = "on average over a run on coarser cells" if measured else "at most, if everything is refined"
    return f"Levels have {counts} cells, {when}."
