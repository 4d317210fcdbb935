"""Folder of a run on disk: numbered, never overwritten."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline import remote
from eddyline.live import journal
from eddyline.option_names import given
from eddyline.run.claim import claim, is_claimed
from eddyline.run.errors import FolderInUseError, RequestError, WriteError
from eddyline.run.stored import check_record, check_results
from eddyline.stream import atomic, integrity
from eddyline.stream.checksums import NAME as CHECKSUMS
from eddyline.stream.checksums import read_checksums
from eddyline.stream.corrupt import CorruptFileError, reading
from eddyline.stream.frames import FrameStore
from eddyline.stream.series import Series, read_series
from eddyline.stream.surfaces import SUFFIX, Surfaces, digest_of, read_index

if TYPE_CHECKING:
    from eddyline.live.steering import Steering
    from eddyline.world import World

MOST_NAMED = 8  # runs of a sweep that a message names
MOST_LINKS = 40  # length of a chain of links, as the limit of the operating system
BALLAST_BYTES = 256 * 1024


_OWN_FOLDERS = ("series", "pictures", "snapshots", "surfaces", "checkpoints")


class RunFolder:
    """The layout of a run.

    world.toml (as run), run.json (versions, machine, outcome, fingerprint), results.json (values, windows,
    errors, bands), series/*.csv, pictures/, snapshots/, surfaces/, checkpoints/, report.html; failure.csv if
    a particle went bad.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.world = path / "world.toml"
        self.record = path / "run.json"
        self.results = path / "results.json"
        self.series = path / "series"
        self.pictures = path / "pictures"
        self.snapshots = path / "snapshots"
        self.surfaces = path / "surfaces"
        self.checkpoints = path / "checkpoints"
        self.picture = self.pictures / "final.png"
        self.movie = self.pictures / "movie.mp4"
        self.report = path / "report.html"
        self.failure = path / "failure.csv"
        self._ballast = path / ".ballast"

    @staticmethod
    def check_destination(out: Path | None) -> None:
        """Raises FolderInUseError if `out` exists and is not empty, unless it holds a run that was killed
        before it began. Writes nothing."""
        if out is None:
            return
        if remote.is_url(url := str(out).replace(":/", "://", 1)):  # a Path keeps one slash only
            raise RequestError(
                f"{given('out', remote.shown(url))}: a run is written to a local folder; give one, and "
                "copy the finished run with eddyline export RUN --run --out URL"
            )
        RunFolder.check_outside(out)
        if not (out.exists() or out.is_symlink()):
            return
        if not out.is_dir():
            raise FolderInUseError(f"{given('out', out)}: is a file; give a new or empty folder")
        try:
            used = any(out.iterdir()) and not RunFolder(out).is_stillborn()
        except OSError as error:
            raise WriteError(out, error) from error
        if used:
            raise FolderInUseError(
                f"{given('out', out)}: is not empty, and runs never overwrite files; give a new or empty "
                "folder"
            )

    @staticmethod
    def check_outside(out: Path, *, beside_parts: bool = False) -> None:
        """Raises FolderInUseError if `out` is the folder of a run or inside one; with `beside_parts` only if
        the run uses it itself."""
        try:
            place = out.resolve()
        except (RuntimeError, OSError, ValueError):  # a loop of links raises RuntimeError before Python 3.13
            raise FolderInUseError(
                f"{given('out', out)}: is a loop of symbolic links; give a new or empty folder"
            ) from None
        for folder in (place, *place.parents):
            if not (folder / "run.json").is_file():
                continue
            if not beside_parts:
                where = "is the folder of a run" if folder == place else f"is inside the run {folder}"
                raise FolderInUseError(f"{given('out', out)}: {where}; give a folder outside it")
            if place == folder or place.relative_to(folder).parts[0] in _OWN_FOLDERS:
                raise FolderInUseError(
                    f"{given('out', out)}: is used by the run {folder} itself; give another folder"
                )

    @staticmethod
    def base_of(name: str, base: Path = Path("runs")) -> Path:
        """Folder of the runs of a world."""
        return base / _safe(name)

    @classmethod
    def create(cls, name: str, out: Path | None = None, base: Path = Path("runs")) -> RunFolder:
        """Creates `out`, or the next free `base/name/0001`, `0002`, ... and points `base/name/latest` to it.

        Safe if several runs start at the same time: creating the folder claims its number."""
        cls.check_destination(out)
        folder: RunFolder | None = None
        try:
            path = _make_numbered(cls.base_of(name, base)) if out is None else out
            path.mkdir(parents=True, exist_ok=True)
            folder = cls(path)
            folder._ballast.write_bytes(bytes(BALLAST_BYTES))
            for part in folder._parts:
                part.mkdir(exist_ok=True)
            atomic.sync_folder(path.parent)
        except OSError as error:
            if folder is not None:
                folder._take_back()
            raise WriteError(out or cls.base_of(name, base), error) from error
        if out is None:
            _point_latest(path)
        return folder

    @property
    def _parts(self) -> tuple[Path, ...]:
        return self.series, self.pictures, self.snapshots

    def is_stillborn(self) -> bool:
        """True if a run was killed in this folder before it began: it has no run.json yet, and no results."""
        return (
            self._ballast.is_file()
            and not self.record.exists()
            and not any(any(part.iterdir()) for part in self._parts if part.is_dir())
        )

    def remove_leftovers(self) -> None:
        """Deletes temporary files of killed processes. Only the process that holds the folder may call
        this."""
        folders = (self.path, self.series, self.pictures, self.snapshots, self.checkpoints)
        for folder in (*folders, *(path for path in self.snapshots.glob("*") if path.is_dir())):
            atomic.remove_leftovers(folder)

    def discard(self) -> None:
        """Removes the folder of a new run that failed before its first state. Everything in it is of this
        run, see `check_destination`."""
        shutil.rmtree(self.path, ignore_errors=True)
        latest = self.path.parent / "latest"
        if latest.is_symlink() and not latest.exists():
            with contextlib.suppress(OSError):
                latest.unlink()

    def _take_back(self) -> None:
        """Removes what `create` made before the disk was full."""
        self.drop_ballast()
        for part in (*self._parts, self.path):
            with contextlib.suppress(OSError):
                part.rmdir()

    @classmethod
    def claim(cls, name: str, base: Path = Path("runs")) -> Path:
        """Creates the next free `base/name/0001`, ... and leaves it empty, for a run that starts later."""
        path = _make_numbered(cls.base_of(name, base))
        _point_latest(path)
        return path

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> RunFolder:
        """The folder of an existing run; `path` may also be a file in it, or `runs/<world>` (then its
        latest run). Of a URL: a copy, see remote.folder_of_run()."""
        if remote.is_url(path):
            return cls(remote.folder_of_run(str(path)))
        given = Path(path)
        for candidate in (*map(_followed, (given, given / "latest", given.parent)), *_numbered(given)[-1:]):
            if os.path.lexists(candidate / "run.json"):
                return cls(candidate)
        raise FileNotFoundError(f"{given}: {_no_run(given)}")

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Claims this run for this process while the block runs. Raises FolderInUseError, see claim()."""
        handle = os.open(self.path, os.O_RDONLY)
        try:
            claim(handle, f"{self}: another process is computing this run; wait until it ends, or stop it")
            yield
        finally:
            os.close(handle)

    def is_held(self) -> bool:
        """True if a process computes this run now, see is_claimed()."""
        return is_claimed(self.path)

    def write_record(self, record: dict[str, Any]) -> None:
        content = integrity.with_digest({**record, "format": integrity.FORMAT})
        atomic.write_json(self.record, content, durable=True)

    def read_record(self) -> dict[str, Any]:
        """Content of run.json. Raises CorruptFileError if it is no record of a run."""
        value = integrity.read_json(self.record)
        if value is None:
            raise CorruptFileError(self.record, "it is missing")
        return check_record(self.record, value)

    def write_results(self, results: dict[str, Any]) -> None:
        content = integrity.with_digest({**results, "format": integrity.FORMAT})
        atomic.write_json(self.results, content, durable=True)

    def read_results(self) -> dict[str, Any]:
        """Content of results.json; empty without one. Raises CorruptFileError."""
        value = integrity.read_json(self.results)
        return {} if value is None else check_results(self.results, value)

    def read_file(self, path: Path) -> bytes | None:
        """Content of a file of the run; None if there is none. Raises CorruptFileError, also if the file has
        changed since run.json listed it."""
        content = integrity.read_file(path)
        if content is None or not os.path.lexists(self.record):
            return content
        listed = self.read_record().get("files", {}).get(path.relative_to(self.path).as_posix())
        if listed is not None and listed != integrity.hex_digest(content):
            raise CorruptFileError(path, "it was changed after it was written: its checksum differs")
        return content

    def forget_checksum(self, path: Path) -> None:
        """Removes a file that was changed on purpose from the list in run.json. Raises CorruptFileError."""
        record = self.read_record()
        if record.get("files", {}).pop(path.relative_to(self.path).as_posix(), None) is not None:
            self.write_record(record)

    def digests(self, *, complete: bool) -> dict[str, str]:
        """Checksums by name, for the key `files` of run.json: of the files written at the start and, if the
        run is `complete`, of the files that grow while it runs. Other files contain their own checksum."""
        paths = [self.world, *self.path.glob("*.csv")]
        grown = [self.path / CHECKSUMS]
        if complete:
            grown += [*self.series.glob("*.csv"), self.path / journal.NAME, self.pictures / "frames.index"]
        paths = [path for path in paths if path not in grown] + (grown if complete else [])
        found = {
            path.relative_to(self.path).as_posix(): integrity.hex_digest(path.read_bytes())
            for path in sorted(paths)
            if path.is_file()
        }
        for path in self._surface_files() if complete else ():
            found[path.relative_to(self.path).as_posix()] = digest_of(read_index(path))
        return found

    def _surface_files(self) -> list[Path]:
        return sorted(self.surfaces.glob(f"*{SUFFIX}"))

    def read_surfaces(self) -> dict[str, Surfaces]:
        """The isosurfaces by observer. Raises CorruptFileError, also if run.json lists more."""
        listed = self.read_record().get("files", {})
        names = {name: self.path / name for name in listed if name.endswith(SUFFIX)}
        names |= {path.relative_to(self.path).as_posix(): path for path in self._surface_files()}
        return {
            path.stem: Surfaces(path, path.stem, listed.get(name)) for name, path in sorted(names.items())
        }

    def read_world(self, *, verified: bool = True) -> World:
        """The world as it was run, with its name at that time. Raises WorldError and CorruptFileError; with
        `verified` also if the file has changed."""
        from eddyline.world import World

        source = integrity.read_text(self.world, self.read_file if verified else integrity.read_file)
        name = str(self.read_record().get("world") or "world")
        world = World.from_text(source, name, path=self.world)
        for file in world.file.named_files if verified else ():
            self.read_file(self.path / (remote.name_in(file) if remote.is_url(file) else Path(file).name))
        return world

    def read_series(self, name: str) -> Series:
        """Raises CorruptFileError."""
        return read_series(self.series / f"{name}.csv", self.read_file)

    def read_frames(self) -> FrameStore:
        """Raises CorruptFileError."""
        return FrameStore(self.pictures, self.read_file)

    def read_checksums(self) -> dict[int, str]:
        """Raises CorruptFileError."""
        return read_checksums(self.path / CHECKSUMS, self.read_file)

    def read_journal(self) -> list[journal.Entry]:
        """Raises CorruptFileError."""
        return journal.read(self.path / journal.NAME, self.read_file)

    def steered(self, world: World) -> Steering | None:
        """The world after the journal's changes of `world`; None without entries. Raises CorruptFileError."""
        from eddyline.live.steering import replayed

        entries = self.read_journal()
        if not entries:
            return None
        with reading(self.path / journal.NAME):
            return replayed(world, entries)

    def drop_ballast(self) -> None:
        """Frees the disk space reserved for closing a run when the disk is full."""
        with contextlib.suppress(OSError):
            self._ballast.unlink()

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"RunFolder({str(self.path)!r})"


def _no_run(given: Path, base: Path = Path("runs")) -> str:
    """Message for a path without a run, with a suggestion."""
    from eddyline.world.problems import listed, nearest

    if (given / "sweep.json").is_file():
        runs = sorted(record.parent.name for record in given.glob("*/run.json"))
        if not runs:
            return "is a sweep without runs; run the sweep again"
        return f"is a sweep with the runs {listed(runs, most=MOST_NAMED)}; write e.g. {given / runs[0]}"
    if RunFolder(given).is_stillborn():
        return "is a run that was killed before it began (it has no run.json); start it again"
    kept = [record.parent.parent.name for record in base.glob("*/latest/run.json")]
    near = nearest(given.name.removesuffix(".toml"), kept)
    hint = f". Did you mean {base / near}?" if near is not None else ""
    return f"is not the folder of a run (it has no run.json){hint}"


