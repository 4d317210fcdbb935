"""Starts the ranks of `eddyline run --ranks N` and waits until they end."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from eddyline.cores import crowding, refusal

from .errors import RankError
from .overseer import Ending, Overseer
from .processes import Process
from .session import TERMINAL, launched_ranks, plugin
from .starter import EXIT_LOST, FOLDER, starter_has_gone, stop_patience, tell_computing, tell_starter

PATIENCE = 60.0  # s that a launcher may take to print its version
NAMED = "EDDYLINE_MPIEXEC"
"""Environment variable with the command that starts ranks, if the user sets it."""
LAUNCHERS = ("mpiexec.gforker", "mpiexec")
"""Launchers of an MPI, best first: the one of MPICH for a single machine opens no ports."""
LOOPBACK = {
    "UCX_NET_DEVICES": "lo",
    "FI_TCP_IFACE": "lo",
    "PMIX_MCA_ptl_base_if_include": "lo",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "^tcp,ofi",  # tcp listens on all devices, whatever it is told to include
    "OMPI_MCA_osc": "^ucx",  # it finds no device, and prints that for every window
}
OPEN_MPI_HERE = ("--host", "localhost", "--oversubscribe", "--bind-to", "none")
"""Open MPI without these options uses all nodes of a job, refuses more ranks than cores, and binds all
threads of a rank to one core."""
OTHERS = (
    "PMI_", "PMIX_NAMESPACE", "PMIX_RANK", "PMIX_SERVER_", "PMIX_SECURITY_", "PMIX_SYSTEM_", "PMIX_GDS_",
    "PMIX_BFROP_", "PMIX_VERSION", "PMIX_HOSTNAME", "OMPI_COMM_WORLD_", "OMPI_UNIVERSE_SIZE", "OMPI_APP_",
    "OMPI_NUM_APP_", "OMPI_FIRST_RANKS", "OMPI_FILE_LOCATION", "PRTE_LAUNCHED", "MV2_COMM_WORLD_", "HYDI_",
    "MPI_LOCALNRANKS", "MPI_LOCALRANKID", "MPI_APPNUM", "MPI_UNIVERSE_SIZE",
)  # fmt: skip
"""Prefixes of the environment variables that launchers set for their processes."""
TO_END = 5.0  # s for a launcher that is to end
_SAID = "See the messages of the ranks above, if any."
LISTENS = "listens"
"""File in the common folder by which the root reports that it handles signals."""
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)


def launch(ranks: int, arguments: Sequence[str], *, threads: int = 0, quiet: bool = False) -> int:
    """Runs `eddyline ARGUMENTS` on `ranks` ranks of this machine; gives the root's exit code.

    threads: number per rank, as in the arguments. quiet: print no note if there are more threads than cores.
    Ctrl-C, SIGTERM and SIGHUP are forwarded to the root, which ends the run in order. Raises
    KeyboardInterrupt if the root does not handle signals yet, RankError if ranks cannot be started or one of
    them was lost."""
    if launched_ranks() > 1:
        raise RankError(
            f"--ranks {ranks}: a launcher has already started {launched_ranks()} ranks; remove --ranks"
        )
    _check_crowd(ranks, max(threads, 1), quiet=quiet)
    launcher = find_launcher()
    plugin()
    with tempfile.TemporaryDirectory(prefix="eddyline-") as folder:
        common = Path(folder)
        environment = local_environment() | tell_starter(common)
        if sys.stderr.isatty():
            environment[TERMINAL] = os.ttyname(sys.stderr.fileno())
        command = [*launcher, "-n", str(ranks), sys.executable, "-m", "eddyline", *arguments]
        with _forwarding(common) as early:
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
            )
            overseer = Overseer(process, common)
            ending = overseer.wait(early)
            if early:
                _end_at_once(process, launcher[0])
            overseer.end_all()
            if early:
                raise KeyboardInterrupt
        return _outcome(common, ending, ranks)


def _check_crowd(ranks: int, threads: int, *, quiet: bool) -> None:
    """Refuses more ranks and threads than this machine allows; prints a note if they only make the run
    slow."""
    what = "ranks x threads" if threads > 1 else "ranks"
    if too_many := refusal(what, ranks * threads):
        raise RankError(too_many)
    if not quiet and (note := crowding(ranks, threads)):
        print(note, file=sys.stderr)


def local_environment() -> dict[str, str]:
    """Environment of ranks that all run on this machine: they open sockets on the loopback device only, and
    settings of another launcher are removed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(OTHERS)}
    return LOOPBACK | own


def find_launcher() -> list[str]:
    """The command that starts ranks: the one that the user names, that of the MPI which the plugin loads, or
    mpiexec. Raises RankError if there is none, if it does not say its version, or if the plugin cannot be
    loaded."""
    command = _named_launcher() or _launcher_of(plugin())
    question = [*command, "--version"]
    try:
        says = subprocess.run(
            question, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False
        ).stdout
    except subprocess.TimeoutExpired:
        raise RankError(
            f"{shlex.join(question)} did not answer within {PATIENCE:g} s; fix this launcher, or set "
            f"{NAMED} to another command that starts ranks"
        ) from None
    if "Open MPI" in says or "OpenRTE" in says or "PRRTE" in says:
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        return [*command, *OPEN_MPI_HERE, *root]
    return command


