"""Ranks are processes here, started by the launcher of an MPI: the law between them, and what happens when
something is wrong with one of them. What ranks compute is tested further in tests/core/test_ranks.cpp."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from law_worlds import CHANNEL_2D
from rank_kills import attempt
from ways import LISTED, PROGRAM, Way, assert_the_law, needs_ranks, started

from eddyline import _core
from eddyline.cores import own_cores
from eddyline.ranks import RankError
from eddyline.ranks.launch import find_launcher, local_environment
from eddyline.ranks.processes import SHARED_MEMORY, Process
from eddyline.ranks.session import (
    join,
    launched_ranks,
    plugin,
    share_of_cores,
    sites_of_names,
    sites_of_sizes,
)

HERE = Path(__file__).parent
PATIENCE = 120


pytestmark = [needs_ranks, pytest.mark.usefixtures("no_pictures")]


@pytest.mark.parametrize(
    "way",
    [pytest.param(way, marks=[pytest.mark.matrix] if way.ranks * way.threads > 4 else []) for way in LISTED],
    ids=str,
)
def test_any_ranks_give_the_same_bits(way: Way, tmp_path: Path) -> None:
    assert_the_law(way, tmp_path)


# --- the command line ---------------------------------------------------------------------------------------


@pytest.fixture
def channel(tmp_path: Path) -> Path:
    path = tmp_path / "channel.toml"
    path.write_text(CHANNEL_2D)
    return path


def eddyline(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "eddyline", *words],
        capture_output=True, text=True, timeout=PATIENCE, check=False, **options,
    )  # fmt: skip


@pytest.mark.matrix
def test_cells_of_two_other_ranks_may_approach_each_other(tmp_path: Path) -> None:
    """The prediction of their drift was too low, and ranks stopped with a failed assertion."""
    words = ("run", "taylor_green", "--steps", "15", "--no-rebalance", "--set", "output.pictures=0")
    printed = []
    for ranks in (1, 4):
        done = eddyline(*words, "--ranks", str(ranks), "--out", str(tmp_path / f"{ranks}"))
        assert done.returncode == 0, done.stderr
        printed.append([line for line in done.stdout.splitlines() if line.startswith("fingerprint")])
    assert len(printed[0]) == 1 and printed[0] == printed[1]


@pytest.mark.usefixtures("with_pictures")
def test_a_run_on_ranks_leaves_the_same_folder(channel: Path, tmp_path: Path) -> None:
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    assert eddyline("run", str(channel), "--steps", "60", "--out", str(alone)).returncode == 0
    done = eddyline("run", str(channel), "--steps", "60", "--out", str(shared), "--ranks", "3",
                    "--sites", "2,1", "--combine", "site", "--compress", "site")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "fingerprint" in done.stdout
    compared = eddyline("compare", str(alone), str(shared))
    assert compared.returncode == 0 and "identical" in compared.stdout
    names = files_of(alone)
    parts = {f"checkpoints/{60:012d}/part-{rank:04d}.bin" for rank in (1, 2)}
    assert names | {"timeline.h5"} | parts == files_of(shared)
    for name in names:
        if name.endswith(".npy") or name.startswith("series"):
            assert (alone / name).read_bytes() == (shared / name).read_bytes(), name
    record = json.loads((shared / "run.json").read_text())
    assert record["ranks"] == 3 and record["exchange"] == "nonblocking" and record["message_passing"]
    shares = record["shares"]
    assert sum(share["fluid_particles"] for share in shares) == record["fluid_particles"]
    assert all(share["messages"] == sum(share["sizes"]) > 0 for share in shares)
    assert sum(share["bytes"] for share in shares) == record["statistics"]["message_bytes"]
    assert record["sites"] == [0, 0, 1] and record["combine"] == record["compress"] == "site"
    assert [share["messages_between_sites"] > 0 for share in shares] == [True, False, True]
    between = sum(share["bytes_between_sites"] for share in shares)
    assert 0 < between == record["statistics"]["bytes_between_sites"] < record["statistics"]["message_bytes"]
    report = (shared / "report.html").read_text()
    assert '<h2 id="ranks">Ranks</h2>' in report and "Ranks were at 2 sites (2 + 1)" in report

    made = eddyline("export", str(shared), "--timeline")
    assert made.returncode == 0, made.stderr
    events = json.loads((shared / "export" / "timeline.json").read_text())["traceEvents"]
    named = {event["args"]["name"] for event in events if event["ph"] == "M"}
    assert named == {"rank 0", "rank 1", "rank 2"}
    laps = [event for event in events if event["ph"] == "X"]
    assert {event["tid"] for event in laps} == {0, 1, 2} and all(event["dur"] >= 0 for event in laps)
    assert {"rates", "forces", "fringe", "wait", "pack"} <= {event["name"] for event in laps}
    refused = eddyline("export", str(alone), "--timeline")
    assert refused.returncode == 2 and "has no timeline" in refused.stderr
    assert not (alone / "export").exists()


@pytest.mark.matrix
def test_long_messages_travel_in_pieces(
    channel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages have at most 1 GiB, here 1,000 bytes: exchanged data and parts of checkpoints are longer."""
    monkeypatch.setenv("EDDYLINE_LONGEST_MESSAGE", "1000")
    alone, shared = str(tmp_path / "alone"), str(tmp_path / "shared")
    assert eddyline("run", str(channel), "--steps", "12", "--out", alone).returncode == 0
    done = eddyline("run", str(channel), "--steps", "6", "--out", shared, "--ranks", "2")
    assert done.returncode == 0, done.stderr
    done = eddyline("resume", shared, "--steps", "12", "--ranks", "3")
    assert done.returncode == 0, done.stderr
    assert "identical" in eddyline("compare", alone, shared).stdout


