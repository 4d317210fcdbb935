"""Arguments that are of another kind than they must be: TypeError in a line, before anything is done."""

from __future__ import annotations

import os
from collections.abc import Sequence
from reprlib import repr as short


def whole(**given: object) -> None:
    for name, value in given.items():
        if not hasattr(value, "__index__"):
            raise TypeError(f"{name} = {short(value)}: must be a whole number")


def wholes(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, Sequence) or not all(hasattr(each, "__index__") for each in value):
            raise TypeError(f"{name} = {short(value)}: must be a list of whole numbers")


def texts(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, Sequence) or not all(isinstance(each, str) for each in value):
            raise TypeError(f"{name} = {short(value)}: must be a list of texts")


def number(**given: object) -> None:
    for name, value in given.items():
        if not hasattr(value, "__float__"):
            raise TypeError(f"{name} = {short(value)}: must be a number")


def path(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, (str, os.PathLike)):
            raise TypeError(f"{name} = {short(value)}: must be a path")


def text(**given: object) -> None:
    for name, value in given.items():
        if not isinstance(value, str):
            raise TypeError(f"{name} = {short(value)}: must be a text")
