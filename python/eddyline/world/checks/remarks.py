"""Warnings and notes on worlds that can be run."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from .. import filling, shapes
from ..gaps import narrow_gaps, touching
from ..problems import listed, rounded, shown
from ..quantities import may_be_finite
from ..samples import Samples, corners
from ..schema import SIDES, WorldFile
from ..shapes import Body

TIGHT = 3
"""Smallest thickness of a body in spacings that separates water of 0.6 m and 0.2 m depth on its sides; of 720
particles 61 got through one of 1 spacing in 3 s, 24 of 1.5 and 2 of 2. A force was 2 % low at the reach of
the kernel, 4 spacings."""
_GAPS_TOLD = 3


def warnings(file: WorldFile, values: Mapping[str, float]) -> Iterator[str]:
    """Warnings about valid worlds whose results may differ from the intention. values: those of [let]."""
    for name, body in file.bodies.items():
        across = thickness(body, file) / file.domain.spacing
        if across < TIGHT * (1 - 1e-9):
            yield (
                f"bodies.{name} is {rounded(across, 2)} spacings thick; below {TIGHT} fluid passes "
                "through and the force is too small. Make it thicker, or reduce domain.spacing."
            )
    yield from _told([gap.reason for gap in narrow_gaps(file) if gap.is_shut])
    yield from filling.remarks(file)
    for k, expect in enumerate(file.expect):
        for key in ("quantity", "against"):
            text: str | None = getattr(expect, key)
            if text is not None and not may_be_finite(text, values):
                yield (
                    f"expect[{k}].{key} = {shown(text)} never gives a finite number. Check it for a "
                    "division by 0."
                )


def _told(gaps: list[str]) -> Iterator[str]:
    """The first texts, and the number of further ones."""
    yield from gaps[:_GAPS_TOLD]
    if len(gaps) > _GAPS_TOLD:
        yield f"{len(gaps) - _GAPS_TOLD} more gaps are too narrow."


def thickness(body: Body, file: WorldFile) -> float:
    """The narrowest way through a body, about [m]: of a polygon that of the rectangle with its area and
    circumference."""
    if isinstance(body, shapes.Line):
        return body.thickness
    if isinstance(body, shapes.Polygon):
        corners = np.array(body.points, dtype=float)
        following = np.roll(corners, -1, axis=0)
        area = 0.5 * abs(float(np.sum(corners[:, 0] * following[:, 1] - following[:, 0] * corners[:, 1])))
        quarter = 0.25 * float(np.linalg.norm(following - corners, axis=1).sum())
        return quarter - math.sqrt(max(0.0, quarter**2 - area))
    low, high = body.core_shape.bounds
    return min(high[k] - low[k] for k in range(file.dimensions))


def notes(file: WorldFile, samples: Samples) -> Iterator[str]:
    """Notes on valid worlds that differ slightly from their file."""
    spacing = file.domain.spacing
    uneven = [
        f"{length / spacing:.2f} along {axis}"
        for k, (axis, length) in enumerate(zip("xyz", file.domain.size, strict=False))
        if not filling.is_open(file, k)
        and abs(length / spacing - round(length / spacing)) > 1e-6 * length / spacing
    ]
    if uneven:
        yield (
            f"domain.size is not a multiple of domain.spacing ({listed(uneven)}), so the initial distance "
            "of particles differs slightly from it."
        )
    for name, body in file.bodies.items():
        low, high = body.core_shape.bounds
        across = min(high[k] - low[k] for k in range(file.dimensions)) / spacing
        if across < 8 and thickness(body, file) >= TIGHT * spacing * (1 - 1e-9):
            yield (
                f"bodies.{name} is {rounded(across, 2)} spacings wide; forces on it are inaccurate below 8 "
                "and accurate above 20."
            )
    yield from _told([gap.reason for gap in narrow_gaps(file) if not gap.is_shut])
    yield from touching(file)
    origin, end = corners(file)
    for name, region in file.regions.items():
        low, high = region.core_shape.bounds
        slack = 1e-9 * max(file.domain.size)
        if any(low[k] < origin[k] - slack or high[k] > end[k] + slack for k in range(file.dimensions)):
            yield f"regions.{name} extends beyond the domain; only the part inside is filled."
    default = [side for side in SIDES[: 2 * file.dimensions] if side not in file.boundaries.model_fields_set]
    if default:
        yield f"boundaries: {listed(default)} not given, so no-slip walls (default)."
