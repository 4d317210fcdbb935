"""Work saved by levels at equal error: a narrow wave in three dimensions, uniform cells and 3 levels.

  python benchmarks/refinement.py                     boxes of 4 and 8 m, some minutes of one core
  python benchmarks/refinement.py --box 4 --json FILE
  python benchmarks/refinement.py --regrid            cost of flags and of changes of refinement instead

A pulse exp(-r^2/w^2), w = 1/4 m, at rest, until t = 1 s, order 4. Errors are the root of the mean square
of u minus the exact solution, over all cells that no finer ones cover, by volume. Between two uniform grids,
cell steps and processor time at the error of a run with levels follow from a power law through both. Those of
larger boxes follow from the box of 4 m. Time is what the core has worked on, without the start and rows of
series. One thread.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eddyline import Simulation
from eddyline.world import World

WIDTH, END = 0.25, 1.0
UNIFORM = (24, 32)  # cells a metre
SMALLEST = 4  # box [m]
FINEST = 32
TOLERANCES = (4e-3, 3e-3, 1e-3)
EVERY = (2, 4)
WORLD = """
format = 1
title  = "A narrow wave"
[domain]
size    = [{box}, {box}, {box}]
origin  = [{low}, {low}, {low}]
spacing = "1/{fine}"
[method]
name         = "amr"
equations    = "wave"
wave_speed   = 1
order        = 4
levels       = {levels}
tolerance    = {tolerance}
unit         = 4
regrid_every = {every}
[start.fields]
u = "exp(-(x^2 + y^2 + z^2)/{width}^2)"
[boundaries]
left   = {{ type = "periodic" }}
right  = {{ type = "periodic" }}
bottom = {{ type = "periodic" }}
top    = {{ type = "periodic" }}
front  = {{ type = "periodic" }}
back   = {{ type = "periodic" }}
[time]
end = {end}
"""


def exact(r: NDArray[np.float64], t: float) -> NDArray[np.float64]:
    """u at distances r [m] from the centre."""
    far = np.maximum(r, 1e-9)
    inwards, outwards = (q * np.exp(-((q / WIDTH) ** 2)) for q in (far - t, far + t))
    u: NDArray[np.float64] = (inwards + outwards) / (2 * far)
    return u


def run(box: int, fine: int, levels: int, tolerance: float, every: int = 2) -> dict[str, Any]:
    text = WORLD.format(box=box, low=-box / 2, fine=fine, levels=levels, tolerance=tolerance, every=every,
                        width=WIDTH, end=END)  # fmt: skip
    simulation = Simulation(World.from_text(text), threads=1)._core
    start = time.process_time()
    simulation.advance(END, 10**9, float("inf"))
    seconds = time.process_time() - start
    after = simulation.statistics()
    phases = after["seconds"]
    in_steps = sum(phases.values()) - phases["observe"]
    position, u = simulation.field("cells", "position"), simulation.field("cells", "u")
    level = simulation.field("cells", "level") if levels > 1 else np.zeros(len(u))
    volume = 8.0**-level
    error = u - exact(np.sqrt((position**2).sum(axis=1)), simulation.time)
    found = {
        "box": box,
        "cells a metre": fine,
        "levels": levels,
        "tolerance": tolerance,
        "regrid_every": every,
        "error": math.sqrt(float((volume * error**2).sum() / volume.sum())),
        "cell_steps": after["cell_steps"] if levels > 1 else after["cells"] * after["steps"],
        "seconds": seconds * in_steps / sum(phases.values()),
        "shares": {key: value / in_steps for key, value in phases.items() if value and key != "observe"},
    }
    simulation.end()
    return found


def uniform(box: int, fine: int) -> dict[str, Any]:
    """Uniform cells. The wave has not reached the sides of the smallest box: a larger one has more cells in
    which there is no error, and nothing else."""
    found = run(SMALLEST, fine, 1, 1)
    more = (box / SMALLEST) ** 3
    scaled = {"box": box, "error": found["error"] / math.sqrt(more)}
    return found | scaled | {key: found[key] * more for key in ("cell_steps", "seconds")}


def at_error(first: dict[str, Any], second: dict[str, Any], key: str, error: float) -> float:
    """A quantity of uniform grids at an error."""
    slope = math.log(second[key] / first[key]) / math.log(second["error"] / first["error"])
    return float(second[key] * (error / second["error"]) ** slope)


def line(one: dict[str, Any], *more: str) -> str:
    words = [f"{one['box']} m", str(one["cells a metre"]), str(one["levels"]), f"{one['tolerance']:g}",
             str(one["regrid_every"]), f"{one['error']:.3g}", f"{one['cell_steps'] / 1e6:.1f}",
             f"{one['seconds']:.2f}", *more]  # fmt: skip
    return "| " + " | ".join(words) + " |"


def work(boxes: list[int], records: list[dict[str, Any]]) -> None:
    print("| box | cells a metre | levels | tolerance | regrid_every | error | million cell steps |"
          " processor time [s] | fewer cell steps | less time |")  # fmt: skip
    print("|" + " --- |" * 10)
    for box in boxes:
        first, second = (uniform(box, fine) for fine in UNIFORM)
        records += [first, second]
        for one in (first, second):
            print(line(one, "", ""), flush=True)
        for tolerance in TOLERANCES:
            one = run(box, FINEST, 3, tolerance)
            for key in ("cell_steps", "seconds"):
                one[f"saved {key}"] = at_error(first, second, key, one["error"]) / one[key]
            records.append(one)
            print(line(one, f"{one['saved cell_steps']:.1f}", f"{one['saved seconds']:.1f}"), flush=True)


def regrid(box: int, records: list[dict[str, Any]]) -> None:
    print(
        "| regrid_every | error | million cell steps | processor time [s] | flags and changes of refinement |"
    )
    print("|" + " --- |" * 5)
    for every in EVERY:
        one = run(box, FINEST, 3, TOLERANCES[2], every)
        records.append(one)
        print(f"| {every} | {one['error']:.3g} | {one['cell_steps'] / 1e6:.1f} | {one['seconds']:.2f} |"
              f" {100 * one['shares'].get('sort', 0):.1f} % |", flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--box", type=int, nargs="+", default=[4, 8], metavar="L", help="edges [m]")
    parser.add_argument("--regrid", action="store_true", help="cost of flags and of changes of refinement")
    parser.add_argument("--json", type=Path, metavar="FILE")
    wanted = parser.parse_args()
    records: list[dict[str, Any]] = []
    if wanted.regrid:
        regrid(wanted.box[0], records)
    else:
        work(wanted.box, records)
    if wanted.json:
        wanted.json.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
