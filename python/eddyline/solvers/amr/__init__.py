"""Equations on Cartesian cells in patches of one or several levels: waves, gases and others."""

from eddyline.solvers.amr.options import EQUATIONS, AmrOptions
from eddyline.solvers.amr.solver import SOLVER, Amr

__all__ = ["EQUATIONS", "SOLVER", "Amr", "AmrOptions"]
