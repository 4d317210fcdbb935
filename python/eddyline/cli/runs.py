"""Runs: `run`, `resume`, `replay`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from eddyline.cli.app import app
from eddyline.cli.errors import EXIT_INTERRUPTED, BadInputError, errors
from eddyline.cli.options import Set, Steps, Until, World, with_execution_options

if TYPE_CHECKING:
    from eddyline.run.record import Run


ExecutionOptions = dict[str, Any]
Folder = Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or runs/NAME.")]
Out = Annotated[
    Optional[Path],  # noqa: UP045 - typer reads it at run time, in Python 3.10, too
    typer.Option(metavar="DIR", help="A new or empty folder instead of runs/NAME/0001."),
]
Live = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="URL", help="Show the run to a hub, at the address that `eddyline serve` prints."),
]
CheckpointEvery = Annotated[
    float,
    typer.Option(
        min=0, metavar="MIN", help="Minutes between checkpoints, less in young runs; 0: only at the end."
    ),
]
Checksums = Annotated[
    int, typer.Option(min=0, metavar="N", help="Keep a checksum after every N steps, for `compare`.")
]
WithoutLastCommand = Annotated[
    bool,
    typer.Option(
        "--without-last-command",
        help="Leave out the last command given while it ran: from the checkpoint before it.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the run's folder and nothing else.")]


@app.command()
@with_execution_options
def run(
    world: World,
    execution_options: ExecutionOptions,
    set_: Set = None,
    steps: Steps = None,
    until: Until = None,
    checkpoint_every: CheckpointEvery = 30.0,
    checksums: Checksums = 0,
    out: Out = None,
    live: Live = None,
    quiet: Quiet = False,
) -> None:
    """Run a world.

    Ranks, threads and boxes change the speed and never the result. Ctrl-C stops at a step and leaves a
    complete run.

    \b
      eddyline run dam_break
      eddyline run worlds/dam_break.toml --set let.a=0.1 --threads 4
      eddyline run my_tank.toml --until 0.5 --out /scratch/tank
      eddyline run cylinder --ranks 4 --threads 2
    """
    from eddyline.run import run as run_world
    from eddyline.world import parse_set

    ranks = execution_options.pop("ranks")
    _compute(
        lambda: run_world(
            world,
            overrides=parse_set(set_ or []),
            steps=steps,
            until=until,
            checkpoint_every=60 * checkpoint_every,
            checksums=checksums,
            out=out,
            progress=not quiet,
            live=live,
            **execution_options,
        ),
        ranks,
        execution_options["threads"],
        quiet,
    )


@app.command()
@with_execution_options
def resume(
    run: Folder,
    execution_options: ExecutionOptions,
    steps: Steps = None,
    until: Until = None,
    checkpoint_every: CheckpointEvery = 30.0,
    checksums: Checksums = 0,
    without_last_command: WithoutLastCommand = False,
    live: Live = None,
    quiet: Quiet = False,
) -> None:
    """Go on with a run from its last checkpoint.

    To the bits of a run that never stopped, on any number of ranks and threads. Steps and times count from
    the start of the run.

    \b
      eddyline resume runs/cylinder
      eddyline resume runs/cylinder/0003 --until 12 --ranks 8
      eddyline resume runs/tank/0002 --without-last-command
    """
    from eddyline.run import resume as resume_run

    ranks = execution_options.pop("ranks")
    _compute(
        lambda: resume_run(
            run,
            steps=steps,
            until=until,
            checkpoint_every=60 * checkpoint_every,
            checksums=checksums,
            without_last_command=without_last_command,
            progress=not quiet,
            live=live,
            **execution_options,
        ),
        ranks,
        execution_options["threads"],
        quiet,
    )


@app.command()
@with_execution_options
def replay(
    run: Folder,
    execution_options: ExecutionOptions,
    out: Out = None,
    live: Live = None,
    quiet: Quiet = False,
) -> None:
    """Repeat a run with all that was done to it while it ran.

    To the same bits, on any number of ranks and threads; says whether the fingerprint is the same.

    \b
      eddyline replay runs/cylinder
      eddyline replay runs/cylinder/0003 --ranks 4
    """
    from eddyline.run.replay import replay as replay_run

    def again() -> Run:
        done = replay_run(run, out=out, progress=not quiet, live=live, **execution_options)
        before = done.record["replay_of"]["fingerprint"]
        if done.outcome != "stopped by user" and done.fingerprint != before:
            raise BadInputError(
                f"{done.folder}: fingerprint {done.fingerprint}, and {before} before: not the same run. "
                "Another version of Eddyline, or a file that was changed?"
            )
        return done

    ranks = execution_options.pop("ranks")
    _compute(again, ranks, execution_options["threads"], quiet)


def _compute(go: Callable[[], Run], ranks: int | None, threads: int, quiet: bool) -> None:
    """Runs, here or on ranks of its own, and prints the closing lines."""
    from eddyline.run import StepFailedError
    from eddyline.run.closing import closing_lines

    def show(done: Run, *, error_follows: bool = False) -> None:
        typer.echo(done.folder if quiet else closing_lines(done, error_follows=error_follows))

    with errors():
        if ranks is not None:
            from eddyline.ranks import launch

            raise typer.Exit(launch(ranks, _without_ranks(sys.argv[1:]), threads=threads, quiet=quiet))
        try:
            done = go()
        except StepFailedError as error:
            show(error.run, error_follows=True)
            raise
        show(done)
        if done.outcome == "stopped by user":
            raise typer.Exit(EXIT_INTERRUPTED)


def _without_ranks(arguments: list[str]) -> list[str]:
    """A command line for each of the ranks."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if skip or argument == "--ranks" or argument.startswith("--ranks="):
            skip = argument == "--ranks"
        else:
            kept.append(argument)
    return kept
