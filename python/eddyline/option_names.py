"""Names of arguments in messages: `out = "mine"` in Python, `--out mine` on the command line."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterator
from contextvars import ContextVar

NOT_CLOSED = "not closed"
"""Outcome of a run that was computed, but killed before its results, pictures and report were written."""

_options: ContextVar[bool] = ContextVar("options", default=False)


@contextlib.contextmanager
def naming_options() -> Iterator[None]:
    """Messages name command line options while the block runs."""
    before = _options.set(True)
    try:
        yield
    finally:
        _options.reset(before)


def names_options() -> bool:
    """True if the caller is the command line."""
    return _options.get()


def called(parameter: str, option: str = "") -> str:
    """Name of a parameter in messages: its own, or that of the option, which is the same unless `option` is
    given."""
    return (option or f"--{parameter.replace('_', '-')}") if _options.get() else parameter


def given(parameter: str, value: object, option: str = "") -> str:
    """A parameter with its value, as at the beginning of a message."""
    if _options.get():
        return f"{called(parameter, option)} {value}"
    is_text = isinstance(value, (str, os.PathLike))
    return f'{parameter} = "{value}"' if is_text else f"{parameter} = {value}"


def command(*words: object) -> str:
    """`eddyline WORDS`, quoted for a shell. Every message that proposes a command uses this function. A path
    that begins with a dash gets ./ in front, so that it is not taken for an option."""
    return shlex.join(["eddyline", *map(_argument, words)])


def _argument(word: object) -> str:
    text = os.fspath(word) if isinstance(word, os.PathLike) else str(word)
    is_path = isinstance(word, os.PathLike)
    return f"./{text}" if is_path and text.startswith("-") else text


LONGEST_QUOTE = 80
"""Maximum number of characters of the user's input that a message quotes."""
LONGEST_WORD, LONGEST_LINE = 120, 800
"""Maximum number of characters of a word and of a line of a message."""
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


def one_line(text: str) -> str:
    """`text` as a line of a message: no control characters, no word over LONGEST_WORD letters, no more than
    LONGEST_LINE letters in all."""
    text = "".join(letter if letter.isprintable() else escaped(letter) for letter in text)
    text = _LONG_WORD.sub(lambda found: quoted(found[0], LONGEST_WORD), text)
    return quoted(text, LONGEST_LINE)


def escaped(letter: str) -> str:
    """A letter that is not printable, as messages show it; white space is a blank."""
    return " " if letter.isspace() else f"\\u{ord(letter):04x}"


def quoted(text: str, width: int = LONGEST_QUOTE) -> str:
    """Text of a user for a message, cut to `width` characters with an ellipsis."""
    return text if len(text) <= width else text[: width - 3] + "..."
