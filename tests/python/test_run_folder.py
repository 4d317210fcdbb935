"""Run folders: numbers, never overwriting, complete files or none."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from eddyline import _core, remote
from eddyline.run.errors import FolderInUseError, RequestError, WriteError
from eddyline.run.folder import RunFolder
from eddyline.stream import atomic
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.series import SeriesFiles, read_series
from eddyline.stream.writer import Writer


def test_numbers_follow_each_other_and_latest_follows(tmp_path: Path) -> None:
    folders = [RunFolder.create("dam", base=tmp_path) for _ in range(3)]
    assert [folder.path.name for folder in folders] == ["0001", "0002", "0003"]
    assert (tmp_path / "dam" / "latest").resolve() == folders[-1].path.resolve()


def test_the_latest_run_stays_the_one_it_was_when_opened(tmp_path: Path) -> None:
    for _ in range(2):
        folder = RunFolder.create("dam", base=tmp_path)
        folder.record.write_text("{}")
        opened = [RunFolder.open(tmp_path / "dam" / name) for name in (".", "latest", "latest/run.json")]
        assert [each.path for each in opened] == 3 * [folder.path]


def test_runs_that_start_together_get_folders_of_their_own(tmp_path: Path) -> None:
    made: list[Path] = []
    threads = [
        threading.Thread(target=lambda: made.append(RunFolder.create("dam", base=tmp_path).path))
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(path.name for path in made) == [f"{k:04d}" for k in range(1, 21)]


def test_names_cannot_leave_the_folder(tmp_path: Path) -> None:
    assert RunFolder.create("../../x y", base=tmp_path).path.parent.parent == tmp_path


def test_out_must_be_new_or_empty(tmp_path: Path) -> None:
    assert RunFolder.create("dam", out=tmp_path / "a" / "b").path == tmp_path / "a" / "b"
    (tmp_path / "empty").mkdir()
    RunFolder.create("dam", out=tmp_path / "empty")
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "thesis.tex").write_text("years of work")
    with pytest.raises(FolderInUseError, match="not empty"):
        RunFolder.create("dam", out=tmp_path / "used")
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderInUseError, match="is a file"):
        RunFolder.create("dam", out=tmp_path / "file")
    with pytest.raises(WriteError, match="part of the path is a file"):
        RunFolder.create("dam", out=tmp_path / "file" / "below")


def test_out_at_a_url_is_shown_as_given() -> None:
    with pytest.raises(RequestError, match='out = "http://host/a": a run is written to a local folder'):
        RunFolder.create("dam", out=Path("http://host/a"))


def test_urls_without_fsspec_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(remote.RemoteError) as raised:
        RunFolder.open("ftp://host/run")
    told = "URLs require the package fsspec, which is not installed; pip install fsspec"
    assert str(raised.value) == f"ftp://host/run: {told}"


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (StopIteration(), "no such file or folder"),
        (socket.gaierror(-2, "Name or service not known"), "the host is unknown"),
        (OSError("Cannot connect to host a.invalid:443 [Name or service not known]"), "the host is unknown"),
        (OSError("Cannot connect to host a:443 [Connection refused]"), "cannot be reached: Cannot connect"),
    ],
)
def test_errors_of_servers_are_explained(error: Exception, told: str) -> None:
    assert f"ftp://host/run: {told}" in str(remote._explained("ftp://host/run", error, writing=False))


def test_out_must_not_lie_in_the_folder_of_a_run(tmp_path: Path) -> None:
    folder = RunFolder.create("dam", out=tmp_path / "run")
    folder.write_record({"outcome": "finished"})
    for inside in (folder.path / "series", folder.path / "pictures" / "new", folder.path):
        with pytest.raises(FolderInUseError, match=r"is (inside the|the folder of a) run.*outside it$"):
            RunFolder.create("dam", out=inside)
        with pytest.raises(FolderInUseError, match=r"itself; give another folder$"):
            RunFolder.check_outside(inside, beside_parts=True)
    RunFolder.check_outside(folder.path / "export" / "wide", beside_parts=True)
    RunFolder.check_outside(tmp_path)


def test_open_takes_the_folder_a_file_in_it_or_the_world(tmp_path: Path) -> None:
    folder = RunFolder.create("dam", base=tmp_path)
    folder.write_record({"outcome": "finished"})
    for given in (folder.path, folder.record, tmp_path / "dam"):
        assert RunFolder.open(given).read_record()["outcome"] == "finished"
    with pytest.raises(FileNotFoundError, match="is not the folder of a run"):
        RunFolder.open(tmp_path)


def test_a_world_whose_latest_run_was_deleted_has_the_one_before(tmp_path: Path) -> None:
    first, second = (RunFolder.create("dam", base=tmp_path) for _ in range(2))
    first.write_record({"outcome": "finished"})
    shutil.rmtree(second.path)
    assert (tmp_path / "dam" / "latest").is_symlink()
    assert RunFolder.open(tmp_path / "dam").path == first.path


def told_of(path: str) -> str:
    with pytest.raises(FileNotFoundError) as caught:
        RunFolder.open(path)
    return str(caught.value)


def test_a_run_that_was_meant_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    RunFolder.create("dam_break").write_record({"outcome": "finished"})
    RunFolder.create("channel")  # has no run.json yet
    words = "is not the folder of a run (it has no run.json)"
    for given in ("dam_break", "dam_brek", "runs/dam_brek", "worlds/dam_break.toml"):
        assert told_of(given) == f"{given}: {words}. Did you mean runs/dam_break?"
    assert told_of("volcano") == f"volcano: {words}"
    assert told_of("channel") == f"channel: {words}"


def test_the_runs_of_a_sweep_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sweep = Path("runs/dam/sweeps/0001")
    sweep.mkdir(parents=True)
    (sweep / "sweep.json").touch()
    assert told_of(str(sweep)) == f"{sweep}: is a sweep without runs; run the sweep again"
    for point in ("a=0.1", "a=0.2"):
        RunFolder.create("dam", out=sweep / point).write_record({})
    assert (
        told_of(str(sweep)) == f"{sweep}: is a sweep with the runs a=0.1 and a=0.2; write e.g. {sweep}/a=0.1"
    )


def test_a_disk_without_room_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.write_bytes

    def write(path: Path, data: bytes) -> int:
        real(path, data[:100])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", write)
    with pytest.raises(WriteError, match="disk full"):
        RunFolder.create("dam", out=tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", ["", "{", "[1]", "{}"])
def test_a_damaged_record_is_one_line(content: str, tmp_path: Path) -> None:
    folder = RunFolder.create("dam", base=tmp_path)
    folder.record.write_text(content)
    with pytest.raises(CorruptFileError, match=f"{folder.record}: damaged"):
        RunFolder.open(folder.path).read_record()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    atomic.write_json(path, {"a": np.float64(1.5), "b": float("nan"), "c": np.arange(2)})
    assert json.loads(path.read_text()) == {"a": 1.5, "b": None, "c": [0, 1]}
    with pytest.raises(RuntimeError), atomic.replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert json.loads(path.read_text())["a"] == 1.5
    assert [item.name for item in tmp_path.iterdir()] == ["x.json"]


def test_an_error_in_the_writer_is_raised_once_and_later_jobs_are_dropped() -> None:
    done: list[int] = []

    def fail() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    writer = Writer()
    writer.put(lambda: done.append(1))
    writer.put(fail)
    with pytest.raises(OSError, match="No space left"):
        for k in range(100):
            writer.put(lambda k=k: done.append(100 + k))  # type: ignore[misc]
        writer.close()
    writer.close()
    assert done == [1]


def test_series_round_trip_with_units(tmp_path: Path) -> None:
    files = SeriesFiles(tmp_path)
    rows = np.array([[0.0, 1 / 3], [0.1, -2.5e-300]])
    files.append({"front": (["time", "position"], ["s", "m"], rows)})
    files.append({"front": (["time", "position"], ["s", "m"], rows + 1)})
    text = (tmp_path / "front.csv").read_text()
    assert text.startswith("time [s],position [m]\n")
    frame = read_series(tmp_path / "front.csv")
    assert list(frame.columns) == ["time", "position"]
    assert frame.attrs["units"] == {"time": "s", "position": "m"}
    assert np.array_equal(frame.values, np.vstack([rows, rows + 1]))


def test_numbers_of_series_are_the_shortest_that_give_the_same_double() -> None:
    known = {0.1: "0.1", 3.0: "3", -2.0: "-2", 0.0: "0", 1e-4: "0.0001", 1e-5: "1e-05", 1e15: "1" + 15 * "0"}
    known |= {1e16: "1e+16", 5e-324: "5e-324", 1 / 3: "0.3333333333333333", np.inf: "inf", -np.nan: "nan"}
    assert _core.series_lines(np.array([list(known)])).decode() == ",".join(known.values()) + "\n"
    bits = np.random.default_rng(1).integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    any_number = bits[np.isfinite(bits)]
    lines = _core.series_lines(any_number[:, None]).decode().splitlines()
    assert np.array_equal(np.array([float(line) for line in lines]), any_number)


def test_a_line_cut_short_by_a_kill_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "front.csv").write_text("time [s],position [m]\n0,1\n0.1,2\n0.2,0.00")
    assert read_series(tmp_path / "front.csv")["time"].tolist() == [0.0, 0.1]
    (tmp_path / "front.csv").write_text("time [s],pos")
    with pytest.raises(CorruptFileError, match="no header"):
        read_series(tmp_path / "front.csv")


def test_series_of_an_older_version_keep_their_columns(tmp_path: Path) -> None:
    """A run that goes on in a version whose budgets tell more."""
    (tmp_path / "budget.csv").write_text("time [s],mass [kg]\n0,1\n1,1\n", encoding="utf-8")
    files = SeriesFiles(tmp_path)
    files.cut(0.5)
    rows = np.array([[0.7, 0.25, 2.0]])
    files.append({"budget": (["time", "under_tension", "mass"], ["s", "1", "kg"], rows)})
    assert (tmp_path / "budget.csv").read_text() == "time [s],mass [kg]\n0,1\n0.7,2\n"
