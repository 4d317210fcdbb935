"""A plan, and the numbers of ranks that it is for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from eddyline.plan.forecast import Network, PlanError, Row, Work, as_json

MOST_RANKS = 100_000
MOST_ROWS = 32  # of a range that is shown whole


@dataclass(frozen=True)
class RunPlan:
    """unit: what is divided, "particles" or "points".  rows: by number of ranks.  advice: sentences."""

    title: str
    unit: str
    rows: list[Row]
    advice: list[str]
    network: Network
    work: Work
    steps: int
    fixed_seconds: float
    threads: int

    def as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "unit": self.unit,
            "steps": self.steps,
            "fixed_seconds": self.fixed_seconds,
            "threads": self.threads,
            "network": asdict(self.network),
            "work": asdict(self.work),
            "rows": [as_json(row) for row in self.rows],
            "advice": self.advice,
        }


def numbers_of_ranks(text: str) -> list[int]:
    """Numbers of ranks: "4", "1,2,4", "1..32": all, or "1..1024": all up to 8, and then two in each octave.
    Raises PlanError."""
    found: set[int] = set()
    for part in text.split(","):
        low, dots, high = part.partition("..")
        try:
            first, last = int(low), int(high if dots else low)
        except ValueError:
            raise PlanError(f"--ranks {text}: must be numbers such as 8, 1,2,4 or 1..1024") from None
        if not 1 <= first <= last <= MOST_RANKS:
            raise PlanError(f"--ranks {text}: must be from 1 to {MOST_RANKS}, the lower number first")
        if last - first < MOST_ROWS:
            found |= set(range(first, last + 1))
            continue
        octaves = [k * 2**n for n in range(2, last.bit_length()) for k in (2, 3)]
        shown = [*range(1, 9), *octaves]
        found |= {first, last} | {count for count in shown if first <= count <= last}
    return sorted(found)
