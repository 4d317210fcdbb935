"""Options of execution: how a run is computed, not what. Each is declared here, and in the core if that takes
it; `eddyline.run`, `resume`, `replay` and their commands take all of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing_extensions import TypedDict

    class Keywords(TypedDict, total=False):
        """Keyword arguments of functions that take the options, see `ExecutionArguments`."""

        threads: int
        device: str
        boxes: int
        decomposition: str
        rebalance: bool
        exchange: str
        combine: str
        compress: str
        sites: Sequence[int]
        lazy: int
        lazy_inexact: bool
        replicated_cells: int
        patience: float


PATIENCE = 300.0
"""Seconds that a rank waits for others."""
Function = TypeVar("Function", bound=Callable[..., Any])


def _option(default: Any, help: str, *, core: bool = True, of_ranks: bool = False, **shown: Any) -> Any:
    """core: the core has an option of this name. of_ranks: run.json keeps it of runs on ranks. shown: what
    the command line adds, see `typer.Option`."""
    return field(default=default, metadata={"help": help, "core": core, "of_ranks": of_ranks, "shown": shown})


@dataclass(frozen=True, kw_only=True)
class ExecutionArguments:
    """None changes a bit of the result, except `lazy_inexact`."""

    threads: int = _option(0, "Threads per rank; 0: automatic.", min=0, metavar="N")
    device: str = _option(
        "cpu",
        "Device that computes: cpu, gpu (an NVIDIA GPU, with the same bits) or emulated (for tests).",
        metavar="NAME",
    )
    boxes: int = _option(1, "Divide the domain of each rank into B boxes.", min=1, metavar="B")
    decomposition: str = _option(
        "bisection",
        "Domain decomposition of particles: bisection, blocks, curve, strips (or strips-x, strips-y, "
        "strips-z). Solvers on cells do not use it.",
        metavar="NAME",
        of_ranks=True,
    )
    rebalance: bool = _option(True, "Rebalance the load between ranks when this saves time.", of_ranks=True)
    exchange: str = _option(
        "nonblocking",
        "Strategy of the halo exchange: nonblocking, blocking, persistent, neighborhood, alltoall, "
        "onesided-fence, onesided-pscw, onesided-lock, shared, threaded, or auto (measure, then "
        "choose).",
        metavar="NAME",
        of_ranks=True,
    )
    combine: str = _option(
        "none",
        "Combine messages between sites: none, or site (one message per pair of sites).",
        metavar="NAME",
        of_ranks=True,
    )
    compress: str = _option(
        "none",
        "Compress messages between sites by predictive coding: none or site.",
        metavar="NAME",
        of_ranks=True,
    )
    sites: Sequence[int] = _option(
        (),
        "Ranks per site, in order; default: by EDDYLINE_SITE of each rank, else by machine.",
        core=False,
        metavar="N,N",
    )
    lazy: int = _option(
        1, "Exchange halos every K steps; recompute the surrounding cells in between.", min=1, metavar="K"
    )
    lazy_inexact: bool = _option(
        False,
        "With --lazy: reuse old halos in between instead. This breaks the law: it changes the result.",
        core=False,
    )
    replicated_cells: int = _option(
        1024,
        "Solver multiblock: every rank computes levels of multigrid with at most N cells whole, without "
        "messages; 0: none.",
        min=0,
        metavar="N",
        of_ranks=True,
    )
    patience: float = _option(
        PATIENCE,
        "Seconds that a rank waits for others before it gives up.",
        core=False,
        min=0,
        metavar="S",
    )


def options() -> Mapping[str, Field[Any]]:
    """All options by name."""
    return {each.name: each for each in fields(ExecutionArguments)}


def takes_execution_options(function: Function) -> Function:
    """Names the options in signature and documentation of a function that takes them as keywords."""
    own = inspect.signature(function)
    parameters = [each for each in own.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
        for name, each in options().items()
    ]
    function.__signature__ = own.replace(parameters=[*parameters, *shared])  # type: ignore[attr-defined]
    words = "\n".join(f"    {name}: {each.metadata['help']}" for name, each in options().items())
    function.__doc__ = f"{(function.__doc__ or '').rstrip()}\n\n    Options of execution:\n{words}\n    "
    return function
