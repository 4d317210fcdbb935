"""Blocks of a mesh: their nodes, their links, and the parts of their faces that are boundaries.

A face cell of a block either coincides with another face cell, and is a link, or belongs to a boundary. Links
are found from coinciding nodes, so a mesh whose blocks do not fit cannot be made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.float64]
"""(ni + 1, nj + 1, D) or (ni + 1, nj + 1, nk + 1, D) places of nodes, m."""
Int = tuple[int, ...]

COINCIDE = 1e-6
"""Largest distance of nodes that coincide, over the shortest edge of a cell beside them."""


class MeshError(Exception):
    """One line for the user."""


@dataclass(frozen=True)
class Block:
    """A structured piece of the mesh. nodes: right-handed, so that all cells have positive volumes."""

    name: str
    nodes: Nodes

    @property
    def dimensions(self) -> int:
        return int(self.nodes.shape[-1])

    @property
    def cells(self) -> Int:
        """Number of cells along each index."""
        return tuple(int(count) - 1 for count in self.nodes.shape[:-1])

    @property
    def size(self) -> int:
        return int(np.prod(self.cells))


@dataclass(frozen=True)
class Patch:
    """A rectangle of face cells.

    end: 0 for the face of lowest index along `axis`, 1 for that of highest. low, high: half-open range of
    cells along each index; along `axis` the layer of cells at the face.
    """

    block: int
    axis: int
    end: int
    low: Int
    high: Int

    @property
    def size(self) -> int:
        return int(np.prod(np.subtract(self.high, self.low)))


@dataclass(frozen=True)
class Link:
    """Two patches that are one surface, seen from one side; each link also exists from the other side.

    A cell c beyond the face of `patch`, in the indices of its block, is the cell g of block `giver`, where
    g[axes[k]] = signs[k] c[k] + offset[axes[k]]. shift: what is added to places of the giver to see them from
    the receiver, m; 0 except at periodic sides.
    """

    patch: Patch
    giver: int
    axes: Int
    signs: Int
    offset: Int
    shift: tuple[float, ...]

    def giver_range(self, low: Sequence[int], high: Sequence[int]) -> tuple[Int, Int]:
        """The cells [low, high) beyond the face, in the indices of the giver."""
        given_low, given_high = [0] * len(self.axes), [0] * len(self.axes)
        for k, axis in enumerate(self.axes):
            ends = [
                self.signs[k] * low[k] + self.offset[axis],
                self.signs[k] * (high[k] - 1) + self.offset[axis],
            ]
            given_low[axis], given_high[axis] = min(ends), max(ends) + 1
        return tuple(given_low), tuple(given_high)


@dataclass(frozen=True)
class Boundary:
    """A patch that is part of a side of the domain, of a body, or of the far field. name: "left", ..., the
    name of the body, or "far"."""

    patch: Patch
    name: str


@dataclass(frozen=True)
class Mesh:
    """Blocks with all their links and boundaries."""

    blocks: tuple[Block, ...]
    links: tuple[Link, ...]
    boundaries: tuple[Boundary, ...]

    @property
    def dimensions(self) -> int:
        return self.blocks[0].dimensions

    @property
    def cells(self) -> int:
        return sum(block.size for block in self.blocks)

    def patches(self, name: str) -> list[Patch]:
        """Patches of a boundary."""
        return [boundary.patch for boundary in self.boundaries if boundary.name == name]

    @property
    def boundary_names(self) -> list[str]:
        return list(dict.fromkeys(boundary.name for boundary in self.boundaries))


Named = Mapping[tuple[int, int, int], str]
"""Names of boundaries by block, axis and end; a face without a name must be linked, a face with a name takes
it where it is not linked."""


def connect(
    blocks: Sequence[Block],
    names: Named,
    periods: Sequence[tuple[str, str, Sequence[float]]] = (),
    patches: Sequence[tuple[Patch, str]] = (),
) -> Mesh:
    """Links all faces that coincide and names the others.

    patches: parts of faces with names of their own.

    periods: pairs of boundaries, low and high, that are linked across the domain, and the vector from the
    first to the second, m. Raises MeshError for a face cell that is neither linked nor named.
    """
    faces = [
        _Face.of(number, block, axis, end)
        for number, block in enumerate(blocks)
        for axis in range(block.dimensions)
        for end in (0, 1)
    ]
    table = _Table(faces)
    found = table.match(np.zeros(blocks[0].dimensions), None)
    for low, high, vector in periods:
        found += table.match(np.asarray(vector, dtype=np.float64), (low, high), names)
    links = [link for pair in found for link in pair]
    linked = [np.zeros(face.shape, dtype=bool) for face in faces]
    index = {(face.block, face.axis, face.end): k for k, face in enumerate(faces)}
    for link in links:
        patch = link.patch
        linked[index[patch.block, patch.axis, patch.end]][_tangential(patch)] = True
    boundaries = []
    for face, done in zip(faces, linked, strict=True):
        name = names.get((face.block, face.axis, face.end))
        if done.all():
            continue
        if name is None:
            place = face.centers[tuple(np.argwhere(~done)[0])]
            where = ", ".join(f"{value:.4g}" for value in place)
            raise MeshError(
                f'block "{blocks[face.block].name}", face {"ijk"[face.axis]} {("low", "high")[face.end]} at '
                f"({where}) m: fits no other block and is no boundary. Name this boundary, or move its nodes."
            )
        for part, own in _parts(face, ~done, name, patches):
            boundaries += [Boundary(face.patch(*ends), own) for ends in _rectangles(part)]
    return Mesh(tuple(blocks), tuple(links), tuple(boundaries))


def _parts(
    face: _Face, free: NDArray[np.bool_], name: str, patches: Sequence[tuple[Patch, str]]
) -> Iterator[tuple[NDArray[np.bool_], str]]:
    """The free cells of a face by their names."""
    left = free.copy()
    for patch, own in patches:
        if (patch.block, patch.axis, patch.end) == (face.block, face.axis, face.end):
            part = np.zeros_like(left)
            part[_tangential(patch)] = True
            part &= left
            left &= ~part
            if part.any():
                yield part, own
    if left.any():
        yield left, name


def _tangential(patch: Patch) -> tuple[slice, ...]:
    return tuple(slice(patch.low[k], patch.high[k]) for k in range(len(patch.low)) if k != patch.axis)


@dataclass(frozen=True)
class _Face:
    """Nodes of a face, (n + 1, D) or (n + 1, m + 1, D), and its number of cells along the block's indices."""

    block: int
    axis: int
    end: int
    nodes: Nodes
    cells: Int

    @classmethod
    def of(cls, number: int, block: Block, axis: int, end: int) -> _Face:
        nodes = np.take(block.nodes, -1 if end else 0, axis=axis)
        return cls(number, axis, end, nodes, block.cells)

    @property
    def shape(self) -> Int:
        return tuple(count for k, count in enumerate(self.cells) if k != self.axis)

    @property
    def centers(self) -> Nodes:
        centers = self.nodes
        for k in range(len(self.shape)):
            low = np.take(centers, range(centers.shape[k] - 1), axis=k)
            centers = 0.5 * (low + np.take(centers, range(1, centers.shape[k]), axis=k))
        return centers

    def patch(self, low: Sequence[int], high: Sequence[int]) -> Patch:
        """The patch of tangential cells [low, high)."""
        layer = self.cells[self.axis] - 1 if self.end else 0
        full_low, full_high = list(low), list(high)
        full_low.insert(self.axis, layer)
        full_high.insert(self.axis, layer + 1)
        return Patch(self.block, self.axis, self.end, tuple(full_low), tuple(full_high))


