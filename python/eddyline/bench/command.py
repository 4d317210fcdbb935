"""The command line of `eddyline bench`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from eddyline.bench import machine, step
from eddyline.bench.tables import show_growth, show_machine, show_steps
from eddyline.bench.worlds import CASES, SCHEMES, TooFewError
from eddyline.run.machine import available_cores

SIZES, LARGE = (10_000, 100_000), 1_000_000
DEFAULT_CASES = ("box", "dam")
WIDTH = 180


def run(arguments: Sequence[str] | None = None) -> int:
    """Parses the command line and measures; returns the exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["exchange"]:
        from eddyline.bench.exchange.command import run as run_exchange

        return run_exchange(words[1:])
    parser = _parser()
    options = parser.parse_args(words)
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    _check(parser, options.json, options.picture)
    threads = options.threads or sorted({1, min(2, available_cores())})
    if options.what == "machine":
        found = machine.measure(threads)
        show_machine(console, found)
        _write(options.json, [record.as_json() for record in found])
        return 0
    sizes = options.sizes or [*SIZES, *([LARGE] if options.large else [])]
    schemes = options.scheme or SCHEMES[:1]
    try:
        measured = step.measure(options.case or DEFAULT_CASES, options.dim, sizes, threads, schemes)
    except TooFewError as error:
        parser.error(f"argument --sizes: {error}")
    records = list(_show_progress(console, measured))
    show_steps(console, records)
    show_growth(console, records)
    _write(options.json, [record.as_json() for record in records])
    if options.picture:
        from eddyline.bench.picture import draw

        alone = [record for record in records if record.threads == min(threads)]
        draw(options.picture, alone, machine.measure([min(threads)])[0])
    return 0


def _check(parser: argparse.ArgumentParser, records: Path | None, picture: Path | None) -> None:
    """What would fail after all measurements is found before them."""
    if picture is not None and picture.suffix != ".png":
        parser.error(f"--picture {picture}: must end in .png")
    for name, path in (("json", records), ("picture", picture)):
        if path is not None and not path.parent.is_dir():
            parser.error(f"--{name} {path}: there is no folder {path.parent}. Make it first.")


def _show_progress(console: Console, records: Iterable[step.Record]) -> Iterable[step.Record]:
    with console.status("measuring ...") as status:
        for record in records:
            status.update(f"measured {record.case} in {record.dim}D, {record.particles:,} particles")
            yield record


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


def _dimensions(text: str) -> list[int]:
    if text not in ("2", "3", "2,3", "3,2"):
        raise argparse.ArgumentTypeError(f"{text}: must be 2, 3 or 2,3")
    return _numbers(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="eddyline bench",
        description="Measure how fast this machine computes. An evaluation is the rates of one fluid "
        "particle, once, with the walls' share; a step has one. Pairs are true directed pairs. Sizes and "
        "numbers of threads of a world take turns. With one thread, time that other programs had does not "
        "count.",
        epilog="eddyline bench exchange records and replays what ranks send; it has a --help of its own.",
    )
    parser.add_argument(
        "what", choices=["step", "machine", "exchange"], help="time steps, the machine, or exchanges of ranks"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the records to FILE")
    parser.add_argument("--threads", type=_numbers, metavar="N,N", help="numbers of threads; default 1 and 2")
    parser.add_argument(
        "--case",
        action="append",
        choices=list(CASES),
        help="again for more; default box and dam. jet, corner and splash are awkward: mostly empty",
    )
    parser.add_argument(
        "--scheme",
        action="append",
        choices=SCHEMES,
        help="again for both; default delta. A gas takes classic",
    )
    parser.add_argument(
        "--dim", type=_dimensions, default=[2, 3], metavar="D,D", help="dimensions; default 2,3"
    )
    parser.add_argument("--sizes", type=_numbers, metavar="N,N", help="particles; default 10000,100000")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the roofline into FILE, a PNG")
    parser.add_argument("--large", action="store_true", help="a million particles, too")
    return parser
