"""The guard of the speed of a step, with measurements that are told to it; one round is real."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
KIND = "avx2, a processor"
STORED = {KIND: {"2D": 2.0, "3D": 3.0}}
LIMIT = 1e9


@pytest.fixture(scope="module")
def speed() -> ModuleType:
    """tools/speed.py."""
    spec = importlib.util.spec_from_file_location("speed_tool", ROOT / "tools" / "speed.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def told(slower: list[float], noise: float = 0.0, kind: str = KIND) -> Callable[[int, object], None]:
    """Rounds in which a step costs so many times what is stored; the last of them again and again. noise: by
    how much no two limits agree."""

    def take(dimensions: int, found: object) -> None:
        seconds, limits = found.seconds, found.limits  # type: ignore[attr-defined]
        factor = slower[min(len(seconds), len(slower) - 1)]
        seconds.append(factor * STORED[KIND][f"{dimensions}D"] / LIMIT)
        limits += [LIMIT * (1 - noise) ** (len(limits) + k) for k in range(5)]
        found.kind = kind  # type: ignore[attr-defined]

    return take


@pytest.mark.parametrize(
    ("slower", "noise", "code", "said"),
    [
        ([1.0], 0.0, 0, "+0% against 2.00"),
        ([1.08], 0.0, 0, "+8% against 3.00"),
        ([1.12], 0.0, 1, "+10% is allowed"),
        ([1.5, 1.4, 1.3, 1.02], 0.0, 0, "+2% against 2.00"),  # tried again before it fails
        ([1.5], 0.1, 0, "too busy to tell"),
        ([0.5], 0.1, 0, "too busy to tell"),
    ],
)
def test_a_step_that_costs_more_fails(
    speed: ModuleType,
    slower: list[float],
    noise: float,
    code: int,
    said: str,
    capsys: pytest.CaptureFixture[str],
):
    assert speed.check(STORED, told(slower, noise), 0.05) == code
    assert said in capsys.readouterr().out


def test_a_kind_of_machine_that_is_not_known_passes_and_is_reported(
    speed: ModuleType, capsys: pytest.CaptureFixture[str]
):
    assert speed.check(STORED, told([1.0], kind="avx512, another"), 0.05) == 0
    assert "nothing is stored for avx512, another" in capsys.readouterr().out


def test_costs_are_stored_beside_those_of_others_unless_the_machine_is_busy(
    speed: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "speed.json"
    assert speed.store(path, told([1.5], 0.1), 0.01) == 1 and not path.exists()
    assert speed.store(path, told([1.5]), 0.01) == 0
    assert speed.store(path, told([1.0], kind="other"), 0.01) == 0
    assert json.loads(path.read_text()) == {KIND: {"2D": 3.0, "3D": 4.5}, "other": STORED[KIND]}
    assert "too busy" in capsys.readouterr().out


def test_a_round_measures(speed: ModuleType, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(speed.step, "_WORK", 5000)
    monkeypatch.setattr(speed, "SIZE", 1000)
    found = speed.Found()
    speed.take_round(2, found)
    assert len(found.seconds) == 1 and 1 <= len(found.limits) <= speed.LIMITS
    assert 0.1 < found.cost < 1000
    assert found.kind.split(", ")[0] in ("scalar", "avx2", "avx512")
