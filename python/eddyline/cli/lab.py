"""The lab in a browser: `serve`, `lab`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from eddyline.cli.app import app
from eddyline.cli.errors import BadInputError, errors

Host = Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on; default loopback.")]
Port = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(min=0, max=65535, metavar="N", help="Port; default 8421, or any free port."),
]
Runs = Annotated[Path, typer.Option("--folder", metavar="DIR", help="Folder of the runs.")]
Named = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--name", metavar="NAME", help="Host name by which browsers reach this machine. Repeatable."
    ),
]
Executor = Annotated[
    str, typer.Option(metavar="NAME", help="Executor that starts runs: local, or a scheduler, e.g. slurm.")
]
Attribute = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(
        "--attribute",
        metavar="K=V",
        help="Attribute for the scheduler, e.g. slurm.partition=long. Repeatable.",
    ),
]
AtOnce = Annotated[
    int, typer.Option(min=1, metavar="N", help="Number of runs that compute at the same time; others wait.")
]
Device = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Device that computes the runs, where it can: cpu, gpu or emulated; else cpu."
    ),
]


@app.command()
def serve(
    port: Port = None,
    host: Host = "127.0.0.1",
    folder: Runs = Path("runs"),
    name: Named = None,
    executor: Executor = "local",
    attribute: Attribute = None,
    at_once: AtOnce = 1,
    device: Device = "cpu",
) -> None:
    """Serve the lab (worlds, runs and live streams) to browsers. Ctrl-C ends it.

    Prints one address for control and one that is view-only. Ctrl-C also stops the runs that the server
    started, each after a step; runs that joined with --live continue.

    \b
      eddyline serve
      eddyline serve --port 8000 --folder /scratch/runs
      eddyline serve --host 0.0.0.0 --name lab.example.org --executor slurm --attribute slurm.partition=long
    """
    _serve(port, host, folder, name, executor, attribute, at_once, device, browse=False)


@app.command(short_help="Open the lab in a browser: draw, run, watch and steer.")
def lab(
    port: Port = None,
    folder: Runs = Path("runs"),
    at_once: AtOnce = 1,
    device: Device = "cpu",
) -> None:
    """Open the lab in a browser: draw a world, run it, watch and steer it. Same as `serve`, plus a browser.

    \b
      eddyline lab
    """
    _serve(port, "127.0.0.1", folder, None, "local", None, at_once, device, browse=True)


def _serve(
    port: int | None,
    host: str,
    folder: Path,
    names: list[str] | None,
    executor: str,
    attributes: list[str] | None,
    at_once: int,
    device: str,
    *,
    browse: bool,
) -> None:
    from eddyline.run.device import check_device
    from eddyline.serve.command import PortError, serve
    from eddyline.serve.limits import Limits

    with errors():
        check_device(device)
        pairs = dict(item.partition("=")[::2] for item in attributes or [])
        if not all(pairs.values()):
            raise BadInputError("--attribute: must be K=V, for example slurm.partition=long")
        try:
            serve(
                folder,
                host=host,
                port=port,
                names=tuple(names or ()),
                limits=Limits(at_once=at_once, device=device),
                executor=executor,
                attributes=pairs,
                say=typer.echo,
                browse=browse,
            )
        except (PortError, ValueError) as error:
            raise BadInputError(str(error)) from None
