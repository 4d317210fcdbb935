"""Quality of a mesh: folded cells, skewness, ratio of neighbouring cells, smallest cell."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline.mesh.blocks import Block, Mesh, MeshError

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Worst:
    """An extreme value, the block and the indices of the cell that has it, and its centre [m]."""

    value: float
    block: str
    cell: tuple[int, ...]
    place: tuple[float, ...]

    @property
    def where(self) -> str:
        cell = ", ".join(map(str, self.cell))
        place = ", ".join(f"{value:.4g}" for value in self.place)
        return f'cell ({cell}) of block "{self.block}" at ({place}) m'


@dataclass(frozen=True)
class Quality:
    """Extremes over all cells.

    skewness: largest deviation of an angle from 90 degrees, over 90 degrees; 0: rectangular, 1: flat.
    neighbors: largest ratio of volumes of neighbouring cells of a block.
    aspect: largest ratio of edges of a cell.  smallest: shortest distance of opposite faces, m.
    volumes: smallest volume, m^D.
    """

    cells: int
    skewness: Worst
    neighbors: Worst
    aspect: Worst
    smallest: Worst
    volume: Worst


def corner_volumes(block: Block) -> Values:
    """(2^D, ...) volume of the parallelepiped of the edges at each corner of each cell, m^D."""
    dimensions = block.dimensions
    edges = [np.diff(block.nodes, axis=k) for k in range(dimensions)]
    found = []
    for corner in itertools.product((0, 1), repeat=dimensions):
        at = [
            edges[k][tuple(_cut(m, k, corner[m], edges[k].shape[m]) for m in range(dimensions))]
            for k in range(dimensions)
        ]
        if dimensions == 2:
            found.append(at[0][..., 0] * at[1][..., 1] - at[0][..., 1] * at[1][..., 0])
        else:
            found.append(np.einsum("...k,...k->...", np.cross(at[0], at[1]), at[2]))
    return np.array(found)


def _cut(axis: int, along: int, corner: int, count: int) -> slice:
    """The edges along `along` that start at this corner of the cells."""
    if axis == along:
        return slice(None)
    return slice(1, count) if corner else slice(0, count - 1)


FLAT = 1e-6
"""Of the volume of a cell: what a corner may be folded by. Cells at the edge of a slit, such as that beyond the
tip of a wing, have a corner of 180 degrees."""


def check_folds(mesh: Mesh) -> None:
    """Raises MeshError with the place if a cell is folded or has no volume."""
    for block in mesh.blocks:
        corners = corner_volumes(block)
        mean = corners.mean(axis=0)
        volumes = np.where(mean > 0, corners.min(axis=0) + FLAT * mean, mean)
        if not np.isfinite(volumes).all() or volumes.min() <= 0:
            bad = np.where(np.isfinite(volumes), volumes, -np.inf)
            worst = _worst(block, bad, np.argmin)
            count = int((~(volumes > 0)).sum())
            more = f", and {count - 1} more" if count > 1 else ""
            raise MeshError(
                f"the mesh folds: {worst.where}{more}. Use fewer cells along the body, a larger first_cell, "
                "or a larger distance between bodies and sides."
            )


def measure(mesh: Mesh) -> Quality:
    """All extremes; folded cells count with what they have."""
    found = [_of_block(block) for block in mesh.blocks]
    keys = ("skewness", "neighbors", "aspect")
    most = {key: max((each[key] for each in found), key=lambda worst: worst.value) for key in keys}
    least = {
        key: min((each[key] for each in found), key=lambda worst: worst.value)
        for key in ("smallest", "volume")
    }
    return Quality(cells=mesh.cells, **most, **least)


def _of_block(block: Block) -> dict[str, Worst]:
    volumes = corner_volumes(block).mean(axis=0)
    widths = np.array([_width(block, k) for k in range(block.dimensions)])
    ratio = np.ones(block.cells)
    for k in range(block.dimensions):
        low, high = _neighbors(volumes, k)
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.maximum(high / low, low / high)
        low_side, high_side = _neighbors(ratio, k)
        np.maximum(low_side, step, out=low_side)
        np.maximum(high_side, step, out=high_side)
    edges = np.array([_edges(block, k) for k in range(block.dimensions)])
    return {
        "skewness": _worst(block, _skewness(block), np.argmax),
        "neighbors": _worst(block, ratio, np.argmax),
        "aspect": _worst(block, edges.max(axis=0) / edges.min(axis=0), np.argmax),
        "smallest": _worst(block, widths.min(axis=0), np.argmin),
        "volume": _worst(block, volumes, np.argmin),
    }


def _neighbors(values: Values, axis: int) -> tuple[Values, Values]:
    """Views of the lower and of the upper of all neighbouring cells along an axis."""
    whole: list[slice] = [slice(None)] * values.ndim
    low, high = whole.copy(), whole.copy()
    low[axis], high[axis] = slice(None, -1), slice(1, None)
    return values[tuple(low)], values[tuple(high)]


def _centers(block: Block) -> Values:
    centers = block.nodes
    for k in range(block.dimensions):
        low, high = _neighbors(centers, k)
        centers = 0.5 * (low + high)
    return centers


def _face_centers(block: Block, axis: int) -> Values:
    """Middles of all faces across an axis."""
    centers = block.nodes
    for k in range(block.dimensions):
        if k != axis:
            low, high = _neighbors(centers, k)
            centers = 0.5 * (low + high)
    return centers


def _width(block: Block, axis: int) -> Values:
    """Distance between the middles of opposite faces of each cell, m."""
    return np.asarray(np.linalg.norm(np.diff(_face_centers(block, axis), axis=axis), axis=-1))


def _edges(block: Block, axis: int) -> Values:
    """Mean length of the edges along an axis of each cell, m."""
    lengths = np.linalg.norm(np.diff(block.nodes, axis=axis), axis=-1)
    for k in range(block.dimensions):
        if k != axis:
            low, high = _neighbors(lengths, k)
            lengths = 0.5 * (low + high)
    return np.asarray(lengths)


def _skewness(block: Block) -> Values:
    """Largest deviation of an angle of a cell's faces from 90 degrees, over 90 degrees."""
    worst = np.zeros(block.cells)
    dimensions = block.dimensions
    for a, b in itertools.combinations(range(dimensions), 2):
        for corner in itertools.product((0, 1), repeat=dimensions):
            first, second = (
                np.diff(block.nodes, axis=k)[
                    tuple(_cut(m, k, corner[m], block.nodes.shape[m]) for m in range(dimensions))
                ]
                for k in (a, b)
            )
            product = np.einsum("...k,...k->...", first, second)
            lengths = np.linalg.norm(first, axis=-1) * np.linalg.norm(second, axis=-1)
            angle = np.arccos(np.clip(product / np.maximum(lengths, 1e-300), -1, 1))
            worst = np.maximum(worst, np.abs(angle - math.pi / 2) / (math.pi / 2))
    return worst


