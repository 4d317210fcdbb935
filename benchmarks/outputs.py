"""Cost of pictures, snapshots and forces, as a share of the whole run.

  python benchmarks/outputs.py                      cylinder and dam break as they are in the gallery
  python benchmarks/outputs.py --world cylinder --until 0.5 --set domain.spacing=D/10
  python benchmarks/outputs.py --steps 100 10 1000     pictures every 100 steps, rows every 10, ...
  python benchmarks/outputs.py --world periodic_cylinder --set method.scheme=classic --set domain.spacing=D/18

One thread computes, and another writes beside it; told is core time of both, from the first step to the
last, so that other programs on the machine do not count, and the share of the first alone: what a run takes
longer, if there is a core for the other. Films and the report come after the last step and
are not in it, nor is the loading of HDF5's library. Intervals of pictures, snapshots and series are those of
the world, unless given in steps. A run looks around after every 0.2 s of wall-clock time, and fetches
rows of series now and then: a machine that is busy with other work makes more of these looks.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import h5py  # type: ignore[import-untyped]  # noqa: F401  (loaded before the clock starts)

import eddyline
from eddyline.run.recorder import Recorder
from eddyline.world import parse_set
from eddyline.world.describe import plan

ROOT = Path(__file__).resolve().parent.parent
UNTIL = {"cylinder": 0.2, "dam_break": None, "periodic_cylinder": 1.0}  # s; None: to the end
USUAL = ("cylinder", "dam_break")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--world", choices=UNTIL, nargs="+", default=USUAL)
    parser.add_argument("--until", type=float, metavar="T", help="stop at time T [s]")
    parser.add_argument(
        "--set", metavar="K=V", action="append", default=[], help="change a value of the world"
    )
    parser.add_argument(
        "--steps", type=int, nargs=3, metavar=("P", "R", "S"), help="steps between pictures, rows, snapshots"
    )
    wanted = parser.parse_args()
    for name in wanted.world:
        file = ROOT / "worlds" / f"{name}.toml"
        world = eddyline.World.load(file, parse_set(wanted.set))
        if wanted.steps:
            world = eddyline.World.load(file, parse_set([*wanted.set, *intervals(world, *wanted.steps)]))
        print(told(name, measure(world, wanted.until or UNTIL[name])), flush=True)


def intervals(world: eddyline.World, pictures: int, series: int, snapshots: int) -> list[str]:
    """Settings of the world's output that come as often, in steps."""
    steps = plan(world).steps
    wanted = {"pictures": pictures, "series": series, "snapshots": snapshots}
    return [f"output.{what}={round(steps / every)}" for what, every in wanted.items()]


def measure(world: eddyline.World, until: float | None) -> dict[str, Any]:
    """Core seconds: of all, of what the computing thread copies for outputs, of the writing thread, and of
    forces and series inside the core."""
    with tempfile.TemporaryDirectory() as folder, clocked(Recorder) as clock:
        run = eddyline.run(
            world, out=Path(folder) / "run", until=until, threads=1, movie=False, report=False, progress=False
        )
        record = run.record
    phases = record["statistics"]["seconds"]
    computed = clock["thread"] - clock["copying"] - clock["looking"]
    return {
        "steps": record["statistics"]["steps"],
        "particles": record["fluid_particles"],
        "frames": clock["frames"],
        "all": clock["process"],
        "copying": clock["copying"],
        "looking": clock["looking"],
        "looks": clock["looks"],
        "writing": clock["process"] - clock["thread"],
        "observing": computed * phases["observe"] / sum(phases.values()),
    }


@contextmanager
def clocked(recorder: type[Recorder]) -> Iterator[dict[str, Any]]:
    """Core seconds between a recorder's making and the end of its work: of all threads (process), of the
    computing one (thread), and of that in the recorder: where a picture or snapshot is due (copying), and
    where a slice of steps is over and rows of series are fetched (looking, so many looks)."""
    clock: dict[str, Any] = {"copying": 0.0, "looking": 0.0, "looks": 0}
    make, after_steps, finish = recorder.__init__, recorder.after_steps, recorder.finish

    def begin(self: Recorder, *words: Any, **named: Any) -> None:
        make(self, *words, **named)
        clock["start"] = (time.process_time(), time.thread_time())

    def copy(self: Recorder) -> None:
        start, taken = time.thread_time(), (self.frames, self._snapshots_taken)
        after_steps(self)
        part = "looking" if taken == (self.frames, self._snapshots_taken) else "copying"
        clock[part] += time.thread_time() - start
        clock["looks"] += part == "looking"

    def end(self: Recorder, **named: Any) -> None:
        start = time.thread_time()
        finish(self, **named)
        clock["copying"] += time.thread_time() - start
        clock["process"] = time.process_time() - clock["start"][0]
        clock["thread"] = time.thread_time() - clock["start"][1]
        clock["frames"] = self.frames

    with (
        mock.patch.object(recorder, "__init__", begin),
        mock.patch.object(recorder, "after_steps", copy),
        mock.patch.object(recorder, "finish", end),
    ):
        yield clock


def told(name: str, found: dict[str, Any]) -> str:
    parts = {
        "rasters and copies for pictures and snapshots": found["copying"],
        "writing them": found["writing"],
        f"{found['looks']} looks for series": found["looking"],
        "forces and other observers": found["observing"],
    }
    shares = ", ".join(f"{what} {100 * seconds / found['all']:.1f} %" for what, seconds in parts.items())
    return (
        f"{name}: {found['particles']:,} particles, {found['steps']:,} steps, {found['frames']} pictures, "
        f"{found['all']:.1f} s of core time, {found['steps'] / found['all']:.0f} steps a second: {shares}; "
        f"together {100 * sum(parts.values()) / found['all']:.1f} %; of the time of the thread that computes "
        f"{100 * (sum(parts.values()) - found['writing']) / (found['all'] - found['writing']):.1f} %"
    )


if __name__ == "__main__":
    main()
