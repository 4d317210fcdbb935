"""Checks that a world fits the memory of this machine, before it is filled with particles."""

from __future__ import annotations

import math
import os
from pathlib import Path

from .problems import above, number, rounded
from .schema import SIDES, Wall, WorldFile

BYTES_PER_PARTICLE = {2: 500, 3: 900}
"""Memory [bytes] per fluid particle of a running simulation, including neighbour lists, by dimensions."""
BYTES_PER_WALL = 200
"""Memory [bytes] per wall particle."""
BYTES_PER_CELL = 60
"""Bytes per cell of the domain, with or without particles."""
MOST = 2_000_000_000
"""Maximum number of cells, and of fluid and wall particles: indices have 32 bits."""


def available_memory() -> int | None:
    """Bytes of memory that are free on this machine, where the system says so."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


class Needs:
    """Approximate numbers of particles and cells of a world with spacings `coarser` times its own.

    volume: of the fluid, m^D.
    """

    def __init__(self, file: WorldFile, volume: float, coarser: float = 1.0) -> None:
        size, spacing, dimensions = file.domain.size, coarser * file.domain.spacing, file.dimensions
        layers = math.ceil(file.lengths.interaction_radius / file.domain.spacing)
        whole = math.prod(length / spacing for length in size)
        self.bytes_per_particle = BYTES_PER_PARTICLE[dimensions]
        self.fluid = volume / spacing**dimensions
        self.cells = math.prod(length / (coarser * file.lengths.cell_edge) + 2 for length in size)
        self.walls = sum(
            layers * whole * spacing / size[axis]
            for axis in range(dimensions)
            for side in SIDES[2 * axis : 2 * axis + 2]
            if isinstance(file.boundaries.side(side), Wall)
        )

    @property
    def bytes(self) -> float:
        particles = self.bytes_per_particle * self.fluid + BYTES_PER_WALL * self.walls
        return particles + BYTES_PER_CELL * self.cells

    def fit(self, memory: float) -> bool:
        return self.bytes <= memory and max(self.cells, self.fluid + self.walls) <= MOST


def memory_problem(file: WorldFile, volume: float, memory: float | None) -> str | None:
    """Error for a world that does not fit, with a spacing that would.

    volume: of the fluid, m^D.  memory: free bytes; None if unknown.
    """
    limit = math.inf if memory is None else max(float(memory), 1e6)
    needs = Needs(file, volume)
    if needs.fit(limit):
        return None
    coarser = 1.0
    while not Needs(file, volume, coarser).fit(limit):
        coarser *= 1.05
    counted = {"particles": needs.fluid, "particles of walls": needs.walls, "cells": needs.cells}
    many = max(counted.values()) / 20
    told = [f"{rounded(count, 2)} {what}" for what, count in counted.items() if count > many]
    lacks_room = needs.bytes > limit
    room = f"; {limit / 1e9:.3g} GB of memory are free" if lacks_room else f"; {rounded(MOST, 1)} is the most"
    return (
        f"domain.spacing = {number(file.domain.spacing)} makes about {', '.join(told)}, "
        f"{rounded(needs.bytes / 1e9, 3)} GB{room}. Try {above(coarser * file.domain.spacing)}, or a "
        "smaller domain."
    )
