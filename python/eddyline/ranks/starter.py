"""The processes that started the ranks, `eddyline run --ranks N` and the launcher: ranks end without them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import NoReturn

from eddyline.execution_arguments import PATIENCE

from .processes import Process, remove_segments

FOLDER = "EDDYLINE_LAUNCH"
"""Folder that the command and its ranks share."""
STARTER = "EDDYLINE_STARTER"
"""Process and machine of the command."""
NAME, LAUNCHER = "starter", "launcher"
"""Files of the folder that name these processes."""
RANK = "rank-"
"""Prefix of the file of each rank: its process, and its number if known from the launcher."""
PATIENCE_FILE = "patience"
NUMBERS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID")
INTERVAL = 0.25  # s between checks
GRACE = 5.0  # s that a rank continues after another one has ended
EXIT_LOST = 5
_gone, _computes, _leads = threading.Event(), threading.Event(), threading.Event()
_watch: list[_Watch] = []  # the one of this process


def tell_starter(folder: Path) -> dict[str, str]:
    """Records in the folder the process that starts the ranks. Returns their environment variables."""
    own = Process.of(os.getpid())
    (folder / NAME).write_text(str(own))
    return {FOLDER: str(folder), STARTER: f"{own} {os.uname().nodename}"}


def watch_starter() -> None:
    """As a rank that was started by `--ranks`: looks after the processes that started it from now on.

    If the command or the launcher has gone, a run that is under way ends in order, as at SIGTERM; before that
    the rank ends at once. A rank of another machine does not see these processes, and goes on.
    """
    told = os.environ.get(STARTER, "").split(" ", 2)
    if len(told) < 3 or told[2] != os.uname().nodename or FOLDER not in os.environ:
        return
    watch = _Watch(Path(os.environ[FOLDER]), Process(int(told[0]), int(told[1])))
    number = next((os.environ[name] for name in NUMBERS if name in os.environ), "")
    try:
        (watch.folder / f"{RANK}{os.getpid()}").write_text(f"{watch.own} {number}")
    except OSError:
        os._exit(EXIT_LOST)
    _watch.append(watch)
    threading.Thread(target=watch.run, name="starter", daemon=True).start()


def tell_computing(*, leads: bool) -> None:
    """Makes SIGTERM to the root end the run in order from now on."""
    if leads:
        _leads.set()
    _computes.set()


def starter_has_gone() -> bool:
    """True if the run ends because of that."""
    return _gone.is_set()


def end_without_starter(exit_code: int = 0) -> None:
    """Ends this process if its starter has ended, without steps that need the launcher."""
    if _gone.is_set() and _watch:
        _watch[0].leave(exit_code, kill=exit_code != 0)


class _Watch:
    """Watches the starter, the launcher and the other ranks."""

    def __init__(self, folder: Path, starter: Process) -> None:
        self.folder, self.starter = folder, starter
        self.own = Process.of(os.getpid())
        self.launcher: Process | None = None
        self.others: dict[str, Process] = {}

    def run(self) -> None:
        while not self._is_over():
            time.sleep(INTERVAL)
        _gone.set()
        if not _computes.is_set():
            self.leave(EXIT_LOST, kill=False)
        if self.launcher is not None and self.launcher.has_ended:
            _discard_output()
        if _leads.is_set():
            os.kill(os.getpid(), signal.SIGTERM)
        self._await_others()

    def _is_over(self) -> bool:
        self.launcher = self.launcher or Process.read(self.folder / LAUNCHER)
        self._read_others()
        if self.starter.has_ended or not (self.folder / NAME).exists():
            return True
        return self.launcher is not None and self.launcher.has_ended

    def _read_others(self) -> None:
        for file in self.folder.glob(f"{RANK}*"):
            if file.name not in self.others and (found := Process.read(file)) and found != self.own:
                self.others[file.name] = found

    def _await_others(self) -> NoReturn:
        """Ranks without a starter watch each other: none waits for a rank that has ended or hangs."""
        patience = stop_patience(self.folder)
        without = stopped = 0.0
        while True:
            time.sleep(INTERVAL)
            without += INTERVAL * any(each.has_ended for each in self.others.values())
            stopped = stopped + INTERVAL if any(each.is_stopped for each in self.others.values()) else 0.0
            if without > GRACE or stopped > patience:
                self.leave(EXIT_LOST, kill=True)

    def leave(self, exit_code: int, *, kill: bool) -> NoReturn:
        """Ends this process at once, with the others if they are to be killed, and removes what they shared:
        none of them opens it again."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
        if kill:
            for each in self.others.values():
                each.kill()
        remove_segments(self.own.segments())
        if self.starter.has_ended:
            shutil.rmtree(self.folder, ignore_errors=True)
            if self.launcher is not None:  # it ends by itself, unless it is stopped or waits for other ranks
                self.launcher.send(signal.SIGKILL if kill else signal.SIGCONT)
        os._exit(exit_code)


def stop_patience(folder: Path) -> float:
    """Time that a stopped rank is waited for [s]; infinite if the run sets 0."""
    with contextlib.suppress(OSError, ValueError):
        return float((folder / PATIENCE_FILE).read_text()) or float("inf")
    return PATIENCE


def _discard_output() -> None:
    """Discards further output of a rank, because it would go through the ended launcher."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)
    os.close(null)
