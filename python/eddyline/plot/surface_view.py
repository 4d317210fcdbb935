"""Isosurfaces as pictures: triangles seen from outside, with a depth buffer, and lit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.plot.oblique import View, light_of, outline

if TYPE_CHECKING:
    from eddyline.stream.surfaces import Surface

INSIDE = 0.8  # light on the inner side of a surface
ON_SIDE = 0.05
"""Distance from a side of the domain up to which vertices lie on it, in spacings."""
LARGEST = 10
"""Longest edge of a triangle of a body, in pixels."""
_FAR = 2**31 - 1  # steps of depth


@dataclass(frozen=True)
class Clip:
    """A plane: what is on the side of the eye is left out."""

    axis: int
    at: float  # m


@dataclass(frozen=True)
class Seen:
    """Rasters of a view, row 0 at the bottom: values (NaN where there is no surface), light (0 where there is
    nothing), and where bodies are seen."""

    values: NDArray[np.float32]
    shade: NDArray[np.float32]
    solid: NDArray[np.bool_]


@dataclass(frozen=True)
class _Mesh:
    seen: NDArray[np.float64]  # (n, 3): columns and rows of pixels, and depth towards the eye [m]
    normals: NDArray[np.float64]  # (n, 3) in the axes of the view
    places: NDArray[np.float64]  # (n,) distance in front of the clipping plane [m]
    values: NDArray[np.float64]  # (n,)
    triangles: NDArray[np.int64]  # (m, 3)


Body = tuple[NDArray[np.float64], NDArray[np.int64]]


def paint(
    view: View,
    spacing: float,
    surfaces: Sequence[Surface],
    clip: Clip | None = None,
    *,
    is_open: bool = False,
    bodies: Sequence[Body] = (),
) -> Seen:
    """The nearest surface at each pixel: its colours, or its level if it has none. is_open: without the parts
    with which a surface closes at the sides of the domain. bodies: their vertices [m] and triangles."""
    shape = view.raster_shape(spacing)
    pixel = view.size[0] / shape[1]
    mesh = _joined(view, pixel, surfaces, clip, ON_SIDE * spacing if is_open else None, bodies)
    owner = _nearest(mesh, shape)
    values = np.full(shape, np.nan, dtype=np.float32)
    shade = np.zeros(shape, dtype=np.float32)
    rows, columns = np.nonzero(owner >= 0)
    if len(rows) == 0:
        return Seen(values, shade, np.zeros(shape, dtype=bool))
    corners = mesh.triangles[owner[rows, columns]]
    weights = _weights(mesh.seen[corners], columns + 0.5, rows + 0.5)
    values[rows, columns] = (weights * mesh.values[corners]).sum(axis=1)
    depth = np.zeros(shape, dtype=np.float32)
    depth[rows, columns] = (weights * mesh.seen[corners, 2]).sum(axis=1)
    normal = (weights[..., None] * mesh.normals[corners]).sum(axis=1)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    turned = normal[:, 2] < 0
    normal[turned] *= -1
    hit = owner >= 0
    light = light_of(normal)
    light[turned] *= INSIDE
    nearest, farthest = float(depth[hit].max()), float(depth[hit].min())
    light *= 1 - 0.18 * (nearest - depth[hit]) / max(nearest - farthest, spacing)
    shade[hit] = light
    shade[outline(depth, hit, 8 * spacing)] *= 0.6
    return Seen(values, shade, hit & np.isnan(values))


def _joined(
    view: View,
    pixel: float,
    surfaces: Sequence[Surface],
    clip: Clip | None,
    on_side: float | None,
    bodies: Sequence[Body],
) -> _Mesh:
    """on_side: distance from a side of the domain up to which vertices lie on it [m]; None: all are kept."""
    parts, count = [], 0
    low, high = view.corners.min(axis=0), view.corners.max(axis=0)
    for surface in surfaces:
        seen = surface.vertices @ view.axes.T
        seen[:, 0] = (seen[:, 0] - view.lower[0]) / pixel
        seen[:, 1] = (seen[:, 1] - view.lower[1]) / pixel
        places = _in_front(view, surface.vertices, clip)
        colors = np.full(len(seen), surface.level) if surface.colors is None else surface.colors
        kept = surface.triangles.astype(np.int64)
        if on_side is not None:
            at_side = (surface.vertices < low + on_side) | (surface.vertices > high - on_side)
            kept = kept[~at_side.any(axis=1)[kept].any(axis=1)]  # with those whose edge would be uneven
        triangles = kept + count
        parts.append(_Mesh(seen, surface.normals() @ view.axes.T, places, colors, triangles))
        count += len(seen)
    for vertices, faces in bodies:
        corners = _divided(vertices[faces], LARGEST * pixel)
        points = corners.reshape(-1, 3)
        seen = points @ view.axes.T
        seen[:, :2] = (seen[:, :2] - view.lower) / pixel
        across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
        normals = np.repeat(across @ view.axes.T, 3, axis=0)
        triangles = np.arange(len(points)).reshape(-1, 3) + count
        parts.append(
            _Mesh(seen, normals, _in_front(view, points, clip), np.full(len(points), np.nan), triangles)
        )
        count += len(points)
    empty = np.zeros((0, 3))
    if not parts:
        return _Mesh(empty, empty, np.zeros(0), np.zeros(0), np.zeros((0, 3), dtype=np.int64))
    return _Mesh(
        *(np.concatenate(each) for each in zip(*(vars(part).values() for part in parts), strict=True))
    )


def _in_front(view: View, points: NDArray[np.float64], clip: Clip | None) -> NDArray[np.float64]:
    """Distances in front of the clipping plane [m]; negative without one."""
    if clip is None:
        return np.full(len(points), -1.0)
    distances: NDArray[np.float64] = (points[:, clip.axis] - clip.at) * np.sign(view.axes[2, clip.axis])
    return distances


def _divided(corners: NDArray[np.float64], longest: float) -> NDArray[np.float64]:
    """Triangles, (n, 3, 3) m, in quarters until no edge is longer than `longest`, which keeps boxes of pixels
    small."""
    done = []
    while len(corners):
        edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
        done.append(corners[edges <= longest])
        a, b, c = np.moveaxis(corners[edges > longest], 1, 0)
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        quarters = ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))
        corners = np.concatenate([np.stack(each, axis=1) for each in quarters])
    return np.concatenate(done) if done else corners


def _weights(
    corners: NDArray[np.float64], x: NDArray[np.floating], y: NDArray[np.floating]
) -> NDArray[np.float64]:
    """(n, 3) barycentric weights of pixels in triangles, (n, 3, 3) corners."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    area = np.where(np.abs(area) > 1e-12, area, np.inf)
    first = ((b[:, 0] - x) * (c[:, 1] - y) - (b[:, 1] - y) * (c[:, 0] - x)) / area
    second = ((c[:, 0] - x) * (a[:, 1] - y) - (c[:, 1] - y) * (a[:, 0] - x)) / area
    return np.stack([first, second, 1 - first - second], axis=1)


