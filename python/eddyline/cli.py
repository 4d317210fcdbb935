"""The command line. Everything heavy is imported inside the commands, so that help is there at once.

Exit codes: 0 done, 2 bad input, 3 a step failed, 4 cannot write, 5 a rank was lost, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

if TYPE_CHECKING:
    from eddyline.run.record import Run

EXIT_BAD_INPUT = 2
EXIT_LOST = 5
EXIT_INTERRUPTED = 130

app = typer.Typer(
    name="eddyline",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Eddyline, a flow laboratory: describe a world in one small file, press run, watch the flow.

\b
  eddyline run dam_break              run a world of the gallery
  eddyline new my_tank                start a world of your own: my_tank.toml
  eddyline check my_tank.toml         what will be run, or what is wrong with it
  eddyline run my_tank.toml --set domain.spacing=0.004
  eddyline export runs/my_tank --mp4 --quantity pressure

A run keeps everything in a folder of its own, runs/NAME/0001, with a report.html to open first.
""",
)

World = Annotated[
    str, typer.Argument(metavar="WORLD", help="A world file, or the name of a world of the gallery.")
]
Set = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads it at run time, in Python 3.10, too
    typer.Option("--set", metavar="K=V", help="Change a value, e.g. --set let.Re=20. Again for more."),
]
Threads = Annotated[int, typer.Option(min=0, metavar="N", help="Threads; 0: all cores.")]
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
Patience = Annotated[
    float,
    typer.Option(min=0, metavar="S", help="How long a rank waits for others before it gives up [s]."),
]
CheckpointEvery = Annotated[
    float, typer.Option(min=0, metavar="MIN", help="Minutes between checkpoints; 0: only at the end.")
]
Checksums = Annotated[
    int, typer.Option(min=0, metavar="N", help="Keep a checksum after every N steps, for `compare`.")
]
Live = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(metavar="URL", help="Show the run to a hub, at the address that `eddyline serve` prints."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print the run's folder and nothing else.")]
Boxes = Annotated[int, typer.Option(min=1, metavar="B", help="Cut the domain of each rank into B boxes.")]


@app.callback(invoke_without_command=True)
def _common(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
) -> None:
    if version:
        import eddyline

        typer.echo(f"eddyline {eddyline.__version__}")
        raise typer.Exit


@app.command()
def run(
    world: World,
    set_: Set = None,
    steps: Steps = None,
    until: Until = None,
    threads: Threads = 0,
    ranks: Ranks = None,
    boxes: Boxes = 1,
    decomposition: Decomposition = "bisection",
    rebalance: Rebalance = True,
    exchange: Exchange = "nonblocking",
    patience: Patience = 300.0,
    checkpoint_every: CheckpointEvery = 30.0,
    checksums: Checksums = 0,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="DIR", help="A new or empty folder instead of runs/NAME/0001."),
    ] = None,
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

    def begin() -> Run:
        return run_world(
            world,
            overrides=parse_set(set_ or []),
            steps=steps,
            until=until,
            threads=threads,
            boxes=boxes,
            decomposition=decomposition,
            rebalance=rebalance,
            exchange=exchange,
            patience=patience,
            checkpoint_every=60 * checkpoint_every,
            checksums=checksums,
            out=out,
            progress=not quiet,
            live=live,
        )

    _compute(begin, ranks, quiet)


@app.command()
def resume(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or runs/NAME.")],
    steps: Steps = None,
    until: Until = None,
    threads: Threads = 0,
    ranks: Ranks = None,
    boxes: Boxes = 1,
    decomposition: Decomposition = "bisection",
    rebalance: Rebalance = True,
    exchange: Exchange = "nonblocking",
    patience: Patience = 300.0,
    checkpoint_every: CheckpointEvery = 30.0,
    checksums: Checksums = 0,
    live: Live = None,
    quiet: Quiet = False,
) -> None:
    """Go on with a run from its last checkpoint.

    To the bits of a run that never stopped, on any number of ranks and threads. Steps and times count from
    the start of the run.

    \b
      eddyline resume runs/cylinder
      eddyline resume runs/cylinder/0003 --until 12 --ranks 8
    """
    from eddyline.run import resume as resume_run

    def go_on() -> Run:
        return resume_run(
            run,
            steps=steps,
            until=until,
            threads=threads,
            boxes=boxes,
            decomposition=decomposition,
            rebalance=rebalance,
            exchange=exchange,
            patience=patience,
            checkpoint_every=60 * checkpoint_every,
            checksums=checksums,
            progress=not quiet,
            live=live,
        )

    _compute(go_on, ranks, quiet)


