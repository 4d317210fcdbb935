"""Cores for the computing thread of a rank and for the threads that send and receive for it.

mpiexec -n 2 python spare.py own|spare bench exchange --replay FILE ...     `eddyline` on such cores
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from pathlib import Path

EVERY = 0.02  # s between looks for new threads


def cores(place: str, rank: int) -> tuple[int, int]:
    """The core of the computing thread and the core of the other threads."""
    first, second = sorted(os.sched_getaffinity(0))[:2]
    own = (first, second)[rank % 2]
    return {"own": (own, own), "spare": (first, second)}[place]


def keep_apart(own: int, threads: int) -> None:
    """Pins this thread to core `own` and all other threads of the process to core `threads`."""
    computing = threading.get_native_id()
    over = threading.Event()

    def look() -> None:
        known: set[int] = {computing}
        while not over.wait(EVERY):
            for thread in {int(entry.name) for entry in Path("/proc/self/task").iterdir()} - known:
                with contextlib.suppress(ProcessLookupError):
                    os.sched_setaffinity(thread, {threads})
                    known.add(thread)

    def end() -> None:
        over.set()
        looking.join()

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    atexit.register(end)
    os.sched_setaffinity(0, {own})


if __name__ == "__main__":
    from eddyline.cli import main
    from eddyline.ranks import join

    keep_apart(*cores(sys.argv.pop(1), join().rank))
    main()
