"""A run of which only its traffic is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from eddyline import _core
from eddyline.bench.exchange.traffic import Traffic
from eddyline.bench.origin import commit
from eddyline.ranks import Session
from eddyline.world import World

SLICE = 0.5  # s between looks at signals


@dataclass(frozen=True)
class Course:
    """The run to be recorded. `rebalance` is off unless asked for, so that a run can be recorded again."""

    world: str
    steps: int
    overrides: Mapping[str, str | float] = field(default_factory=dict)
    decomposition: str = "bisection"
    boxes: int = 1
    rebalance: bool = False


def record(course: Course, path: Path, session: Session) -> Traffic:
    """Runs on the ranks of `session` and writes what they sent to `path`. Collective. Only the root returns.

    Raises WorldError, UserError and StepError, as a run does.
    """
    world = session.agree(
        lambda: World.load(course.world, course.overrides), lambda w: f"{course}\n{w.source}"
    )
    simulation = _core.Simulation(
        world.core,
        threads=1,
        series_interval=1e9,
        boxes=course.boxes,
        decomposition=course.decomposition,
        rebalance=course.rebalance,
        communicator=session.communicator,
    )
    with session.lead(simulation):
        simulation.keep_traffic()
        while simulation.step_count < course.steps:
            simulation.advance(float("inf"), course.steps, SLICE)
        about = {
            "world": course.world,
            "overrides": {key: str(value) for key, value in course.overrides.items()},
            "ranks": session.size,
            "boxes": course.boxes,
            "steps": simulation.step_count,
            "dimensions": simulation.dimensions,
            "counts": {members: simulation.count(name) for name, members in simulation.sets},
            "decomposition": course.decomposition,
            "checksum": f"{simulation.checksum():032x}",
            "commit": commit(),
        }
        traffic = Traffic.of(about, *simulation.traffic())
    traffic.write(path)
    return traffic
