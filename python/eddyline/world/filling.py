"""Filling of regions: particles start on a lattice of one spacing, so that a region with sides between
lattice sites starts with more or less fluid than drawn."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .openings import faces
from .problems import rounded
from .samples import Points, corners, evaluate, lattice
from .schema import SIDES, Open, WorldFile
from .shapes import Region
from .sph_options import SphOptions

_MOST_PLACES = 300_000  # of a region that is looked at: of more the edge is a small part
_FINE = 40_000  # points that tell the volume of a shape
_TOLD = 0.02  # share of a region's fluid
_MOMENTS = 201  # at which it is looked how much flows in


def empty_regions(file: WorldFile) -> Iterator[str]:
    """Names of regions that no particle begins in, though they are not all covered."""
    for name, region in file.regions.items():
        found = _fluid_of(region, file)
        if found is not None and found[0] == 0 < found[1]:
            yield name


def remarks(file: WorldFile) -> Iterator[str]:
    """Notes on regions that start with another amount of fluid than drawn."""
    for name, region in file.regions.items():
        found = _fluid_of(region, file)
        if found is None or found[1] == 0:
            continue
        begun, drawn = found
        apart = begun / drawn - 1
        if abs(apart) > _TOLD:
            less = "less" if apart < 0 else "more"
            yield (
                f"regions.{name} begins with {rounded(100 * abs(apart), 2)} % {less} fluid than the volume "
                f"of its shape, as particles begin on a lattice.{_fitting(region, file)}"
            )
    if _fill_the_domain(file):
        yield (
            "regions fill the whole domain, so there is no free surface. Remove [regions] and use "
            "[start]: a confined flow is computed more accurately."
        )


def time_when_full(file: WorldFile) -> float | None:
    """When inflows have filled what is empty at the start, without any way out [s], about; None if they have
    not by the end."""
    inflows = [face for face in faces(file) if face.is_inflow]
    ways_out = len(faces(file)) > len(inflows) or any(is_open(file, axis) for axis in range(file.dimensions))
    if not inflows or ways_out or not file.regions:
        return None
    low, high = corners(file)
    room = float(_empty(file).mean()) * math.prod(high[k] - low[k] for k in range(file.dimensions))
    moments = np.linspace(0, file.time.end, _MOMENTS)
    rate = np.zeros(_MOMENTS)  # m^D/s
    for face in inflows:
        points, velocity = face.points(file.dimensions), face.velocity(file.dimensions)[face.axis]
        area = math.prod(face.high[k] - face.low[k] for k in range(file.dimensions) if k != face.axis)
        rate += [area * face.inward * float(evaluate(velocity, points, float(t)).mean()) for t in moments]
    steps = 0.5 * (rate[1:] + rate[:-1]) * np.diff(moments)
    let_in = np.concatenate([[0.0], np.cumsum(steps)])
    over = np.flatnonzero(let_in >= room)
    return float(moments[over[0]]) if len(over) else None


def _fill_the_domain(file: WorldFile) -> bool:
    openings = any(is_open(file, axis) for axis in range(file.dimensions))
    if not isinstance(file.method, SphOptions) or file.sph.scheme != "delta" or not file.regions or openings:
        return False
    empty = _empty(file)
    return len(empty) > 0 and not empty.any()


def _empty(file: WorldFile) -> NDArray[np.bool_]:
    """Points spread over the domain that lie neither in a region nor in a body."""
    low, high = corners(file)
    points = lattice(low, high, file.dimensions, _FINE)
    empty = np.ones(len(points), dtype=np.bool_)
    for shape in (*file.regions.values(), *file.bodies.values()):
        empty &= shape.core_shape.signed_distance(points) > 0
    return empty


def _fluid_of(region: Region, file: WorldFile) -> tuple[float, float] | None:
    """Volume of the particles that begin in a region, and its own in the domain and outside bodies [m^D];
    None if they are too many to look at each."""
    low, high = corners(file)
    bounds, spacing = region.core_shape.bounds, file.domain.spacing
    ranges, begun = [], 1.0
    for k in range(file.dimensions):
        whole = (high[k] - low[k]) / spacing
        count = max(1, math.ceil(whole - 1e-9) if is_open(file, k) else round(whole))
        step = spacing if is_open(file, k) else (high[k] - low[k]) / count
        first = max(0, math.floor((bounds[0][k] - low[k]) / step))
        last = min(count, math.ceil((bounds[1][k] - low[k]) / step))
        ranges.append((first, max(first, last), low[k], step))
        begun *= step
    count = math.prod(last - first for first, last, _, _ in ranges)
    if count > _MOST_PLACES:
        return None
    axes = [start + (np.arange(first, last) + 0.5) * step for first, last, start, step in ranges]
    places = np.zeros((count, 3))
    for k, values in enumerate(np.meshgrid(*axes, indexing="ij")):
        places[:, k] = values.ravel()
    lower = [max(bounds[0][k], low[k]) for k in range(3)]
    upper = [min(bounds[1][k], high[k]) for k in range(3)]
    points = lattice(lower, upper, file.dimensions, _FINE)
    if not len(points):
        return 0.0, 0.0
    volume = math.prod(upper[k] - lower[k] for k in range(file.dimensions))
    return begun * int(_holds(region, file, places).sum()), volume * float(
        _holds(region, file, points).mean()
    )


def is_open(file: WorldFile, axis: int) -> bool:
    """True if particles start one spacing apart along an axis, whatever the domain's length: else the length
    is a whole number of their distances."""
    return any(isinstance(file.boundaries.side(name), Open) for name in SIDES[2 * axis : 2 * axis + 2])


def _holds(region: Region, file: WorldFile, points: Points) -> NDArray[np.bool_]:
    kept = region.core_shape.signed_distance(points) < 0
    for body in file.bodies.values():
        kept &= body.core_shape.signed_distance(points) > 0
    return np.asarray(kept, dtype=np.bool_)


def _fitting(region: Region, file: WorldFile) -> str:
    """A spacing that fits the side of a rectangle or box that is farthest off, if that helps."""
    if region.shape not in ("rectangle", "box"):
        return ""
    bounds, spacing = region.core_shape.bounds, file.domain.spacing
    lengths = [bounds[1][k] - bounds[0][k] for k in range(file.dimensions)]
    length = max(lengths, key=lambda each: abs(each / spacing - round(each / spacing)))
    rows = max(1, math.ceil(length / spacing - 1e-9))
    across, fit = rounded(length / spacing, 3), rounded(length / rows)
    return f" For {across} spacings on the side of {rounded(length)} m set domain.spacing = {fit}."
