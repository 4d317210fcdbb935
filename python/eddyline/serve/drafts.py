"""A world that is being edited: checked and drawn as far as it is valid."""

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
"""Ratio of the spacing of a quality to that of the file."""
_LABEL = "world"
_PARTS = ("bodies", "regions", "openings", "observe", "expect")
"""Tables with entries that can be skipped if they have errors."""


@dataclass(frozen=True)
class Draft:
    """text: the file as it would be run. data: its content as written. world: None if there are errors. file:
    the valid tables, without wrong ones if possible; otherwise None."""

    text: str
    data: dict[str, Any]
    world: World | None
    file: WorldFile | None
    problems: tuple[Problem, ...] = field(default=())


def draft(text: str, overrides: dict[str, str | float], quality: str) -> Draft:
    """Reads a world file that may have errors. quality: one of QUALITIES."""
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
    """The document with the spacing of a quality; formulas are preserved."""
    factor = QUALITIES[quality]
    written = document.data.get("domain", {})
    spacing = written.get("spacing") if isinstance(written, dict) else None
    if factor == 1.0 or isinstance(spacing, bool) or not isinstance(spacing, (int, float, str)):
        return document
    change = {5 / 3: "*5/3", 0.5: "/2"}[factor]
    value = f"({spacing}){change}" if isinstance(spacing, str) else spacing * factor
    return parse(document.text, document.label, {"domain.spacing": value})


def _what_stands(document: Document, error: WorldError) -> WorldFile | None:
    """The valid tables, without those that have errors."""
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
