"""Cycles of multigrid of the solver multiblock: their work and their messages."""

from __future__ import annotations

from dataclasses import dataclass

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
    evaluations: of the flow in all cells, in cells of the finest level.  visits: of levels.
    """

    exchanges: int
    face_bytes: float
    evaluations: float
    visits: int

    def seconds(self, scheme: Scheme, cells: int) -> float:
        """Time of a cycle on one core, with so many cells."""
        rate = RATES[scheme.dimensions, scheme.is_gas][scheme.has_friction]
        one = 1 / rate + scheme.sweeps * scheme.unknowns * SWEEP_SECONDS
        return self.evaluations * cells * one + self.visits * VISIT_SECONDS


def cycle_of(scheme: Scheme, levels: int) -> Cycle:
    """A cycle over so many levels."""
    dim, unknowns = scheme.dimensions, scheme.unknowns
    exchanges, face_bytes, evaluations, visits, parents, all_visits = 0, 0.0, 0.0, 1, 0, 0
    for level in range(levels):
        is_last = level + 1 == levels
        residuals = parents + (0 if is_last else visits)  # beside the stages
        fills = STAGES * visits + residuals
        radii = visits + residuals
        gradients = (FRESH_STAGES * visits + residuals) if scheme.has_gradients and level == 0 else 0
        smoothed = scheme.sweeps * STAGES * visits
        exchanges += fills + radii + gradients + smoothed + parents
        layers = GHOST_LAYERS if level == 0 else 1
        values = fills * layers * unknowns + radii + gradients * unknowns * dim
        values += (smoothed + parents) * unknowns
        face_bytes += 8.0 * values / 2 ** ((dim - 1) * level)
        evaluations += (STAGES * visits + residuals) / 2 ** (dim * level)
        all_visits += visits
        parents = visits  # of the next level
        if scheme.is_w_cycle and level + 2 < levels:
            visits *= 2
    return Cycle(exchanges, face_bytes, evaluations, all_visits)
