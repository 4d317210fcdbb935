"""C meshes around airfoils: sheared parabolic coordinates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline.mesh.blocks import Block, Mesh, MeshError, connect
from eddyline.mesh.curves import Curve
from eddyline.mesh.spacing import Line, geometric, two_sided


@dataclass(frozen=True)
class Chord:
    """The straight line from the nose to the trailing edge. nose, edge: complex places, m."""

    nose: complex
    edge: complex

    @property
    def length(self) -> float:
        return abs(self.edge - self.nose)

    def local(self, place: NDArray[np.complex128]) -> NDArray[np.complex128]:
        """Places with the nose at 0 and the trailing edge at 1."""
        return np.asarray((place - self.nose) / (self.edge - self.nose))

    def back(self, place: NDArray[np.complex128]) -> NDArray[np.complex128]:
        return np.asarray(self.nose + place * (self.edge - self.nose))


def trailing_edge(curve: Curve) -> float | None:
    """Arc length over the perimeter of the only corner, or of the one with the farthest point opposite if
    there are two beside each other; None if the outline is no airfoil."""
    corners = curve.corners
    if len(corners) == 1:
        return float(corners[0])
    if len(corners) == 2:
        gap = (corners[1] - corners[0]) % 1.0
        if min(gap, 1 - gap) < 0.02:  # a blunt trailing edge
            return float(corners[0] if gap > 0.5 else corners[1])
    return None


def airfoil(
    curve: Curve,
    name: str,
    on_side: int,
    wake: int,
    line: Line,
    far: float,
    nose_cell: float,
    edge_cell: float,
) -> Mesh:
    """One block: i from the outlet below the wake around the nose to the outlet above it, j outwards.

    on_side, wake: cells on each side of the airfoil, and along the wake.  line: places of nodes from the
    surface outwards, from 0 to 1.  far: distance of the far field behind the nose, chords.  nose_cell,
    edge_cell: lengths of cells there, chords. Raises MeshError if the outline has no sharp trailing edge.
    """
    edge = trailing_edge(curve)
    if edge is None:
        raise MeshError(f"{name}: a C mesh requires an outline with one sharp corner, the trailing edge")
    shares = np.linspace(0.0, 1.0, 8001)
    contour = curve.at(edge + shares)  # anticlockwise from the trailing edge: the upper side first
    places = contour[:, 0] + 1j * contour[:, 1]
    nose = int(np.argmax(np.abs(places - places[0])))
    chord = Chord(complex(places[nose]), complex(places[0]))
    local = chord.local(places)
    upper, lower = local[: nose + 1], local[nose:][::-1]  # both from the edge to the nose
    focus = focus_of(local, nose, max(1, len(local) // 400))
    nodes = chord.back(wrapped(upper, lower, focus, on_side, wake, line, far, nose_cell, edge_cell))
    count = wake + 1
    nodes[:count, 0] = nodes[::-1][:count, 0]  # the two sides of the wake, bit by bit
    stacked = np.stack([nodes.real, nodes.imag], axis=-1)
    return connect(
        [Block(name, stacked)], {(0, 0, 0): "far", (0, 0, 1): "far", (0, 1, 0): name, (0, 1, 1): "far"}
    )


def wrapped(
    upper: NDArray[np.complex128],
    lower: NDArray[np.complex128],
    focus: complex,
    on_side: int,
    wake: int,
    line: Line,
    far: float,
    nose_cell: float,
    edge_cell: float,
) -> NDArray[np.complex128]:
    """(2 (on_side + wake) + 1, m) nodes of a C mesh around a section with the nose at 0 and the edge at 1.

    upper, lower: its sides, from the edge to the nose.  focus: half a radius of curvature behind the nose.
    The rest as for `airfoil`.
    """
    first, last = edge_cell, nose_cell
    on_upper, on_lower = (_places_on(side, on_side, first, last) for side in (upper, lower))
    behind = 1 + (far - 1) * geometric(wake, min(edge_cell / (far - 1), 1 / wake))
    below = np.concatenate([behind[::-1], on_lower[1:]])
    above = np.concatenate([on_upper[::-1][1:], behind[1:]])
    bottom = np.concatenate([below, above])
    wraps = np.concatenate([np.full(len(below), -1.0), np.full(len(above), 1.0)])
    root = _unwrap(bottom - focus, wraps)
    height = math.sqrt(far)
    eta = root.imag[:, None] + (height - root.imag)[:, None] * line[None, :]
    nodes = (root.real[:, None] + 1j * eta) ** 2 + focus
    nodes[:, 0] = bottom
    return np.asarray(nodes)


def focus_of(local: NDArray[np.complex128], nose: int, step: int) -> complex:
    """The point half a radius of curvature behind the nose, chords. step: to the points on both sides of the
    nose that tell the curvature."""
    a, b, c = local[nose - step], local[nose], local[nose + step]
    sides = abs(b - a) * abs(c - b) * abs(c - a)
    area = 0.5 * abs(((b - a).conjugate() * (c - a)).imag)
    radius = min(sides / (4 * area), 0.2) if area > 0 else 0.01
    middle = 0.5 * (a + c)
    inwards = (middle - b) / abs(middle - b) if abs(middle - b) > 0 else 1.0
    return complex(b + 0.5 * radius * inwards)


def _places_on(side: NDArray[np.complex128], cells: int, first: float, last: float) -> NDArray[np.complex128]:
    """Nodes on one side of the airfoil from the edge to the nose, by arc length."""
    lengths = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(side)))])
    total = float(lengths[-1])
    along = total * two_sided(cells, first / total, last / total)
    return np.asarray(np.interp(along, lengths, side.real) + 1j * np.interp(along, lengths, side.imag))


def _unwrap(offsets: NDArray[np.complex128], wraps: NDArray[np.float64]) -> NDArray[np.complex128]:
    """Square roots on the branch with angles from 0 above the wake to pi below it."""
    angles = np.angle(offsets)
    angles = np.where((angles < 0) | ((angles == 0) & (wraps < 0)), angles + 2 * math.pi, angles)
    angles = np.where((wraps > 0) & (angles > 1.75 * math.pi), angles - 2 * math.pi, angles)
    angles = np.where((wraps < 0) & (angles < 0.25 * math.pi), angles + 2 * math.pi, angles)
    return np.asarray(np.sqrt(np.abs(offsets)) * np.exp(0.5j * angles))