def _worst(block: Block, values: Values, choose: object) -> Worst:
    assert choose in (np.argmin, np.argmax)
    flat = int(np.argmin(values) if choose is np.argmin else np.argmax(values))
    cell = tuple(int(index) for index in np.unravel_index(flat, values.shape))
    place = tuple(float(value) for value in _centers(block)[cell])
    return Worst(float(values[cell]), block.name, cell, place)


def wall_distances(mesh: Mesh, name: str) -> Iterator[Values]:
    """(...) distance from each face of a boundary to the centre of its cell, m, by patch."""
    for patch in mesh.patches(name):
        block = mesh.blocks[patch.block]
        faces = np.take(_face_centers(block, patch.axis), -1 if patch.end else 0, axis=patch.axis)
        cells = np.take(_centers(block), -1 if patch.end else 0, axis=patch.axis)
        along = tuple(slice(patch.low[k], patch.high[k]) for k in range(block.dimensions) if k != patch.axis)
        yield np.asarray(np.linalg.norm(cells - faces, axis=-1)[along])


def friction_coefficient(reynolds: float) -> float:
    """Skin friction of a flat plate: mean of a laminar boundary layer (Blasius) below 5e5, and of a turbulent
    one (0.026 Re^(-1/7)) above."""
    return 1.328 / math.sqrt(reynolds) if reynolds < 5e5 else 0.026 / reynolds ** (1 / 7)


def y_plus(distance: float, velocity: float, length: float, viscosity: float) -> float:
    """Distance from the wall in wall units, estimated with the friction of a flat plate."""
    friction = friction_coefficient(velocity * length / viscosity)
    return distance * velocity * math.sqrt(friction / 2) / viscosity
