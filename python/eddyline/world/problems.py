"""Errors of a world file: one line for each, all at once."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ..option_names import one_line, quoted

_EXPONENT = re.compile(r"e\+?(-?)0*")
MOST_TOLD = 100
"""Problems that an error lists."""
Path = tuple[str | int, ...]
"""Position of a value in a world file: ("bodies", "cylinder", "diameter"), ("domain", "size", 1)."""
Found = Iterable[tuple[Path, str]]
"""Problems: the place in the file, and the line that says what is wrong and what to change."""


@dataclass(frozen=True, order=True)
class Problem:
    """One line of an error: where it is, and what was found, what is allowed, what to change."""

    line: int
    place: str
    text: str
    path: Path = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", one_line(self.place))
        object.__setattr__(self, "text", one_line(self.text))

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class WorldError(ValueError):
    """A world file that cannot be run. `str()` gives one line for each problem, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(set(problems)))
        told = [str(problem) for problem in self.problems[:MOST_TOLD]]
        if len(self.problems) > MOST_TOLD:
            told.append(f"{len(self.problems) - MOST_TOLD} more problems; fix these first.")
        super().__init__("\n".join(told))


def dotted(path: Sequence[str | int]) -> str:
    """`bodies.cylinder.center[1]` for ("bodies", "cylinder", "center", 1)."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text


def shown(value: Any, width: int = 60) -> str:
    """A value as a world file writes it, cut to about `width` characters."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
    elif isinstance(value, float):
        text = number(value)
    elif isinstance(value, Mapping):
        first = islice(value.items(), width)  # as many as can be seen
        text = "{ " + ", ".join(f"{key} = {shown(item)}" for key, item in first) + " }"
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(shown(item) for item in value[:width]) + "]"
    else:
        text = str(value)
    return quoted(text, width)


def number(value: float) -> str:
    """The shortest text that reads back as `value`, without a needless `.0`."""
    if math.isfinite(value) and value == int(value) and abs(value) < 1e16:
        return str(int(value))
    return _EXPONENT.sub(r"e\1", repr(float(value)))


def rounded(value: float, digits: int = 4) -> str:
    """`value` for people: `digits` significant digits, and no exponent where a few zeros do."""
    text = f"{value:.{digits}g}"
    if "e+0" in text and abs(value) < 1e7:
        return f"{float(text):,.0f}"
    return _EXPONENT.sub(r"e\1", text)


def above(value: float) -> str:
    """A short number not below `value`."""
    scale = _second_digit(value)
    return f"{math.ceil(value / scale * (1 - 1e-12)) * scale:.3g}"


def below(value: float) -> str:
    """A short number not above `value`."""
    scale = _second_digit(value)
    return f"{math.floor(value / scale * (1 + 1e-12)) * scale:.3g}"


def _second_digit(value: float) -> float:
    return 10.0 ** (math.floor(math.log10(value)) - 1)


def number_with_error(value: float, error: float | None) -> str:
    """`3.312 +- 0.021`: two digits of the error, and the value to the same decimal."""
    if not error or error <= 0:
        return f"{value:.4g}"
    digits = max(0, 1 - int(f"{error:.1e}".partition("e")[2]))
    if digits > 12 or abs(value) >= 1e6:
        return f"{value:.4g} +- {error:.1g}"
    return f"{value:.{digits}f} +- {error:.{digits}f}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` was probably meant to be."""
    names = list(known)
    lowered = {name.lower(): name for name in names}
    matches = difflib.get_close_matches(word.lower(), lowered, n=1, cutoff=0.6)
    return lowered[matches[0]] if matches else None


def listed(words: Iterable[str], last: str = "and", most: int | None = None) -> str:
    """`a, b and c`; of more than `most` words the first, and how many more."""
    items = list(words)
    if most is not None and len(items) > most:
        items[most:] = [f"{len(items) - most} more"]
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {last} {items[-1]}" if items else ""


def did_you_mean(word: str, known: Iterable[str], last: str = "or") -> str:
    """`Did you mean "wall"?`, or everything that is known where nothing comes near."""
    names = list(known)
    near = nearest(word, names)
    if near is not None:
        return f'Did you mean "{near}"?'
    return f"Known: {listed(names, last)}." if names else ""


def duration(seconds: float) -> str:
    """A duration as text: 4.2 s, 1 min 20 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{int(seconds // 60)} min {int(seconds % 60)} s"
    return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60)} min"
