"""CGNS files in HDF5: coordinates of structured zones, and the names of their boundary conditions.

Links are found from the nodes, so grid connectivities are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from eddyline.mesh.blocks import Block, MeshError, Patch

DATA = " data"  # the dataset of a node


def read_zones(path: Path) -> tuple[list[Block], list[tuple[Patch, str]]]:
    """Blocks and boundaries of the first base. Raises MeshError."""
    import h5py  # type: ignore[import-untyped]

    try:
        with h5py.File(path) as file:
            bases = list(_children(file, "CGNSBase_t"))
            if not bases:
                raise MeshError(f"{path}: has no CGNS base")
            zones = list(_children(bases[0], "Zone_t"))
            blocks, names = [], []
            for number, zone in enumerate(zones):
                block = _block(path, zone)
                blocks.append(block)
                names += list(_boundaries(number, block, zone))
    except OSError:
        raise MeshError(f"{path}: is no HDF5 file; convert older CGNS files with `adf2hdf`") from None
    if not blocks:
        raise MeshError(f"{path}: has no zones")
    return blocks, names


def _children(node: Any, label: str) -> Iterator[Any]:
    """Child nodes with this label, in the order of their names."""
    import h5py

    for name in sorted(node):
        child = node[name]
        if isinstance(child, h5py.Group) and _label(child) == label:
            yield child


def _label(node: Any) -> str:
    label = node.attrs.get("label", b"")
    return label.decode() if isinstance(label, bytes) else str(label)


def _name(node: Any) -> str:
    return str(node.name).rsplit("/", 1)[-1]


def _block(path: Path, zone: Any) -> Block:
    kinds = [child[DATA][()].tobytes().decode() for child in _children(zone, "ZoneType_t")]
    if kinds and kinds[0].strip() != "Structured":
        raise MeshError(f'{path}: zone "{_name(zone)}" is {kinds[0]}; must be Structured')
    grids = list(_children(zone, "GridCoordinates_t"))
    if not grids:
        raise MeshError(f'{path}: zone "{_name(zone)}" has no coordinates')
    parts = [
        np.asarray(grids[0][f"Coordinate{axis}"][DATA][()], dtype=np.float64).T
        for axis in "XYZ"
        if f"Coordinate{axis}" in grids[0]
    ]
    dimensions = parts[0].ndim
    if len(parts) < dimensions:
        raise MeshError(
            f'{path}: zone "{_name(zone)}" has {len(parts)} coordinates in {dimensions} dimensions'
        )
    return Block(_name(zone), np.ascontiguousarray(np.stack(parts[:dimensions], axis=-1)))


def _boundaries(number: int, block: Block, zone: Any) -> Iterator[tuple[Patch, str]]:
    for conditions in _children(zone, "ZoneBC_t"):
        for condition in _children(conditions, "BC_t"):
            ranges = [child[DATA][()] for child in _children(condition, "IndexRange_t")]
            if not ranges:
                continue
            ends = np.asarray(ranges[0], dtype=np.int64).reshape(2, -1)  # first and last node
            families = [
                child[DATA][()].tobytes().decode().strip() for child in _children(condition, "FamilyName_t")
            ]
            patch = _patch(number, block, ends.min(axis=0) - 1, ends.max(axis=0) - 1)
            if patch is not None:
                yield patch, families[0] if families else _name(condition)


def _patch(number: int, block: Block, low: Any, high: Any) -> Patch | None:
    """The patch from one node to another; None if they span no face."""
    flat = [k for k in range(block.dimensions) if low[k] == high[k]]
    if len(flat) != 1:
        return None
    axis = flat[0]
    end = int(low[axis] > 0)
    first, last = [int(k) for k in low], [int(k) for k in high]
    layer = block.cells[axis] - 1 if end else 0
    first[axis], last[axis] = layer, layer + 1
    return Patch(number, axis, end, tuple(first), tuple(last))
