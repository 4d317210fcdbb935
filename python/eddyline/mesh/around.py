"""O meshes: one block around a body, from its surface to a circle far away."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eddyline.mesh.blocks import Block, Mesh, connect
from eddyline.mesh.curves import Curve
from eddyline.mesh.spacing import Line

SMOOTHINGS = 40  # of the directions of rays, along the surface


def around(curve: Curve, name: str, cells: int, line: Line, far: float) -> Mesh:
    """A block whose index i runs clockwise around the body, and j from its surface to a circle.

    cells: around the body.  line: places of nodes between surface and circle, from 0 to 1.  far: radius of
    the circle, m. Rays start along the normals of the surface and bend to those of the circle.
    """
    start = curve.towards(0.0)
    places = np.linspace(0.0, 1.0, cells + 1)
    surface = curve.between(start, start + 1.0, places)[:-1]
    surface, places = surface[::-1], 1 - places[:-1][::-1]  # clockwise
    surface, places = np.roll(surface, 1, axis=0), np.roll(places, 1)
    angles = -2 * math.pi * np.arange(cells) / cells
    if curve.circle is None:
        offset = surface[0] - curve.center
        angles += math.atan2(offset[1], offset[0])
    outwards = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    if curve.circle is not None:
        nodes = curve.center + outwards[:, None, :] * _radii(curve.circle[2], far, line)[None, :, None]
    else:
        nodes = _bent(curve, surface, outwards, line, far)
    nodes = np.concatenate([nodes, nodes[:1]])
    block = Block(name, np.ascontiguousarray(nodes))
    return connect([block], {(0, 1, 0): name, (0, 1, 1): "far"})


def _radii(radius: float, far: float, line: Line) -> NDArray[np.float64]:
    return radius + (far - radius) * line


def _bent(
    curve: Curve, surface: NDArray[np.float64], outwards: NDArray[np.float64], line: Line, far: float
) -> NDArray[np.float64]:
    """(n, m, 2) nodes: near the surface along its normals, far away along the radii."""
    normals = -curve.normals(surface)  # the nodes run clockwise
    for _ in range(SMOOTHINGS):
        normals = normals + 0.5 * (np.roll(normals, 1, axis=0) + np.roll(normals, -1, axis=0))
        normals /= np.linalg.norm(normals, axis=1)[:, None]
    distance = (far - 0.5 * curve.size) * line
    scale = 0.5 * curve.size
    share = (distance / (distance + scale))[None, :, None]  # of the radii
    along_normals = surface[:, None, :] + normals[:, None, :] * distance[None, :, None]
    end = curve.center + outwards * far
    straight = surface[:, None, :] + (end - surface)[:, None, :] * line[None, :, None]
    nodes = (1 - share) * along_normals + share * straight
    nodes[:, -1] = end
    return np.asarray(nodes)
