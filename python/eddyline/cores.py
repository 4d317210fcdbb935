"""The cores of this machine, as far as this process may use them."""

from __future__ import annotations

import os

_MANY = 4
_TRIES, _TRIES_OF_MANY = 200, 2000


def own_cores() -> list[int]:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def let_threads_wait() -> None:
    """Says how often idle threads of a run look for work before they sleep, unless the user has said so.

    To wake many takes longer than most of what they wait for: where there are many cores they go on looking
    for about a tenth of a millisecond. On few, which other programs need as well, for a hundredth. OpenMP
    reads this once, when the extension module is loaded.
    """
    tries = _TRIES_OF_MANY if len(own_cores()) >= _MANY else _TRIES
    os.environ.setdefault("GOMP_SPINCOUNT", str(tries))
