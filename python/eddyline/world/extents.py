"""Checks that the numbers of a world have sizes that can be computed with, before anything is sampled or
made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .problems import Found, dotted, number, rounded, shown
from .schema import WorldFile

if TYPE_CHECKING:
    from .scales import Scales


FARTHEST = 1e6
"""Distance of the domain, and of what stands in it, from the origin, in longest sides."""
LARGEST_SHAPE = 1e4
"""Length of a body or a region, in longest sides."""
MOST_STEPS = 1e13
"""Largest number of time steps of a run: time must increase with each, and a thousandth of it already takes
too long."""
FASTEST = 1e9
"""Speed of sound [m/s]; light has 3e8."""
SLOWEST = 1e-12
THINNEST, DENSEST = 1e-12, 1e15
"""Densities [kg/m^3]: of interstellar gas nearly, and of a neutron star nearly."""


def problems(file: WorldFile) -> Found:
    """Places, lengths and densities out of range, as (path, text of the line)."""
    longest = max(file.domain.size)
    if max(map(abs, file.domain.origin or (0.0,))) > FARTHEST * longest:
        text = (
            f"domain.origin = {shown(file.domain.origin)}; must be within {rounded(FARTHEST)} times the "
            "longest side, as positions farther out are inexact. Move it nearer to 0."
        )
        yield ("domain", "origin"), text
        return
    ratio = longest / file.domain.spacing
    if not 1e-3 < ratio < 1e9:
        text = (
            f"domain.spacing = {number(file.domain.spacing)}; the longest side is {rounded(ratio)} of it, "
            f"and must be at most 1e9. Try {number(float(f'{longest / 100:.2g}'))}."
        )
        yield ("domain", "spacing"), text
    for kind, tables in (("regions", file.regions), ("bodies", file.bodies)):
        for name, table in tables.items():
            low, high = table.core_shape.bounds
            sides = [high[k] - low[k] for k in range(file.dimensions)]
            if not all(map(math.isfinite, (*low, *high))) or max(sides) > LARGEST_SHAPE * longest:
                text = (
                    f"{dotted((kind, name))} is {rounded(max(sides))} m long; must be at most "
                    f"{rounded(LARGEST_SHAPE)} times the domain's longest side of {rounded(longest)} m."
                )
                yield (kind, name), text
            elif max(map(abs, (*low, *high))) > 2 * FARTHEST * longest:
                text = (
                    f"{dotted((kind, name))} is up to {rounded(max(map(abs, (*low, *high))))} m from the "
                    "origin, outside the domain. Move it."
                )
                yield (kind, name), text
    if file.given_fluid is not None and not THINNEST <= file.fluid.density <= DENSEST:
        text = (
            f"fluid.density = {number(file.fluid.density)}; must be from {rounded(THINNEST)} to "
            f"{rounded(DENSEST)} kg/m^3."
        )
        yield ("fluid", "density"), text


def step_problems(file: WorldFile, scales: Scales) -> Found:
    """Speeds out of range, and runs of more steps than their time can count."""
    if not SLOWEST <= scales.sound_speed <= FASTEST:
        text = (
            f"fluid: the speed of sound is {rounded(scales.sound_speed)} m/s ({scales.reason}); must be from "
            f"{rounded(SLOWEST)} to {rounded(FASTEST)} m/s. Lengths are in m, times in s."
        )
        yield ("fluid",), text
        return
    h, nu = 0.5 * file.lengths.interaction_radius, file.fluid.nu
    limits = {"speed of sound": h / (scales.sound_speed + scales.max_speed)}
    if nu > 0:
        limits["viscosity"] = h * h / nu
    cause = min(limits, key=lambda each: limits[each])
    steps = file.time.end / limits[cause] if limits[cause] > 0 else math.inf
    if not steps <= MOST_STEPS:
        text = (
            f"time.end = {number(file.time.end)} s takes about {rounded(steps, 2)} time steps, limited by "
            f"the {cause}; must be at most {rounded(MOST_STEPS)}. Reduce time.end, or change the fluid."
        )
        yield ("time", "end"), text
