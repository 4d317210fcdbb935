"""Meshes from files: PLOT3D with a neutral map, or CGNS."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from eddyline.mesh import cgns, plot3d
from eddyline.mesh.blocks import Block, Mesh, MeshError, Patch, connect
from eddyline.mesh.quality import check_folds, corner_volumes

UNNAMED = "unnamed"
"""Name of boundaries for which the file has none."""


def read(path: Path) -> Mesh:
    """The mesh in a file, whose blocks are right-handed. Raises MeshError."""
    if not path.is_file():
        raise MeshError(f"{path}: no such file")
    if path.suffix.lower() == ".cgns":
        blocks, named = cgns.read_zones(path)
    else:
        blocks = plot3d.read_grid(path)
        beside = path.with_suffix(".nmf")
        named = list(plot3d.read_names(beside, blocks)) if beside.is_file() else []
    turned = [_right_handed(block) for block in blocks]
    blocks = [block for block, _ in turned]
    named = [(_flip(patch, blocks) if turned[patch.block][1] else patch, name) for patch, name in named]
    faces = {
        (number, axis, end): UNNAMED
        for number, block in enumerate(blocks)
        for axis in range(block.dimensions)
        for end in (0, 1)
    }
    mesh = connect(blocks, faces, patches=named)
    check_folds(mesh)
    return mesh


def _right_handed(block: Block) -> tuple[Block, bool]:
    """The block with positive volumes, and whether the first index was reversed for that."""
    if np.median(corner_volumes(block)) < 0:
        return replace(block, nodes=np.ascontiguousarray(block.nodes[::-1])), True
    return block, False


def _flip(patch: Patch, blocks: list[Block]) -> Patch:
    """The same patch after the first index was reversed."""
    count = blocks[patch.block].cells[0]
    low, high = (count - patch.high[0], *patch.low[1:]), (count - patch.low[0], *patch.high[1:])
    return replace(patch, end=1 - patch.end if patch.axis == 0 else patch.end, low=low, high=high)
