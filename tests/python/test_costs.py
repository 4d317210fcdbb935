"""The costs that `check` estimates for a run: their parts, and a comparison with a run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from eddyline.world import World, describe
from eddyline.world.describe import plan

FEW = {"time.end": "0.1"}


def test_the_cost_of_a_run_holds_its_outputs() -> None:
    with_film = plan(World.load("dam_break"), cores=2).cost
    without = plan(World.load("dam_break", {"output.pictures": "0"}), cores=2).cost
    assert with_film.steps == without.steps and with_film.outputs > without.outputs
    assert with_film.film > with_film.steps and without.film == 0  # a short run is mostly film
    assert with_film.seconds == pytest.approx(
        with_film.steps + with_film.outputs + with_film.film + with_film.start
    )
    twice = plan(World.load("dam_break", {"output.pictures": "320"}), cores=2).cost
    assert twice.film == pytest.approx(2 * with_film.film)
    one = plan(World.load("dam_break"), cores=1).cost
    assert one.steps > 1.5 * with_film.steps and one.film == pytest.approx(2 * with_film.film)


@pytest.mark.parametrize(("pictures", "kind"), [("160", "film and report"), ("0", "charts and report")])
def test_check_says_what_the_run_time_contains(pictures: str, kind: str) -> None:
    text = describe(World.load("dam_break", {"output.pictures": pictures}), cores=2)
    assert re.search(rf"run time +about \d+ s on 2 cores, \d+ s of it for {kind}\n", text), text


def test_the_run_time_is_near_that_of_a_run(tmp_path: Path) -> None:
    """Core seconds, as the machine may be busy, of a run with one thread: mostly pictures and film. Other
    processors are slower or faster, so only the size is checked."""
    world = World.load("dam_break", FEW)
    before = os.times()
    command = [
        sys.executable,
        "-m",
        "eddyline",
        "run",
        "dam_break",
        "--set",
        "time.end=0.1",
        "--threads",
        "1",
    ]
    subprocess.run([*command, "--quiet", "--out", str(tmp_path / "run")], check=True, timeout=120)
    after = os.times()
    took = after.children_user - before.children_user + after.children_system - before.children_system
    assert took / 3 < plan(world, cores=1).seconds < 3 * took
    report = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert re.search(r"Wall time.*?; estimate before the run: [\d.]+ s", report, re.DOTALL)
