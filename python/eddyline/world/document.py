"""The text of a world file: read, parsed and changed by overrides; comments, order and formulas are kept."""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path as FilePath
from reprlib import repr as short
from typing import Any

import numpy as np
import tomlkit
from tomlkit.exceptions import ConvertError, ParseError, TOMLKitError
from tomlkit.items import InlineTable

from .. import option_names
from ..option_names import quoted
from .absent import answer
from .faults import reason, slip
from .gallery import gallery
from .positions import Positions
from .problems import (
    MOST_TOLD,
    Found,
    Path,
    Problem,
    WorldError,
    did_you_mean,
    dotted,
    listed,
    nearest,
    shown,
)
from .schema import keys_of, name_of_solver, world_file
from .solver import known_solver, solvers

OPTION = "--set"
"""Option of the command line for overrides."""

MOST_NAMED = 20
"""Maximum number of files of a folder that a message names."""

LONGEST_TEXT = 200_000
"""Maximum number of characters of a world file, enough for polygons with thousands of corners."""
MOST_DIGITS = 30
"""Maximum number of digits of a whole number."""
LONGEST_LIST = 20_000
"""Maximum number of entries of a list."""
DEEPEST = 24
"""Maximum nesting depth of brackets or parts of a key."""
_TEXT = re.compile(
    r'"""(?:\\.|[^\\])*?"""|' + r"'''.*?'''|" + r'"(?:\\.|[^"\\\n])*"|' + r"'[^'\n]*'|#[^\n]*", re.S
)
_BRACKET = re.compile(r"[\[\]{}]")
_DEEP_KEY = re.compile(rf"(?:[^.\s=]+\s*\.\s*){{{DEEPEST},}}")

_NAMED = ("let", "regions", "bodies", "observe")


@dataclass
class Document:
    """A parsed world file. `place` finds the line of a key for messages."""

    text: str
    label: str  # the file as the user named it
    data: dict[str, Any]
    positions: Positions
    overridden: set[Path] = field(default_factory=set)
    overrides: str = "overrides"  # text that replaces file and line in problems of overrides

    def problem(self, path: Sequence[str | int], text: str) -> Problem:
        """One line of an error at `path`: of an override, or of the table around that only overrides have
        made, else of the file."""
        where = tuple(path)
        written = self.positions.depth(where)
        if any(where[: len(over)] == over or _shared(where, over) > written for over in self.overridden):
            return Problem(0, self.overrides, text, where)
        line = self.positions.line(where)
        return Problem(line, f"{self.label}:{line}", text, where)