class _Table:
    """All face cells of a mesh, to find those that coincide."""

    def __init__(self, faces: Sequence[_Face]) -> None:
        self.faces = faces
        self.face = np.concatenate([np.full(int(np.prod(face.shape)), k) for k, face in enumerate(faces)])
        self.cell = np.concatenate(
            [
                np.stack(np.unravel_index(np.arange(int(np.prod(face.shape))), face.shape), -1)
                for face in faces
            ]
        )
        dimensions = faces[0].nodes.shape[-1]
        self.centers = np.concatenate([face.centers.reshape(-1, dimensions) for face in faces])
        self.edges = np.concatenate([_shortest(face) for face in faces])

    def match(
        self,
        shift: NDArray[np.float64],
        between: tuple[str, str] | None,
        names: Named | None = None,
    ) -> list[tuple[Link, Link]]:
        """Links, both ways. between: only from the first boundary to the second, which lies `shift` beyond
        it; None: all faces, without a shift."""
        if between is None:
            first = second = np.arange(len(self.face))
        else:
            assert names is not None
            of_face = [names.get((face.block, face.axis, face.end)) for face in self.faces]
            is_low = np.array([name == between[0] for name in of_face])[self.face]
            is_high = np.array([name == between[1] for name in of_face])[self.face]
            first, second = np.flatnonzero(is_low), np.flatnonzero(is_high)
        pairs = _pairs(self.centers[first] + shift, self.centers[second], self.edges[first])
        here, there = first[pairs[:, 0]], second[pairs[:, 1]]
        kept = here != there if between is not None else here < there
        here, there = here[kept], there[kept]
        found: list[tuple[Link, Link]] = []
        both = np.stack([self.face[here], self.face[there]], axis=1)
        for a, b in np.unique(both, axis=0) if len(both) else ():
            chosen = np.flatnonzero((both[:, 0] == a) & (both[:, 1] == b))
            cells, given = self.cell[here[chosen]], self.cell[there[chosen]]
            one, other = self.faces[a], self.faces[b]
            for axes, signs, offset, mask in _orientations(
                one, cells, other, given, shift, self.edges[here[chosen]]
            ):
                found += _links(one, other, axes, signs, offset, cells[mask], shift)
        return found


