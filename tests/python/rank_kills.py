"""Kills or interrupts a process of a run on two ranks at random moments, again and again: no process and no
shared memory may be left, and the run's folder must be usable.

  python tests/python/rank_kills.py --tries 60 --seed 1

One line for each try, with its seed, which repeats it: --tries 1 --seed SEED. Exit code 1 if anything was
wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from law_worlds import CHANNEL_2D

from eddyline.ranks.processes import SHARED_MEMORY, Process

MARK = "TEST_RANK_KILLS"
VICTIMS = ("command", "launcher", "rank 0", "rank 1", "command and launcher")
GENTLE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PHASES = ("starting", "meeting", "computing", "publishing")
LONGEST = 90.0  # s until all has ended, on a busy machine
TO_FOLLOW = 45.0  # s that ranks may take to end in order after the command


class Tree:
    """The processes of one run: those that carry its mark."""

    def __init__(self, mark: str) -> None:
        self.mark = f"{MARK}={mark}".encode()

    def members(self) -> dict[str, Process]:
        """Processes by role: command, launcher, "rank 0", "rank 1", and others."""
        found: dict[str, Process] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                environment = (folder / "environ").read_bytes().split(b"\0")
                if self.mark in environment:
                    process = Process.of(int(folder.name))
                    if not process.has_ended:
                        words = (folder / "cmdline").read_bytes().split(b"\0")
                        found[self._role(words, environment, process)] = process
        return found

    @staticmethod
    def _role(words: list[bytes], environment: list[bytes], process: Process) -> str:
        for rank in (0, 1):
            if f"PMI_RANK={rank}".encode() in environment and b"eddyline" in words:
                return f"rank {rank}"
        if b"mpiexec" in words[0] and b"-n" in words:
            return "launcher"
        return "command" if b"--ranks" in words else f"other {process.number}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tries", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1, help="of the first try")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no other try after these")
    wanted = parser.parse_args()
    results: Counter[str] = Counter()
    begun = time.monotonic()
    for seed in range(wanted.seed, wanted.seed + wanted.tries):
        if time.monotonic() - begun > wanted.seconds:
            break
        what, fault = attempt(seed)
        results["wrong" if fault else "right"] += 1
        print(f"seed {seed}: {what}: {fault or 'all ended'}", flush=True)
    print(f"{results['right']} right, {results['wrong']} wrong, {time.monotonic() - begun:.0f} s")
    return 1 if results["wrong"] else 0


def attempt(seed: int) -> tuple[str, str]:
    """Kills a run at random; returns what was done, and the fault found afterwards, empty if none."""
    random_ = random.Random(seed)
    phase, victim = PHASES[seed % len(PHASES)], random_.choice(VICTIMS)
    is_gentle = random_.random() < 0.4
    signals = (
        [random_.choice(GENTLE) for _ in range(random_.randint(1, 3))] if is_gentle else [signal.SIGKILL]
    )
    victim = "command" if is_gentle else victim
    delay = random_.random() * (1.5 if phase == "starting" else 0.3)
    names = " ".join(signal.Signals(number).name for number in signals)
    with tempfile.TemporaryDirectory(prefix="eddyline-kills-") as place:
        fault = _attempt(Path(place), phase, victim, signals, delay)
    return f"{names} to {victim} {delay:.2f} s into {phase}", fault


def _attempt(place: Path, phase: str, victim: str, signals: list[signal.Signals], delay: float) -> str:
    world, out, log = place / "channel.toml", place / "out", place / "log"
    world.write_text(CHANNEL_2D)
    (place / "tmp").mkdir()
    segments: set[str] = set()
    steps = ["--steps", "20"] if phase == "publishing" else []
    run = ["run", str(world), "--out", str(out), "--ranks", "2", "--patience", "20", *steps]
    tree = Tree(str(place))
    environment = {**os.environ, MARK: str(place), "TMPDIR": str(place / "tmp")}
    with log.open("wb") as errors, _ended(tree):
        process = subprocess.Popen(
            [sys.executable, "-m", "eddyline", *run],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        _await(phase, place, out, process)
        time.sleep(delay)
        for number in signals:
            members = tree.members()
            segments.update(*(process.segments() for process in members.values()))
            for role in victim.split(" and "):
                if role in members:
                    members[role].send(number)
            time.sleep(0.1)
        try:
            process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            return f"the command has not ended after {LONGEST:g} s"
        deadline = time.monotonic() + TO_FOLLOW
        while (left := tree.members()) and time.monotonic() < deadline:
            time.sleep(0.05)
        if left:
            return f"left behind: {', '.join(sorted(left))}"
    if kept := sorted(name for name in segments if (SHARED_MEMORY / name).exists()):
        return f"shared memory left: {', '.join(kept)}"
    text = log.read_text(errors="replace")
    if "Traceback" in text:
        return f"a traceback: {text[-600:]}"
    return _folder_fault(out)


def _await(phase: str, place: Path, out: Path, process: subprocess.Popen[bytes]) -> None:
    signs = {
        "meeting": lambda: list((place / "tmp").glob("eddyline-*/pid")),
        "computing": lambda: list(out.glob("snapshots/fluid/*")),
        "publishing": lambda: (out / "results.json").exists(),
    }
    while phase in signs and not signs[phase]() and process.poll() is None:
        time.sleep(0.005)


def _folder_fault(out: Path) -> str:
    """The reason that a run folder cannot be used; empty if it can, or does not exist."""
    if not (out / "run.json").exists():
        return ""
    outcome = json.loads((out / "run.json").read_text())["outcome"]
    if outcome == "finished" or not list(out.glob("checkpoints/*/manifest.json")):
        return ""
    done = subprocess.run(
        [sys.executable, "-m", "eddyline", "resume", str(out), "--steps", "1"],
        capture_output=True, text=True, check=False, timeout=LONGEST,
    )  # fmt: skip
    is_refused_as_done = "has already reached t = " in done.stderr
    return (
        "" if done.returncode == 0 or is_refused_as_done else f"not resumed ({outcome}): {done.stderr[-300:]}"
    )


@contextlib.contextmanager
def _ended(tree: Tree) -> Iterator[None]:
    try:
        yield
    finally:
        for process in tree.members().values():
            process.kill()


if __name__ == "__main__":
    sys.exit(main())
