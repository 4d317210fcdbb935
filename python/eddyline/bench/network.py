"""Latency and bandwidth of messages between two ranks of this machine, for `eddyline bench machine`.

  mpiexec -n 2 python -m eddyline.bench.network

Both ranks exchange messages of one size with the default strategy, many times; rank 0 prints the median
duration of an exchange for each size, as JSON.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

import numpy as np

SMALL, LARGE = 8, 4 * 1024**2
"""Bytes of a message."""
EXCHANGES = {SMALL: 2000, LARGE: 60}
PATIENCE = 60.0  # s


@dataclass(frozen=True)
class Network:
    """latency: duration of an exchange of two small messages [s]. bandwidth: of each direction [bytes/s]."""

    latency: float
    bandwidth: float


def measure() -> Network | None:
    """Starts two ranks and measures; None if this machine cannot start them or has one core."""
    from eddyline.ranks import RankError
    from eddyline.ranks.launch import find_launcher, local_environment
    from eddyline.run.machine import available_cores

    if available_cores() < 2:
        return None
    try:
        command = [*find_launcher(), "-n", "2", sys.executable, "-m", "eddyline.bench.network"]
        told = subprocess.run(
            command, env=local_environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE, check=True,
        ).stdout  # fmt: skip
        seconds = {int(size): float(value) for size, value in json.loads(told.splitlines()[-1]).items()}
    except (RankError, OSError, subprocess.SubprocessError, ValueError, IndexError):
        return None
    return Network(seconds[SMALL], (LARGE - SMALL) / max(seconds[LARGE] - seconds[SMALL], 1e-9))


def main() -> None:
    from eddyline import _core
    from eddyline.ranks import join

    ranks = join()
    ranks.take_a_core()
    communicator = ranks.communicator
    assert communicator is not None
    told = {}
    for size, count in EXCHANGES.items():
        exchanges = np.zeros((count, 3), dtype=np.int64)
        exchanges[:, 2] = size
        group = np.array([[1 - ranks.rank, 1, 1]], dtype=np.int64)
        done = _core.replay(communicator, "nonblocking", exchanges, [group], most_seconds=PATIENCE / 4)
        moments = done["moments"]
        told[size] = float(np.median(moments[:, 1] - moments[:, 0]))
    if ranks.is_root:
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
