"""This process as one of the ranks of a run."""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from .errors import RankError

if TYPE_CHECKING:
    from eddyline import _core

Value = TypeVar("Value")

SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")
"""Where launchers say how many ranks they have started: MPICH and its kin, Open MPI, MVAPICH, srun."""
LOCAL_SIZES = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "MV2_COMM_WORLD_LOCAL_SIZE")
FOLDER = "EDDYLINE_LAUNCH"
"""Folder in which the root tells `eddyline run --ranks` who it is and how it ended."""
TERMINAL = "EDDYLINE_TERMINAL"
"""The terminal of that command: the root's own output goes through the launcher."""
PATIENCE = 300.0  # s


class Session:
    """The ranks of a run; without a launcher one, this process."""

    def __init__(self, communicator: _core.Communicator | None) -> None:
        self.communicator = communicator
        self.patience = PATIENCE

    @property
    def rank(self) -> int:
        return self.communicator.rank if self.communicator else 0

    @property
    def size(self) -> int:
        return self.communicator.size if self.communicator else 1

    @property
    def patience(self) -> float:
        """How long a rank waits for others within a step before it gives up [s]; 0: for ever."""
        return self.communicator.patience if self.communicator else 0.0

    @patience.setter
    def patience(self, seconds: float) -> None:
        if self.communicator:
            self.communicator.patience = seconds

    @property
    def is_root(self) -> bool:
        return self.rank == 0

    def agree(self, prepare: Callable[[], Value], text: Callable[[Value], str]) -> Value:
        """What `prepare()` gives, if all ranks get the same: `text` says it in full.

        If it fails on a rank, it fails on all: with their own error, or with that of the first that has one.
        """
        if self.communicator is None:
            return prepare()
        value: Value | None = None
        error: Exception | None = None
        try:
            value = prepare()
            word = "=" + hashlib.sha256(text(value).encode()).hexdigest()
        except Exception as raised:
            error, word = raised, f"!{raised}"
        words = [each.decode() for each in self.communicator.gather(word.encode())]
        verdict = self.communicator.broadcast(_verdict(words).encode()).decode()
        if error is not None:
            raise error
        if verdict or value is None:
            raise RankError(verdict)
        return value

    def follow(self, simulation: _core.Simulation) -> None:
        """Does what the root does until its run is over. Signals are the root's business."""
        if self.communicator is None:
            return
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, signal.SIG_IGN)
        simulation.follow(self.communicator)


def _verdict(words: list[str]) -> str:
    for rank, word in enumerate(words):
        if word.startswith("!"):
            return f"rank {rank}: {word[1:]}"
    for rank, word in enumerate(words):
        if word != words[0]:
            return (
                f"rank {rank} was given another world, or other options, than rank 0: all ranks must read "
                "the same file with the same --set"
            )
    return ""


def launched_ranks(environment: Mapping[str, str] = os.environ) -> int:
    """How many ranks a launcher has started, this process among them; 1 without one."""
    return max(int(environment.get(name, "1")) for name in SIZES)


def cores_per_rank(cores: int, size: int, environment: Mapping[str, str] = os.environ) -> int:
    """A rank's share of the `cores` of its machine."""
    local = max((int(environment[name]) for name in LOCAL_SIZES if name in environment), default=size)
    return max(1, cores // local)


@functools.lru_cache(maxsize=1)
def join() -> Session:
    """Joins the other ranks that a launcher has started, if one has. Raises RankError if that cannot be."""
    wanted = launched_ranks()
    if wanted <= 1:
        return Session(None)
    from eddyline import _core

    communicator = _core.Communicator.connect(str(plugin()))
    if communicator.size != wanted:
        raise RankError(
            f"{wanted} ranks were started, but Eddyline's MPI ({communicator.library}) sees "
            f"{communicator.size}: the launcher belongs to another MPI. Use that MPI's mpiexec, or build "
            "Eddyline with the launcher's (docs/ranks.md)."
        )
    atexit.register(communicator.disconnect)
    folder = os.environ.get(FOLDER)
    if folder and communicator.rank == 0:
        Path(folder, "pid").write_text(str(os.getpid()))
    return Session(communicator)


def is_follower() -> bool:
    """Whether this process has joined others and is not the one that speaks for them."""
    return join.cache_info().currsize > 0 and not join().is_root


def plugin() -> Path:
    """The library through which ranks talk. Raises RankError if this build has none."""
    named = os.environ.get("EDDYLINE_MPI")
    path = Path(named) if named else _built()
    if path is None or not path.is_file():
        where = f"{path} does not exist" if named else "this build of Eddyline has no message passing"
        raise RankError(f"{where}: install it again with an MPI, e.g. pip install 'eddyline[mpich]'")
    return path


def _built() -> Path | None:
    from eddyline import _core

    beside = Path(_core.__file__).with_name("eddyline_mpi.so")
    return beside if beside.is_file() else None
