"""Formulas of a world file: the values of [let], and numbers and fields made with them.

The core parses and evaluates every formula (`_core.Formula`); nothing here does. What is done here is text:
finding the names that a formula uses, and putting the values of [let] in place of their names, because the
core evaluates fields of x, y, z and t only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from .problems import listed, number, shown

FIELD_VARIABLES = ("x", "y", "z", "t")
"""What a field may use: the place [m] and the time [s]."""

_WORDS = """
    x y z t time pi and or not if sqrt abs exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh
    min max floor ceil sign step pow mod hydrostatic
"""
RESERVED = frozenset(_WORDS.split())
"""Names that [let] may not take."""

_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|.", re.S
)
_COLUMN = re.compile(r"column (\d+) of `[^`]*`: ")
_NAME = re.compile(r"[A-Za-z_]\w*")


class FormulaError(ValueError):
    """A formula that cannot be used; the text says why and what to change, without the place."""


class BrokenNameError(FormulaError):
    """A formula that uses a value of [let] which is itself wrong: reported there, and only there."""


def names_in(text: str) -> list[str]:
    """The names in a formula, functions among them, in the order of their first use. A name may have dots."""
    return list(dict.fromkeys(match["name"] for match in _TOKEN.finditer(text) if match["name"]))


def replace_names(text: str, replacement: Mapping[str, str]) -> str:
    """`text` with other names, or values, in place of some of its names."""
    pieces = (
        replacement.get(match["name"], match[0]) if match["name"] else match[0]
        for match in _TOKEN.finditer(text)
    )
    return "".join(pieces)


@dataclass
class Names:
    """The values of [let] as numbers, and which of them are used."""

    values: dict[str, float] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)

    def number(self, text: str) -> float:
        """The value of a formula of the names of [let]."""
        self._touch(text)
        places = [name for name in names_in(text) if name in FIELD_VARIABLES]
        if places:
            raise FormulaError(
                f"this is one number, the same everywhere and always; {listed(places)} may stand only in "
                "velocities, "
                "pressures and body forces"
            )
        value = float(_formula(text, tuple(self.values)).evaluate(self.values))
        if not math.isfinite(value):
            used = [name for name in names_in(text) if name in self.values]
            known = ", ".join(f"{name} = {number(self.values[name])}" for name in used)
            raise FormulaError(f"gives {value}{' with ' + known if known else ''}; must be a finite number")
        return value

    def field(self, value: str | float) -> _core.Formula:
        """A field of x, y, z and t for the core."""
        text = value if isinstance(value, str) else repr(float(value))
        self._touch(text)
        _formula(text, (*FIELD_VARIABLES, *self.values))  # its message shows the names that the user knows
        numbers = {name: f"({float(number_)!r})" for name, number_ in self.values.items()}
        return _formula(replace_names(text, numbers), FIELD_VARIABLES)

    def _touch(self, text: str) -> None:
        names = set(names_in(text))
        self.used |= names
        if names & self.broken:
            raise BrokenNameError


def _formula(text: str, variables: tuple[str, ...]) -> _core.Formula:
    try:
        return _core.Formula(text, variables)
    except _core.UserError as error:
        raise FormulaError(without_formula(str(error))) from None


def without_formula(message: str) -> str:
    """The core's message on a formula, for a line that shows the formula already."""
    match = _COLUMN.match(message)
    if match is None:
        return message
    rest = message[match.end() :]
    return rest if rest.startswith("unknown name") else f"{rest} (column {match[1]})"


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def resolve_let(table: Mapping[str, Any]) -> tuple[Names, list[tuple[str, str]]]:
    """The values of [let], whatever their order; and what is wrong with them, as (name, text)."""
    names = Names()
    wrong: dict[str, str] = {}
    formulas: dict[str, str] = {}
    for name, value in table.items():
        if not _NAME.fullmatch(name):
            wrong[name] = (
                f"= {shown(value)}; a name is made of letters, digits and _, and begins with a letter."
            )
        elif name in RESERVED:
            wrong[name] = f"= {shown(value)}; formulas use {name} already. Take another name."
        elif isinstance(value, str):
            formulas[name] = value
        elif not is_number(value):
            wrong[name] = f"= {shown(value)}; must be a number or a formula."
        elif not math.isfinite(value):
            wrong[name] = f"= {shown(value)}; must be a finite number."
        else:
            names.values[name] = float(value)
    names.broken |= set(wrong)

    needs = {name: [used for used in names_in(text) if used in formulas] for name, text in formulas.items()}
    for circle in _circles(needs):
        way = " -> ".join([*circle, circle[0]])
        wrong[circle[0]] = f"= {shown(formulas[circle[0]])}; needs itself: {way}. Give one of them a number."
        names.broken |= set(circle)
    waiting = [name for name in formulas if name not in names.broken]
    while waiting:
        ready = [name for name in waiting if not any(used in waiting for used in needs[name])]
        for name in ready:
            try:
                names.values[name] = names.number(formulas[name])
            except BrokenNameError:
                names.broken.add(name)
            except FormulaError as error:
                names.broken.add(name)
                wrong[name] = f"= {shown(formulas[name])}; {sentence(str(error))}"
        waiting = [name for name in waiting if name not in ready]
    names.values = {name: names.values[name] for name in table if name in names.values}
    return names, list(wrong.items())


def _circles(needs: Mapping[str, list[str]]) -> Iterator[list[str]]:
    """Each closed chain of names once, beginning with the one that stands first in the file."""
    order = list(needs)
    closed: set[str] = set()
    for first in order:
        if first in closed:
            continue
        trail: list[str] = []
        name: str | None = first
        stack = [(first, iter(needs[first]))]
        trail.append(first)
        seen = {first}
        while stack and first not in closed:
            name = next(stack[-1][1], None)
            if name is None:
                stack.pop()
                trail.pop()
            elif name == first:
                closed |= set(trail)
                yield list(trail)
            elif name not in seen:
                seen.add(name)
                trail.append(name)
                stack.append((name, iter(needs[name])))


def sentence(text: str) -> str:
    """`text` with a full stop where it has no end yet."""
    return text if text.endswith((".", "?", "!")) else f"{text}."
