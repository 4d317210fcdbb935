"""Commands on the results of runs: `export`, `sweep`, `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from eddyline.cli.app import app
from eddyline.cli.errors import EXIT_INTERRUPTED, BadInputError, check_drawing, errors
from eddyline.cli.options import Boxes, Threads, World


@app.command(short_help="Make pictures, movies and tables from a run.")
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

    Without an option: what is missing in the run's own folder, as after Ctrl-C or a kill: results, pictures,
    report.

    \b
      eddyline export runs/dam_break --mp4 --quantity pressure
      eddyline export runs/dam_break/0002 --png --csv --out figures
      eddyline export runs/cylinder --spectrum force.cylinder.total_y
    """
    from eddyline.run.export import exported
    from eddyline.run.record import Run

    with errors():
        chosen = {"png": png, "mp4": mp4, "csv": csv, "vtkhdf": vtkhdf, "report": report}
        chosen["timeline"] = timeline
        parts = [name for name, wanted in chosen.items() if wanted]
        if not parts and not spectrum and (out is not None or quantity is not None):
            raise BadInputError(
                "say what to export: --png, --mp4, --csv, --vtkhdf, --report, --timeline or --spectrum COLUMN"
            )
        for path in exported(run, parts, quantity=quantity, width=width, out=out, spectra=spectrum or ()):
            typer.echo(path)
        if png or mp4:
            from eddyline.plot.fonts import left_out

            if words := left_out([Run.of(run).title]):
                typer.echo(words, err=True)


@app.command(short_help="Run a world for many values and tabulate what comes out.")
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
            metavar="DIR",
            help="A new or empty folder, or that of the same sweep over other values, instead of "
            "runs/NAME/sweeps/0001.",
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

    with errors():
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


@app.command(short_help="Tell whether two runs are the same, to the last bit.")
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
    from eddyline.stream import atomic

    with errors():
        check_drawing(picture)
        done = compare_runs(run_a, run_b)
        if csv is not None:
            atomic.write_text(csv, done.table().to_csv(index=False))
        if picture is not None:
            done.save_picture(picture)
        typer.echo(done.text())
        raise typer.Exit(0 if done.identical else 1)
