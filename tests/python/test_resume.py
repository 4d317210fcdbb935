"""Runs that go on from a checkpoint: to the bits, and the files, of a run that never stopped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from law_worlds import CHANNEL_2D, DAM_3D, GAS_2D, MOVING_2D

import eddyline
from eddyline.compare import compare_runs
from eddyline.run import RequestError
from eddyline.run.errors import FolderInUseError
from eddyline.run.execution import Execution
from eddyline.run.folder import RunFolder
from eddyline.run.replay import replay
from eddyline.stream import checkpoints
from eddyline.stream.corrupt import CorruptFileError
from eddyline.world import World

pytestmark = pytest.mark.usefixtures("no_pictures")

STEPS = 120
QUIETLY = {"progress": False, "movie": False, "report": False}


def world(text: str) -> World:
    return World.from_text(text)


def start(text: str, out: Path, steps: int) -> eddyline.Run:
    return eddyline.run(
        world(text), steps=steps, threads=1, out=out, progress=False, movie=False, report=False
    )


def go_on(out: Path, steps: int, **how: int) -> eddyline.Run:
    return eddyline.resume(out, steps=steps, **(QUIETLY | {"threads": 1} | how))


def test_a_young_run_is_kept_whenever_it_is_twice_as_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step takes a second by the clock that it is told."""
    now, kept = [0.0], []

    def passed() -> float:
        return now[0]

    monkeypatch.setattr("eddyline.run.execution.clock.perf_counter", passed)
    monkeypatch.setattr("eddyline.run.execution.FIRST_CHECKPOINT", 5.0)
    monkeypatch.setattr(Execution, "_save", lambda self, recorder: kept.append(now[0]))

    def show(self: Execution, shown: object) -> None:
        now[0] += 1

    monkeypatch.setattr(Execution, "_show", show)
    monkeypatch.setattr("eddyline.run.execution.SLICE", 0.0)
    eddyline.run(
        world(CHANNEL_2D), steps=100, threads=1, out=tmp_path / "run", checkpoint_every=30.0, **QUIETLY
    )
    assert kept[:-1] == [5, 10, 20, 40, 70]  # and one at the end


@pytest.mark.usefixtures("with_pictures")
def test_a_folder_that_lacks_what_came_before_keeps_its_record(
    tmp_path: Path,
) -> None:
    start(CHANNEL_2D, tmp_path / "run", 20)
    record = (tmp_path / "run" / "run.json").read_text()
    for part in ("pictures", "snapshots"):
        (tmp_path / "run" / part).rename(tmp_path / part)
        with pytest.raises(CorruptFileError, match="should be there, and 0 are"):
            go_on(tmp_path / "run", 30)
        assert (tmp_path / "run" / "run.json").read_text() == record
        shutil.rmtree(tmp_path / "run" / part, ignore_errors=True)
        (tmp_path / part).rename(tmp_path / "run" / part)
    assert go_on(tmp_path / "run", 30).outcome == "finished"


def test_a_run_that_is_being_replayed_cannot_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start(CHANNEL_2D, tmp_path / "run", 4)

    def go(self: Execution, *words: object, **named: object) -> None:
        with pytest.raises(FolderInUseError), RunFolder(self.folder.path).held():
            pass
        raise KeyboardInterrupt

    monkeypatch.setattr(Execution, "go", go)
    with pytest.raises(KeyboardInterrupt):
        replay(tmp_path / "run", out=tmp_path / "again", threads=1, **QUIETLY)


def test_looking_at_a_run_blocks_no_claim(tmp_path: Path) -> None:
    """`is_held` tries to lock the run: a claim at that moment waits for it."""
    folder = RunFolder(start(CHANNEL_2D, tmp_path / "run", 4).folder)
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            folder.is_held()
            time.sleep(0.001)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for _ in range(30):
            with folder.held():
                assert folder.is_held()
    finally:
        stop.set()
        looking.join()
    assert not folder.is_held()


