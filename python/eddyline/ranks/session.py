"""This process as one of the ranks of a run."""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import json
import os
import signal
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from eddyline.cores import allowed_cores, own_cores
from eddyline.execution_arguments import PATIENCE

from .errors import RankError
from .processes import Process
from .starter import FOLDER, PATIENCE_FILE, end_without_starter, tell_computing

if TYPE_CHECKING:
    from eddyline import _core

Value = TypeVar("Value")

SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE")
"""Environment variables in which launchers give the number of ranks: MPICH and derivatives, Open MPI,
MVAPICH."""
STEP_SIZE = "SLURM_STEP_NUM_TASKS"
"""Variable in which srun gives the number of ranks. It counts only without an MPI launcher, because srun may
have started such launchers, one per node. SLURM_NTASKS is a request of the whole job and is also set in its
batch script."""
TERMINAL = "EDDYLINE_TERMINAL"
"""Variable with the terminal of the starting command: the output of the root itself goes through the
launcher."""
SITE = "EDDYLINE_SITE"
"""Variable with the name of the site of this rank, if the user sets it."""


class Session:
    """The ranks of a run; without a launcher only this process."""

    def __init__(self, communicator: _core.Communicator | None) -> None:
        self.communicator = communicator
        self.patience = PATIENCE
        self.hosts = [os.uname().nodename]  # the machine of each rank
        self._sites = [
            (os.environ.get(SITE, ""), 0)
        ]  # of each rank: its site's name, its machine's lowest rank
        self.cores = self._share_of_cores()

    def _share_of_cores(self) -> int:
        """Default number of cores of this rank. Collective."""
        place = os.uname().nodename, own_cores()
        if self.communicator is None:
            return share_of_cores([place], 0)
        own = *place, os.environ.get(SITE, ""), self.communicator.machine()
        told = [json.loads(each) for each in self.communicator.gather(json.dumps(own).encode())]
        places = json.loads(self.communicator.broadcast(json.dumps(told).encode()))
        self.hosts = [host for host, *_ in places]
        self._sites = [(site, machine) for _, _, site, machine in places]
        return share_of_cores([(host, cores) for host, cores, *_ in places], self.rank)

    def sites(self, sizes: Sequence[int] = ()) -> list[int]:
        """The site of each rank, numbered from 0: from `sizes` (ranks per site) if given; else from
        EDDYLINE_SITE of each rank; else its machine, as MPI identifies machines.

        Raises RankError if sizes are not those of this run, or if some ranks have a name and others none.
        """
        if sizes:
            return sites_of_sizes(sizes, self.size)
        return sites_of_names(self._sites)

    @property
    def rank(self) -> int:
        return self.communicator.rank if self.communicator else 0

    @property
    def size(self) -> int:
        return self.communicator.size if self.communicator else 1

    @property
    def patience(self) -> float:
        """Time that a rank waits for others within a step before it gives up [s]; 0: no limit."""
        return self.communicator.patience if self.communicator else 0.0

    @patience.setter
    def patience(self, seconds: float) -> None:
        if self.communicator:
            self.communicator.patience = seconds
        folder = os.environ.get(FOLDER)
        if folder and self.is_root:
            with contextlib.suppress(OSError):
                Path(folder, PATIENCE_FILE).write_text(repr(float(seconds)))

    @property
    def is_root(self) -> bool:
        return self.rank == 0

    def agree(self, prepare: Callable[[], Value], text: Callable[[Value], str]) -> Value:
        """The result of `prepare()`, if all ranks get the same; `text` describes it completely.

        If it fails on one rank, it fails on all ranks: with their own error, or with that of the first
        failing rank."""
        if self.communicator is None:
            return prepare()
        value: Value | None = None
        error: Exception | None = None
        try:
            value = prepare()
            word = "=" + hashlib.sha256(os.fsencode(text(value))).hexdigest()
        except Exception as raised:
            error, word = raised, f"!{raised}"
        words = list(map(os.fsdecode, self.communicator.gather(os.fsencode(word))))
        verdict = os.fsdecode(self.communicator.broadcast(os.fsencode(_verdict(words))))
        if error is not None:
            raise error
        if verdict or value is None:
            raise RankError(verdict)
        return value

    @contextlib.contextmanager
    def lead(self, simulation: _core.Simulation) -> Iterator[None]:
        """Runs the block on the root; other ranks join its calls of the simulation until the block ends, and
        then exit. The root handles signals for all."""
        if self.communicator is not None and not self.is_root:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
                signal.signal(number, signal.SIG_IGN)
            tell_computing(leads=False)
            simulation.follow()
            raise SystemExit(0)
        try:
            yield
        finally:
            simulation.end()

    def take_a_core(self) -> None:
        """Binds each rank of a machine to its own core, if there are enough cores."""
        cores = allowed_cores()
        os.sched_setaffinity(0, {cores[self.rank % len(cores)]})


