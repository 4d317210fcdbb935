"""Arguments that are of another kind than they must be: TypeError in a line, before anything is done."""

from __future__ import annotations

from reprlib import repr as short


def whole(**given: object) -> None:
    for name, value in given.items():
        if not hasattr(value, "__index__"):
            raise TypeError(f"{name} = {short(value)}: must be a whole number")


def number(**given: object) -> None:
    for name, value in given.items():
        if not hasattr(value, "__float__"):
            raise TypeError(f"{name} = {short(value)}: must be a number")


def text(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, str):
            raise TypeError(f"{name} = {short(value)}: must be a text")