def _links(
    one: _Face,
    other: _Face,
    axes: Int,
    signs: Int,
    offset: Int,
    cells: NDArray[np.int_],
    shift: NDArray[np.float64],
) -> Iterator[tuple[Link, Link]]:
    """Links between these cells of a face and their counterparts, both ways."""
    mask = np.zeros(one.shape, dtype=bool)
    mask[tuple(cells.T)] = True
    forth = tuple(float(value) for value in shift)
    back = tuple(0.0 - value for value in forth)
    for low, high in _rectangles(mask):
        patch = one.patch(low, high)
        link = Link(patch, other.block, axes, signs, offset, back)
        beyond_low, beyond_high = list(patch.low), list(patch.high)
        beyond_low[one.axis] += 1 if one.end else -1
        beyond_high[one.axis] += 1 if one.end else -1
        given_low, given_high = link.giver_range(beyond_low, beyond_high)
        reverse = Patch(other.block, other.axis, other.end, given_low, given_high)
        yield link, Link(reverse, one.block, *_inverse(axes, signs, offset), forth)


def _inverse(axes: Int, signs: Int, offset: Int) -> tuple[Int, Int, Int]:
    """The map back: c[k] = signs[k] (g[axes[k]] - offset[axes[k]])."""
    size = len(axes)
    back_axes, back_signs, back_offset = [0] * size, [0] * size, [0] * size
    for k, axis in enumerate(axes):
        back_axes[axis], back_signs[axis] = k, signs[k]
        back_offset[k] = -signs[k] * offset[axis]
    return tuple(back_axes), tuple(back_signs), tuple(back_offset)


def _shortest(face: _Face) -> NDArray[np.float64]:
    """(n,) shortest edge of each face cell, m; of edges that have a length."""
    lengths = []
    for k in range(len(face.shape)):
        edges = np.linalg.norm(np.diff(face.nodes, axis=k), axis=-1)
        for other in range(len(face.shape)):
            if other != k:
                low = np.take(edges, range(edges.shape[other] - 1), axis=other)
                edges = np.minimum(low, np.take(edges, range(1, edges.shape[other]), axis=other))
        lengths.append(edges.reshape(-1))
    return np.asarray(np.min(lengths, axis=0))


def _pairs(first: Nodes, second: Nodes, edges: NDArray[np.float64]) -> NDArray[np.int_]:
    """(n, 2) indices of places that coincide, within COINCIDE of `edges` of the first.

    Places fall into two grids that are half a cell apart along each axis. Places that coincide share a
    cell of one of their combinations.
    """
    if len(first) == 0 or len(second) == 0:
        return np.zeros((0, 2), dtype=np.int_)
    reach = COINCIDE * edges + 4 * np.finfo(float).eps * np.abs(first).max()
    width = 4 * float(reach.max())
    low = np.minimum(first.min(axis=0), second.min(axis=0))
    found = []
    for grid in np.ndindex(*(2,) * first.shape[1]):
        half = 0.5 * np.array(grid)
        both = np.floor((np.concatenate([first, second]) - low) / width + half).astype(np.int64)
        _, keys = np.unique(both, axis=0, return_inverse=True)
        keys = keys.reshape(-1)
        mine, theirs = keys[: len(first)], keys[len(first) :]
        order = np.argsort(theirs, kind="stable")
        begin = np.searchsorted(theirs[order], mine)
        counts = np.searchsorted(theirs[order], mine, side="right") - begin
        k = np.repeat(np.arange(len(first)), counts)
        within = np.arange(len(k)) - np.repeat(np.cumsum(counts) - counts, counts)
        m = order[np.repeat(begin, counts) + within]
        near = np.abs(first[k] - second[m]).max(axis=1) <= reach[k]
        found.append(np.stack([k[near], m[near]], axis=1))
    return np.asarray(np.unique(np.concatenate(found), axis=0))


