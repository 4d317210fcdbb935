"""Ends of runs: computed and not closed, stopped in the middle of a checkpoint, on a full or read-only disk;
and the commands that messages then advise."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import small_worlds

import eddyline
from eddyline import files
from eddyline.option_names import NOT_CLOSED, command
from eddyline.ranks.launch import _note_loss
from eddyline.run.closing import closing_lines
from eddyline.run.execution import Execution
from eddyline.run.folder import RunFolder
from eddyline.serve import found, stored_runs
from eddyline.stream import atomic, checkpoints

BIN = Path(sys.executable).parent
QUIETLY: dict[str, Any] = {"progress": False, "movie": False, "report": False, "threads": 1}
SHORT = {"time.end": 0.01}
NAMES = ("two words", "$HOME", "it's", "-dash", "new\nline", '"quoted"', "back`tick", "semi;colon & more")
"""Folders whose names a shell would take for something else."""


class Killed(BaseException):
    """Stands for SIGKILL within a process: nothing of a run may handle it."""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return small_worlds.write(tmp_path)


def die(*words: object, **named: object) -> None:
    raise Killed


def unclosed(
    world: Path, out: Path, monkeypatch: pytest.MonkeyPatch, place: str = "_evaluate"
) -> eddyline.Run:
    """A run that was killed as it came to a part of its end."""
    with monkeypatch.context() as patch:
        patch.setattr(Execution, place, die)
        patch.setattr(Execution, "_note_failure", lambda self, error: None)
        with pytest.raises(Killed):
            eddyline.run(world, overrides=SHORT, out=out, **QUIETLY)
    return eddyline.Run.open(out)


def test_a_run_that_was_computed_and_not_closed_says_so(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = unclosed(world, tmp_path / "run", monkeypatch)
    advice = f"`eddyline resume {run.folder}` completes it"
    assert run.outcome == NOT_CLOSED and f": {NOT_CLOSED}, " in repr(run) and run.fingerprint
    assert run.message.startswith("computed, but killed before") and run.message.endswith(advice)
    for ask in (run.table, run.values, lambda: run.results, lambda: run.picture, lambda: run.report):
        with pytest.raises(FileNotFoundError, match=r"the run has no .*; `eddyline resume .*` completes it"):
            ask()
    assert run._repr_html_().count(NOT_CLOSED) == 1
    told = closing_lines(run)
    assert f"{NOT_CLOSED}: computed" in told and f"next         eddyline resume {run.folder}" in told
    assert f"A is {NOT_CLOSED}: {run.message}" in eddyline.compare(run, run).text()
    said = run.record
    assert found.state_of(run.folder, said) == NOT_CLOSED and advice in found.words_of(run.folder, said)
    last = list(stored_runs.messages(run.folder, "run"))[-1]
    assert (last.ended.outcome, last.ended.message) == (NOT_CLOSED, run.message)
    with RunFolder(run.folder).held():
        assert eddyline.Run.open(run.folder).outcome == "running"


@pytest.mark.parametrize("how", ["resume", "export"])
@pytest.mark.parametrize("place", ["_evaluate", "_publish", "_close_record"])
def test_what_was_not_closed_is_completed(
    how: str, place: str, world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`_close_record` comes before the state is known: the last checkpoint has it."""
    whole = eddyline.run(world, overrides=SHORT, out=tmp_path / "whole", **QUIETLY)
    run = unclosed(world, tmp_path / "run", monkeypatch, place)
    assert run.outcome == NOT_CLOSED
    if how == "resume":
        eddyline.resume(run, **QUIETLY)
    else:
        assert RunFolder(run.folder).results in eddyline.export(run)
    again = eddyline.Run.open(run.folder)
    assert again.outcome == "finished" and again.results == whole.results
    assert again.fingerprint == whole.fingerprint
    times = {"started", "wall_seconds", "particle_updates_per_second", "work", "statistics", "resumed"}
    kept = [eddyline.Run.open(run.folder).record for run in (whole, again)]
    records = [{key: record[key] for key in record.keys() - times} for record in kept]
    assert records[0] == records[1]


def test_an_export_without_parts_makes_what_is_missing(world: Path, tmp_path: Path) -> None:
    run = eddyline.run(world, overrides=SHORT, out=tmp_path / "run", **QUIETLY)
    with pytest.raises(FileNotFoundError, match=r"report.html: the run has no report; `eddyline export .*`"):
        run.report.read_text()
    assert run.picture.is_file()
    made = eddyline.export(run)
    assert {path.name for path in made} >= {"results.json", "final.png", "report.html"}
    assert run.report.is_file()


