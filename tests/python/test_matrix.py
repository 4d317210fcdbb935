"""The matrix: any three of world, ranks, threads, boxes, decomposition, exchange and resume meet in some run.
`make test-matrix`."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from ways import CHOICES, LISTED, Way, assert_the_law, has_plugin, matrix, possible_ways

WAYS = tuple(matrix())


def test_the_matrix_is_one() -> None:
    """Any three choices that can meet do, the listed ways are part of it, and it is much smaller than all
    ways."""
    assert set(LISTED) <= set(WAYS) and len(WAYS) < 120 < len(possible_ways()) / 5
    for three in itertools.combinations(CHOICES, 3):
        met, possible = (
            {tuple(getattr(way, name) for name in three) for way in ways} for ways in (WAYS, possible_ways())
        )
        assert possible <= met, three
    for two in itertools.combinations(CHOICES, 2):
        met = {tuple(getattr(way, name) for name in two) for way in WAYS}
        assert set(itertools.product(*(CHOICES[name] for name in two))) <= met, two


@pytest.mark.matrix
@pytest.mark.skipif(not has_plugin(), reason="no MPI in this build")
@pytest.mark.parametrize("way", WAYS[len(LISTED) :], ids=str)
def test_any_way_gives_the_same_bits(way: Way, tmp_path: Path) -> None:
    assert_the_law(way, tmp_path)
