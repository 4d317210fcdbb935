"""Number of cores that this process may use."""

from __future__ import annotations

import functools
import math
import os
import re
from pathlib import Path

from eddyline.option_names import given

_AT_ONCE = 64
_MANY = 4
_ESCAPED = re.compile(r"\\([0-7]{3})")
_TRIES, _TRIES_OF_MANY = 200, 2000


def allowed_cores() -> list[int]:
    """The cores on which the operating system allows this process to run."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def own_cores() -> list[int]:
    """The cores that this process may use: the allowed cores, limited by the quota of its control groups."""
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
    """Path of a group below the mount point; empty if the group lies elsewhere, as in a container that sees
    only its own group."""
    root = root.rstrip("/")
    return group[len(root) :].strip("/") if group == root or group.startswith(root + "/") else ""


def _limits(place: Path, group: str) -> list[float]:
    """Quotas of a group and of all groups that contain it, up to the mount point `place`."""
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
    """Error text if so many processes or threads are refused, else empty. Allowed are 64, or four per core if
    that is more: further ones only wait for cores, and each takes memory."""
    cores = len(own_cores())
    most = max(_AT_ONCE, 4 * cores)
    told = f"{what} = {count}" if " " in what else given(what, count)
    return f"{told}: must be <= {most} with {_cores(cores)}" if count > most else ""


def crowding(ranks: int, threads: int) -> str:
    """Note if ranks times threads far exceed the number of cores, which slows the run down; else empty."""
    cores = len(own_cores())
    if ranks * threads <= 2 * cores:
        return ""
    each = f" of {threads} threads each" if threads > 1 else ""
    return f"note: {ranks} ranks{each} share {_cores(cores)}; the run is slow. Use fewer ranks or threads"


def _cores(count: int) -> str:
    return f"{count} core{'s' if count > 1 else ''}"


def let_threads_wait() -> None:
    """Sets how long idle OpenMP threads poll for work before they sleep, unless the user has set it.

    Waking many threads takes longer than most of their waits. On machines with many cores threads therefore
    poll for about 0.1 ms; on few cores, which other programs need as well, for about 0.01 ms. OpenMP reads
    this setting once, when the extension module is loaded."""
    tries = _TRIES_OF_MANY if len(own_cores()) >= _MANY else _TRIES
    os.environ.setdefault("GOMP_SPINCOUNT", str(tries))
