"""How long idle threads wait."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from eddyline import cores


@pytest.mark.parametrize(("count", "tries"), [(1, "200"), (3, "200"), (4, "2000"), (64, "2000")])
def test_threads_look_longer_for_work_where_there_are_many(
    monkeypatch: pytest.MonkeyPatch, count: int, tries: str
) -> None:
    monkeypatch.setattr(cores, "own_cores", lambda: list(range(count)))
    monkeypatch.delenv("GOMP_SPINCOUNT", raising=False)
    cores.let_threads_wait()
    assert os.environ["GOMP_SPINCOUNT"] == tries


def test_what_the_user_says_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMP_SPINCOUNT", "7")
    cores.let_threads_wait()
    assert os.environ["GOMP_SPINCOUNT"] == "7"


@pytest.mark.parametrize(("count", "most"), [(1, 64), (2, 64), (16, 64), (48, 192)])
def test_absurdly_many_are_refused(monkeypatch: pytest.MonkeyPatch, count: int, most: int) -> None:
    monkeypatch.setattr(cores, "own_cores", lambda: list(range(count)))
    assert cores.refusal("ranks", most) == ""
    words = "1 core" if count == 1 else f"{count} cores"
    assert cores.refusal("ranks", most + 1) == f"ranks = {most + 1}: must be <= {most} with {words}"


def test_many_for_the_cores_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "own_cores", lambda: [0, 1])
    assert cores.crowding(4, 1) == cores.crowding(2, 2) == ""
    assert cores.crowding(5, 1) == "note: 5 ranks take turns on 2 cores, so the run is slow"
    assert "3 ranks of 2 threads take turns on 2 cores" in cores.crowding(3, 2)


def test_it_is_said_before_the_extension_module_is_loaded() -> None:
    program = "import os, sys, eddyline; print('eddyline._core' in sys.modules, os.environ['GOMP_SPINCOUNT'])"
    free = {name: value for name, value in os.environ.items() if name != "GOMP_SPINCOUNT"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=free, capture_output=True, text=True, check=True, timeout=60
    )
    loaded, tries = done.stdout.split()
    assert loaded == "False"
    assert int(tries) > 0
