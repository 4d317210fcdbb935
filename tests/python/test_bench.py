"""The benchmarks run, and their records hold what a history of them needs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eddyline.bench import machine, main, step

KEYS = {
    "case", "dim", "scheme", "particles", "neighbours", "threads", "evals_per_second", "pairs_per_second",
    "ns_per_pair", "passes", "limit_fraction", "bytes_per_particle", "phases", "checksum", "commit",
}  # fmt: skip


def test_step_writes_a_record_for_each_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(step, "_WORK", 2000)
    monkeypatch.setattr(step, "WARM_UP", 2)
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
        assert 0 < record["limit_fraction"] < 1
        assert {"rates", "forces"} <= record["phases"].keys()
    assert records[0]["checksum"] == records[1]["checksum"] != records[2]["checksum"]
    assert "M evals/s" in capsys.readouterr().out


@pytest.mark.parametrize(("case", "dim"), [("box", 3), ("dam", 3)])
def test_worlds_have_about_the_wanted_number_of_particles(case: str, dim: int):
    from eddyline import _core
    from eddyline.bench.worlds import CASES

    estimate = _core.estimate(CASES[case](dim, 4000).core)
    assert 3500 <= estimate.fluid_particles <= 4500
    assert (estimate.wall_particles > 0) is (case == "dam")


def test_machine_measures_copies_and_arithmetic(capsys: pytest.CaptureFixture[str]):
    records = machine.measure([1, 2], size=1 << 20)
    assert [record.threads for record in records] == [1, 2]
    assert all(record.copy_bytes_per_second > 0 for record in records)
    for record in records:
        assert record.pairs_per_second_limit.keys() == {2, 3}
        assert all(1e6 < limit < 1e11 for limit in record.pairs_per_second_limit.values())


def test_wrong_sizes_are_refused(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["step", "--sizes", "0"])
    assert "must be at least 1" in capsys.readouterr().err
