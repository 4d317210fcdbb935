"""Programs that take turns on this machine, so that what else happens on it falls on all of them alike."""

from __future__ import annotations

import contextlib
import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Sequence
from types import TracebackType

from eddyline.ranks.launch import find_launcher, local_environment

PATIENCE = 10.0  # s


def quartiles(values: Sequence[float]) -> str:
    """Their median, and the first and third quartile in brackets."""
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


class Player:
    """A box computed by `ranks` ranks, or by one without a launcher on core `core`; it stands still, all its
    processes, but in its turns.

    Raises subprocess.CalledProcessError if it ends by itself; what it said stands on standard error.
    """

    def __init__(self, words: Sequence[int | str], ranks: int = 0, core: int = 0) -> None:
        worker = [sys.executable, "-m", "eddyline.bench.ranks", *map(str, words)]
        starter = [*find_launcher(), "-n", str(ranks)] if ranks else ["taskset", "-c", str(core)]
        self._process = subprocess.Popen(
            [*starter, *worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=local_environment() if ranks else None, start_new_session=True,
        )  # fmt: skip

    def begin(self, steps: int) -> None:
        os.killpg(self._process.pid, signal.SIGCONT)
        assert self._process.stdin is not None
        self._process.stdin.write(f"{steps}\n")
        self._process.stdin.flush()

    def end(self) -> float:
        """Seconds that the turn took."""
        assert self._process.stdout is not None
        told = self._process.stdout.readline()
        if not told:
            raise subprocess.CalledProcessError(self._process.wait(), self._process.args)
        os.killpg(self._process.pid, signal.SIGSTOP)
        return float(told)

    def turn(self, steps: int) -> float:
        """Computes so many steps; the seconds that they took."""
        self.begin(steps)
        return self.end()

    def __enter__(self) -> Player:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGCONT)
            try:
                self._process.communicate(
                    timeout=PATIENCE
                )  # its input ends; an MPI that is killed leaves files
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()
