"""The lab in a browser: `serve`, `lab`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from eddyline.cli.app import app
from eddyline.cli.errors import BadInputError, errors

Host = Annotated[str, typer.Option(metavar="ADDRESS", help="Listen here; loopback unless given.")]
Port = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(min=0, max=65535, metavar="N", help="Port; default 8421, or any that is free."),
]
Runs = Annotated[Path, typer.Option("--folder", metavar="DIR", help="Where the runs lie.")]
Named = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--name", metavar="NAME", help="Under which browsers know this machine. Again for more."),
]
Executor = Annotated[
    str, typer.Option(metavar="NAME", help="What starts runs: local, or a scheduler, e.g. slurm.")
]
Attribute = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--attribute", metavar="K=V", help="For the scheduler, e.g. slurm.partition=long."),
]
AtOnce = Annotated[int, typer.Option(min=1, metavar="N", help="Runs that compute at once; others wait.")]


@app.command()
def serve(
    port: Port = None,
    host: Host = "127.0.0.1",
    folder: Runs = Path("runs"),
    name: Named = None,
    executor: Executor = "local",
    attribute: Attribute = None,
    at_once: AtOnce = 1,
) -> None:
    """Serve the lab: worlds, runs and their streams, for browsers. Ctrl-C ends it.

    Prints an address to steer and one to look only. Ctrl-C also stops the runs that it has started, each at a
    step and complete; those that joined it with --live go on.

    \b
      eddyline serve
      eddyline serve --port 8000 --folder /scratch/runs
      eddyline serve --host 0.0.0.0 --name lab.example.org --executor slurm --attribute slurm.partition=long
    """
    _serve(port, host, folder, name, executor, attribute, at_once, browse=False)


@app.command(short_help="Draw a world, run it, watch and steer it, in a browser.")
def lab(
    port: Port = None,
    folder: Runs = Path("runs"),
    at_once: AtOnce = 1,
) -> None:
    """Draw a world, run it, watch and steer it, in a browser: `serve`, with a browser opened.

    \b
      eddyline lab
    """
    _serve(port, "127.0.0.1", folder, None, "local", None, at_once, browse=True)


def _serve(
    port: int | None,
    host: str,
    folder: Path,
    names: list[str] | None,
    executor: str,
    attributes: list[str] | None,
    at_once: int,
    *,
    browse: bool,
) -> None:
    from eddyline.serve.command import PortError, serve
    from eddyline.serve.limits import Limits

    with errors():
        pairs = dict(item.partition("=")[::2] for item in attributes or [])
        if not all(pairs.values()):
            raise BadInputError("--attribute must be K=V, for example slurm.partition=long")
        try:
            serve(
                folder,
                host=host,
                port=port,
                names=tuple(names or ()),
                limits=Limits(at_once=at_once),
                executor=executor,
                attributes=pairs,
                say=typer.echo,
                browse=browse,
            )
        except (PortError, ValueError) as error:
            raise BadInputError(str(error)) from None
