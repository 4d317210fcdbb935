"""Cost of accuracy: core time for a simulated second of worlds of the gallery, by spacing.

  python benchmarks/accuracy.py                              all, about half an hour of one core
  python benchmarks/accuracy.py --case dam --spacing a/40    one line
  python benchmarks/accuracy.py --json FILE                  the same as records

Each line is one run with one thread: series, forces, rasters for pictures, snapshots and a checkpoint
included, film and report not. Time is what the core has worked on it, so that other programs on the machine
do not count. Errors are those of the run's own results: a curve's RMS difference from the measured front, or
how far a coefficient lies outside its published range.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import eddyline
from eddyline.bench.origin import commit
from eddyline.run.machine import processor_name
from eddyline.world import parse_set

ROOT = Path(__file__).resolve().parent.parent
CASES = {"dam": ("dam_break", ("a/20", "a/40", "a/80")), "cylinder": ("cylinder", ("D/10", "D/14", "D/20"))}
"""World and spacings."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--case", choices=CASES, nargs="+", default=list(CASES))
    parser.add_argument("--spacing", metavar="F", nargs="+", help="instead of those of the case")
    parser.add_argument(
        "--set", metavar="K=V", action="append", default=[], help="change a value of the world"
    )
    parser.add_argument("--json", type=Path, metavar="FILE")
    wanted = parser.parse_args()
    print("| world | spacing | particles | steps | core time for a second [s] | found |")
    print("| --- | --- | --- | --- | --- | --- |")
    records = []
    for case in wanted.case:
        world, spacings = CASES[case]
        for spacing in wanted.spacing or spacings:
            records.append(measure(world, spacing, wanted.set))
            print(line(records[-1]), flush=True)
            if wanted.json:
                wanted.json.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")


def measure(world: str, spacing: str, changes: list[str]) -> dict[str, Any]:
    made = eddyline.World.load(
        ROOT / "worlds" / f"{world}.toml", parse_set([f"domain.spacing={spacing}", *changes])
    )
    with tempfile.TemporaryDirectory() as folder:
        before = time.process_time()
        run = eddyline.run(
            made, out=Path(folder) / "run", threads=1, movie=False, report=False, progress=False
        )
        seconds = time.process_time() - before
        expectations = run.results["expectations"]
    return {
        "world": world, "spacing": spacing, "changes": changes, "particles": run.record["fluid_particles"],
        "steps": run.record["statistics"]["steps"], "simulated_seconds": run.record["time"],
        "core_seconds": seconds, "core_seconds_per_second": seconds / run.record["time"],
        "errors": {item["quantity"]: item["error"] for item in expectations},
        "inside": {item["quantity"]: item["inside"] for item in expectations},
        "processor": processor_name(), "commit": commit(),
    }  # fmt: skip


def line(record: dict[str, Any]) -> str:
    found = ", ".join(
        f"{name} {'nothing to be trusted' if error is None else f'{100 * error:+.1f} %'}"
        for name, error in record["errors"].items()
    )
    cells = [
        record["world"], record["spacing"], f"{record['particles']:,}", f"{record['steps']:,}",
        f"{record['core_seconds_per_second']:.3g}", found,
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
