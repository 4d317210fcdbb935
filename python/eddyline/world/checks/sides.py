"""Checks of the sides of the domain, and of its resolution."""

from __future__ import annotations

import numpy as np

from ..problems import Found, below, number, rounded
from ..samples import evaluate, face, times
from ..schema import SIDES, Periodic, Wall, WorldFile

FEWEST_ACROSS = 4
"""Smallest number of particles across the domain."""
CELLS_OF_A_PERIOD = 3
"""Smallest period of a flow of particles, in cells."""


def boundary_problems(file: WorldFile) -> Found:
    """Periodic sides come in pairs, and walls move in their plane; for any solver with fluid."""
    for axis in range(file.dimensions):
        first, second = SIDES[2 * axis], SIDES[2 * axis + 1]
        kinds = [isinstance(file.boundaries.side(name), Periodic) for name in (first, second)]
        if kinds[0] != kinds[1]:
            lone, other = (first, second) if kinds[0] else (second, first)
            text = (
                f'boundaries.{lone}.type = "periodic", but {other} is '
                f'"{file.boundaries.side(other).type}"; periodic sides must be opposite pairs. Write '
                f'{other} = {{ type = "periodic" }}.'
            )
            yield ("boundaries", lone, "type"), text
        elif kinds[0]:
            yield from _period(file, axis, first)
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        side = file.boundaries.side(name)
        if isinstance(side, Wall) and side.velocity is not None:
            through, places = side.velocity[index // 2], face(file, index)
            if any(np.any(evaluate(through, places, t) != 0) for t in times([through], file.time.end)):
                axis_name = "xyz"[index // 2]
                text = (
                    f"boundaries.{name}.velocity[{index // 2}] is not 0; a wall moves only in its own "
                    f"plane. Write 0 for {axis_name}."
                )
                yield ("boundaries", name, "velocity", index // 2), text


def _period(file: WorldFile, axis: int, side: str) -> Found:
    if file.solver.members != "particles":
        return
    length, edge = file.domain.size[axis], file.lengths.cell_edge
    if length < CELLS_OF_A_PERIOD * edge:
        spacing = 0.999 * length / (CELLS_OF_A_PERIOD * edge / file.domain.spacing)
        text = (
            f"domain.size[{axis}] = {number(length)} m is {rounded(length / edge, 2)} cells of "
            f"{rounded(edge)} m; a periodic "
            f"side needs at least {CELLS_OF_A_PERIOD}. Try domain.spacing = {below(spacing)}."
        )
        yield ("domain", "size", axis), text


def resolution_problems(file: WorldFile) -> Found:
    """Too few particles across the domain."""
    shortest = min(file.domain.size)
    across = shortest / file.domain.spacing
    if across < FEWEST_ACROSS:
        text = (
            f"domain.spacing = {number(file.domain.spacing)} puts {rounded(across, 2)} particles across "
            "the domain; "
            f"must be at least {FEWEST_ACROSS}. Try {below(shortest / 20)}."
        )
        yield ("domain", "spacing"), text
