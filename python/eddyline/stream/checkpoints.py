"""Checkpoints: what a run needs to go on, complete or absent, and never trusted without its checksums.

    checkpoints/000000001234/part-0000.bin, ...      what each rank held after step 1234
                             manifest.json           written last: without it the rest does not count

The parts may be read by any number of ranks. The newest two are kept.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eddyline.stream import atomic, integrity
from eddyline.stream.formats import FormatError, check_format

FORMAT = 6
"""Of the manifest and of the parts, which are never read without it."""
KEPT = 2
MANIFEST = "manifest.json"


class CheckpointError(Exception):
    """There is none that could be used."""


@dataclass(frozen=True)
class Checkpoint:
    """A whole checkpoint.

    step, time [s]: when.  frames, snapshots: how many had been due by then.  world: checksum of the world
    file as run.
    """

    folder: Path
    step: int
    time: float
    frames: int
    snapshots: int
    world: str
    files: tuple[str, ...]

    def parts(self) -> Iterator[bytes]:
        for name in self.files:
            yield integrity.read_file(self.folder / name) or b""


def write_checkpoint(
    folder: Path,
    parts: Iterable[bytes],
    *,
    step: int,
    time: float,
    frames: int,
    snapshots: int,
    world: str,
) -> None:
    """Writes the parts one after the other, then the manifest, and deletes what is older than the newest
    two. Later ones are those that a run could not go on from, as it has come here again: they go, too."""
    own = folder / f"{step:012d}"
    own.mkdir(parents=True, exist_ok=True)
    (own / MANIFEST).unlink(missing_ok=True)
    written = []
    for number, part in enumerate(parts):
        name = f"part-{number:04d}.bin"
        atomic.write_bytes(own / name, part)
        written.append({"file": name, "bytes": len(part), "sha256": hashlib.sha256(part).hexdigest()})
    manifest = {
        "format": FORMAT,
        "step": step,
        "time": time.hex(),
        "frames": frames,
        "snapshots": snapshots,
        "world": world,
        "parts": written,
    }
    atomic.write_json(own / MANIFEST, {**manifest, "sha256": _digest(manifest)})
    saved = _newest_first(folder)
    up_to_this = [path for path in saved if int(path.name) <= step]
    for useless in (set(saved) - set(up_to_this)).union(up_to_this[KEPT:]):
        shutil.rmtree(useless, ignore_errors=True)


def find_checkpoint(folder: Path, tell: Callable[[str], None], before: float = math.inf) -> Checkpoint:
    """The newest one that is whole, of a step before `before`. `tell` hears of those that are not. Raises
    CheckpointError if there is none."""
    candidates = [each for each in _newest_first(folder) if int(each.name) < before]
    refused: list[FormatError] = []
    if not candidates and math.isfinite(before):
        raise CheckpointError(f"{folder}: there is no checkpoint of a step before {before:,.0f}")
    for candidate in candidates:
        other = "" if candidate == candidates[-1] else "; the checkpoint before it is used"
        try:
            found = _read(candidate)
        except FormatError as error:
            refused.append(error)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            tell(f"{candidate}: damaged ({error}){other}")
        else:
            for newer in refused:
                tell(f"{newer}; the checkpoint before it is used")
            return found
    if refused:
        raise CheckpointError(str(refused[0]))
    raise CheckpointError(
        f"{folder}: there is no checkpoint that is whole; the run cannot go on. What it has can be exported; "
        "run its world.toml again, with --checkpoint-every if it may be killed"
    )


def drop_checkpoints(folder: Path, since: int) -> None:
    """Deletes those of step `since` and later."""
    for each in _newest_first(folder):
        if int(each.name) >= since:
            shutil.rmtree(each)


def world_digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()


def _newest_first(folder: Path) -> list[Path]:
    inside = folder.iterdir() if folder.is_dir() else ()
    found = [path for path in inside if path.is_dir() and path.name.isdigit()]
    return sorted(found, key=lambda path: int(path.name), reverse=True)


def _read(folder: Path) -> Checkpoint:
    content = integrity.read_file(folder / MANIFEST)
    if content is None:
        raise ValueError("it was not finished")
    manifest: dict[str, Any] = json.loads(content.decode("utf-8"))
    check_format(folder / MANIFEST, manifest["format"], FORMAT)
    if _digest({key: value for key, value in manifest.items() if key != "sha256"}) != manifest["sha256"]:
        raise ValueError(f"{MANIFEST} has changed")
    for part in manifest["parts"]:
        content = integrity.read_file(folder / part["file"])
        if content is None:
            raise ValueError(f"{part['file']} is missing")
        if len(content) != part["bytes"] or hashlib.sha256(content).hexdigest() != part["sha256"]:
            raise ValueError(f"{part['file']} has changed")
    return Checkpoint(
        folder=folder,
        step=manifest["step"],
        time=float.fromhex(manifest["time"]),
        frames=manifest["frames"],
        snapshots=manifest["snapshots"],
        world=manifest["world"],
        files=tuple(part["file"] for part in manifest["parts"]),
    )


def _digest(manifest: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
