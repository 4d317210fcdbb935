"""Eddyline, a flow laboratory.

import eddyline

world = eddyline.World.load("worlds/dam_break.toml")
run = eddyline.run(world)               # a folder with results, pictures, snapshots and a report
run.series("front").plot(x="time", y="position")

eddyline.resume(run.folder, until=2.0)         # goes on from its last checkpoint
eddyline.sweep(world, {"let.a": [0.05, 0.1]})  # a run for each value, as a table

simulation = eddyline.Simulation(world)  # or step by step
simulation.step(100)
simulation.particles.velocity            # (n, D) m/s, a view
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.cores import let_threads_wait

if TYPE_CHECKING:
    from eddyline.run.execute import resume as resume
    from eddyline.run.execute import run as run
    from eddyline.run.record import Run as Run
    from eddyline.simulation import Simulation as Simulation
    from eddyline.sweep.execute import sweep as sweep
    from eddyline.world import World as World

    __version__: str

let_threads_wait()

__all__ = ["Run", "Simulation", "World", "__version__", "resume", "run", "sweep"]


def __getattr__(name: str) -> Any:
    """Imports what is asked for when it is asked for: `import eddyline` and the command line start at
    once."""
    from importlib import import_module

    if name == "__version__":
        return import_module("eddyline._core").__version__
    if name in ("run", "sweep"):
        return import_module(f"eddyline.{name}")
    if name == "resume":
        return import_module("eddyline.run.execute").resume
    places = {"World": "eddyline.world", "Run": "eddyline.run", "Simulation": "eddyline.simulation"}
    if name in places:
        return getattr(import_module(places[name]), name)
    raise AttributeError(f"module 'eddyline' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
