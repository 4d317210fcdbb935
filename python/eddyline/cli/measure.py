"""Programs that read their own command line: `bench`, `validate`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import typer

from eddyline.cli.app import app
from eddyline.cli.errors import errors

_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@app.command(context_settings=_PASSED_ON, short_help="Measure how fast this machine computes.")
def bench(context: typer.Context) -> None:
    """Measure how fast this machine computes, beside its own limit; `eddyline bench --help`."""
    _hand_over("bench", context.args)


@app.command(context_settings=_PASSED_ON, short_help="Compare results with published values.")
def validate(context: typer.Context) -> None:
    """Run the validation cases and hold them against published values; `eddyline validate --help`."""
    _hand_over("validate", context.args)


def _hand_over(name: str, arguments: list[str]) -> None:
    """Calls `main(arguments)` of a part of the package that reads its own command line."""
    with errors():
        program: Callable[[list[str]], int | None] = import_module(f"eddyline.{name}").main
        code = program(arguments)
        raise typer.Exit(code or 0)
