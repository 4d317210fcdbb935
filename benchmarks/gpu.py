"""A device beside the processor: the same bits, and how fast whole steps are. Under four minutes on a machine
with a GPU; `make gpu` first.

  python benchmarks/gpu.py                     all, on the GPU
  python benchmarks/gpu.py --device emulated --quick    the same loops on the processor, a minute
  python benchmarks/gpu.py --json FILE         the same as records

Exits with 1 if a bit differs. An evaluation is one step of one fluid particle, everything included: sums,
updates, sorting, lists, and what travels between device and host. Nothing is observed meanwhile.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from eddyline import _core
from eddyline.run.device import library_of
from eddyline.world import World

GALLERY = Path(__file__).resolve().parent.parent / "worlds"


@dataclass(frozen=True)
class Case:
    world: str
    spacing: str
    steps: int

    def load(self) -> World:
        return World.load(str(GALLERY / f"{self.world}.toml"), {"domain.spacing": self.spacing})

    def __str__(self) -> str:
        return f"{self.world}, {self.spacing}"


EQUALITY = (
    Case("dam_break", "a/30", 2000),
    Case("dam_break_3d", "a/12", 2000),
    Case("taylor_green", "L/60", 2000),
    Case("periodic_cylinder", "D/10", 2000),
    Case("oscillating_cylinder", "D/10", 1000),
)
SPEED = (
    Case("taylor_green", "L/100", 2000),
    Case("taylor_green", "L/316", 400),
    Case("taylor_green", "L/1000", 100),
    Case("dam_break", "a/300", 200),
    Case("dam_break_3d", "a/40", 200),
    Case("dam_break_3d", "a/80", 50),
)


@dataclass
class Timed:
    case: str
    particles: int
    steps_per_second: float
    evaluations_per_second: float
    rebuilds: int
    host_share: float  # of the time: sorting, lists and copies between device and host


def simulation_of(world: World, device: str) -> _core.Simulation:
    return _core.Simulation(world.core, device=device, device_library=library_of(device))


def advance(simulation: _core.Simulation, steps: int) -> None:
    simulation.advance(math.inf, steps, math.inf)


def differs(case: Case, device: str) -> str:
    """Compares the state after the last step, and that of a run that changes between the two half way.
    Returns what differs; "": nothing."""
    world = case.load()
    alone = simulation_of(world, "cpu")
    advance(alone, case.steps // 2)
    half = [alone.save()]
    advance(alone, case.steps)
    on_device = simulation_of(world, device)
    advance(on_device, case.steps // 2)
    back = [on_device.save()]
    advance(on_device, case.steps)
    wrong = [] if on_device.checksum() == alone.checksum() else ["state"]
    for name, parts, where in (
        ("checkpoint to device", half, device),
        ("checkpoint from device", back, "cpu"),
    ):
        resumed = simulation_of(world, where)
        resumed.restore(iter(parts))
        advance(resumed, case.steps)
        if resumed.checksum() != alone.checksum():
            wrong.append(name)
    return ", ".join(wrong)


def timed(case: Case, device: str) -> Timed:
    simulation = simulation_of(case.load(), device)
    warm = max(10, case.steps // 10)
    advance(simulation, warm)
    before = simulation.statistics()
    start = time.perf_counter()
    advance(simulation, warm + case.steps)
    seconds = time.perf_counter() - start
    after = simulation.statistics()
    on_host = sum(after["seconds"][phase] - before["seconds"][phase] for phase in ("sort", "lists", "pack"))
    particles = simulation.count("fluid")
    rate = case.steps / seconds
    rebuilds = after["rebuilds"] - before["rebuilds"]
    return Timed(str(case), particles, rate, rate * particles, rebuilds, on_host / seconds)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("gpu", "emulated", "cpu"), default="gpu")
    parser.add_argument("--quick", action="store_true", help="fewer steps and the small worlds only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write records to FILE")
    given = parser.parse_args()
    share = 20 if given.quick else 1
    print("Same bits as the processor:")
    bad = 0
    for case in EQUALITY:
        shorter = Case(case.world, case.spacing, case.steps // share)
        wrong = differs(shorter, given.device)
        bad += bool(wrong)
        print(f"  {shorter!s:28} {shorter.steps:5} steps  {wrong or 'equal'}", flush=True)
    found = []
    name = ""
    for case in SPEED[:1] if given.quick else SPEED:
        record = timed(Case(case.world, case.spacing, case.steps // share), given.device)
        if not name:
            name = simulation_of(SPEED[0].load(), given.device).statistics()["instructions"]
            print(f"\nWhole steps on {name}:")
            print(
                f"  {'world':28} {'particles':>10} {'steps/s':>9} {'M evals/s':>10} {'rebuilds':>9} "
                f"{'on host':>8}"
            )
        found.append(record)
        print(
            f"  {record.case:28} {record.particles:10,} {record.steps_per_second:9.1f} "
            f"{record.evaluations_per_second / 1e6:10.2f} {record.rebuilds:9} {record.host_share:8.0%}",
            flush=True,
        )
    if given.json is not None:
        given.json.write_text(
            json.dumps({"device": name, "speed": [asdict(each) for each in found]}, indent=1)
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
