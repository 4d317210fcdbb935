"""The table of a plan as text."""

from __future__ import annotations

from collections.abc import Sequence

from eddyline.plan.forecast import Interval, Row
from eddyline.plan.run_plan import RunPlan
from eddyline.world.problems import duration

_MAPPER = ("nodes", "maxpts", "minpts", "avgpts", "%avgdev", "megawords", "exetime")


def mapper_table(rows: Sequence[Row]) -> str:
    """The columns of Mapper alone."""
    return _lined([list(_MAPPER), *(_mapper_cells(row) for row in rows)])


def text_of(plan: RunPlan) -> str:
    """Title, table and advice."""
    return "\n".join([*_head(plan), "", plan_table(plan.rows), "", *(f"  {line}" for line in plan.advice)])


def plan_table(rows: Sequence[Row]) -> str:
    """All columns; those of time only if the rate is known."""
    head = [*_MAPPER, "messages", "kB/step", "MB/rank"]
    timed = rows[0].step is not None
    if timed:
        head += ["ms/step", "+-", "efficiency"]
    walled = timed and rows[0].wall is not None and rows[0].wall.value > 0
    if walled:
        head += ["wall time", "from", "to"]
    lines = [head]
    for row in rows:
        cells = [
            *_mapper_cells(row),
            f"{row.messages:,}",
            f"{row.kilobytes:,.1f}",
            f"{row.memory_bytes / 1e6:,.0f}",
        ]
        if row.step is not None and row.efficiency is not None:
            cells += [_milliseconds(row.step), f"{_error(row.step):.0%}", f"{row.efficiency:.0%}"]
        if walled and row.wall is not None:
            cells += [duration(row.wall.value), duration(row.wall.low), duration(row.wall.high)]
        lines.append(cells)
    return _lined(lines)


def _head(plan: RunPlan) -> list[str]:
    total = round(plan.rows[0].maxpts / plan.rows[0].exetime)
    threads = f", {plan.threads} threads per rank" if plan.threads > 1 else ""
    steps = f", about {plan.steps:,} steps" if plan.steps else ""
    network = plan.network
    return [
        f"{plan.title}: {total:,} {plan.unit}{steps}{threads}",
        f"  rate: {plan.work.origin}",
        f"  messages: {1e6 * network.latency:.3g} µs, {network.bandwidth / 1e9:.3g} GB/s; {network.origin}",
    ]


def _mapper_cells(row: Row) -> list[str]:
    return [
        str(row.nodes), f"{row.maxpts}", f"{row.minpts}", f"{row.avgpts}", f"{row.avgdev:.3f}",
        f"{row.megawords:.3f}", f"{row.exetime:.3f}",
    ]  # fmt: skip


def _milliseconds(step: Interval) -> str:
    return f"{1e3 * step.value:.3g}"


def _error(step: Interval) -> float:
    return max(step.high - step.value, step.value - step.low) / step.value


def _lined(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )
