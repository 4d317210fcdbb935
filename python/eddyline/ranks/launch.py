"""`eddyline run --ranks N`: starting the ranks, and staying until they are done."""

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
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

from eddyline.cores import crowding, refusal

from .errors import RankError
from .session import FOLDER, TERMINAL, launched_ranks, plugin
from .starter import has_ended, tell_starter

EXIT_LOST = 5
PATIENCE = 60.0  # s that a launcher may take to say its version
GRACE = 10.0  # s that other ranks may take to end after the root
NAMED = "EDDYLINE_MPIEXEC"
"""The command that starts ranks, if the user names it."""
LAUNCHERS = ("mpiexec.gforker", "mpiexec")
"""Of an MPI, the best first: MPICH's for one machine opens no ports."""
LOOPBACK = {
    "UCX_NET_DEVICES": "lo",
    "FI_TCP_IFACE": "lo",
    "PMIX_MCA_ptl_base_if_include": "lo",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "^tcp,ofi",  # tcp listens on all devices, whatever it is told to include
    "OMPI_MCA_osc": "^ucx",  # it finds no device, and says so for every window
}
OPEN_MPI_HERE = ("--host", "localhost", "--oversubscribe", "--bind-to", "none")
"""Else it goes to all nodes of a job, refuses more ranks than cores, and gives a rank's threads one core."""
_SAID = "What ranks have said, if anything, stands above."
LISTENS = "listens"
"""The file of the common folder by which the root says so."""
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)


def launch(ranks: int, arguments: Sequence[str], *, threads: int = 0, quiet: bool = False) -> int:
    """Runs `eddyline ARGUMENTS` on `ranks` ranks of this machine; gives the root's exit code.

    threads: of each rank, as the arguments say. quiet: do not say that there are many for the cores.
    Ctrl-C, SIGTERM and SIGHUP reach the root, which ends the run in order. Raises KeyboardInterrupt if it
    does not listen yet, RankError if ranks cannot be started, or if one of them was lost.
    """
    if launched_ranks() > 1:
        raise RankError(
            f"--ranks {ranks}: a launcher has started {launched_ranks()} ranks already; leave this out"
        )
    _check_crowd(ranks, max(threads, 1), quiet=quiet)
    launcher = find_launcher()
    plugin()
    with tempfile.TemporaryDirectory(prefix="eddyline-") as folder:
        environment = local_environment() | {FOLDER: folder}
        tell_starter(Path(folder))
        if sys.stderr.isatty():
            environment[TERMINAL] = os.ttyname(sys.stderr.fileno())
        command = [*launcher, "-n", str(ranks), sys.executable, "-m", "eddyline", *arguments]
        with _forwarding(Path(folder)) as early:
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, start_new_session=True
            )
            code = _wait(process, Path(folder) / "pid", early)
            if early:
                _end_at_once(process, launcher[0])
                raise KeyboardInterrupt
        return _outcome(Path(folder), code, ranks)


def _check_crowd(ranks: int, threads: int, *, quiet: bool) -> None:
    """Refuses what this machine cannot take, and says what only makes the run slow."""
    what = "ranks x threads" if threads > 1 else "ranks"
    if too_many := refusal(what, ranks * threads):
        raise RankError(too_many)
    if not quiet and (note := crowding(ranks, threads)):
        print(note, file=sys.stderr)


def local_environment() -> dict[str, str]:
    """For ranks that all are on this machine: whatever they open, they open on the loopback device."""
    return LOOPBACK | os.environ


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
            f"{shlex.join(question)} has not answered for {PATIENCE:g} s: see what holds it up, or name "
            f"another command that starts ranks in {NAMED}"
        ) from None
    if "Open MPI" in says or "OpenRTE" in says or "PRRTE" in says:
        root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
        return [*command, *OPEN_MPI_HERE, *root]
    return command


