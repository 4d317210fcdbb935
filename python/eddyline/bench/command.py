"""The command line of `eddyline bench` and its tables."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from eddyline.bench import machine, step
from eddyline.bench.worlds import CASES, SCHEMES
from eddyline.run.machine import available_cores

SIZES, LARGE = (10_000, 100_000), 1_000_000
DEFAULT_CASES = ("box", "dam")
WIDTH = 140


def run(arguments: Sequence[str] | None = None) -> int:
    """Parses the command line and measures; returns the exit code."""
    options = _parser().parse_args(arguments)
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    threads = options.threads or sorted({1, min(2, available_cores())})
    if options.what == "machine":
        found = machine.measure(threads)
        _show_machine(console, found)
        _write(options.json, [record.as_json() for record in found])
        return 0
    sizes = options.sizes or [*SIZES, *([LARGE] if options.large else [])]
    records = list(
        _show_progress(
            console, step.measure(options.case or DEFAULT_CASES, options.dim, sizes, threads, options.scheme)
        )
    )
    _show_steps(console, records)
    _write(options.json, [record.as_json() for record in records])
    return 0


def _show_progress(console: Console, records: Iterable[step.Record]) -> Iterable[step.Record]:
    with console.status("measuring ...") as status:
        for record in records:
            status.update(f"measured {record.case} in {record.dim}D, {record.particles:,} particles")
            yield record


def _show_steps(console: Console, records: Sequence[step.Record]) -> None:
    table = Table(
        title="Whole time steps", title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0)
    )
    for name in ("case", "dim", "particles", "walls", "threads"):
        table.add_column(name, justify="left" if name == "case" else "right")
    for name in (
        "M evals/s",
        "neighbours",
        "M pairs/s",
        "ns/pair",
        "+-",
        "of limit",
        "B/particle",
        "steps/rebuild",
    ):
        table.add_column(name, justify="right")
    table.add_column("ns of a step")
    for record in records:
        phases = sorted(record.phases.items(), key=lambda item: -item[1])
        table.add_row(
            record.case,
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
            f"{record.steps_per_rebuild:.1f}",
            ", ".join(f"{name} {value:.0f}" for name, value in phases if value >= 1),
        )
    console.print(table)
    if records:
        first = records[0]
        console.print(
            f"{first.processor}, {first.instructions}, scheme {first.scheme}, "
            f"{first.passes} passes over pairs, medians of {step.REPETITIONS}, "
            f"commit {first.commit or 'unknown'}",
            highlight=False,
        )


def _show_machine(console: Console, records: Sequence[machine.Record]) -> None:
    table = Table(
        title=records[0].processor, title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0)
    )
    for name in ("threads", "memory copied, read + written", "+-", "arithmetic of pair sums alone"):
        table.add_column(name, justify="right")
    for record in records:
        limits = record.pairs_per_second_limit
        table.add_row(
            str(record.threads),
            f"{record.copy_bytes_per_second / 1e9:.1f} GB/s",
            f"{record.spread:.0%}",
            ", ".join(f"{dim}D {limit / 1e6:.0f} M pairs/s a core" for dim, limit in limits.items()),
        )
    console.print(table)
    console.print(
        f"{records[0].cores} cores, instruction sets {', '.join(records[0].instructions)}", highlight=False
    )


def _write(path: Path | None, records: list[dict[str, Any]]) -> None:
    if path is not None:
        path.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")


def _numbers(text: str) -> list[int]:
    """Whole numbers above 0 between commas, such as 10000,1e5."""
    try:
        values = [int(float(part)) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: must be whole numbers between commas") from None
    if any(value < 1 for value in values):
        raise argparse.ArgumentTypeError(f"{text}: must be at least 1")
    return values


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="eddyline bench",
        description="Measure how fast this machine computes. An evaluation is the rates of one fluid "
        "particle, once; a step has one. Pairs are true directed pairs.",
    )
    parser.add_argument("what", choices=["step", "machine"], help="time steps, or the machine itself")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the records to FILE")
    parser.add_argument("--threads", type=_numbers, metavar="N,N", help="numbers of threads; default 1 and 2")
    parser.add_argument(
        "--case", action="append", choices=list(CASES), help="box, dam or gas; default box and dam"
    )
    parser.add_argument(
        "--scheme",
        choices=SCHEMES,
        default="delta",
        help="of box and dam; default delta. A gas takes classic",
    )
    parser.add_argument("--dim", type=_numbers, default=[2, 3], metavar="D,D", help="dimensions; default 2,3")
    parser.add_argument("--sizes", type=_numbers, metavar="N,N", help="particles; default 10000,100000")
    parser.add_argument("--large", action="store_true", help="a million particles, too")
    return parser
