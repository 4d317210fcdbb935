"""PLOT3D grid files, and neutral map files with the names of boundaries.

Grids: one or several blocks, in two or three dimensions, as text or unformatted Fortran records of either
byte order and precision. The neutral map (NASA GEOLAB) stands beside the grid as NAME.nmf; links are found
from the nodes, so only names are taken from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eddyline.files import replacing
from eddyline.mesh.blocks import Block, Int, MeshError, Patch

MOST_BLOCKS = 100_000
MOST_NODES = 2_000_000_000
_FACES = ((2, 0), (2, 1), (0, 0), (0, 1), (1, 0), (1, 1))
"""Axis and end of the faces 1 to 6 of a neutral map."""


def read_grid(path: Path) -> list[Block]:
    """The blocks of a grid file. Raises MeshError for a file that is no grid."""
    content = path.read_bytes()
    numbers = _text_numbers(content)
    if numbers is None:
        shapes, values = _records(path, content)
    else:
        shapes, start = _header(path, numbers[: MOST_BLOCKS * 3 + 1].tolist(), len(numbers))
        values = [numbers[start:]]
    flat = np.concatenate(values) if values else np.zeros(0)
    wanted = sum(int(np.prod(shape)) * len(shape) for shape in shapes)
    if len(flat) != wanted:
        raise MeshError(
            f"{path}: has {len(flat):,} coordinates, but its {len(shapes)} blocks need {wanted:,}. Write the "
            "whole grid without blanking (iblank)."
        )
    blocks, start = [], 0
    for number, shape in enumerate(shapes):
        count = int(np.prod(shape))
        parts = [
            flat[start + k * count : start + (k + 1) * count].reshape(shape, order="F")
            for k in range(len(shape))
        ]
        blocks.append(Block(str(number + 1), np.ascontiguousarray(np.stack(parts, axis=-1))))
        start += len(shape) * count
    return blocks


def write_grid(path: Path, blocks: list[Block]) -> None:
    """Writes blocks as text, with all digits."""
    lines = [str(len(blocks)), *(" ".join(map(str, block.nodes.shape[:-1])) for block in blocks)]
    for block in blocks:
        for k in range(block.dimensions):
            lines += [repr(value) for value in block.nodes[..., k].ravel(order="F").tolist()]
    with replacing(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="ascii")


def read_names(path: Path, blocks: list[Block]) -> Iterator[tuple[Patch, str]]:
    """Boundaries of a neutral map: patches and their names. Raises MeshError."""
    rows = [
        line.replace(",", " ").split()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip() and not line.lstrip().startswith(("#", "!"))
    ]
    try:
        count = int(rows[0][0])
        sizes = [tuple(int(word) for word in row[1:4]) for row in rows[1 : 1 + count]]
    except (ValueError, IndexError):
        raise MeshError(f"{path}: is no neutral map: it must begin with the number of blocks") from None
    for number, (block, size) in enumerate(zip(blocks, sizes, strict=False)):
        if tuple(block.nodes.shape[:-1]) != size[: block.dimensions]:
            raise MeshError(f"{path}: block {number + 1} has other sizes than in the grid: {size}")
    for row in rows[1 + count :]:
        name = row[0].strip("'\"")
        if name.lower().replace("_", "-") == "one-to-one":
            continue
        try:
            number, face, *ends = (int(word) for word in row[1:7])
            yield _patch(blocks, number - 1, face, ends), name
        except (ValueError, IndexError):
            raise MeshError(f"{path}: cannot be understood: {' '.join(row)[:60]}") from None


def _patch(blocks: list[Block], number: int, face: int, ends: list[int]) -> Patch:
    """The patch of a face; nodes S1 to E1 and S2 to E2 along the other indices, which follow the axis of the
    face in the order i, j, k, i."""
    block = blocks[number]
    if number < 0 or not 1 <= face <= 6 or len(ends) != 4:
        raise ValueError
    axis, end = _FACES[face - 1]
    if axis >= block.dimensions:
        raise ValueError
    low, high = [0] * 3, [1] * 3
    for k, (first, last) in enumerate((ends[:2], ends[2:])):
        along = (axis + 1 + k) % 3
        low[along], high[along] = min(first, last) - 1, max(max(first, last) - 1, 1)
    layer = block.cells[axis] - 1 if end else 0
    low[axis], high[axis] = layer, layer + 1
    dimensions = block.dimensions
    return Patch(number, axis, end, tuple(low[:dimensions]), tuple(high[:dimensions]))


def _text_numbers(content: bytes) -> NDArray[np.float64] | None:
    """All numbers of a text file; None for a binary one."""
    if b"\0" in content[:4096]:
        return None
    try:
        return np.array(content.replace(b",", b" ").split(), dtype=np.float64)
    except ValueError:
        return None


def _header(path: Path, numbers: list[float], total: int) -> tuple[list[Int], int]:
    """Shapes of the blocks, and where coordinates begin: those that account for all numbers. A file without a
    count has one block."""
    for dimensions in (3, 2):
        for single in (False, True):
            start = 0 if single else 1
            count = 1 if single else int(numbers[0]) if numbers else 0
            sizes = numbers[start : start + dimensions * count]
            if not 1 <= count <= MOST_BLOCKS or len(sizes) < dimensions * count:
                continue
            if any(not float(size).is_integer() or not 2 <= size <= MOST_NODES for size in sizes):
                continue
            shapes = [
                tuple(int(size) for size in sizes[dimensions * k : dimensions * (k + 1)])
                for k in range(count)
            ]
            end = start + dimensions * count
            if end + sum(dimensions * int(np.prod(shape)) for shape in shapes) == total:
                return shapes, end
    raise MeshError(
        f"{path}: is no PLOT3D grid: it must have the number of blocks, their sizes, and then the "
        "coordinates of all nodes without blanking (iblank)"
    )


def _records(path: Path, content: bytes) -> tuple[list[Int], list[NDArray[np.float64]]]:
    """Shapes and coordinates of an unformatted file."""
    for order in ("<", ">"):
        records = _split(content, order)
        if records is None:
            continue
        whole = np.frombuffer(records[0], f"{order}i4")
        count = int(whole[0]) if len(whole) == 1 else 1
        sizes = whole if len(whole) != 1 else np.frombuffer(records[1], f"{order}i4")
        dimensions = len(sizes) // max(count, 1)
        if dimensions not in (2, 3) or dimensions * count != len(sizes):
            continue
        shapes = [tuple(int(n) for n in sizes[dimensions * k : dimensions * (k + 1)]) for k in range(count)]
        body = records[1 if len(whole) != 1 else 2 :]
        values = []
        for shape, record in zip(shapes, body, strict=False):
            wanted = int(np.prod(shape)) * dimensions
            kind = {4 * wanted: "f4", 8 * wanted: "f8"}.get(len(record))
            if kind is None:
                raise MeshError(f"{path}: a block of {shape} nodes has {len(record):,} bytes of coordinates")
            values.append(np.frombuffer(record, order + kind).astype(np.float64))
        return shapes, values
    raise MeshError(f"{path}: is neither a text nor a file of Fortran records, so no PLOT3D grid")


def _split(content: bytes, order: str) -> list[bytes] | None:
    """Fortran records; None if the lengths do not fit."""
    records, place = [], 0
    while place < len(content):
        if place + 8 > len(content):
            return None
        size = int(np.frombuffer(content, f"{order}i4", 1, place)[0])
        after = place + 4 + size
        if (
            size < 0
            or after + 4 > len(content)
            or int(np.frombuffer(content, f"{order}i4", 1, after)[0]) != size
        ):
            return None
        records.append(content[place + 4 : after])
        place = after + 4
    return records if len(records) > 1 else None
