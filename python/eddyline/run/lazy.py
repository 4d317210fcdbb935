"""Texts about lazy runs, in which ranks exchange halos at every K-th step only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.option_names import called, given
from eddyline.run.errors import RequestError

if TYPE_CHECKING:
    from eddyline.run.record import Run

BREAKS = "breaks_the_law"
"""Key of run.json: why a run broke the law; not there if it did not."""
MOST = 1_000_000  # steps between exchanges


def check_lazy(every: int, *, exact: bool) -> None:
    if every < 1:
        raise RequestError(f"lazy = {every}: must be >= 1 (1: ranks exchange in every step)")
    if every > MOST:
        raise RequestError(f"lazy = {every}: must be <= {MOST}, and a few steps are what pays")
    if every == 1 and not exact:
        raise RequestError(
            f"{called('lazy_inexact')} without {called('lazy')}: say at every how many steps ranks exchange, "
            f"for example {given('lazy', 4)}"
        )


def lazy_record(every: int, *, exact: bool) -> dict[str, Any]:
    """Entry of run.json for a run on two ranks or more."""
    if every == 1:
        return {}
    kept: dict[str, Any] = {"lazy": {"every": every, "exact": exact}}
    if not exact:
        kept[BREAKS] = (
            f"--lazy {every} --lazy-inexact: what ranks know of each other is up to {every - 1} "
            f"step{'s' if every > 2 else ''} old, so that other ranks, boxes or cuts give another result"
        )
    return kept


def effective(run: Run) -> float | None:
    """Steps between exchanges, as they were: rebuilds come in between. None if there was none, or no need."""
    lazy = run.record.get("statistics", {}).get("lazy")
    return float(lazy["steps"] / lazy["refreshes"]) if lazy and lazy["refreshes"] else None


def lazy_story(run: Run) -> str:
    """Text of the report; empty if the run was not lazy."""
    lazy = run.record.get("statistics", {}).get("lazy")
    if not lazy:
        return ""
    reached = effective(run)
    often = f"every {reached:.2f} steps on average, as rebuilds come in between" if reached else "never"
    if not lazy["exact"]:
        meanwhile = "Meanwhile each went on with what it last knew of the others."
    else:
        meanwhile = (
            f"Meanwhile each computed the cells around its own as well, {lazy['cells']} deep: "
            f"{lazy['copies']:,} copies of particles in all ranks."
        )
    return f"Ranks were to exchange at every {lazy['every']} steps, and did {often}. {meanwhile}"
