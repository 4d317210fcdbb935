"""Built modules: where they are found, and what they say of themselves."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from .. import _core
from .description import FILE, NAME, Description, ModuleError, has_sources, source_hash

PREFIX = "module:"
"""Names of equations outside the package begin with this."""
SUFFIX = ".module.so"
GROUP = "eddyline.modules"
"""Group of entry points of packages that bring modules: the name is that of the module."""
VARIABLE = "EDDYLINE_MODULES"
"""Environment variable with folders in which modules are looked for, separated by colons."""
_MARK = b"eddyline module\n"
_confined = False
_last_found: dict[str, Path] = {}
"""Libraries that this process has found: it can read the folder of a run that it has computed."""


def confine() -> None:
    """Loads no module in this process from now on: it reads worlds of other users, and a library is code."""
    global _confined
    _confined = True


@dataclass(frozen=True)
class Library:
    """A built module."""

    path: Path
    description: Description

    @property
    def version(self) -> str:
        """Hash of the files that it was built from: libraries of the same version give the same bits."""
        return self.description.source

    @property
    def is_stale(self) -> bool:
        """True if the files that it was built from have changed since."""
        folder = self.path.parent
        if not (folder / FILE).is_file():
            return False
        return source_hash(folder) != self.description.source


def find(name: str, folders: Sequence[str | Path], method: str = "patches") -> Library:
    """The module of a world in one of `folders`, or in one of those that EDDYLINE_MODULES names: the
    library lies there or in a folder that has its name. method: what it must be for. Raises ModuleError."""
    found = _find(name, folders)
    if found.description.method != method:
        where = {
            "patches": "as method.equations",
            "particles": "in [[terms]]",
            "blocks": "as method.scalars of the solver multiblock",
        }[found.description.method]
        raise ModuleError(f"the module is for {found.description.method}; name it {where}")
    return found


def _find(name: str, folders: Sequence[str | Path]) -> Library:
    if not NAME.fullmatch(name):
        raise ModuleError(
            "must be module: and a name of small letters, digits and _, which begins with a letter"
        )
    if _confined:
        raise ModuleError("must be equations of the package, as this program reads worlds of others")
    for place in _places(folders):
        for path in (place / f"{name}{SUFFIX}", place / name / f"{name}{SUFFIX}"):
            if path.is_file():
                _last_found[name] = path.resolve()
                return open_library(path)
    if any(_is_run(Path(folder)) for folder in folders) and name in _last_found:
        return open_library(_last_found[name])
    installed = _installed(name)
    if installed is not None:
        return open_library(installed)
    for place in _places(folders):
        for folder in (place, place / name):
            if has_sources(folder, name):
                raise ModuleError(f"the module is not built. Run `eddyline module build {folder}`")
    raise ModuleError(
        f"there is no {name}{SUFFIX} beside the world, in a folder {name} beside it, or in the folders of "
        f"{VARIABLE}. Start one with `eddyline module new {name}`"
    )


def found_modules(folders: Iterable[str | Path]) -> Iterator[tuple[Path, Library | ModuleError]]:
    """The built modules in these folders and those of EDDYLINE_MODULES, or why one cannot be loaded."""
    seen = set()
    for entry in entry_points(group=GROUP):
        try:
            path = _installed(entry.name)
        except ModuleError as error:
            yield Path(f"{entry.name}{SUFFIX}"), error
            continue
        if path is not None:
            seen.add(path.resolve())
            yield path, open_library(path)
    for place in _places(folders):
        for path in sorted([*place.glob(f"*{SUFFIX}"), *place.glob(f"*/*{SUFFIX}")]):
            if path.resolve() in seen:
                continue
            seen.add(path.resolve())
            try:
                yield path, open_library(path)
            except ModuleError as error:
                yield path, error


def _installed(name: str) -> Path | None:
    """The library of a module that an installed package brings: an entry point of the group eddyline.modules
    with its name, which is the package that the library lies in, or a folder."""
    for entry in entry_points(group=GROUP, name=name):
        try:
            brought = entry.load()
        except Exception as error:  # of the other package
            raise ModuleError(f"the entry point {name} of {GROUP} cannot be loaded: {error}") from None
        folder = Path(brought) if isinstance(brought, str | Path) else Path(brought.__file__).parent
        path = folder / f"{name}{SUFFIX}"
        if path.is_file():
            return path
        if (folder / FILE).is_file():
            raise ModuleError(f"the module is not built. Run `eddyline module build {folder}`")
        raise ModuleError(f"the entry point {name} of {GROUP} names {folder}, which has no {path.name}")
    return None


def _is_run(folder: Path) -> bool:
    return (folder / "run.json").exists()


def _places(folders: Iterable[str | Path]) -> Iterator[Path]:
    """A folder of a run holds no code: for it the folders around it count, where the world may have been."""
    for folder in map(Path, folders):
        if _is_run(folder):
            yield from list(folder.resolve().parents)[:4]
        else:
            yield folder
    yield from (Path(each) for each in os.environ.get(VARIABLE, "").split(os.pathsep) if each)


def open_library(path: Path) -> Library:
    """The module in a library. Raises ModuleError."""
    try:
        status = path.stat()
        return _opened(path.resolve(), status.st_mtime_ns, status.st_ino)
    except OSError as error:
        raise ModuleError(f"{path}: {error.strerror}") from None


def seal(path: Path) -> None:
    """Appends to a library what says that it is complete and a module."""
    content = path.read_bytes()
    with path.open("ab") as file:
        file.write(_seal(content))


def _seal(content: bytes) -> bytes:
    return _MARK + hashlib.sha256(content).digest()


def _check_seal(path: Path) -> None:
    """Raises ModuleError for another library, and for a damaged one, which would end the program when it is
    loaded."""
    content = path.read_bytes()
    length = len(_MARK) + hashlib.sha256().digest_size
    if content[-length:] != _seal(content[:-length]):
        raise ModuleError(
            f"{path} is damaged, or not a module of Eddyline. Build it again with `eddyline module build`"
        )


@cache
def _opened(path: Path, changed: int, number: int) -> Library:
    _check_seal(path)
    try:
        about = _core.module_about(str(path))
    except _core.UserError as error:
        raise ModuleError(str(error).rstrip(".")) from None
    return Library(path, Description.model_validate_json(about))
