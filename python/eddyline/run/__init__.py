"""Runs: `eddyline.run(world)` runs a world; `Run` is what a run left in its folder.

The package itself can be called: `eddyline.run(...)` is `eddyline.run.execute.run(...)`.
"""

from __future__ import annotations

import sys
from inspect import cleandoc, signature
from types import ModuleType

from eddyline.run.errors import FolderInUseError, RequestError, RunError, StepFailedError, WriteError
from eddyline.run.execute import resume, run
from eddyline.run.record import Run

__all__ = [
    "FolderInUseError",
    "RequestError",
    "Run",
    "RunError",
    "StepFailedError",
    "WriteError",
    "resume",
    "run",
]


class _CallablePackage(ModuleType):
    """Python binds the package to the name `eddyline.run` whichever module imports it first; so the package
    must be callable, too."""

    __call__ = staticmethod(run)


sys.modules[__name__].__class__ = _CallablePackage
__doc__ = f"run{signature(run)}\n\n{cleandoc(run.__doc__ or '')}"  # for help(): that of the function
