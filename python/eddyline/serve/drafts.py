"""A world while it is being drawn: checked and drawn as far as it is right."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from eddyline.world import Problem, World, WorldError
from eddyline.world.document import Document, parse
from eddyline.world.formulas import resolve_let
from eddyline.world.problems import Path
from eddyline.world.schema import WorldFile
from eddyline.world.validate import validate

QUALITIES = {"preview": 5 / 3, "study": 1.0, "publish": 0.5}
"""Spacings of the file that a spacing is."""
_LABEL = "world"
_PARTS = ("bodies", "regions", "openings", "observe", "expect")
"""Tables of which one can be left out and the rest drawn."""


@dataclass(frozen=True)
class Draft:
    """text: as it would be run.  data: its content as written.  world: if nothing is wrong.  file: the
    checked tables, without those that are wrong if the others can stand alone; None if they cannot."""

    text: str
    data: dict[str, Any]
    world: World | None
    file: WorldFile | None
    problems: tuple[Problem, ...] = field(default=())


def draft(text: str, overrides: dict[str, str | float], quality: str) -> Draft:
    """Reads a world file that may be wrong. `quality`: one of QUALITIES."""
    try:
        document = parse(text, f"{_LABEL}.toml", overrides)
        document = refined(document, quality)
    except WorldError as error:
        return Draft(text, {}, None, None, error.problems)
    try:
        world = World(document, _LABEL, None)
    except WorldError as error:
        return Draft(document.text, document.data, None, _what_stands(document, error), error.problems)
    return Draft(document.text, document.data, world, world.file)


def refined(document: Document, quality: str) -> Document:
    """The document with the spacing of a quality; a formula stays a formula."""
    factor = QUALITIES[quality]
    written = document.data.get("domain", {})
    spacing = written.get("spacing") if isinstance(written, dict) else None
    if factor == 1.0 or isinstance(spacing, bool) or not isinstance(spacing, (int, float, str)):
        return document
    change = {5 / 3: "*5/3", 0.5: "/2"}[factor]
    value = f"({spacing}){change}" if isinstance(spacing, str) else spacing * factor
    return parse(document.text, document.label, {"domain.spacing": value})


def _what_stands(document: Document, error: WorldError) -> WorldFile | None:
    """The tables that are right one by one, without those that are not."""
    data = dict(document.data)
    for path in {problem.path[:2] for problem in error.problems if problem.path[:1]}:
        _leave_out(data, path)
    table = data.get("let", {})
    names, _ = resolve_let(table if isinstance(table, dict) else {})
    file, _ = validate(document.data, names)
    return file or validate(data, names)[0]


def _leave_out(data: dict[str, Any], path: Path) -> None:
    part = str(path[0])
    if part not in _PARTS or len(path) < 2:
        return
    inside = data.get(part)
    if isinstance(inside, dict):
        data[part] = {name: table for name, table in inside.items() if name != path[1]}
    else:
        data.pop(part, None)
