"""In which order tests begin, and what tests of the page share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from chromium import chromium
from lab_server import Client, lab_in_thread

LONG = ("test_validation_quick.py", "test_ranks.py", "test_sweep.py")
"""Files whose tests take longest."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long ones first: no worker shall be left with one of them when the others have nothing to do."""
    items.sort(key=lambda item: item.path.name not in LONG)


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