def _followed(folder: Path) -> Path:
    """Target of a chain of links at this moment; another run may become the latest."""
    for _ in range(MOST_LINKS):
        if not folder.is_symlink():
            break
        folder = folder.parent / folder.readlink()
    return folder


def _numbered(parent: Path) -> list[Path]:
    """Existing runs of a world, the latest last; `latest` may point to a deleted run."""
    found = [path.parent for path in parent.glob("*/run.json") if re.fullmatch(r"\d{4,}", path.parent.name)]
    return sorted(found, key=lambda path: int(path.name))


def _safe(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip(".-") or "world"


def _make_numbered(parent: Path) -> Path:
    parent.mkdir(parents=True, exist_ok=True)
    taken = [int(entry.name) for entry in parent.iterdir() if re.fullmatch(r"\d{4,}", entry.name)]
    number = max(taken, default=0) + 1
    while True:
        path = parent / f"{number:04d}"
        try:
            path.mkdir()
            return path
        except FileExistsError:
            number += 1


def _point_latest(path: Path) -> None:
    """Makes the link `latest` -> `path`, if the file system supports symbolic links."""
    latest = path.parent / "latest"
    if latest.is_dir() and not latest.is_symlink():
        return
    with contextlib.suppress(OSError), atomic.replacing(latest) as temporary:
        temporary.symlink_to(path.name)
