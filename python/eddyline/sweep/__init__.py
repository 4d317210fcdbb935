"""Sweeps: one world for many values, tabulated, resumable; with the order of convergence over the spacing.

The package itself can be called: `eddyline.sweep(...)` is `eddyline.sweep.execute.sweep(...)`.
"""

from __future__ import annotations

import sys
from inspect import cleandoc, signature
from types import ModuleType

from eddyline.sweep.convergence import Convergence, converge
from eddyline.sweep.execute import RunOptions, Sweep, run_sweep, sweep

__all__ = ["Convergence", "RunOptions", "Sweep", "converge", "run_sweep", "sweep"]


class _CallablePackage(ModuleType):
    """Python binds the package to the name `eddyline.sweep` whichever module imports it first; so the package
    must be callable, too."""

    __call__ = staticmethod(sweep)


sys.modules[__name__].__class__ = _CallablePackage
__doc__ = f"sweep{signature(sweep)}\n\n{cleandoc(sweep.__doc__ or '')}"  # for help(): that of the function
