"""Helpers of all experiments: runs on ranks, some on loaded cores, and results written into pages."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from eddyline.bench.origin import commit
from eddyline.ranks.launch import find_launcher, local_environment
from eddyline.run import Run
from eddyline.run.machine import machine

ROOT = Path(__file__).resolve().parent.parent
PINNED = Path(__file__).with_name("pinned.py")
BUSY = "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass"
NETWORK = """\
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="{bandwidth}Bps" lat="{latency}s"
             {inside}/>
  </zone>
</platform>
"""


def network_of(machines: int, bandwidth: float, latency: float, inside: str = "") -> str:
    """A platform of SimGrid: machines n0, n1, ... with one link each to a switch. bandwidth: bytes/s.
    latency: s.  inside: attributes of a machine with several processes."""
    return NETWORK.format(last=machines - 1, bandwidth=bandwidth, latency=latency, inside=inside)


@dataclass(frozen=True)
class Bench:
    """The folders of an experiment's runs and results, and whether it is a trial of a few steps."""

    runs: Path
    results: Path
    quick: bool

    def steps(self, full: int) -> int:
        return max(40, full // 500) if self.quick else full

    def run(self, name: str, world: str, *options: object, ranks: int = 1) -> Run:
        """`eddyline run WORLD OPTIONS --ranks N`, made anew."""
        folder = self.fresh(name)
        words = ["run", world, "--out", folder, "--quiet", *options]
        if ranks > 1:
            words += ["--ranks", ranks]
        _call([sys.executable, "-m", "eddyline", *map(str, words)], os.environ)
        return Run.open(folder)

    def run_pinned(
        self, name: str, world: str, *options: object, ranks: int, loaded: Sequence[int] = ()
    ) -> Run:
        """The same, each rank on a core of its own; other work keeps the cores `loaded` busy meanwhile."""
        folder = self.fresh(name)
        words = ["run", world, "--out", folder, "--quiet", "--threads", 1, *options]
        command = [*find_launcher(), "-n", str(ranks), sys.executable, str(PINNED), *map(str, words)]
        with contextlib.ExitStack() as stack:
            for core in loaded:
                stack.enter_context(_busy(core))
            _call(command, local_environment())
        return Run.open(folder)

    def record(self, name: str, world: str, *options: object, ranks: int) -> Path:
        """The traffic of `mpiexec -n N eddyline bench exchange --record FILE WORLD OPTIONS`, on any number of
        cores."""
        path = self.runs / f"{name}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        words = ["-m", "eddyline", "bench", "exchange", "--record", path, world, *options]
        _call([*find_launcher(), "-n", str(ranks), sys.executable, *map(str, words)], local_environment())
        return path

    def replay(self, traffic: Path, strategies: Sequence[str], *options: object) -> list[dict[str, Any]]:
        """Records of `eddyline bench exchange --replay TRAFFIC`, by strategy."""
        told = traffic.with_suffix(".json")
        chosen = [word for name in strategies for word in ("--exchange", name)]
        words = ["bench", "exchange", "--replay", traffic, *chosen, "--json", told, "--quiet", *options]
        _call([sys.executable, "-m", "eddyline", *map(str, words)], os.environ)
        records: list[dict[str, Any]] = json.loads(told.read_text())
        return records

    def fresh(self, name: str) -> Path:
        """A place for a run, with nothing in it."""
        import shutil

        folder = self.runs / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        return folder

    def tell(self, part: str, values: Mapping[str, Any], table: Sequence[str]) -> None:
        """Puts the values of a part into results.json and its table, in Markdown, into README.md."""
        self.results.mkdir(parents=True, exist_ok=True)
        path = self.results / "results.json"
        known = json.loads(path.read_text()) if path.is_file() else {}
        origin = {"date": str(date.today()), "commit": commit(), "machine": machine(), "quick": self.quick}
        path.write_text(json.dumps(known | {part: {**origin, **values}}, indent=2) + "\n")
        page = self.results / "README.md"
        if page.is_file():
            before, mark, rest = page.read_text().partition(f"<!-- {part} -->\n")
            after = rest.partition("<!-- end -->")[2]
            assert mark, f"{page}: no place for {part}"
            page.write_text(before + mark + "\n".join(table) + "\n<!-- end -->" + after)
        print("\n".join(table), flush=True)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Lines of a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]


def main(experiment: Path, parts: Mapping[str, Callable[[Bench], None]]) -> None:
    """The command line of an experiment: all its parts, or those named."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(parts)}; default all")
    parser.add_argument("--quick", action="store_true", help="few steps, into --out or runs/experiments only")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results go instead of this folder")
    wanted = parser.parse_args()
    unknown = [part for part in wanted.parts if part not in parts]
    if unknown:
        parser.error(f"{unknown[0]}: no such part; there are: {', '.join(parts)}")
    runs = (wanted.out or ROOT / "runs" / "experiments" / experiment.name) / "runs"
    results = wanted.out or (runs.parent if wanted.quick else experiment)
    bench = Bench(runs, results, wanted.quick)
    for name, part in parts.items():
        if name in (wanted.parts or parts):
            part(bench)


def _call(command: Sequence[str], environment: Mapping[str, str]) -> None:
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: ended with {done.returncode}; what it said stands above")


@contextlib.contextmanager
def _busy(core: int) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", BUSY, str(core)])
    try:
        yield
    finally:
        process.kill()
        process.wait()
