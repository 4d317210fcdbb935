"""Probable error in a line of a world file that is not TOML."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..option_names import LONGEST_QUOTE
from .problems import dotted
from .schema import keys_of, world_file

_TEXT_OR_COMMENT = re.compile(r"\"[^\"]*\"|'[^']*'|#.*")
_BEFORE, _AFTER = r"(?:^|[=\[]|(?<=[\d_}\]]),)\s*", r"\s*(?=$|[,\]}])"  # a value
_NUMBER = r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_UNIT = r"(?:[mcdk]?m|[kmµ]?g|[mµ]?s|[kMm]?Pa|k?N|k?Hz|rad|bar)(?:[²³]|\^?-?\d)?"

_BOOLEAN = re.compile(rf"{_BEFORE}(?!true|false)((?i:true|false)){_AFTER}")
_WITH_UNIT = re.compile(rf"{_BEFORE}{_NUMBER}\s*{_UNIT}(?:(?:\s*[/*]\s*|\s+){_UNIT})*{_AFTER}")
_SEPARATED = re.compile(rf"=\s*([-+]?[1-9]\d{{0,2}}(?:[, ]\d{{3}})+(?:\.\d*)?){_AFTER}")
# A comma before three digits may be one of thousands, or a decimal one.
_ONE_COMMA = re.compile(rf"=\s*([-+]?[1-9]\d{{0,2}}),(\d{{3}})(?!,\d){_AFTER}")
_COMMA = re.compile(rf"=\s*([-+]?\d+),(\d+){_AFTER}")
_THOUSAND_IN_LIST = re.compile(rf"[\[,]\s*([-+]?[1-9]\d{{0,2}}),(0\d{{2}}){_AFTER}")
_COMMA_IN_LIST = re.compile(rf"[\[,]\s*([-+]?\d+),(0\d+){_AFTER}")  # [0,65] is TOML, and means something else
_BARE_POINT = re.compile(rf"{_BEFORE}([-+]?)(?:(\d+)\.|\.(\d+)){_AFTER}")
_WORD_IN_TABLE = re.compile(r"[{,]\s*[\w.-]+\s*=\s*(?!(?:true|false|inf|nan)\b)([A-Za-z]\w*)\s*[,}]")
_TABLES_OF_TABLES = ("regions", "bodies", "observe", "boundaries")
_HEADER = re.compile(r"\[*\s*([\w-]+(?:\s*\.\s*[\w-]+)*)\s*\]*\s*:?")


def reason(line: str, message: str) -> str:
    """Probable error of a single line; `message` comes from the parser."""
    told = slip(line)
    if told is not None:
        return told
    key, equals, value = (part.strip() for part in line.partition("="))
    value = value.partition("#")[0].strip()
    if line.startswith("["):
        return "Write [table] or [[array of tables]]."
    if not equals:
        return "Write KEY = VALUE."
    if not value:
        return f"{key} has no value."
    if value[0] in "\"'[{" or value.count('"') % 2:
        return "A bracket or a quote is not closed, or a comma is missing."
    if len(value) > LONGEST_QUOTE:
        return "A value is a number, a text in quotes, a list or a table."
    if re.fullmatch(r"[-+\d].*", value) and not re.search(r"[-+*/^(A-Za-df-z]", value[1:]):
        return message.replace("\n", " ").rstrip(".") + "."
    return f'Put a text or formula in quotes: "{value}".'


def slip(line: str) -> str | None:
    """Replacement for notation of other languages."""
    bare = _TEXT_OR_COMMENT.sub(lambda found: "" if found[0][0] == "#" else "_", line).strip()
    if '"' in bare or "'" in bare:  # a text that does not end: what it holds is not meant as TOML
        return None
    for pattern, advice in _SLIPS:
        found = pattern.search(bare)
        if found is not None:
            return advice(found)
    return _header(bare)


def _two_readings(found: re.Match[str]) -> str:
    return f"Write {found[1]}{found[2]}, or {found[1]}.{found[2]} with a point."


_SLIPS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_BOOLEAN, lambda found: f"Write {found[1].lower()}, in lower case."),
    (_WITH_UNIT, lambda found: "Write only the number, in SI units (m, s, kg, Pa)."),
    (_ONE_COMMA, _two_readings),
    (_SEPARATED, lambda found: f"Write {re.sub('[, ]', '', found[1])}, without separators."),
    (_COMMA, lambda found: f"Write {found[1]}.{found[2]}, with a decimal point."),
    (_THOUSAND_IN_LIST, _two_readings),
    (_COMMA_IN_LIST, lambda found: f"Write {found[1]}.{found[2]}, with a decimal point."),
    (_BARE_POINT, lambda found: f"Write {found[1]}{found[2] or 0}.{found[3] or 0}."),
    (_WORD_IN_TABLE, lambda found: f'Put a text or formula in quotes: "{found[1]}".'),
)


def _header(line: str) -> str | None:
    """Header of a table with wrong brackets."""
    found = _HEADER.fullmatch(line)
    path = [part.strip() for part in found[1].split(".")] if found else []
    if not path or path[0] not in keys_of(world_file()) or path[0] in ("format", "title"):
        return None
    if len(path) > (2 if path[0] in _TABLES_OF_TABLES else 1):
        return None
    meant = f"[[{path[0]}]]" if path[0] == "expect" else f"[{dotted(path)}]"
    return f"Write {meant}." if line != meant else None
