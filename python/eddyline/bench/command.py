"""The command line of `eddyline bench`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from eddyline.bench import machine, step
from eddyline.bench.tables import show_growth, show_machine, show_steps
from eddyline.bench.worlds import CASES, SCHEMES, SizeError, only_scheme
from eddyline.run.device import DEVICES
from eddyline.run.errors import RequestError
from eddyline.run.machine import available_cores
from eddyline.stream import atomic
from eddyline.world.absent import answer
from eddyline.world.problems import did_you_mean

SIZES, LARGE = (10_000, 100_000), 1_000_000
DEFAULT_CASES = ("box", "dam")
WIDTH = 180
MOST = 1_000_000_000


def run(arguments: Sequence[str] | None = None) -> int:
    """Parses the command line and measures; returns the exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["exchange"]:
        from eddyline.bench.exchange.command import run as run_exchange

        return run_exchange(words[1:])
    options, unknown = _parser().parse_known_args(words)
    if unknown:
        _refuse(options.parser, unknown[0])
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    threads = options.threads or sorted({1, min(2, available_cores())})
    options.measure(options, threads, console)
    return 0


def _refuse(parser: argparse.ArgumentParser, word: str) -> NoReturn:
    known = [name for name in parser._option_string_actions if name.startswith("--")]
    option = word.partition("=")[0]
    parser.error(f"{word}: unknown option. {answer(option) or did_you_mean(option, known, 'and')}")


def _measure_machine(options: argparse.Namespace, threads: list[int], console: Console) -> None:
    _check(options.parser, options.json)
    found = machine.measure(threads)
    show_machine(console, found)
    _write(options.json, [record.as_json() for record in found])


def _measure_steps(options: argparse.Namespace, threads: list[int], console: Console) -> None:
    _check(options.parser, options.json, options.picture)
    if options.device != "cpu":
        threads = [max(options.threads or [available_cores()])]  # of the host, which has little to do
        if options.picture:
            options.parser.error(
                "--picture: compares steps with the limits of the processor. Omit it with --device."
            )
    sizes = options.sizes or [*SIZES, *([LARGE] if options.large else [])]
    schemes = options.scheme or SCHEMES[:1]
    for case in options.case or ():
        only = only_scheme(case)
        if options.scheme and only is not None and only not in options.scheme:
            options.parser.error(
                f"argument --scheme: {case} requires the scheme {only}. Add --scheme {only}, or omit "
                "--scheme."
            )
    try:
        measured = step.measure(
            options.case or DEFAULT_CASES, options.dim, sizes, threads, schemes, options.device
        )
    except SizeError as error:
        options.parser.error(f"argument --sizes: {error}")
    except RequestError as error:
        options.parser.error(str(error))
    records = list(_show_progress(console, measured))
    show_steps(console, records)
    show_growth(console, records)
    _write(options.json, [record.as_json() for record in records])
    if options.picture:
        from eddyline.bench.picture import draw

        alone = [record for record in records if record.threads == min(threads)]
        draw(options.picture, alone, machine.measure([min(threads)])[0])


def _check(parser: argparse.ArgumentParser, records: Path | None, picture: Path | None = None) -> None:
    """Checks output paths before the measurements."""
    if picture is not None and picture.suffix != ".png":
        parser.error(f"--picture {picture}: must end in .png")
    for name, path in (("json", records), ("picture", picture)):
        if path is not None and not path.parent.is_dir():
            parser.error(f"--{name} {path}: the folder {path.parent} does not exist. Create it first.")
        if path is not None and path.is_dir():
            parser.error(f"--{name} {path}: is a folder; must be a file.")


def _show_progress(console: Console, records: Iterable[step.Record]) -> Iterable[step.Record]:
    with console.status("measuring ...") as status:
        for record in records:
            status.update(f"measured {record.case} in {record.dim}D, {record.particles:,} particles")
            yield record


def _write(path: Path | None, records: list[dict[str, Any]]) -> None:
    if path is not None:
        atomic.write_text(path, json.dumps(records, indent=2) + "\n")


def _numbers(text: str) -> list[int]:
    """Whole numbers from 1 to MOST between commas, such as 10000,1e5."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if not values or not all(value.is_integer() for value in values):
        raise argparse.ArgumentTypeError(f"{text}: must be whole numbers between commas")
    if not all(1 <= value <= MOST for value in values):
        raise argparse.ArgumentTypeError(f"{text}: must be at least 1 and at most {MOST}")
    return [int(value) for value in values]


def _threads(text: str) -> list[int]:
    cores = available_cores()
    numbers = _numbers(text)
    if max(numbers) > cores:
        raise argparse.ArgumentTypeError(f"{text}: must be at most {cores}, the number of available cores")
    return numbers


def _dimensions(text: str) -> list[int]:
    if text not in ("2", "3", "2,3", "3,2"):
        raise argparse.ArgumentTypeError(f"{text}: must be 2, 3 or 2,3")
    return _numbers(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="eddyline bench",
        description="Measure how fast this machine computes. Each benchmark has its own --help.",
    )
    parts = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--json", type=Path, metavar="FILE", help="write the records to FILE (JSON)")
    common.add_argument("--threads", type=_threads, metavar="N,N", help="thread counts; default 1 and 2")

    of_steps = parts.add_parser(
        "step",
        parents=[common],
        help="time whole steps of several worlds",
        description="Measure whole time steps. One evaluation computes the rates of one fluid particle once, "
        "with its share of the walls; a step has one evaluation per particle. Pairs are directed pairs "
        "within the kernel support. Sizes and thread counts of a world are measured in turn. With one "
        "thread, time used by other programs is not counted.",
    )
    of_steps.add_argument(
        "--case",
        action="append",
        choices=list(CASES),
        help="repeatable; default box and dam. channel has an inflow and a body; jet, corner and splash "
        "are hard cases: mostly empty domains",
    )
    of_steps.add_argument(
        "--scheme",
        action="append",
        choices=SCHEMES,
        help="repeatable; default delta. A gas requires classic, a channel requires delta",
    )
    of_steps.add_argument(
        "--dim", type=_dimensions, default=[2, 3], metavar="D,D", help="dimensions; default 2,3"
    )
    of_steps.add_argument(
        "--sizes", type=_numbers, metavar="N,N", help="numbers of particles; default 10000,100000"
    )
    of_steps.add_argument("--large", action="store_true", help="also measure a million particles")
    of_steps.add_argument(
        "--device",
        choices=DEVICES,
        default="cpu",
        help="that computes: gpu, or emulated, which is for tests; memory is then that of the device",
    )
    of_steps.add_argument(
        "--picture", type=Path, metavar="FILE", help="draw the roofline plot to FILE (.png)"
    )
    of_steps.set_defaults(parser=of_steps, measure=_measure_steps)

    of_machine = parts.add_parser(
        "machine",
        parents=[common],
        help="measure the limits of this machine",
        description="Measure memory bandwidth and the peak rate of pair-sum arithmetic: the limits that time "
        "steps are compared with.",
    )
    of_machine.set_defaults(parser=of_machine, measure=_measure_machine)
    parts.add_parser(
        "exchange", help="record the messages of a run and replay them with each exchange strategy"
    )
    return parser
