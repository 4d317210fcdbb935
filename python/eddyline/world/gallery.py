"""The worlds that come with Eddyline."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    from tomllib import loads as _tables
else:
    import tomlkit

    def _tables(text: str) -> dict[str, Any]:
        """Slower: it keeps comments and order, which nothing here needs."""
        return tomlkit.parse(text).unwrap()


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
    wanted = _tables(source)
    for name, path in gallery().items():
        own = _tables(path.read_text(encoding="utf-8"))
        if _flow(own) == _flow(wanted) and (any_values or _values(own) == _values(wanted)):
            return name
    return None


def _values(tables: dict[str, Any]) -> dict[str, Any]:
    """Values of `let` except the Reynolds number."""
    return {key: value for key, value in tables.get("let", {}).items() if key != "Re"}


def _flow(tables: dict[str, Any]) -> dict[str, Any]:
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
