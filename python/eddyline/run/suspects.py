"""Likely reasons why a value lies outside its band. Each effect is estimated; it is named only if it explains
a fair share of the difference."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eddyline.world.gallery import is_of_gallery
from eddyline.world.schema import Inflow, Wall
from eddyline.world.sph_options import SphOptions

if TYPE_CHECKING:
    from eddyline.run.known import KnownRange
    from eddyline.world import Comparison, World
    from eddyline.world.series_table import SeriesTable

FAST = 0.15  # Mach number, above which compressibility is a suspect
FAIR = 0.25  # share of a difference that a suspect must explain to be named
MOST = 0.75  # share from which on it is the likely cause, and not a part of it


@dataclass(frozen=True)
class Effect:
    """An effect that changes a value by `size`, relative to the value. sign: 1 if it raises the value, 0 if
    the direction is unknown."""

    name: str
    words: str
    size: float
    sign: int = 0

    def explains(self, error: float) -> float:
        """Share of a relative difference that the effect explains; 0 if it acts in the other direction."""
        return 0.0 if self.sign * error < 0 else self.size / abs(error)


class Suspects:
    """Finds reasons why a value lies outside its band, or why a value inside it is not final yet. drags: mean
    drag coefficients by body."""

    def __init__(
        self, world: World, series: Mapping[str, SeriesTable], reached: float, drags: Mapping[str, float]
    ) -> None:
        self.world = world
        self.series = series
        self.reached = reached
        self.drags = drags

    def reason(self, comparison: Comparison, *, unbounded: bool, known: KnownRange | None = None) -> str:
        """Reason text for a comparison. A value inside its band gets only the note that the run is
        unfinished."""
        unit = self.world.time_unit
        if unit == "s":
            so_far = f"t = {self.reached:.4g} s of {self.world.end:.4g} s"
        else:
            so_far = f"{self.reached:.4g} of {self.world.end:.4g} {unit}"
        is_short = self.reached < 0.999 * self.world.end
        if comparison.inside is not False:
            return f"preliminary: {so_far}" if comparison.inside and is_short else ""
        found = []
        if is_short:
            found.append(f"the run is likely too short: it has reached {so_far}")
        elif self._is_covered(comparison):
            found.append("the run is likely too short: the statistical error exceeds the difference")
        found += self._named(comparison, unbounded)
        if known is None:
            found.append("the effect of the resolution is unknown; run a sweep over domain.spacing")
        else:
            if not known.as_expected:
                found.insert(0, f"unexpected at this spacing, where earlier runs gave {known.text}")
            if known.finest:
                found.append(f"a finer run gives {known.finest}")
        if not is_of_gallery(self.world.source):
            found.append("this world may differ from the published case")
        return "; ".join(found)

    def _is_covered(self, comparison: Comparison) -> bool:
        measured, error = comparison.measured, comparison.statistical_error
        if measured is None or not error or comparison.error is None or measured == 0:
            return False
        beyond = abs(comparison.error) - (comparison.allowed or 0.0)
        return beyond * abs(measured) < 2 * error

    def _named(self, comparison: Comparison, unbounded: bool) -> Iterator[str]:
        error = comparison.error
        if not error or not comparison.relative:
            return
        effects = [*self._domain(comparison.quantity, unbounded), *self._mach()]
        effects.sort(key=lambda effect: -effect.explains(error))
        for effect in effects:
            share = effect.explains(error)
            if share >= FAIR:
                yield f"{'likely' if share >= MOST else 'in part'} {effect.name}: {effect.words}"

    def _mach(self) -> Iterator[Effect]:
        """Compressibility changes pressures by half the square of the Mach number (Prandtl, Glauert)."""
        budget = self.series.get("budget")
        is_sph = isinstance(self.world.file.method, SphOptions)
        if budget is None or not len(budget) or not is_sph:
            return
        late = np.asarray(budget["time"]) >= 0.5 * self.reached
        if not late.any():
            return
        # Median, as single particles may be faster for a moment.
        speed = float(np.nanmedian(np.asarray(budget["max_speed"])[late]))
        mach = speed / self.world.core.fluid.sound_speed
        if mach > FAST:
            size = 0.5 * mach**2
            yield Effect("the Mach number", f"{mach:.2f} changes pressures by about {100 * size:.2g} %", size)

    def _domain(self, quantity: str, unbounded: bool) -> Iterator[Effect]:
        """Effect of the sides and the inflow of a domain that stands for an unbounded stream (2D)."""
        stream = Stream.of(self.world, quantity, self.drags)
        power = _power(quantity)
        if stream is None or power == 0 or not (unbounded or stream.is_stand_in):
            return
        parts, size = [], 0.0
        if stream.blockage is not None:
            share = stream.blocking(power)
            size += share
            parts.append(
                f"{100 * share:.2g} % by blockage (the body takes {100 * stream.blockage:.2g} % of the width)"
            )
        if stream.upstream is not None:
            share = power * stream.slowing
            size += share
            parts.append(f"{100 * share:.2g} % by the inflow {stream.upstream:.3g} diameters upstream")
        if not parts:
            return
        words = f"it raises the value by about {' and '.join(parts)}"
        if not unbounded:
            words += ", if the published value is for an unbounded stream"
        yield Effect("the size of the domain", words, size, 1)


def _power(quantity: str) -> int:
    """Power of the stream speed to which a quantity is proportional; 0 if that is not known."""
    if re.fullmatch(r"\w+\.(drag|lift)_coefficient\.\w+", quantity):
        return 2
    return 1 if re.fullmatch(r"\w+\.strouhal", quantity) else 0


@dataclass(frozen=True)
class Stream:
    """A body in a stream along x or y.

    drag: its coefficient.  blockage: its width over that of the domain, None between open sides.
    upstream: from the middle of the body to the inflow, in widths of the body; None without an inflow.
    is_stand_in: whether the sides let the fluid slip, as those of a domain in place of an unbounded stream.
    """

    drag: float
    blockage: float | None
    upstream: float | None
    is_stand_in: bool

    @classmethod
    def of(cls, world: World, quantity: str, drags: Mapping[str, float]) -> Stream | None:
        """The stream around the body of a quantity; None if there is none."""
        name = quantity.partition(".")[0]
        body = world.file.bodies.get(name)
        if body is None or name not in drags or world.core.dimensions != 2:
            return None
        inflows = [side for side in world.sides if isinstance(world.file.boundaries.side(side), Inflow)]
        axis = 1 if inflows and inflows[0] in ("bottom", "top") else 0
        across = 1 - axis
        low, high = body.core_shape.bounds
        width = float(high[across] - low[across])
        beside = ("left", "right") if across == 0 else ("bottom", "top")
        sides = [world.file.boundaries.side(side) for side in beside]
        closed = all(side.type in ("wall", "periodic") for side in sides)
        slips = all(side.slip if isinstance(side, Wall) else side.type != "inflow" for side in sides)
        upstream = None
        if len(inflows) == 1:
            origin, size = world.core.origin, world.core.size
            start = float(origin[axis]) + (float(size[axis]) if inflows[0] in ("right", "top") else 0.0)
            upstream = abs(0.5 * float(low[axis] + high[axis]) - start) / width
        return cls(
            drags[name],
            width / float(world.core.size[across]) if closed else None,
            upstream,
            slips and upstream is not None,
        )

    def blocking(self, power: int) -> float:
        """Relative increase by blockage of a value proportional to this power of the speed, 1 or 2: the speed
        rises by Cd/4 (D/H) + 0.82 (D/H)^2, a drag by Cd/2 (D/H) + 2.5 (D/H)^2 (Allen & Vincenti 1944)."""
        ratio = self.blockage or 0.0
        if power == 1:
            return 0.25 * self.drag * ratio + 0.82 * ratio**2
        return 0.5 * self.drag * ratio + 2.5 * ratio**2

    @property
    def slowing(self) -> float:
        """Relative loss of speed of an unbounded stream at the position of the inflow, Cd D/(4 pi X) + (D/(2
        X))^2. Far from a body with drag the flow is that of a source of strength Cd U D / 2 (Imai 1951) and
        the dipole of a cylinder. The inflow suppresses this loss."""
        if not self.upstream:
            return 0.0
        return self.drag / (4 * math.pi * self.upstream) + (0.5 / self.upstream) ** 2
