"""The overseer of `eddyline run --ranks N`: it detects lost or stopped ranks, and ensures that none of them
outlives the launch."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .processes import Process, remove_segments
from .starter import INTERVAL, LAUNCHER, RANK, stop_patience

GRACE = 10.0  # s that the launcher and other ranks may take to end after one of them
PAUSE = 0.02  # s between checks of the launcher
LATER = 0.05  # interval between checks of shared memory, relative to the time since the start


@dataclass
class Ending:
    """The end of a launch. code: the launcher's exit code, None if it had to be killed. stopped: the rank
    that was stopped by a signal and not continued."""

    code: int | None
    stopped: str = ""


class Overseer:
    """Waits for the ranks below a launcher. folder: where each rank writes its process number."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process, self.folder = process, folder
        (folder / LAUNCHER).write_text(str(Process.of(process.pid)))
        self.ranks: dict[str, Process] = {}
        self._segments: set[str] = set()
        self._started = self._last = time.monotonic()
        self._next_look = self._next_segments = 0.0
        self._without = self._stopped = 0.0  # s since one has ended, since one is stopped

    def wait(self, early: Sequence[int]) -> Ending:
        """Waits until all ranks have ended, or an early signal arrives. Kills all ranks if one has ended or
        is stopped and the others do not end."""
        while not early:
            code = self.process.poll()
            passed = self._passed()
            if code is not None or time.monotonic() >= self._next_look:
                self._next_look = time.monotonic() + INTERVAL
                self._look()
                if code is not None and not self._alive():
                    break
            stopped = self._stopped_rank()
            ended = len(self._alive()) < len(self.ranks)
            self._without = self._without + passed if ended else 0.0
            self._stopped = self._stopped + passed if stopped else 0.0
            if self._without > GRACE or self._stopped > stop_patience(self.folder) + 1:
                return Ending(None, stopped)
            time.sleep(PAUSE)
        return Ending(self.process.returncode or 0)

    def end_all(self) -> None:
        """Kills remaining processes of the launch, and removes their shared memory."""
        self._look()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for rank in self.ranks.values():
            rank.kill()
        deadline = time.monotonic() + GRACE
        while self._alive() and time.monotonic() < deadline:
            time.sleep(PAUSE)
        remove_segments(self._segments)

    def _passed(self) -> float:
        """Seconds since the last check, without those in which this process itself was stopped."""
        now = time.monotonic()
        passed, self._last = min(now - self._last, 4 * INTERVAL), now
        return passed

    def _look(self) -> None:
        for file in self.folder.glob(f"{RANK}*"):
            if file.name not in self.ranks and (found := Process.read(file)):
                self.ranks[file.name] = found
        now = time.monotonic()
        if now >= self._next_segments:
            self._next_segments = now + LATER * (now - self._started)
            for rank in self.ranks.values():
                self._segments |= rank.segments()

    def _alive(self) -> list[Process]:
        return [rank for rank in self.ranks.values() if not rank.has_ended]

    def _stopped_rank(self) -> str:
        """Words for the first rank that is stopped; empty if there is none."""
        for name, rank in self.ranks.items():
            if rank.is_stopped:
                words = (self.folder / name).read_text().split()
                number = words[2] if len(words) > 2 else "?"
                return f"rank {number} (process {rank.number})"
        return ""
