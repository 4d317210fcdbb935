"""Options that several commands take."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Optional

import typer

World = Annotated[
    str, typer.Argument(metavar="WORLD", help="A world file, or the name of a world of the gallery.")
]
Set = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads it at run time, in Python 3.10, too
    typer.Option("--set", metavar="K=V", help="Change a value, e.g. --set let.Re=20. Again for more."),
]
Threads = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Threads of a rank; 0: all cores, shared out, as far as they pay."),
]
Steps = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(min=0, metavar="N", help="Stop after N steps."),
]
Until = Annotated[
    Optional[float],  # noqa: UP045
    typer.Option(min=0, metavar="T", help="Stop at time T [s] instead of the world's end."),
]
Ranks = Annotated[
    Optional[int],  # noqa: UP045
    typer.Option(min=1, metavar="N", help="Start N processes that compute the run together."),
]
Decomposition = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="How ranks share the domain: bisection, blocks, strips (or strips-x, strips-y, strips-z).",
    ),
]
Rebalance = Annotated[
    bool,
    typer.Option(
        "--rebalance/--no-rebalance", help="Share the domain out anew when that is worth its price."
    ),
]
Exchange = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="How ranks exchange boundaries: nonblocking, blocking, persistent, neighborhood, alltoall, "
        "onesided-fence, onesided-pscw, onesided-lock, shared, threaded, or auto, which measures them.",
    ),
]
Combine = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="none, or site: what ranks of one site have for those of another travels in one message.",
    ),
]


def _sizes(sites: str | None) -> list[int]:
    try:
        return [int(word) for word in sites.split(",")] if sites else []
    except ValueError:
        raise typer.BadParameter(f"{sites}: must be numbers of ranks, e.g. 2,2") from None


Compress = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="none, or site: between sites travels only what neither side can foretell.",
    ),
]
Sites = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        metavar="N,N",
        callback=_sizes,
        help="How many ranks each site has, in order; else as EDDYLINE_SITE names each rank's, or machines.",
    ),
]
Lazy = Annotated[
    int,
    typer.Option(
        min=1,
        metavar="K",
        help="Ranks exchange at every K-th step only, and compute what is around their cells meanwhile.",
    ),
]
LazyInexact = Annotated[
    bool,
    typer.Option(
        "--lazy-inexact",
        help="With --lazy: boundaries stand still meanwhile instead. Breaks the law: changes the result.",
    ),
]
Patience = Annotated[
    float,
    typer.Option(min=0, metavar="S", help="How long a rank waits for others before it gives up [s]."),
]
Boxes = Annotated[int, typer.Option(min=1, metavar="B", help="Cut the domain of each rank into B boxes.")]


def _execution_options(
    threads: Threads = 0,
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
    """Options of how a run is computed: none changes a bit of the result except --lazy-inexact."""


def with_execution_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command all options of how a run is computed in place of its parameter `execution_options`,
    which gets them by name."""
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
