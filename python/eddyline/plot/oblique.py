"""Three-dimensional runs as pictures: an oblique orthographic view of the particles, nearest on top, lit as
a surface."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.plot.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Vectors = NDArray[np.float64]
AZIMUTH, ELEVATION = math.radians(28), math.radians(22)
RADIUS = 0.75  # of a drawn particle, in spacings
LIGHT = np.array([-0.42, 0.64, 0.64])  # towards the light: right, up, towards the eye
AMBIENT, DIFFUSE, GLOSS = 0.5, 0.55, 0.22
EDGE = "#6b7280"
LABEL = 0.12  # of the width of the domain as it is seen: as long as the text beside one of its edges, about


@dataclass(frozen=True)
class View:
    """A direction of view. `axes`: rows right, up and towards the eye; `lower`, `upper`: the domain's image
    [m]."""

    axes: Vectors
    corners: Vectors  # (8, 3) of the domain, in world coordinates
    lower: tuple[float, float]
    upper: tuple[float, float]

    @classmethod
    def of(cls, scene: Scene, azimuth: float = AZIMUTH, elevation: float = ELEVATION) -> View:
        """Seen from above and from one side, x to the right and `scene.up` upwards, not mirrored. azimuth,
        elevation: of the eye, from the side that x points to the right on [radians]."""
        up = np.eye(3)[scene.up]
        first = np.eye(3)[0 if scene.up != 0 else 1]
        towards = np.cross(first, up)
        eye = (
            math.cos(elevation) * (math.cos(azimuth) * towards + math.sin(azimuth) * first)
            + math.sin(elevation) * up
        )
        right = math.cos(azimuth) * first - math.sin(azimuth) * towards
        axes = np.stack([right, np.cross(eye, right), eye])
        corners = np.array(list(itertools.product(*zip(scene.lower, scene.upper, strict=True))))
        flat = corners @ axes[:2].T
        margin = max(1.5 * scene.spacing, 0.02 * float(np.ptp(flat, axis=0).max()))
        low, high = flat.min(axis=0) - margin, flat.max(axis=0) + margin
        return cls(axes, corners, (float(low[0]), float(low[1])), (float(high[0]), float(high[1])))

    @property
    def size(self) -> tuple[float, float]:
        return self.upper[0] - self.lower[0], self.upper[1] - self.lower[1]

    def raster_shape(self, spacing: float, limit: int = 640) -> tuple[int, int]:
        """(rows, columns): pixels of an eighth of a spacing, at most `limit` columns or rows."""
        pixel = max(spacing / 8, max(self.size) / limit)
        return max(2, round(self.size[1] / pixel)), max(2, round(self.size[0] / pixel))

    def draw_box(self, axes: Axes, *, front: bool) -> None:
        """The edges of the domain: the three that meet in the corner nearest to the eye (`front`), or the
        others."""
        seen = self.corners @ self.axes.T
        nearest, farthest = int(seen[:, 2].argmax()), int(seen[:, 2].argmin())
        for a, b in itertools.combinations(range(8), 2):
            if np.count_nonzero(self.corners[a] != self.corners[b]) != 1:
                continue
            if (nearest in (a, b)) != front:
                continue
            hidden = farthest in (a, b)
            axes.plot(
                seen[[a, b], 0],
                seen[[a, b], 1],
                color=EDGE,
                lw=0.9,
                alpha=0.55 if front else 1,
                ls=":" if hidden else "-",
            )
        if not front:
            self._draw_lengths(axes, seen)

    def _draw_lengths(self, axes: Axes, seen: Vectors) -> None:
        """The size of the domain along each axis: upright ones at the left, the others below."""
        for axis, name in enumerate("xyz"):
            edges = [
                (a, b)
                for a, b in itertools.combinations(range(8), 2)
                if np.flatnonzero(self.corners[a] != self.corners[b]).tolist() == [axis]
            ]
            middles = np.array([seen[list(edge), :2].mean(axis=0) for edge in edges])
            a, b = edges[0]
            along = seen[b, :2] - seen[a, :2]
            upright = abs(along[1]) > 2 * abs(along[0])
            place = middles[middles[:, 0].argmin()] if upright else middles[middles[:, 1].argmin()]
            if not upright and abs(along[0]) < LABEL * np.ptp(seen[:, 0]):  # below both of its ends
                place = place - (0, 0.5 * abs(along[1]))
            axes.annotate(
                f"{name}: {float(abs(self.corners[b][axis] - self.corners[a][axis])):.4g} m",
                place,
                xytext=(-8, 0) if upright else (0, -8),
                textcoords="offset points",
                ha="right" if upright else "center",
                va="center" if upright else "top",
                rotation=90 if upright else 0,
                size=9,
                color=EDGE,
                annotation_clip=False,
            )


@dataclass(frozen=True)
class Rendered:
    """Rasters of a view, row 0 at the bottom: `values` (NaN elsewhere), `solid`, `shade` (0 where there is
    nothing)."""

    values: dict[str, NDArray[np.float32]]
    solid: NDArray[np.bool_]
    shade: NDArray[np.float32]


class Painting:
    """Particles painted as small balls with a depth buffer, one batch after the other; then the smoothed
    surface is lit."""

    def __init__(self, view: View, spacing: float, quantities: Iterable[str]) -> None:
        self._view, self._spacing = view, spacing
        shape = view.raster_shape(spacing)
        self._depth = np.full(shape, -np.inf, dtype=np.float32)
        self._is_fluid = np.zeros(shape, dtype=bool)
        self._rasters = {name: np.zeros(shape, dtype=np.float32) for name in quantities}

    def add_fluid(self, position: Vectors, values: Mapping[str, NDArray[np.float32]]) -> None:
        """position: (n, 3) m, values: (n,) of each quantity."""
        nearer, owner = self._add(position)
        self._is_fluid |= nearer
        for name, raster in self._rasters.items():
            raster[nearer] = values[name][owner]

    def add_solids(self, position: Vectors) -> None:
        """position: (n, 3) m."""
        nearer, _ = self._add(position)
        self._is_fluid &= ~nearer

    def add_solids_of(self, other: Painting) -> None:
        """Solids of another painting of the same view."""
        nearer = (other._depth > self._depth) & ~other._is_fluid
        self._depth[nearer] = other._depth[nearer]
        self._is_fluid &= ~nearer

    def finish(self) -> Rendered:
        hit, is_fluid = np.isfinite(self._depth), self._is_fluid
        depth, rasters = np.where(hit, self._depth, np.float32(0)), self._rasters
        pixel = self._view.size[0] / depth.shape[1]
        for stride in _strides(self._spacing / pixel):
            near = list(_near(depth, hit, stride, 2.5 * self._spacing))
            rasters = {name: _mean(raster, is_fluid, near) for name, raster in rasters.items()}
            depth = _mean(depth, hit, near)
        for raster in rasters.values():
            raster[~is_fluid] = np.nan
        return Rendered(rasters, hit & ~is_fluid, _light(depth, hit, pixel, self._spacing))

    def _add(self, position: Vectors) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Pixels at which a particle is nearer than what was there, and which one."""
        radius = RADIUS * self._spacing
        seen = position @ self._view.axes.T
        chosen = _in_sight(self._view, seen, radius)
        owner, depth = _depth_buffer(self._view, self._depth.shape, seen[chosen], radius)
        nearer = (owner >= 0) & (depth > self._depth)
        self._depth[nearer] = depth[nearer]
        return nearer, chosen[owner[nearer]]


