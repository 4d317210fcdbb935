"""Numbers of a world that commands can change while a run goes on: parameters of modules and of terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import tomlkit

if TYPE_CHECKING:
    from .world import World


@dataclass(frozen=True)
class SteeredParameter:
    """name: in commands. path: its keys in the world file. value: now. unit, description: for people."""

    name: str
    path: tuple[str | int, ...]
    value: float
    unit: str = ""
    description: str = ""


def steered_parameters(world: World) -> dict[str, SteeredParameter]:
    """The parameters of a world that can change during a run, by name."""
    of_solver = getattr(world.solver, "parameters", None)
    if of_solver is None:
        return {}
    document = tomlkit.parse(world.source).unwrap()
    return {each.name: each for each in of_solver(world.file, document, world.let)}