def contents(path: Path) -> dict[str, object]:
    """The data sets and attributes of an HDF5 file."""
    found: dict[str, object] = {}
    with h5py.File(path) as file:
        file.visititems(
            lambda name, item: found.update(
                {name: item[()].tobytes() if isinstance(item, h5py.Dataset) else None}
                | {f"{name}@{key}": np.asarray(value).tobytes() for key, value in item.attrs.items()}
            )
        )
        found |= {key: np.asarray(value).tobytes() for key, value in file.attrs.items()}
    return found


@pytest.mark.parametrize(
    "text", [CHANNEL_2D, MOVING_2D, DAM_3D, GAS_2D], ids=["channel", "moving", "dam", "gas"]
)
def test_a_run_in_three_parts_leaves_the_folder_of_a_run_in_one(text: str, tmp_path: Path) -> None:
    whole = start(text, tmp_path / "whole", STEPS)
    start(text, tmp_path / "parts", 37)
    go_on(tmp_path / "parts", 38, threads=2)  # between two rebuilds
    parts = go_on(tmp_path / "parts", STEPS, boxes=3)
    assert parts.fingerprint == whole.fingerprint
    assert compare_runs(whole.folder, parts.folder).identical
    for pattern in ("series/*.csv", "pictures/frames.*", "snapshots/*/*.vtkhdf", "checkpoints/*/part*"):
        names = sorted(path.relative_to(whole.folder) for path in whole.folder.glob(pattern))
        found = sorted(path.relative_to(parts.folder) for path in parts.folder.glob(pattern))
        if pattern.startswith("checkpoints"):
            assert set(names) <= set(found)
            continue
        assert names and names == found
        for name in names:
            ours, theirs = whole.folder / name, parts.folder / name
            if name.suffix in (".csv", ".npy", ".index"):
                assert ours.read_bytes() == theirs.read_bytes(), name
            else:
                assert contents(ours) == contents(theirs), name
    assert [part["step"] for part in parts.record["resumed"]] == [37, 38]


@pytest.mark.usefixtures("with_pictures")
def test_the_report_says_from_where_its_times_are(tmp_path: Path) -> None:
    start(CHANNEL_2D, tmp_path / "run", 5)
    go_on(tmp_path / "run", 7)
    told = eddyline.resume(
        tmp_path / "run", steps=9, threads=1, progress=False, movie=False
    ).report.read_text()
    assert "at steps 5 and 7; times and speed count from there" in told
    assert "Time of the steps by phase since step 7." in told


def test_only_the_newest_two_are_kept(tmp_path: Path) -> None:
    start(CHANNEL_2D, tmp_path / "run", 5)
    for steps in (6, 7, 8):
        go_on(tmp_path / "run", steps)
    kept = sorted(int(path.name) for path in (tmp_path / "run" / "checkpoints").iterdir())
    assert kept == [7, 8]