def _strides(pixels: float) -> list[int]:
    """Distances at which smoothing looks, up to half a spacing of `pixels`: 1, 2, 4, ..."""
    return [1, *(2**k for k in range(1, 4) if 2**k <= 0.5 * pixels)]


def _in_sight(view: View, seen: Vectors, radius: float) -> NDArray[np.int64]:
    """Indices of the particles that are not surely hidden: those deep behind balls that cover all their
    pixels."""
    cell = radius / math.sqrt(2)
    finite = np.isfinite(seen).all(axis=1)
    column = np.floor((np.where(finite, seen[:, 0], view.lower[0]) - view.lower[0]) / cell).astype(np.int64)
    row = np.floor((np.where(finite, seen[:, 1], view.lower[1]) - view.lower[1]) / cell).astype(np.int64)
    columns, rows = (math.ceil(extent / cell) for extent in view.size)
    inside = finite & (column >= 0) & (column < columns) & (row >= 0) & (row < rows)
    cover = np.full(rows * columns, -np.inf)
    place = row * columns + column
    np.maximum.at(cover, place[inside], seen[inside, 2])
    grid = np.pad(cover.reshape(rows, columns), 2, constant_values=-np.inf)
    lowest = grid[2:-2, 2:-2].copy()
    for down, across in itertools.product(range(5), repeat=2):
        np.minimum(lowest, grid[down : down + rows, across : across + columns], out=lowest)
    kept = inside.copy()
    kept[inside] = seen[inside, 2] > lowest.ravel()[place[inside]] - 2 * radius
    return np.flatnonzero(kept)


