"""Damaged input of every kind, a little of it, and always the same; `make fuzz` tries more."""

from __future__ import annotations

import random

import pytest
from fuzz_inputs import KINDS
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

COUNTS = {"world": 90, "formula": 150, "set": 40, "command": 30, "journal": 60, "png": 50, "mp4": 6,
          "curve": 60, "request": 30, "message": 100}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_input_of_any_kind_gives_a_result_or_a_line(kind: str) -> None:
    make, read = KINDS[kind]

    @settings(
        derandomize=True, database=None, deadline=None, max_examples=COUNTS[kind],
        suppress_health_check=list(HealthCheck), phases=[Phase.generate],
    )  # fmt: skip
    @given(st.randoms(use_true_random=False))
    def check(rng: random.Random) -> None:
        read(make(rng))

    check()
