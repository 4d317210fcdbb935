"""Runs of earlier releases, and of formats to come: read as they are, or refused in one line."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
import small_worlds
from golden_release import (
    EXPECTED,
    QUIETLY,
    RUN,
    contents,
    expected,
    folder_of_this_version,
    golden_values_of_its_kind,
    releases,
    unpack,
)
from lab_server import lab_in_thread
from typer.testing import CliRunner

import eddyline
from eddyline.cli import app
from eddyline.live.journal import JournalError
from eddyline.run import RequestError
from eddyline.run.replay import replay
from eddyline.serve import found
from eddyline.stream.corrupt import CorruptFileError

Made = TypeVar("Made")
LARGEST = 200_000  # bytes of all that a release keeps


@pytest.fixture(params=releases(), ids=lambda folder: folder.name)
def release(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts take longer than these runs."""
    monkeypatch.setattr("eddyline.run.publish.publish", lambda *_, **__: None)


def read_or_refused(release: Path, read: Callable[[], Made]) -> Made | None:
    """The result of `read`; None if it refuses the format of another release, which this one may lack."""
    try:
        return read()
    except (RequestError, CorruptFileError, JournalError) as error:
        assert release != folder_of_this_version(), error
        assert_names_formats(str(error))
        return None


def assert_names_formats(text: str) -> None:
    """One line: the file, which format it has, what this version reads, and what to do."""
    assert len(text.strip().splitlines()) == 1, text
    assert re.search(r"has format \S+", text) and re.search(r"reads (format )?\d", text), text
    assert re.search(r"again|[Uu]se|[Uu]pdate", text), text


