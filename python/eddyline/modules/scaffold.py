"""Starts a module: a folder with a small working example."""

from __future__ import annotations

from pathlib import Path

from .description import NAME, ModuleError

_TEMPLATES = Path(__file__).resolve().parent.parent / "data" / "module"
METHODS = ("patches",)
"""Kinds of methods that modules can be written for."""
_INSTEAD = {
    "particles": "; forces of particles are formulas of the world file, [[terms]], which need no module",
    "blocks": "; the solver of body-fitted blocks has its own equations",
}


def new_module(name: str, method: str = "patches", parent: Path | None = None) -> Path:
    """Writes the folder NAME with all files of a module. Raises ModuleError and OSError."""
    if not NAME.fullmatch(name):
        raise ModuleError(
            f"{name}: the name of a module must be made of small letters, digits and _, and begin with a "
            "letter."
        )
    if method not in METHODS:
        raise ModuleError(f"--for {method}: must be {' or '.join(METHODS)}{_INSTEAD.get(method, '')}.")
    folder = (parent or Path()) / name
    if folder.exists():
        raise ModuleError(f"{folder} is there already. Choose another name, or remove it.")
    texts = {
        path.name.replace("NAME", name).removesuffix(".txt"): path.read_text(encoding="utf-8")
        for path in sorted(_TEMPLATES.iterdir())
    }
    folder.mkdir(parents=True)
    for file, text in texts.items():
        (folder / file).write_text(text.replace("@NAME@", name), encoding="utf-8")
    return folder
