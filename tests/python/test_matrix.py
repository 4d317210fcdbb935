"""The matrix: any three of world, ranks, threads, boxes, decomposition and resume meet in some run, and any
exchange, and any number of sites, with each of them and with each other. `make test-matrix`."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from ways import ALONE, CHOICES, LISTED, Way, assert_the_law, matrix, needs_ranks, possible_ways

from eddyline import _core

WAYS = matrix()


def test_the_matrix_is_one() -> None:
    """Choices that can meet do: any three but exchanges and sites, any two. The listed ways are part of it,
    and it is much smaller than all ways. Lazy steps meet every choice."""
    assert set(LISTED) <= set(WAYS) and len(WAYS) < 120 < len(possible_ways()) / 5
    others = [name for name in CHOICES if name not in ALONE]
    for names in (*itertools.combinations(others, 3), *itertools.combinations(CHOICES, 2)):
        met, possible = (
            {tuple(getattr(way, name) for name in names) for way in ways} for ways in (WAYS, possible_ways())
        )
        assert possible <= met, names
    for name, choices in CHOICES.items():
        met = {(getattr(way, name), way.lazy > 1) for way in WAYS}
        assert met >= set(itertools.product(choices, (False, True))), name


def test_the_matrix_knows_all_exchanges() -> None:
    assert set(CHOICES["exchange"]) == set(_core.exchange_strategies()), (
        "every strategy has its place in CHOICES of tests/python/ways.py, and in the help of --exchange"
    )


@pytest.mark.matrix
@needs_ranks
@pytest.mark.parametrize("way", WAYS[len(LISTED) :], ids=str)
def test_any_way_gives_the_same_bits(way: Way, tmp_path: Path) -> None:
    assert_the_law(way, tmp_path)
