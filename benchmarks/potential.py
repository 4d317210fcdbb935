"""Cost of a multigrid cycle of the potential, in steps of the wave equation on as many cells.

  python benchmarks/potential.py                      all lines, about a minute of one core
  python benchmarks/potential.py --cells 64 --dimensions 3 --levels 1

A bell of density in a periodic box, potential 0 at first. Digits are those by which a cycle reduces the
residual over cycles 2 to 8; time is what the core has worked over cycles 8 to 48, in which rounding lets the
residual fall no more. A step is Runge-Kutta's of the wave equation with order 4. Times are medians of turns
that alternate. One thread.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
import time

from eddyline import Simulation
from eddyline.world import World

CASES = ((64, 3, 1), (128, 3, 1), (256, 2, 1), (32, 3, 2), (32, 3, 3), (64, 2, 2), (64, 2, 3))
"""Cells of level 0 along an edge, dimensions, levels."""

FIRST, LAST, LONG, STEPS = 2, 8, 48, 20
WORLD = """
format = 1
title = "Cycles"
[domain]
size = {size}
spacing = {spacing}
[method]
name = "amr"
{method}
[start.fields]
{start} = "1 + exp(-({radius})/0.02)"
[boundaries]
{sides}
[time]
end = 1
[output]
pictures = 2
snapshots = 2
"""


def world(cells: int, dimensions: int, levels: int, method: str, start: str) -> World:
    if levels > 1:
        method += f'\nlevels = {levels}\nunit = 4\nrefine = "{inside(dimensions)}"'
    return World.from_text(
        WORLD.format(
            size=[1] * dimensions,
            spacing=1 / (cells << (levels - 1)),
            method=method,
            start=start,
            radius=" + ".join(f"({x} - 0.45)^2" for x in "xyz"[:dimensions]),
            sides="\n".join(
                f'{side} = {{ type = "periodic" }}'
                for side in ("left", "right", "bottom", "top", "front", "back")[: 2 * dimensions]
            ),
        )
    )


def inside(dimensions: int) -> str:
    """A box around the middle, and another in that one."""
    farthest = "abs(x - 0.5)"
    for axis in "yz"[: dimensions - 1]:
        farthest = f"max({farthest}, abs({axis} - 0.5))"
    return f"{farthest} < if(level == 0, 0.25, 0.125)"


def solve(made: World, cycles: int) -> tuple[float, float]:
    """Time of so many cycles, and the residual after them."""
    before = time.process_time()
    try:
        Simulation(made, threads=1)
    except Exception as error:
        found = re.search(r"relative residual ([^;]+);", str(error))
        assert found is not None, error
        return time.process_time() - before, float(found[1])
    raise AssertionError(f"converged in fewer than {cycles} cycles")


def measure(cells: int, dimensions: int, levels: int, turns: int) -> tuple[float, float, float]:
    """Digits a cycle, and nanoseconds a cell of a cycle and of a step."""
    method = 'equations = "euler-poisson"\nresidual = 1e-60\ncycles = '
    few, some, many = (
        world(cells, dimensions, levels, f"{method}{each}", "density") for each in (FIRST, LAST, LONG)
    )
    digits = math.log10(solve(few, FIRST)[1] / solve(some, LAST)[1]) / (LAST - FIRST)
    wave = world(cells, dimensions, 1, 'equations = "wave"\norder = 4', "u")
    waves = Simulation(wave, threads=1)
    waves.step()
    loose = world(cells, dimensions, levels, f"{method}9".replace("1e-60", "0.9"), "density")
    count = Simulation(loose, threads=1).field("density").size
    cycle, step = [], []
    for _ in range(turns):
        early, late = solve(some, LAST)[0], solve(many, LONG)[0]
        cycle.append((late - early) / (LONG - LAST) / count * 1e9)
        before, steps = time.process_time(), waves.steps
        for _ in range(STEPS):
            waves.step()
        step.append((time.process_time() - before) / (waves.steps - steps) / cells**dimensions * 1e9)
    return digits, statistics.median(cycle), statistics.median(step)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int)
    parser.add_argument("--dimensions", type=int, choices=(2, 3), default=3)
    parser.add_argument("--levels", type=int, default=1)
    parser.add_argument("--turns", type=int, default=5)
    wanted = parser.parse_args()
    chosen = [(wanted.cells, wanted.dimensions, wanted.levels)] if wanted.cells else CASES
    print("| cells of level 0, levels | digits a cycle | ns a cell and cycle | ns a cell and step | steps |")
    print("| --- | --- | --- | --- | --- |")
    for cells, dimensions, levels in chosen:
        digits, cycle, step = measure(cells, dimensions, levels, wanted.turns)
        case = f"{cells}^{dimensions}, {levels}"
        print(f"| {case} | {digits:.2f} | {cycle:.1f} | {step:.1f} | {cycle / step:.2f} |", flush=True)
