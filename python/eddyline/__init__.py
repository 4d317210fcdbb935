"""Eddyline, a flow laboratory.

import eddyline

world = eddyline.World.load("worlds/dam_break.toml")
run = eddyline.run(world)               # a folder with results, pictures, snapshots and a report
run.series("front").plot(x="time", y="position")

eddyline.resume(run, until=2.0)                # goes on from its last checkpoint
eddyline.compare(run, eddyline.replay(run)).identical  # the same again, to the last bit
eddyline.export(run, "mp4", quantity="pressure")
eddyline.sweep(world, {"let.a": [0.05, 0.1]})  # a run for each value, as a table

simulation = eddyline.Simulation(world)  # or step by step
simulation.step(100)
simulation.particles.velocity            # (n, D) m/s, a view
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.cores import let_threads_wait

if TYPE_CHECKING:
    from eddyline.compare.comparison import compare_runs as compare
    from eddyline.run.errors import RunError as RunError
    from eddyline.run.execute import resume as resume
    from eddyline.run.execute import run as run
    from eddyline.run.export import export as export
    from eddyline.run.record import Run as Run
    from eddyline.run.replay import replay as replay
    from eddyline.simulation import Simulation as Simulation
    from eddyline.sweep.execute import sweep as sweep
    from eddyline.world import World as World
    from eddyline.world import WorldError as WorldError

    __version__: str

let_threads_wait()

_PACKAGES = ("compare", "run", "sweep")
"""Each is a function, too."""

_PLACES = {
    "Run": "eddyline.run.record",
    "RunError": "eddyline.run.errors",
    "Simulation": "eddyline.simulation",
    "World": "eddyline.world",
    "WorldError": "eddyline.world",
    "__version__": "eddyline._core",
    "export": "eddyline.run.export",
    "replay": "eddyline.run.replay",
    "resume": "eddyline.run.execute",
}

__all__ = [
    "Run",
    "RunError",
    "Simulation",
    "World",
    "WorldError",
    "__version__",
    "compare",
    "export",
    "replay",
    "resume",
    "run",
    "sweep",
]


def __getattr__(name: str) -> Any:
    """Imports what is asked for when it is asked for: `import eddyline` and the command line start at
    once."""
    from importlib import import_module

    if name in _PACKAGES:
        return import_module(f"eddyline.{name}")
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'eddyline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
