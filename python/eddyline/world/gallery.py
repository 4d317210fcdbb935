"""The worlds that come with Eddyline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomlkit

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "worlds", _PACKAGE.parent.parent / "worlds")  # installed; in a checkout


_OF_THE_FLOW = ("domain", "fluid", "start", "regions", "boundaries", "openings", "bodies")


def is_of_gallery(source: str) -> bool:
    """True if a world file describes the flow of a gallery world, at any spacing and with any values of its
    `let`."""
    return name_in_gallery(source, any_values=True) is not None


def name_in_gallery(source: str, *, any_values: bool = False) -> str | None:
    """Name of the gallery world that has this flow, at any spacing; None if there is none.

    any_values: with any values of its `let`; else only its Reynolds number, start and end may differ.
    """
    flow, values = _flow(source), _values(source)
    for name, path in gallery().items():
        own = path.read_text(encoding="utf-8")
        if _flow(own) == flow and (any_values or _values(own) == values):
            return name
    return None


def _values(source: str) -> dict[str, Any]:
    """Values of `let` except the Reynolds number."""
    values: dict[str, Any] = tomlkit.parse(source).unwrap().get("let", {})
    return {key: value for key, value in values.items() if key != "Re"}


def _flow(source: str) -> dict[str, Any]:
    tables = tomlkit.parse(source).unwrap()
    kept = {name: tables[name] for name in _OF_THE_FLOW if name in tables}
    kept["domain"] = {key: value for key, value in kept.get("domain", {}).items() if key != "spacing"}
    return kept


def gallery() -> dict[str, Path]:
    """The world files of the gallery by name; those in a folder of the gallery as "vertanen/one_cylinder"."""
    found: dict[str, Path] = {}
    for folder in _PLACES:
        for path in sorted(folder.rglob("*.toml"), key=lambda path: (len(path.parts), path)):
            found.setdefault(path.relative_to(folder).with_suffix("").as_posix(), path)
    return found