def _nearest(mesh: _Mesh, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Number of the nearest triangle at each pixel; -1: none."""
    rows, columns = shape
    corners: NDArray[np.float64] = mesh.seen[mesh.triangles]
    keys = np.zeros(rows * columns, dtype=np.uint64)
    if len(corners) == 0:
        return np.full(shape, -1)
    low = np.maximum(np.ceil(corners[..., :2].min(axis=1) - 0.5), 0).astype(np.int64)
    high = np.minimum(np.floor(corners[..., :2].max(axis=1) - 0.5), [columns - 1, rows - 1]).astype(np.int64)
    extent = high - low + 1
    farthest, nearest = float(corners[..., 2].min()), float(corners[..., 2].max())
    span = max(nearest - farthest, 1e-300)
    order = np.flatnonzero((extent > 0).all(axis=1))
    for down in range(int(extent[order, 1].max(initial=0))):
        tall = order[extent[order, 1] > down]
        for across in range(int(extent[tall, 0].max(initial=0))):
            chosen = tall[extent[tall, 0] > across]
            x, y = low[chosen, 0] + across, low[chosen, 1] + down
            weights = _weights(corners[chosen], x + 0.5, y + 0.5)
            inside = (weights >= -1e-9).all(axis=1)
            inside &= (weights * mesh.places[mesh.triangles[chosen]]).sum(axis=1) <= 0
            depth = (weights[inside] * corners[chosen[inside], :, 2]).sum(axis=1)
            level = (np.clip((depth - farthest) / span, 0, 1) * _FAR).astype(np.uint64)
            key = level << np.uint64(32) | (chosen[inside] + 1).astype(np.uint64)
            np.maximum.at(keys, y[inside] * columns + x[inside], key)
    return ((keys & np.uint64(2**32 - 1)).astype(np.int64) - 1).reshape(shape)
