"""`make fuzz`: damaged input of every kind, for a given time.

    .venv/bin/python tools/fuzz.py --minutes 5                 all kinds in turn
    .venv/bin/python tools/fuzz.py --kinds world --seed 17 --count 1     repeats one input

Prints how many inputs of each kind were tried. An input that breaks a rule is kept in build/fuzz/, with the
command that repeats it. Formulas, shapes and checkpoints of the core are tried by programs of their own
(tests/core/fuzz_*.cpp), if the stage `core` of tools/test.py has built them.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import random
import resource
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FINDINGS = ROOT / "build" / "fuzz"
CORE = ROOT / "build" / "tests"
SPACE = 6 * 1024**3
"""Address space of this process, bytes."""
AT_ONCE = 20
"""Inputs of a kind before the next kind is tried."""


def main() -> int:
    options = _options()
    sys.path[:0] = [str(ROOT / "tests" / "python")]
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    unlimited = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, unlimited))
    import fuzz_inputs

    kinds: dict[str, Callable[[int], None]] = {
        name: lambda seed, pair=pair: _read_one(*pair, seed) for name, pair in fuzz_inputs.KINDS.items()
    }
    with contextlib.suppress(ModuleNotFoundError):  # damaged run folders
        files = importlib.import_module("fuzz_files")
        kinds["folder"] = lambda seed: files.main(1, seed)
    chosen = options.kinds or list(kinds)
    if unknown := [name for name in chosen if name not in kinds]:
        print(f"unknown kinds {', '.join(unknown)}; known are {', '.join(kinds)}", file=sys.stderr)
        return 2
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**31)
    print(f"first seed {seed}; kinds {', '.join(chosen)}", flush=True)
    tried, found, slowest = dict.fromkeys(chosen, 0), dict.fromkeys(chosen, 0), dict.fromkeys(chosen, 0.0)
    end = time.monotonic() + 60 * options.minutes
    while any(tried[name] < options.count for name in chosen) and time.monotonic() < end:
        for name in chosen:
            for _ in range(min(AT_ONCE, options.count - tried[name])):
                begun = time.process_time()
                found[name] += not _holds(name, kinds[name], seed + tried[name])
                slowest[name] = max(slowest[name], time.process_time() - begun)
                tried[name] += 1
                if time.monotonic() >= end:
                    break
    print(f"{'kind':<10}{'tried':>10}{'broken':>8}{'slowest [s]':>13}")
    for name in chosen:
        print(f"{name:<10}{tried[name]:>10,}{found[name]:>8}{slowest[name]:>13.2f}")
    broken = sum(found.values())
    if not options.kinds:
        resource.setrlimit(resource.RLIMIT_AS, (unlimited, unlimited))  # sanitizers reserve terabytes
        broken += _core_programs(seed, options.minutes)
    return 1 if broken else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Damaged input of every kind.")
    parser.add_argument("--minutes", type=float, default=5.0, help="How long, for Python's kinds together.")
    parser.add_argument("--seed", type=int, help="Of the first input; random by default, and printed.")
    parser.add_argument("--count", type=int, default=2**62, help="Inputs of each kind, at most.")
    parser.add_argument("--kinds", nargs="*", help="Some kinds only.")
    return parser.parse_args()


def _read_one(make: Callable[[random.Random], Any], read: Callable[[Any], None], seed: int) -> None:
    read(make(random.Random(seed)))


def _holds(name: str, check: Callable[[int], None], seed: int) -> bool:
    """True if an input breaks no rule; an input that breaks one is kept."""
    try:
        check(seed)
    except (Exception, RecursionError) as error:
        FINDINGS.mkdir(parents=True, exist_ok=True)
        command = f".venv/bin/python tools/fuzz.py --kinds {name} --seed {seed} --count 1"
        told = "".join(traceback.format_exception(error))
        (FINDINGS / f"{name}-{seed}.txt").write_text(f"{command}\n\n{told}", errors="backslashreplace")
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}:{last.lineno}"
        print(
            f"{name} {seed}: {type(error).__name__} at {where}: {str(error)[:160]!r}\n  {command}", flush=True
        )
        return False
    return True


def _core_programs(seed: int, minutes: float) -> int:
    """Runs the programs of the core and returns the number of failures."""
    programs = sorted(path for path in CORE.glob("fuzz_*") if path.is_file() and os.access(path, os.X_OK))
    if not programs:
        print("the core's programs are not built: .venv/bin/python tools/test.py core")
    failed = 0
    for program in programs:
        seconds = 60 * minutes / 3
        failed += subprocess.run([str(program), str(seed), f"{seconds:g}"], check=False).returncode != 0
    return failed


if __name__ == "__main__":
    sys.exit(main())
