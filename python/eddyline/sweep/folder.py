"""Folder of a sweep with a subfolder for each point, so that a repeated command continues where it
stopped."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.option_names import called, given
from eddyline.run.claim import claim
from eddyline.run.errors import FolderInUseError, WriteError
from eddyline.run.fingerprint import canonical_world
from eddyline.run.folder import RunFolder
from eddyline.run.record import Run
from eddyline.run.unclosed import close, has_final_state
from eddyline.stream import atomic, integrity
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.formats import FormatError, check_format
from eddyline.world.problems import listed

if TYPE_CHECKING:
    from eddyline.world import World

FORMAT = 1
"""Format of sweep.json."""


class SweepFolder:
    """The layout of a sweep: sweep.json (what is swept), a folder for each point, table.csv, table.txt,
    *.png."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.definition = path / "sweep.json"
        self.table = path / "table.csv"
        self.text = path / "table.txt"

    @classmethod
    def find_or_create(cls, name: str, definition: dict[str, Any], out: Path | None) -> SweepFolder:
        """The folder of the same sweep, if it exists; else `out`, or the next free `runs/NAME/sweeps/0001`.
        Raises FolderInUseError if `out` is neither empty nor holds a sweep that differs only in the
        values."""
        try:
            if out is not None:
                return cls._at(out, definition)
            base = RunFolder.base_of(name) / "sweeps"
            known = sorted(base.glob("[0-9]*"), reverse=True) if base.is_dir() else []
            for path in known:
                if cls(path).read_definition() == definition:
                    return cls(path)
            taken = [int(path.name) for path in known if re.fullmatch(r"\d{4,}", path.name)]
            folder = cls(base / f"{max(taken, default=0) + 1:04d}")
            folder.path.mkdir(parents=True)
            folder._write_definition(definition)
            return folder
        except OSError as error:
            raise WriteError(out or RunFolder.base_of(name), error) from error

    @classmethod
    def _at(cls, out: Path, definition: dict[str, Any]) -> SweepFolder:
        folder = cls(out)
        if out.is_dir():
            atomic.remove_leftovers(out)  # of a sweep that was killed before it began
        if out.exists() and not (out.is_dir() and (folder.definition.is_file() or not any(out.iterdir()))):
            raise FolderInUseError(
                f"{given('out', out)}: is not a sweep; give a new or empty folder, or that of a sweep"
            )
        known = folder.read_definition()
        if known is not None:
            again = f"Give another folder with {called('out')}"
            check_format(folder.definition, known.get("format", FORMAT), FORMAT, again=again)
        if known is not None and (other := _told_apart(known, definition)):
            raise FolderInUseError(f"{given('out', out)}: contains a sweep {other}; give another folder")
        out.mkdir(parents=True, exist_ok=True)
        folder._write_definition(definition)
        return folder

    def _write_definition(self, definition: dict[str, Any]) -> None:
        atomic.write_json(self.definition, integrity.with_digest(definition))

    def read_definition(self) -> dict[str, Any] | None:
        """Content of sweep.json; None without one. Raises CorruptFileError."""
        found = integrity.read_json(self.definition)
        if found is None:
            return None
        parts = [found.get(key, {}) for key in ("settings", "fixed")]
        if not all(isinstance(part, dict) for part in parts) or not isinstance(found.get("world", ""), str):
            raise CorruptFileError(self.definition, "it contains no definition of a sweep")
        return found

    @contextlib.contextmanager
    def claimed(self) -> Iterator[None]:
        """Claims the sweep for this process; the claim ends with the process, even if that is killed."""
        with (self.path / ".claim").open("w") as file:
            claim(
                file,
                f"{self.path}: another process is computing this sweep; wait until it ends, or give "
                f"another folder with {called('out')}",
            )
            atomic.remove_leftovers(self.path)
            yield

    def finished_run(self, label: str, world: World, options: str) -> Run | None:
        """The run of a point, if it reached its end with the same world and options; closes it if
        necessary."""
        folder = RunFolder(self.path / label)
        try:
            record = folder.read_record()
            kept = integrity.read_text(folder.world, folder.read_file)
            same = canonical_world(kept) == canonical_world(world.source)
        except FormatError:  # finished by another version: cleared() would delete it
            raise
        except (OSError, ValueError):
            return None
        if record.get("options", "") != options or not same:
            return None
        if has_final_state(record) and record["ending"]["outcome"] == "finished":
            return close(folder)
        return Run(folder) if record.get("outcome") == "finished" else None

    def cleared(self, label: str) -> Path:
        """The folder of a point, after deletion of an unfinished run."""
        path = self.path / label
        if path.exists():
            shutil.rmtree(path)
        return path


def _told_apart(known: dict[str, Any], wanted: dict[str, Any]) -> str:
    """Text about the difference between an existing sweep and the requested one, apart from the values of its
    keys; empty if there is none. Runs of different sweeps do not fit into one table."""
    if known.get("world") != wanted["world"]:
        return "of another world"
    keys = list(known.get("settings", {}))
    if set(keys) != set(wanted["settings"]):
        return f"over {listed(keys)}"
    if known.get("fixed") != wanted["fixed"]:
        fixed = [f"{key}={value}" for key, value in known.get("fixed", {}).items()]
        return f"with {listed(fixed)} at every point" if fixed else "without fixed values"
    if known.get("options") != wanted["options"]:
        return f"run with {known.get('options') or 'neither --until nor --steps'}"
    return ""