def test_a_run_without_a_checkpoint_begins_again(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = eddyline.run(world, overrides=SHORT, out=tmp_path / "whole", **QUIETLY)
    run = unclosed(world, tmp_path / "run", monkeypatch, "_save")
    assert run.outcome == "lost" and "starts it again, as it has no checkpoint yet" in run.message
    (run.folder / "series" / "budget.csv").write_text("time [s],ma")  # its header was not finished
    again = eddyline.resume(run, **QUIETLY)
    assert again.fingerprint == whole.fingerprint
    series = [(each.folder / "series" / "budget.csv").read_bytes() for each in (whole, again)]
    assert series[0] == series[1]


def test_a_run_goes_on_to_where_it_was_to_end(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Execution, "_save", die)
        patch.setattr(Execution, "_note_failure", lambda self, error: None)
        with pytest.raises(Killed):
            eddyline.run(world, steps=7, out=tmp_path / "run", **QUIETLY)
    assert eddyline.resume(tmp_path / "run", **QUIETLY).record["steps"] == 7


def test_another_ctrl_c_leaves_no_half_checkpoint(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It comes while a part is written, as the third one."""

    def interrupt(folder: Path, number: int, part: bytes) -> dict[str, Any]:
        (folder / f"part-{number:04d}.bin").write_bytes(part[:10])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, "_write_part", interrupt)
        patch.setattr(Execution, "_reached_end", lambda self: self.simulation.step_count >= 5)
        run = eddyline.run(world, steps=5, out=tmp_path / "run", **QUIETLY)
    assert not list((run.folder / "checkpoints").iterdir())
    advised = closing_lines(run).rpartition("next")[2].strip()
    assert "resume" not in advised or eddyline.resume(run, steps=9, **QUIETLY).record["steps"] == 9


def shell(line: str, where: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        line, shell=True, cwd=where, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("name", NAMES)
def test_commands_are_taken_by_a_shell(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    tell = "import sys; print(repr(sys.argv[1:]))"
    line = command("resume", Path(name), "--until", 3).replace("eddyline", f"{sys.executable} -c '{tell}'", 1)
    got = shell(line, tmp_path).stdout
    folder = f"./{name}" if name.startswith("-") else name
    assert got == f"{['resume', folder, '--until', '3']!r}\n"


def test_what_a_message_advises_works(world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folder by folder: not closed, lost with and without a checkpoint, and finished without a report."""
    monkeypatch.chdir(tmp_path)
    out = Path("-it's $HOME;\nnew")
    for place, outcome in (("_publish", NOT_CLOSED), ("_save", "lost"), ("", "finished")):
        if place:
            run = unclosed(world, out, monkeypatch, place)
            message = run.message
        else:
            run = eddyline.run(world, overrides=SHORT, out=out, **QUIETLY)
            with pytest.raises(FileNotFoundError) as caught:
                run.report.exists()
            message = str(caught.value)
        assert run.outcome == outcome
        advised = re.search(r"`(eddyline .*)`", message, re.DOTALL)
        assert advised is not None, message
        done = shell(advised[1], tmp_path)
        assert done.returncode == 0, done.stderr
        completed = eddyline.Run.open(out)
        assert completed.outcome == "finished" and completed.results["values"] is not None
        out = Path(f"{out}+")


def test_a_source_that_has_gone_is_not_advised(world: Path, tmp_path: Path) -> None:
    run = eddyline.run(world, overrides=SHORT, out=tmp_path / "run", **QUIETLY)
    assert f"eddyline run {world} --set" in closing_lines(run)
    world.unlink()
    assert f"eddyline run {run.folder / 'world.toml'} --set" in closing_lines(run)


# --- disks ------------------------------------------------------------------------------------------------

OUTSIDE: dict[str, Callable[[Path], list[str]]] = {
    "export": lambda to: ["export", "run", "--csv", "--out", str(to / "made")],
    "picture": lambda to: ["export", "run", "--png", "--out", str(to / "made")],
    "film": lambda to: ["export", "run", "--mp4", "--out", str(to / "made")],
    "vtkhdf": lambda to: ["export", "run", "--vtkhdf", "--out", str(to / "made")],
    "compare": lambda to: ["compare", "run", "run", "--csv", str(to / "made.csv")],
    "chart": lambda to: ["compare", "run", "run", "--picture", str(to / "made.png")],
    "check": lambda to: ["check", "small.toml", "--picture", str(to / "made.png")],
}
"""Commands that write outside the folder of a run."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world and a run of it."""
    folder = tmp_path_factory.mktemp("kept")
    eddyline.run(small_worlds.write(folder), overrides=SHORT, out=folder / "run", **QUIETLY)
    return folder


def run_limited(arguments: list[str], where: Path, limit: int | None) -> subprocess.CompletedProcess[str]:
    """`eddyline` with a limit of the size of files [bytes]: writing beyond fails as on a full disk."""

    def prepare() -> None:
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(
        [sys.executable, "-m", "eddyline", *arguments],
        cwd=where, preexec_fn=prepare, env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_file_that_finds_no_room_is_one_line_and_leaves_nothing(
    name: str, kept: Path, tmp_path: Path
) -> None:
    done = run_limited(OUTSIDE[name](tmp_path), kept, 64)
    assert done.returncode in (2, 4), done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and str(tmp_path / "made") in lines[0], done.stderr
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", ["export", "compare", "check"])
def test_a_place_that_cannot_be_written_is_one_line(name: str, kept: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run_limited(OUTSIDE[name](tmp_path / "file"), kept, None)
    assert done.returncode in (2, 4)
    assert len(done.stderr.strip().splitlines()) == 1 and str(tmp_path / "file") in done.stderr, done.stderr


def test_a_new_world_that_finds_no_room_does_not_block_the_next_try(tmp_path: Path) -> None:
    done = run_limited(["new", "tank"], tmp_path, 64)
    assert done.returncode != 0 and "tank.toml: cannot be written: File too large" in done.stderr
    assert not list(tmp_path.iterdir())
    assert run_limited(["new", "tank"], tmp_path, None).returncode == 0
    assert "exists already" in run_limited(["new", "tank"], tmp_path, None).stderr


def test_a_run_whose_pictures_find_no_room_is_completed_later(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*words: object, **named: object) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr("eddyline.run.publish.publish", full)
        with pytest.raises(eddyline.run.WriteError):  # type: ignore[attr-defined]
            eddyline.run(world, overrides=SHORT, out=tmp_path / "run", **QUIETLY)
    run = eddyline.Run.open(tmp_path / "run")
    assert run.outcome == NOT_CLOSED and "disk full" in run.message and "completes it" in run.message
    assert eddyline.resume(run, **QUIETLY).outcome == "finished"


# --- files ------------------------------------------------------------------------------------------------


def test_leftovers_of_processes_that_are_gone_are_deleted(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    with atomic.replacing(tmp_path / "mine") as mine:
        mine.write_text("")
        for name in (mine.name.replace(str(os.getpid()), str(gone.pid)), f".a.{gone.pid}-1-other0.part"):
            (tmp_path / name).write_text("")
        files.remove_leftovers(tmp_path)
        assert {path.name for path in tmp_path.iterdir()} == {mine.name, f".a.{gone.pid}-1-other0.part"}


def test_records_worlds_and_checkpoints_are_on_the_disk(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is synced before it gets its name, and its folder after."""
    synced: set[str] = set()
    fsync = os.fsync

    def note(handle: int) -> None:
        fsync(handle)
        name = os.path.relpath(str(Path(f"/proc/self/fd/{handle}").readlink()), tmp_path / "run")
        synced.add(re.sub(r"\.([\w.-]+?)\.\d+-\d+-\w+\.part", r"\1", name))

    monkeypatch.setattr(os, "fsync", note)
    run = eddyline.run(world, overrides=SHORT, out=tmp_path / "run", **QUIETLY)
    saved = next((run.folder / "checkpoints").iterdir()).relative_to(run.folder)
    must = {"run.json", "results.json", "world.toml", str(saved), f"{saved}/part-0000.bin", "checkpoints"}
    must |= {".", f"{saved}/manifest.json", "pictures/frames.npy", "pictures/frames.index"}
    must |= {"series/budget.csv", "snapshots/fluid/000000.vtkhdf", "snapshots/walls/000000.vtkhdf"}
    assert must <= synced, must - synced


def test_a_folder_in_which_a_run_was_killed_before_it_began_is_free(world: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    RunFolder.create("small", out)
    with pytest.raises(FileNotFoundError, match="is a run that was killed before it began"):
        eddyline.Run.open(out)
    assert eddyline.run(world, overrides=SHORT, out=out, **QUIETLY).outcome == "finished"


def test_a_checkpoint_of_the_same_step_is_not_taken_away_before_it_is_replaced(tmp_path: Path) -> None:
    def write(parts: list[bytes]) -> None:
        checkpoints.write_checkpoint(
            tmp_path, iter(parts), step=3, time=0.1, frames=1, snapshots=1, world="w"
        )

    write([b"one"])
    manifest = tmp_path / f"{3:012d}" / "manifest.json"
    before = manifest.stat().st_mtime_ns
    write([b"one"])
    assert manifest.stat().st_mtime_ns == before
    (tmp_path / f"{3:012d}" / "part-0000.bin").write_bytes(b"two")
    write([b"one"])
    assert checkpoints.find_checkpoint(tmp_path, print).step == 3
    assert json.loads(manifest.read_text())["frames"] == 1


def test_a_run_whose_rank_was_lost_can_be_opened(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = unclosed(world, tmp_path / "run", monkeypatch, "_save")
    (tmp_path / "run_told").mkdir()
    (tmp_path / "run_told" / "run").write_text(str(run.folder))
    assert f"`{command('resume', run.folder)}` starts again from the beginning" in _note_loss(
        tmp_path / "run_told"
    )
    again = eddyline.Run.open(run.folder)
    assert (again.outcome, again.message) == ("failed", "a rank was lost")
