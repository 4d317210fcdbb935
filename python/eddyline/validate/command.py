"""`eddyline validate`: choosing cases, running them, and the table at the end."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from eddyline.validate import results
from eddyline.validate.case import Case, Setting
from eddyline.validate.cases import CASES
from eddyline.validate.figures import Figure, all_ok
from eddyline.validate.references import case_folder
from eddyline.validate.results import Outcome
from eddyline.world.absent import answer

MISSED = 1
WIDTH = 140


def run(arguments: Sequence[str] | None = None) -> int:
    """Parses the command line and runs the cases; returns the exit code."""
    parser = _parser()
    options, others = parser.parse_known_args(arguments)
    if others:
        told = answer(others[0].partition("=")[0]) or ""
        parser.error(f"{others[0]}: unknown option. {told}".strip())
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        parser.error(f"unknown case {unknown[0]}; known: {', '.join(CASES)}")
    if options.threads < 0:
        parser.error(f"--threads {options.threads}: must be 0 (all cores) or more")
    if options.list:
        for case in CASES.values():
            print(f"{case.name:<20} {case.title}")
        return 0
    return validate(options.cases, quick=options.quick, out=options.out, threads=options.threads)


def validate(
    cases: Sequence[str] = (), quick: bool = False, out: Path | None = None, threads: int = 0
) -> int:
    """Runs cases, by default all, and judges them; returns 1 if a case exceeds a limit.

    out: output folder, default runs/validation/NUMBER. Results of other cases in an existing folder are
        kept.
    threads: 0: automatic.
    """
    chosen = [CASES[name] for name in cases] if cases else list(CASES.values())
    for case in chosen:
        case_folder(case.name)
    folder = out if out is not None else results.next_folder(Path("runs/validation"))
    console = _console()
    origin, outcomes = results.origin(quick, threads), []
    for case in chosen:
        console.print(f"[bold]{case.name}[/]  {case.title}", highlight=False)
        outcomes.append(_run(case, Setting(quick, threads, folder / case.name)))
        _show(console, outcomes[-1])
    results.write(folder, outcomes, origin)
    missed = [outcome.case for outcome in outcomes if not outcome.ok]
    console.print(f"results  {folder}", highlight=False)
    console.print(
        f"missed   {', '.join(missed)}" if missed else "all cases are within their limits", highlight=False
    )
    return MISSED if missed else 0


def _console() -> Console:
    """The terminal; in a file, lines wide enough for the tables."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDTH)


def _run(case: Case, setting: Setting) -> Outcome:
    """Runs a case; a failing step counts as a missed limit, and the other cases still run."""
    from eddyline import _core

    start = time.perf_counter()
    try:
        figures = case.run(setting)
    except _core.StepError as error:
        figures = [Figure(f"the run stopped: {error}", float("nan"), "", None, "", False)]
    return Outcome(case.name, figures, time.perf_counter() - start, all_ok(figures))


def _show(console: Console, outcome: Outcome) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  measured quantity", overflow="fold")
    for name in ("measured", "reference", "error", "allowed", "ok"):
        table.add_column(name, justify="right", no_wrap=True)
    for figure in outcome.figures:
        mark = {True: "[green]yes[/]", False: "[bold red]NO[/]", None: ""}[figure.ok]
        table.add_row(escape(f"  {figure.quantity}"), *map(escape, results.texts(figure)), mark)
    console.print(table)
    console.print(f"  {outcome.seconds:.0f} s\n", highlight=False)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="eddyline validate",
        description="Run the validation cases and compare them with exact solutions and experiments. "
        "Exit code 1 if a case exceeds a limit.",
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases to run; default all")
    parser.add_argument("--quick", action="store_true", help="use coarse spacings, with their own limits")
    parser.add_argument("--list", action="store_true", help="list the cases and exit")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="output folder; default runs/validation/NUMBER"
    )
    parser.add_argument(
        "--threads", type=int, default=0, metavar="N", help="number of threads; default 0: automatic"
    )
    return parser
