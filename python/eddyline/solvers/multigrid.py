"""Cycles of multigrid of the solver multiblock: their work and their messages."""

from __future__ import annotations

from dataclasses import dataclass, replace

from eddyline.execution_arguments import ExecutionArguments

STAGES, FRESH_STAGES = 5, 3
"""Stages of a cycle on a level, and those of them with new dissipation and friction."""
GHOST_LAYERS = 2  # on the finest level; one on the others
RATES = {
    (2, False): (5.7e7, 4.2e7),
    (2, True): (3.2e7, 2.4e7),
    (3, False): (2.0e7, 1.4e7),
    (3, True): (1.15e7, 7e6),
}
"""Cells of which one core evaluates the flow in a second, without and with friction, by dimensions and gas:
benchmarks/stages.py on a busy EPYC (Zen 4), the larger boxes."""
SWEEP_SECONDS = 1.8e-9  # of an unknown of a cell in a sweep of smoothing
VISIT_SECONDS = 2.5e-6
"""Time of a visit of a level, however few cells it has: boxes of 16 x 16 cells."""


@dataclass(frozen=True)
class Scheme:
    """Properties that the cost of a cycle depends on. has_gradients: full friction, with gradients of all
    unknowns.  sweeps: of smoothing of residuals."""

    dimensions: int
    is_gas: bool
    has_friction: bool
    has_gradients: bool
    sweeps: int
    is_w_cycle: bool

    @property
    def unknowns(self) -> int:
        return self.dimensions + (2 if self.is_gas else 1)


@dataclass(frozen=True)
class Cycle:
    """A cycle of multigrid.

    exchanges: messages to each neighbour.  face_bytes: for each face of a finest cell between two ranks.
    evaluations: of the flow in all cells, in cells of the finest level; replicated: the part that every rank
    computes whole.  visits: of levels.  gathers: messages to every other rank; gathered_bytes: in them,
    for each of its finest cells.
    """

    exchanges: int
    face_bytes: float
    evaluations: float
    replicated: float
    visits: int
    gathers: int
    gathered_bytes: float

    def seconds(self, scheme: Scheme, cells: int) -> float:
        """Time of a cycle on one core, with so many cells."""
        rate = RATES[scheme.dimensions, scheme.is_gas][scheme.has_friction]
        one = 1 / rate + scheme.sweeps * scheme.unknowns * SWEEP_SECONDS
        return self.evaluations * cells * one + self.visits * VISIT_SECONDS

    def constant_share(self, scheme: Scheme, cells: int) -> float:
        """Share of that time which ranks do not shorten."""
        whole = replace(self, evaluations=self.replicated)
        return whole.seconds(scheme, cells) / self.seconds(scheme, cells)


def divided_levels(scheme: Scheme, levels: int, cells: int) -> int:
    """Levels that ranks divide, of a mesh with so many cells; every rank computes the others whole."""
    most = ExecutionArguments().replicated_cells
    return max(1, sum(cells >> (scheme.dimensions * level) > most for level in range(levels)))


def cycle_of(scheme: Scheme, levels: int, cells: int) -> Cycle:
    """A cycle over so many levels of a mesh with so many cells."""
    divided = divided_levels(scheme, levels, cells)
    dim, unknowns = scheme.dimensions, scheme.unknowns
    exchanges, face_bytes, evaluations, replicated, gathers, gathered_bytes = 0, 0.0, 0.0, 0.0, 0, 0.0
    visits, parents, all_visits = 1, 0, 0
    for level in range(levels):
        is_last = level + 1 == levels
        residuals = parents + (0 if is_last else visits)  # beside the stages
        fills = (
            STAGES * visits - parents + residuals
        )  # restriction leaves the first stage nothing to evaluate
        share = 1 / 2 ** (dim * level)  # of the cells
        evaluations += fills * share
        if level < divided:
            radii = visits - parents + residuals  # with the state
            gradients = (FRESH_STAGES * visits + residuals) if scheme.has_gradients and level == 0 else 0
            smoothed = scheme.sweeps * STAGES * visits
            exchanges += fills + gradients + smoothed + parents
            layers = GHOST_LAYERS if level == 0 else 1
            values = (fills * unknowns + radii) * layers + gradients * unknowns * dim
            values += (smoothed + parents) * unknowns
            face_bytes += 8.0 * values / 2 ** ((dim - 1) * level)
        else:
            replicated += fills * share
        if level == divided:
            gathers, gathered_bytes = parents, 8.0 * 2 * unknowns * parents * share
        all_visits += visits
        parents = visits  # of the next level
        if scheme.is_w_cycle and level + 2 < levels:
            visits *= 2
    return Cycle(exchanges, face_bytes, evaluations, replicated, all_visits, gathers, gathered_bytes)
