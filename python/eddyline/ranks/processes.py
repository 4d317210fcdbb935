"""Processes of this machine and the shared memory that they use, as /proc shows them."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
_SEGMENT = re.compile(
    rf" {SHARED_MEMORY}/((?:mpich_shm_|ucx_shm_|vader_segment|sm_segment)\S*)$", re.MULTILINE
)
"""A mapped file by which ranks of one machine exchange messages: of MPICH, UCX, Open MPI. One that is removed
already ends in " (deleted)"."""


@dataclass(frozen=True)
class Process:
    """A process. Its start [ticks since boot] tells it from a later one with the same number."""

    number: int
    started: int

    @classmethod
    def of(cls, number: int) -> Process:
        """The process that has this number now; if there is none, an ended process."""
        fields = _fields(number)
        return cls(number, int(fields[19]) if fields else -1)

    @classmethod
    def parse(cls, text: str) -> Process | None:
        words = text.split()
        return cls(int(words[0]), int(words[1])) if len(words) >= 2 else None

    @classmethod
    def read(cls, file: Path) -> Process | None:
        """The process that a file names; None without a whole file."""
        try:
            return cls.parse(file.read_text())
        except (OSError, ValueError):
            return None

    def __str__(self) -> str:
        return f"{self.number} {self.started}"

    @property
    def state(self) -> str:
        """Its state letter in /proc, such as R, S or T; empty for ended processes and zombies. Without /proc
        a process counts as running."""
        if not Path("/proc/self/stat").exists():
            return "R"
        fields = _fields(self.number)
        return fields[0] if fields and int(fields[19]) == self.started and fields[0] not in "ZX" else ""

    @property
    def has_ended(self) -> bool:
        return not self.state

    @property
    def is_stopped(self) -> bool:
        """True if SIGSTOP, a terminal or a debugger has stopped it."""
        return self.state in ("T", "t")

    def send(self, number: int) -> None:
        if not self.has_ended:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self.number, number)

    def kill(self) -> None:
        self.send(signal.SIGKILL)

    def segments(self) -> set[str]:
        """Names of its shared memory for messages."""
        try:
            return set(_SEGMENT.findall(Path(f"/proc/{self.number}/maps").read_text(errors="replace")))
        except OSError:
            return set()


def remove_segments(names: Iterable[str]) -> None:
    """Removes shared memory that ended ranks have left behind."""
    for name in names:
        with contextlib.suppress(OSError):
            (SHARED_MEMORY / name).unlink()


def _fields(number: int) -> list[str]:
    """Fields of /proc/NUMBER/stat after the name: the state first, the start time at [19]."""
    try:
        return Path(f"/proc/{number}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
