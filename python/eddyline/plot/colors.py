"""Quantities as colours: which map, which scale, which words beside the bar."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eddyline.world.solver import Pictured, shown_quantity, solvers

Raster = NDArray[np.float32]
ROBUST = 99.0  # percentile of the values of a run at which its scale ends,
WIDER, _REACH = (100.0, 99.9), 1.5  # or one of these, if the range is at most so many times as long


@dataclass(frozen=True)
class Quantity:
    """Colour map of a quantity. Diverging maps are centred on zero and symmetric; sequential ones are even
    in lightness."""

    name: str
    label: str
    unit: str
    kind: Literal["sequential", "diverging"]
    colormap: str
    starts_at_zero: bool = False
    whole: bool = False  # only whole numbers, each with a colour of its own


_COLORMAPS = {"pressure": "cividis", "density": "PuOr_r"}
"""Colour maps of quantities that do not have the one of their kind."""
GAS_DENSITY = Quantity("density", "density", "kg/m\N{SUPERSCRIPT THREE}", "sequential", "viridis")


def _quantity(name: str, pictured: Pictured) -> Quantity:
    kind: Literal["sequential", "diverging"] = "diverging" if pictured.diverging else "sequential"
    colormap = _COLORMAPS.get(name, "RdBu_r" if pictured.diverging else "viridis")
    return Quantity(
        name, pictured.label, pictured.unit, kind, colormap, pictured.starts_at_zero, pictured.whole
    )


QUANTITIES = {
    name: _quantity(name, pictured)
    for solver in reversed(list(solvers().values()))
    for name, pictured in solver.pictures.items()
}
"""Quantities of the pictures of all solvers; of two with the same name that of the earlier solver."""


def quantity_of(name: str, density: float | None) -> Quantity:
    """Colour map of a quantity; `density` at zero pressure [kg/m^3], None for a gas."""
    if name == "density" and density is None:
        return GAS_DENSITY
    pictured = shown_quantity(name)
    return QUANTITIES[name] if pictured is None or name in QUANTITIES else _quantity(name, pictured)


def unknown_quantity(name: str, unit: str, *, diverging: bool) -> Quantity:
    """A quantity, or a formula, that no picture of a solver has."""
    kind: Literal["sequential", "diverging"] = "diverging" if diverging else "sequential"
    return Quantity(name, name, unit, kind, "RdBu_r" if diverging else "viridis")


@dataclass(frozen=True)
class Scale:
    """The range of colours of a picture, or of a whole movie."""

    low: float
    high: float
    below: bool = False  # some values lie below `low`
    above: bool = False

    @property
    def extend(self) -> Literal["neither", "min", "max", "both"]:
        return ("both" if self.above else "min") if self.below else ("max" if self.above else "neither")


def robust_scale(quantity: Quantity, rasters: Iterable[Raster]) -> Scale:
    """One scale for all `rasters`: all values, or up to a percentile where a few wild pixels would bleach
    the rest."""
    samples = [raster[np.isfinite(raster)] for raster in rasters]
    values = np.concatenate(samples) if samples else np.zeros(0, np.float32)
    if values.size == 0:
        return Scale(-1.0 if quantity.kind == "diverging" else 0.0, 1.0)
    lowest, highest = float(values.min()), float(values.max())
    if quantity.whole:
        return Scale(round(lowest) - 0.5, round(highest) + 0.5)
    low, high = _range_up_to(ROBUST, quantity, values)
    for wider in (_range_up_to(percentile, quantity, values) for percentile in WIDER):
        if wider[1] - wider[0] <= _REACH * (high - low):
            low, high = wider
            break
    if not high > low:
        middle = 0.5 * (low + high)
        low, high = middle - 0.5, middle + 0.5
    return Scale(low, high, below=lowest < low, above=highest > high)


def _range_up_to(percentile: float, quantity: Quantity, values: Raster) -> tuple[float, float]:
    if quantity.kind == "diverging":
        size = np.abs(values)
        high = _positive(float(np.percentile(size, percentile)), float(size.max()))
        return -high, high
    if quantity.starts_at_zero:
        return 0.0, _positive(float(np.percentile(values, percentile)), float(values.max()))
    low, high = np.percentile(values, (100 - percentile, percentile))
    return float(low), float(high)


def _positive(value: float, instead: float) -> float:
    return value if value > 0 else (instead if instead > 0 else 1.0)


def steps_of(quantity: Quantity, scale: Scale) -> int:
    """The number of colours of a quantity of whole numbers; 0 for any other one."""
    return max(1, round(scale.high - scale.low)) if quantity.whole else 0


@cache
def table(quantity: Quantity, steps: int = 0) -> NDArray[np.uint8]:
    """(256, 3) uint8: the colours from low to high; `steps`: of so many different ones."""
    from matplotlib import colormaps

    codes = np.arange(256)
    if steps:
        codes = (codes * steps // 256 * 255) // max(1, steps - 1)
    return np.ascontiguousarray(colormaps[quantity.colormap](codes, bytes=True)[:, :3])


def shown_values(quantity: str, values: Raster, density: float | None) -> Raster:
    """Values to draw for a raster of the core: the density of a liquid becomes rho/rho0 - 1."""
    if quantity != "density" or density is None:
        return values
    return values / np.float32(density) - np.float32(1)


def bar_label(quantity: Quantity, density: float | None, room: int) -> str:
    """The words beside the colour bar, with the unit and, for the pressure, its reference: on a line of its
    own, or left out, if there is `room` for fewer letters."""
    if not quantity.unit:
        return quantity.label
    if density is None:
        return f"{quantity.label} [{quantity.unit}]"
    if quantity.name == "density":
        return f"relative density  {quantity.label}"
    if quantity.name == "pressure":
        name, reference = "pressure [Pa]", f"0 where the density is {density:g} kg/m³"
        if len(name) + 2 + len(reference) <= room:
            return f"{name}, {reference}"
        return f"{name},\n{reference}" if len(reference) <= room else name
    return f"{quantity.label} [{quantity.unit}]"


def contour_levels(quantity: Quantity, scale: Scale) -> Sequence[float]:
    """Lines drawn into the picture of a diverging quantity, dashed below zero, so that its sign is seen
    without colour."""
    return (
        (-0.5 * scale.high, -0.1 * scale.high, 0.1 * scale.high, 0.5 * scale.high)
        if quantity.kind == "diverging"
        else ()
    )
