"""Equations outside the package: `module new`, `module build`, `module list`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from eddyline.cli.app import app
from eddyline.cli.errors import errors

module = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Write, build and list equations of your own.

\b
  eddyline module new puff             a folder with a small example
  eddyline module build puff           compile it
  eddyline run puff/puff.toml          run its world
""",
)
app.add_typer(module, name="module", short_help="Write, build and list equations of your own.")


@module.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the module and of its folder.")],
    method: Annotated[
        str, typer.Option("--for", metavar="METHOD", help="What it is for: patches, particles or blocks.")
    ] = "patches",
    like: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="EXAMPLE", help="Begin with a copy of an example, such as heat or lake."),
    ] = None,
) -> None:
    """Start a module: a folder with equations, their description, a world and a test.

    \b
      eddyline module new puff
      eddyline module new plate --like heat
      eddyline module new drop --for particles
      eddyline module new dye --for blocks
    """
    from eddyline.modules import new_module
    from eddyline.modules.description import SYMBOLIC
    from eddyline.option_names import command

    with errors():
        folder = new_module(name, method, like=like)
        world = folder / f"{name}.toml"
        header = next(path for path in (folder / f"{name}.hpp", folder / SYMBOLIC) if path.exists())
        typer.echo(
            f"{folder}: edit {header}, then\n  {command('module', 'build')} {folder}\n"
            f"  {command('run', world)}"
        )


@module.command()
def build(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder of the module.")],
    instructions: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="NAME", help="Only this instruction set besides scalar; faster to compile."),
    ] = None,
) -> None:
    """Compile a module to FOLDER/NAME.module.so, for all instruction sets.

    \b
      eddyline module build puff
      eddyline module build puff --instructions avx2
    """
    from eddyline.modules import build as compile_module

    with errors():
        made = compile_module(folder, instructions)
        typer.echo(f"{made.path}: {made.description.title}")


@module.command("list")
def list_modules(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where to look besides EDDYLINE_MODULES.")
    ] = Path(),
) -> None:
    """List the modules that worlds of a folder can use.

    \b
      eddyline module list
    """
    from eddyline.modules import ModuleError, found_modules

    with errors():
        found = list(found_modules([folder]))
        for path, library in found:
            if isinstance(library, ModuleError):
                typer.echo(f"{path.name.split('.')[0]}  cannot be used: {library}")
            else:
                stale = "; files have changed since it was built" if library.is_stale else ""
                typer.echo(f"{library.description.name}  {library.description.title} ({path}{stale})")
        if not found:
            typer.echo("there are no modules here or in the folders of EDDYLINE_MODULES")
