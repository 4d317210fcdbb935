"""The cores of this machine, as far as this process may use them."""

from __future__ import annotations

import os

_AT_ONCE = 64
_MANY = 4
_TRIES, _TRIES_OF_MANY = 200, 2000


def own_cores() -> list[int]:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def refusal(what: str, count: int) -> str:
    """Why so many processes or threads are refused; empty if they are not. They only wait for cores that
    others have, and each takes memory: at most 64, or four for each core if that is more."""
    cores = len(own_cores())
    most = max(_AT_ONCE, 4 * cores)
    return f"{what} = {count}: must be <= {most} with {_cores(cores)}" if count > most else ""


def crowding(ranks: int, threads: int) -> str:
    """A line where ranks of so many threads are many more than the cores, so that the run is slower than it
    need be; else empty."""
    cores = len(own_cores())
    if ranks * threads <= 2 * cores:
        return ""
    each = f" of {threads} threads" if threads > 1 else ""
    return f"note: {ranks} ranks{each} take turns on {_cores(cores)}, so the run is slow"


def _cores(count: int) -> str:
    return f"{count} core{'s' if count > 1 else ''}"


def let_threads_wait() -> None:
    """Says how often idle threads of a run look for work before they sleep, unless the user has said so.

    To wake many takes longer than most of what they wait for: where there are many cores they go on looking
    for about a tenth of a millisecond. On few, which other programs need as well, for a hundredth. OpenMP
    reads this once, when the extension module is loaded.
    """
    tries = _TRIES_OF_MANY if len(own_cores()) >= _MANY else _TRIES
    os.environ.setdefault("GOMP_SPINCOUNT", str(tries))
