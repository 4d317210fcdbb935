"""Runs that are killed at some of their file operations; `make kills` takes all, see kills.py."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import kills
import pytest

PARTS = {"run": 200, "close": 15, "replay": 700}
"""Scenarios, and at every how many operations they are killed here."""


@pytest.mark.matrix
@pytest.mark.skipif(sys.platform != "linux", reason="orphans are found in /proc")
def test_what_a_kill_leaves_can_be_completed_to_the_bits() -> None:
    with ThreadPoolExecutor(1) as pool:
        tallies = list(pool.map(lambda part: kills.in_a_process(*part, 7), PARTS.items()))
    assert sum(tally.tried for tally in tallies) >= 8
    assert not any(tally.faults for tally in tallies), kills.table(tallies)
    outcomes = {outcome for tally in tallies for outcome in tally.outcomes}
    assert {"lost", "not closed"} <= outcomes
