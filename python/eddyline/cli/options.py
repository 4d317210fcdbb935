"""Options that several commands take."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, Optional

import typer

from eddyline.execution_arguments import options

World = Annotated[
    str, typer.Argument(metavar="WORLD", help="A world file, its URL, or the name of a gallery world.")
]
Set = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads it at run time, in Python 3.10, too
    typer.Option("--set", metavar="K=V", help="Override a value, e.g. --set let.Re=20. Repeatable."),
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


def _sizes(sites: str | None) -> list[int]:
    try:
        return [int(word) for word in sites.split(",")] if sites else []
    except ValueError:
        raise typer.BadParameter(f"{sites}: must be numbers of ranks between commas, e.g. 2,2") from None


def _option(name: str) -> Any:
    """An option of execution as the command line shows it."""
    option, flag = options()[name], f"--{name.replace('_', '-')}"
    shown = dict(option.metadata["shown"])
    if name == "sites":
        shown["callback"] = _sizes
    declared = []
    if isinstance(option.default, bool):
        declared = [f"{flag}/--no-{flag[2:]}" if option.default else flag]
    return typer.Option(*declared, help=option.metadata["help"], **shown)


Threads = Annotated[int, _option("threads")]
Boxes = Annotated[int, _option("boxes")]


def _parameter(name: str) -> inspect.Parameter:
    """An option of execution as a parameter of a command."""
    default = options()[name].default
    kind: Any = type(default)
    if name == "sites":
        kind, default = Optional[str], None  # noqa: UP045 - typer reads it at run time
    annotation = Annotated[kind, _option(name)]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _execution_parameters() -> dict[str, inspect.Parameter]:
    """All of them, and the number of ranks after the device."""
    ranks = inspect.Parameter("ranks", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Ranks)
    found = {name: _parameter(name) for name in options()}
    before = list(found).index("device") + 1
    items = [*found.items()]
    return dict([*items[:before], ("ranks", ranks), *items[before:]])


def with_execution_options(command: Callable[..., None]) -> Callable[..., None]:
    """Adds all execution options to a command. Its parameter `execution_options` receives them as a dict by
    name."""
    shared = _execution_parameters()

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