def _corners(face: _Face, cells: NDArray[np.int_]) -> Nodes:
    """(n, 2, D) or (n, 2, 2, D) nodes of face cells."""
    if cells.shape[1] == 1:
        return np.asarray(face.nodes[cells + np.arange(2)])
    steps = np.arange(2)
    return np.asarray(face.nodes[cells[:, :1, None] + steps[:, None], cells[:, 1:, None] + steps])


def _orientations(
    one: _Face,
    cells: NDArray[np.int_],
    other: _Face,
    given: NDArray[np.int_],
    shift: NDArray[np.float64],
    edges: NDArray[np.float64],
) -> Iterator[tuple[Int, Int, Int, NDArray[np.bool_]]]:
    """Maps of links between pairs of face cells, from their nodes, and the pairs that have each."""
    tangential = [k for k in range(len(one.cells)) if k != one.axis]
    given_tangential = [k for k in range(len(one.cells)) if k != other.axis]
    nodes, given_nodes = _corners(one, cells) + shift, _corners(other, given)
    slack = COINCIDE * edges + 8 * np.finfo(float).eps * float(np.abs(nodes).max())
    open_pairs = np.ones(len(cells), dtype=bool)
    last = len(tangential) + 1
    for order in ((0,),) if len(tangential) == 1 else ((0, 1), (1, 0)):
        for flips in np.ndindex(*(2,) * len(tangential)):
            turned = np.transpose(given_nodes, (0, *(k + 1 for k in order), last))
            turned = np.flip(turned, tuple(k + 1 for k, flip in enumerate(flips) if flip))
            fits = np.abs(turned - nodes).reshape(len(cells), -1).max(axis=1) <= slack
            fits &= open_pairs
            open_pairs &= ~fits
            if not fits.any():
                continue
            axes, signs = [0] * len(one.cells), [0] * len(one.cells)
            offsets = np.zeros((len(cells), len(one.cells)), dtype=np.int64)
            for k, axis in enumerate(tangential):
                axes[axis], signs[axis] = given_tangential[order[k]], -1 if flips[k] else 1
                offsets[:, axes[axis]] = given[:, order[k]] - signs[axis] * cells[:, k]
            axes[one.axis] = other.axis
            signs[one.axis] = -1 if one.end == other.end else 1
            count, given_count = one.cells[one.axis], other.cells[other.axis]
            offsets[:, other.axis] = {
                (0, 0): -1,
                (0, 1): given_count,
                (1, 0): -count,
                (1, 1): count + given_count - 1,
            }[one.end, other.end]
            for offset in np.unique(offsets[fits], axis=0):
                mask = fits & (offsets == offset).all(axis=1)
                yield tuple(axes), tuple(signs), tuple(int(value) for value in offset), mask


def _rectangles(mask: NDArray[np.bool_]) -> Iterator[tuple[Int, Int]]:
    """Disjoint rectangles [low, high) that cover the cells of a mask, one or two-dimensional."""
    left = mask.copy()
    while left.any():
        start = tuple(int(index) for index in np.argwhere(left)[0])
        high = [index + 1 for index in start]
        for k in reversed(range(mask.ndim)):
            while high[k] < mask.shape[k]:
                wider = list(high)
                wider[k] += 1
                layer = [slice(start[m], high[m]) for m in range(mask.ndim)]
                layer[k] = slice(high[k], wider[k])
                if not left[tuple(layer)].all():
                    break
                high = wider
        left[tuple(slice(a, b) for a, b in zip(start, high, strict=True))] = False
        yield start, tuple(high)
