"""Two runs side by side: are they the same to the last bit, and if not, from when on and by how much?

The package itself can be called: `eddyline.compare(...)` is `eddyline.compare.compare_runs(...)`.
"""

from __future__ import annotations

import sys
from inspect import cleandoc, signature
from types import ModuleType

from eddyline.compare.comparison import Comparison, compare_runs
from eddyline.compare.particles import Divergence, Moment
from eddyline.compare.series import SeriesDifference

__all__ = ["Comparison", "Divergence", "Moment", "SeriesDifference", "compare_runs"]


class _CallablePackage(ModuleType):
    """Python binds the package to the name `eddyline.compare` whichever module imports it first; so the
    package must be callable, too."""

    __call__ = staticmethod(compare_runs)


sys.modules[__name__].__class__ = _CallablePackage
__doc__ = f"compare{signature(compare_runs)}\n\n{cleandoc(compare_runs.__doc__ or '')}"  # for help()
