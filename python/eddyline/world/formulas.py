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
"""Variables of a field: position [m] and time [s]."""

_WORDS = """
    x y z t time pi and or not if sqrt abs exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh
    min max floor ceil sign step pow mod sum hydrostatic
"""
RESERVED = frozenset(_WORDS.split())
"""Reserved names that [let] must not define."""

_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|.", re.S
)
_COUNTER = re.compile(r"(?<![\w.])sum\s*\(\s*([A-Za-z_]\w*)\s*,")
_COLUMN = re.compile(r"column (\d+) of `[^`]*`: ")
_NAME = re.compile(r"[A-Za-z_]\w*")
_LONGEST_CHAIN = 8  # names that a message lists


class FormulaError(ValueError):
    """An invalid formula; the message gives the reason and the remedy, without the location."""


class BrokenNameError(FormulaError):
    """A formula that uses an invalid value of [let]; only that value is reported."""


def names_in(text: str) -> list[str]:
    """The names in a formula, functions among them, in the order of their first use. A name may have dots.
    The names that count the terms of sums are not among them."""
    counters = counters_in(text)
    names = (match["name"] for match in _TOKEN.finditer(text))
    return list(dict.fromkeys(name for name in names if name and name not in counters))


def counters_in(text: str) -> set[str]:
    """The names that count the terms of the sums in a formula: k in `sum(k, 1, 20, sin(k*x))`."""
    return set(_COUNTER.findall(text)) if "sum" in text else set()


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
                f"must be constant; only velocities, pressures and body forces may depend on {listed(places)}"
            )
        used = [name for name in names_in(text) if name in self.values]
        formula = self._compiled(text, ())
        value = float(formula.evaluate({name: self.values[name] for name in used}))
        if not math.isfinite(value):
            known = ", ".join(f"{name} = {number(self.values[name])}" for name in used)
            raise FormulaError(f"gives {value}{' with ' + known if known else ''}; must be a finite number")
        return value

    def field(self, value: str | float, variables: tuple[str, ...] = FIELD_VARIABLES) -> _core.Formula:
        """A field of x, y, z and t, or of other variables, for the core. Variables come before values of
        [let] with the same name."""
        text = value if isinstance(value, str) else repr(float(value))
        self._touch(text)
        self._compiled(text, variables)  # its message shows the names that the user knows
        used = [name for name in names_in(text) if name in self.values and name not in variables]
        numbers = {name: f"({float(self.values[name])!r})" for name in used}
        return _formula(replace_names(text, numbers), variables)

    def _compiled(self, text: str, more: tuple[str, ...]) -> _core.Formula:
        """A formula of the names of [let] that it uses, and of `more`; all of them are looked through only
        for the message on one that cannot be compiled."""
        taken = sorted(counters_in(text) & set(self.values))
        if taken:
            raise FormulaError(f"{taken[0]} is a value of [let]; use another name for the index of the sum")
        words = set(names_in(text))
        try:
            return _core.Formula(
                text, (*more, *(name for name in self.values if name in words and name not in more))
            )
        except _core.UserError:
            return _formula(text, (*more, *(name for name in self.values if name not in more)))

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
    """The message of the core about a formula, for a line that already shows the formula."""
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
            wrong[name] = f"= {shown(value)}; is a name reserved for formulas. Choose another name."
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
    for circle, group in _circles(needs):
        told = circle if len(circle) <= _LONGEST_CHAIN else [*circle[: _LONGEST_CHAIN - 1], "..."]
        way = " -> ".join([*told, circle[0]])
        wrong[circle[0]] = (
            f"= {shown(formulas[circle[0]])}; depends on itself: {way}. Give one of them a number."
        )
        names.broken |= set(group)
    for name in _in_order(needs):
        if name in names.broken:
            continue
        try:
            names.values[name] = names.number(formulas[name])
        except BrokenNameError:
            names.broken.add(name)
        except FormulaError as error:
            names.broken.add(name)
            wrong[name] = f"= {shown(formulas[name])}; {sentence(str(error))}"
    names.values = {name: names.values[name] for name in table if name in names.values}
    return names, list(wrong.items())


def _in_order(needs: Mapping[str, list[str]]) -> list[str]:
    """The names, each after those that it needs (topological order); those of circles anywhere."""
    done: dict[str, None] = {}
    begun: set[str] = set()
    for first in needs:
        stack = [] if first in begun else [(first, iter(needs[first]))]
        begun.add(first)
        while stack:
            name, rest = stack[-1]
            used = next((each for each in rest if each not in begun), None)
            if used is None:
                done[name] = None
                stack.pop()
            else:
                begun.add(used)
                stack.append((used, iter(needs[used])))
    return list(done)


def _circles(needs: Mapping[str, list[str]]) -> Iterator[tuple[list[str], list[str]]]:
    """A closed chain of names in each group of names that all need each other, beginning with the first name
    in the file; and the group."""
    users: dict[str, list[str]] = {name: [] for name in needs}
    for name, used in needs.items():
        for each in used:
            users[each].append(name)
    group: dict[str, str] = {}
    for first in reversed(_in_order(needs)):  # Kosaraju's algorithm for strongly connected components
        stack = [first]
        while stack:
            name = stack.pop()
            if name not in group:
                group[name] = first
                stack += [user for user in users[name] if user not in group]
    members: dict[str, list[str]] = {}
    for name in needs:
        members.setdefault(group[name], []).append(name)
    for names in members.values():
        if chain := _chain(names[0], needs, group):
            yield chain, names


def _chain(first: str, needs: Mapping[str, list[str]], group: Mapping[str, str]) -> list[str]:
    """A cycle from a name back to itself, without the end; empty if there is none."""
    came: dict[str, str] = {}
    queue = [first]
    for name in queue:
        for used in needs[name]:
            if used == first:
                way = [name]
                while way[-1] != first:
                    way.append(came[way[-1]])
                return way[::-1]
            if group[used] == group[first] and used not in came:
                came[used] = name
                queue.append(used)
    return []


def sentence(text: str) -> str:
    """`text` with a full stop where it has no end yet."""
    return text if text.endswith((".", "?", "!")) else f"{text}."
