"""What messages call that which a caller has given: `out = "mine"` in Python, `--out mine` on the command
line."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextvars import ContextVar

_options: ContextVar[bool] = ContextVar("options", default=False)


@contextlib.contextmanager
def of_options() -> Iterator[None]:
    """Messages speak of options while the block runs: the caller is the command line."""
    before = _options.set(True)
    try:
        yield
    finally:
        _options.reset(before)


def speaks_of_options() -> bool:
    """Whether the caller is the command line."""
    return _options.get()


def called(parameter: str, option: str = "") -> str:
    """What a parameter is called: by its name, or as an option, which has the same name unless `option` is
    given."""
    return (option or f"--{parameter.replace('_', '-')}") if _options.get() else parameter


def given(parameter: str, value: object, option: str = "") -> str:
    """A parameter with its value, as messages begin."""
    if _options.get():
        return f"{called(parameter, option)} {value}"
    is_text = isinstance(value, (str, os.PathLike))
    return f'{parameter} = "{value}"' if is_text else f"{parameter} = {value}"
