"""Compiles the library for NVIDIA GPUs, eddyline_cuda.so, beside the extension module: `make gpu`.

The compiler is nvcc of the Python package nvidia-cuda-nvcc (the extra `gpu`), or the one on the PATH. No GPU
and no driver are needed to compile.
"""

from __future__ import annotations

import argparse
import os
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "python" / "eddyline" / "eddyline_cuda.so")
    parser.add_argument("--arch", nargs="+", default=list(ARCHITECTURES), metavar="N")
    given = parser.parse_args()
    nvcc = compiler()
    if nvcc is None:
        print('gpu: there is no nvcc; pip install ".[gpu]" brings it', file=sys.stderr)
        return 1
    part = given.out.with_suffix(f".{os.getpid()}")
    done = subprocess.run(command(nvcc, part, given.arch)).returncode
    if done == 0:
        part.replace(given.out)
        print(f"gpu: {given.out}")
    part.unlink(missing_ok=True)
    return done


if __name__ == "__main__":
    sys.exit(main())
