"""A device beside the processor: the same bits, and how fast whole steps are. Under four minutes on a machine
with a GPU; `make gpu` first.

  python benchmarks/gpu.py                            all, on the GPU
  python benchmarks/gpu.py --device emulated --dry    every line with few particles, on the processor
  python benchmarks/gpu.py --large                    also runs 50 million particles: minutes more on the host
  python benchmarks/gpu.py --json FILE                the same as records

Exits with 1 if a bit differs. An evaluation is one step of one fluid particle, everything included: sums,
updates, sorting, lists, and what travels between device and host. Nothing is observed meanwhile. Shares of
the phases come from further steps, in which the host waits for every loop. The share of launches is their
number times the time of one, which is that of a step of a box so small that nothing else counts.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from eddyline.bench.device import Case, Timed, differs, estimated_bytes, simulation_of, timed

EQUALITY = (
    Case("dam_break", "a/30", 2000),
    Case("dam_break_3d", "a/12", 2000),
    Case("taylor_green", "L/60", 2000),
    Case("periodic_cylinder", "D/10", 2000),
    Case("oscillating_cylinder", "D/10", 2000),
    Case("cylinder", "D/10", 2000),
    Case("dam_break", "a/30", 2000, scheme="classic"),
    Case("sod", "", 600),
)
TINY = Case("box", "", 2000, 2, 500)
STUDENT = Case("box", "", 4000, 2, 10_000)
FLAT = Case("box", "", 100, 2, 1_000_000)
SOLID = Case("box", "", 50, 3, 1_000_000)
SPEED = (
    STUDENT,
    Case("cylinder", "D/10", 1000),
    Case("box", "", 400, 2, 100_000),
    FLAT,
    SOLID,
    Case("dam_break", "a/300", 200),
    Case("dam_break_3d", "a/40", 100),
)
LARGE = Case("box", "", 10, 2, 50_000_000)
COARSE = {"a/300": "a/20", "a/40": "a/8", "a/30": "a/12", "a/12": "a/8", "L/60": "L/30", "D/10": "D/5"}
"""Spacings of a dry run."""


def small(case: Case) -> Case:
    """The same world with few particles and steps."""
    return replace(
        case,
        spacing=COARSE.get(case.spacing, case.spacing),
        steps=min(case.steps, 40),
        particles=min(case.particles, 3000),
    )


def compare(cases: list[Case], device: str) -> int:
    """Prints whether bits are equal; returns how many worlds differ."""
    began, bad = time.monotonic(), 0
    print("Same bits as the processor:")
    for case in cases:
        wrong = differs(case, device)
        bad += bool(wrong)
        seconds = time.monotonic() - began
        print(f"  {case!s:28} {case.steps:5} steps  {wrong or 'equal'}  ({seconds:.0f} s)", flush=True)
    return bad


def measure(cases: list[Case], tiny: Case, device: str) -> Iterator[Timed]:
    """Prints a line for each world."""
    smallest = timed(tiny, device)
    launch = 1 / (smallest.steps_per_second * max(1.0, smallest.launches))
    print(f"A step of {smallest.particles} particles: {1e6 * launch:.1f} us a launch.")
    print(
        f"  {'world':28} {'particles':>10} {'steps/s':>9} {'M evals/s':>10} {'rebuilds':>9} "
        f"{'on device':>9} {'launches':>9} {'B/particle':>10}  share of a step [%]"
    )
    for case in cases:
        record = timed(case, device)
        shares = record.shares | {"launches": record.launches * launch * record.steps_per_second}
        print(
            f"  {record.case:28} {record.particles:10,} {record.steps_per_second:9.1f} "
            f"{record.evaluations_per_second / 1e6:10.2f} {record.rebuilds:9} {record.device_rebuilds:9} "
            f"{record.launches:9.1f} {record.bytes_per_particle:10.0f}  "
            + ", ".join(f"{phase} {100 * share:.0f}" for phase, share in shares.items()),
            flush=True,
        )
        yield replace(record, shares=shares)


def judge(found: dict[Case, Timed]) -> None:
    """Prints what is expected of an H100 or H200 beside what was measured."""
    flat, solid, student = (found[case] for case in (FLAT, SOLID, STUDENT))
    needed = estimated_bytes(FLAT) / FLAT.particles * LARGE.particles
    rows = (
        ("1 M particles in 2D [G evaluations/s]", flat.evaluations_per_second / 1e9, "at least 0.8"),
        ("1 M particles in 3D [G evaluations/s]", solid.evaluations_per_second / 1e9, "at least 0.25"),
        ("10,000 particles in 2D [steps/s]", student.steps_per_second, "at least 8000"),
        ("memory in 2D [bytes a particle]", flat.bytes_per_particle, "at most 400"),
        ("memory in 3D [bytes a particle]", solid.bytes_per_particle, "at most 900"),
        ("50 M particles in 2D, estimated [GB]", needed / 1e9, "at most 80"),
    )
    print("\nExpected of an H100 or H200:")
    for name, value, wanted in rows:
        print(f"  {name:40} {value:10.3g}   {wanted}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("gpu", "emulated", "cpu"), default="gpu")
    parser.add_argument("--dry", action="store_true", help="every line with few particles and steps")
    parser.add_argument("--large", action="store_true", help="also runs 50 million particles, minutes more")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write records to FILE")
    given = parser.parse_args()
    began = time.monotonic()
    sized = small if given.dry else lambda case: case
    bad = compare([sized(case) for case in EQUALITY], given.device)
    name = simulation_of(TINY.load(), given.device).statistics()["instructions"]
    print(f"\nWhole steps on {name}:")
    cases = (*SPEED, *(LARGE,) * (given.large or given.dry))
    records = list(measure([sized(case) for case in cases], sized(TINY), given.device))
    judge(dict(zip(cases, records, strict=True)))
    if given.dry:
        print("  The worlds were made small: these figures only show that every line is printed.")
    print(f"{time.monotonic() - began:.0f} s in all")
    if given.json is not None:
        given.json.write_text(
            json.dumps({"device": name, "speed": [asdict(each) for each in records]}, indent=1)
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
