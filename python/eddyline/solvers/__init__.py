"""The solvers: what each brings to world files, checks, runs and words. The core has the computation.

A module here has a SOLVER and stands in `eddyline.world.solver.BUILT_IN`, but for multigrid, which belongs to
multiblock; other packages register theirs as entry points of the group `eddyline.solvers`.
"""

from eddyline.world.solver import Solver, SolverOptions, solvers

__all__ = ["Solver", "SolverOptions", "solvers"]
