"""Damaged files of a run tell, each in one line."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import fuzz_files
import numpy as np
import pytest
import small_worlds
from typer.testing import CliRunner

from eddyline.cli import app
from eddyline.run import Run
from eddyline.run.folder import RunFolder
from eddyline.stream import integrity
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.frames import FrameFiles, FrameStore, Known, Picture


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fuzz_files.make_run(tmp_path_factory.mktemp("whole"))


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


@pytest.mark.matrix
def test_no_damage_gives_other_numbers(whole: Path, tmp_path: Path) -> None:
    fuzz = fuzz_files.Fuzz(whole, tmp_path, seed=1)
    fuzz.go(300)
    assert not fuzz.failures, "\n".join(fuzz.failures)
    assert sum(fuzz.told.values()) > 150


def test_fuzzing_notices_what_is_not_told(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If nothing is verified, a flipped bit gives other numbers."""
    monkeypatch.setattr(integrity, "_digest_of", lambda file, size: integrity._read_trailer(Path(), file)[2])
    fuzz = fuzz_files.Fuzz(whole, tmp_path, seed=1)
    monkeypatch.setattr(fuzz, "_names", [name for name in fuzz._names if "snapshots/fluid/" in name])
    monkeypatch.setattr(fuzz_files, "CHANGES", {"flip": (fuzz_files.flip, 1)})
    fuzz.go(20)
    assert any("other numbers" in failure for failure in fuzz.failures)


# --- results and records of wrong types ---------------------------------------------------------------------


def rewrite(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    """As version 0.1 would have written it, without a checksum."""
    value = json.loads(path.read_text())
    value = {key: item for key, item in value.items() if key != "digest"} | {"format": 1}
    change(value)
    path.write_text(json.dumps(value))


@pytest.mark.parametrize(
    "wrong",
    [
        {"values": 3},
        {"values": [3]},
        {"values": [{"name": "x"}]},
        {"expectations": {"a": 1}},
        {"series": {"budget": 1.5}},
        {"series": {"budget": {"max_speed": {"max": "fast"}}}},
        {"flows": []},
    ],
)
def test_results_of_wrong_types_are_one_line(run: Path, wrong: dict[str, object]) -> None:
    rewrite(run / "results.json", lambda value: value.update(wrong))
    opened = Run.open(run)
    assert len(opened.series("budget")) > 3 and opened.snapshot(0)["step"] == 0  # what is sound is given
    for read in (opened.table, opened.values, lambda: opened.results, opened._repr_html_):
        with pytest.raises(CorruptFileError, match=r"results\.json: damaged \("):
            read()
    for words in (["export", str(run), "--csv"], ["export", str(run), "--report"]):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 2 and "results.json: damaged (" in done.output, done.output


@pytest.mark.parametrize("wrong", [{"steps": "many"}, {"files": 3}, {"machine": []}, {"outcome": 1}])
def test_a_record_of_wrong_types_is_one_line(run: Path, wrong: dict[str, object]) -> None:
    rewrite(run / "run.json", lambda value: value.update(wrong))
    for words in (["export", str(run), "--csv"], ["compare", str(run), str(run)], ["replay", str(run)]):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 2 and "run.json: damaged (" in done.output, done.output


@pytest.mark.parametrize("part", ["machine", "versions", "statistics", "started", "wall_seconds"])
def test_a_report_with_missing_parts_is_one_line(run: Path, part: str) -> None:
    rewrite(run / "run.json", lambda value: value.pop(part))
    done = CliRunner().invoke(app, ["export", str(run), "--report"])
    assert done.exit_code == 2 and done.output.count("\n") == 1, done.output
    assert f"run.json: damaged (it has no '{part}')" in done.output


# --- other versions -----------------------------------------------------------------------------------------


def test_what_has_no_checksums_is_read_as_it_is(run: Path) -> None:
    """As version 0.1 has left it."""
    before = {name: fuzz_files.outcome(read) for name, read in fuzz_files.parts(run).items()}
    rewrite(run / "run.json", lambda value: value.pop("files"))
    rewrite(run / "results.json", lambda value: None)
    pictures = run / "pictures"
    rows = FrameStore(pictures).index
    old = np.zeros(len(rows), dtype=[("time", "<f8"), ("step", "<i8"), ("end", "<i8")])
    for name in ("time", "step", "end"):
        old[name] = rows[name]
    (pictures / "frames.index").write_bytes(old.tobytes())
    for path in [*run.rglob("*.vtkhdf"), run / "timeline.h5"]:
        import h5py

        os.truncate(path, path.stat().st_size - integrity.TRAILER_BYTES)
        with h5py.File(path, "r+") as file:
            del file.attrs["format"]
    after = {name: fuzz_files.outcome(read) for name, read in fuzz_files.parts(run).items()}
    same = before.keys() - {"record", "results"}  # their formats differ
    assert {name: after[name] for name in same} == {name: before[name] for name in same}
    with FrameFiles(pictures) as files:  # a frame that is added has the others summed, too
        files.append(Picture(1.0, 99, (0, 0), (2, 1), {"speed": Known.of(np.ones((4, 8), np.float32))}, {}))
    store = FrameStore(pictures)
    assert store.has_checksums and len(store) == len(rows) + 1 and store.read(-1, "speed").step == 99
    assert store.read(0, "speed").step == 0


def test_a_newer_format_is_refused_in_one_line(run: Path) -> None:
    import h5py

    folder = RunFolder(run)
    record = folder.read_record()
    for newer in (3, 0, "two", True):
        folder.record.write_text(json.dumps(integrity.with_digest(record | {"format": newer})))
        with pytest.raises(CorruptFileError, match=rf"has format {newer!r}, .* reads format 1 to 2\."):
            folder.read_record()
    folder.write_record(record)
    path = run / "snapshots" / "fluid" / "000000.vtkhdf"
    os.truncate(path, path.stat().st_size - integrity.TRAILER_BYTES)
    with pytest.raises(CorruptFileError, match="its checksum is missing"):
        Run.open(run).snapshot(0)
    with h5py.File(path, "r+") as file:
        file.attrs["format"] = 3
    with pytest.raises(CorruptFileError, match="reads format 1 to 2"):
        Run.open(run).snapshot(0)


# --- no memory for what is only claimed ---------------------------------------------------------------------


def test_a_header_that_claims_much_takes_no_memory(run: Path) -> None:
    import h5py

    path = run / "snapshots" / "fluid" / "000000.vtkhdf"
    os.truncate(path, path.stat().st_size - integrity.TRAILER_BYTES)
    with h5py.File(path, "r+") as file:
        del file.attrs["format"]
        file["VTKHDF/NumberOfPoints"][0] = 1 << 40
        del file["VTKHDF/PointData/density"]
        file["VTKHDF/PointData"].create_dataset("density", (1 << 40,), "f8", chunks=(1024,))
    with fuzz_files.limited(), pytest.raises(CorruptFileError, match=r"claims|numbers for"):
        Run.open(run).snapshot(0)
    frames = run / "pictures" / "frames.npy"
    content = frames.read_bytes()
    frames.write_bytes(content.replace(b"'<u2', (", b"'<u2', (9999999", 1)[: len(content)])
    with fuzz_files.limited(), pytest.raises(CorruptFileError, match=r"frames\.npy: damaged"):
        FrameStore(run / "pictures").read(0, "speed")


# --- commands -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", [fuzz_files.to_folder, fuzz_files.to_loop, fuzz_files.to_pipe])
@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("series/budget.csv", ["export", "RUN", "--csv"]),
        ("pictures/frames.npy", ["export", "RUN", "--png"]),
        ("pictures/frames.index", ["export", "RUN", "--png"]),
        ("snapshots/fluid/000001.vtkhdf", ["export", "RUN", "--vtkhdf"]),
        ("timeline.h5", ["export", "RUN", "--timeline"]),
        ("world.toml", ["export", "RUN", "--png"]),
        ("run.json", ["compare", "RUN", "RUN"]),
        ("checksums.csv", ["compare", "RUN", "RUN"]),
        ("journal.jsonl", ["replay", "RUN"]),
        ("world.toml", ["resume", "RUN", "--steps", "70"]),
    ],
)
def test_commands_tell_of_what_is_no_file(
    run: Path, change: fuzz_files.Change, part: str, words: list[str]
) -> None:
    change(run / part, np.random.default_rng(1), [])
    done = CliRunner().invoke(app, [word.replace("RUN", str(run)) for word in words])
    assert done.exit_code == 2, done.output
    *made, line = done.output.splitlines()
    assert line.startswith(f"{run / part}: damaged ("), done.output
    assert all(Path(path).is_file() for path in made)  # what is sound is made before


