"""C-H meshes around wings: a C mesh around each section, one beside the other along the span."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from eddyline.mesh.airfoil import Chord, focus_of, wrapped
from eddyline.mesh.blocks import Block, Mesh, connect
from eddyline.mesh.spacing import Line, geometric

WIDEST_AT_TIP = 1.3
"""Width of the last cell before the tip, over that of a cell of the tip."""


class SectionOfWing(Protocol):
    """A section of a wing at one height. Sides: from the edge to the nose, which lies at 0, the edge at 1.
    share: of its thickness; 0 beyond the tip."""

    @property
    def nose(self) -> complex: ...
    @property
    def edge(self) -> complex: ...
    @property
    def upper(self) -> NDArray[np.complex128]: ...
    @property
    def lower(self) -> NDArray[np.complex128]: ...
    @property
    def share(self) -> float: ...


@dataclass(frozen=True)
class Span:
    """Places of the sections of the mesh. root, end, cap, far: heights of the first section and of the tip's
    begin, width of the tip, and height of the end of the mesh, m.  cells: on the wing, on its tip, beyond."""

    root: float
    end: float
    cap: float
    far: float
    cells: tuple[int, int, int]

    def heights(self) -> Line:
        """(n + 1,) heights, m."""
        wing, tip, beyond = self.cells
        length = self.end - self.root
        last = min(WIDEST_AT_TIP * self.cap / tip / length, 0.9 / wing)
        on_wing = self.root + length * (1 - geometric(wing, last)[::-1])
        on_tip = self.end + self.cap * np.sin(0.5 * math.pi * np.arange(1, tip + 1) / tip)
        outside = self.far - self.end - self.cap
        off = self.end + self.cap + outside * geometric(beyond, min(self.cap / tip / outside, 1 / beyond))
        return np.concatenate([on_wing, on_tip, off[1:]])


def around_wing(
    section_at: Callable[[float], SectionOfWing],
    name: str,
    root: str,
    span: Span,
    on_side: int,
    wake: int,
    line: Line,
    far: float,
    nose_cell: float,
    edge_cell: float,
) -> Mesh:
    """One block: i and j as around an airfoil, k along the span. Beyond the tip, and behind the wing, the two
    sides of the block are linked.

    root: name of the side in which the wing begins.  on_side, wake: cells on each side of the wing, and along
    the wake.  line: places of nodes from the surface outwards, from 0 to 1.  far: distance of the far field
    behind the noses, chords.  nose_cell, edge_cell: lengths of cells there, chords.
    """
    heights = span.heights()
    layers = []
    for z in heights.tolist():
        section = section_at(z)
        full = section_at(min(z, span.end))
        contour = np.concatenate([full.upper, full.lower[::-1][1:]])
        focus = section.share**2 * focus_of(contour, len(full.upper) - 1, len(contour) // 60)
        local = wrapped(section.upper, section.lower, focus, on_side, wake, line, far, nose_cell, edge_cell)
        nodes = Chord(section.nose, section.edge).back(local)
        shared = wake + 1 if section.share > 0 else len(nodes) // 2 + 1
        nodes[:shared, 0] = nodes[::-1][:shared, 0]  # the two sides of the wake, bit by bit
        layers.append(np.stack([nodes.real, nodes.imag, np.full(nodes.shape, z)], axis=-1))
    block = Block(name, np.ascontiguousarray(np.stack(layers, axis=2)))
    names = {
        (0, 0, 0): "far",
        (0, 0, 1): "far",
        (0, 1, 0): name,
        (0, 1, 1): "far",
        (0, 2, 0): root,
        (0, 2, 1): "far",
    }
    return connect([block], names)
