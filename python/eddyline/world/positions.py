"""Line numbers of the keys and array elements of a TOML text.

The parser of the package (tomlkit) keeps comments and order but no line numbers. This reads only what is
needed for them; of a text that is not TOML, what stands before the first thing that it cannot read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from contextlib import suppress

from .problems import Path

_BLANK = " \t\r\n"


class Positions:
    """Lines of keys, counted from 1; keys that a text defines twice; headers [NAME] of arrays [[NAME]]."""

    def __init__(self, text: str = "") -> None:
        self.lines: dict[Path, int] = {}
        self.repeated: list[tuple[Path, int]] = []
        self.single_brackets: list[tuple[Path, int]] = []
        scanner = _Scanner(text, self)
        with suppress(IndexError, _LostError):  # what was found before still holds
            scanner.document()

    def line(self, path: Sequence[str | int]) -> int:
        """The line of `path`, or of the nearest table around it in the text; 1 if there is none."""
        return self.lines.get(tuple(path[: self.depth(path)]), 1)

    def depth(self, path: Sequence[str | int]) -> int:
        """Number of leading parts of `path` that the text has."""
        place = tuple(path)
        return next((depth for depth in range(len(place), 0, -1) if place[:depth] in self.lines), 0)


class _LostError(Exception):
    """The rest would be misread, as after a key without a value."""


class _Scanner:
    def __init__(self, text: str, positions: Positions) -> None:
        self.text = text
        self.at = 0
        self.line_ends = [match.start() for match in re.finditer("\n", text)]
        self.found = positions
        self.counts: dict[Path, int] = {}  # elements so far of each array of tables
        self.headers: set[Path] = set()

    def document(self) -> None:
        table: Path = ()
        while self.skip_blank():
            if self.text.startswith("[[", self.at):
                self.at += 2
                parent = self.keys("]")
                path = self.inside(parent[:-1]) + parent[-1:]
                self.at += 2
                index = self.counts.get(path, 0)
                self.counts[path] = index + 1
                self.note(path)
                table = (*path, index)
                self.found.lines[table] = self.line()
            elif self.text[self.at] == "[":
                self.at += 1
                table = self.inside(self.keys("]"))
                self.at += 1
                if isinstance(table[-1], int):
                    self.found.single_brackets.append((table[:-1], self.line()))
                if table in self.headers:
                    self.found.repeated.append((table, self.line()))
                self.headers.add(table)
                self.note(table)
            else:
                self.assignment(table)

    def inside(self, path: Path) -> Path:
        """`path` with the index of the last element where an array of tables is passed."""
        result: Path = ()
        for part in path:
            result = (*result, part)
            if result in self.counts:
                result = (*result, self.counts[result] - 1)
        return result

    def note(self, path: Path) -> None:
        line = self.line()
        for length in range(1, len(path) + 1):
            self.found.lines.setdefault(path[:length], line)

    def assignment(self, table: Path) -> None:
        path = table + self.keys("=")
        if self.text[self.at] != "=":
            raise _LostError
        if path in self.found.lines and path not in self.headers:
            self.found.repeated.append((path, self.line()))
        self.note(path)
        self.at += 1
        self.value(path)

    def keys(self, end: str) -> Path:
        parts: list[str] = []
        while True:
            self.skip_spaces()
            if self.text[self.at] in "\"'":
                parts.append(self.string())
            else:
                start = self.at
                while self.text[self.at] not in f" \t\r\n.{end}":
                    self.at += 1
                parts.append(self.text[start : self.at])
            self.skip_spaces()
            if self.text[self.at] != ".":
                return tuple(parts)
            self.at += 1

    def value(self, path: Path) -> None:
        self.skip_spaces()
        first = self.text[self.at]
        if first in "\"'":
            self.string()
        elif first == "[":
            self.at += 1
            index = 0
            while self.skip_blank() and self.text[self.at] != "]":
                self.found.lines[(*path, index)] = self.line()
                self.value((*path, index))
                index += 1
                self.end_element("]")
            self.at += 1
        elif first == "{":
            self.at += 1
            while self.skip_blank() and self.text[self.at] != "}":
                self.assignment(path)
                self.end_element("}")
            self.at += 1
        else:
            while self.at < len(self.text) and self.text[self.at] not in ",]}#\n":
                self.at += 1

    def string(self) -> str:
        quote = self.text[self.at]
        end = quote * 3 if self.text.startswith(quote * 3, self.at) else quote
        self.at += len(end)
        start = self.at
        while not self.text.startswith(end, self.at):
            if self.text[self.at] == "\\" and quote == '"':
                self.at += 1
            self.at += 1
        content = self.text[start : self.at]
        self.at += len(end)
        while len(end) == 3 and self.text.startswith(quote, self.at):  # quotes just before the closing ones
            self.at += 1
        return content

    def skip_spaces(self) -> None:
        while self.text[self.at] in " \t":
            self.at += 1

    def end_element(self, closing: str) -> None:
        """Passes the comma behind an element, unless it is the last one."""
        if not self.skip_blank() or self.text[self.at] not in (",", closing):
            raise _LostError
        if self.text[self.at] == ",":
            self.at += 1

    def skip_blank(self) -> bool:
        """Passes white space, line ends and comments; False at the end of the text."""
        while self.at < len(self.text):
            if self.text[self.at] == "#":
                while self.at < len(self.text) and self.text[self.at] != "\n":
                    self.at += 1
            elif self.text[self.at] in _BLANK:
                self.at += 1
            else:
                return True
        return False

    def line(self) -> int:
        return bisect_left(self.line_ends, self.at) + 1
