"""Messages of a step, over what a `Traffic` counts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Exchange:
    """messages: of each that a `Traffic` counts, in a step.  row_bytes: sent for each of its rows in a step.
    agreements: how often all ranks agree on a value in a step."""

    messages: float
    row_bytes: float
    agreements: float = 1.0
