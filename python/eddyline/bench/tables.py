"""The tables of `eddyline bench`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from eddyline.bench import machine, step

BUSY = 0.9  # share of its cores, below which a measurement says that it was disturbed


def show_steps(console: Console, records: Sequence[step.Record]) -> None:
    table = _table("Whole time steps")
    schemes = {record.scheme for record in records}
    for name in ("case", *(["scheme"] if len(schemes) > 1 else [])):
        table.add_column(name)
    for name in (
        "dim", "particles", "walls", "threads", "M evals/s", "neighbours", "M pairs/s", "ns/pair", "+-",
        "of limit", "B/particle", "B/list pair", "steps/rebuild", "steps/list",
    ):  # fmt: skip
        table.add_column(name, justify="right")
    table.add_column("share of a step [%]")
    for record in records:
        phases = sorted(record.phases.items(), key=lambda item: -item[1])
        total = sum(record.phases.values())
        table.add_row(
            record.case,
            *([record.scheme] if len(schemes) > 1 else []),
            f"{record.dim}D",
            f"{record.particles:,}",
            f"{record.wall_particles:,}",
            str(record.threads),
            f"[bold]{record.evals_per_second / 1e6:.2f}[/]",
            f"{record.neighbours:.1f}",
            f"{record.pairs_per_second / 1e6:.0f}",
            f"{record.ns_per_pair:.2f}",
            f"{record.spread:.0%}",
            "unknown" if record.limit_fraction is None else f"{record.limit_fraction:.0%}",
            f"{record.bytes_per_particle:.0f}",
            f"{record.list_bytes_per_pair:.1f}",
            f"{record.steps_per_rebuild:.1f}",
            f"{record.steps_per_list:.1f}",
            ", ".join(f"{name} {100 * value / total:.0f}" for name, value in phases if value >= 0.01 * total),
        )
    console.print(table)
    if not records:
        return
    first = records[0]
    passes = {record.scheme: record.passes for record in records}
    console.print(
        f"{first.processor}, {first.instructions}; passes over pairs: "
        f"{', '.join(f'{scheme} {count}' for scheme, count in passes.items())}; "
        f"medians of {step.REPETITIONS}; commit {first.commit or 'unknown'}",
        highlight=False,
    )
    for record in records:
        if record.device_bytes_per_particle is None:
            continue
        console.print(
            f"{record.case} in {record.dim}D, {record.particles:,} particles, on {record.instructions}: "
            f"{record.device_bytes_per_particle:.0f} bytes on the device for each particle, lists included; "
            f"it made {record.device_rebuilds:.0%} of the rebuilds alone",
            highlight=False,
        )
    share = min(record.core_share for record in records)
    if share < BUSY and first.device == "cpu":
        console.print(
            f"Other programs used the machine: the benchmark had {share:.0%} of the requested cores. With "
            "one thread their time is excluded; with several it is not.",
            highlight=False,
        )


def show_growth(console: Console, records: Sequence[step.Record]) -> None:
    """Time per particle of each world over its size, the smallest 1."""
    worlds: dict[tuple[str, int, str, int], list[step.Record]] = {}
    for record in records:
        worlds.setdefault((record.case, record.dim, record.scheme, record.threads), []).append(record)
    grown = {key: sorted(each, key=lambda r: r.particles) for key, each in worlds.items() if len(each) > 1}
    if not grown:
        return
    table = _table("Scaling: time of a step per fluid particle")
    for name in ("case", "dim", "scheme", "threads"):
        table.add_column(name)
    table.add_column("ns")
    table.add_column("relative to the smallest")
    for (case, dim, scheme, threads), each in grown.items():
        first = each[0].ns_per_particle
        sizes = [f"{record.particles:,}: {record.ns_per_particle / first:.2f}" for record in each[1:]]
        table.add_row(case, f"{dim}D", scheme, str(threads), f"{first:.0f}", ", ".join(sizes))
    console.print()
    console.print(table)


def show_machine(console: Console, records: Sequence[machine.Record]) -> None:
    table = _table(records[0].processor)
    for name in ("threads", "memory copied, read + written", "+-"):
        table.add_column(name, justify="right")
    for record in records:
        table.add_row(
            str(record.threads), f"{record.copy_bytes_per_second / 1e9:.1f} GB/s", f"{record.spread:.0%}"
        )
    console.print(table)
    pairs = _table("")
    pairs.add_column("pair-sum arithmetic only, M pairs/s per core")
    for name in ("2D", "3D"):
        pairs.add_column(name, justify="right")
    for sums, limits in records[0].pairs_per_second_limit.items():
        pairs.add_row(machine.SUMS[sums], *(f"{limits[dim] / 1e6:.0f}" for dim in (2, 3)))
    console.print(pairs)
    if records[0].message_seconds is not None and records[0].message_bytes_per_second is not None:
        latency, bandwidth = 1e6 * records[0].message_seconds, records[0].message_bytes_per_second / 1e9
        console.print(
            f"messages between two ranks: {latency:.2f} µs, {bandwidth:.2f} GB/s in each direction",
            highlight=False,
        )
    console.print(
        f"{records[0].cores} cores, instruction sets {', '.join(records[0].instructions)}", highlight=False
    )


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
