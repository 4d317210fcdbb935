"""Advice: how many ranks pay, what limits them, and what to change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eddyline.plan.blocks import Pieces
from eddyline.plan.forecast import Network, Row
from eddyline.run.progress import duration
from eddyline.world.memory import available_memory
from eddyline.world.problems import listed

ENOUGH = 1.05
"""Wall time over the shortest that still counts as the same."""
USEFUL = 0.5
"""Efficiency below which most of the core time is lost."""


def advice_for_particles(
    rows: Sequence[Row],
    *,
    fixed: float,
    cores: int,
    threads: int,
    network: Network,
    most_ranks: int | None,
) -> list[str]:
    """Sentences about an SPH run. fixed: wall seconds that ranks do not shorten; most_ranks: the largest
    number of ranks that the grid allows, if more were asked for."""
    return list(_particles(rows, fixed, cores, threads, network, most_ranks))


def _particles(
    rows: Sequence[Row], fixed: float, cores: int, threads: int, network: Network, most_ranks: int | None
) -> Iterator[str]:
    best = _enough(rows, [row.wall.value if row.wall else 0.0 for row in rows])
    last = rows[-1]
    if best is not last:
        assert best.wall is not None and last.wall is not None
        yield (
            f"More than {_ranks(best.nodes)} bring nothing: {duration(best.wall.value)} on {best.nodes}, "
            f"{duration(last.wall.value)} on {last.nodes}."
        )
    else:
        yield f"Up to {_ranks(last.nodes)} each further one shortens the run."
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
    if most_ranks is not None:
        yield (
            f"The cell grid cannot be cut into more than about {most_ranks} boxes. For more ranks use a "
            "finer spacing."
        )


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
            f"More than {_ranks(best.nodes)} bring nothing: the largest load is {best.maxpts:,} points on "
            f"{best.nodes} and {last.maxpts:,} on {last.nodes}."
        )
    else:
        yield f"Up to {_ranks(last.nodes)} each further one shortens the run."
    for row, halved, pieces in zip(rows, other, finer, strict=True):
        if split or row.nodes < best.nodes or halved.exetime > 0.95 * row.exetime:
            continue
        names = [f'"{name}"' for name in pieces.split_blocks()]
        shown = listed(names) if len(names) <= 4 else f"{len(names)} blocks"
        word = "block" if len(names) == 1 else "blocks" if len(names) <= 4 else ""
        yield (
            f"Split {word} {shown} ({len(pieces.pieces)} pieces): on {row.nodes} ranks the time is "
            f"{halved.exetime:.3f} instead of {row.exetime:.3f} of one rank's. Add --split."
        ).replace("  ", " ")
        break


def _enough(rows: Sequence[Row], seconds: Sequence[float]) -> Row:
    """The first row that is nearly as fast as the fastest."""
    least = min(seconds)
    return next(row for row, each in zip(rows, seconds, strict=True) if each <= ENOUGH * least)


def _ranks(count: int) -> str:
    return f"{count} rank{'s' if count > 1 else ''}"


def _lost(row: Row) -> str:
    """The larger reason why a row is inefficient."""
    uneven = 1 - row.avgpts / max(row.maxpts, 1)
    if (row.communication or 0.0) > uneven:
        return f"messages take {100 * (row.communication or 0.0):.0f} % of a step"
    return f"the fullest rank has {row.maxpts / max(row.avgpts, 1):.1f} times the average load"
