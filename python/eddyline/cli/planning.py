"""Planning of runs: `plan`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from eddyline.cli.app import app
from eddyline.cli.errors import BadInputError, check_drawing, errors
from eddyline.cli.options import Set

if TYPE_CHECKING:
    from eddyline.plan import Network, RunPlan

MESH_FILES = (".xyz", ".x", ".p3d", ".p3dfmt", ".fmt", ".grd", ".g", ".cgns")


@app.command(short_help="Show what more ranks bring: loads, messages, wall time.")
def plan(
    world: Annotated[
        str,
        typer.Argument(
            metavar="WORLD", help="A world file, the name of a gallery world, or a mesh file (PLOT3D, CGNS)."
        ),
    ],
    ranks: Annotated[
        str, typer.Option(metavar="N..M", help="Numbers of ranks: 8, 1,2,4 or 1..1024.")
    ] = "1..1024",
    set_: Set = None,
    threads: Annotated[int, typer.Option(min=1, metavar="N", help="Threads per rank.")] = 1,
    machine: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads it at run time, in Python 3.10, too
        typer.Option(metavar="FILE", help="Latency and bandwidth from `eddyline bench machine --json FILE`."),
    ] = None,
    latency: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(min=0, metavar="S", help="Latency of a message [s]."),
    ] = None,
    bandwidth: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(min=1, metavar="B", help="Bandwidth of a node in each direction [bytes/s]."),
    ] = None,
    measure: Annotated[
        bool,
        typer.Option("--measure/--no-measure", help="Time some steps of the world on this machine first."),
    ] = True,
    rate: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(min=1, metavar="R", help="Mesh files: cells that a core updates in a second."),
    ] = None,
    split: Annotated[bool, typer.Option("--split", help="Mesh files: split blocks between ranks.")] = False,
    json: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--json", metavar="FILE", help="Write the plan to FILE (JSON); -: print it."),
    ] = None,
    picture: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Draw the plan to FILE (.png, .svg or .pdf)."),
    ] = None,
) -> None:
    """Show what more ranks bring: loads, messages, memory and wall time, without running the world.

    The first columns are those of Hammond's Mapper. Times include messages and have an error bar.

    \b
      eddyline plan dam_break_3d
      eddyline plan cylinder --ranks 1..64 --threads 4 --picture plan.png
      eddyline plan big.toml --latency 1.5e-6 --bandwidth 12e9 --json plan.json
      eddyline plan wing.xyz --ranks 1..32 --split
    """
    from eddyline.plan.table import text_of
    from eddyline.stream import atomic

    with errors():
        check_drawing(picture)
        network = _network(machine, latency, bandwidth)
        options = {"threads": threads, "measure": measure, "rate": rate, "split": split}
        found = _plan(world, ranks, set_ or [], network, options)
        written = _json(found)
        if json is not None and str(json) == "-":
            typer.echo(written)
        else:
            typer.echo(text_of(found))
            if json is not None:
                atomic.write_text(json, written + "\n")
        if picture is not None:
            from eddyline.plan.picture import save_picture

            save_picture(found, picture)
            typer.echo(f"picture: {picture}", err=str(json) == "-")


def _plan(world: str, ranks: str, set_: list[str], network: Network, options: dict[str, Any]) -> RunPlan:
    from eddyline.plan import plan_mesh, plan_world
    from eddyline.plan.mesh_files import read_mesh
    from eddyline.plan.run_plan import numbers_of_ranks
    from eddyline.world import World, parse_set

    counts = numbers_of_ranks(ranks)
    rate, split = options["rate"], options["split"]
    if Path(world).suffix.lower() in MESH_FILES:
        if set_:
            raise BadInputError(f"--set: {world} is a mesh file, which has no values to set")
        mesh = read_mesh(Path(world))
        return plan_mesh(mesh, counts, title=world, network=network, rate=rate, split=split)
    if rate is not None:
        raise BadInputError(f"--rate: is for mesh files only; the rate of {world} is measured or estimated")
    loaded = World.load(world, parse_set(set_))
    return plan_world(
        loaded, counts, network=network, threads=options["threads"], measure=options["measure"], split=split
    )


def _network(machine: Path | None, latency: float | None, bandwidth: float | None) -> Network:
    from eddyline.plan.forecast import HERE, Network, network_of

    base = HERE if machine is None else network_of(machine)
    if latency is None and bandwidth is None:
        return base
    return Network(
        base.latency if latency is None else latency,
        base.bandwidth if bandwidth is None else bandwidth,
        "as given" if None not in (latency, bandwidth) else f"as given, and {base.origin}",
    )


def _json(found: RunPlan) -> str:
    from json import dumps

    return dumps(found.as_json(), indent=2, ensure_ascii=False)
