"""The validation cases at coarse spacings: the figures of validation/ must not get worse unnoticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eddyline.validate import main, results
from eddyline.validate.case import Case, Setting
from eddyline.validate.cases import CASES
from eddyline.validate.figures import below, report
from eddyline.validate.references import ROOT

LONG = ("blocks", "patches", "turbulence", "waves", "wing")
"""Cases that make test leaves to make test-matrix."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.matrix] if name in LONG else []) for name in CASES]
)
def test_case_keeps_its_limits(name: str, tmp_path: Path):
    figures = CASES[name].run(Setting(quick=True, threads=1, folder=tmp_path))
    missed = [
        f"{figure.quantity}: {figure.measured:.4g}, allowed {figure.allowed}"
        for figure in figures
        if figure.ok is False
    ]
    assert not missed, "\n".join(missed)
    assert any(figure.ok for figure in figures)
    picture = tmp_path / "picture.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < 150_000


@pytest.mark.parametrize("name", CASES)
def test_case_is_documented(name: str):
    folder = ROOT / name
    text = (folder / "README.md").read_text(encoding="utf-8")
    for heading in ("## Papers", "## Set-up", "## What is measured", "## Result"):
        assert heading in text, f"{folder}/README.md lacks `{heading}`"
    assert f"eddyline validate {name}" in text
    assert (folder / "picture.png").stat().st_size < 150_000


def test_list_names_every_case(capsys: pytest.CaptureFixture[str]):
    assert main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(CASES)


def test_a_full_run_brings_the_readme_up_to_date(tmp_path: Path):
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{results.BEGIN}\nold\n{results.END}\nafter\n", encoding="utf-8")
    outcome = results.Outcome(
        "couette",
        [
            below("velocity L2", 0.004, 0.01),
            report("shift", -0.2),
            report("never settled", float("nan"), 2.0),
        ],
        1.0,
        True,
    )
    for _ in range(2):
        results.refresh_readme(readme, outcome, "eddyline validate couette")
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("before\n") and text.endswith("\nafter\n")
    assert "old" not in text
    assert "| velocity L2 | 0.004 | 0 | 0.004 | <= 0.01 | yes |" in text
    assert "| shift | -0.2 |  |  |  |  |" in text
    assert "| never settled | none | 2 |  |  |  |" in text


def test_results_are_written_and_a_missed_limit_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    for measured, code in ((0.5, 0), (2.0, 1)):
        case = Case("couette", "a case", lambda setting, value=measured: [below("error", value, 1.0)])  # type: ignore[misc]
        monkeypatch.setitem(CASES, "couette", case)
        assert main(["couette", "--out", str(tmp_path)]) == code
        record = json.loads((tmp_path / "results.json").read_text())["cases"]["couette"]
        assert record["figures"][0]["measured"] == measured
        assert record["ok"] is (code == 0)
        assert "couette,error" in (tmp_path / "couette" / "results.csv").read_text()
    assert "missed" in capsys.readouterr().out