def _shared(one: Path, other: Path) -> int:
    """Number of leading parts that are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def check_name(path: FilePath) -> None:
    """Raises WorldError if a path is not text: runs and their records are named by it."""
    try:
        str(path.absolute()).encode()
    except UnicodeEncodeError:
        name = str(path).encode(errors="surrogateescape").decode(errors="replace")
        text = "the name of the file, or of a folder around it, is not UTF-8. Rename it."
        raise WorldError([Problem(0, name, text)]) from None


def read(path: FilePath) -> str:
    """The text of a world file. Raises WorldError with the reason if it cannot be read."""

    def failed(text: str) -> WorldError:
        return WorldError([Problem(0, str(path), text)])

    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        sought = "file or gallery world" if _is_bare(path) else "file"
        raise failed(f"no such {sought}.{_near(path)}") from None
    except IsADirectoryError:
        worlds = sorted(item.name for item in path.glob("*.toml"))
        hint = f" It holds {listed(worlds, most=MOST_NAMED)}." if worlds else ""
        raise failed(f"is a folder; must be a world file.{hint}") from None
    except OSError as error:
        reason = error.strerror or errno.errorcode.get(error.errno or 0, "unknown error")
        raise failed(f"cannot be read: {reason}.") from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        place = f"{path}:{line}"
        text = f"not UTF-8 (byte 0x{raw[error.start]:02x}). Save the file as UTF-8."
        if raw.startswith(b"\x89PNG") or raw[4:8] == b"ftyp":
            raise failed(
                "is a picture or movie, not a world file. Open it in the lab to get the world in it: "
                "eddyline lab."
            ) from None
        raise WorldError([Problem(line, place, text)]) from None


def _is_bare(path: FilePath) -> bool:
    """True for a name without folder and suffix, which may be that of a gallery world."""
    return path.name == str(path) and not path.suffix


def _near(path: FilePath) -> str:
    """A hint at a file of the same folder, or at the gallery for a bare name."""
    worlds = list(gallery()) if _is_bare(path) else []
    try:
        names = [item.name for item in path.parent.glob("*.toml")] + worlds
    except OSError:
        names = worlds
    if path.stem in gallery() and path.suffix in ("", ".toml"):
        return f" The gallery has {path.stem}: write its name without folder and without .toml."
    near = nearest(path.name, names)
    if near is not None:
        return f' Did you mean "{near if near in worlds or path.is_absolute() else path.with_name(near)}"?'
    return f" Gallery worlds: {listed(worlds)}." if worlds else ""


def parse(
    text: str, label: str, overrides: Mapping[str, str | float] | None = None, parameter: str = "overrides"
) -> Document:
    """The content of a world file after its overrides. parameter: name of the overrides in messages."""
    if overrides and not (isinstance(overrides, Mapping) and all(isinstance(key, str) for key in overrides)):
        raise TypeError(
            f"overrides = {short(overrides)}: must be a dict of values by path, such as "
            '{"domain.spacing": 0.01}'
        )
    if len(text) > LONGEST_TEXT:
        told = f"{len(text):,} characters; must have at most {LONGEST_TEXT:,}. Check that it is a world file."
        raise WorldError([Problem(0, label, told)])
    if not text.strip():
        told = f"is empty; must be a world. `{option_names.command('new', 'my_tank')}` creates one."
        raise WorldError([Problem(0, label, told)])
    deep = _too_deep(text)
    if deep:
        told = f"brackets nested more than {DEEPEST} deep; no key needs that. Remove brackets."
        raise WorldError([Problem(deep, f"{label}:{deep}", told)])
    positions = Positions(text)
    try:
        parsed = tomlkit.parse(text)
        data = parsed.unwrap()
    except (TOMLKitError, ValueError, TypeError, LookupError, AttributeError) as error:
        # what tomlkit raises of tables that are defined in pieces, and of dates that do not exist
        raise WorldError([_syntax(error, text, label, positions)]) from None
    place = option_names.called(parameter, OPTION)
    document = Document(text, label, data, positions, overrides=place)
    if overrides:
        wrong = [_override(parsed, document, path, value) for path, value in overrides.items()]
        if any(wrong):
            raise WorldError([problem for problem in wrong if problem is not None])
        _leave_out_options(parsed, document)
        document.text = tomlkit.dumps(parsed)
        document.data = parsed.unwrap()
    wrong_values = list(_unusable(document.data, ()))
    if wrong_values:
        raise WorldError([document.problem(path, told) for path, told in wrong_values[:MOST_TOLD]])
    return document


def _too_deep(text: str) -> int:
    """The first line on which brackets of values, or parts of a key, are nested too deep; 0 if none. Texts
    and comments do not count."""
    depth = 0
    for number, line in enumerate(_TEXT.sub(_line_ends, text).split("\n"), start=1):
        if line.count(".") > DEEPEST and _DEEP_KEY.search(line):
            return number
        for bracket in _BRACKET.findall(line):
            depth = max(0, depth + (1 if bracket in "[{" else -1))
            if depth > DEEPEST:
                return number
    return 0


def _line_ends(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _unusable(value: Any, path: Path) -> Found:
    """Whole numbers that no float holds, and lists that no world needs."""
    if isinstance(value, int) and abs(value) >= 10**MOST_DIGITS:
        digits = len(str(abs(value))) if abs(value) < 10**4000 else "over 4000"
        yield (
            path,
            (
                f"{dotted(path)} has {digits} digits; at most {MOST_DIGITS} are allowed. Write it "
                "with an exponent: 1e30."
            ),
        )
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _unusable(item, (*path, str(key)))
    elif isinstance(value, list):
        if len(value) > LONGEST_LIST:
            yield path, f"{dotted(path)} has {len(value):,} entries; must have at most {LONGEST_LIST:,}."
            return
        for index, item in enumerate(value):
            yield from _unusable(item, (*path, index))


def _syntax(error: Exception, text: str, label: str, positions: Positions) -> Problem:
    suffix = FilePath(label).suffix
    if suffix not in ("", ".toml"):
        return Problem(
            0, label, f"not a world file: must be TOML in a file NAME.toml, and this is a {suffix} file."
        )
    if positions.single_brackets:
        path, line = positions.single_brackets[0]
        told = f"[{dotted(path)}] must have double brackets, as each [[{dotted(path)}]] adds one."
        return Problem(line, f"{label}:{line}", told)
    if positions.repeated:
        path, line = positions.repeated[0]
        first = positions.line(path)
        return Problem(
            line, f"{label}:{line}", f"{dotted(path)} occurs twice; first on line {first}. Remove one."
        )
    line = int(getattr(error, "line", 1) or 1)
    lines = text.splitlines()
    line = max(min(line, len(lines)), 1)
    while line > 1 and not lines[line - 1].strip():
        line -= 1
    found = lines[line - 1].strip() if lines else ""
    if _is_toml(found) and line > 1:  # the fault lies above: what was opened there swallows this line
        line = next((above for above in range(line - 1, 0, -1) if lines[above - 1].strip()), line)
        found = lines[line - 1].strip()
        told = slip(found) or "A bracket or a quote is not closed."
    else:
        told = reason(found, str(error).split(" at line ")[0])
    return Problem(line, f"{label}:{line}", f"not TOML: {quoted(found)}. {told}")


def _is_toml(line: str) -> bool:
    try:
        tomlkit.parse(line)
    except (TOMLKitError, ValueError):
        return False
    return True


# --- overrides ----------------------------------------------------------------------------------------------


def _leave_out_options(parsed: tomlkit.TOMLDocument, document: Document) -> None:
    """Leaves out options in the file that another solver, which an override names, does not have: they say
    how the solver of the file computes. Those of overrides stay."""
    method = parsed.get("method")
    if ("method", "name") not in document.overridden or not isinstance(method, MutableMapping):
        return
    solver = known_solver(name_of_solver(method))
    others = {key for each in solvers().values() for key in each.options.model_fields}
    for key in list(method):
        is_own = solver is None or key in solver.options.model_fields
        if not is_own and key in others and ("method", key) not in document.overridden:
            del method[key]


def parse_set(items: Sequence[str]) -> dict[str, str | float]:
    """Overrides from `--set PATH=VALUE` texts of a command line. Setting a path twice is an error, as the
    intended value is unknown."""
    result: dict[str, str | float] = {}
    given: dict[tuple[str, ...], list[str]] = {}
    wrong: list[Problem] = []
    for item in items:
        path, equals, value = item.partition("=")
        if not equals or not path.strip() or not value.strip():
            wrong.append(
                Problem(0, OPTION, f"{shown(item)} must be PATH=VALUE, for example domain.spacing=0.01.")
            )
        else:
            result[path.strip()] = value.strip()
            given.setdefault(tuple(map(str.strip, path.split("."))), []).append(value.strip())
    for parts, values in given.items():
        if len(values) > 1:
            name = ".".join(parts)
            told = listed([f"{name}={value}" for value in values])
            wrong.append(Problem(0, OPTION, f"{told} set the same key. Set {name} once."))
    if wrong:
        raise WorldError(wrong)
    return result


def override_value(value: str | float) -> Any:
    """Value of an override: a TOML value if it parses as one, otherwise a string, such as a formula."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [override_value(each) if not isinstance(each, str) else each for each in value]
    if not isinstance(value, str):
        return value
    try:
        parsed = tomlkit.value(value).unwrap()
    except (ParseError, TOMLKitError, ValueError, IndexError):
        return value
    return parsed if isinstance(parsed, bool | int | float | str | list | dict) else value