def _named_launcher() -> list[str]:
    command = shlex.split(os.environ.get(NAMED, ""))
    if command and shutil.which(command[0]) is None:
        raise RankError(f"{NAMED} names {command[0]}, which is not there or no program")
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
            f"there is no mpiexec beside {library} or on the PATH: load your site's MPI, or name the command "
            f"that starts its ranks in {NAMED}"
        )
    return [found]


def _wait(process: subprocess.Popen[bytes], leader: Path, early: Sequence[int]) -> int | None:
    """Until the launcher ends, or a signal has come early; gives its exit code. If the root has ended long
    before the launcher, a rank hangs: all are killed, and there is no code."""
    ended = 0.0
    while process.poll() is None and not early:
        time.sleep(0.02)
        ended = ended or (time.monotonic() if has_ended(leader) else 0.0)
        if ended and time.monotonic() - ended > GRACE:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None
    return process.returncode or 0


@contextlib.contextmanager
def _forwarding(folder: Path) -> Iterator[Sequence[int]]:
    """Signals go to the root alone, as launchers kill their ranks at once. Gives those that come before it
    listens, when others may be waiting for it, and which ask for an end."""
    early: list[int] = []

    def forward(number: int, frame: FrameType | None) -> None:
        if (folder / LISTENS).exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int((folder / "pid").read_text()), number)
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
    """While nothing is computed. MPICH's launcher for one machine would say of each rank that it was lost."""
    with contextlib.suppress(ProcessLookupError):  # it has ended by itself
        if Path(launcher).name == LAUNCHERS[0]:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.terminate()
    process.wait()


def _outcome(folder: Path, code: int | None, ranks: int) -> int:
    told = folder / "outcome.json"
    if told.is_file():
        return int(json.loads(told.read_text(encoding="utf-8"))["exit_code"])
    run = _note_loss(folder)
    raise RankError(f"a rank of {ranks} was lost: {_how(code)} {run}{_SAID}", EXIT_LOST)


def _how(code: int | None) -> str:
    if code is None:
        return "the first one ended without a word, and others went on waiting for it."
    if code == -signal.SIGKILL:
        return (
            "the launcher was killed, most likely as memory ran out: try fewer ranks, or a coarser spacing."
        )
    return f"the launcher ended with {code}."


def _note_loss(folder: Path) -> str:
    """Says in run.json that the run has failed, if it had begun."""
    from eddyline.stream import atomic
    from eddyline.stream.checkpoints import look
    from eddyline.wording import NOT_CLOSED, command

    begun = folder / "run"
    if not begun.is_file():
        return ""
    path = Path(begun.read_text(encoding="utf-8"))
    record = path / "run.json"
    if not record.is_file():
        return ""
    content = json.loads(record.read_text(encoding="utf-8"))
    if content["outcome"] == NOT_CLOSED:
        return f"{path} was computed, but not closed: `{command('resume', path)}` completes it. "
    if content["outcome"] == "running":
        content |= {"outcome": "failed", "message": "a rank was lost"}
        atomic.write_json(record, content, durable=True)
    found = look(path / "checkpoints", (path / "world.toml").read_text(encoding="utf-8"))
    how = "goes on from its last checkpoint" if found else "begins it again"
    remedy = f"`{command('resume', path)}` {how}. " if found is not False else ""
    return f"What {path} holds stays readable. {remedy}"


def tell_listening() -> None:
    """The root says that it obeys signals from now on."""
    _tell(LISTENS, "")


def tell_run(folder: Path) -> None:
    """The root says which run it is computing."""
    _tell("run", str(folder.absolute()))


def tell_outcome(exit_code: int) -> bool:
    """The root says how it ended; whether somebody wants to know."""
    return _tell("outcome.json", json.dumps({"exit_code": exit_code}))


def _tell(name: str, text: str) -> bool:
    """Whether there is somebody to tell it to."""
    folder = os.environ.get(FOLDER)
    if folder is None or not Path(folder).is_dir():
        return False
    Path(folder, name).write_text(text, encoding="utf-8")
    return True
