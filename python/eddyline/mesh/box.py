"""Boxes: one block of rectangular cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eddyline import _core
from eddyline.mesh.blocks import Block, Mesh, connect
from eddyline.mesh.spacing import Line


def box(
    origin: Sequence[float], size: Sequence[float], lines: Sequence[Line], periodic: Sequence[int] = ()
) -> Mesh:
    """One block. lines: places of nodes along each axis, from 0 to 1; periodic: axes."""
    places = [o + length * line for o, length, line in zip(origin, size, lines, strict=True)]
    nodes = np.stack(np.meshgrid(*places, indexing="ij"), axis=-1)
    names = {(0, k, end): _core.SIDES[2 * k + end] for k in range(len(lines)) for end in (0, 1)}
    periods = [
        (_core.SIDES[2 * k], _core.SIDES[2 * k + 1], [size[k] if m == k else 0.0 for m in range(len(lines))])
        for k in periodic
    ]
    return connect([Block("box", nodes)], names, periods)