@app.command()
def replay(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The folder of a run, or runs/NAME.")],
    threads: Threads = 0,
    ranks: Ranks = None,
    boxes: Boxes = 1,
    decomposition: Decomposition = "bisection",
    rebalance: Rebalance = True,
    exchange: Exchange = "nonblocking",
    patience: Patience = 300.0,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="DIR", help="A new or empty folder instead of runs/NAME/0001."),
    ] = None,
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
        done = replay_run(
            run,
            threads=threads,
            boxes=boxes,
            decomposition=decomposition,
            rebalance=rebalance,
            exchange=exchange,
            patience=patience,
            out=out,
            progress=not quiet,
            live=live,
        )
        before = done.record["replay_of"]["fingerprint"]
        if done.fingerprint != before:
            raise _BadInputError(
                f"{done.folder}: fingerprint {done.fingerprint}, and {before} before: not the same run. "
                "Another version of Eddyline, or a file that was changed?"
            )
        return done

    _compute(again, ranks, quiet)


def _compute(go: Callable[[], Run], ranks: int | None, quiet: bool) -> None:
    """Runs, here or on ranks of its own, and prints the closing lines."""
    from eddyline.run import StepFailedError
    from eddyline.run.closing import closing_lines

    def show(done: Run) -> None:
        typer.echo(done.folder if quiet else closing_lines(done))

    with _errors():
        if ranks is not None:
            from eddyline.ranks import launch

            raise typer.Exit(launch(ranks, _without_ranks(sys.argv[1:])))
        try:
            done = go()
        except StepFailedError as error:
            show(error.run)
            raise
        show(done)
        if done.outcome == "stopped by user":
            raise typer.Exit(EXIT_INTERRUPTED)


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


@app.command()
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

    with _errors():
        pairs = dict(item.partition("=")[::2] for item in attributes or [])
        if not all(pairs.values()):
            raise _BadInputError("--attribute must be K=V, for example slurm.partition=long")
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
            raise _BadInputError(str(error)) from None


@app.command()
def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the new world; the file is NAME.toml.")
    ],
    copy: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--from", metavar="WORLD", help="Start from a world of the gallery."),
    ] = None,
) -> None:
    """Start a world file, with a comment at each key.

    \b
      eddyline new my_tank
      eddyline new my_dam --from dam_break
    """
    from eddyline.world import new_world

    with _errors():
        path = new_world(name, copy)
        typer.echo(f"{path}: edit it, then\n  eddyline check {path}\n  eddyline run {path}")


@app.command()
def check(
    world: World,
    set_: Set = None,
    picture: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Draw the world into FILE (.png, .svg or .pdf)."),
    ] = None,
) -> None:
    """Say what will be run: particles, memory, time step, Reynolds number, and how long it takes. Nothing
    is run.

    \b
      eddyline check my_tank.toml
      eddyline check dam_break --set domain.spacing=a/80 --picture dam.png
    """
    from eddyline.world import World as WorldType
    from eddyline.world import describe, parse_set, save_picture

    with _errors():
        loaded = WorldType.load(world, parse_set(set_ or []))
        typer.echo(describe(loaded))
        if picture is not None:
            try:
                save_picture(loaded, picture)
            except ValueError as error:
                raise _BadInputError(f"--picture {picture}: {error}") from None
            typer.echo(f"picture: {picture}")


