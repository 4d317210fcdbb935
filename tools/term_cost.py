"""Cost of a force between particles that is stated in three ways: cohesion as a formula of the
world file, as a module with a sum of its own, and as part of a sum of the core.

  python tools/term_cost.py [--instructions avx2] [--turns 9] [--built-in PACKAGE]

Processor time of a step of 10,000 particles in a periodic box, in 2D and 3D, one thread; medians of turns,
in which each way advances the same number of steps. PACKAGE: a folder with a package `eddyline` that has the
term of docs/a-new-term.md, for example `python` of a copy of the sources after `git apply
examples/cohesion.patch` and `make build`. Needs a compiler for the module.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS = 20
"""Steps of a turn."""
FORMULA = "-kappa/m0*m_i*m_j*(q*(1 - q))^3"
WORLD = """\
format = 1
[let]
kappa = 100
m0 = "1000*({dx})^{d}"
[domain]
size = [{sides}]
spacing = "{dx}"
[fluid]
density = 1000
kinematic_viscosity = 1e-4
max_speed = 1
[start]
velocity = ["0.2*sin(2*pi*y)", "0.2*cos(2*pi*x)"{third}]
arrangement = "jittered"
[boundaries]
{boundaries}
[time]
end = 1000
"""
FORMULA_TERM = f'[[terms]]\nname = "cohesion"\ncentral = "{FORMULA}"\n'
MODULE_TERM = '[[terms]]\nname = "cohesion"\nmodule = "cohesion"\nparameters = { kappa = 100 }\n'


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--instructions", default="auto")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--built-in", metavar="PACKAGE", type=Path)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--world", type=Path, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.world is not None:
        return advance(wanted.world, wanted.instructions)
    with tempfile.TemporaryDirectory() as folder:
        build_module(Path(folder))
        for dimensions in (2, 3):
            measure(Path(folder), dimensions, wanted)
    return None


def build_module(folder: Path) -> None:
    from eddyline import modules

    modules.build(modules.new_module("cohesion", "particles", folder))


def world(dimensions: int) -> str:
    """The box without terms."""
    sides = ("left", "right", "bottom", "top", "front", "back")[: 2 * dimensions]
    return WORLD.format(
        d=dimensions,
        dx="1/100" if dimensions == 2 else "1/22",
        sides=", ".join(["1"] * dimensions),
        third=", 0.1" if dimensions == 3 else "",
        boundaries="\n".join(f'{side} = {{ type = "periodic" }}' for side in sides),
    )


def measure(folder: Path, dimensions: int, wanted: argparse.Namespace) -> None:
    """Prints a line for each way."""
    base = world(dimensions)
    ways = {"no term": base, "formula": base + FORMULA_TERM, "module": base + MODULE_TERM}
    packages: dict[str, Path | None] = dict.fromkeys(ways)
    if wanted.built_in is not None:
        ways["built in"], packages["built in"] = base, wanted.built_in
    workers = {
        way: start(folder / f"{way.replace(' ', '_')}.toml", text, wanted.instructions, packages[way])
        for way, text in ways.items()
    }
    spent: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(wanted.turns):
        for way, worker in workers.items():
            assert worker.stdin is not None and worker.stdout is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
            spent[way].append(float(worker.stdout.readline()))
    for worker in workers.values():
        assert worker.stdin is not None
        worker.stdin.close()
        worker.wait()
    medians = {way: statistics.median(times) for way, times in spent.items()}
    for way, each in medians.items():
        added = statistics.median(a / b - 1 for a, b in zip(spent[way], spent["no term"], strict=True))
        print(f"{dimensions}D  {way:9} {1e3 * each:7.3f} ms a step  adds {100 * added:5.1f} %", flush=True)


def start(path: Path, text: str, instructions: str, package: Path | None) -> subprocess.Popen[str]:
    """Starts a process that advances a world whenever it is told to."""
    path.write_text(text, encoding="utf-8")
    command = [sys.executable, __file__, "--instructions", instructions, "--world", str(path)]
    environment = os.environ | ({} if package is None else {"PYTHONPATH": str(package)})
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    )


def advance(path: Path, instructions: str) -> None:
    """Prints the processor time of a step [s] for each line of the input."""
    from eddyline import _core
    from eddyline.world import World

    simulation = _core.Simulation(World.load(path).core, threads=1, instructions=instructions)
    steps = STEPS
    simulation.advance(math.inf, steps, math.inf)
    for _ in sys.stdin:
        begin = time.process_time()
        steps += STEPS
        simulation.advance(math.inf, steps, math.inf)
        print((time.process_time() - begin) / STEPS, flush=True)


if __name__ == "__main__":
    main()
