"""Fingerprints, schedules, signals of the system, and numbers in words."""

from __future__ import annotations

import math
import signal

import numpy as np
import pytest

from eddyline.run.fingerprint import canonical_world, fingerprint, words
from eddyline.run.schedule import Schedule
from eddyline.run.stopping import StopRequests
from eddyline.world.problems import number_with_error


def test_the_first_ctrl_c_asks_and_one_while_painting_ends_that() -> None:
    asked: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    with StopRequests() as stop:
        stop.interrupt = lambda: asked.append(1)
        assert not stop.asked
        signal.raise_signal(signal.SIGINT)
        assert stop.asked and asked == [1]
        stop.finishing = True
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_terminal_that_may_close_is_ignored_as_before() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with StopRequests() as stop:
            signal.raise_signal(signal.SIGHUP)
            assert not stop.asked
    finally:
        signal.signal(signal.SIGHUP, before)


def test_words_are_proquints() -> None:
    assert words(bytes([127, 0, 0, 1])) == "lusab-babad"
    assert words(bytes([63, 84, 220, 193])) == "gutih-tugad"
    assert words(bytes(8)).count("-") == 3


def test_a_fingerprint_depends_on_state_and_values_but_not_on_layout() -> None:
    world = 'format = 1\n[let]\na = 8\nb = "a/2"  # half\n[domain]\nsize = [1, 2]\n'
    same = 'format=1\n# a comment\n[domain]\nsize = [1.0,\n 2.0]\n[let]\nb = "a/2"\na = 8.0\n'
    assert canonical_world(world) == canonical_world(same)
    assert fingerprint(1, world) == fingerprint(1, same)
    assert fingerprint(1, world) != fingerprint(2, world)
    assert fingerprint(1, world) != fingerprint(1, world.replace("a/2", "a/3"))
    assert fingerprint(2**128 - 1, world) == fingerprint(2**128 - 1, world)


def test_outputs_come_at_the_first_step_at_or_after_their_time() -> None:
    schedule = Schedule(0.25)
    taken = [time for time in np.arange(0, 1.01, 0.1).tolist() if schedule.take(time)]
    assert taken == pytest.approx([0.0, 0.3, 0.5, 0.8, 1.0])
    assert not schedule.take(1.0)


def test_a_step_over_several_outputs_serves_them_once() -> None:
    schedule = Schedule(0.1)
    assert [schedule.take(time) for time in (0.0, 0.55, 0.58, 0.61)] == [True, True, False, True]
    assert schedule.next_time == pytest.approx(0.7)
    never = Schedule(0.0)
    assert never.next_time == math.inf and not never.take(5.0)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (3.31234, 0.0213, "3.312 +- 0.021"),
        (3.31234, None, "3.312"),
        (1234.5, 12.0, "1234 +- 12"),
        (0.000123, 0.000004, "0.0001230 +- 0.0000040"),
        (2.0, 0.0, "2"),
    ],
)
def test_a_value_shows_the_digits_its_error_allows(value: float, error: float | None, text: str) -> None:
    assert number_with_error(value, error) == text
