"""Damages every file of a run, in every way that disks and people do, and reads everything again: what comes
back is what was there, or one line that says which file is damaged.

    python tests/python/fuzz_files.py 5000 --seed 1
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import resource
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import small_worlds

import eddyline
from eddyline.live import stream_pb2 as pb
from eddyline.live.journal import Entry
from eddyline.live.journal import append as append_entry
from eddyline.plot.metadata import NoWorldError
from eddyline.run import Run, RunError
from eddyline.run.folder import RunFolder
from eddyline.stream.checkpoints import CheckpointError, find_checkpoint
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.surfaces import SurfaceFile, unpacked
from eddyline.stream.timeline import read_timeline, write_timeline
from eddyline.world import WorldError

PATIENCE = 10.0
"""Seconds that reading a damaged run may take."""
MEMORY = 500_000_000
"""Bytes that reading may take at once."""
REFUSALS = (CorruptFileError, RunError, WorldError, CheckpointError, NoWorldError, FileNotFoundError)
Change = Callable[[Path, np.random.Generator, list[Path]], None]


def make_run(folder: Path) -> Path:
    """A small run with a part of every kind."""
    world = small_worlds.write(folder)
    out = folder / "run"
    run = eddyline.run(world, steps=60, out=out, checksums=10, progress=False, report=False)
    for step in (20, 40):
        command = pb.Command()
        command.pause.SetInParent()
        append_entry(out / "journal.jsonl", Entry(step, 0.01 * step, command, "paused"))
    moments = np.array([[0.0, 0.25], [0.25, 0.5]])
    write_timeline(out / "timeline.h5", [(moments, ["forces", "wait"])] * 2)
    sample = Path(__file__).parent.parent / "data" / "surfaces" / "noise.eiso"
    for step in (0, 30, 60):
        SurfaceFile(out / "surfaces" / "water.surfaces").append(step, unpacked(sample.read_bytes()))
    kept = RunFolder(run.folder)
    kept.write_record(kept.read_record() | {"files": kept.digests(complete=True)})
    return out


# --- reading ------------------------------------------------------------------------------------------------


def parts(folder: Path) -> dict[str, Callable[[], Any]]:
    """Readers of a run's parts by name. Each reads on its own: one damaged file must not hide another."""
    from eddyline.plot import metadata
    from eddyline.run.pictures import RunPictures
    from eddyline.serve import stored_runs

    kept = RunFolder(folder)

    def opened() -> Run:
        return Run.open(folder)

    readers: dict[str, Callable[[], Any]] = {
        "record": lambda: opened().record,
        "world": lambda: opened().world.source,
        "results": lambda: opened().results,
        "values": lambda: opened().values(),
        "checksums": kept.read_checksums,
        "journal": lambda: [(e.step, e.time, e.name, e.text) for e in kept.read_journal()],
        "timeline": lambda: [(laps.moments, laps.phases) for laps in read_timeline(folder / "timeline.h5")],
        "checkpoint": lambda: _checkpoint(kept),
        "scale": lambda: RunPictures(opened()).scale,
        "moments": lambda: stored_runs.moments(folder),
        "particle moments": lambda: _particle_moments(folder),
    }
    readers["surfaces"] = lambda: [
        (surface.time, surface.level, surface.vertices, surface.triangles)
        for surfaces in opened().surfaces.values()
        for surface in surfaces
    ]
    for name in ("budget", "front", "force.post"):
        readers[f"series {name}"] = lambda name=name: opened().series(name)
    for quantity in ("speed", "pressure"):
        readers[f"frames {quantity}"] = lambda quantity=quantity: [
            (f.time, f.step, f.values, f.lower, f.upper, f.cover) for f in opened().frames(quantity)
        ]
    for k in range(3):
        readers[f"snapshot {k}"] = lambda k=k: opened().snapshot(k)
    for name in ("final.png", "movie.mp4"):
        path = folder / "pictures" / name
        if path.exists():
            readers[name] = lambda path=path: metadata.read(path)
    return readers


def _checkpoint(kept: RunFolder) -> list[str]:
    checkpoint = find_checkpoint(kept.checkpoints, lambda text: None)
    return [str(checkpoint.step), checkpoint.time.hex(), *map(_digest, checkpoint.parts())]


