"""The worlds that come with Eddyline."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "worlds", _PACKAGE.parent.parent / "worlds")  # installed; in a checkout


def gallery() -> dict[str, Path]:
    """The world files of the gallery by name; those in a folder of the gallery as "vertanen/one_cylinder"."""
    found: dict[str, Path] = {}
    for folder in _PLACES:
        for path in sorted(folder.rglob("*.toml"), key=lambda path: (len(path.parts), path)):
            found.setdefault(path.relative_to(folder).with_suffix("").as_posix(), path)
    return found