@app.command()
def export(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="The folder of a run; runs/NAME stands for its latest.")
    ],
    png: Annotated[bool, typer.Option("--png", help="The last picture.")] = False,
    mp4: Annotated[bool, typer.Option("--mp4", help="The movie.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Series and values as tables.")] = False,
    vtkhdf: Annotated[
        bool, typer.Option("--vtkhdf", help="All snapshots in one file, for ParaView.")
    ] = False,
    report: Annotated[bool, typer.Option("--report", help="The report, made again.")] = False,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="What ranks did when: a trace for Perfetto and a picture.")
    ] = False,
    spectrum: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="COLUMN", help="Power spectrum of a series' column, e.g. force.cylinder.total_y."
        ),
    ] = None,
    quantity: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="NAME", help="What pictures show: speed, vorticity, pressure, ..."),
    ] = None,
    width: Annotated[int, typer.Option(min=320, max=7680, metavar="PX", help="Width of pictures.")] = 1280,
    out: Annotated[Optional[Path], typer.Option(metavar="DIR", help="Where to; default RUN/export.")] = None,  # noqa: UP045
) -> None:
    """Make pictures, movies, tables, spectra and files for ParaView from a run, without running it again.

    \b
      eddyline export runs/dam_break --mp4 --quantity pressure
      eddyline export runs/dam_break/0002 --png --csv --out figures
      eddyline export runs/cylinder --spectrum force.cylinder.total_y
    """
    from eddyline.run.export import export as export_run

    with _errors():
        chosen = {"png": png, "mp4": mp4, "csv": csv, "vtkhdf": vtkhdf, "report": report}
        chosen["timeline"] = timeline
        parts = [name for name, wanted in chosen.items() if wanted]
        if not parts and not spectrum:
            raise _BadInputError(
                "say what to export: --png, --mp4, --csv, --vtkhdf, --report, --timeline or --spectrum COLUMN"
            )
        for path in export_run(run, parts, quantity=quantity, width=width, out=out, spectra=spectrum or ()):
            typer.echo(path)


@app.command()
def sweep(
    world: World,
    set_: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--set", metavar="K=V", help="Values of a key: a:b:n, a:b:n:log or a,b,c. Again for a grid."
        ),
    ] = None,
    quantity: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="Q", help="What to tabulate, a formula as in [[expect]]. Again for more."),
    ] = None,
    steps: Annotated[Optional[int], typer.Option(min=0, metavar="N", help="Stop each after N steps.")] = None,  # noqa: UP045
    until: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(min=0, metavar="T", help="Stop each at time T [s] instead of the world's end."),
    ] = None,
    threads: Threads = 0,
    boxes: Boxes = 1,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="DIR", help="A new or empty folder, or that of a sweep, instead of runs/NAME/sweeps/0001."
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the sweep's folder and nothing else.")
    ] = False,
) -> None:
    """Run a world for many values and tabulate what comes out; over the spacing, with the order of
    convergence.

    \b
    a:b:n      n values from a to b at equal distances
    a:b:n:log  n values from a to b at equal ratios
    a,b,c      these values; formulas, too

    Ctrl-C leaves a sweep that the same command goes on with: points that are done are not run again.

    \b
      eddyline sweep worlds/periodic_cylinder.toml --set let.f=0.5:4:8:log
      eddyline sweep dam_break --set domain.spacing=a/10,a/20,a/40 --quantity front.position.final
    """
    from eddyline.sweep import RunOptions, run_sweep
    from eddyline.world import parse_set

    with _errors():
        done = run_sweep(
            world,
            parse_set(set_ or []),
            RunOptions(steps, until, threads, boxes, progress=not quiet),
            quantities=quantity or (),
            out=out,
        )
        if not quiet:
            typer.echo(done.text())
            typer.echo(f"\nfolder       {done.folder}")
            for path in done.pictures:
                typer.echo(f"picture      {path}")
        else:
            typer.echo(done.folder)
        if done.stopped:
            typer.echo(
                f"stopped: {len(done.rows)} of {done.points} points are done; the same command goes on",
                err=True,
            )
            raise typer.Exit(EXIT_INTERRUPTED)