def _depth_buffer(
    view: View, shape: tuple[int, ...], seen: Vectors, radius: float
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """(index of the nearest particle or -1, its depth towards the eye [m]) for each pixel."""
    rows, columns = shape
    pixel = view.size[0] / columns
    column = np.floor((seen[:, 0] - view.lower[0]) / pixel).astype(np.int64)
    row = np.floor((seen[:, 1] - view.lower[1]) / pixel).astype(np.int64)
    reach = max(1, math.ceil(radius / pixel))
    inside = (column >= reach) & (column < columns - reach) & (row >= reach) & (row < rows - reach)
    kept = np.flatnonzero(inside & np.isfinite(seen).all(axis=1))
    corners = view.corners @ view.axes[2]
    farthest, span = corners.min() - np.ptp(corners), 3 * np.ptp(corners)  # room for what has splashed out
    home = row[kept] * columns + column[kept]
    depth = seen[kept, 2]
    keys = np.zeros(rows * columns, dtype=np.uint64)
    numbers = kept.astype(np.uint64) + np.uint64(1)
    for down, across in itertools.product(range(-reach, reach + 1), repeat=2):
        height = (radius + 0.5 * pixel) ** 2 - (down**2 + across**2) * pixel**2
        if height <= 0:
            continue
        level = (depth + math.sqrt(height) - farthest) / span
        key = (np.clip(level, 0, 1) * (2**31 - 1)).astype(np.uint64) << np.uint64(32) | numbers
        np.maximum.at(keys, home + down * columns + across, key)
    owner = (keys & np.uint64(2**32 - 1)).astype(np.int64) - 1
    found = (keys >> np.uint64(32)).astype(np.float64) / (2**31 - 1) * span + farthest
    return owner.reshape(shape), found.astype(np.float32).reshape(shape)


def _light(
    depth: NDArray[np.float32], hit: NDArray[np.bool_], pixel: float, spacing: float
) -> NDArray[np.float32]:
    """Light on each pixel: soft light from the upper left, a little gloss, dark outlines, haze with
    distance."""
    shade = np.zeros(depth.shape, dtype=np.float32)
    if not hit.any():
        return shade
    towards_y, towards_x = np.gradient(depth, pixel)
    steep = 1 / np.sqrt(1 + towards_x**2 + towards_y**2)
    light = LIGHT / np.linalg.norm(LIGHT)
    facing = np.clip((-towards_x * light[0] - towards_y * light[1] + light[2]) * steep, 0, 1)
    half = light + np.array([0, 0, 1.0])
    half /= np.linalg.norm(half)
    gloss = np.clip((-towards_x * half[0] - towards_y * half[1] + half[2]) * steep, 0, 1) ** 40
    nearest, farthest = float(depth[hit].max()), float(depth[hit].min())
    haze = 1 - 0.18 * (nearest - depth) / max(nearest - farthest, spacing)
    shade[:] = (AMBIENT + DIFFUSE * facing + GLOSS * gloss) * haze
    shade[outline(depth, hit, 8 * spacing)] *= 0.6
    shade[~hit] = 0
    return shade


def light_of(normal: Vectors) -> NDArray[np.float32]:
    """Light on surfaces with these unit normals, (n, 3) in the axes of a view, as on particles."""
    light = LIGHT / np.linalg.norm(LIGHT)
    half = light + np.array([0, 0, 1.0])
    half /= np.linalg.norm(half)
    facing, gloss = np.clip(normal @ light, 0, 1), np.clip(normal @ half, 0, 1) ** 40
    shade: NDArray[np.float32] = (AMBIENT + DIFFUSE * facing + GLOSS * gloss).astype(np.float32)
    return shade


Window = tuple[slice, slice]
Neighbours = tuple[Window, Window, NDArray[np.bool_]]


def _near(
    depth: NDArray[np.float32], hit: NDArray[np.bool_], stride: int, limit: float
) -> Iterator[Neighbours]:
    """The eight pixels `stride` away: (where to, where from, whether they lie at nearly one depth)."""
    for down, across in itertools.product((-stride, 0, stride), repeat=2):
        if down == across == 0:
            continue
        rows, columns = _overlap(down, depth.shape[0]), _overlap(across, depth.shape[1])
        target, source = (rows[0], columns[0]), (rows[1], columns[1])
        yield target, source, hit[source] & (np.abs(depth[source] - depth[target]) < limit)


def _mean(
    raster: NDArray[np.float32], known: NDArray[np.bool_], near: list[Neighbours]
) -> NDArray[np.float32]:
    """Means over near pixels: surfaces turn smooth, edges stay."""
    total, count = np.where(known, raster, np.float32(0)), known.astype(np.float32)
    first, share = total.copy(), count.copy()
    for target, source, joined in near:
        total[target] += joined * first[source]
        count[target] += joined * share[source]
    return np.where(known, total / np.maximum(count, 1), raster)


def _overlap(shift: int, length: int) -> tuple[slice, slice]:
    """(where it goes, where it comes from) for a shift along one axis."""
    if shift >= 0:
        return slice(0, length - shift), slice(shift, length)
    return slice(-shift, length), slice(0, length + shift)


def outline(depth: NDArray[np.float32], hit: NDArray[np.bool_], limit: float) -> NDArray[np.bool_]:
    """Pixels beyond which the surface falls away."""
    out = np.zeros(hit.shape, dtype=bool)
    lowered = np.where(hit, depth, np.float32(-1e30))
    for down, across in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        out |= hit & (lowered - np.roll(lowered, (down, across), axis=(0, 1)) > limit)
    return out
