"""Runs from the first step to the report, and runs that end early."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import subprocess
import sys
import time
from io import FileIO
from pathlib import Path

import pandas as pd
import pytest
import small_worlds

import eddyline
from eddyline import _core
from eddyline.bench.worlds import CASES
from eddyline.run import Run, StepFailedError, WriteError, recorder
from eddyline.run.closing import closing_lines, has_values, proposal
from eddyline.run.derived import Series as Rows
from eddyline.run.derived import derive
from eddyline.run.errors import RequestError
from eddyline.run.folder import RunFolder
from eddyline.stream import atomic
from eddyline.stream.frames import FrameStore
from eddyline.world import WorldError, parse_set
from eddyline.world.draw import save_picture


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("runs")
    return eddyline.run(small_worlds.write(folder), out=folder / "run", progress=False, threads=1)


@pytest.mark.parametrize("field", ["velocity", "pressure"])
def test_a_start_that_is_not_finite_is_no_matter_of_the_time_step(tmp_path: Path, field: str) -> None:
    """`check` finds this in worlds of up to 200,000 particles; the test bypasses it."""
    core = eddyline.World.load(small_worlds.write(tmp_path)).core
    nowhere = _core.Formula("1/(x - x)", ("x", "y", "z", "t"))
    if field == "velocity":
        core.start.velocity = [nowhere] * 3
    else:
        core.regions, core.start.pressure_start, core.start.pressure = [], "formula", nowhere
    with pytest.raises(_core.StepError, match=r"not finite at the start: check velocity, pressure"):
        _core.Simulation(core, threads=1)


def test_titles_are_painted_as_they_are_written(tmp_path: Path) -> None:
    world = small_worlds.write(tmp_path)
    text = re.sub('title *= *".*"', "title = 'Costs $5, x_{1 $ or \\\\frac'", world.read_text(), count=1)
    world.write_text(text)
    run = eddyline.run(world, steps=3, out=tmp_path / "run", progress=False, threads=1)
    assert run.outcome == "finished" and run.title.startswith("Costs $5") and run.movie.is_file()
    save_picture(eddyline.World.load(world), tmp_path / "world.png")


def test_a_run_that_cannot_be_painted_has_been_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*ignored: object) -> None:
        raise ValueError("no such glyph")

    monkeypatch.setattr("eddyline.run.report.write_report", fail)
    with pytest.raises(ValueError, match="no such glyph"):
        eddyline.run(small_worlds.write(tmp_path), steps=3, out=tmp_path / "run", progress=False, threads=1)
    run = Run.open(tmp_path / "run")
    assert run.outcome == "finished" and run.results and run.fingerprint
    assert run.message == "pictures or report skipped: ValueError: no such glyph"


def test_a_finished_run_is_complete(finished: Run) -> None:
    assert finished.outcome == "finished" and finished.message == ""
    names = {path.name for path in finished.folder.iterdir()}
    assert names == {
        "world.toml",
        "run.json",
        "results.json",
        "report.html",
        "series",
        "pictures",
        "snapshots",
        "checkpoints",
    }
    assert {"budget", "front", "force.post", "force.bottom"} <= set(finished.series_names)
    pictures = {path.name for path in (finished.folder / "pictures").iterdir()}
    assert {
        "final.png",
        "movie.mp4",
        "front.png",
        "force.post.drag.png",
        "energy.png",
        "frames.npy",
        "frames.index",
    } <= pictures
    assert not list(finished.folder.rglob("*.part"))


def test_outputs_never_shorten_a_step(finished: Run) -> None:
    times = [FrameStore(finished.folder / "pictures").read(k, "speed").time for k in range(6)]
    assert times == sorted(times) and times[0] == 0
    assert all(0 <= time - k * 0.02 < 0.002 for k, time in enumerate(times))
    assert finished.record["time"] >= 0.1
    assert finished.snapshot_count == 4


def test_rows_are_fetched_seldom_where_that_takes_long_and_none_is_lost(
    finished: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = []

    def slowly(world: eddyline.World, series: dict[str, Rows]) -> dict[str, Rows]:
        fetched.append(len(series))
        time.sleep(0.02)
        return derive(world, series)

    monkeypatch.setattr(recorder, "derive", slowly)
    world = eddyline.World.load(small_worlds.write(tmp_path), {"output.pictures": 50})
    run = eddyline.run(world, out=tmp_path / "run", progress=False, threads=1)
    assert len(FrameStore(run.folder / "pictures")) > 40 and len(fetched) < 10
    for name in finished.series_names:
        pd.testing.assert_frame_equal(run.series(name), finished.series(name))


def test_results_say_inside_and_outside(finished: Run) -> None:
    table = finished.table()
    assert table["inside"].tolist() == [True, False]
    assert table["reason"][0] == "" and "resolution" in table["reason"][1]
    names = [value["name"] for value in finished.results["values"]]
    assert "post.drag_coefficient.mean" in names and "post.strouhal" in names
    speed = finished.results["series"]["budget"]["max_speed"]
    assert speed["min"] <= speed["mean"] <= speed["max"]


def test_the_last_lines(finished: Run) -> None:
    lines = closing_lines(finished).splitlines()
    assert lines[0].startswith("front.position.final / a") and "inside at a/8" in lines[0]
    assert "OUTSIDE" in lines[1]
    assert [line.split()[0] for line in lines[-4:]] == ["report", "picture", "fingerprint", "next"]
    assert lines[-1].endswith("--set let.a=0.08")


@pytest.mark.parametrize("path", sorted(Path("worlds").rglob("*.toml")), ids=lambda path: path.stem)
def test_what_a_world_proposes_to_try_can_be_typed(path: Path) -> None:
    changes = shlex.split(proposal(path.read_text(encoding="utf-8")))
    assert changes and changes[::2] == ["--set"] * (len(changes) // 2)
    world = eddyline.World.load(path, parse_set(changes[1::2]))
    assert not [note for note in world.notes if "not used" in note]


def test_what_a_run_had_already_is_not_proposed_again() -> None:
    assert has_values(small_worlds.DAM, "--set let.a=0.05 --set time.end=0.1")
    assert not has_values(small_worlds.DAM, "--set let.a=0.05 --set time.end=0.2")


def test_the_folder_alone_repeats_the_run(finished: Run, tmp_path: Path) -> None:
    again = eddyline.run(
        finished.folder / "world.toml", out=tmp_path / "again", progress=False, boxes=2, movie=False
    )
    assert again.fingerprint == finished.fingerprint
    assert again.record["checksum"] == finished.record["checksum"]


def test_steps_and_until_end_a_run_early(tmp_path: Path) -> None:
    world = small_worlds.write(tmp_path)
    short = eddyline.run(world, steps=7, out=tmp_path / "a", progress=False, movie=False, report=False)
    assert (short.outcome, short.record["steps"], short.record["options"]) == ("finished", 7, "--steps 7")
    until = eddyline.run(world, until=0.01, out=tmp_path / "b", progress=False, movie=False, report=False)
    assert 0.01 <= until.record["time"] < 0.012
    nothing = eddyline.run(world, steps=0, out=tmp_path / "c", progress=False)
    assert nothing.record["steps"] == 0 and nothing.picture.is_file() and nothing.report.is_file()


@pytest.mark.parametrize("steps", [0, 1])
@pytest.mark.parametrize("name", ["dam_break", "cylinder"])
def test_a_run_of_hardly_a_step_has_no_values_but_a_report(name: str, steps: int, tmp_path: Path) -> None:
    coarse = {"domain.spacing": {"dam_break": "a/8", "cylinder": "D/6"}[name]}
    run = eddyline.run(
        Path("worlds") / f"{name}.toml", overrides=coarse, steps=steps, out=tmp_path / "run", progress=False
    )
    assert run.report.is_file()
    assert all(item["inside"] is None and item["note"] for item in run.results["expectations"])


def test_a_liquid_near_its_speed_of_sound_is_warned_of(finished: Run, tmp_path: Path) -> None:
    assert "warning" not in closing_lines(finished)
    results = finished.results
    results["series"]["budget"]["max_speed"]["max"] = 0.5 * finished.world.core.fluid.sound_speed
    for name in ("run.json", "world.toml"):
        (tmp_path / name).write_bytes((finished.folder / name).read_bytes())
    RunFolder(tmp_path).write_results(results)
    (line,) = [line for line in closing_lines(Run.open(tmp_path)).splitlines() if "warning" in line]
    assert "Mach 0.50: its density varies by 25%" in line


def test_small_worlds_have_few_threads() -> None:
    for particles, cores, threads in ((128, 8, 1), (242, 8, 2), (968, 16, 9), (968, 1, 1), (10_000, 4, 4)):
        simulation = _core.Simulation(CASES["dam"](2, particles, "delta").core, cores=cores)
        assert simulation.threads == threads


def test_a_small_world_leaves_the_next_one_all_threads() -> None:
    big = CASES["box"](2, 10_000, "delta").core
    first = _core.Simulation(big).threads
    _core.Simulation(CASES["dam"](2, 128, "delta").core)
    assert _core.Simulation(big).threads == first


ASK_FOR_CORES = """
import json, os, sys
from eddyline import _core
from eddyline.bench.worlds import CASES
simulation = _core.Simulation(CASES["box"](2, 400, "delta").core, threads=int(sys.argv[1]))
simulation.advance(1.0, 3, 9.0)
of_threads = [os.sched_getaffinity(int(task)) for task in os.listdir("/proc/self/task")]
print(json.dumps([len(os.sched_getaffinity(0)), *(min(cores) for cores in of_threads if len(cores) == 1)]))
"""


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores are given out on Linux only")
def test_threads_have_cores_of_their_own_if_there_are_as_many() -> None:
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        pytest.skip("one core has nothing to give out")

    def own_cores(threads: int, **settings: str) -> list[int]:
        command = [sys.executable, "-c", ASK_FOR_CORES, str(threads)]
        free = {name: value for name, value in os.environ.items() if name != "OMP_PROC_BIND"}
        done = subprocess.run(command, env=free | settings, capture_output=True, check=True, timeout=60)
        callers, *own = json.loads(done.stdout)
        assert callers == len(cores), "who calls stays free"
        return sorted(own)

    assert own_cores(len(cores)) == cores[1:]
    for threads, settings in ((1, {}), (len(cores) + 1, {}), (len(cores), {"OMP_PROC_BIND": "false"})):
        assert own_cores(threads, **settings) == []


def test_bad_requests_leave_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    world = small_worlds.write(tmp_path)
    for wrong in (
        {"steps": -1}, {"steps": 2**64}, {"until": float("nan")}, {"boxes": 0}, {"threads": -1},
        {"patience": -1}, {"checkpoint_every": -1}, {"checksums": -1}, {"checksums": 2**64}, {"lazy": 2**40},
    ):  # fmt: skip
        with pytest.raises(RequestError):
            eddyline.run(world, progress=False, **wrong)  # type: ignore[arg-type]
    assert not (tmp_path / "runs").exists()


def test_a_blow_up_keeps_what_came_before(tmp_path: Path) -> None:
    world = small_worlds.write(tmp_path, small_worlds.DAM + "\n[method]\nspeed_limit = 0.3\n")
    with pytest.raises(StepFailedError, match="speed") as caught:
        eddyline.run(world, out=tmp_path / "run", progress=False)
    run = caught.value.run
    assert run.outcome == "failed" and run.message == str(caught.value)
    assert len(run.series("budget")) > 3
    assert run.snapshot(0)["time"] == 0
    assert run.picture.is_file() and run.report.is_file()

    details = run.record["details"]
    rows = pd.read_csv(run.folder / "failure.csv")
    last = rows[rows["step"] == details["step"]]
    assert last["id"].tolist() == [details["id"], *(each["id"] for each in details["neighbors"])]
    assert last[["position_x [m]", "position_y [m]"]].to_numpy().tolist()[0] == list(details["position"][:2])
    assert last["velocity_y [m/s]"].tolist()[1] == details["neighbors"][0]["velocity"][1]
    assert sorted(set(rows["step"])) == list(range(max(0, details["step"] - 50), details["step"] + 1))
    assert f"failure.csv: particle {details['id']} and its 8 nearest neighbours" in closing_lines(run)
    assert f"Speed of particle {details['id']}" in run.report.read_text()

    again = eddyline.Simulation(run.world, threads=1)
    again.step(details["step"] - 20)
    before = rows[(rows["step"] == again.steps) & (rows["id"] == details["id"])]
    pressure = again.particles.pressure[again.particles.id == details["id"]]
    assert before["pressure [Pa]"].tolist() == pressure.tolist()


def test_a_blow_up_of_which_there_is_no_picture(tmp_path: Path) -> None:
    world = small_worlds.write(tmp_path, small_worlds.DAM + "\n[method]\nspeed_limit = 0.3\n")
    with pytest.raises(StepFailedError, match="speed") as caught:
        eddyline.run(world, overrides={"output.pictures": 0}, out=tmp_path / "run", progress=False)
    assert caught.value.run.report.is_file()
    with pytest.raises(
        FileNotFoundError, match=r"final\.png: the run has no picture, because it stored no frames"
    ):
        caught.value.run.picture.exists()


def test_a_full_disk_keeps_what_came_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bytes, append = atomic.write_bytes, atomic.append
    written: list[Path] = []

    def count(path: Path) -> None:
        if path.suffix in (".npy", ".vtkhdf"):
            written.append(path)
            if len(written) > 9:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write(path: Path, *pieces: bytes) -> None:
        count(path)
        write_bytes(path, *pieces)

    def write_on(file: FileIO, data: bytes) -> None:
        count(Path(str(file.name)))
        append(file, data)

    monkeypatch.setattr(atomic, "write_bytes", write)
    monkeypatch.setattr(atomic, "append", write_on)
    with pytest.raises(WriteError, match="disk full") as caught:
        eddyline.run(small_worlds.write(tmp_path), out=tmp_path / "run", progress=False)
    assert "\n" not in str(caught.value)
    run = Run.open(tmp_path / "run")
    assert run.outcome == "failed" and "disk full" in run.message
    assert len(run.series("budget")) > 3
    assert len(FrameStore(tmp_path / "run" / "pictures")) >= 1
    for k in range(run.snapshot_count):
        assert len(run.snapshot(k)["id"]) == 128


@pytest.mark.skipif(os.geteuid() != 0, reason="needs the right to mount a small file system")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        text = small_worlds.DAM.replace("snapshots = 3", "snapshots = 50")
        with pytest.raises(WriteError, match="disk full"):
            eddyline.run(small_worlds.write(tmp_path, text), out=disk / "run", progress=False)
        record = json.loads((disk / "run" / "run.json").read_text())
        assert record["outcome"] == "failed" and "disk full" in record["message"]
        run = Run.open(disk / "run")
        assert run.snapshot_count > 2 and len(run.snapshot(-1)["id"]) == 128
        assert len(run.series("budget")) > 3
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def test_curves_beside_the_world_go_with_the_run(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("T,Z\n0,1\n0.5,1.2\n1,1.5\n1.5,2\n")
    expect = """
