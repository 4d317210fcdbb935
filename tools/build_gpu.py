"""Compiles the library for NVIDIA GPUs, eddyline_cuda.so, beside the extension module: `make gpu`.

The compiler is nvcc of the Python package nvidia-cuda-nvcc (the extra `gpu`), or the one on the PATH. No GPU
and no driver are needed to compile. With --usage the call also tells what the loops take of a GPU.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "core" / "device" / "cuda" / "plugin.cu"
ARCHITECTURES = ("80", "90")
"""Compute capabilities: A100, H100 and H200; newer GPUs compile the last one when they load it."""
FLAGS = (
    "-std=c++20", "-O3", "--expt-relaxed-constexpr",
    "-fmad=false", "-prec-div=true", "-prec-sqrt=true", "-ftz=false",  # every operation rounds once (the law)
    "-Xcompiler", "-fPIC,-ffp-contract=off,-fvisibility=hidden",
)  # fmt: skip


def compiler() -> Path | None:
    """nvcc of this environment's packages, or of the machine; None if there is none."""
    packages = Path(sysconfig.get_path("purelib")) / "nvidia"
    found = sorted(packages.glob("cu*/bin/nvcc"))
    on_path = shutil.which("nvcc")
    return found[-1] if found else Path(on_path) if on_path else None


def _libraries(nvcc: Path) -> list[str]:
    """Options with which nvcc finds its static runtime, which packages keep in `lib`."""
    lib = nvcc.parent.parent / "lib"
    return ["-L", str(lib)] if lib.is_dir() else []


def command(
    nvcc: Path, out: Path, architectures: Sequence[str] = ARCHITECTURES, *, link: bool = True
) -> list[str]:
    """The call of nvcc. link: False for an object file, as a check that the code compiles."""
    codes = [f"-gencode=arch=compute_{each},code=sm_{each}" for each in architectures]
    if link:
        codes.append(f"-gencode=arch=compute_{architectures[-1]},code=compute_{architectures[-1]}")
    what = ["-shared", "-cudart=static", *_libraries(nvcc)] if link else ["-c"]
    return [str(nvcc), *FLAGS, *codes, *what, "-I", str(ROOT / "core"), str(SOURCE), "-o", str(out)]


def usage(said: str) -> str:
    """A table of what ptxas says about loops, and the loops that spill or take many registers."""
    kernels = re.findall(
        r"Compiling entry function '(\w+)' for '(\w+)'.*?(\d+) bytes spill stores.*?Used (\d+) registers",
        said,
        re.DOTALL,
    )
    lines = [f"{'GPU':8} {'loops':>6} {'registers':>10} {'with spills':>12} {'bytes':>6}"]
    for gpu in sorted({gpu for _, gpu, _, _ in kernels}):
        of = [(int(spilled), int(registers)) for _, each, spilled, registers in kernels if each == gpu]
        most, spills = max(registers for _, registers in of), [spilled for spilled, _ in of if spilled]
        lines.append(f"{gpu:8} {len(of):6} {most:10} {len(spills):12} {max(spills, default=0):6}")
    for name, gpu, spilled, registers in kernels:
        if int(spilled) > 0 or int(registers) > 128:
            lines.append(f"  {gpu} {loop_of(name)}: {registers} registers, {spilled} bytes spilled")
    return "\n".join(lines)


def loop_of(symbol: str) -> str:
    """The loop in the name of a kernel, with its numbers: SumRates f 2."""
    found = re.search(r"run_loopINS0_\d*([A-Z][A-Za-z]+?)I?([fd]?)(?:Li(\d))?E", symbol)
    return " ".join(each for each in found.groups() if each) if found else symbol


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "python" / "eddyline" / "eddyline_cuda.so")
    parser.add_argument("--arch", nargs="+", default=list(ARCHITECTURES), metavar="N")
    parser.add_argument("--usage", action="store_true", help="print registers and spills of the loops")
    given = parser.parse_args()
    nvcc = compiler()
    if nvcc is None:
        print('gpu: there is no nvcc; pip install ".[gpu]" brings it', file=sys.stderr)
        return 1
    part = given.out.with_suffix(f".{os.getpid()}")
    words = command(nvcc, part, given.arch) + ["-Xptxas", "-v"] * given.usage
    called = subprocess.run(words, stderr=subprocess.PIPE if given.usage else None, text=True)
    done = called.returncode
    if given.usage:
        print(usage(called.stderr) if done == 0 else called.stderr)
    if done == 0:
        part.replace(given.out)
        print(f"gpu: {given.out}")
    part.unlink(missing_ok=True)
    return done


if __name__ == "__main__":
    sys.exit(main())
