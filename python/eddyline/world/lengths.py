"""Lengths of the method that decide what fits into a world; as in core/particles."""

from __future__ import annotations

import math

from .schema import WorldFile

SKIN_RATIO = {"delta": {2: 0.5, 3: 0.4}, "classic": {2: 0.55, 3: 0.3}}
"""Default skin of the neighbour lists, in smoothing lengths, by scheme and dimensions."""

NODE_REACH = 0.75
"""Reach of the nodes of openings, in reaches of the kernel."""


def _ratio(file: WorldFile) -> float:
    if file.sph.smoothing_ratio:
        return file.sph.smoothing_ratio
    if file.sph.scheme == "classic" and not file.is_gas:
        return 1.3
    return 2.0 if file.dimensions == 2 else 1.5


def reach(file: WorldFile) -> float:
    """Reach of the kernel, 2 h [m]."""
    return 2 * _ratio(file) * file.domain.spacing


def cell_edge(file: WorldFile) -> float:
    """Edge of the cells [m]: the reach of the kernel and the skin."""
    skin = file.sph.skin or SKIN_RATIO[file.sph.scheme][file.dimensions] * _ratio(file)  # in spacings
    return reach(file) + skin * file.domain.spacing


def buffer_length(file: WorldFile) -> float:
    """Length of the buffers beyond openings [m]."""
    length = cell_edge(file) + (1 - NODE_REACH) * reach(file)
    return (math.ceil(length / file.domain.spacing - 1e-9) + 1) * file.domain.spacing