def _override(
    parsed: tomlkit.TOMLDocument, document: Document, name: str, value: str | float
) -> Problem | None:
    """Applies one override to the parsed file; returns the problem of its path, if any."""
    parts = [part.strip() for part in name.split(".")]
    if not all(parts):
        return Problem(0, document.overrides, f'"{name}" is not a path. Write, for example, domain.spacing.')
    tables = keys_of(world_file())
    if parts[0] not in tables:
        let = parsed.get("let")
        if isinstance(let, Mapping) and name in let:
            hint = f'Did you mean "let.{name}"?'
        else:
            hint = answer(parts[0]) or did_you_mean(parts[0], tables, "and")
        return Problem(0, document.overrides, f"{name} is not a key of world files. {hint}")
    here: Any = parsed
    path: Path = ()
    for depth, part in enumerate(parts):
        last = depth + 1 == len(parts)
        if isinstance(here, MutableSequence):
            if not part.isdigit() or int(part) >= len(here):
                return Problem(
                    0, document.overrides, f"{name}: {dotted(path)} has {len(here)} entries, counted from 0."
                )
            key: str | int = int(part)
        elif isinstance(here, MutableMapping):
            key = part
            if part not in here and path and path[0] in _NAMED and len(path) == 1:
                known = [dotted((*path, other)) for other in here]
                return Problem(
                    0,
                    document.overrides,
                    f"{name} is not in the file. {did_you_mean(dotted((*path, part)), known)}",
                )
        else:
            return Problem(
                0, document.overrides, f"{name}: {dotted(path)} = {shown(here)} has no keys inside."
            )
        path = (*path, key)
        if last:
            try:
                here[key] = override_value(value)
            except (ConvertError, TOMLKitError, ValueError, TypeError):
                text = "must be a number, true or false, a text, or a list or a table of these"
                return Problem(0, document.overrides, f"{name} = {short(value)}; {text}.")
        else:
            if isinstance(here, MutableMapping) and key not in here:
                if path[0] in _NAMED and len(path) == 1:
                    return Problem(
                        0, document.overrides, f"{name} is not in the file: it has no [{parts[0]}]."
                    )
                here[key] = tomlkit.inline_table() if isinstance(here, InlineTable) else tomlkit.table()
            here = here[key]
    document.overridden.add(path)
    return None
