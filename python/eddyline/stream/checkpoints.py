"""Checkpoints: what a run needs to go on, complete or absent, and never trusted without its checksums.

    checkpoints/000000001234/part-0000.bin, ...      what each rank held after step 1234
                             manifest.json           without it the rest does not count

The folder gets its name when all of it is on the disk. The parts may be read by any number of ranks. The
newest two are kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eddyline.option_names import command
from eddyline.stream import atomic, integrity
from eddyline.stream.formats import FormatError, check_format

FORMAT = 6
"""Format of the manifest and of the parts, which are never read without the manifest."""
KEPT = 2
MANIFEST = "manifest.json"
_BROKEN = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""Exceptions of reading an incomplete checkpoint."""


class CheckpointError(Exception):
    """There is no usable checkpoint."""


class NoCheckpointError(CheckpointError):
    """No checkpoint was ever written: the run can start again without losing anything."""


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
    """Writes a checkpoint and deletes all but the newest two. Checkpoints of later steps were unusable, as
    the run has reached this step again, and are deleted, too. An intact one of the same step is kept: it
    holds the same state."""
    own = folder / f"{step:012d}"
    folder.mkdir(exist_ok=True)
    atomic.remove_leftovers(folder)
    if own.is_dir() and not _holds(own, frames, snapshots, world):
        atomic.remove_folder(own)
    if not own.is_dir():
        with atomic.replacing_folder(own) as temporary:
            written = [_write_part(temporary, number, part) for number, part in enumerate(parts)]
            manifest = {
                "format": FORMAT,
                "step": step,
                "time": time.hex(),
                "frames": frames,
                "snapshots": snapshots,
                "world": world,
                "parts": written,
            }
            text = json.dumps({**manifest, "sha256": _digest(manifest)}, indent=2) + "\n"
            _write(temporary / MANIFEST, text.encode())
    saved = _newest_first(folder)
    up_to_this = [path for path in saved if int(path.name) <= step]
    for useless in (set(saved) - set(up_to_this)).union(up_to_this[KEPT:]):
        atomic.remove_folder(useless)


def _write_part(folder: Path, number: int, part: bytes) -> dict[str, Any]:
    name = f"part-{number:04d}.bin"
    _write(folder / name, part)
    return {"file": name, "bytes": len(part), "sha256": hashlib.sha256(part).hexdigest()}


def _write(path: Path, data: bytes) -> None:
    """Writes a file in a folder that still has a temporary name; it is on the disk when this returns."""
    with path.open("wb", buffering=0) as file:
        atomic.write_all(file, data)
        atomic.sync_file(file)


def _holds(folder: Path, frames: int, snapshots: int, world: str) -> bool:
    """True if a folder is a complete checkpoint of this world, after as many frames and snapshots."""
    try:
        found = _read(folder)
    except _BROKEN:
        return False
    return (found.frames, found.snapshots, found.world) == (frames, snapshots, world)


def find_checkpoint(folder: Path, tell: Callable[[str], None], before: float = math.inf) -> Checkpoint:
    """The newest intact checkpoint before step `before`. tell: called with a message for each damaged one.
    Raises CheckpointError if there is none; NoCheckpointError if none was ever written."""
    candidates = [each for each in _newest_first(folder) if int(each.name) < before]
    refused: list[FormatError] = []
    if not candidates and math.isfinite(before):
        raise CheckpointError(f"{folder}: there is no checkpoint of a step before {before:,.0f}")
    if not candidates:
        raise NoCheckpointError(f"{folder}: no checkpoint; the run ended before its first one")
    for candidate in candidates:
        other = "" if candidate == candidates[-1] else "; using the previous checkpoint"
        try:
            found = _read(candidate)
        except FormatError as error:
            refused.append(error)
        except _BROKEN as error:
            tell(f"{candidate}: damaged ({error}){other}")
        else:
            for newer in refused:
                tell(f"{newer}; using the previous checkpoint")
            return found
    if refused:
        raise CheckpointError(str(refused[0]))
    raise CheckpointError(
        f"{folder}: no checkpoint is intact, so the run cannot be resumed. Its files can be exported; "
        f"`{command('run', folder.parent / 'world.toml')}` computes it again"
    )


def look(folder: Path, world: str) -> bool | None:
    """True if a run of this world can resume from a checkpoint; None if none was ever written. Reads the
    manifests and checks the sizes of parts, without reading these."""
    candidates = _newest_first(folder)
    if not candidates:
        return None
    for candidate in candidates:
        with contextlib.suppress(*_BROKEN):
            if _manifest(candidate)["world"] == world_digest(world):
                return True
    return False


def drop_checkpoints(folder: Path, since: int) -> None:
    """Deletes checkpoints of step `since` and later."""
    for each in _newest_first(folder):
        if int(each.name) >= since:
            atomic.remove_folder(each)


def world_digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()


def _newest_first(folder: Path) -> list[Path]:
    inside = folder.iterdir() if folder.is_dir() else ()
    found = [path for path in inside if path.is_dir() and path.name.isdigit()]
    return sorted(found, key=lambda path: int(path.name), reverse=True)


def _read(folder: Path) -> Checkpoint:
    manifest = _manifest(folder)
    for part in manifest["parts"]:
        content = integrity.read_file(folder / part["file"])
        if content is None:
            raise ValueError(f"{part['file']} is missing")
        if hashlib.sha256(content).hexdigest() != part["sha256"]:
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


def _manifest(folder: Path) -> dict[str, Any]:
    """The manifest, if it is unchanged and the parts have the sizes that it states."""
    content = integrity.read_file(folder / MANIFEST)
    if content is None:
        raise ValueError("it was not finished")
    manifest: dict[str, Any] = json.loads(content.decode("utf-8"))
    check_format(folder / MANIFEST, manifest["format"], FORMAT)
    if _digest({key: value for key, value in manifest.items() if key != "sha256"}) != manifest["sha256"]:
        raise ValueError(f"{MANIFEST} has changed")
    for part in manifest["parts"]:
        path = folder / part["file"]
        if not path.exists():
            raise ValueError(f"{part['file']} is missing")
        if path.stat().st_size != part["bytes"]:
            raise ValueError(f"{part['file']} has changed")
    return manifest


def _digest(manifest: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()
