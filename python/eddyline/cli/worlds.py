"""World files: `list`, `new`, `check`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Optional

import typer

from eddyline.cli.app import app
from eddyline.cli.errors import check_drawing, errors
from eddyline.cli.options import Set, World


@app.command("list", short_help="List the worlds of the gallery.")
def list_worlds(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with the full descriptions.")] = False,
) -> None:
    """List the worlds of the gallery: name, title, and what to look for in the flow.

    \b
      eddyline list
      eddyline list --json
    """
    from eddyline.serve.gallery import gallery_worlds

    worlds = sorted(gallery_worlds(), key=lambda world: world.name)
    if as_json:
        import json

        told = [world.model_dump(by_alias=True, exclude={"toml"}) for world in worlds]
        typer.echo(json.dumps(told, indent=2, ensure_ascii=False))
        return
    width = max(len(world.name) for world in worlds)
    for world in worlds:
        typer.echo(f"{world.name:<{width}}  {world.title} ({world.dimensions}D). Look for: {world.look_for}")


@app.command()
def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the new world; the file is named NAME.toml.")
    ],
    copy: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--from", metavar="WORLD", help="Gallery world to start from."),
    ] = None,
) -> None:
    """Create a world file with a comment at each key.

    \b
      eddyline new my_tank
      eddyline new my_dam --from dam_break
    """
    from eddyline.option_names import command
    from eddyline.world import new_world

    with errors():
        path = new_world(name, copy)
        typer.echo(f"{path}: edit this file, then\n  {command('check', path)}\n  {command('run', path)}")


@app.command(short_help="Check a world; show its size and run time.")
def check(
    world: World,
    set_: Set = None,
    picture: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Draw the world to FILE (.png, .svg or .pdf)."),
    ] = None,
    device: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Also check that this device can compute it: cpu, gpu or emulated."
        ),
    ] = "cpu",
) -> None:
    """Check a world without running it; show particles, memory, time step, Reynolds number and expected run
    time.

    \b
      eddyline check my_tank.toml
      eddyline check dam_break --set domain.spacing=a/80 --picture dam.png
    """
    from eddyline.run.device import check_world, needs
    from eddyline.world import World as WorldType
    from eddyline.world import describe, parse_set, save_picture

    with errors():
        check_drawing(picture)
        loaded = WorldType.load(world, parse_set(set_ or []))
        check_world(device, loaded)
        typer.echo(describe(loaded))
        if found := needs(device, loaded):
            typer.echo(f"  on {device:<12} {found}")
        if picture is not None:
            save_picture(loaded, picture)
            typer.echo(f"picture: {picture}")
        changes = "".join(f" --set {shlex.quote(change)}" for change in set_ or [])
        on = "" if device == "cpu" else f" --device {device}"
        typer.echo(f"\n  next            eddyline run {shlex.quote(world)}{changes}{on}")
