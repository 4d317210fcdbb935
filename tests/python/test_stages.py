"""The runner of the tests: a stage without tests fails; one that hangs is ended with its processes."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from pathlib import Path

import psutil
import pytest
from lab_server import until

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent

_spec = importlib.util.spec_from_file_location("stages", ROOT / "tools" / "test.py")
assert _spec is not None and _spec.loader is not None
stages = sys.modules["stages"] = importlib.util.module_from_spec(_spec)  # dataclasses look there
_spec.loader.exec_module(stages)

SKIPS = """
import pytest

def test_a():
    pytest.skip("no browser here")

def test_b():
    pytest.skip("no browser here")
"""
HANGS = """
import signal, subprocess, time

def test_hang():
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    print("child", child.pid, flush=True)
    {wait}
"""


def written(folder: Path, text: str) -> str:
    path = folder / "test_made.py"
    path.write_text(text)
    return str(path)


@pytest.fixture(autouse=True)
def _as_if_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the environment variables that a pytest worker sets for its own tests."""
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name)


def test_a_stage_whose_tests_are_all_skipped_has_failed(tmp_path: Path) -> None:
    passed, output = stages._pytest("-p", "no:cacheprovider", written(tmp_path, SKIPS))
    assert not passed
    assert output.startswith("nothing was tested: all tests of this stage were skipped\nSKIPPED [")
    assert "no browser here" in output


def test_skips_are_reported_where_others_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = SKIPS + "\ndef test_c():\n    pass\n"
    passed, _ = stages._pytest("-p", "no:cacheprovider", written(tmp_path, more))
    assert passed and "no browser here" in capsys.readouterr().out


@pytest.mark.parametrize("stage", ["page", "matrix", "openmpi", "wheel"])
def test_stages_that_are_asked_for_want_something_to_run(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All run their tests by the one function that sees to it."""
    asked = []

    def refuse(*words: str, **options: object) -> tuple[bool, str]:
        asked.append(words)
        return False, "nothing was tested"

    monkeypatch.setattr(stages, "_pytest", refuse)
    monkeypatch.setattr(stages, "_command", lambda *words, **options: (True, ""))
    (found,) = (each for each in stages.STAGES if each.name == stage)
    assert found.on_request
    assert found.run(1) == (False, "nothing was tested") and len(asked) == 1


def test_the_short_visit_to_the_page_is_left_out_with_a_line_where_there_is_no_browser(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def refuse(*words: str, **options: object) -> tuple[bool, str]:
        asked.append(words)
        return False, "nothing was tested"

    monkeypatch.setattr(stages, "_pytest", refuse)
    (found,) = (each for each in stages.STAGES if each.name == "page-short")
    assert not found.on_request
    monkeypatch.setattr(stages.shutil, "which", lambda name: None)
    assert found.run(1) == (True, "") and not asked
    assert "page-short: left out" in capsys.readouterr().out
    monkeypatch.setattr(stages.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert found.run(1) == (False, "nothing was tested") and len(asked) == 1


@pytest.mark.parametrize(
    ("wait", "option", "said"),
    [
        pytest.param("time.sleep(600)", "--timeout=1", "from pytest-timeout", marks=pytest.mark.matrix),
        ("child.wait()", "--timeout=1", "from pytest-timeout"),
        ("signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]); child.wait()",
         "-ofaulthandler_timeout=2", "Timeout"),  # as a call that does not come back
    ],
    ids=["sleeps", "waits", "deaf"],
)  # fmt: skip
def test_a_test_that_hangs_is_ended_and_nothing_is_left(
    wait: str, option: str, said: str, tmp_path: Path
) -> None:
    made = written(tmp_path, HANGS.format(wait=wait))
    began = time.monotonic()
    passed, output = stages._pytest(
        "-s", "-p", "no:cacheprovider", "-p", "conftest", "-c", str(ROOT / "pyproject.toml"), option, made,
        environment={"PYTHONPATH": str(HERE)},
    )  # fmt: skip
    assert not passed and said in output, output
    assert time.monotonic() - began < 100
    child = int(output.partition("child ")[2].split()[0])
    until(lambda: not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE)
