"""A device beside the processor: the same bits, and how fast whole steps are. Under four minutes on a machine
with a GPU; `make gpu` first.

  python benchmarks/gpu.py                     all, on the GPU
  python benchmarks/gpu.py --device emulated --quick    the same loops on the processor, a minute
  python benchmarks/gpu.py --large             also 50 million particles, which takes minutes more on the host
  python benchmarks/gpu.py --json FILE         the same as records

Exits with 1 if a bit differs. An evaluation is one step of one fluid particle, everything included: sums,
updates, sorting, lists, and what travels between device and host. Nothing is observed meanwhile. Shares of
the phases come from further steps, in which the host waits for every loop.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

from eddyline.bench.device import Case, differs, simulation_of, timed

EQUALITY = (
    Case("dam_break", "a/30", 2000),
    Case("dam_break_3d", "a/12", 2000),
    Case("taylor_green", "L/60", 2000),
    Case("periodic_cylinder", "D/10", 2000),
    Case("oscillating_cylinder", "D/10", 2000),
    Case("cylinder", "D/10", 2000),
)
SPEED = (
    Case("box", "", 4000, 2, 10_000),
    Case("cylinder", "D/10", 1000),
    Case("box", "", 400, 2, 100_000),
    Case("box", "", 100, 2, 1_000_000),
    Case("box", "", 50, 3, 1_000_000),
    Case("dam_break", "a/300", 200),
    Case("dam_break_3d", "a/40", 100),
)
LARGE = (Case("box", "", 10, 2, 50_000_000),)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("gpu", "emulated", "cpu"), default="gpu")
    parser.add_argument("--quick", action="store_true", help="fewer steps and the small worlds only")
    parser.add_argument("--large", action="store_true", help="also 50 million particles, minutes more")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write records to FILE")
    given = parser.parse_args()
    share = 20 if given.quick else 1
    print("Same bits as the processor:")
    began, bad = time.monotonic(), 0
    for case in EQUALITY:
        shorter = replace(case, steps=case.steps // share)
        wrong = differs(shorter, given.device)
        bad += bool(wrong)
        seconds = time.monotonic() - began
        print(f"  {shorter!s:28} {shorter.steps:5} steps  {wrong or 'equal'}  ({seconds:.0f} s)", flush=True)
    found = []
    name = ""
    for case in SPEED[:1] if given.quick else SPEED + LARGE * given.large:
        record = timed(replace(case, steps=case.steps // share), given.device)
        if not name:
            name = simulation_of(SPEED[0].load(), given.device).statistics()["instructions"]
            print(f"\nWhole steps on {name}:")
            print(
                f"  {'world':28} {'particles':>10} {'steps/s':>9} {'M evals/s':>10} {'rebuilds':>9} "
                f"{'on device':>9} {'launches':>9} {'B/particle':>10}  share of a step [%]"
            )
        found.append(record)
        print(
            f"  {record.case:28} {record.particles:10,} {record.steps_per_second:9.1f} "
            f"{record.evaluations_per_second / 1e6:10.2f} {record.rebuilds:9} {record.device_rebuilds:9} "
            f"{record.launches:9.1f} {record.bytes_per_particle:10.0f}  "
            + ", ".join(f"{phase} {100 * share:.0f}" for phase, share in record.shares.items()),
            flush=True,
        )
    if given.json is not None:
        given.json.write_text(
            json.dumps({"device": name, "speed": [asdict(each) for each in found]}, indent=1)
        )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
