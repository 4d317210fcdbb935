"""The command `eddyline` itself. Each family of commands has a module of its own beside this one."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from eddyline.cli.errors import interrupts, name_absent, name_found, quiet_libraries

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # of click, or of the copy that typer has


class _Commands(TyperGroup):
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except _UsageError as error:
            name_absent(error, args[0])
            raise

    def invoke(self, ctx: Any) -> Any:
        quiet_libraries()
        try:
            with interrupts():
                return super().invoke(ctx)
        except typer.BadParameter as error:
            name_found(error)
            raise
        except _UsageError as error:
            name_absent(error, getattr(error, "option_name", ""))
            raise


app = typer.Typer(
    name="eddyline",
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Eddyline, a flow laboratory: describe a world in one small file, run it, watch the flow.

\b
  eddyline run dam_break              run a world of the gallery
  eddyline new my_tank                start a world of your own: my_tank.toml
  eddyline check my_tank.toml         show what would run, or list the errors
  eddyline run my_tank.toml --set domain.spacing=0.004
  eddyline export runs/my_tank --mp4 --quantity pressure

Each run writes to its own folder, runs/NAME/0001; open report.html in it first.
""",
)


@app.callback(invoke_without_command=True)
def _common(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    if version:
        import eddyline

        typer.echo(f"eddyline {eddyline.__version__}")
        raise typer.Exit
