"""The cores of this machine, as far as this process may use them."""

from __future__ import annotations

import functools
import math
import os
import re
from pathlib import Path

_AT_ONCE = 64
_MANY = 4
_ESCAPED = re.compile(r"\\([0-7]{3})")
_TRIES, _TRIES_OF_MANY = 200, 2000


def allowed_cores() -> list[int]:
    """The cores on which the system lets this process run."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def own_cores() -> list[int]:
    """The cores that this process may use: not more than a quota of its control groups pays for."""
    quota = cpu_quota()
    allowed = allowed_cores()
    return allowed if quota is None else allowed[: max(1, math.ceil(quota))]


@functools.lru_cache(maxsize=1)
def cpu_quota(process: Path = Path("/proc/self")) -> float | None:
    """CPU quota of this process in cores (control groups v1 and v2): the smallest of its own group and those
    around it. None without a limit.

    process: a folder with `cgroup` and `mountinfo`, as the system has for each process.
    """
    try:
        groups = (process / "cgroup").read_text(errors="surrogateescape").splitlines()
        mounts = (process / "mountinfo").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return None
    limits: list[float] = []
    for line in groups:  # such as 1:cpu,cpuacct:/docker/4f or 0::/user.slice
        _, controllers, group = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        for root, place, kind, options in map(_mount, mounts):
            is_it = "cpu" in options if controllers else kind == "cgroup2"
            if is_it and kind.startswith("cgroup"):
                limits += _limits(Path(place), _below(group, root))
    return min(limits, default=None)


def _mount(line: str) -> tuple[str, str, str, list[str]]:
    """Source, mount point, type and options in a line of mountinfo."""
    first, _, second = line.partition(" - ")
    root, place = (_ESCAPED.sub(lambda found: chr(int(found[1], 8)), word) for word in first.split()[3:5])
    kind, _, *options = second.split()
    return root, place, kind, options[-1].split(",") if options else []


def _below(group: str, root: str) -> str:
    """A group's path below what is mounted; empty if it lies elsewhere, as in a container that sees its own
    group alone."""
    root = root.rstrip("/")
    return group[len(root) :].strip("/") if group == root or group.startswith(root + "/") else ""


def _limits(place: Path, group: str) -> list[float]:
    """Those of a group and of all around it, up to the one that is mounted at `place`."""
    folder = place / group
    found = []
    while True:
        limit = _limit(folder)
        if limit is not None:
            found.append(limit)
        if folder == place or place not in folder.parents:
            return found
        folder = folder.parent


def _limit(folder: Path) -> float | None:
    """Quota of one group [cores]; None without a limit."""
    try:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text().split()
        else:
            quota, period = ((folder / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        limit = int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None
    return limit if limit > 0 else None


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
