"""Validation: flows with a known exact solution or measurement, and the deviation of Eddyline from it.

    eddyline validate                     all cases, as they are published in validation/
    eddyline validate poiseuille --quick  one case at a coarse spacing
    eddyline validate --list              what there is

Each case is one file in cases/, with papers, reference data and the last result in validation/CASE/.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code: 0 all limits are kept, 1 one is missed."""
    from eddyline.validate.command import run

    return run(arguments)