def _particle_moments(folder: Path) -> list[tuple[int, float]]:
    from eddyline.stream.snapshots import snapshot_count, snapshot_moment

    return [snapshot_moment(folder, k) for k in range(snapshot_count(folder / "snapshots"))]


def _digest(value: Any) -> str:
    """The same for the same numbers, to the last bit."""
    sum_ = hashlib.blake2b(digest_size=16)
    _feed(sum_, value)
    return sum_.hexdigest()


def _feed(sum_: Any, value: Any) -> None:
    import pandas as pd

    if isinstance(value, pd.DataFrame):
        _feed(sum_, [list(value.columns), *(value[name].to_numpy() for name in value.columns)])
    elif isinstance(value, np.ndarray) and value.dtype != object:
        sum_.update(f"{value.dtype}{value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    elif isinstance(value, dict):
        for key in sorted(value):
            _feed(sum_, [key, value[key]])
    elif isinstance(value, (list, tuple, np.ndarray)):
        sum_.update(f"[{len(value)}".encode())
        for item in value:
            _feed(sum_, item)
    elif isinstance(value, bytes):
        sum_.update(value)
    else:
        sum_.update(repr(value).encode() + b"\0")


def outcome(read: Callable[[], Any]) -> tuple[str, str]:
    """("numbers", their digest), ("told", the line), or ("raised", what must not be)."""
    try:
        return "numbers", _digest(read())
    except REFUSALS as error:
        text = str(error)
        is_line = text and (isinstance(error, WorldError) or "\n" not in text)
        return ("told", text) if is_line else ("raised", f"several lines: {text}")
    except BaseException as error:
        return "raised", f"{type(error).__name__}: {error}"


# --- damages ------------------------------------------------------------------------------------------------


def flip(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    content = bytearray(path.read_bytes())
    if content:
        content[random.integers(len(content))] ^= 1 << int(random.integers(8))
    path.write_bytes(content)


def truncate(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    os.truncate(path, int(random.integers(path.stat().st_size + 1)))


def extend(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    with path.open("ab") as file:
        file.write(random.bytes(int(random.integers(1, 200))))


def zero(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    content = bytearray(path.read_bytes())
    start = int(random.integers(len(content) + 1))
    length = min(int(2 ** random.integers(0, 14)), len(content) - start)
    content[start : start + length] = bytes(length)
    path.write_bytes(content)


def scramble(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(8):
        if content:
            content[random.integers(len(content))] = int(random.integers(256))
    path.write_bytes(content)


def swap(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    near = [other for other in others if other.parent == path.parent and other != path] or others
    other = near[random.integers(len(near))]
    content = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(content)


def empty(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    path.write_bytes(b"")


def to_folder(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    path.unlink()
    path.mkdir()


def to_pipe(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    path.unlink()
    os.mkfifo(path)


def to_loop(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    path.unlink()
    path.symlink_to(path.name)


def to_unreadable(path: Path, random: np.random.Generator, others: list[Path]) -> None:
    """A link to a file without read permission; for root, which may read all, to one without content."""
    if os.geteuid() == 0:
        path.unlink()
        path.symlink_to("/proc/self/mem")
    else:
        path.chmod(0)


CHANGES: dict[str, tuple[Change, int]] = {
    "flip": (flip, 8),
    "truncate": (truncate, 3),
    "extend": (extend, 2),
    "zero": (zero, 3),
    "scramble": (scramble, 2),
    "swap": (swap, 2),
    "empty": (empty, 1),
    "folder": (to_folder, 1),
    "pipe": (to_pipe, 1),
    "loop": (to_loop, 1),
    "unreadable": (to_unreadable, 1),
}
"""Each with how often it is drawn."""


def kind_of(name: str) -> str:
    parent, _, last = name.rpartition("/")
    if parent.startswith(("snapshots", "checkpoints", "series")):
        return "snapshots (index)" if parent == "snapshots" else parent.split("/")[0]
    return last


@contextlib.contextmanager
def limited(memory: int = MEMORY) -> Iterator[None]:
    """Limits the address space: an allocation of more than `memory` bytes fails."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


class Fuzz:
    """Damages of the run in `source`, in a copy of it below `room`, and what reading then said."""

    def __init__(self, source: Path, room: Path, seed: int) -> None:
        self._source, self._copy = source, room / "damaged"
        self._random = np.random.default_rng(seed)
        self._names = [
            path.relative_to(source).as_posix()
            for path in sorted(source.rglob("*"))
            if path.is_file() and path.suffix != ".html" and (path.suffix != ".png" or path.stem == "final")
        ]
        self._known = self._read(source)
        assert all(kind == "numbers" for kind, _ in self._known.values()), self._known
        shutil.copytree(source, self._copy)
        assert self._read(self._copy) == self._known, "a copy has other numbers"
        self.tried: Counter[str] = Counter()
        self.told: Counter[str] = Counter()
        self.failures: list[str] = []

    def go(self, count: int) -> None:
        drawn = list(CHANGES)
        weights = np.array([CHANGES[name][1] for name in drawn], dtype=float)
        for number in range(count):
            name = self._names[number % len(self._names)]
            change = drawn[self._random.choice(len(drawn), p=weights / weights.sum())]
            self._try(number, name, change)

    def _read(self, folder: Path, damaged: str | None = None) -> dict[str, tuple[str, str]]:
        """All parts, or if one file is damaged those that do not take long, and those others which it may
        concern."""
        place = None if damaged is None else Path(damaged).parent.name
        skipped = set() if place in (None, "pictures") else {"final.png", "movie.mp4"}
        skipped |= set() if place in (None, "pictures", "") else {"world", "scale"}
        return {name: outcome(read) for name, read in parts(folder).items() if name not in skipped}

    def _try(self, number: int, name: str, change: str) -> None:
        path = self._copy / name
        others = [self._copy / other for other in self._names if other != name]
        CHANGES[change][0](path, self._random, others)
        start = time.perf_counter()
        with limited():
            found = self._read(self._copy, name)
        took = time.perf_counter() - start
        self._restore()
        kind = kind_of(name)
        self.tried[kind] += 1
        self.told[kind] += any(what == "told" for what, _ in found.values())
        where = f"{number}: {change} of {name}"
        for part, (what, said) in found.items():
            if what == "raised":
                self.failures.append(f"{where}: {part}: {said}")
            elif what == "numbers" and said != self._known[part][1]:
                self.failures.append(f"{where}: {part}: other numbers")
        if took > PATIENCE:
            self.failures.append(f"{where}: took {took:.1f} s")

    def _restore(self) -> None:
        """Makes the copy what it was."""
        for name in self._names:
            source, path = self._source / name, self._copy / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            status = path.lstat() if os.path.lexists(path) else None
            is_same = (
                status is not None
                and path.is_file()
                and not path.is_symlink()
                and path.read_bytes() == source.read_bytes()
            )
            if not is_same:
                path.unlink(missing_ok=True)
                shutil.copy2(source, path)

    def table(self) -> str:
        lines = ["| file | damages | told in one line | the same numbers | wrong numbers, other exceptions |"]
        lines.append("|---|---|---|---|---|")
        for kind, tried in sorted(self.tried.items()):
            told = self.told[kind]
            bad = sum(f" of {name}:" in failure for failure in self.failures for name in self._of(kind))
            lines.append(f"| {kind} | {tried} | {told} | {tried - told} | {bad} |")
        return "\n".join(lines)

    def _of(self, kind: str) -> list[str]:
        return [name for name in self._names if kind_of(name) == kind]


def main(count: int, seed: int = 1) -> int:
    """Prints a table of `count` damages and each that was not noticed; gives how many those are."""
    with tempfile.TemporaryDirectory(prefix="eddyline-fuzz-") as room:
        fuzz = Fuzz(make_run(Path(room)), Path(room), seed)
        fuzz.go(count)
    print(fuzz.table())
    print("\n".join(fuzz.failures) or f"{count} damages, none unnoticed (seed {seed})")
    return len(fuzz.failures)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    raise SystemExit(1 if main(chosen.count, chosen.seed) else 0)
