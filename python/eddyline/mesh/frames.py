"""Meshes of a rectangular domain with bodies in it.

Each body stands in a frame, a rectangle of four blocks between the body and its sides. Lines along the sides
of all frames divide the rest of the domain into rectangular blocks. A channel with one cylinder has five
blocks if the frame reaches from wall to wall. Bodies that are upright rectangles need no frame: the lines
run along their sides.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.mesh.blocks import Block, Mesh, MeshError, connect
from eddyline.mesh.curves import Curve
from eddyline.mesh.spacing import Line, cells_for, check_count, geometric, ratio_of, two_sided, uniform

MARGIN = 1.5
"""Distance from a body to the sides of its frame, over the size of the body, where there is room."""
NEAREST = 0.12
"""Smallest distance, over the size of the body."""
SNAP = 0.6
"""A frame reaches to the side of the domain if that is nearer than this, over the size of the body."""
DOWNSTREAM = 3.0
"""Largest edge of a cell where fluid leaves the domain, over that elsewhere."""
GENTLE = 1.02
"""Largest ratio of neighbouring cells on the way there, where vortices pass."""
ROUNDING = 1e-9
"""Distances below it, over the size of a body, are none."""
SAME_LINE = 0.35
"""Sides of frames become one line if they are nearer than this, over the size of the smallest body."""


@dataclass(frozen=True)
class Sizes:
    """Wanted sizes of the cells of a mesh.

    spacing: edges of cells along bodies, m.  first: height of the cells at bodies, m.  at_sides: height of
    the cells at each side of the domain (left, right, bottom, top), m.  largest: edge of a cell, m.
    downstream: sides that fluid leaves through, towards which cells grow beyond that.
    edge: length of the cells at the ends of plates, m; None: first.
    ratio: of neighbouring cells.  multiple: of cells between lines.  outwards: cells between a body and
    its frame; 0: as many as the sizes need.  most: cells of the rectangles between the lines.
    """

    spacing: float
    first: float
    at_sides: tuple[float, float, float, float]
    largest: float
    ratio: float
    multiple: int = 8
    outwards: int = 0
    most: float = math.inf
    downstream: tuple[bool, bool, bool, bool] = (False, False, False, False)
    edge: float | None = None


@dataclass
class _Frame:
    """Sides of a frame: x0, x1, y0, y1, m. solid: an upright rectangle, whose sides are those of the body."""

    name: str
    curve: Curve
    sides: list[float]
    solid: bool = False

    def holds(self, x0: float, x1: float, y0: float, y1: float) -> bool:
        """True if a rectangle lies in the frame."""
        sides = self.sides
        return sides[0] <= x0 and x1 <= sides[1] and sides[2] <= y0 and y1 <= sides[3]

    def is_plate(self, axis: int) -> bool:
        """True for a rectangle outside the domain whose side across the axis lies in a side of the domain."""
        return self.solid and self.sides[2 * axis] == self.sides[2 * axis + 1]

    def gap(self, k: int) -> float:
        """Distance of a side from the body, m."""
        return (self.curve.bounds[k] - self.sides[k]) * (1 if k in (0, 2) else -1)


def channel(
    origin: Sequence[float],
    size: Sequence[float],
    bodies: Mapping[str, Curve],
    sizes: Sizes,
    periodic: Sequence[int] = (),
) -> Mesh:
    """The mesh of a domain with at least one body. periodic: axes. Raises MeshError if bodies are too close
    to each other or to a side."""
    x0, y0 = origin
    domain = [x0, x0 + size[0], y0, y0 + size[1]]
    frames = _frames(bodies, domain)
    lines = [_lines(frames, domain, axis) for axis in (0, 1)]
    places = [_nodes(lines[axis], frames, domain, axis, sizes) for axis in (0, 1)]
    check_count(math.prod(sum(len(line) - 1 for line in each) for each in places), sizes.most)
    blocks: list[Block] = []
    names: dict[tuple[int, int, int], str] = {}
    for frame in frames:
        if not frame.solid:
            _add_frame(frame, lines, places, domain, sizes, blocks, names)
    _add_rectangles(frames, lines, places, domain, blocks, names)
    sides = _core.SIDES
    periods = [
        (sides[2 * axis], sides[2 * axis + 1], [size[0] if axis == 0 else 0.0, size[1] if axis == 1 else 0.0])
        for axis in periodic
    ]
    return connect(blocks, names, periods)


def is_upright(curve: Curve) -> bool:
    """True for a rectangle with sides along the axes."""
    if len(curve.points) != 4:
        return False
    steps = np.roll(curve.points, -1, axis=0) - curve.points
    return bool((np.abs(steps).min(axis=1) < 1e-9 * curve.size).all())


# --- frames -----------------------------------------------------------------------------------------


def _frames(bodies: Mapping[str, Curve], domain: Sequence[float]) -> list[_Frame]:
    frames = []
    for name, curve in bodies.items():
        if is_upright(curve):
            inside = [
                _within(value, domain[k // 2 * 2 :][:2], curve.size) for k, value in enumerate(curve.bounds)
            ]
            frames.append(_Frame(name, curve, inside, solid=True))
            continue
        wanted = MARGIN * curve.size
        bounds = curve.bounds
        sides = [bounds[0] - wanted, bounds[1] + wanted, bounds[2] - wanted, bounds[3] + wanted]
        for k, end in enumerate(domain):
            outwards = -1 if k in (0, 2) else 1
            if (end - sides[k]) * outwards < SNAP * curve.size:
                sides[k] = end
        frames.append(_Frame(name, curve, sides))
    for one, other in itertools.combinations(frames, 2):
        _separate(one, other)
    _join_lines(frames, domain)
    for frame in frames:
        for k in range(4):
            if not frame.solid and frame.gap(k) < NEAREST * frame.curve.size:
                side = _core.SIDES[k]
                raise MeshError(
                    f"bodies.{frame.name}: {frame.gap(k):.3g} m on its {side} side are too little for "
                    f"a mesh; must be at least {NEAREST * frame.curve.size:.3g} m. Move the body, or give "
                    "mesh.file."
                )
    return frames


def _within(value: float, ends: Sequence[float], size: float) -> float:
    """The place between two sides of the domain that is nearest to a side of a body; a side of the domain if
    rounding alone separates them. size: of the body, m."""
    low, high = ends
    slack = ROUNDING * size
    return low if value < low + slack else high if value > high - slack else value


def _separate(one: _Frame, other: _Frame) -> None:
    """Two frames that overlap meet in the middle between their bodies, along the axis with more room."""
    a, b = one.sides, other.sides
    if not all(a[2 * axis] < b[2 * axis + 1] and b[2 * axis] < a[2 * axis + 1] for axis in (0, 1)):
        return
    gaps = []
    for axis in (0, 1):
        for low, high in ((one, other), (other, one)):
            end, start = low.curve.bounds[2 * axis + 1], high.curve.bounds[2 * axis]
            gaps.append((start - end, axis, low, high, 0.5 * (start + end)))
    gap, axis, low, high, middle = max(gaps, key=lambda each: each[0])
    if gap <= 0 and not (one.solid and other.solid):
        raise MeshError(
            f"bodies.{one.name} and bodies.{other.name} leave no straight line between them, so blocks do "
            "not fit. Move one, or give mesh.file."
        )
    if one.solid and other.solid:
        return
    if not low.solid:
        low.sides[2 * axis + 1] = middle
    if not high.solid:
        high.sides[2 * axis] = middle


def _join_lines(frames: Sequence[_Frame], domain: Sequence[float]) -> None:
    """Sides of frames that nearly lie on one line do so afterwards, as far as their bodies allow it."""
    slack = SAME_LINE * min(frame.curve.size for frame in frames)
    for axis in (0, 1):
        ends = sorted(
            (frame.sides[k], number, k)
            for number, frame in enumerate(frames)
            for k in (2 * axis, 2 * axis + 1)
            if not frame.solid
        )
        fixed = list(domain[2 * axis : 2 * axis + 2])
        fixed += [side for frame in frames if frame.solid for side in frame.sides[2 * axis : 2 * axis + 2]]
        while ends:
            group = [each for each in ends if each[0] - ends[0][0] <= slack]
            ends = ends[len(group) :]
            known = [end for end in fixed if any(abs(end - each[0]) < slack for each in group)]
            value = known[0] if known else sum(each[0] for each in group) / len(group)
            for _, number, k in group:
                before = frames[number].sides[k]
                frames[number].sides[k] = value
                if frames[number].gap(k) < NEAREST * frames[number].curve.size:
                    frames[number].sides[k] = before


# --- lines and their nodes --------------------------------------------------------------------------


def _lines(frames: Sequence[_Frame], domain: Sequence[float], axis: int) -> list[float]:
    """Places of all lines across an axis, ends of the domain included, m."""
    ends = {domain[2 * axis], domain[2 * axis + 1]}
    ends |= {frame.sides[k] for frame in frames for k in (2 * axis, 2 * axis + 1)}
    return sorted(ends)


def _nodes(
    lines: Sequence[float], frames: Sequence[_Frame], domain: Sequence[float], axis: int, sizes: Sizes
) -> list[NDArray[np.float64]]:
    """Nodes between neighbouring lines, ends included."""
    edge = {line: math.inf for line in lines}  # of cells beside each line
    for frame in frames:
        cell = sizes.first if frame.solid else _outer_cell(frame, sizes)
        if sizes.edge is not None and frame.is_plate(1 - axis):
            cell = sizes.edge
        for k in (2 * axis, 2 * axis + 1):
            edge[frame.sides[k]] = min(edge[frame.sides[k]], cell)
    framed = [
        any(
            frame.sides[2 * axis] <= a and b <= frame.sides[2 * axis + 1]
            for frame in frames
            if not frame.solid
        )
        for a, b in itertools.pairwise(lines)
    ]
    found = []
    for k, (low, high) in enumerate(itertools.pairwise(lines)):
        length = high - low
        if framed[k]:
            cell = min(
                _outer_cell(frame, sizes)
                for frame in frames
                if not frame.solid and frame.sides[2 * axis] <= low and high <= frame.sides[2 * axis + 1]
            )
            ends = [
                sizes.at_sides[2 * axis + end] if place == domain[2 * axis + end] else math.inf
                for end, place in enumerate((low, high))
            ]
            if min(ends) >= cell:
                line = uniform(_rounded(length / cell, sizes.multiple))
            else:
                wanted = [min(end, cell) for end in ends]
                line = _graded(length, wanted[0], wanted[1], replace(sizes, largest=cell))
        else:
            ends = [edge[low], edge[high]]
            for end, place in enumerate((low, high)):
                if place == domain[2 * axis + end]:
                    plates = [
                        frame for frame in frames if frame.is_plate(axis) and frame.sides[2 * axis] == place
                    ]
                    ends[end] = min(sizes.at_sides[2 * axis + end], sizes.first if plates else math.inf)
            grows = any(
                place == domain[2 * axis + end] and sizes.downstream[2 * axis + end]
                for end, place in enumerate((low, high))
            )
            growing = replace(sizes, largest=DOWNSTREAM * sizes.largest, ratio=GENTLE)
            line = _graded(length, ends[0], ends[1], growing if grows else sizes)
        places = low + length * line
        places[0], places[-1] = low, high
        found.append(places)
    return found


def _graded(length: float, first: float, last: float, sizes: Sizes) -> Line:
    """Nodes whose intervals grow from both ends, m. An infinite end is free."""
    if math.isinf(first) and math.isinf(last):
        return uniform(_rounded(length / sizes.largest, sizes.multiple))
    if math.isinf(first):
        return (1 - _graded(length, last, first, sizes))[::-1]
    if math.isinf(last):
        count = _rounded(cells_for(length, first, sizes.largest, sizes.ratio), sizes.multiple)
        return geometric(count, min(first / length, 1 / count))
    half = cells_for(length / 2, first, sizes.largest, sizes.ratio)
    other = cells_for(length / 2, last, sizes.largest, sizes.ratio)
    count = _rounded(half + other, sizes.multiple)
    line = two_sided(count, min(first / length, 1 / count), min(last / length, 1 / count))
    while ratio_of(line) > 1.15 * sizes.ratio and count < 4 * (half + other):
        count += sizes.multiple
        line = two_sided(count, min(first / length, 1 / count), min(last / length, 1 / count))
    return line


def _rounded(count: float, multiple: int) -> int:
    return max(multiple, multiple * round(count / multiple))


def _outer_cell(frame: _Frame, sizes: Sizes) -> float:
    """Edge of cells at the sides of a frame, m: a quarter of the cells around the body on each side, and more
    of them if they were too large there."""
    sides = frame.sides
    side = 0.5 * (sides[1] - sides[0] + sides[3] - sides[2])
    quarter = frame.curve.perimeter / sizes.spacing / 4
    return side / _rounded(max(quarter, side / sizes.largest), sizes.multiple)


# --- blocks -----------------------------------------------------------------------------------------


def _add_frame(
    frame: _Frame,
    lines: Sequence[Sequence[float]],
    places: Sequence[Sequence[NDArray[np.float64]]],
    domain: Sequence[float],
    sizes: Sizes,
    blocks: list[Block],
    names: dict[tuple[int, int, int], str],
) -> None:
    """Four blocks, below, right, above and left of the body: i clockwise, j outwards."""
    x0, x1, y0, y1 = frame.sides
    along_x = _between(lines[0], places[0], x0, x1)
    along_y = _between(lines[1], places[1], y0, y1)
    corners = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    center = frame.curve.center
    starts = [frame.curve.towards(math.atan2(y - center[1], x - center[0])) for x, y in corners]
    outer = [
        np.stack([along_x, np.full_like(along_x, y0)], axis=1),
        np.stack([np.full_like(along_y, x1), along_y], axis=1),
        np.stack([along_x[::-1], np.full_like(along_x, y1)], axis=1),
        np.stack([np.full_like(along_y, x0), along_y[::-1]], axis=1),
    ]
    rays = _Rays.of(frame, domain, sizes)
    for k, side in enumerate(("below", "right", "above", "left")):
        steps = np.linalg.norm(np.diff(outer[k], axis=0), axis=1)
        shares = np.concatenate([[0.0], np.cumsum(steps)]) / steps.sum()
        inner = frame.curve.between(
            starts[k], starts[(k + 1) % 4], 0.5 * (shares + np.linspace(0, 1, len(shares)))
        )
        radial = rays.lines(k, shares, np.linalg.norm(outer[k] - inner, axis=1))
        nodes = inner[:, None, :] + (outer[k] - inner)[:, None, :] * radial[:, :, None]
        nodes[:, -1] = outer[k]
        number = len(blocks)
        blocks.append(Block(f"{frame.name}.{side}", np.ascontiguousarray(nodes[::-1])))
        names[number, 1, 0] = frame.name
        end = (2, 1, 3, 0)[k]
        if frame.sides[end] == domain[end]:
            names[number, 1, 1] = _core.SIDES[end]


@dataclass(frozen=True)
class _Rays:
    """Nodes on the rays of a frame.

    count: cells on each ray.  first: height of the cells at the body, m.  at_sides: height of the cells at
    the sides below, right, above and left, m.
    """

    count: int
    first: float
    at_sides: tuple[float, float, float, float]

    @classmethod
    def of(cls, frame: _Frame, domain: Sequence[float], sizes: Sizes) -> _Rays:
        ends = [
            min(sizes.largest, sizes.at_sides[k] if frame.sides[k] == domain[k] else math.inf)
            for k in (2, 1, 3, 0)
        ]
        gap = min(frame.gap(k) for k in range(4))
        largest = min(sizes.largest, gap)
        count = cells_for(gap, sizes.first, largest, sizes.ratio)
        if min(ends) < sizes.largest:
            count = sum(cells_for(gap / 2, end, largest, sizes.ratio) for end in (sizes.first, min(ends)))
        at_sides = (ends[0], ends[1], ends[2], ends[3])
        return cls(sizes.outwards or _rounded(count, sizes.multiple), sizes.first, at_sides)

    def lines(
        self, side: int, shares: NDArray[np.float64], lengths: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """(rays, count + 1) places on each ray of a side, from 0 to 1. shares: of the way along the side from
        one corner to the other; a corner belongs to two sides, whose rays must agree there."""
        at = self.at_sides
        found = []
        for share, length in zip(shares, lengths, strict=True):
            first = min(self.first / length, 1 / self.count)
            natural = geometric(self.count, first)
            most = float(natural[-1] - natural[-2])  # without a wish for the last one
            corner = min(at[side], at[side - 1] if share < 0.5 else at[(side + 1) % 4])
            weight = min(4 * min(share, 1 - share), 1.0)  # of the side itself, beyond a quarter of it
            wishes = [min(each / length, most) for each in (at[side], corner)]
            last = wishes[0] ** weight * wishes[1] ** (1 - weight)
            found.append(natural if last >= most else two_sided(self.count, first, last))
        return np.array(found)


def _between(
    lines: Sequence[float], places: Sequence[NDArray[np.float64]], low: float, high: float
) -> NDArray[np.float64]:
    """Nodes from one line to another, each once."""
    first, last = lines.index(low), lines.index(high)
    return np.concatenate([places[first], *(part[1:] for part in places[first + 1 : last])])


def _add_rectangles(
    frames: Sequence[_Frame],
    lines: Sequence[Sequence[float]],
    places: Sequence[Sequence[NDArray[np.float64]]],
    domain: Sequence[float],
    blocks: list[Block],
    names: dict[tuple[int, int, int], str],
) -> None:
    """The rest of the domain, row after row."""
    for row, (bottom, top) in enumerate(itertools.pairwise(lines[1])):
        for column, (left, right) in enumerate(itertools.pairwise(lines[0])):
            if any(frame.holds(left, right, bottom, top) for frame in frames):
                continue
            number = len(blocks)
            nodes = np.stack(np.meshgrid(places[0][column], places[1][row], indexing="ij"), axis=-1)
            blocks.append(Block(f"{row + 1}.{column + 1}", nodes))
            ends = (left, right, bottom, top)
            for k, name in enumerate(_core.SIDES[:4]):
                if ends[k] == domain[k]:
                    names[number, k // 2, k % 2] = name
            x, y = 0.5 * (left + right), 0.5 * (bottom + top)
            beyond = ((left, left, y, y), (right, right, y, y), (x, x, bottom, bottom), (x, x, top, top))
            for frame in frames:
                for k, place in enumerate(beyond):
                    if frame.solid and frame.holds(*place) and ends[k] == frame.sides[k ^ 1]:
                        names[number, k // 2, k % 2] = frame.name
