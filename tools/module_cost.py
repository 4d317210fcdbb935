"""Time of equations of a module over the time of the same equations built in.

  python tools/module_cost.py [--cells 128] [--ranks 2] [--turns 5] [--steps 3] [--build build/ext]

The equations are those of examples/modules/wide, 56 values for each cell. They are built once as a module and
once into a copy of the core, which has them instead of its own equations and is linked from the objects of a
build folder. Both then advance the same world in turns, one thread for each rank. Prints the processor time
of all ranks for a step, medians, their ratio, and whether both have the same bits.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from eddyline.ranks.launch import find_launcher, local_environment

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "examples" / "modules" / "wide"
CHANGED = ("make_equations.cpp", "scalar_equations.cpp", "avx2_equations.cpp", "avx512_equations.cpp")
"""Sources of the core that include the list of equations."""
WAYS = ("module", "built in")


def prepare(build: Path, work: Path) -> None:
    """Makes work/eddyline, a package whose core has the equations "wide", and work/wide, the module."""
    from eddyline import modules

    core = work / "core"
    shutil.copytree(ROOT / "core", core)
    header = (EXAMPLE / "wide.hpp").read_text(encoding="utf-8")
    (core / "physics" / "wide.hpp").write_text(header.replace("eddyline::module", "eddyline::physics::wide"))
    models = core / "physics" / "models" / "list.hpp"
    text = models.read_text(encoding="utf-8")
    names = text.index("inline constexpr std::array"), text.index("/// Choice of a model")
    choice = text.index("auto with_model("), text.index("Kernels kernels_scalar")
    models.write_text(
        text[: names[0]].rsplit("namespace eddyline", 1)[0]
        + '#include "physics/wide.hpp"\nnamespace eddyline::physics {\n'
        + 'inline constexpr std::array<std::string_view, 1> k_equations{"wide"};\n'
        + text[names[1] : choice[0]]
        + "auto with_model(const Choice& choice, Visit&& visit) {\n"
        + "  (void)choice;\n  return visit.template operator()<wide::Model<3>, 3>();\n}\n"
        + text[choice[1] :],
        encoding="utf-8",
    )
    listed = subprocess.run(
        ["ninja", "-C", build, "-t", "commands"], capture_output=True, text=True, check=True
    )
    commands = listed.stdout.splitlines()
    objects = []
    for source in CHANGED:
        line = next(line for line in commands if line.endswith(f"/{source}"))
        words = [word.replace(str(ROOT / "core"), str(core)) for word in shlex.split(line)]
        objects.append(str(work / f"{source}.o"))
        words[words.index("-o") + 1] = objects[-1]
        for option in ("-MT", "-MF"):
            at = words.index(option)
            del words[at : at + 2]
        words = [word for word in words if word not in ("-MD", "-Werror", "ccache")]
        subprocess.run(words, cwd=build, check=True)
    package = work / "eddyline"
    shutil.copytree(ROOT / "python" / "eddyline", package, copy_function=os.symlink, symlinks=False)
    (library,) = package.glob("_core*.so")
    library.unlink()
    link = next(line for line in commands if f"-o {library.name}" in line).removeprefix(": && ")
    words = shlex.split(link.removesuffix(" && :"))
    words[words.index("-o") + 1] = str(library)
    at = words.index("libeddyline_core.a")
    subprocess.run([*words[:at], *objects, *words[at:]], cwd=build, check=True)
    shutil.copytree(EXAMPLE, work / "wide", ignore=shutil.ignore_patterns("*.so"))
    modules.build(work / "wide")


def measure(work: Path, way: str, cells: int, steps: int) -> None:
    """Advances one of both on the ranks of this program; each leaves its times beside the others."""
    from eddyline import _core
    from eddyline.ranks import join
    from eddyline.world import World

    ranks = join()
    text = (work / "wide" / "wide.toml").read_text(encoding="utf-8")
    world = World.from_text(text, overrides={"let.n": cells, "time.end": 1}, path=work / "wide" / "wide.toml")
    options = dict(world.core.options)
    if way == "built in":
        options |= {"equations": "wide"}
        del options["library"]
    world.core.options = options
    simulation = _core.Simulation(world.core, threads=1, communicator=ranks.communicator)
    began, checksum = _seconds(), ""
    if ranks.is_root:
        simulation.advance(math.inf, steps, math.inf)
        checksum = f"{simulation.checksum():032x}"
        simulation.end()
    else:
        simulation.follow()
    told = {"seconds": (_seconds() - began) / steps, "checksum": checksum}
    (work / f"told.{0 if ranks.is_root else ranks.rank}.json").write_text(json.dumps(told))


def _seconds() -> float:
    """Processor time of this process [s]."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("cells", 128), ("ranks", 2), ("turns", 5), ("steps", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "ext")
    parser.add_argument("--work", type=Path, help="folder in which both are kept, for further measurements")
    parser.add_argument("--measure", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        measure(given.work, given.measure, given.cells, given.steps)
        return
    work = given.work or Path(tempfile.mkdtemp(prefix="eddyline-module-cost-"))
    try:
        if not (work / "wide").is_dir():
            prepare(given.build.resolve(), work)
        compare(work, given.ranks, given.cells, given.turns, given.steps)
    finally:
        if given.work is None:
            shutil.rmtree(work)


def compare(work: Path, ranks: int, cells: int, turns: int, steps: int) -> None:
    """Measures both in turns, and prints what came out."""
    times: dict[str, list[float]] = {way: [] for way in WAYS}
    checksums = set()
    environment = local_environment() | {"PYTHONPATH": str(work)}
    for _ in range(turns):
        for way in WAYS:
            child = [sys.executable, __file__, "--measure", way, "--work", str(work)]
            child += ["--cells", str(cells), "--steps", str(steps)]
            launcher = [] if ranks == 1 else [*find_launcher(), "-n", str(ranks)]
            subprocess.run([*launcher, *child], env=environment, check=True)
            told = [json.loads(path.read_text()) for path in work.glob("told.*.json")]
            times[way].append(sum(each["seconds"] for each in told))
            checksums |= {each["checksum"] for each in told if each["checksum"]}
            print(f"  {way:9} {times[way][-1]:8.3f} s", flush=True)
    medians = {way: statistics.median(times[way]) for way in WAYS}
    print(f"processor time of {ranks} ranks a step, {cells}^3 cells, medians of {turns} turns:")
    print(", ".join(f"{way} {medians[way]:.3f} s" for way in WAYS))
    print(f"module / built in {medians['module'] / medians['built in']:.3f}")
    print("same bits" if len(checksums) == 1 else "OTHER BITS")


if __name__ == "__main__":
    main()
