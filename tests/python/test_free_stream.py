"""Sides that are a free stream: less drag than between walls, and as much fluid through as they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import eddyline
from eddyline.world import World

CASE = Path(__file__).parents[1] / "cases" / "free_stream_domain.toml"
SMALL = {
    "let.H": 8, "let.XU": 4, "let.X": 10, "domain.spacing": "D/6", "time.end": 14, "output.pictures": 0,
    "output.snapshots": 0,
}  # fmt: skip


def run_of(is_stream: bool, folder: Path) -> eddyline.Run:
    text = CASE.read_text()
    if is_stream:
        for side, kind in (("left", '"inflow", velocity = "U"'), ("bottom", '"wall", slip = true'),
                           ("top", '"wall", slip = true')):  # fmt: skip
            before = next(line for line in text.splitlines() if line.startswith(side) and kind in line)
            text = text.replace(before, f'{side} = {{ type = "stream", velocity = ["U", 0] }}')
    world = World.from_text(text, overrides=SMALL)
    return eddyline.run(world, out=folder, threads=1, progress=False, movie=False, report=False)


def test_a_stream_passes_its_sides_and_holds_no_body(tmp_path: Path) -> None:
    drags = []
    for is_stream in (False, True):
        run = run_of(is_stream, tmp_path / f"{is_stream}")
        force = run.series("force.cylinder")
        drags.append(2 * float(force["total_x"][force["time"] > 9].mean()))
        noise = 2 * float(force["total_x"][force["time"] > 8].std())
    assert drags[1] < 0.93 * drags[0]
    assert noise < 0.18  # 0.13; 0.23 where sides reflect sound
    for side in ("bottom", "top"):
        through = run.series(f"opening.{side}")
        said = float(np.trapezoid(through["mass_flow"], through["time"]))
        assert said < -0.5  # outwards, as the wake carries less than the stream
        assert abs(float(through["mass"].iloc[-1]) - said) < 0.25 * abs(said)