def _named_launcher() -> list[str]:
    command = shlex.split(os.environ.get(NAMED, ""))
    if command and shutil.which(command[0]) is None:
        raise RankError(
            f"{NAMED} = {command[0]}: not found or not executable; set it to the command that starts ranks"
        )
    return command


def _launcher_of(plugin: Path) -> list[str]:
    """mpiexec in the bin folder beside the lib folder of the MPI that the plugin loads, or on the PATH."""
    from eddyline import _core

    library = Path(_core.Communicator.library_of(str(plugin)))
    folders = [library.parent.resolve(), *library.parent.resolve().parents]
    prefixes = [folder.parent for folder in folders if folder.name.startswith("lib")]
    beside = [str(prefix / "bin" / name) for prefix in prefixes for name in LAUNCHERS]
    found = next(filter(None, map(shutil.which, [*beside, "mpiexec"])), None)
    if found is None:
        raise RankError(
            f"no mpiexec found beside {library} or on the PATH; load the MPI of your site, or set {NAMED} "
            "to the command that starts ranks"
        )
    return [found]


@contextlib.contextmanager
def _forwarding(folder: Path) -> Iterator[Sequence[int]]:
    """Forwards signals to the root only, because launchers kill their ranks at once. Yields the list of
    terminating signals that arrive before the root handles signals, while other ranks may wait for it."""
    early: list[int] = []

    def forward(number: int, frame: FrameType | None) -> None:
        if (folder / LISTENS).exists():
            root = Process.read(folder / "pid")
            if root is not None:
                root.send(number)
        elif number != signal.SIGUSR1:
            early.append(number)

    is_kept = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN  # as under nohup
    heard = [number for number in FORWARDED if number != signal.SIGHUP or not is_kept]
    before = {number: signal.signal(number, forward) for number in heard}
    try:
        yield early
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_at_once(process: subprocess.Popen[bytes], launcher: str) -> None:
    """Ends the launcher before the computation begins. MPICH's launcher for one machine is killed, because it
    would report each rank as lost."""
    with contextlib.suppress(ProcessLookupError):  # it has ended by itself
        if Path(launcher).name == LAUNCHERS[0]:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(TO_END)


def _outcome(folder: Path, ending: Ending, ranks: int) -> int:
    file = folder / "outcome.json"
    told = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
    if told and not told["without_launcher"]:
        return int(told["exit_code"])
    run = _note_loss(folder)
    if told:
        raise RankError(f"the launcher of {ranks} ranks was killed; the run ended in order. {run}", EXIT_LOST)
    if ending.stopped:
        patience = (
            f"{stop_patience(folder):g} s; continue a stopped rank (SIGCONT) sooner, or increase --patience."
        )
        raise RankError(f"{ending.stopped} was stopped and not continued within {patience} {run}", EXIT_LOST)
    raise RankError(f"one of {ranks} ranks was lost: {_how(ending.code)} {run}{_SAID}", EXIT_LOST)


def _how(code: int | None) -> str:
    if code is None:
        return "it ended without a message while other ranks waited for it."
    if code == -signal.SIGKILL:
        return (
            "the launcher was killed, most likely for lack of memory; use fewer ranks or a larger "
            "domain.spacing."
        )
    return f"the launcher ended with exit code {code}."


def _note_loss(folder: Path) -> str:
    """Records in run.json that the run failed, if it had begun."""
    from eddyline.option_names import NOT_CLOSED, command
    from eddyline.stream import atomic, integrity
    from eddyline.stream.checkpoints import look
    from eddyline.stream.corrupt import CorruptFileError

    begun = folder / "run"
    if not begun.is_file():
        return ""
    path = Path(os.fsdecode(begun.read_bytes()))
    record = path / "run.json"
    try:
        content = integrity.read_json(record)
        if content is None:
            return ""
        world = integrity.read_text(path / "world.toml")
    except CorruptFileError as error:
        return f"{error}. "
    if content["outcome"] == NOT_CLOSED:
        return f"{path} was computed, but not closed; `{command('resume', path)}` completes it. "
    if content["outcome"] == "running":
        content |= {"outcome": "failed", "message": "a rank was lost"}
        atomic.write_json(record, integrity.with_digest(content), durable=True)
    found = look(path / "checkpoints", world)
    how = "continues from its last checkpoint" if found else "starts again from the beginning"
    remedy = f"`{command('resume', path)}` {how}. " if found is not False else ""
    return f"The files in {path} stay readable. {remedy}"


def tell_listening() -> None:
    """Called by the root: it handles signals from now on."""
    tell_computing(leads=True)
    _tell(LISTENS, "")


def tell_run(folder: Path) -> None:
    """Called by the root: reports the run that it computes."""
    _tell("run", str(folder.absolute()))


def tell_outcome(exit_code: int) -> bool:
    """Called by the root: reports how the run ended. True if a caller waits for that."""
    return _tell("outcome.json", json.dumps({"exit_code": exit_code, "without_launcher": starter_has_gone()}))


def _tell(name: str, text: str) -> bool:
    """True if a caller waits for the report."""
    folder = os.environ.get(FOLDER)
    if folder is None or not Path(folder).is_dir():
        return False
    with contextlib.suppress(OSError):  # the command has gone meanwhile
        Path(folder, name).write_bytes(os.fsencode(text))
        return True
    return False
