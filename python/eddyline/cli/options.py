"""Options that several commands take."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Optional

import typer

World = Annotated[
    str, typer.Argument(metavar="WORLD", help="A world file, its URL, or the name of a gallery world.")
]
Set = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads it at run time, in Python 3.10, too
    typer.Option("--set", metavar="K=V", help="Override a value, e.g. --set let.Re=20. Repeatable."),
]
Threads = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Threads per rank; 0: automatic."),
]
Device = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Device that computes: cpu, gpu (an NVIDIA GPU, with the same bits) or emulated (for tests).",
    ),
]
Steps = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(min=0, metavar="N", help="Stop after N steps."),
]
Until = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(min=0, metavar="T", help="Stop at time T [s] instead of time.end."),
]
Ranks = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(min=1, metavar="N", help="Run on N MPI processes."),
]
Decomposition = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Domain decomposition of particles: bisection, blocks, curve, strips (or strips-x, strips-y, "
        "strips-z). Solvers on cells do not use it.",
    ),
]
Rebalance = Annotated[
    bool,
    typer.Option("--rebalance/--no-rebalance", help="Rebalance the load between ranks when this saves time."),
]
Exchange = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Strategy of the halo exchange: nonblocking, blocking, persistent, neighborhood, alltoall, "
        "onesided-fence, onesided-pscw, onesided-lock, shared, threaded, or auto (measure, then "
        "choose).",
    ),
]
Combine = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Combine messages between sites: none, or site (one message per pair of sites).",
    ),
]


def _sizes(sites: str | None) -> list[int]:
    try:
        return [int(word) for word in sites.split(",")] if sites else []
    except ValueError:
        raise typer.BadParameter(f"{sites}: must be numbers of ranks between commas, e.g. 2,2") from None


Compress = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Compress messages between sites by predictive coding: none or site.",
    ),
]
Sites = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        metavar="N,N",
        callback=_sizes,
        help="Ranks per site, in order; default: by EDDYLINE_SITE of each rank, else by machine.",
    ),
]
Lazy = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="K",
        help="Exchange halos every K steps; recompute the surrounding cells in between.",
    ),
]
LazyInexact = Annotated[
    bool,
    typer.Option(
        "--lazy-inexact",
        help="With --lazy: reuse old halos in between instead. This breaks the law: it changes the result.",
    ),
]
Patience = Annotated[
    float,
    typer.Option(min=0, metavar="S", help="Seconds that a rank waits for others before it gives up."),
]
Boxes = Annotated[int, typer.Option(min=1, metavar="B", help="Divide the domain of each rank into B boxes.")]


def _execution_options(
    threads: Threads = 0,
    device: Device = "cpu",
    ranks: Ranks = None,
    boxes: Boxes = 1,
    decomposition: Decomposition = "bisection",
    rebalance: Rebalance = True,
    exchange: Exchange = "nonblocking",
    combine: Combine = "none",
    compress: Compress = "none",
    sites: Sites = None,
    lazy: Lazy = 1,
    lazy_inexact: LazyInexact = False,
    patience: Patience = 300.0,
) -> None:
    """Execution options of a run; only --lazy-inexact changes the result."""


def with_execution_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds all execution options to a command. Its parameter `execution_options` receives them as a dict by
    name."""
    shared = inspect.signature(_execution_options, eval_str=True).parameters

    @functools.wraps(command)
    def with_options(**values: Any) -> None:
        command(execution_options={name: values.pop(name) for name in shared}, **values)

    own = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    for name, parameter in own.parameters.items():
        parameters += shared.values() if name == "execution_options" else [parameter]
    parameters = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
    with_options.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_options
