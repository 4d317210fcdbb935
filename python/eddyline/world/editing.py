"""Changes of a world file as the page makes them: comments, order and formulas of the rest are kept."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, MutableSequence, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Array, Table

Key = str | int
Value = Any
_KEY = r"^[A-Za-z0-9_-]{1,64}$"


class EditError(ValueError):
    """An invalid change; the message gives the change and the reason."""


@dataclass(frozen=True)
class Edit:
    """One change of a value. set: replaces or creates a value; add: a new table or entry; remove: deletes it.

    path: keys, and numbers of entries of arrays from 0; `add` at the path of an array appends to it.
    """

    op: Literal["set", "add", "remove"]
    path: Sequence[Key]
    value: Value = None


def edited(text: str, edits: Sequence[Edit]) -> str:
    """The text of a world file after all changes. Raises EditError."""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise EditError(f"not TOML: {error} Fix the text first.") from None
    for number, edit in enumerate(edits):
        try:
            _apply(document, edit)
        except (KeyError, IndexError, TypeError, ValueError, TOMLKitError) as error:
            where = ".".join(map(str, edit.path))
            raise EditError(f"edits[{number}]: {edit.op} {where}: {_reason(error)}") from None
    return tomlkit.dumps(document)


def _reason(error: Exception) -> str:
    if isinstance(error, (KeyError, IndexError)):
        return "the key does not exist."
    return str(error)


def _apply(document: tomlkit.TOMLDocument, edit: Edit) -> None:
    *above, last = edit.path
    here: Any = document
    for depth, key in enumerate(above):
        if edit.op != "remove" and isinstance(here, MutableMapping) and key not in here:
            here[_name(key)] = tomlkit.table(is_super_table=depth + 1 == len(above) and depth == 0)
        here = _inside(here, key)
    if edit.op == "remove":
        _inside(here, last)
        del here[last]
        _drop_empty(document, above)
    elif isinstance(here, MutableMapping):
        if edit.op == "add" and last in here and not isinstance(here[last], MutableSequence):
            raise ValueError("exists already; set it, or choose another name.")
        _put(here, _name(last), edit)
    elif isinstance(here, MutableSequence):
        item = _item(edit.value, flat=isinstance(here, Array))
        if edit.op == "add":
            here.insert(_index(last, len(here) + 1), item)
        else:
            here[_index(last, len(here))] = item
    else:
        raise ValueError("its parent is not a table or list.")


def _put(here: MutableMapping[str, Any], key: str, edit: Edit) -> None:
    if edit.op == "add" and key in here:  # an array: append
        here[key].append(_item(edit.value, flat=isinstance(here[key], Array)))
    elif key in here and isinstance(here[key], Table) and isinstance(edit.value, dict):
        table = here[key]
        for old in [name for name in table if name not in edit.value]:
            del table[old]
        for name, value in edit.value.items():
            if name not in table or table[name] != value:
                table[_name(name)] = _item(value, flat=True)
    else:
        inline = not isinstance(here, tomlkit.TOMLDocument) and not _is_super(here)
        here[key] = _item(edit.value, flat=inline)


def _is_super(here: MutableMapping[str, Any]) -> bool:
    """True if a table holds tables with headers of their own: [bodies.NAME]."""
    if isinstance(here, Table) and here.is_super_table():
        return True
    return bool(here) and all(isinstance(value, Table) for value in here.values())


def _inside(here: Any, key: Key) -> Any:
    if isinstance(here, MutableMapping):
        return here[str(key)]
    if isinstance(here, MutableSequence):
        return here[_index(key, len(here))]
    raise ValueError("its parent is not a table or list.")


def _index(key: Key, count: int) -> int:
    if not isinstance(key, int) or not 0 <= key < count:
        raise ValueError(f"the index {key!r} must be from 0 to {count - 1}.")
    return key


def _name(key: Key) -> str:
    if not isinstance(key, str) or not re.fullmatch(_KEY, key):
        raise ValueError(f"{key!r} is not a valid name; use letters, digits, _ and -.")
    return key


def _item(value: Value, flat: bool) -> Any:
    """A TOML value; tables in one line if `flat`, else below a header of their own."""
    if value is None:
        raise ValueError("needs a value.")
    if isinstance(value, dict):
        made: Any = tomlkit.inline_table() if flat else tomlkit.table()
        for key, item in value.items():
            made[_name(key)] = _item(item, flat=True)
        if not flat:
            made.add(tomlkit.nl())
        return made
    if isinstance(value, list):
        array = tomlkit.array()
        for entry in value:
            array.append(_item(entry, flat=True))
        return array
    if isinstance(value, float) and value != value:
        raise ValueError("is not a number.")
    return tomlkit.item(value)


def _drop_empty(document: tomlkit.TOMLDocument, above: Sequence[Key]) -> None:
    """A table of tables, such as [bodies], goes with its last one."""
    if len(above) == 1 and above[0] in ("bodies", "regions", "openings", "observe", "expect", "terms"):
        name = str(above[0])
        if name in document and not document[name]:
            del document[name]