def test_a_damaged_checkpoint_does_not_count_among_those_that_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "run"
    start(CHANNEL_2D, out, 5)
    go_on(out, 9)
    flip(out / "checkpoints" / f"{9:012d}" / "part-0000.bin")
    go_on(out, 7)
    kept = sorted(int(path.name) for path in (out / "checkpoints").iterdir())
    assert kept == [5, 7]


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["part-0000.bin", "manifest.json"])
def test_a_flipped_byte_makes_the_checkpoint_before_be_used(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = start(CHANNEL_2D, tmp_path / "whole", 60)
    out = tmp_path / "run"
    start(CHANNEL_2D, out, 20)
    go_on(out, 40)
    flip(out / "checkpoints" / f"{40:012d}" / name)
    capfd.readouterr()
    again = go_on(out, 60)
    assert again.fingerprint == whole.fingerprint
    assert again.record["resumed"][-1]["step"] == 20
    said = capfd.readouterr().err
    assert f"{40:012d}: damaged (" in said and "using the previous checkpoint" in said


def test_a_run_that_cannot_be_resumed_gives_the_reason(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    start(CHANNEL_2D, out, 10)
    with pytest.raises(RequestError, match=r"has already reached t = .* s, step 10; give a later until"):
        go_on(out, 10)
    with pytest.raises(FileNotFoundError, match="is not the folder of a run"):
        go_on(tmp_path / "elsewhere", 20)
    text = (out / "world.toml").read_text()
    (out / "world.toml").write_text(text.replace("U = 1.5", "U = 1.4"))
    with pytest.raises(RequestError, match="was changed after the run began"):
        go_on(out, 20)
    (out / "world.toml").write_text(text)
    (out / "checkpoints" / "notes").mkdir()
    (out / "checkpoints" / "1st try").mkdir()
    (out / "checkpoints" / f"{10:012d}" / "manifest.json").write_text("[1]")
    with pytest.raises(RequestError, match=r"no checkpoint is intact, .* can be exported"):
        go_on(out, 20)
    said = capfd.readouterr().err
    assert "damaged" in said and "is used" not in said
    series = (out / "series" / "budget.csv").read_bytes()
    shutil.rmtree(out / "checkpoints")
    with pytest.raises(RequestError, match=r"checkpoints have been removed; `eddyline run .* computes it"):
        go_on(out, 20)
    assert (out / "series" / "budget.csv").read_bytes() == series


def test_a_checkpoint_that_was_not_finished_is_none(tmp_path: Path) -> None:
    def parts():  # type: ignore[no-untyped-def]
        yield b"one"
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        checkpoints.write_checkpoint(tmp_path, parts(), step=3, time=0.1, frames=0, snapshots=0, world="")
    told: list[str] = []
    with pytest.raises(checkpoints.NoCheckpointError):
        checkpoints.find_checkpoint(tmp_path, told.append)
    assert not told and not list(tmp_path.iterdir())


def test_a_killed_run_goes_on_from_what_a_signal_has_saved(tmp_path: Path) -> None:
    path, out = tmp_path / "channel.toml", tmp_path / "run"
    path.write_text(CHANNEL_2D)
    command = [sys.executable, "-m", "eddyline", "run", str(path), "--threads", "1", "--out", str(out), "-q"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    manifests = lambda: list(out.glob("checkpoints/[0-9]*/manifest.json"))  # noqa: E731
    for _ in range(600):
        if (out / "snapshots" / "fluid" / "000001.vtkhdf").exists() and not manifests():
            process.send_signal(signal.SIGUSR1)
            time.sleep(0.1)
        if manifests() or process.poll() is not None:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGSTOP)  # or it might end before it has been looked at
    assert process.poll() is None
    with pytest.raises(RequestError, match=f"{out}: another process is computing this run"):
        go_on(out, 10**6)
    watched = eddyline.Run.open(out)
    assert watched.outcome == "running" and watched.message == ""
    with pytest.raises(RequestError, match=r"did not reach its end \(is being computed\)"):
        replay(out, out=tmp_path / "again", progress=False)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert watched.outcome == eddyline.Run.open(out).outcome == "lost" and ": lost>" in repr(watched)
    assert watched.message.startswith("the run was killed, or its machine stopped; ")
    assert f"`eddyline resume {out}` continues from its last checkpoint" in watched.message
    with pytest.raises(RequestError, match=r"did not reach its end \(was killed\)"):
        replay(out, out=tmp_path / "again", progress=False)
    step = json.loads(manifests()[0].read_text())["step"]
    resumed = go_on(out, step + 30)
    assert watched.outcome == "finished", "a viewer that saw it running sees that it has ended"
    whole = eddyline.run(
        path, steps=step + 30, threads=1, out=tmp_path / "whole", progress=False, movie=False
    )
    assert resumed.fingerprint == whole.fingerprint
    assert compare_runs(whole.folder, resumed.folder).identical
