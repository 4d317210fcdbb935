"""Kills runs at each of their file operations and looks at what is left: `make kills`.

  python tests/python/kills.py                    all scenarios, every operation
  python tests/python/kills.py run --every 10     one of them, every tenth operation

A scenario is a command on a tiny world. It is run once undisturbed, which counts its file operations below a
folder, and once more for each operation N, in a process that kills itself (SIGKILL) at the N-th. Then the
folder must open with a sensible outcome, and the command that its message advises must complete it to the
files of the undisturbed run, byte for byte but for times. No process, temporary file or traceback may stay.

Processes are forked from one that has imported everything, before any thread has started. What depends on the
clock (rows of series, checkpoints, files on top of snapshots) is made to depend on steps, and the writer's
thread is waited for, so that N is the same place each time.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
LOG, AT = "EDDYLINE_KILLS_LOG", "EDDYLINE_KILLS_AT"
BELOW = "EDDYLINE_KILLS_BELOW"
"""Names of environment variables for child processes: the log of operations, the number of the operation at
which to kill, and the folder below which operations count."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
CHANGING = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink")
PATIENCE = 120.0  # s until a process counts as hanging
ORPHANS_END = 10.0  # s: the coder of a film ends when its input does
TIMES = (
    "digest",
    "started",
    "wall_seconds",
    "particle_updates_per_second",
    "work",
    "statistics",
    "resumed",
    "replay_of",
    "shares",
)
"""Keys of run.json that depend on a clock, or tell that the run was killed."""
OF_ANY_RANKS = ("outcome", "message", "fingerprint", "checksum", "time", "steps", "fluid_particles")
"""Keys of run.json that are the same on any number of ranks."""
NOT_COMPARED = ("run.json", "report.html", "timeline.h5", "journal.jsonl", "sweep.json")

WORLD = """format = 1
title = "Column"
[domain]
size    = [0.2, 0.1]
spacing = 0.0125
gravity = [0, -9.81]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.column]
shape    = "rectangle"
min      = [0, 0]
max      = [0.1, 0.05]
pressure = "hydrostatic"
[boundaries]
left   = { type = "wall", slip = true }
right  = { type = "wall", slip = true }
bottom = { type = "wall", slip = true }
top    = { type = "open" }
[time]
end = 0.03
[output]
pictures  = 100
snapshots = 70
series    = 200
[observe.front]
type = "front"
[[expect]]
quantity = "front.position.final"
range    = [0.09, 0.2]
source   = "nobody"
"""


class Killer:
    """Counts the file operations of this process below a folder; at the one numbered `at` the process is
    killed. Keeps a line about each in `log`."""

    def __init__(self, below: Path, log: Path | None, at: int | None) -> None:
        self._below = str(below)
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND) if log is not None else None
        self._at = at
        self._count = 0
        self._lock = threading.Lock()

    def install(self) -> None:
        from eddyline import files
        from eddyline.stream import atomic

        write_all, fsync = files.write_all, os.fsync

        def write_in_halves(file: Any, data: bytes | memoryview) -> None:
            view = memoryview(data).cast("B")
            half = len(view) // 2
            write_all(file, view[:half])
            self.operation("write", str(file.name))
            write_all(file, view[half:])

        def sync(handle: int) -> None:
            fsync(handle)
            self.operation("sync", str(Path(f"/proc/self/fd/{handle}").readlink()))

        for module in (files, atomic):
            module.write_all = write_in_halves
        os.fsync = sync
        sys.addaudithook(self._audit)

    def operation(self, name: str, path: str) -> None:
        path = str(Path(self._below) / path)  # commands run there
        if not path.startswith(self._below):
            return
        with self._lock:
            self._count += 1
            if self._log is not None:
                os.write(self._log, f"{name} {path.removeprefix(self._below)}\n".encode())
            if self._count == self._at:
                os.kill(os.getpid(), signal.SIGKILL)
                time.sleep(60)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not arguments or not isinstance(arguments[0], (str, bytes, os.PathLike)):
            return
        path = os.fsdecode(arguments[1 if event == "os.symlink" else 0])
        if event == "open" and (arguments[2] or 0) & WRITING:
            self.operation("open", path)
        elif event in CHANGING:
            self.operation(event.removeprefix("os."), path)