@app.command()
def compare(
    run_a: Annotated[Path, typer.Argument(metavar="RUN_A", help="The folder of a run.")],
    run_b: Annotated[Path, typer.Argument(metavar="RUN_B", help="The folder of another.")],
    csv: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Write the moments as a table."),
    ] = None,
    picture: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Draw the error over time into FILE (.png, .svg or .pdf)."),
    ] = None,
) -> None:
    """Compare two runs, particle by particle and row by row: are they the same to the last bit?

    Exit code 0: identical. 1: not. 2: cannot be told.

    \b
      eddyline run dam_break --threads 1 --out one
      eddyline run dam_break --boxes 3 --out other
      eddyline compare one other
    """
    from eddyline.compare import compare_runs

    with _errors():
        done = compare_runs(run_a, run_b)
        if csv is not None:
            done.table().to_csv(csv, index=False)
        if picture is not None:
            try:
                done.save_picture(picture)
            except ValueError as error:
                raise _BadInputError(f"--picture {picture}: {error}") from None
        typer.echo(done.text())
        raise typer.Exit(0 if done.identical else 1)


_PASSED_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


@app.command(context_settings=_PASSED_ON)
def bench(context: typer.Context) -> None:
    """Measure how fast this machine computes, beside its own limit; `eddyline bench --help`."""
    _hand_over("bench", context.args)


@app.command(context_settings=_PASSED_ON)
def validate(context: typer.Context) -> None:
    """Run the validation cases and hold them against published values; `eddyline validate --help`."""
    _hand_over("validate", context.args)


def main() -> None:
    """The entry point of the command line."""
    try:
        app()
    except SystemExit as end:
        from eddyline.ranks.launch import tell_outcome
        from eddyline.ranks.session import is_follower

        code = end.code if isinstance(end.code, int) else 0
        if not is_follower() and tell_outcome(code):
            raise SystemExit(0) from None  # launchers make a fuss about ranks that end with anything else
        raise
    except Exception as error:
        _give_up(error)
        raise


def _give_up(error: Exception) -> None:
    """A rank that fails for a reason of its own takes the others along: they would wait for it for ever."""
    from eddyline.ranks.session import join

    if join.cache_info().currsize == 0:
        return
    communicator = join().communicator
    if communicator is not None:
        import traceback

        from eddyline import _core

        if isinstance(error, _core.UnresponsiveError):
            typer.echo(str(error), err=True)
        else:
            traceback.print_exception(error)
        sys.stderr.flush()
        communicator.abort(EXIT_LOST)


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


def _hand_over(name: str, arguments: list[str]) -> None:
    """Calls `main(arguments)` of a part of the package that reads its own command line."""
    from importlib import import_module

    with _errors():
        program: Callable[[list[str]], int | None] = import_module(f"eddyline.{name}").main
        code = program(arguments)
        raise typer.Exit(code or 0)


class _BadInputError(Exception):
    """One line for the user."""


@contextlib.contextmanager
def _errors() -> Iterator[None]:
    """Errors that a user can cause as lines on standard error, with their exit code; anything else is a
    fault of ours."""
    from eddyline.ranks.session import is_follower

    try:
        yield
    except (typer.Exit, typer.Abort):
        raise
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    except Exception as error:
        code = _exit_code(error)
        if code is None:
            raise
        if not is_follower():
            typer.echo(_words(error), err=True)
        raise typer.Exit(code) from None


def _exit_code(error: Exception) -> int | None:
    from eddyline.ranks import RankError
    from eddyline.run.errors import EXIT_CANNOT_WRITE, RunError

    if isinstance(error, (RunError, RankError)):
        return error.exit_code
    if isinstance(error, (FileNotFoundError, _BadInputError)):
        return EXIT_BAD_INPUT
    if isinstance(error, OSError):
        return EXIT_CANNOT_WRITE
    from eddyline import _core
    from eddyline.world import WorldError

    return EXIT_BAD_INPUT if isinstance(error, (WorldError, _core.UserError)) else None


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


if __name__ == "__main__":
    main()
