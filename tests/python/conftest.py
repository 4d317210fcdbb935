"""In which order tests begin."""

from __future__ import annotations

import pytest

LONG = ("test_validation_quick.py", "test_ranks.py", "test_sweep.py")
"""Files whose tests take longest."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long ones first: no worker shall be left with one of them when the others have nothing to do."""
    items.sort(key=lambda item: item.path.name not in LONG)
