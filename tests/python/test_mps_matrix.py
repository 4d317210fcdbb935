"""The law with the solver mps: starts that settle around bodies, and a covering array of ways to compute."""

from __future__ import annotations

import hashlib
import json
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
import pytest
from journeys import INTERVAL
from mps_journeys import JOURNEYS
from test_law import End, assert_same, end_of
from ways import PROGRAM, covering, needs_ranks, started

from eddyline import _core
from eddyline.world import World


@dataclass(frozen=True)
class Way:
    """resumed: ranks that continue from half way; 0: none."""

    journey: str
    ranks: int
    threads: int
    instructions: str
    boxes: int
    decomposition: str
    exchange: str
    resumed: int

    def __str__(self) -> str:
        return "-".join(str(value) for value in astuple(self))


FACTORS: tuple[tuple[object, ...], ...] = (
    tuple(JOURNEYS),
    (1, 2, 3, 4),
    (1, 2),
    tuple(_core.instruction_sets()),
    (1, 2),
    ("strips", "blocks", "bisection", "curve"),
    ("nonblocking", "neighborhood", "alltoall", "onesided-fence", "shared", "threaded"),
    (0, 2, 3),
)
WAYS = [Way(*choices) for choices in covering(FACTORS)]  # type: ignore[arg-type]


def plain(name: str, steps: int | None = None, **how: object) -> _core.Simulation:
    journey = JOURNEYS[name]
    simulation = _core.Simulation(
        World.from_text(journey.text).core,
        series_interval=INTERVAL,
        **({"threads": 1, "instructions": "scalar"} | how),  # type: ignore[arg-type]
    )
    simulation.advance(np.inf, journey.steps if steps is None else steps, np.inf)
    return simulation


def expected(name: str, known: dict[str, End] = {}) -> End:  # noqa: B006
    if name not in known:
        known[name] = end_of(plain(name))
    return known[name]


def test_a_start_that_settles_around_a_body_has_the_same_bits_and_can_be_resumed() -> None:
    name = "mps-around-a-body"
    best = _core.instruction_sets()[-1]
    alone = plain(name)
    assert alone.time > 0 and alone.statistics()["rebuilds"] > 2
    many = plain(name, boxes=3, threads=2, instructions=best)
    assert_same(end_of(many), end_of(alone))
    early = plain(name, steps=3)
    assert early.time < 0  # settles; bodies rest, and nothing has been observed
    assert not any(len(rows) for _, _, rows in early.take_series().values())
    again = plain(name, steps=0, boxes=2)
    again.restore(iter([early.save(0)]))
    again.advance(np.inf, JOURNEYS[name].steps, np.inf)
    assert again.checksum() == alone.checksum()


def test_particles_around_a_body_hold_its_volume_and_rest() -> None:
    text = JOURNEYS["mps-around-a-body"].text
    text = text.replace('motion   = { rotation = "4*t", displacement = ["0.1*t^2", "0"] }\n', "")
    text = text.replace('velocity    = ["0.4*sin(5*y)", "0"]\n', "")
    world = World.from_text(text)
    simulation = _core.Simulation(world.core, threads=1)
    simulation.advance(0.5, 10**4, 60.0)
    mass = simulation.field("fluid", "mass")
    assert np.ptp(mass) > 0
    assert mass.sum() == pytest.approx(1000 * (1.2 * 0.72 - np.pi * 0.15**2), rel=0.01)
    place, speed = simulation.field("fluid", "position"), simulation.field("fluid", "velocity")
    depth = 1000 * 9.81 * (0.72 - place[:, 1])
    error = np.sqrt(np.mean((simulation.field("fluid", "pressure") - depth) ** 2)) / depth.max()
    assert error < 0.02
    assert np.sum(mass * np.sum(speed**2, axis=1)) / 2 < 1e-4 * 0.5 * 1000 * 9.81 * 0.72**2 * 1.2


@pytest.mark.matrix
@needs_ranks
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_any_way_gives_the_same_bits(way: Way, tmp_path: Path) -> None:
    end, steps = expected(way.journey), JOURNEYS[way.journey].steps
    words = [
        f"{key}={getattr(way, key)}"
        for key in ("threads", "boxes", "decomposition", "exchange", "instructions")
    ]
    series: dict[str, str] = {}
    ranks = way.ranks
    if way.resumed:
        half = started(ranks, str(PROGRAM), way.journey, *words, f"steps={steps // 2}", f"save={tmp_path}")
        assert half.returncode == 0, half.stderr
        series = json.loads(half.stdout.splitlines()[-1])["series"]
        ranks = way.resumed
        words.append(f"restore={tmp_path}")
    done = started(ranks, str(PROGRAM), way.journey, *words, f"steps={steps}")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["checksum"] == f"{end.checksum:032x}"
    assert told["ids"] == hashlib.sha256(end.ids.tobytes()).hexdigest()
    for name, rows in end.series.items():
        values = np.frombuffer(bytes.fromhex(series.get(name, "") + told["series"][name]))
        assert np.array_equal(values, rows.ravel(), equal_nan=True), name
