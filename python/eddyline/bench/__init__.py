"""Benchmarks: how fast this machine computes.

eddyline bench step                  particle evaluations and pairs a second, in 2D and 3D
eddyline bench step --json FILE      the same as records, with the commit
eddyline bench machine               what the machine itself can do
eddyline bench exchange --help       what ranks send, recorded and replayed by every exchange strategy
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    from eddyline.bench.command import run

    return run(arguments)
