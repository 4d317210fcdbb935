"""Known results of gallery worlds at given spacings, from stored sweeps and validations."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from eddyline.world.gallery import name_in_gallery

if TYPE_CHECKING:
    from eddyline.world import Comparison, World

TABLE = Path(__file__).resolve().parent.parent / "data" / "sweeps" / "known_at_spacing.csv"
LEAST = 0.005  # half width of a known result, relative to the value: runs differ in where they end
NEAR = 0.02  # relative distance of spacings that count as equal


@dataclass(frozen=True)
class Known:
    """A stored value. count: spacings to the reference length. error: statistical, None if not stored."""

    world: str
    quantity: str
    reynolds: float
    count: float
    value: float
    error: float | None
    origin: str

    @property
    def half(self) -> float:
        """Half width of the interval in which another run is expected."""
        return max(LEAST * abs(self.value), 2 * (self.error or 0.0))


@dataclass(frozen=True)
class KnownRange:
    """text: such as `+5 to +7 % at D/12 (sweep of ...)`. as_expected: the value lies in this interval.
    finest: text about the result at the finest stored spacing, or empty."""

    text: str
    as_expected: bool
    finest: str


@cache
def stored() -> tuple[Known, ...]:
    """The rows of the table."""
    lines = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return tuple(
        Known(
            row["world"], row["quantity"], float(row["Re"]), float(row["count"]), float(row["value"]),
            float(row["error"]) if row["error"] else None, row["origin"],
        )
        for row in csv.DictReader(lines)
    )  # fmt: skip


def known_range(world: World, comparison: Comparison) -> KnownRange | None:
    """Expected value for a comparison that is outside its band, from stored results at the spacing of this
    world or at two spacings around it; None if nothing is stored. All results
    are of the solver sph."""
    if comparison.measured is None or not comparison.error or not comparison.relative:
        return None
    reference, reynolds = world.reference, world.reynolds
    if reference is None or reynolds is None or world.solver.name != "sph":
        return None
    name = name_in_gallery(world.source)
    rows = [
        row
        for row in stored()
        if row.world == name
        and row.quantity == comparison.quantity
        and math.isclose(row.reynolds, reynolds, rel_tol=1e-6)
    ]
    count = reference.length / world.core.spacing
    same = [row for row in rows if abs(row.count / count - 1) < NEAR]
    coarser = [row for row in rows if row.count <= count]
    finer = [row for row in rows if row.count >= count]
    if not same and not (coarser and finer):
        return None
    used = same[:1] or [max(coarser, key=lambda row: row.count), min(finer, key=lambda row: row.count)]
    edge = comparison.measured / (1 + comparison.error)  # what the error is relative to
    low = min(row.value - row.half for row in used)
    high = max(row.value + row.half for row in used)
    origins = " and ".join(dict.fromkeys(row.origin for row in used))
    text = f"{_percent(low / edge - 1)} to {_percent(high / edge - 1)} % ({origins})"
    finest = max(rows, key=lambda row: row.count)
    words = ""
    if finest.count > (1 + NEAR) * count:
        words = f"{finest.value:.4g} with {finest.count:g} spacings to the reference length ({finest.origin})"
    return KnownRange(text, low <= comparison.measured <= high, words)


def _percent(share: float) -> str:
    return f"{100 * share:+.1f}"
