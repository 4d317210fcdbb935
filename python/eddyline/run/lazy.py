"""Texts about lazy runs, in which ranks exchange halos at every K-th step only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eddyline.option_names import called, given
from eddyline.run.errors import RequestError

if TYPE_CHECKING:
    from eddyline.run.record import Run

BREAKS = "breaks_the_law"
"""Key of run.json: the reason why a run broke the law; absent if it did not."""
MOST = 1_000_000  # steps between exchanges


def check_lazy(every: int, *, exact: bool) -> None:
    if every < 1:
        raise RequestError(f"{given('lazy', every)}: must be >= 1 (1: ranks exchange in every step)")
    if every > MOST:
        raise RequestError(f"lazy = {every}: must be <= {MOST}; only a few steps save time")
    if every == 1 and not exact:
        raise RequestError(
            f"{called('lazy_inexact')} without {called('lazy')}: add the number of steps between "
            f"exchanges, for example {given('lazy', 4)}"
        )


def lazy_record(every: int, *, exact: bool) -> dict[str, Any]:
    """Entry of run.json for a run on two ranks or more."""
    if every == 1:
        return {}
    kept: dict[str, Any] = {"lazy": {"every": every, "exact": exact}}
    if not exact:
        kept[BREAKS] = (
            f"--lazy {every} --lazy-inexact: halos are up to {every - 1} step{'s' if every > 2 else ''} "
            "old, so the result depends on ranks, boxes and decomposition"
        )
    return kept


def effective(run: Run) -> float | None:
    """Mean number of steps between exchanges, which rebuilds shorten. None without exchanges."""
    lazy = run.record.get("statistics", {}).get("lazy")
    return float(lazy["steps"] / lazy["refreshes"]) if lazy and lazy["refreshes"] else None


def lazy_story(run: Run) -> str:
    """Text of the report; empty if the run was not lazy."""
    lazy = run.record.get("statistics", {}).get("lazy")
    if not lazy:
        return ""
    reached = effective(run)
    often = (
        f"every {reached:.2f} steps on average, because neighbour list rebuilds also exchange"
        if reached
        else "never"
    )
    if not lazy["exact"]:
        meanwhile = "In between each rank used the last halo."
    else:
        meanwhile = (
            f"In between each rank recomputed the surrounding cells, {lazy['cells']} deep: "
            f"{lazy['copies']:,} halo particles in all ranks."
        )
    return f"Halo exchange was requested every {lazy['every']} steps and took place {often}. {meanwhile}"
