"""Compiles a module into a library, against the headers that the package brings."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .description import Description, ModuleError, read, source_hash
from .library import SUFFIX, Library, open_library, seal
from .symbolic import generate

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "include", _PACKAGE.parent.parent / "core")  # installed; in a checkout
LIST = "physics/modules/headers.txt"
FLAGS = (
    "-std=c++20", "-O3", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno", "-w",
)  # fmt: skip
"""Every operation rounds once, as in the core (the law)."""
SCHEDULING = ("-fschedule-insns", "-fsched-pressure")
"""As in the core; of GCC only."""
INSTRUCTIONS = {
    "scalar": ("Pack<double, 1>", ("base/pack.hpp",), ("-march=x86-64-v3",)),
    "avx2": ("Pack<double, 4>", ("base/lanes_select.hpp",), ("-march=x86-64-v3",)),
    "avx512": (
        "Pack<double, 8>",
        ("base/pack_avx512_double.hpp",),
        ("-march=x86-64-v4", "-mprefer-vector-width=512"),
    ),
}
"""Pack, headers and options of each instruction set, as in the core."""
OF_PARTICLES = {
    "scalar": ("Pack<float, 1>", "base/pack.hpp"),
    "avx2": ("Pack<float, 8>", "base/pack_avx2.hpp"),
    "avx512": ("Pack<float, 16>", "base/pack_avx512.hpp"),
}
"""Pack and header of sweeps over particles; double precision is scalar."""


def build(folder: Path, instructions: Sequence[str] | None = None, *, include: Path | None = None) -> Library:
    """Compiles the module in a folder to NAME.module.so beside its files, and loads it. instructions: some
    instruction sets only; scalar is always one of them. include: the headers. Raises ModuleError."""
    module = read(folder)
    is_x86 = platform.machine() in ("x86_64", "AMD64")
    wanted = [
        name
        for name in INSTRUCTIONS
        if name == "scalar" or (is_x86 and name in (instructions or INSTRUCTIONS))
    ]
    headers = include or include_folder()
    compiler = find_compiler()
    target = folder / f"{module.name}{SUFFIX}"
    with tempfile.TemporaryDirectory(prefix="eddyline-module-") as work:
        sources = _sources(module, folder, wanted, Path(work))
        if not (folder / f"{module.name}.hpp").is_file():
            Path(work, f"{module.name}.hpp").write_text(generate(folder, module), encoding="utf-8")
        flags = [*FLAGS, "-I", str(headers), "-I", str(folder.resolve()), "-I", work]
        defines = [f'-DEDDYLINE_MODULE_HEADERS="{headers_hash(headers)}"']
        defines += [f"-DEDDYLINE_MODULE_{each}D" for each in module.dimensions]
        defines += [f"-DEDDYLINE_MODULE_{name.upper()}" for name in wanted]
        machine = {name: INSTRUCTIONS[name][2] if is_x86 else () for name in wanted}

        def compile_one(source: Path) -> Path:
            own = [*machine.get(source.stem, machine["scalar"])]
            if source.stem in machine and _is_gcc(compiler):
                own += SCHEDULING
            out = source.with_suffix(".o")
            _run([compiler, *flags, *defines, *own, "-c", str(source), "-o", str(out)], module, folder)
            return out

        with ThreadPoolExecutor(max(1, min(len(sources), len(os.sched_getaffinity(0))))) as pool:
            objects = [str(path) for path in pool.map(compile_one, sources)]
        part = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            _run([compiler, "-shared", "-Wl,-z,defs", *objects, "-o", str(part)], module, folder)
            seal(part)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    return open_library(target)


def include_folder() -> Path:
    """The headers that modules are compiled against."""
    for place in _PLACES:
        if (place / LIST).is_file():
            return place
    raise ModuleError(f"{_PLACES[0]}: the headers of this installation are missing. Install eddyline again.")


def headers_hash(include: Path) -> str:
    """As CMakeLists.txt computes it for the core."""
    names = (include / LIST).read_text(encoding="utf-8").split()
    digests = [hashlib.sha256((include / name).read_bytes()).hexdigest() for name in names]
    return hashlib.sha256("".join(digests).encode()).hexdigest()[:16]


def find_compiler() -> str:
    """The C++ compiler: the one that CXX names, or g++, clang++ or c++."""
    given = os.environ.get("CXX", "")
    for name in (given,) if given else ("g++", "clang++", "c++"):
        if path := shutil.which(name):
            return path
    what = (
        f"CXX = {given}: there is no such compiler" if given else "there is no C++ compiler (g++ or clang++)"
    )
    raise ModuleError(
        f"{what}. Install GCC 12 or later, e.g. with `apt install g++`, or set CXX to a compiler."
    )


def _is_gcc(compiler: str) -> bool:
    return "clang" not in subprocess.run([compiler, "--version"], capture_output=True, text=True).stdout


def _sources(module: Description, folder: Path, instructions: Sequence[str], work: Path) -> list[Path]:
    """The files to compile: one with the equations, and one for each instruction set that the solver can
    choose; on blocks it has one only."""
    header = f'#include "{module.name}.hpp"\n'
    about = module.model_copy(update={"source": source_hash(folder)}).model_dump_json(by_alias=True)
    library = {"patches": "library", "particles": "particle_library", "blocks": "scalar_library"}
    loops_of = {"patches": _loops, "particles": _sweeps}
    files = {
        "module": header + f'#include "physics/modules/{library[module.method]}.hpp"\n'
        f'const char* const eddyline::module::k_about = R"~~({about})~~";\n'
    }
    for name in instructions if module.method in loops_of else ():
        files[name] = loops_of[module.method](module, name)
    paths = []
    for name, text in files.items():
        paths.append(work / f"{name}.cpp")
        paths[-1].write_text(text, encoding="utf-8")
    return paths


def _loops(module: Description, name: str) -> str:
    """The loops of equations over cells, for one instruction set."""
    pack, includes, _ = INSTRUCTIONS[name]
    text = "".join(f'#include "{each}"\n' for each in includes) + f'#include "{module.name}.hpp"\n'
    text += (
        '#include "physics/equations/loops.hpp"\n#include "physics/modules/loops.hpp"\n'
        "namespace eddyline::module {\n"
        f"template <int D> physics::Kernels loops_{name}(physics::Reconstruction r) {{\n"
        f"  return physics::loops_of<{pack}, Model<D>, D>(r);\n}}\n"
    )
    for dimensions in module.dimensions:
        text += f"template physics::Kernels loops_{name}<{dimensions}>(physics::Reconstruction);\n"
    return text + "}\n"


def _sweeps(module: Description, name: str) -> str:
    """The sweeps of a term over pairs, for one instruction set."""
    pack, include = OF_PARTICLES[name]
    text = f'#include "{include}"\n#include "{module.name}.hpp"\n'
    text += (
        '#include "physics/modules/particle_loops.hpp"\n#include "physics/terms/model_sweep.hpp"\n'
        "namespace eddyline::module {\n"
    )
    sweeps = [(f"term_sweep_{name}", "float", pack)]
    if name == "scalar":
        sweeps.append(("term_sweep_double", "double", "Pack<double, 1>"))
    for function, number, of in sweeps:
        text += (
            f"template <int D> TermSweep<{number}> {function}() {{\n"
            f"  return physics::terms::sweep_model<Model<D>, {of}, D>;\n}}\n"
        )
        for dimensions in module.dimensions:
            text += f"template TermSweep<{number}> {function}<{dimensions}>();\n"
    return text + "}\n"


def _run(command: Sequence[str], module: Description, folder: Path) -> None:
    """Raises ModuleError with the first error of the compiler, and the module's own line that led to it."""
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", env=os.environ | {"LC_ALL": "C"}
    )
    if done.returncode == 0:
        return
    raise ModuleError(
        f"module {module.name}: {first_error(done.stderr, folder.resolve() / f'{module.name}.hpp')}"
    )


def first_error(output: str, header: Path) -> str:
    """The first error among a compiler's messages as one line. An error in a header of the package is told
    with the module's line that led there."""
    lines = output.splitlines()
    own = re.compile(rf"({re.escape(str(header.parent))}/[^:]+):(\d+)")
    for index, line in enumerate(lines):
        found = re.match(r"(.+?):(\d+)(?::\d+)?: (?:fatal )?error: (.*)", line)
        if found is None:
            continue
        near = own.search(line) or next((m for m in map(own.search, lines[:index][::-1]) if m), None)
        near = near or next((m for m in map(own.search, lines[index:]) if m), None)
        if near is None:
            return f"{header}: {found[3]} (needed by {found[1]}:{found[2]})"
        return f"{near[1]}:{near[2]}: {found[3]}"
    missing = re.search(r"undefined reference to [`'](.*)'", output)
    if missing:
        return f"uses {missing[1]}, which modules cannot call; see docs/modules.md."
    return lines[-1] if lines else "the compiler failed without a message."