def test_an_index_of_snapshots_that_is_damaged_is_made_anew(run: Path, tmp_path: Path) -> None:
    path = run / "snapshots" / "fluid.vtkhdf"
    whole = path.read_bytes()
    fuzz_files.flip(path, np.random.default_rng(1), [])
    assert path.read_bytes() != whole
    done = CliRunner().invoke(app, ["export", str(run), "--vtkhdf", "--out", str(tmp_path / "out")])
    assert done.exit_code == 0 and path.read_bytes() == whole, done.output


@pytest.mark.parametrize("content", ["", "[1]", '{"settings": 3}', '{"world": "x", "digest": "0"}'])
def test_a_damaged_sweep_is_one_line(content: str, tmp_path: Path) -> None:
    world = small_worlds.write(tmp_path)
    (tmp_path / "sweep").mkdir()
    (tmp_path / "sweep" / "sweep.json").write_text(content)
    words = [
        "sweep",
        str(world),
        "--set",
        "let.a=0.04,0.05",
        "--steps",
        "1",
        "--out",
        str(tmp_path / "sweep"),
    ]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2 and f"{tmp_path / 'sweep' / 'sweep.json'}: damaged (" in done.output, (
        done.output
    )
    assert [path.name for path in (tmp_path / "sweep").iterdir()] == ["sweep.json"]


def test_a_checkpoint_that_is_no_file_is_passed_over(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (manifest,) = run.glob("checkpoints/*/manifest.json")
    for change in (fuzz_files.to_pipe, fuzz_files.to_loop):
        change(manifest, np.random.default_rng(1), [])
        done = CliRunner().invoke(app, ["resume", str(run), "--steps", "70"])
        assert done.exit_code == 2 and "no checkpoint is intact" in done.output, done.output


def test_the_list_of_the_lab_has_a_run_whose_frames_are_damaged(run: Path) -> None:
    from eddyline.serve.stored_runs import frame_count, moments

    assert frame_count(run) == len(moments(run)) > 1
    fuzz_files.scramble(run / "pictures" / "frames.index", np.random.default_rng(1), [])
    assert frame_count(run) >= 0
    with pytest.raises(CorruptFileError):
        moments(run)
