"""Advice: how many ranks pay, what limits them, and what to change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eddyline.plan.blocks import Pieces
from eddyline.plan.forecast import Network, Row
from eddyline.world.memory import available_memory
from eddyline.world.problems import duration, listed

ENOUGH = 1.05
"""Wall time over the shortest that still counts as the same."""
WORTH = 1.05
"""Gain of splitting blocks above which it is proposed, if it is nowhere twofold."""
MOST_NAMES = 4  # of blocks in a sentence
USEFUL = 0.5
"""Efficiency below which most of the core time is lost."""


def advice_for_runs(
    rows: Sequence[Row], *, fixed: float, cores: int, threads: int, network: Network, limit: str | None
) -> list[str]:
    """Sentences about a run. fixed: wall seconds that ranks do not shorten; limit: a sentence on numbers of
    ranks that are not possible."""
    return list(_of_runs(rows, fixed, cores, threads, network, limit))


def _of_runs(
    rows: Sequence[Row], fixed: float, cores: int, threads: int, network: Network, limit: str | None
) -> Iterator[str]:
    best = _enough(rows, [row.wall.value if row.wall else 0.0 for row in rows])
    last = rows[-1]
    if best is not last:
        assert best.wall is not None and last.wall is not None
        yield (
            f"More than {_ranks(best.nodes)} bring{_s(best.nodes)} nothing: "
            f"{duration(best.wall.value)} on {best.nodes}, {duration(last.wall.value)} on {last.nodes}."
        )
    elif len(rows) > 1:
        yield f"{last.nodes} ranks, the most in the table, are the fastest."
    useful = [row for row in rows if (row.efficiency or 0.0) >= USEFUL]
    if useful and useful[-1] is not last:
        after = rows[list(rows).index(useful[-1]) + 1]
        yield (
            f"Up to {_ranks(useful[-1].nodes)} at least half of the core time computes the flow; on "
            f"{after.nodes} {_lost(after)}."
        )
    if best.wall is not None and fixed > 0.5 * best.wall.value:
        yield (
            f"Pictures, film and report take {duration(fixed)} of it, on any number of ranks. Reduce "
            "output.pictures to shorten them."
        )
    if best.nodes * threads > cores:
        yield (
            f"This machine has {cores} core{'s' if cores > 1 else ''} for this process: more ranks need "
            f"other machines, with their own --latency and --bandwidth (now {network.origin})."
        )
    memory = available_memory()
    if memory is not None and best.memory_bytes > memory:
        yield (
            f"The fullest rank needs {best.memory_bytes / 1e9:.2g} GB; {memory / 1e9:.2g} GB are free here."
        )
    if limit is not None:
        yield limit


def advice_for_blocks(
    rows: Sequence[Row], other: Sequence[Row], finer: Sequence[Pieces], *, split: bool
) -> list[str]:
    """Sentences about a mesh. other: the same with blocks split, or with `split` unsplit; finer: the pieces
    of split blocks."""
    return list(_blocks(rows, other, finer, split))


def _blocks(rows: Sequence[Row], other: Sequence[Row], finer: Sequence[Pieces], split: bool) -> Iterator[str]:
    best = _enough(rows, [row.step.value if row.step else row.exetime for row in rows])
    last = rows[-1]
    if best is not last:
        yield (
            f"More than {_ranks(best.nodes)} bring{_s(best.nodes)} nothing: the largest load is "
            f"{best.maxpts:,} points on {best.nodes} and {last.maxpts:,} on {last.nodes}."
        )
    elif len(rows) > 1:
        yield f"{last.nodes} ranks, the most in the table, have the smallest load."
    if split:
        return
    gains = [row.exetime / halved.exetime for row, halved in zip(rows, other, strict=True)]
    worth = [k for least in (2.0, WORTH) for k, gain in enumerate(gains) if gain >= least]
    if not worth:
        return
    row, halved, pieces = rows[worth[0]], other[worth[0]], finer[worth[0]]
    names = [f'"{name}"' for name in pieces.split_blocks()]
    shown = f"block{'s' if len(names) > 1 else ''} {listed(names)}"
    if len(names) > MOST_NAMES:
        shown = f"{len(names)} blocks"
    yield (
        f"Split {shown} ({len(pieces.pieces)} pieces in all): on {row.nodes} ranks the largest load is "
        f"{halved.exetime:.3f} of all points instead of {row.exetime:.3f}. Add --split."
    )


def _enough(rows: Sequence[Row], seconds: Sequence[float]) -> Row:
    """The first row that is nearly as fast as the fastest."""
    least = min(seconds)
    return next(row for row, each in zip(rows, seconds, strict=True) if each <= ENOUGH * least)


def _ranks(count: int) -> str:
    return f"{count} rank{'s' if count > 1 else ''}"


def _s(count: int) -> str:
    """The ending of a verb."""
    return "s" if count == 1 else ""


def _lost(row: Row) -> str:
    """The largest reason why a row is inefficient."""
    talking, repeated = row.communication or 0.0, row.repeated or 0.0
    uneven = (1 - row.avgpts / max(row.maxpts, 1)) * (1 - talking - repeated)
    if talking >= max(uneven, repeated):
        return f"messages take {100 * talking:.0f} % of a step"
    if repeated >= uneven:
        return f"work that every rank repeats takes {100 * repeated:.0f} % of a step"
    return f"the fullest rank has {row.maxpts / max(row.avgpts, 1):.1f} times the average load"
