"""Starting a world file, and the JSON Schema with which editors check one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from eddyline.files import create_text

from .curves import DATA
from .gallery import gallery
from .problems import Problem, WorldError, did_you_mean
from .schema import world_file
from .solver import solvers

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


def new_world(name: str, copy: str | None = None, folder: str | Path = ".") -> Path:
    """Writes `folder/name.toml`: a commented start, or a copy of the gallery's `copy`; never overwrites.

    Returns the file. Raises WorldError for a name that is taken or cannot be one, and for an unknown world.
    """
    stem = name.removesuffix(".toml")
    path = Path(folder) / f"{stem}.toml"
    if not _NAME.fullmatch(stem):
        raise _error(name, "must be a name of letters, digits, _ and -, for example my_world.")
    worlds = gallery()
    if copy is not None and copy not in worlds:
        known = did_you_mean(copy, worlds, "and")
        raise _error(copy, f"not in the gallery; --from requires the name of a gallery world. {known}")
    source = worlds[copy] if copy is not None else DATA / "starter.toml"
    text = source.read_text(encoding="utf-8")
    if copy is None:
        title = stem.replace("_", " ").replace("-", " ").capitalize()
        text = re.sub(r'^title *= *".*"', f'title  = "{title}"', text, count=1, flags=re.M)
    try:
        create_text(path, text)
    except FileExistsError:
        raise _error(str(path), "exists already. Choose another name, or remove the file.") from None
    except OSError as error:
        raise _error(str(path), f"cannot be written: {error.strerror}.") from None
    return path


def _error(place: str, text: str) -> WorldError:
    return WorldError([Problem(0, place, text)])


def schema_json() -> str:
    """The JSON Schema (draft 2020-12) of a world file: what editors complete and check while one writes.

    It knows keys, kinds and limits; what depends on several keys or on the value of a formula `check` knows.
    """
    schema = _without_null(world_file().model_json_schema(by_alias=True))
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "if": _names_a_solver_without_fluid(),
        "else": {"required": ["fluid"]},
        "title": "World file of Eddyline",
    }
    return json.dumps(schema, indent=2) + "\n"


def _names_a_solver_without_fluid() -> dict[str, Any]:
    names = [name for name, solver in solvers().items() if not solver.has_fluid({"name": name})]
    method = {"required": ["name"], "properties": {"name": {"enum": names}}}
    return {"required": ["method"], "properties": {"method": method}}


def _without_null(node: Any) -> Any:
    """The schema without null, which TOML does not have, and without the titles that pydantic invents."""
    if isinstance(node, list):
        return [_without_null(item) for item in node]
    if not isinstance(node, dict):
        return node
    result = {
        key: _without_null(item)
        for key, item in node.items()
        if not (key == "default" and item is None) and not (key == "title" and isinstance(item, str))
    }
    for ours, standard in (
        ("ge", "minimum"),
        ("le", "maximum"),
    ):  # as pydantic leaves them on our own number type
        if ours in result:
            result[standard] = result.pop(ours)
    choices = result.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        left = [choice for choice in choices if choice != {"type": "null"}]
        del result["anyOf"]
        result = {**left[0], **result} if len(left) == 1 else {"anyOf": left, **result}
    return result
