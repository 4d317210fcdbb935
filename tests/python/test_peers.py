"""Other programs are compared in turn with Eddyline; one that does not run is told with its reason."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "peers"
SLOW = """import sys, time
from case import Case, serve
case = Case.from_arguments()
def steps(count):
    end = time.process_time() + 0.002 * count * {slower}
    while time.process_time() < end:
        pass
serve(steps, {{"name": "slow", "fluid": len(case.fluid()), "differs": "all", "time_step": 1.0}})
"""
DIES = "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"
REFUSES = "import sys\nsys.exit('no such library')\n"


def load(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"peers_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def peers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script among programs that do nothing, on this Python."""
    module = load("run", monkeypatch)
    shutil.copy(FOLDER / "case.py", tmp_path)
    programs = {
        "eddyline_dam.py": SLOW.format(slower=1), "slow.py": SLOW.format(slower=3), "dies.py": DIES,
        "refuses.py": REFUSES,
    }  # fmt: skip
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(module, "HERE", tmp_path)
    monkeypatch.setattr(module, "install", lambda name, peer: Path(sys.executable))
    names = ("slow", "dies", "refuses")
    monkeypatch.setattr(module, "PEERS", {name: module.Peer((), f"{name}.py") for name in names})
    return module


def test_peers_take_turns_and_those_that_do_not_run_are_reported(
    peers: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "found.json"
    words = ["run.py", "--across", "10", "--steps", "5", "--json", str(path)]
    monkeypatch.setattr(sys, "argv", words)
    assert peers.main() == 0
    slow, dies, refuses = json.loads(path.read_text())
    assert slow["particles"] == 200 and len(slow["ratios"]) == peers.TURNS
    assert 2.5 < slow["ratio"] < 3.5
    assert "ended with signal 11" in dies["left_out"]
    assert "no such library" in refuses["left_out"]
    shown = capsys.readouterr().out
    assert "times as long" in shown and "dies: left out. It ended with signal 11" in shown


def test_the_case_is_the_same_dam_break_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    case = load("case", monkeypatch).Case(20, 4.0, 1e-4)
    fluid, walls = case.fluid(), case.walls()
    assert fluid.shape == (800, 2) and fluid.min() == pytest.approx(0.025)
    assert fluid.max(axis=0) == pytest.approx([0.975, 1.975])
    assert len(walls) == 88 * 4 + 2 * 60 * 4
    assert walls.min(axis=0) == pytest.approx([-0.175, -0.175])
