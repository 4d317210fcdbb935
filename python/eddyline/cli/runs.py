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
    typer.Option(metavar="DIR", help="Output folder, new or empty; default runs/NAME/0001."),
]
Live = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="URL", help="Stream the run to a hub at this address, printed by `eddyline serve`."),
]
CheckpointEvery = Annotated[
    float,
    typer.Option(
        min=0, metavar="MIN", help="Minutes between checkpoints, fewer early in a run; 0: only at the end."
    ),
]
Checksums = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", help="Store a checksum every N steps, for `compare`; 0: with snapshots only."
    ),
]
WithoutLastCommand = Annotated[
    bool,
    typer.Option(
        "--without-last-command",
        help="Resume from the checkpoint before the last live command, and omit that command.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the folder of the run.")]


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

    Ranks, threads and boxes change the speed, never the result. Ctrl-C stops the run after a step; its folder
    is complete.

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
    """Resume a run from its last checkpoint.

    The result is bit-identical to that of an uninterrupted run, on any number of ranks and threads. Steps and
    times count from the start of the run.

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
    """Repeat a run with all its live commands.

    The result is bit-identical on any number of ranks and threads; the last lines compare the fingerprints.

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
                f"{done.folder}: fingerprint {done.fingerprint} differs from {before} of the original run. "
                "The Eddyline version or a file of the run has changed; check both."
            )
        return done

    ranks = execution_options.pop("ranks")
    _compute(again, ranks, execution_options["threads"], quiet)


def _compute(go: Callable[[], Run], ranks: int | None, threads: int, quiet: bool) -> None:
    """Computes the run in this process or on new ranks, and prints the closing lines."""
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
    """The command line of each rank: the arguments without `--ranks`."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if skip or argument == "--ranks" or argument.startswith("--ranks="):
            skip = argument == "--ranks"
        else:
            kept.append(argument)
    return kept
