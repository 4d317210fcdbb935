"""Figures of a validation case, and how each is judged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured value beside its reference.

    quantity: what was measured, with its unit unless it is a ratio.
    measured: the value.
    reference: what it is held against, in words or as a number; empty if nothing is.
    error: its distance from the reference, in the sense of `allowed`; None where only reported.
    allowed: the limit, in words; empty where only reported.
    ok: whether it keeps the limit; None where only reported.
    """

    quantity: str
    measured: float
    reference: str = ""
    error: float | None = None
    allowed: str = ""
    ok: bool | None = None

    def __post_init__(self) -> None:
        """Plain numbers, whatever arrays they come from."""
        object.__setattr__(self, "measured", float(self.measured))
        object.__setattr__(self, "error", None if self.error is None else float(self.error))
        object.__setattr__(self, "ok", None if self.ok is None else bool(self.ok))


def relative(quantity: str, measured: float, reference: float, allowed: float) -> Figure:
    """Judged by |measured - reference| / |reference| <= allowed."""
    error = (measured - reference) / abs(reference)
    return Figure(
        quantity, measured, _short(reference), error, f"+-{_percent(allowed)}", abs(error) <= allowed
    )


def below(quantity: str, measured: float, limit: float, reference: str = "0") -> Figure:
    """Judged by measured <= limit; what is measured is an error already."""
    return Figure(quantity, measured, reference, measured, f"<= {_short(limit)}", measured <= limit)


def between(quantity: str, measured: float, low: float, high: float, reference: str = "") -> Figure:
    """Judged by low <= measured <= high; the error is the distance from the nearer end."""
    error = measured - min(max(measured, low), high) if math.isfinite(measured) else math.nan
    return Figure(
        quantity, measured, reference, error, f"{_short(low)} to {_short(high)}", low <= measured <= high
    )


def none_of(quantity: str, count: int) -> Figure:
    """Judged by count == 0."""
    return Figure(quantity, float(count), "0", float(count), "0", count == 0)


def report(quantity: str, measured: float, reference: float | None = None) -> Figure:
    """Not judged; the error is relative to the reference, where there is one."""
    if reference is None:
        return Figure(quantity, measured)
    error = (measured - reference) / abs(reference) if reference else None
    return Figure(quantity, measured, _short(reference), error)


def all_ok(figures: Sequence[Figure]) -> bool:
    """True if no judged figure misses its limit."""
    return all(figure.ok is not False for figure in figures)


def _short(value: float) -> str:
    return f"{value:.4g}"


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"
