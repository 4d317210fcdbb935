"""The benchmarks run, and their records hold what a history of them needs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from eddyline import _core
from eddyline.bench import command, machine, main, step
from eddyline.bench.worlds import CASES

KEYS = {
    "case", "dim", "scheme", "particles", "neighbours", "threads", "evals_per_second", "pairs_per_second",
    "ns_per_pair", "passes", "limit_fraction", "bytes_per_particle", "list_bytes_per_pair",
    "phases", "checksum", "commit",
}  # fmt: skip


def test_step_writes_a_record_for_each_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(step, "_WORK", 2000)
    monkeypatch.setattr(step, "WARM_UP", 2)
    monkeypatch.setattr(command, "available_cores", lambda: 2)
    path = tmp_path / "bench.json"
    assert main(["step", "--sizes", "500", "--threads", "1,2", "--dim", "2", "--json", str(path)]) == 0
    records = json.loads(path.read_text())
    assert [(r["case"], r["dim"], r["threads"]) for r in records] == [
        ("box", 2, 1), ("box", 2, 2), ("dam", 2, 1), ("dam", 2, 2),
    ]  # fmt: skip
    for record in records:
        assert record.keys() >= KEYS
        assert 400 <= record["particles"] <= 600
        assert record["evals_per_second"] > 0
        assert record["pairs_per_second"] == pytest.approx(record["evals_per_second"] * record["neighbours"])
        assert record["ns_per_pair"] == pytest.approx(1e9 / record["pairs_per_second"])
        assert 30 < record["neighbours"] < 60
        assert record["limit_fraction"] is None or 0 < record["limit_fraction"] < 1
        assert {"rates", "forces"} <= record["phases"].keys()
        assert sum(record["phases"].values()) == pytest.approx(1e9 / record["evals_per_second"])
        assert record["clock"] == ("core" if record["threads"] == 1 else "wall")
        assert 4 < record["list_bytes_per_pair"] < 40
    assert records[0]["checksum"] == records[1]["checksum"] != records[2]["checksum"]
    shown = capsys.readouterr().out
    assert "M evals/s" in shown
    assert "Growth" not in shown, "there is one size only"


@pytest.mark.parametrize(
    ("case", "dim", "size", "most"),
    [("box", 2, 10_000, 200), ("dam", 2, 10_000, 200), ("dam", 3, 10_000, 200), ("box", 3, 100_000, 250)],
)
def test_particles_take_little_memory_beside_lists(case: str, dim: int, size: int, most: float):
    simulation = _core.Simulation(CASES[case](dim, size, "delta").core, threads=1, series_interval=1e9)
    simulation.advance(np.inf, 5, np.inf)
    now = simulation.statistics()
    particles = now["fluid_particles"] + now["wall_particles"]
    assert (now["memory_bytes"] - now["list_bytes"]) / particles < most


def test_growth_and_roofline_of_two_schemes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(step, "_WORK", 1000)
    monkeypatch.setattr(step, "WARM_UP", 2)
    monkeypatch.setattr(machine, "COPY_BYTES", 1 << 20)
    monkeypatch.setattr(machine, "REPETITIONS", 2)
    monkeypatch.setattr(step, "REPETITIONS", 2)
    picture, path = tmp_path / "roof.png", tmp_path / "bench.json"
    words = ["step", "--case", "box", "--case", "gas", "--dim", "2", "--sizes", "400,900", "--threads", "1"]
    words += ["--scheme", "delta", "--scheme", "classic", "--picture", str(picture), "--json", str(path)]
    assert main(words) == 0
    found = [(r["case"], r["scheme"], r["particles"]) for r in json.loads(path.read_text())]
    assert found == [
        ("box", "delta", 400), ("box", "delta", 900), ("box", "classic", 400), ("box", "classic", 900),
        ("gas", "classic", 400), ("gas", "classic", 900),
    ]  # fmt: skip
    with Image.open(picture) as image:
        assert image.format == "PNG" and image.width > 600
    assert capsys.readouterr().out.count("900: ") == 3


def test_a_step_is_the_median_without_rebuilds_and_their_mean():
    timed = step._Timed.__new__(step._Timed)
    timed.steps = 10
    repetitions = [
        (20.0, 0.5),
        (10.0, 0.0),
        (10.0, 0.0),
        (100.0, 0.0),
        (10.0, 0.0),
    ]  # seconds, rebuilds' share
    timed.done = [step._Repetition(s, s, s, share, (1.0, True), 1) for s, share in repetitions]
    assert timed._step([1.0] * 5) == pytest.approx((10.0 + 10.0 / 5) / 10)


def test_the_share_of_a_limit_that_was_never_ours_is_unknown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(step, "_WORK", 500)
    monkeypatch.setattr(step, "WARM_UP", 1)
    for ours in (False, True):
        monkeypatch.setattr(step, "arithmetic_limit", lambda *of, ours=ours: (1e12, ours))
        (record,) = step.measure(["box"], [2], [400], [1])
        assert (record.limit_fraction is not None) is ours


@pytest.mark.parametrize(
    ("case", "scheme", "sums"),
    [
        ("box", "delta", "confined"),
        ("dam", "delta", "free surface"),
        ("dam", "classic", "liquid"),
        ("gas", "classic", "gas"),
    ],
)
def test_steps_are_measured_against_the_arithmetic_of_their_own_sums(case: str, scheme: str, sums: str):
    assert machine.sums_of(CASES[case](2, 1000, scheme)) == sums


def test_an_unknown_arithmetic_of_sums_is_refused():
    with pytest.raises(ValueError, match="must be confined, free surface, liquid or gas"):
        _core.arithmetic_limit(2, "viscous")


def test_a_limit_that_others_disturbed_is_replaced_by_the_best():
    assert machine.best_known([(5.0, True), (2.0, False), (7.0, True)]) == [5.0, 7.0, 7.0]


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize(
    "case", ["box", "dam", "jet", "corner", pytest.param("splash", marks=pytest.mark.matrix)]
)
def test_worlds_have_about_the_wanted_number_of_particles(case: str, dim: int):
    estimate = _core.estimate(CASES[case](dim, 4000, "delta").core)
    assert 2600 <= estimate.fluid_particles <= 6000
    assert (estimate.wall_particles > 0) is (case not in ("box", "jet"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--case", "box", "--sizes", "4000,10"], "10: too few particles for a box in 2D. Try 500."),
        (["--case", "jet", "--sizes", "3"], "3: too few particles for a jet in 2D. Try "),
        (
            ["--dim", "2,3", "--case", "box", "--sizes", "1000"],
            "1000: too few particles for a box in 3D. Try 2000.",
        ),
        (["--dim", "4"], "4: must be 2, 3 or 2,3"),
    ],
)
def test_what_cannot_be_measured_is_reported_before_measuring(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(step, "_Timed", None)
    with pytest.raises(SystemExit) as stop:
        main(["step", *words])
    assert stop.value.code == 2
    assert told in capsys.readouterr().err


@pytest.mark.matrix
def test_awkward_worlds_are_awkward():
    """Most of the jet's domain is empty, and drops of the splash are single particles."""
    for dim, least in ((2, 90), (3, 350)):
        world = CASES["jet"](dim, 2000, "delta")
        room = math.prod(world.core.size[:dim]) / world.core.spacing**dim
        assert room > least * _core.estimate(world.core).fluid_particles
    world = CASES["splash"](2, 2000, "delta")
    simulation = _core.Simulation(world.core, threads=1)
    x = simulation.position
    apart = np.hypot(*(x[:, None, :] - x[None, :, :]).transpose(2, 0, 1))
    alone = (apart < _core.estimate(world.core).interaction_radius).sum(axis=1) == 1
    assert alone.sum() > 10