def make_steady() -> None:
    """Takes the clock out of what is written when."""
    from eddyline.run import execution, recorder
    from eddyline.stream import snapshot_files
    from eddyline.stream.writer import Writer

    recorder.ROWS_PATIENCE = recorder.ROWS_WAIT = 10**9  # with snapshots and checkpoints only
    execution.SLICE = 1e9
    execution.Execution._checkpoint_is_due = lambda self, saved: True  # type: ignore[method-assign]
    snapshot_files.INDEX_FIRST, snapshot_files.INDEX_EVERY = 0.0, 0
    put = Writer.put

    def put_and_wait(self: Writer, job: Callable[[], None]) -> None:
        done = threading.Event()

        def all_of_it() -> None:
            try:
                job()
            finally:
                done.set()

        put(self, all_of_it)
        done.wait(PATIENCE)

    Writer.put = put_and_wait  # type: ignore[method-assign]


@dataclass(frozen=True)
class Ended:
    """A process that has ended. code: negative if it was killed."""

    code: int
    said: str
    errors: str
    hangs: bool = False


class Nursery:
    """Forks processes from this one, which must have no threads of OpenMP, and finds those they leave."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans become our children

    def run(self, work: Callable[[], int]) -> Ended:
        """`work` in a process of its own; gives its exit code and words."""
        out, err = self.scratch / "stdout", self.scratch / "stderr"
        child = os.fork()
        if child == 0:
            _be_a_child(work, out, err)
        hangs = not _wait(child, PATIENCE)
        if hangs:
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        return Ended(code, out.read_text(errors="replace"), err.read_text(errors="replace"), hangs)

    def orphans(self) -> int:
        """Ends processes that are left after a while, and returns their number."""
        deadline = time.monotonic() + ORPHANS_END
        while (left := _children()) and time.monotonic() < deadline:
            for child in left:
                os.waitpid(child, os.WNOHANG)
            time.sleep(0.01)
        for child in left:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        return len(left)


def _be_a_child(work: Callable[[], int], out: Path, err: Path) -> None:
    code = 99
    try:
        for number, path in ((1, out), (2, err)):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(handle, number)
            os.close(handle)
        code = work()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _wait(child: int, seconds: float) -> bool:
    handle = os.pidfd_open(child)
    try:
        import select

        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def _children() -> list[int]:
    found = Path(f"/proc/self/task/{os.getpid()}/children")
    return [int(word) for word in found.read_text().split()]


def command_line(arguments: Sequence[str]) -> int:
    """`eddyline ARGUMENTS` in this process."""
    from eddyline.cli import main

    sys.argv = ["eddyline", *arguments]
    main()
    return 0


@dataclass(frozen=True)
class Scenario:
    """A command that is killed. before: what makes the folder that it begins with, of which each try gets a
    copy. out: the folder that it fills. ranks: its processes."""

    name: str
    arguments: tuple[str, ...]
    out: str = "out"
    before: Callable[[Lab], None] = lambda lab: None
    ranks: int = 1


@dataclass
class Tally:
    """Counts and faults of a scenario."""

    name: str
    operations: int = 0
    tried: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: dict[str, list[str]] = field(default_factory=dict)

    def fault(self, kind: str, where: str) -> None:
        self.faults.setdefault(kind, []).append(where)


KINDS = ("bits lost", "does not open", "not completed", "leftovers", "orphans", "tracebacks", "hangs")


class Lab:
    """The folder and processes in which scenarios are tried."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.nursery = Nursery(base)
        self.place = base / "place"  # all commands run here, so that files name the same paths

    def command(self, arguments: Sequence[str], *, at: int | None = None, log: Path | None = None) -> Ended:
        """Runs a command in the place, steadily; kills it at an operation."""

        def work() -> int:
            os.chdir(self.place)
            make_steady()
            Killer(self.place, log, at).install()
            return command_line(arguments)

        return self.nursery.run(work)

    def command_of_ranks(
        self, arguments: Sequence[str], *, at: int | None = None, log: Path | None = None
    ) -> Ended:
        """As `command`, in processes that a launcher starts."""
        environment = os.environ | {BELOW: str(self.place), "PYTHONPATH": str(self.base / "injected")}
        environment |= {AT: str(at)} if at is not None else {}
        environment |= {LOG: str(log)} if log is not None else {}
        self._inject()
        try:
            done = subprocess.run(
                [sys.executable, "-m", "eddyline", *arguments], cwd=self.place, env=environment,
                capture_output=True, text=True, timeout=PATIENCE, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Ended(1, "", "", hangs=True)
        return Ended(done.returncode, done.stdout, done.stderr)

    def _inject(self) -> None:
        folder = self.base / "injected"
        folder.mkdir(exist_ok=True)
        (folder / "sitecustomize.py").write_text(
            f"import sys\nsys.path.append({str(HERE)!r})\nimport kills\nkills.begin_as_rank()\n"
        )

    def renew(self, source: Path | None) -> None:
        """The place as it is in `source`; with a world alone without one."""
        shutil.rmtree(self.place, ignore_errors=True)
        if source is not None:
            shutil.copytree(source, self.place, symlinks=True)
        else:
            self.place.mkdir()
            (self.place / "column.toml").write_text(WORLD)

    def keep(self, name: str) -> Path:
        """A copy of the place."""
        kept = self.base / name
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(self.place, kept, symlinks=True)
        return kept

    def try_all(self, scenario: Scenario, every: int, first: int = 1) -> Tally:
        """Kills a scenario at every so many operations."""
        start = self.command if scenario.ranks == 1 else self.command_of_ranks
        tally = Tally(scenario.name)
        self.renew(None)
        scenario.before(self)
        begun = self.keep("begun")
        log = self.base / "operations"
        log.unlink(missing_ok=True)
        undisturbed = start(scenario.arguments, log=log)
        if undisturbed.code != 0:
            raise RuntimeError(f"{scenario.name}: {undisturbed.said}{undisturbed.errors}")
        told = log.read_text().splitlines()
        tally.operations = len(told)
        expected = contents(self.place / scenario.out)
        for at in range(first, len(told) + 1, every):
            self.renew(begun)
            killed = start(scenario.arguments, at=at)
            where = f"operation {at} ({told[at - 1]})"
            if scenario.ranks == 1 and killed.code != -signal.SIGKILL:
                raise RuntimeError(f"{scenario.name}: {where} was not reached: {killed.errors}")
            tally.tried += 1
            if self.nursery.orphans():
                tally.fault("orphans", where)
            self._complete(scenario, tally, where)
            if "Traceback" in killed.errors:
                tally.fault("tracebacks", where)
            if killed.hangs:
                tally.fault("hangs", where)
            self._compare(scenario, expected, contents(self.place / scenario.out), tally, where)
        return tally

    def _complete(self, scenario: Scenario, tally: Tally, where: str) -> None:
        """Opens what a kill has left, and does what its message says."""
        out = Path(scenario.out)

        def work() -> int:
            os.chdir(self.place)
            make_steady()
            outcome, arguments = advice(out, scenario)
            print(f"outcome: {outcome}", flush=True)
            return command_line(arguments) if arguments else 0

        done = self.nursery.run(work)
        found = re.search(r"^outcome: (.*)$", done.said, re.MULTILINE)
        tally.outcomes[found[1] if found else "none"] += 1
        if found is None:
            tally.fault("does not open", f"{where}: {done.errors.strip()[-300:]}")
        elif done.code != 0:
            tally.fault("not completed", f"{where}: {done.errors.strip()[-300:]}")
        if "Traceback" in done.errors:
            tally.fault("tracebacks", where)
        if done.hangs:
            tally.fault("hangs", where)
        if self.nursery.orphans():
            tally.fault("orphans", where)

    def _compare(
        self, scenario: Scenario, expected: dict[str, Any], got: dict[str, Any], tally: Tally, where: str
    ) -> None:
        if scenario.ranks > 1:
            got, expected = of_any_ranks(got), of_any_ranks(expected)
        if got == expected:
            return
        more, fewer = sorted(got.keys() - expected.keys()), sorted(expected.keys() - got.keys())
        other = sorted(name for name in got.keys() & expected.keys() if got[name] != expected[name])
        if more:
            tally.fault("leftovers", f"{where}: {', '.join(more[:4])}")
        if fewer or other:
            words = [f"no {name}" for name in fewer[:4]] + [f"{name} differs" for name in other[:4]]
            tally.fault("bits lost", f"{where}: {', '.join(words)}")


def advice(out: Path, scenario: Scenario) -> tuple[str, list[str]]:
    """The outcome of what a kill has left, and the command that completes it: the one that the run's message
    names, or the same again where the run had not begun. A sweep is completed by the same command."""
    import eddyline
    from eddyline.run.closing import closing_lines

    if scenario.arguments[0] == "sweep":
        opened = [eddyline.Run.open(path.parent) for path in out.glob("*/run.json")]
        return f"sweep of {len(opened)}", list(scenario.arguments)
    try:
        run = eddyline.Run.open(out)
    except FileNotFoundError as error:
        if out.exists() and any(out.iterdir()) and "was killed before it began" not in str(error):
            raise
        return "not begun", list(scenario.arguments)
    assert run.outcome in ("lost", "not closed", "finished", "failed"), run.outcome
    assert repr(run) and run.series_names is not None and run.snapshot_count >= 0 and closing_lines(run)
    for name in ("picture", "movie", "report"):
        with contextlib.suppress(FileNotFoundError):
            assert getattr(run, name).is_file()
    if run.outcome == "finished":
        assert run.results["values"] is not None and run.report.is_file() and run.picture.is_file()
        return run.outcome, []
    if scenario.arguments[0] == "export":
        return run.outcome, list(scenario.arguments)
    found = re.search(r"`(eddyline [^`]*)`", run.message)
    if found is None:
        assert run.outcome == "failed" and scenario.ranks > 1, run.message  # the launcher has told what to do
        return run.outcome, ["resume", str(out)]
    return run.outcome, shlex.split(found[1])[1:]


def contents(folder: Path) -> dict[str, Any]:
    """The contents of a folder by path; run.json without times, some files by their existence only."""
    found: dict[str, Any] = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if "checkpoints/" in name:  # they hold times, too, and when they are written is not the same
            if path.name.startswith("."):
                found[name] = None
        elif path.name == "run.json":
            record = json.loads(path.read_text())
            found[name] = {key: value for key, value in record.items() if key not in TIMES}
        elif path.is_file() and path.name not in NOT_COMPARED:
            found[name] = path.read_bytes()
        else:
            found[name] = None
    return found


def of_any_ranks(found: dict[str, Any]) -> dict[str, Any]:
    """The contents of a folder that are the same on any number of ranks."""
    kept = {name: value for name, value in found.items() if Path(name).suffix not in (".png", ".mp4", ".h5")}
    return kept | {"run.json": {key: found["run.json"].get(key) for key in OF_ANY_RANKS}}


def begin_as_rank() -> None:
    """Starts counting operations in rank 0 of a run, in a process that a launcher has started."""
    if "PMI_RANK" not in os.environ or os.environ["PMI_RANK"] != "0":
        return
    at = os.environ.get(AT)
    log = os.environ.get(LOG)
    make_steady()
    Killer(Path(os.environ[BELOW]), Path(log) if log else None, int(at) if at else None).install()


def _killed_run(at_share: float) -> Callable[[Lab], None]:
    """Before a scenario: the run, killed after a share of its operations."""

    def before(lab: Lab) -> None:
        log = lab.base / "operations-before"
        log.unlink(missing_ok=True)
        lab.command(RUN, log=log)
        at = round(at_share * len(log.read_text().splitlines()))
        lab.renew(None)
        lab.command(RUN, at=at)

    return before


def _unclosed_run(lab: Lab) -> None:
    """Before a scenario: the run, killed as it was to write its results."""
    log = lab.base / "operations-before"
    log.unlink(missing_ok=True)
    lab.command(RUN, log=log)
    told = log.read_text().splitlines()
    at = next(k for k, line in enumerate(told, 1) if "results.json" in line)
    lab.renew(None)
    lab.command(RUN, at=at)


def _steered_run(lab: Lab) -> None:
    """Before a scenario: a run with a journal."""
    lab.command([*RUN[:2], "--out", "first", *RUN[4:]])

    def steer() -> int:
        from eddyline.live import journal
        from eddyline.live import stream_pb2 as pb

        path = lab.place / "first" / journal.NAME
        for step, command in (
            (5, pb.Command(id="a", viscosity=pb.Viscosity(value="2e-3"))),
            (20, pb.Command(id="b", gravity=pb.Gravity(value=["0.5", "-9.0"]))),
        ):
            journal.append(path, journal.Entry(step, step * 5e-4, command, "as told"))
        return 0

    lab.nursery.run(steer)
    lab.command(["replay", "first", "--out", "steered", "--threads", "1", "--quiet"])  # another run, by then


RUN = ("run", "column.toml", "--out", "out", "--threads", "1", "--quiet")
RESUME = ("resume", "out", "--threads", "1", "--quiet")
SCENARIOS = (
    Scenario("run", RUN),
    Scenario("resume", RESUME, before=_killed_run(0.4)),
    Scenario("close", RESUME, before=_unclosed_run),
    Scenario("export", ("export", "out"), before=_unclosed_run),
    Scenario(
        "replay", ("replay", "steered", "--out", "out", "--threads", "1", "--quiet"), before=_steered_run
    ),
    Scenario(
        "sweep",
        (
            "sweep",
            "column.toml",
            "--set",
            "fluid.density=900,1000",
            "--out",
            "out",
            "--threads",
            "1",
            "--quiet",
        ),
    ),
    Scenario("ranks", (*RUN, "--ranks", "2"), ranks=2),
)


def import_everything() -> None:
    """Imports modules that commands import while they run, so that forked processes need not."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import h5py  # type: ignore[import-untyped]  # noqa: F401
    import imageio_ffmpeg  # type: ignore[import-untyped]  # noqa: F401
    import jinja2  # noqa: F401
    import matplotlib.backends.backend_agg
    import matplotlib.backends.backend_svg  # noqa: F401
    import pandas  # noqa: F401

    import eddyline.cli
    import eddyline.live.steering
    import eddyline.plot.numbers
    import eddyline.plot.ranks
    import eddyline.run.closing
    import eddyline.run.convergence_forecast
    import eddyline.run.export
    import eddyline.run.live_session
    import eddyline.run.pictures
    import eddyline.run.publish
    import eddyline.run.replay
    import eddyline.run.report
    import eddyline.sweep.charts  # noqa: F401

    _draw_once()
    if len(list(Path("/proc/self/task").iterdir())) > 1:
        raise RuntimeError("a thread has started before any process was forked")


def _draw_once() -> None:
    """Fonts and what else Matplotlib keeps once it has drawn."""
    import io

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    for kind in ("png", "svg"):
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], label="line")
        axes.set(xlabel="time [s]", title="0123456789 abc")
        axes.legend()
        figure.savefig(io.BytesIO(), format=kind)


def try_scenario(name: str, every: int, first: int = 1) -> Tally:
    """Tries a scenario in a folder of its own."""
    scenario = next(each for each in SCENARIOS if each.name == name)
    with tempfile.TemporaryDirectory(prefix="eddyline-kills-") as base:
        return Lab(Path(base)).try_all(scenario, every, first)


def table(tallies: Sequence[Tally]) -> str:
    """A line a scenario, as docs/reliability.md has it; faults below."""
    head = ["killed", "operations", "kills", *KINDS, "outcomes before completion"]
    rows = [
        [
            tally.name,
            str(tally.operations),
            str(tally.tried),
            *(str(len(tally.faults.get(kind, []))) for kind in KINDS),
            ", ".join(f"{count} {outcome}" for outcome, count in tally.outcomes.most_common()),
        ]
        for tally in tallies
    ]
    lines = [head, ["---"] * len(head), *rows]
    out = [f"| {' | '.join(line)} |" for line in lines]
    for tally in tallies:
        for kind, places in tally.faults.items():
            out += [f"{tally.name}, {kind}: {place}" for place in places]
    return "\n".join(out)


def _parts(scenarios: Sequence[Scenario], every: int, jobs: int) -> Iterator[tuple[str, int, int]]:
    """Scenarios, each cut into as many parts as there are jobs."""
    for scenario in scenarios:
        stride = every * 25 if scenario.ranks > 1 else every
        for part in range(jobs):
            yield scenario.name, stride * jobs, 1 + part * stride


def main() -> int:
    parser = argparse.ArgumentParser(description="Kills runs at their file operations and completes them.")
    parser.add_argument("scenario", nargs="*", choices=[[], *(each.name for each in SCENARIOS)])
    parser.add_argument("--every", type=int, default=1, help="kill at every so many operations only")
    parser.add_argument("--jobs", type=int, default=2, help="how many tries at the same time")
    parser.add_argument("--json", help=argparse.SUPPRESS)
    options = parser.parse_args()
    chosen = [each for each in SCENARIOS if not options.scenario or each.name in options.scenario]
    begin = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        done = list(pool.map(lambda part: in_a_process(*part), _parts(chosen, options.every, options.jobs)))
    tallies: dict[str, Tally] = {}
    for each in done:
        known = tallies.setdefault(each.name, Tally(each.name, each.operations))
        known.tried += each.tried
        known.outcomes += each.outcomes
        for kind, places in each.faults.items():
            for place in places:
                known.fault(kind, place)
    print(table(list(tallies.values())))
    faults = sum(len(places) for tally in tallies.values() for places in tally.faults.values())
    kills = sum(tally.tried for tally in tallies.values())
    print(f"{kills} kills, {faults} faults, {time.monotonic() - begin:.0f} s")
    return 1 if faults else 0


def in_a_process(name: str, every: int, first: int) -> Tally:
    """A part of a scenario in an interpreter of its own, which forks the rest."""
    code = (
        "import json, kills\nkills.import_everything()\n"
        f"print('\\n' + json.dumps(vars(kills.try_scenario({name!r}, {every}, {first}))))"
    )
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(HERE)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    found = json.loads(done.stdout.splitlines()[-1])
    return Tally(
        found["name"], found["operations"], found["tried"], Counter(found["outcomes"]), found["faults"]
    )


if __name__ == "__main__":
    sys.exit(main())
