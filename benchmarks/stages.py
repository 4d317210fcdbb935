"""Cells that the solvers multiblock and amr compute a second on one core.

  python benchmarks/stages.py

A periodic box. multiblock: cell-stages a second of a cycle on one level without smoothing of residuals: five
stages, three of them with new dissipation and friction. amr: cell-stages of steps of four stages. Core time,
best and median of five repetitions. Share of memory, of the largest boxes without friction: bytes that a
stage moves at least, as counted by hand, over what the processor copies.
"""

from __future__ import annotations

import statistics
import time

from eddyline import Simulation
from eddyline.bench import machine
from eddyline.world import World
from eddyline.world.schema import SIDES

WORLD = """format = 1
title = "box"
[method]
{method}
[domain]
size = {size}
spacing = {spacing}
[fluid]
{fluid}
[start]
velocity = {velocity}
{start}
[boundaries]
{sides}
[time]
end = 1000
"""
ON_BLOCKS = 'name = "multiblock"\nsteady = true\ntime_step = 1\ntolerance = 1e-14\nlevels = 1\n'
VELOCITY = {
    2: '["1 + 0.1*sin(2*pi*y)", "0.1*sin(2*pi*x)"]',
    3: '["1 + 0.1*sin(2*pi*y)", "0.1*sin(2*pi*z)", "0.1*sin(2*pi*x)"]',
}
SIZES = {2: (64, 256), 3: (16, 32, 64)}
REPETITIONS = 5
WORK = 300_000  # cells of a repetition


def world(dimensions: int, across: int, viscosity: float, *, gas: bool, blocks: bool) -> World:
    """A box with so many cells along each axis."""
    name = ON_BLOCKS + ("sweeps = 0\n" if gas else "") if blocks else 'name = "amr"\n'
    state = 'state = "ideal_gas"\ngamma = 1.4\n' if gas else ""
    return World.from_text(
        WORLD.format(
            method=name,
            size=[1.0] * dimensions,
            spacing=1 / across,
            fluid=f"{state}density = 1.0\nkinematic_viscosity = {viscosity}",
            velocity=VELOCITY[dimensions],
            start="pressure = 4.0" if gas else "",
            sides="\n".join(f'{side} = {{ type = "periodic" }}' for side in SIDES[: 2 * dimensions]),
        ),
        "box",
    )


def bytes_of(dimensions: int, *, gas: bool) -> int:
    """Bytes of an inviscid cell-stage on blocks: each array once, two of five stages without dissipation."""
    unknowns = dimensions + (2 if gas else 1)
    fluxes = (2 if gas else 1) * unknowns + dimensions**2 + 1 + 2 * unknowns  # read; residual written
    dissipation = 2 * unknowns + 0.6 * dimensions
    update = 4 * unknowns + 2 + (unknowns if gas else 0)
    return round(8 * (fluxes + dissipation + update))


def measure(given: World, stages: int) -> tuple[float, float]:
    """Cell-stages a second: best, median."""
    simulation = Simulation(given, threads=1)
    cells = given.solver.estimate(given).members
    steps = max(2, WORK // cells)
    simulation.step(1)
    rates = []
    for _ in range(REPETITIONS):
        start = time.thread_time()
        simulation.step(steps)
        rates.append(stages * cells * steps / (time.thread_time() - start))
    return max(rates), statistics.median(rates)


def main() -> None:
    limits = machine.measure([1])[0]
    copied = limits.copy_bytes_per_second
    print(f"{limits.processor}: copies {copied / 1e9:.1f} GB/s, read and written")
    for dimensions, sizes in SIZES.items():
        for across in sizes:
            for gas, viscosity in ((True, 0.0), (True, 1e-3), (False, 0.0), (False, 1e-3)):
                best, median = measure(world(dimensions, across, viscosity, gas=gas, blocks=True), 5)
                text = f"blocks {dimensions}D {across:4} {'gas' if gas else 'liquid':6} nu {viscosity:<6}"
                text += f" {best / 1e6:6.1f} M cell-stages/s, median {median / 1e6:.1f}"
                if not viscosity and across == sizes[-1]:
                    text += f", {best * bytes_of(dimensions, gas=gas) / copied:.0%} of memory"
                print(text, flush=True)
            best, median = measure(world(dimensions, across, 0.0, gas=True, blocks=False), 4)
            text = f"levels {dimensions}D {across:4} gas nu 0.0   "
            print(f"{text} {best / 1e6:6.1f} M cell-stages/s, median {median / 1e6:.1f}", flush=True)


if __name__ == "__main__":
    main()
