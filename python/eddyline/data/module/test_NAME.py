"""The equations of @NAME@ give the expected result, and the same bits however they are computed."""

from pathlib import Path

import numpy as np

import eddyline

WORLD = Path(__file__).parent / "@NAME@.toml"


def final(boxes: int = 1, threads: int = 1, **changes: float) -> np.ndarray:
    """c at the end, (rows, columns)."""
    world = eddyline.World.load(WORLD, {"let.n": 32, **changes})
    simulation = eddyline.Simulation(world, boxes=boxes, threads=threads)
    simulation.advance_to(world.end)
    return simulation.field("c")


def test_nothing_that_changes_how_it_is_computed_changes_a_bit() -> None:
    first = final()
    assert np.array_equal(first, final(threads=2))
    assert np.array_equal(first, final(boxes=2))
    assert np.array_equal(first, final(**{"method.patch": 8}))


def test_the_puff_comes_back() -> None:
    start = eddyline.Simulation(eddyline.World.load(WORLD, {"let.n": 32})).field("c")
    assert np.abs(final() - start).mean() < 0.02