[[expect]]
quantity = "front.position / a"
against  = "time * sqrt(2*g/a)"
curve    = "mine.csv"
band     = 0.5
"""
    world = small_worlds.write(tmp_path, small_worlds.DAM + expect)
    run = eddyline.run(world, out=tmp_path / "run", progress=False, movie=False)
    assert (run.folder / "mine.csv").is_file()
    assert run.results["expectations"][2]["kind"] == "curve"
    assert (run.folder / "pictures" / "front.png").is_file()
    assert run.world.title == "Small dam"


def test_a_run_that_goes_on_longer_than_its_world_is_checked_until_then(tmp_path: Path) -> None:
    """A body may get into a wall later than the world's file ends."""
    world = tmp_path / "a.toml"
    world.write_text(
        """
format = 1
domain = { size = [1.0, 0.8], spacing = 0.05 }
fluid = { density = 2.0, kinematic_viscosity = 5e-3, max_speed = 3 }
time = { end = 0.01 }
[bodies.c]
shape = "circle"
center = [0.4, 0.4]
diameter = 0.2
[bodies.c.motion]
displacement = ["2*t", "0"]
"""
    )
    with pytest.raises(WorldError, match="into the wall right at t ="):
        eddyline.run(world, out=tmp_path / "out", until=0.5, progress=False)
    assert not (tmp_path / "out").exists()
    assert eddyline.run(world, out=tmp_path / "out", until=0.02, progress=False).outcome == "finished"


def test_a_start_that_is_wrong_is_one_line(tmp_path: Path) -> None:
    world = tmp_path / "a.toml"
    text = small_worlds.write(tmp_path).read_text()
    world.write_text(text)
    sets = ["--set", "fluid.sound_speed=10", "--set", "start.velocity=[20, 0]"]
    command = [sys.executable, "-m", "eddyline", "run", str(world), *sets, "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3 and "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1 and "moves at 20 m/s" in done.stderr


def test_a_run_that_fails_before_it_begins_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(recorder, "SurfaceRecorder", None)
    world = eddyline.World.from_text(small_worlds.DAM)
    for out in (Path("mine"), None):
        with pytest.raises(TypeError):
            eddyline.run(world, out=out, steps=1, progress=False, movie=False, report=False)
    assert not Path("mine").exists()
    assert list(Path("runs", world.name).iterdir()) == []
