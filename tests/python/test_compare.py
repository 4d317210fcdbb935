"""Two runs side by side: what counts as the same, what is told about a difference, and the exit codes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import small_worlds
from matplotlib.figure import Figure
from typer.testing import CliRunner

import eddyline
from eddyline.cli import app
from eddyline.compare import compare_runs
from eddyline.compare.particles import match
from eddyline.compare.series import differences, tell
from eddyline.run import RequestError, Run
from eddyline.run.folder import RunFolder
from eddyline.world import World

pytestmark = pytest.mark.usefixtures("no_pictures")

INFINITE = np.array([np.inf, np.inf])


def run(out: Path, *, steps: int = 60, boxes: int = 1, text: str = small_worlds.DAM) -> Run:
    world = World.from_text(text, "small_dam")
    return eddyline.run(world, steps=steps, boxes=boxes, threads=1, out=out, progress=False)


def snapshot(**changes: object) -> dict[str, object]:
    one: dict[str, object] = {
        "time": 0.5,
        "step": 10,
        "id": np.array([3, 5, 8]),
        "position": np.array([[0.1, 0.2], [0.3, 0.2], [0.95, 0.2]]),
        "velocity": np.zeros((3, 2)),
        "density": np.full(3, 1000.0),
    }
    return one | changes


def test_the_same_world_in_other_pieces_is_identical(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a"), run(tmp_path / "b", boxes=3)
    found = compare_runs(a, b)
    assert found.identical and found.same_world and found.divergence is None
    assert len(found.moments) == a.snapshot_count > 2
    assert found.moments[-1].step == 60 and found.moments[-1].particles > 100
    assert "identical" in found.text() and "bit for bit" in found.text()
    assert found.speed().startswith("time: ") and "speedup" not in found.speed()
    found.b.record["ranks"] = 4
    found.a.record["wall_seconds"], found.b.record["wall_seconds"] = 9.0, 3.0
    assert found.speed() == (
        "time: 9 s on 1 rank of 1 thread, 3 s on 4 ranks of 1 thread: speedup 3.00, efficiency 75%"
    )
    found.a.record["threads"] = 2
    assert found.speed().endswith("speedup 3.00, efficiency 150%")
    found.a.record["threads"] = 4
    assert found.speed().endswith("speedup 3.00"), "on as many cores there is no efficiency"
    result = CliRunner().invoke(app, ["compare", str(a.folder), str(b.folder)])
    assert result.exit_code == 0
    axes = Figure().add_subplot()
    found.draw(axes)
    assert axes.get_xlim() == (0, found.moments[-1].time) and not axes.get_yticks().size
    result = CliRunner().invoke(app, ["compare", str(a.folder), str(b.folder), "--picture", "error.foo"])
    assert result.exit_code == 2 and result.output == "--picture error.foo: must end in .png, .svg or .pdf\n"


def test_a_run_that_begins_as_another_is_no_other(tmp_path: Path) -> None:
    found = compare_runs(run(tmp_path / "a"), run(tmp_path / "b", steps=90))
    assert not found.identical and found.first is None and found.series
    assert "one run is longer; the common part is bit-identical" in found.text()


def test_moments_without_a_partner_are_reported(tmp_path: Path) -> None:
    often = small_worlds.DAM.replace("snapshots = 3", "snapshots = 60")
    assert often != small_worlds.DAM
    a, b = run(tmp_path / "a"), run(tmp_path / "b", text=often)
    assert a.snapshot_count != b.snapshot_count
    found = compare_runs(a, b)
    alone = [run.snapshot_count - len(found.moments) for run in (a, b)]
    assert found.identical and max(alone) > 0
    assert "; snapshots without a counterpart: " in found.text()
    rows = pd.read_csv(b.folder / "series" / "budget.csv")
    rows.iloc[-1, 2] += 1
    rows.to_csv(b.folder / "series" / "budget.csv", index=False)
    kept = RunFolder(b.folder)
    kept.write_record(kept.read_record() | {"files": kept.digests(complete=True)})
    told = compare_runs(a.folder, b.folder).text()
    last = found.moments[-1].time
    assert "different: the series differ. The particles are identical at all" in told
    assert f"until t = {last:.6g} s; snapshots without a counterpart: " in told


def test_a_tiny_difference_is_found_with_its_particle(tmp_path: Path) -> None:
    other = small_worlds.DAM.replace("g = 9.81", "g = 9.8100000001")
    assert other != small_worlds.DAM
    a, b = run(tmp_path / "a"), run(tmp_path / "b", text=other)
    found = compare_runs(a.folder, b.folder)
    assert not found.identical and not found.same_world
    first = found.first
    assert first is not None and first.differing > 0
    errors = found.table()["max_error"].to_numpy()
    assert 0 < errors[-1] < 1e-8
    assert found.divergence is not None and len(found.divergence.neighbors) == 4
    assert ("budget", "kinetic_energy") in {(item.series, item.column) for item in found.series}
    csv, picture = tmp_path / "moments.csv", tmp_path / "error.png"
    words = ["compare", str(a.folder), str(b.folder), "--csv", str(csv), "--picture", str(picture)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 1
    assert f"particle {found.divergence.id} differs most there: position is (" in result.output
    assert f"in the snapshots at step {first.step}, {first.differing} of" in result.output
    assert len(pd.read_csv(csv)) == len(found.moments)
    assert picture.stat().st_size > 5000


def test_runs_that_start_at_the_same_places_say_what_differs(tmp_path: Path) -> None:
    other = small_worlds.DAM.replace('pressure = "hydrostatic"', "")
    assert other != small_worlds.DAM
    a, b = run(tmp_path / "a"), run(tmp_path / "b", text=other)
    told = compare_runs(a.folder, b.folder).text()
    assert "all positions are identical, but particles differ in density" in told and "astray" not in told
    assert re.search(r"in the snapshots at step 0, \d+ of \d+ particles differ; lowest ids: \d+, \d+", told)
    assert re.search(r"particle \d+ differs most there: density is \d+\.\d+ in A\n +1000\.0 in B", told)


def test_the_first_step_at_which_two_runs_part_is_found_from_their_checksums(tmp_path: Path) -> None:
    text = small_worlds.DAM
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, boxes in zip(folders, (1, 2), strict=True):
        world = World.from_text(text, "small_dam")
        eddyline.run(world, steps=30, boxes=boxes, threads=1, out=folder, checksums=1, progress=False)
    lines = (folders[0] / "checksums.csv").read_text().splitlines()
    assert lines[0] == "step,checksum" and [int(line.split(",")[0]) for line in lines[1:]] == list(
        range(1, 31)
    )
    assert (folders[0] / "checksums.csv").read_bytes() == (folders[1] / "checksums.csv").read_bytes()
    assert compare_runs(*folders).identical

    lines[18] = lines[18][:-1] + ("0" if lines[18][-1] != "0" else "1")
    (folders[1] / "checksums.csv").write_text("\n".join(lines) + "\n")
    folder = RunFolder(folders[1])
    folder.write_record(folder.read_record() | {"files": folder.digests(complete=True)})
    parted = compare_runs(*folders)
    assert not parted.identical
    assert "checksums first differ at step 18; they are equal at step 17" in parted.text()


def test_runs_without_a_common_moment_cannot_be_compared(tmp_path: Path) -> None:
    a, b = run(tmp_path / "a", steps=7), run(tmp_path / "b", steps=9)
    assert a.snapshot(-1)["step"] == 7
    with pytest.raises(RequestError, match="no common step or time except the start"):
        compare_runs(a, b)
    result = CliRunner().invoke(app, ["compare", str(a.folder), str(b.folder)])
    assert result.exit_code == 2
    missing = CliRunner().invoke(app, ["compare", str(a.folder), str(tmp_path / "none")])
    assert missing.exit_code == 2 and "is not the folder of a run" in missing.output


def test_runs_without_snapshots_are_compared_by_their_checksums(tmp_path: Path) -> None:
    sets = {"method.name": "multiblock", "domain.spacing": "D/8", "output.pictures": 1, "output.snapshots": 0}
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, boxes in zip(folders, (1, 2), strict=True):
        world = World.load("cylinder", sets)
        eddyline.run(world, steps=4, boxes=boxes, out=folder, checksums=2, movie=False, report=False)
    found = compare_runs(*folders)
    assert found.identical and found.sums == (2, 4) and len(found.table()) == 0
    assert "identical: 2 checksums up to step 4 and 9 series, bit for bit" in found.text()
    drawn = tmp_path / "compared.png"
    found.save_picture(drawn)
    assert drawn.stat().st_size > 1000
    export = CliRunner().invoke(app, ["export", str(folders[0]), "--vtkhdf"])
    assert export.exit_code == 2 and "output.snapshots" in export.output

    world = World.load("cylinder", sets | {"method.dissipation": 0.02})
    eddyline.run(world, steps=4, out=tmp_path / "other", movie=False, report=False)
    other = compare_runs(folders[0], tmp_path / "other")
    assert not other.identical and not other.same_world
    told = other.text()
    assert "different: checksums first differ at step 4, the first that both runs have; runs with" in told


def test_particles_are_matched_by_id() -> None:
    a = snapshot()
    b = snapshot(
        id=np.array([5, 8, 9]),
        position=np.array([[0.3, 0.2], [0.95, 0.25], [0.1, 0.2]]),
    )
    moment, divergence = match(a, b, INFINITE)
    assert (moment.particles, moment.only_a, moment.only_b, moment.differing) == (2, 1, 1, 1)
    assert moment.max_error == pytest.approx(0.05) and moment.mean_error == pytest.approx(0.025)
    assert divergence is not None and divergence.id == 8 and divergence.neighbors[0][0] == 5
    assert not moment.identical


def test_a_particle_that_went_round_a_periodic_side_is_near() -> None:
    position = np.array([[0.1, 0.2], [0.3, 0.2], [-0.04, 0.2]])
    moment, _ = match(snapshot(), snapshot(position=position), np.array([1.0, np.inf]))
    assert moment.max_error == pytest.approx(0.01)


@pytest.mark.parametrize(("name", "value"), [("velocity", -0.0), ("density", np.nextafter(1000.0, 2000.0))])
def test_every_bit_counts(name: str, value: float) -> None:
    changed = np.array(snapshot()[name], copy=True)
    changed[1] = value
    moment, divergence = match(snapshot(), snapshot(**{name: changed}), INFINITE)
    assert moment.differing == 1 and moment.max_error == 0
    assert divergence is not None and divergence.id == 5
    assert match(snapshot(), snapshot(), INFINITE)[0].identical
    assert not match(snapshot(), snapshot(time=0.5000001), INFINITE)[0].identical


def test_series_that_differ_are_named_with_time_and_size() -> None:
    a = pd.DataFrame({"time": [0.0, 1.0, 2.0], "force": [1.0, 2.0, 4.0], "same": [1.0, np.nan, 1.0]})
    b = pd.DataFrame({"time": [0.0, 1.0, 2.0], "force": [1.0, 2.0, 4.4], "same": [1.0, np.nan, 1.0]})
    (found,) = differences("post", a, b)
    assert (found.series, found.column, found.time) == ("post", "force", 2.0)
    assert found.largest == pytest.approx(0.1)
    assert list(tell([found])) == [
        "post: 1 column from t = 2 s on; largest in force, up to 0.1 of its largest value"
    ]
    assert differences("post", a, a) == []
    short = differences("post", a, b.iloc[:2].rename(columns={"same": "other"}))
    assert list(tell(short)) == ["post: 3 rows in A, 2 in B", "post.same: only in A", "post.other: only in B"]


@pytest.mark.parametrize("damage", [b"time [s],x [1]\n0,1\n0.1,one\n", b"\xff\xfe\n\x80\n"])
def test_a_damaged_series_is_one_line(damage: bytes, tmp_path: Path) -> None:
    one = run(tmp_path / "a", steps=20)
    run(tmp_path / "b", steps=20)
    path = one.folder / "series" / "budget.csv"
    path.write_bytes(damage)
    for words in (["compare", str(one.folder), str(tmp_path / "b")], ["export", str(one.folder), "--report"]):
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 2 and f"{path}: damaged (" in result.output, result.output
    path.write_bytes(damage.replace(b"0.1", b"what"))
    before = {each: each.read_bytes() for each in path.parent.iterdir()}
    result = CliRunner().invoke(app, ["resume", str(one.folder), "--steps", "30", "-q"])
    assert result.exit_code == 2 and f"{path}: damaged (" in result.output, result.output
    assert {each: each.read_bytes() for each in path.parent.iterdir()} == before
