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
    flow = _flow(source)
    return any(_flow(path.read_text(encoding="utf-8")) == flow for path in gallery().values())


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
