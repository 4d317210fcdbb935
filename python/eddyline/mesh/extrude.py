"""Meshes in space from meshes in the plane, layer over layer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.mesh.blocks import Block, Boundary, Link, Mesh, Patch


def extrude(mesh: Mesh, heights: NDArray[np.float64], *, periodic: bool = False) -> Mesh:
    """The same cells in layers between heights (n + 1,), m; the ends are the sides front and back, or with
    `periodic` linked."""
    layers = len(heights) - 1
    blocks = []
    links = [_raised_link(link, layers) for link in mesh.links]
    boundaries = [Boundary(_raised(each.patch, layers), each.name) for each in mesh.boundaries]
    length = float(heights[-1] - heights[0])
    for number, block in enumerate(mesh.blocks):
        nodes = np.empty((*block.nodes.shape[:2], len(heights), 3))
        nodes[..., :2] = block.nodes[:, :, None, :]
        nodes[..., 2] = heights
        blocks.append(Block(block.name, nodes))
        for end, name in enumerate(_core.SIDES[4:]):
            layer = layers - 1 if end else 0
            patch = Patch(number, 2, end, (0, 0, layer), (*block.cells, layer + 1))
            if periodic:
                offset, shift = (-layers, length) if end else (layers, -length)
                links.append(Link(patch, number, (0, 1, 2), (1, 1, 1), (0, 0, offset), (0.0, 0.0, shift)))
            else:
                boundaries.append(Boundary(patch, name))
    return Mesh(tuple(blocks), tuple(links), tuple(boundaries))


def _raised(patch: Patch, layers: int) -> Patch:
    return Patch(patch.block, patch.axis, patch.end, (*patch.low, 0), (*patch.high, layers))


def _raised_link(link: Link, layers: int) -> Link:
    return Link(
        patch=_raised(link.patch, layers),
        giver=link.giver,
        axes=(*link.axes, 2),
        signs=(*link.signs, 1),
        offset=(*link.offset, 0),
        shift=(*link.shift, 0.0),
    )
