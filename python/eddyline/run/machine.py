"""Machine and versions of a run."""

from __future__ import annotations

import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from eddyline.cores import own_cores


def machine() -> dict[str, Any]:
    return {
        "processor": processor_name(),
        "cores": available_cores(),
        "architecture": platform.machine(),
        "system": platform.system() + " " + platform.release(),
    }


def versions() -> dict[str, str]:
    found = {"eddyline": _core_version(), "python": platform.python_version()}
    for name in ("numpy", "h5py", "matplotlib"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def available_cores() -> int:
    """Cores that this process may use."""
    return len(own_cores())


def processor_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _core_version() -> str:
    from eddyline import _core

    return _core.__version__
