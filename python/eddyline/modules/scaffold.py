"""Starts a module: a folder with a small working example."""

from __future__ import annotations

import re
from pathlib import Path

from .description import FILE, METHODS, NAME, ModuleError

_PACKAGE = Path(__file__).resolve().parent.parent
_TEMPLATES = {
    "patches": _PACKAGE / "data" / "module",
    "particles": _PACKAGE / "data" / "particle_module",
    "blocks": _PACKAGE / "data" / "block_module",
}
_EXAMPLES = (_PACKAGE / "examples" / "modules", _PACKAGE.parent.parent / "examples" / "modules")
"""Modules to begin with: installed; in a checkout."""


def examples() -> dict[str, Path]:
    """Folders of the modules to begin with, by name."""
    found = next((place for place in _EXAMPLES if place.is_dir()), None)
    return {path.parent.name: path.parent for path in sorted(found.glob(f"*/{FILE}"))} if found else {}


def new_module(
    name: str, method: str = "patches", parent: Path | None = None, *, like: str | None = None
) -> Path:
    """Writes the folder NAME with all files of a module. like: an example to copy. Raises ModuleError and
    OSError."""
    if not NAME.fullmatch(name):
        raise ModuleError(
            f"{name}: the name of a module must be made of small letters, digits and _, and begin with a "
            "letter."
        )
    if method not in METHODS:
        raise ModuleError(f"--for {method}: must be {', '.join(METHODS[:-1])} or {METHODS[-1]}.")
    folder = (parent or Path()) / name
    if folder.exists():
        raise ModuleError(f"{folder} is there already. Choose another name, or remove it.")
    if like is not None:
        texts = _copied(like, name)
        folder.mkdir(parents=True)
        for file, text in texts.items():
            (folder / file).write_text(text, encoding="utf-8")
        return folder
    texts = {
        path.name.replace("NAME", name).removesuffix(".txt"): path.read_text(encoding="utf-8")
        for path in sorted(_TEMPLATES[method].iterdir())
    }
    folder.mkdir(parents=True)
    for file, text in texts.items():
        (folder / file).write_text(text.replace("@NAME@", name), encoding="utf-8")
    return folder


def _copied(like: str, name: str) -> dict[str, str]:
    """The files of an example under another name."""
    known = examples()
    if like not in known:
        raise ModuleError(f"--like {like}: there is no such example. Known: {', '.join(known)}.")
    texts = {}
    for path in sorted(known[like].iterdir()):
        if path.suffix not in (".hpp", ".toml", ".py"):
            continue
        text = path.read_text(encoding="utf-8").replace(f"module:{like}", f"module:{name}")
        if path.name == FILE:
            text = re.sub(rf'(?m)^(name\s*=\s*)"{like}"', rf'\g<1>"{name}"', text)
        texts[f"{name}{path.suffix}" if path.stem == like else path.name] = text
    return texts