def _verdict(words: list[str]) -> str:
    for rank, word in enumerate(words):
        if word.startswith("!"):
            return f"rank {rank}: {word[1:]}"
    for rank, word in enumerate(words):
        if word != words[0]:
            return (
                f"rank {rank} has another world or other options than rank 0; all ranks must read the same "
                "file and the same modules, with the same options"
            )
    return ""


def launched_ranks(environment: Mapping[str, str] = os.environ) -> int:
    """Number of ranks that a launcher has started, this process included; 1 without a launcher.

    Settings that a launcher gave to another process, such as the shell around this one, do not count.
    """
    if _is_left_over(environment):
        environment = {name: value for name, value in environment.items() if name != "PMI_SIZE"}
    told = [_size(environment[name]) for name in SIZES if name in environment]
    return max(told) if told else _size(environment.get(STEP_SIZE, "1"))


def _size(text: str) -> int:
    """A number of ranks; 1 if the text is no number."""
    return int(text) if text.isdecimal() else 1


def _is_left_over(environment: Mapping[str, str]) -> bool:
    """True if MPICH's launcher, which communicates with its ranks through an open file, has no connection to
    this process."""
    told = environment.get("PMI_FD")
    if told is None:
        return False
    try:
        return not stat.S_ISSOCK(os.fstat(int(told)).st_mode)
    except (OSError, ValueError, OverflowError):
        return True


def share_of_cores(places: Sequence[tuple[str, Sequence[int]]], rank: int) -> int:
    """Number of cores of each rank. places: machine of each rank and the cores it may use there.

    A core that several ranks may use is shared: a launcher binds ranks to cores of their own, or to none.
    """
    machine, cores = places[rank]
    users = Counter(core for where, theirs in places if where == machine for core in theirs)
    return max(1, int(sum(Fraction(1, users[core]) for core in cores)))


def sites_of_sizes(sizes: Sequence[int], ranks: int) -> list[int]:
    """The site of each rank; the first site has sizes[0] ranks, the next sizes[1], ..."""
    if min(sizes) < 1 or sum(sizes) != ranks:
        told = ",".join(map(str, sizes))
        raise RankError(f"sites = {told}: must be at least one rank per site, and {ranks} in total")
    return [site for site, size in enumerate(sizes) for _ in range(size)]


def sites_of_names(places: Sequence[tuple[str, int]]) -> list[int]:
    """The site of each rank by its name or, where no rank has any, by the lowest rank of its machine."""
    named = [rank for rank, (name, _) in enumerate(places) if name]
    if named and len(named) < len(places):
        nameless = next(rank for rank, (name, _) in enumerate(places) if not name)
        raise RankError(
            f"rank {named[0]} has {SITE} = {places[named[0]][0]!r}, but rank {nameless} has none; set it "
            "for all ranks or for none"
        )
    keys: Sequence[object] = [name for name, _ in places] if named else [machine for _, machine in places]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return [numbers[key] for key in keys]


@functools.lru_cache(maxsize=1)
def join() -> Session:
    """Connects to the other ranks that a launcher has started, if any. Raises RankError if that fails."""
    wanted = launched_ranks()
    if wanted <= 1:
        return Session(None)
    from eddyline import _core

    communicator = _core.Communicator.connect(str(plugin()))
    if communicator.size != wanted:
        raise RankError(
            f"{wanted} ranks were started, but Eddyline's MPI ({communicator.library}) finds "
            f"{communicator.size}: {_remedy(wanted)} (docs/ranks.md)"
        )
    atexit.register(communicator.disconnect)
    atexit.register(end_without_starter)  # before that: without its launcher MPI cannot shut down
    folder = os.environ.get(FOLDER)
    if folder and communicator.rank == 0:
        with contextlib.suppress(OSError):  # the command has ended; this rank will notice soon
            Path(folder, "pid").write_text(str(Process.of(os.getpid())))
    return Session(communicator)


def _remedy(wanted: int) -> str:
    """Advice if `wanted` ranks do not find each other."""
    if os.environ.get(STEP_SIZE) == str(wanted):
        return (
            "srun cannot start this MPI. Select its interface, e.g. srun --mpi=pmi2 for MPICH or "
            "--mpi=pmix for Open MPI; srun --mpi=list shows all"
        )
    return (
        "the launcher belongs to another MPI. Use the mpiexec of Eddyline's MPI (with --ranks: set "
        "EDDYLINE_MPIEXEC), or build Eddyline with the MPI of the launcher"
    )


def is_follower() -> bool:
    """True on a rank of several that is not the root."""
    return join.cache_info().currsize > 0 and not join().is_root


def plugin() -> Path:
    """The library for communication between ranks. Raises RankError if this build has none."""
    named = os.environ.get("EDDYLINE_MPI")
    path = Path(named) if named else _built()
    if path is None or not path.is_file():
        where = f"{path} does not exist" if named else "this build of Eddyline has no MPI"
        raise RankError(f"{where}; install Eddyline again with an MPI, e.g. pip install 'eddyline[mpi]'")
    return path


def _built() -> Path | None:
    from eddyline import _core

    beside = Path(_core.__file__).with_name("eddyline_mpi.so")
    return beside if beside.is_file() else None
