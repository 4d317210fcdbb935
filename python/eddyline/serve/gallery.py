"""The worlds of the gallery, with the texts of their first comments."""

from __future__ import annotations

import functools
import re

import tomlkit
from pydantic import BaseModel, Field

from eddyline.world import gallery
from eddyline.world.schema import name_of_solver
from eddyline.world.solver import solvers

_LABELS = {"Look for": "look_for", "Predict first": "predict", "Try": "try", "Expected": "expected"}
_LABEL = re.compile(rf"^({'|'.join(_LABELS)}):\s*(.*)$")


class GalleryWorld(BaseModel):
    name: str
    title: str
    about: str
    look_for: str
    predict: str
    try_: str = Field(alias="try")
    expected: str
    toml: str
    dimensions: int
    method: str
    """Title of the solver of the world's method."""


@functools.cache
def gallery_worlds() -> list[GalleryWorld]:
    """All worlds, in the order of their solvers."""
    worlds = [_world(name, path.read_text(encoding="utf-8")) for name, path in sorted(gallery().items())]
    titles = [solver.title for solver in solvers().values()]
    return sorted(worlds, key=lambda world: titles.index(world.method))


def _between(part: str, words: str) -> str:
    """A new line before each line of proposals: those of one line belong together."""
    return "\n" if part == "try" and words.startswith("--set") else " "


def _world(name: str, text: str) -> GalleryWorld:
    data = tomlkit.parse(text).unwrap()
    said = {"about": ""} | dict.fromkeys(_LABELS.values(), "")
    part = "about"
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        words = line.lstrip("# ").strip()
        match = _LABEL.match(words)
        if match:
            part, words = _LABELS[match[1]], match[2]
        said[part] = f"{said[part]}{_between(part, words)}{words}".strip()
    title = str(data.get("title", name))
    return GalleryWorld(
        name=name,
        title=title,
        toml=text,
        dimensions=len(data["domain"]["size"]),
        method=solvers()[name_of_solver(data.get("method", {}))].title,
        **said,
    )