def assert_same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Results of later versions may have more quantities."""
    assert set(wanted["quantities"]) <= set(found["quantities"])
    assert found.keys() == wanted.keys()
    for key in found.keys() - {"quantities"}:
        assert found[key] == wanted[key], key


def test_this_release_has_kept_a_run():
    assert folder_of_this_version() in releases()


def test_what_a_release_keeps_is_small(release: Path):
    assert sum(path.stat().st_size for path in release.iterdir()) < LARGEST


def test_the_run_of_a_release_is_read(release: Path, tmp_path: Path):
    folder = unpack(release, tmp_path)
    run = read_or_refused(release, lambda: contents(eddyline.Run.open(folder)))
    if run is not None:
        assert_same(run, expected(release)["run"])


def test_the_run_of_a_release_is_exported(release: Path, tmp_path: Path):
    folder = unpack(release, tmp_path)
    words = ["export", str(folder), "--png", "--csv", "--vtkhdf", "--report", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, words)
    if done.exit_code == 0:
        names = {path.name for path in (tmp_path / "out").rglob("*")}
        assert {"fluid.vtkhdf", "front.csv"} <= names and any(name.endswith(".png") for name in names), names
    else:
        assert release != folder_of_this_version() and done.exit_code == 2, done.output
        assert_names_formats(done.output)


def computed_as_then(release: Path) -> bool:
    """True if golden values show that this version still computes the bits of the release; else resumed runs
    end with other bits."""
    return bool(expected(release)["golden"] == golden_values_of_its_kind())


@pytest.mark.usefixtures("without_pictures")
def test_the_run_of_a_release_goes_on_from_its_checkpoint(release: Path, tmp_path: Path):
    folder = unpack(release, tmp_path)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    run = read_or_refused(release, lambda: eddyline.resume(folder, **QUIETLY))
    if run is None:
        assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    elif computed_as_then(release):
        assert_same(contents(run), expected(release)["resumed"])
    else:
        assert run.outcome == "finished"


@pytest.mark.usefixtures("without_pictures")
def test_the_run_of_a_release_is_repeated_as_its_journal_says(release: Path, tmp_path: Path):
    folder = unpack(release, tmp_path)
    run = read_or_refused(release, lambda: replay(folder, out=tmp_path / "again", **QUIETLY))
    if run is None:
        assert not (tmp_path / "again").exists()
    elif computed_as_then(release):
        assert_same(contents(run), expected(release)["run"])
    else:
        assert run.outcome == "finished"


# --- formats of other versions ------------------------------------------------------------------------------

COMMANDS = {
    "export": ("export", "RUN", "--png", "--out", "OUT"),
    "report": ("export", "RUN", "--report", "--out", "OUT"),
    "resume": ("resume", "RUN", "-q"),
    "replay": ("replay", "RUN", "-q", "--out", "OUT"),
    "compare": ("compare", "RUN", "OTHER"),
}
READ_BY = {
    "run.json": COMMANDS,
    "results.json": ("report",),
    "journal.jsonl": ("resume", "replay", "report"),
    "checkpoints/*/manifest.json": ("resume",),
}
"""Commands that read each file."""


def renumber(folder: Path, pattern: str, number: object) -> None:
    """Gives a file another format number, and nothing else."""
    (path,) = folder.glob(pattern)
    lines = path.read_text(encoding="utf-8")
    entries = lines.splitlines() if path.suffix == ".jsonl" else [lines]
    changed = [json.loads(entry) | {"format": number} for entry in entries]
    assert all("format" in json.loads(entry) for entry in entries), "this file has no number"
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in changed), encoding="utf-8")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(folder_of_this_version(), tmp_path_factory.mktemp("kept"))


@pytest.mark.parametrize("number", [0, 999, "2"])
@pytest.mark.parametrize(
    ("pattern", "command"), [(file, command) for file, commands in READ_BY.items() for command in commands]
)
def test_another_format_is_refused_in_one_line(
    pattern: str, command: str, number: object, kept: Path, tmp_path: Path
):
    folder = shutil.copytree(kept, tmp_path / RUN)
    renumber(folder, pattern, number)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    places = {"RUN": folder, "OTHER": kept, "OUT": tmp_path / "out"}
    done = CliRunner().invoke(app, [str(places.get(word, word)) for word in COMMANDS[command]])
    assert done.exit_code == 2, done.output
    assert_names_formats(done.output)
    assert f"format {number!r}" in done.output and Path(pattern).name in done.output
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert not list((tmp_path / "out").rglob("*"))


@pytest.mark.usefixtures("without_pictures")
def test_an_older_checkpoint_that_can_be_read_is_used(
    kept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    folder = shutil.copytree(kept, tmp_path / RUN)
    (checkpoint,) = (folder / "checkpoints").iterdir()
    newer = shutil.copytree(checkpoint, checkpoint.with_name(f"{int(checkpoint.name) + 1:012d}"))
    renumber(folder, f"checkpoints/{newer.name}/manifest.json", 999)
    assert eddyline.resume(folder, **QUIETLY).outcome == "finished"
    said = [line for line in capsys.readouterr().err.splitlines() if "has format 999" in line]
    assert len(said) == 1 and said[0].endswith("; using the previous checkpoint")


def test_the_writer_of_a_record_is_named(kept: Path, tmp_path: Path):
    folder = shutil.copytree(kept, tmp_path / RUN)
    record = json.loads((folder / "run.json").read_text())
    record |= {"format": 999, "versions": {"eddyline": "7.3.1"}}
    (folder / "run.json").write_text(json.dumps(record))
    with pytest.raises(CorruptFileError, match=r"written by Eddyline 7\.3\.1.* or use Eddyline 7\.3\.1$"):
        eddyline.Run.open(folder)


def test_a_sweep_does_not_delete_a_run_of_another_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    small_worlds.write(tmp_path)
    words = ["sweep", "small.toml", "--set", "domain.spacing=a/4,a/5", "--steps", "3", "--out", "grid", "-q"]
    assert CliRunner().invoke(app, words).exit_code == 0
    (first, _) = sorted(path.parent for path in Path("grid").glob("*/run.json"))
    renumber(first, "run.json", 999)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2 and (first / "world.toml").is_file(), done.output
    assert_names_formats(done.output)
    renumber(Path("grid"), "sweep.json", 999)
    before = Path("grid/sweep.json").read_bytes()
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2 and Path("grid/sweep.json").read_bytes() == before
    assert_names_formats(done.output)


def test_the_list_of_the_lab_stands_with_runs_of_other_formats(kept: Path, tmp_path: Path):
    base = tmp_path / "runs"
    for number, form in ((1, None), (2, 999), (3, "new")):
        folder = shutil.copytree(kept, base / "small" / f"{number:04d}")
        if form is not None:
            renumber(folder, "run.json", form)
    listed = [Path(row.folder).name for row in found.runs(base, "lab", set())]
    assert listed == ["0001", "0002", "0003"]  # what cannot be read is shown, and says why when it is asked
    with lab_in_thread(base) as (client, _, _):
        status, rows = client.call("GET", "runs")
        assert status == 200 and len(rows) == 3
        renumber(base / "small" / "0001", "run.json", 999)
        for row in rows:
            for path in ("", f"/{row['id']}"):
                assert client.call("GET", f"runs{path}")[0] == 200
            status, said = client.call("GET", f"runs/{row['id']}/results")
            assert status == 409 and len(said["problems"]) == 1
        assert_names_formats(said["problems"][0]["message"])


def test_expected_values_are_of_the_run_that_is_kept():
    """They differ before and after it went on, or tests of one could pass with the other."""
    for folder in releases():
        held = expected(folder)
        assert held["run"]["checksum"] != held["resumed"]["checksum"], folder / EXPECTED
        assert held["run"]["steered"] == 3 and held["run"]["frames"] and held["run"]["snapshots"]
