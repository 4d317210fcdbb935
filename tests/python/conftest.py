"""The order of tests and their time limits, and fixtures for tests of the page."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from typing import Any

import psutil
import pytest
from chromium import chromium
from lab_server import Client, lab_in_thread

from eddyline.run.publish import VARIABLE as PICTURES

LONG = ("test_validation_quick.py", "test_ranks.py", "test_sweep.py")
"""Files whose tests take longest."""


MANY = ("matrix", "browser", "rank_kills")
"""Marks of tests that compute much, or draw pictures without a graphics card."""
PATIENCE = 1200
"""Time limit of these [s]; pyproject.toml has that of the others."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long ones first: no worker shall be left with one of them when the others have nothing to do."""
    items.sort(key=lambda item: item.path.name not in LONG)
    for item in items:
        if any(item.get_closest_marker(name) for name in MANY) and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(PATIENCE))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Ends the processes of a test that took too long: it may not have had the time to end them itself."""
    report = yield
    if call.excinfo is not None and "from pytest-timeout" in str(call.excinfo.value):
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
    return report


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs end without pictures and report, which take longer than the runs: for tests of anything else."""
    monkeypatch.setenv(PICTURES, "none")


@pytest.fixture
def with_pictures(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Undoes `no_pictures` of a file, for its tests that need pictures or the report."""
    if "no_pictures" in request.fixturenames:
        request.getfixturevalue("no_pictures")
    monkeypatch.delenv(PICTURES, raising=False)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """The lab, in a thread of this process."""
    with lab_in_thread(tmp_path_factory.mktemp("runs")) as (client, _, _):
        yield client


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium; skips the test where there is none."""
    with chromium() as running:
        yield running
