"""The command line as a user meets it: words, exit codes, Ctrl-C."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
import small_worlds

import eddyline
from eddyline.run import Run
from eddyline.run.folder import RunFolder
from eddyline.world.gallery import gallery

LONG = small_worlds.DAM.replace("end = 0.1", "end = 1000.0")


def eddy(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "eddyline", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=120, check=False)


def one_line(done: subprocess.CompletedProcess[str], code: int) -> str:
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_help_shows_examples_and_starts_at_once() -> None:
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        done = eddy("--help")
        seconds.append(time.perf_counter() - start)
    assert done.returncode == 0
    assert "eddyline run dam_break" in done.stdout
    for command in ("run", "new", "check", "export", "bench", "validate"):
        assert re.search(rf"^  {command} ", done.stdout, re.MULTILINE)
    assert min(seconds) < 0.8  # 0.1 s on a machine that does nothing else


def test_every_command_has_help() -> None:
    for command in ("run", "new", "check", "export"):
        done = eddy(command, "--help")
        assert done.returncode == 0 and f"eddyline {command}" in done.stdout


def test_version() -> None:
    assert eddy("--version").stdout == f"eddyline {eddyline.__version__}\n"


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--until", "-1", "-1: must be at least 0."),
        ("--ranks", "0", "0: must be at least 1."),
        ("--until", "soon", "soon: must be a number."),
        ("--steps", "1.5", "1.5: must be a whole number."),
    ],
)
def test_a_value_that_is_refused_is_named(option: str, value: str, told: str) -> None:
    done = eddy("run", "dam_break", option, value)
    assert done.returncode == 2
    if sys.version_info >= (3, 11):  # older ones have an older Typer, which has words of its own
        assert done.stderr.endswith(f"Error: Invalid value for '{option}': {told}\n")


def test_far_more_threads_than_cores_are_refused(tmp_path: Path) -> None:
    small_worlds.write(tmp_path)
    told = one_line(eddy("run", "small.toml", "--threads", 100_000, cwd=tmp_path), 2)
    assert re.fullmatch(r"--threads 100000: must be <= \d+ with \d+ cores?", told)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--ranks", 100_000), "--ranks 100000"),
        (("--ranks", 2, "--threads", 50_000), "ranks x threads = 100000"),
    ],
)
def test_far_more_ranks_than_cores_are_refused(
    options: tuple[object, ...], told: str, tmp_path: Path
) -> None:
    small_worlds.write(tmp_path)
    line = one_line(eddy("run", "small.toml", *options, cwd=tmp_path), 2)
    assert re.fullmatch(rf"{told}: must be <= \d+ with \d+ cores?", line)
    assert not (tmp_path / "runs").exists()


def test_a_run_needs_no_standard_streams(tmp_path: Path) -> None:
    small_worlds.write(tmp_path)
    command = f"{sys.executable} -m eddyline run small.toml --steps 1 <&- >&- 2>&-"
    environment = os.environ | {"EDDYLINE_PICTURES": "none"}
    assert subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, check=False).returncode == 0
    assert Run.open(tmp_path / "runs" / "small").outcome == "finished"


def test_a_misspelt_command_is_suggested() -> None:
    done = eddy("rnu")
    assert done.returncode == 2 and "run" in done.stderr and "Did you mean" in done.stderr


def test_run_prints_its_last_lines(tmp_path: Path) -> None:
    small_worlds.write(tmp_path)
    done = eddy("run", "small.toml", "--set", "domain.spacing=a/6", "--threads", 1, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-5] == "folder       runs/small/0001"
    assert lines[-1] == "next         eddyline run small.toml --set let.a=0.08"
    run = Run.open(tmp_path / "runs" / "small")
    assert run.outcome == "finished" and 'spacing = "a/6"' in run.world.source
    assert run.fingerprint in done.stdout


@pytest.mark.usefixtures("no_pictures")
def test_quiet_prints_the_folder_alone(tmp_path: Path) -> None:
    small_worlds.write(tmp_path)
    done = eddy("run", "small.toml", "--steps", 3, "--quiet", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "runs/small/0001\n", "")


def test_bad_input_is_said_in_one_line(tmp_path: Path) -> None:
    small_worlds.write(tmp_path)
    assert "missing.toml" in one_line(eddy("run", "missing.toml", cwd=tmp_path), 2)
    assert "domain.spacing" in one_line(
        eddy("run", "small.toml", "--set", "domain.spacing=-1", cwd=tmp_path), 2
    )
    assert "PATH=VALUE" in one_line(eddy("run", "small.toml", "--set", "nothing", cwd=tmp_path), 2)
    assert "domain.spacing" in one_line(
        eddy("check", "small.toml", "--set", "domain.spacing=0", cwd=tmp_path), 2
    )
    assert "not the folder of a run" in one_line(eddy("export", ".", "--png", cwd=tmp_path), 2)
    assert eddy("run", "small.toml", "--steps", -3, cwd=tmp_path).returncode == 2
    assert not (tmp_path / "runs").exists()


def test_check_and_new(tmp_path: Path) -> None:
    done = eddy("new", "tank", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "tank.toml").is_file()
    assert "exists" in one_line(eddy("new", "tank", cwd=tmp_path), 2)
    done = eddy("check", "tank.toml", "--picture", "tank.png", cwd=tmp_path)
    assert done.returncode == 0 and "time step" in done.stdout and (tmp_path / "tank.png").is_file()
    line = one_line(eddy("check", "tank.toml", "--picture", "tank.xyz", cwd=tmp_path), 2)
    assert line == "--picture tank.xyz: must end in .png, .svg or .pdf"
    line = one_line(eddy("new", "other", "--from", "../tank.toml", cwd=tmp_path), 2)
    assert line.startswith("../tank.toml: not in the gallery; --from requires the name of a gallery world. ")


def test_out_is_never_overwritten(tmp_path: Path) -> None:
    small_worlds.write(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    assert "not empty" in one_line(eddy("run", "small.toml", "--out", "full", cwd=tmp_path), 2)
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write anywhere")
def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    small_worlds.write(tmp_path)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    assert "cannot write" in one_line(eddy("run", "small.toml", "--out", "closed/run", "-q", cwd=tmp_path), 4)


def test_a_place_that_is_no_folder(tmp_path: Path) -> None:
    small_worlds.write(tmp_path)
    assert "cannot write" in one_line(eddy("run", "small.toml", "--out", "/proc/run", "-q", cwd=tmp_path), 4)


def test_a_step_that_fails(tmp_path: Path) -> None:
    small_worlds.write(tmp_path, small_worlds.DAM + "\n[method]\nspeed_limit = 0.3\n")
    done = eddy("run", "small.toml", "-q", cwd=tmp_path)
    assert "speed" in one_line(done, 3)
    assert done.stdout == "runs/small/0001\n"
    assert Run.open(tmp_path / "runs" / "small").outcome == "failed"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_leaves_a_complete_run(tmp_path: Path, number: signal.Signals) -> None:
    small_worlds.write(tmp_path, LONG)
    command = [sys.executable, "-m", "eddyline", "run", "small.toml", "--threads", "1"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    folder = tmp_path / "runs" / "small" / "0001"
    deadline = time.monotonic() + 60
    while not list(folder.glob("snapshots/fluid/*.vtkhdf")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    run = Run.open(folder)
    assert run.outcome == "stopped by user" and run.fingerprint in out
    assert "Traceback" not in err
    for part in ("results.json", "report.html", "pictures/final.png"):
        assert (folder / part).is_file(), part
    assert run.snapshot(-1)["step"] == run.record["steps"]


@pytest.mark.usefixtures("no_pictures")
def test_a_stopped_replay_reports_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from eddyline.cli import app

    small_worlds.write(tmp_path)
    folder = tmp_path / "run"
    assert eddy("run", "small.toml", "--steps", 20, "-q", "--out", folder, cwd=tmp_path).returncode == 0
    record = RunFolder(folder).read_record()
    record |= {"replay_of": {"folder": "runs/small/0001", "fingerprint": "of the whole run"}}
    for outcome, code, told in (
        ("stopped by user", 130, "fingerprint"),
        ("finished", 2, "of the original run"),
    ):
        RunFolder(folder).write_record(record | {"outcome": outcome, "message": "stopped"})
        monkeypatch.setattr("eddyline.run.replay.replay", lambda *_, **__: Run.open(folder))
        done = CliRunner().invoke(app, ["replay", "runs/small"])
        assert done.exit_code == code and told in done.output
        assert ("of the original run" in done.output) == (outcome == "finished")


@pytest.mark.parametrize("seconds", [0.0, pytest.param(1.5, marks=pytest.mark.matrix)])
def test_a_run_ends_in_order_where_its_terminal_goes(tmp_path: Path, seconds: float) -> None:
    """While it computes, or a while later, when it may be painting its film."""
    small_worlds.write(tmp_path, LONG if seconds == 0 else small_worlds.DAM)
    terminal, inside = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "eddyline", "run", "small.toml", "--threads", "1"],
        cwd=tmp_path, stdin=inside, stdout=inside, stderr=inside, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(inside)
    folder = tmp_path / "runs" / "small" / "0001"
    deadline = time.monotonic() + 60
    while not list(folder.glob("snapshots/fluid/*.vtkhdf")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(seconds)
    os.close(terminal)
    process.wait(timeout=60)
    run = Run.open(folder)
    assert run.outcome in ("stopped by user", "finished")
    assert (folder / "results.json").is_file()
    assert run.snapshot(-1)["step"] == run.record["steps"]


@pytest.mark.usefixtures("no_pictures")
def test_a_killed_run_stays_readable(tmp_path: Path) -> None:
    small_worlds.write(tmp_path, LONG.replace("snapshots = 3", "snapshots = 1000000"))
    command = [sys.executable, "-m", "eddyline", "run", "small.toml", "--threads", "1", "-q"]
    process = subprocess.Popen(command, cwd=tmp_path)
    folder = tmp_path / "runs" / "small" / "0001"
    deadline = time.monotonic() + 60
    while len(list(folder.glob("snapshots/fluid/*.vtkhdf"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.kill()
    process.wait()
    run = Run.open(folder)
    assert run.outcome == "lost" and run.record["outcome"] == "running" and run.fingerprint == ""
    assert len(run.snapshot(-1)["id"]) == 128
    assert len(run.series("budget")) > 0
    assert eddy("export", folder, "--png", "--csv", "--vtkhdf", cwd=tmp_path).returncode == 0


@pytest.mark.usefixtures("no_pictures")
def test_export_makes_what_is_asked_for(tmp_path: Path) -> None:
    small_worlds.write(tmp_path)
    assert eddy("run", "small.toml", "--steps", 20, "-q", cwd=tmp_path).returncode == 0
    done = eddy(
        "export", "runs/small", "--png", "--mp4", "--csv", "--vtkhdf", "--report", "--quantity", "vorticity",
        "--width", 640, "--out", "made", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    made = {path.name for path in (tmp_path / "made").iterdir()}
    assert {
        "vorticity.png",
        "vorticity.mp4",
        "report.html",
        "fluid.vtkhdf",
        "front.csv",
        "expectations.csv",
        "values.csv",
    } <= made
    assert sorted(made) == sorted(Path(line).name for line in done.stdout.splitlines())
    assert "--png" in one_line(eddy("export", "runs/small", "--out", "made", cwd=tmp_path), 2)
    kept = (tmp_path / "runs/small/0001/series/budget.csv").read_bytes()
    line = one_line(eddy("export", "runs/small", "--csv", "--out", "runs/small/0001/series", cwd=tmp_path), 2)
    assert "is used by the run" in line
    assert (tmp_path / "runs/small/0001/series/budget.csv").read_bytes() == kept
    assert "is a file" in one_line(
        eddy("export", "runs/small", "--csv", "--out", "small.toml", cwd=tmp_path), 2
    )
    assert "must be one of" in one_line(
        eddy("export", "runs/small", "--png", "--quantity", "heat", cwd=tmp_path), 2
    )


def test_no_film_is_made_of_one_frame(tmp_path: Path) -> None:
    small_worlds.write(tmp_path, small_worlds.DAM.replace("Try:", "Now:"))
    done = eddy("run", "small.toml", "--steps", 20, "--set", "output.pictures=0", cwd=tmp_path)
    assert done.stdout.endswith("next         eddyline export runs/small/0001 --csv\n")
    line = one_line(eddy("export", "runs/small", "--mp4", "--png", "--out", "made", cwd=tmp_path), 2)
    assert "has only one frame" in line and "set output.pictures" in line
    assert not (tmp_path / "made").exists()


def test_progress_without_a_terminal_is_plain(tmp_path: Path) -> None:
    from io import StringIO

    from eddyline.run.progress import RunProgress
    from eddyline.world.problems import duration

    stream = StringIO()
    with RunProgress("Dam", stream=stream) as progress:
        progress._last_line -= 100
        progress.update(0.5, 1.0, 100, 1000)
    line = stream.getvalue()
    assert line.startswith("Dam:  50 %") and "100 steps" in line and line.count("\n") == 1
    assert [duration(s) for s in (4.21, 42, 80, 7500)] == ["4.2 s", "42 s", "1 min 20 s", "2 h 5 min"]


@pytest.mark.usefixtures("no_pictures")
def test_run_json_says_where_and_how(tmp_path: Path) -> None:
    small_worlds.write(tmp_path)
    eddy("run", "small.toml", "--steps", 2, "-q", "--threads", 1, "--boxes", 2, cwd=tmp_path)
    record = json.loads((tmp_path / "runs" / "small" / "0001" / "run.json").read_text())
    assert record["threads"] == 1 and record["boxes"] == 2 and record["steps"] == 2
    assert record["versions"]["eddyline"] == eddyline.__version__
    assert {"processor", "cores", "system"} <= set(record["machine"])
    assert record["wall_seconds"] > 0 and record["statistics"]["steps"] == 2
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", record["started"])


def test_list_shows_every_world_of_the_gallery() -> None:
    lines = eddy("list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == sorted(gallery())
    assert all("D). Look for: " in line and not line.endswith("Look for: ") for line in lines)
    told = json.loads(eddy("list", "--json").stdout)
    assert [world["name"] for world in told] == sorted(gallery())
    (dam,) = (world for world in told if world["name"] == "dam_break")
    assert dam["look_for"].startswith("a thin tongue that shoots along the floor")
    assert (dam["dimensions"], "toml" in dam) == (2, False)


def test_a_reader_that_has_gone_ends_a_command_silently(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "eddyline", "check", str(small_worlds.write(tmp_path))]
    with os.fdopen(writer, "wb") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