def test_machine_measures_copies_and_arithmetic(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(machine, "COPY_BYTES", 1 << 20)
    monkeypatch.setattr(machine, "REPETITIONS", 2)
    records = machine.measure([1, 2])
    assert [record.threads for record in records] == [1, 2]
    assert all(record.copy_bytes_per_second > 0 for record in records)
    for record in records:
        assert record.pairs_per_second_limit.keys() == machine.SUMS.keys()
        for limits in record.pairs_per_second_limit.values():
            assert limits.keys() == {2, 3}
            assert all(1e6 < limit < 1e11 for limit in limits.values())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("step --sizes 0", "must be at least 1 and at most 1000000000"),
        ("step --sizes 1e12", "must be at least 1 and at most 1000000000"),
        ("step --sizes inf", "must be whole numbers between commas"),
        ("step --sizes 1234.7", "must be whole numbers between commas"),
        ("step --sizes 5 --dim 2", "5: too few particles for a box in 2D. Try 500."),
        ("step --sizes 1e9 --dim 2", "1000000000: no box in 2D. "),
        ("step --threads 1000000", "1000000: must be at most "),
        ("machine --threads 1000000", "1000000: must be at most "),
        ("machine --case dam", "--case: unknown option. Known: --help, --json and --threads."),
        ("step --tread 1", '--tread: unknown option. Did you mean "--threads"?'),
        ("step --case gas --scheme delta", "gas requires the scheme classic. Add --scheme classic"),
    ],
)
def test_what_cannot_be_measured_is_refused(words: str, told: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(words.split())
    assert told in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize("dim", [2, 3])
def test_a_channel_has_an_inflow(dim: int):
    world = CASES["channel"](dim, 4000, "delta")
    simulation = _core.Simulation(world.core, threads=1, series_interval=1e9)
    simulation.advance(np.inf, 20, np.inf)
    flow = simulation.take_series()["opening.left"]
    assert flow[2][-1][flow[0].index("mass_flow")] > 0
    assert 0.9 * 4000 < simulation.statistics()["fluid_particles"] < 1.5 * 4000


@pytest.mark.parametrize(
    ("option", "name", "told"),
    [
        ("picture", "roof.svg", "roof.svg: must end in .png"),
        ("picture", "nowhere/roof.png", "nowhere does not exist. Create it first."),
        ("json", "nowhere/bench.json", "nowhere does not exist. Create it first."),
        ("json", "", "is a folder; must be a file."),
    ],
)
def test_what_cannot_be_written_is_refused_before_anything_is_measured(
    option: str,
    name: str,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(step, "measure", lambda *_: pytest.fail("measured"))
    with pytest.raises(SystemExit):
        main(["step", f"--{option}", str(tmp_path / name)])
    assert told in " ".join(capsys.readouterr().err.split())
