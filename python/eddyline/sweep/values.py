"""Arguments of a sweep: `let.Re=20:200:8` as a key of the world file and its values."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any

from eddyline.option_names import given as told
from eddyline.option_names import names_options
from eddyline.run.errors import RequestError

Setting = str | float
MOST_POINTS = 10_000
_RANGE = re.compile(r"^([^:]+):([^:]+):([^:]+)(?::([^:]*))?$")


@dataclass(frozen=True)
class Grid:
    """settings: the values of each swept key, in the order in which they were given.  fixed: keys with one
    value."""

    settings: dict[str, tuple[Setting, ...]]
    fixed: dict[str, Setting]

    @property
    def points(self) -> list[dict[str, Setting]]:
        """Every combination: the last key changes fastest."""
        keys = list(self.settings)
        return [dict(zip(keys, values, strict=True)) for values in itertools.product(*self.settings.values())]


def grid(changes: Mapping[str, Setting | Sequence[Setting]]) -> Grid:
    """The grid of `changes`: a text as on the command line, a number, or a sequence of either.

    `a:b:n` are n values from a to b at equal distances, `a:b:n:log` at equal ratios, `a,b,c` a list.
    RequestError has a line for each thing that is wrong.
    """
    if not (isinstance(changes, Mapping) and all(isinstance(key, str) for key in changes)):
        raise TypeError(
            f'changes = {short(changes)}: must be a dict of values by path, such as {{"let.a": [0.1, 0.2]}}'
        )
    wrong: list[str] = []
    settings: dict[str, tuple[Setting, ...]] = {}
    fixed: dict[str, Setting] = {}
    for key, given in changes.items():
        try:
            values = expand(given) if isinstance(given, str | int | float) else _each_of(given)
        except ValueError as error:
            wrong.append(f"{_given(key, given)}: {error}")
            continue
        twice = sorted(str(value) for value, times in _counted(values) if times > 1)
        if not values:
            wrong.append(f"{_given(key, given)}: no values; give two or more, e.g. {_example(key, '10,20')}")
        elif twice:
            wrong.append(f"{_given(key, given)}: {twice[0]} occurs twice; give each value once")
        elif len(values) == 1:
            fixed[key] = values[0]
        else:
            settings[key] = values
    if not settings and not wrong:
        example = next(iter(fixed), "let.Re")
        wrong.append(
            f"nothing to sweep: give a key several values, e.g. {_example(example, '20:200:8')} or "
            f"{_example(example, '20,40')}"
        )
    count = math.prod(len(values) for values in settings.values())
    if count > MOST_POINTS:
        wrong.append(f"the grid has {count:,} points; must be at most {MOST_POINTS:,}. Give fewer values")
    if wrong:
        raise RequestError("\n".join(wrong))
    return Grid(settings, fixed)


def _given(key: str, value: object) -> str:
    """A key with its values, as given by the caller."""
    return f"--set {key}={value}" if names_options() else told(f'changes["{key}"]', value)


def _example(key: str, values: str) -> str:
    return f"--set {key}={values}" if names_options() else f'{{"{key}": "{values}"}}'


def _counted(values: Sequence[Setting]) -> list[tuple[Setting, int]]:
    try:
        return list(Counter(values).items())
    except TypeError:  # invalid settings are reported later
        return []


def _each_of(given: Any) -> tuple[Setting, ...]:
    """Other values are reported later, by the check of their world."""
    return tuple(given) if isinstance(given, Iterable) else (given,)


def expand(given: Setting) -> tuple[Setting, ...]:
    """The values of one setting. Raises ValueError."""
    if not isinstance(given, str):
        return (given,)
    found = _RANGE.match(given.strip())
    if found and not given.strip().startswith(("[", "{", '"')):
        return _between(*found.groups())
    if ":" in given and not re.search(r"[\"'{\[]", given):
        raise ValueError("a range is a:b:n, n values from a to b, or a:b:n:log")
    parts = [part.strip() for part in _split(given)]
    if not all(parts):
        raise ValueError("an empty value; write a,b,c")
    return tuple(_plain(part) for part in parts)


def _between(first: str, last: str, count: str, kind: str | None) -> tuple[Setting, ...]:
    try:
        low, high = float(first), float(last)
    except ValueError:
        raise ValueError(f"the ends must be numbers, a:b:n; {first.strip()}:{last.strip()} are not") from None
    if not count.strip().isdigit() or int(count) < 2:
        raise ValueError(f"the number of values must be a whole number >= 2; it is {count.strip()}")
    if int(count) > MOST_POINTS:
        raise ValueError(f"{int(count):,} values; a sweep has at most {MOST_POINTS:,} points")
    if not (math.isfinite(low) and math.isfinite(high)) or low == high:
        raise ValueError("the ends must be two different finite numbers")
    steps = [k / (int(count) - 1) for k in range(int(count))]
    if kind is None:
        return tuple(_short(low + step * (high - low)) for step in steps)
    if kind.strip() != "log":
        raise ValueError(f"`{kind.strip()}` is unknown; write a:b:n or a:b:n:log")
    if low <= 0 or high <= 0:
        raise ValueError("a logarithmic range needs ends > 0")
    return tuple(_short(low * (high / low) ** step) for step in steps)


def _short(value: float) -> Setting:
    """Ten digits, so that 0.1 + 0.2 reads 0.3; whole numbers without a point."""
    rounded = float(f"{value:.10g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def _plain(text: str) -> Setting:
    """A number where the text is one, with all its digits; else the text, e.g. the formula D/20."""
    with contextlib.suppress(ValueError):
        return int(text)
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        return text
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _split(text: str) -> list[str]:
    """Splits at the commas outside of brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        else:
            depth += (character in "([{") - (character in ")]}")
            if character == "," and depth == 0:
                parts.append("")
                continue
        parts[-1] += character
    return parts


def labels(points: Sequence[Mapping[str, Setting]]) -> list[str]:
    """Unique folder names of the points, such as `Re=20` or `Re=20,spacing=D-40`."""
    keys = list(points[0])
    last = [key.rpartition(".")[2] for key in keys]
    short = {key: name if last.count(name) == 1 else key for key, name in zip(keys, last, strict=True)}
    names = [",".join(f"{short[key]}={_safe(value)}" for key, value in point.items()) for point in points]
    return [name if names.count(name) == 1 else f"{name}-{k + 1}" for k, name in enumerate(names)]


def _safe(value: Setting) -> str:
    return re.sub(r"[^\w.+-]+", "-", str(value)) or "value"
