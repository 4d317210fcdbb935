"""A validation case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from eddyline.validate.figures import Figure


@dataclass(frozen=True)
class Setting:
    """Options of a case. quick: at a coarse spacing, with limits of its own. threads: 0 for automatic.
    folder: where its pictures go."""

    quick: bool
    threads: int
    folder: Path


@dataclass(frozen=True)
class Case:
    """name: that of its folder in validation/. title: a line for people. run: computes and judges."""

    name: str
    title: str
    run: Callable[[Setting], list[Figure]]