@pytest.mark.usefixtures("with_pictures")
def test_auto_says_what_it_measured_and_took(channel: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = eddyline(
        "run", str(channel), "--steps", "130", "--out", str(out), "--ranks", "2", "--exchange", "auto"
    )
    assert done.returncode == 0, done.stderr
    record = json.loads((out / "run.json").read_text())
    trials = record["statistics"]["exchange"]
    assert record["exchange"] == "auto"
    assert {*trials["measured"], "auto"} == set(_core.exchange_strategies())
    assert trials["measured"][trials["taken"]] == min(trials["measured"].values()) > 0
    assert f"auto, which chose {trials['taken']}" in (out / "report.html").read_text()


@pytest.mark.matrix
@pytest.mark.usefixtures("with_pictures")
def test_lazy_steps_say_how_lazy_they_were_and_whether_they_broke_the_law(
    channel: Path, tmp_path: Path
) -> None:
    exact, inexact = tmp_path / "exact", tmp_path / "inexact"
    options = ("run", str(channel), "--steps", "60", "--ranks", "2", "--lazy", "3")
    done = eddyline(*options, "--out", str(exact))
    assert done.returncode == 0, done.stderr
    assert "LAW" not in done.stdout + done.stderr
    record = json.loads((exact / "run.json").read_text())
    assert record["lazy"] == {"every": 3, "exact": True} and "breaks_the_law" not in record
    lazy = record["statistics"]["lazy"]
    assert (lazy["every"], lazy["exact"], lazy["cells"], lazy["steps"]) == (3, True, 9, 60)
    assert 20 <= lazy["refreshes"] <= 20 + record["statistics"]["rebuilds"] and lazy["copies"] > 0
    assert "was requested every 3 steps" in (exact / "report.html").read_text()

    done = eddyline(*options, "--lazy-inexact", "--out", str(inexact))
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("warning: breaks the law: --lazy 3 --lazy-inexact:")
    assert "breaks the law" in done.stdout
    record = json.loads((inexact / "run.json").read_text())
    assert record["lazy"] == {"every": 3, "exact": False}
    assert record["statistics"]["lazy"]["copies"] == 0 < record["statistics"]["lazy"]["refreshes"]
    report = (inexact / "report.html").read_text()
    assert record["breaks_the_law"] in report and "--lazy 3 --lazy-inexact --ranks 2" in report
    compared = eddyline("compare", str(exact), str(inexact))
    assert compared.returncode == 1 and "differ" in compared.stdout
    refused = eddyline("replay", str(inexact))
    assert refused.returncode == 2 and "cannot be replayed bit by bit" in refused.stderr


def test_inexact_steps_without_lazy_ones_are_refused(channel: Path, tmp_path: Path) -> None:
    refused = eddyline("run", str(channel), "--lazy-inexact", "--out", str(tmp_path / "out"))
    assert refused.returncode == 2 and "--lazy-inexact without --lazy" in refused.stderr
    assert not (tmp_path / "out").exists()


def files_of(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.matrix
def test_bad_input_is_reported_once_by_name(channel: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    cases = [
        (["--ranks", "3", "--boxes", "900"], "cannot be cut into so many"),
        (["--ranks", "2", "--exchange", "pigeons"], "must be nonblocking, blocking, persistent, "),
        (["--combine", "site", "--exchange", "auto"], "Choose one of: nonblocking, blocking"),
        (["--combine", "sites"], 'combine = "sites": must be "none" or "site"'),
        (["--compress", "yes"], 'compress = "yes": must be "none" or "site"'),
        (
            ["--ranks", "2", "--sites", "2,2"],
            "sites = 2,2: must be at least one rank per site, and 2 in total",
        ),
        (["--sites", "two"], "two: must be numbers of ranks between commas, e.g. 2,2"),
        (["--exchange", "one-sided-lock"], 'Did you mean "onesided-lock"?'),
        (["--ranks", "2", "--decomposition", "slices"], "must be bisection, blocks, curve, strips"),
        (["--ranks", "2", "--set", "let.nonsense=1"], "nonsense"),
    ]
    for options, words in cases:
        done = eddyline("run", str(channel), "--out", str(out), *options)
        assert done.returncode == 2, done.stderr
        assert done.stderr.count(words) == 1, done.stderr
        assert "Traceback" not in done.stderr and not out.exists()


def test_ranks_with_different_worlds_are_told_apart(channel: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(channel.read_text().replace("U = 1.5", "U = 1.4"))
    launcher, python = find_launcher(), [sys.executable, "-m", "eddyline", "run"]
    first, second = [*python, str(channel)], [*python, str(other)]
    command = [*launcher, "-n", "2", *first, ":", "-n", "1", *second]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False,
        cwd=tmp_path, env=local_environment(),
    )  # fmt: skip
    assert done.returncode != 0
    assert done.stderr.count("rank 2 has another world or other options than rank 0") == 1
    assert not (tmp_path / "runs").exists()


def test_a_file_that_one_rank_cannot_read_stops_all(channel: Path, tmp_path: Path) -> None:
    python = [sys.executable, "-m", "eddyline", "run"]
    command = [*find_launcher(), "-n", "1", *python, str(channel), ":", "-n", "1", *python, "nowhere.toml"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False,
        cwd=tmp_path, env=local_environment(),
    )  # fmt: skip
    assert done.returncode != 0
    assert done.stderr.count("rank 1: nowhere.toml") == 1, done.stderr


def test_the_launcher_is_that_of_the_mpi_which_the_plugin_loads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("EDDYLINE_MPIEXEC", raising=False)
    other = program(tmp_path / "mpiexec", "mpiexec of another MPI")
    monkeypatch.setenv("PATH", str(tmp_path))
    library = Path(_core.Communicator.library_of(str(plugin()))).resolve()
    found = Path(find_launcher()[0])
    assert found != other and found.parent.name == "bin" and found.parent.parent in library.parents
    monkeypatch.setitem(find_launcher.__globals__, "LAUNCHERS", ())
    assert find_launcher() == [str(other)]
    other.unlink()
    with pytest.raises(RankError, match=r"no mpiexec found beside .*libmpi.* or on the PATH; load the MPI"):
        find_launcher()


def test_the_launcher_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    named = program(tmp_path / "starter", "Starter 1.0")
    monkeypatch.setenv("EDDYLINE_MPIEXEC", f"{named} --mpi=pmi2")
    assert find_launcher() == [str(named), "--mpi=pmi2"]
    program(named, "mpiexec (Open MPI) 5.0.11")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    options = ["--host", "localhost", "--oversubscribe", "--bind-to", "none"]
    assert find_launcher() == [str(named), "--mpi=pmi2", *options]
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert find_launcher() == [str(named), "--mpi=pmi2", *options, "--allow-run-as-root"]
    named.unlink()
    with pytest.raises(RankError, match=r"^EDDYLINE_MPIEXEC = .*starter: not found or not executable"):
        find_launcher()


def program(path: Path, says: str) -> Path:
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_a_plugin_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EDDYLINE_MPI", str(tmp_path / "none.so"))
    with pytest.raises(RankError, match=r"none\.so does not exist; install Eddyline again with an MPI"):
        plugin()


def test_a_launcher_of_another_mpi_is_noticed(channel: Path, tmp_path: Path) -> None:
    alone = {**os.environ, "OMPI_COMM_WORLD_SIZE": "4"}
    done = eddyline("run", str(channel), "--out", str(tmp_path / "out"), env=alone)
    assert done.returncode == 2
    assert "4 ranks were started, but Eddyline's MPI" in done.stderr and "finds 1" in done.stderr


SRUN = {"SLURM_NTASKS": "64", "SLURM_NPROCS": "64", "SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "64"}
BATCH = {"SLURM_NTASKS": "64", "SLURM_NPROCS": "64", "SLURM_PROCID": "0"}  # its script, before any srun


@pytest.mark.parametrize(
    ("environment", "ranks"),
    [
        ({}, 1),
        ({"PMI_SIZE": "3"}, 3),
        ({"OMPI_COMM_WORLD_SIZE": "5"}, 5),
        (SRUN, 64),
        (SRUN | {"PMI_SIZE": "64", "PMI_RANK": "3"}, 64),
        (BATCH, 1),
        (BATCH | {"SLURM_STEP_NUM_TASKS": "1"}, 1),  # a shell in the job
        (BATCH | {"SLURM_STEP_NUM_TASKS": "8", "OMPI_COMM_WORLD_SIZE": "2"}, 2),  # srun: daemons on nodes
        (BATCH | {"SLURM_STEP_NUM_TASKS": "2", "PMI_SIZE": "64"}, 64),
    ],
)
def test_the_number_of_ranks_is_read_from_any_launcher(environment: dict[str, str], ranks: int) -> None:
    assert launched_ranks(environment) == ranks


def test_cores_are_divided_among_ranks() -> None:
    free = list(range(16))
    assert share_of_cores([("a", free)], 0) == 16
    assert share_of_cores([("a", free)] * 8, 3) == 2
    assert share_of_cores([("a", [0])] * 3, 1) == 1
    nodes = [("a", free)] * 2 + [("b", free)] * 4
    assert [share_of_cores(nodes, rank) for rank in range(6)] == [8, 8, 4, 4, 4, 4]
    bound = [("a", free[8 * rank : 8 * rank + 8]) for rank in range(2)]
    assert [share_of_cores(bound, rank) for rank in range(2)] == [8, 8]
    assert join().size == 1 and join().cores == len(own_cores())


def test_sites_are_told_by_sizes_or_names_or_machines() -> None:
    assert sites_of_sizes([2, 1, 3], 6) == [0, 0, 1, 2, 2, 2]
    for sizes in ([2, 2], [3, 0], [2, 2, -1]):
        with pytest.raises(RankError, match="and 3 in total"):
            sites_of_sizes(sizes, 3)
    assert sites_of_names([("b", 0), ("a", 0), ("b", 0)]) == [0, 1, 0]
    assert sites_of_names([("", 0), ("", 1), ("", 1), ("", 0)]) == [0, 1, 1, 0]
    with pytest.raises(RankError, match="rank 1 has EDDYLINE_SITE = 'a', but rank 0 has none; set it"):
        sites_of_names([("", 0), ("a", 0)])
    assert join().sites() == [0]


# --- ranks that stop, die or hang ---------------------------------------------------------------------------


def processes_of(rank: int, launched: int) -> list[int]:
    """Processes of a rank below the process `launched`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        is_rank = (
            f"PMI_RANK={rank}".encode() in environment
            or f"OMPI_COMM_WORLD_RANK={rank}".encode() in environment
        )
        if is_rank and f"TEST_RUN={launched}".encode() in environment and b"-m\0eddyline" in command:
            found.append(int(folder.name))
    return found


@contextlib.contextmanager
def begun(*words: str, **options: object) -> Iterator[subprocess.Popen[str]]:
    """`eddyline WORDS` while the block runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "eddyline", *words], text=True, stderr=subprocess.PIPE, **options
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def disturb(
    channel: Path, out: Path, what: Callable[[subprocess.Popen[str]], None], *options: str
) -> tuple[int, str]:
    """Starts a run on two ranks, waits until it is under way, does something to it, and waits for its end."""
    environment = {**os.environ, "TEST_RUN": str(os.getpid())}
    run = ["run", str(channel), "--out", str(out), "--ranks", "2", *options]
    with begun(*run, stdout=subprocess.DEVNULL, env=environment) as process:
        for _ in range(600):
            if (out / "snapshots" / "fluid" / "000001.vtkhdf").exists() or process.poll() is not None:
                break
            time.sleep(0.05)
        assert process.poll() is None, process.communicate()[1]
        what(process)
        errors = process.communicate(timeout=PATIENCE)[1]
        return process.returncode, errors


def listening(process: int) -> set[str]:
    """Addresses, in hexadecimal, at which a process waits for connections."""
    sockets = set()
    for path in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            sockets.add(str(path.readlink()))
    found = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process}/net/{name}").read_text().splitlines()[1:]:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == "0A" and f"socket:[{inode}]" in sockets:
                found.add(local.partition(":")[0])
    return found


def test_ranks_listen_on_the_loopback_device_only(channel: Path, tmp_path: Path) -> None:
    seen: list[set[str]] = []

    def look(process: subprocess.Popen[str]) -> None:
        for rank in range(2):
            seen.extend(listening(number) for number in processes_of(rank, os.getpid()))
        process.send_signal(signal.SIGINT)

    code, errors = disturb(channel, tmp_path / "out", look)
    assert code == 130 and len(seen) >= 2, errors
    assert set().union(*seen) <= {"0100007F"}, "other than 127.0.0.1"


@pytest.mark.parametrize("sign", ["starter", "pid"])  # there before the ranks have met, and just after that
@pytest.mark.usefixtures("with_pictures")
def test_ctrl_c_before_anything_is_computed_ends_all_ranks_at_once(
    sign: str, channel: Path, tmp_path: Path
) -> None:
    out, common = tmp_path / "out", tmp_path / "common"
    common.mkdir()
    run = ["run", str(channel), "--out", str(out), "--ranks", "2"]
    with begun(*run, env={**os.environ, "TMPDIR": str(common)}) as process:
        deadline = time.monotonic() + PATIENCE
        while not list(common.glob(f"eddyline-*/{sign}")) and process.poll() is None:
            assert time.monotonic() < deadline, f"no {sign} after {PATIENCE} s"
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=30)[1]
    assert process.returncode == 130 and (errors == "stopped\n" or (out / "report.html").exists()), errors
    assert not list(common.iterdir())


@pytest.mark.usefixtures("with_pictures")
def test_ctrl_c_ends_all_ranks_at_a_step(channel: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, errors = disturb(channel, out, lambda process: process.send_signal(signal.SIGINT))
    assert code == 130, errors
    assert json.loads((out / "run.json").read_text())["outcome"] == "stopped by user"
    assert (out / "report.html").exists()


def test_a_rank_that_dies_is_reported(channel: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def kill(process: subprocess.Popen[str]) -> None:
        for number in processes_of(1, os.getpid()):
            os.kill(number, signal.SIGKILL)

    code, errors = disturb(channel, out, kill, "--exchange", "onesided-lock")
    assert code == 5, errors
    assert "one of 2 ranks was lost" in errors and f"The files in {out} stay readable" in errors
    record = json.loads((out / "run.json").read_text())
    assert record["outcome"] == "failed" and record["message"] == "a rank was lost"
    assert eddyline("compare", str(out), str(out)).returncode == 0


def test_a_launcher_that_does_not_answer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = tmp_path / "mpiexec"
    launcher.write_text("#!/bin/sh\nexec sleep 600\n")
    launcher.chmod(0o755)
    monkeypatch.setenv("EDDYLINE_MPIEXEC", str(launcher))
    module = importlib.import_module("eddyline.ranks.launch")  # its package names a function so
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    with pytest.raises(RankError, match=r"--version did not answer within 0.2 s; .* EDDYLINE_MPIEXEC"):
        find_launcher()


def test_a_killed_launcher_is_reported(
    channel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = tmp_path / "mpiexec"
    launcher.write_text("#!/bin/sh\n[ $1 = --version ] || kill -9 $$\n")
    launcher.chmod(0o755)
    monkeypatch.setenv("EDDYLINE_MPIEXEC", str(launcher))
    done = eddyline("run", str(channel), "--out", str(tmp_path / "out"), "--ranks", "2")
    assert done.returncode == 5
    assert "one of 2 ranks was lost: the launcher was killed, most likely for lack of memory" in done.stderr


@pytest.mark.usefixtures("with_pictures")
def test_ranks_end_in_order_when_the_program_that_started_them_is_killed(
    channel: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    code, errors = disturb(channel, out, lambda process: process.kill())
    assert code == -signal.SIGKILL, errors
    record = json.loads((out / "run.json").read_text())
    assert record["outcome"] == "stopped by user", errors
    assert record["message"].startswith(
        "stopped because the command that started its ranks was killed at t = "
    )
    assert list(out.glob("checkpoints/*/manifest.json")) and (out / "report.html").exists()
    assert not processes_of(0, os.getpid()) + processes_of(1, os.getpid())


@pytest.mark.parametrize("exchange", ["onesided-lock", "shared", "neighborhood", "auto"])
def test_ranks_end_though_one_of_them_has_not_let_go_of_its_simulation(exchange: str) -> None:
    done = started(2, str(PROGRAM), "dam-2d", "steps=120", f"exchange={exchange}", "keep=1")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_that_hangs_ends_all(rank: int, channel: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    stopped: list[int] = []

    def freeze(process: subprocess.Popen[str]) -> None:
        stopped.extend(processes_of(rank, os.getpid()))
        for number in stopped:
            os.kill(number, signal.SIGSTOP)

    try:
        code, errors = disturb(channel, out, freeze, "--patience", "1")
    finally:
        for number in stopped:
            if Path(f"/proc/{number}").exists():
                os.kill(number, signal.SIGKILL)
    assert code == 5, errors
    assert "Traceback" not in errors
    if rank == 1:
        assert "rank 0 has waited for other ranks for" in errors
    else:
        assert f"rank 0 (process {stopped[0]}) was stopped and not continued within 1 s" in errors
    assert not processes_of(0, os.getpid()) + processes_of(1, os.getpid())


def test_ranks_that_are_stopped_and_continued_go_on(channel: Path, tmp_path: Path) -> None:
    def pause(process: subprocess.Popen[str]) -> None:
        numbers = [process.pid, *processes_of(0, os.getpid()), *processes_of(1, os.getpid())]
        for number in numbers:
            os.kill(number, signal.SIGSTOP)
        time.sleep(3)  # longer than their patience
        for number in numbers:
            os.kill(number, signal.SIGCONT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)

    code, errors = disturb(channel, tmp_path / "out", pause, "--patience", "2")
    assert code in (0, 130), errors  # the run may have come to its end by then


@pytest.mark.usefixtures("with_pictures")
def test_ranks_end_in_order_when_their_launcher_is_killed(channel: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    segments: set[str] = set()

    def kill(process: subprocess.Popen[str]) -> None:
        for number in processes_of(0, os.getpid()):
            segments.update(Process.of(number).segments())
        (launcher,) = (
            int(n) for n in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        )
        os.kill(launcher, signal.SIGKILL)

    code, errors = disturb(channel, out, kill)
    assert code == 5, errors
    assert "the launcher of 2 ranks was killed; the run ended in order" in errors, errors
    assert f"`eddyline resume {out}` continues from its last checkpoint" in errors
    assert json.loads((out / "run.json").read_text())["outcome"] == "stopped by user"
    assert list(out.glob("checkpoints/*/manifest.json")) and (out / "report.html").exists()
    assert not processes_of(0, os.getpid()) + processes_of(1, os.getpid())
    assert segments and not any((SHARED_MEMORY / name).exists() for name in segments)


@pytest.mark.parametrize("seed", [15, pytest.param(1006, marks=pytest.mark.matrix)])
def test_a_kill_at_any_moment_leaves_nothing_behind(seed: int) -> None:
    what, fault = attempt(seed)
    assert not fault, f"{what}: {fault}"


@pytest.mark.rank_kills
@pytest.mark.parametrize("seed", range(5000, 5060))
def test_many_kills_leave_nothing_behind(seed: int) -> None:
    what, fault = attempt(seed)
    assert not fault, f"{what}: {fault}"


LEFT_OVER = {
    "PMI_RANK": "0", "PMI_SIZE": "1", "PMI_FD": "77", "PMI_PORT": "nowhere:1", "PMI_ID": "0",
    "PMIX_NAMESPACE": "prterun-1", "PMIX_RANK": "0", "PMIX_SERVER_URI41": "none", "MPI_LOCALRANKID": "0",
    "OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0", "HYDI_CONTROL_FD": "78",
}  # fmt: skip


@pytest.mark.parametrize("options", [[], ["--ranks", "2"]], ids=["alone", "ranks"])
def test_what_another_launcher_has_left_in_the_environment_does_not_matter(
    options: list[str], channel: Path, tmp_path: Path
) -> None:
    left = LEFT_OVER | ({} if options else {"PMI_SIZE": "4"})
    run = ["run", str(channel), "--steps", "3", "--out", str(tmp_path / "out")]
    done = eddyline(*run, *options, env={**os.environ, **left})
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out" / "run.json").read_text())["ranks"] == (2 if options else 1)


def test_a_size_that_a_launcher_told_another_process_does_not_count() -> None:
    assert launched_ranks({"PMI_SIZE": "4", "PMI_FD": "9999"}) == 1
    assert launched_ranks({"PMI_SIZE": "4", "PMI_FD": "no number"}) == 1
    assert launched_ranks({"PMI_SIZE": "many"}) == 1
    with socket.socket() as talk:
        assert launched_ranks({"PMI_SIZE": "4", "PMI_FD": str(talk.fileno())}) == 4


def test_a_run_in_a_folder_without_a_name_in_utf8_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    path.mkdir()
    (path / "run.json").write_text(json.dumps({"outcome": "running", "message": ""}))
    (path / "world.toml").write_text("format = 1\n")
    monkeypatch.setenv("EDDYLINE_LAUNCH", str(tmp_path))
    module = importlib.import_module("eddyline.ranks.launch")
    module.tell_run(path)
    assert (tmp_path / "run").read_bytes() == os.fsencode(path)
    assert str(path) in module._note_loss(tmp_path)
    assert json.loads((path / "run.json").read_text())["outcome"] == "failed"
