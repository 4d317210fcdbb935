"""Commands on the results of runs: `export`, `sweep`, `compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from eddyline.cli.app import app
from eddyline.cli.errors import EXIT_INTERRUPTED, BadInputError, check_drawing, errors
from eddyline.cli.options import Boxes, Threads, World


@app.command(short_help="Write pictures, movies and tables of a run.")
def export(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="The folder or URL of a run; runs/NAME means its latest run.")
    ],
    png: Annotated[bool, typer.Option("--png", help="Last picture.")] = False,
    mp4: Annotated[bool, typer.Option("--mp4", help="Movie.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="Series and values as tables.")] = False,
    vtkhdf: Annotated[
        bool,
        typer.Option(
            "--vtkhdf", help="All snapshots in one VTKHDF file, all isosurfaces in others, for ParaView."
        ),
    ] = False,
    ply: Annotated[bool, typer.Option("--ply", help="Each isosurface as a PLY file, with colours.")] = False,
    stl: Annotated[bool, typer.Option("--stl", help="Each isosurface as an STL file.")] = False,
    obj: Annotated[bool, typer.Option("--obj", help="Each isosurface as an OBJ file.")] = False,
    report: Annotated[bool, typer.Option("--report", help="Rebuild the report.")] = False,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Timeline of the ranks: a trace for Perfetto and a picture.")
    ] = False,
    whole: Annotated[
        bool, typer.Option("--run", help="All files of the run except checkpoints, to --out.")
    ] = False,
    spectrum: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            metavar="COLUMN",
            help="Power spectrum of a column of a series, e.g. force.cylinder.total_y. Repeatable.",
        ),
    ] = None,
    quantity: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="NAME", help="Quantity of the pictures: speed, vorticity, pressure, ..."),
    ] = None,
    width: Annotated[
        int, typer.Option(min=320, max=7680, metavar="PX", help="Width of pictures [pixels].")
    ] = 1280,
    out: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="DIR", help="Output folder, or a URL; default RUN/export."),
    ] = None,
) -> None:
    """Write pictures, movies, tables, spectra and ParaView files of a run, without running it again.

    Without an option: completes the run's own folder (results, pictures, report), for example after Ctrl-C or
    a kill.

    \b
      eddyline export runs/dam_break --mp4 --quantity pressure
      eddyline export runs/dam_break/0002 --png --csv --out figures
      eddyline export runs/cylinder --spectrum force.cylinder.total_y
      eddyline export runs/dam_break_3d --ply
      eddyline export runs/cylinder --run --out s3://bucket/runs/cylinder
    """
    from eddyline import remote
    from eddyline.run.export import exported
    from eddyline.run.record import Run

    with errors():
        chosen = {"png": png, "mp4": mp4, "csv": csv, "vtkhdf": vtkhdf, "report": report}
        chosen |= {"ply": ply, "stl": stl, "obj": obj, "timeline": timeline, "run": whole}
        parts = [name for name, wanted in chosen.items() if wanted]
        if not parts and not spectrum and (out is not None or quantity is not None):
            raise BadInputError(
                "nothing to export: add --png, --mp4, --csv, --vtkhdf, --ply, --stl, --obj, --report, "
                "--timeline, --run or --spectrum COLUMN"
            )
        opened = Run.open(run)
        for path in exported(opened, parts, quantity=quantity, width=width, out=out, spectra=spectrum or ()):
            typer.echo(remote.shown(path) if isinstance(path, str) else path)
        if png or mp4:
            from eddyline.plot.fonts import left_out

            if words := left_out([opened.title]):
                typer.echo(words, err=True)


@app.command(short_help="Run a world for many values and tabulate the results.")
def sweep(
    world: World,
    set_: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--set", metavar="K=V", help="Values of a key: a:b:n, a:b:n:log or a,b,c. Repeat for a grid."
        ),
    ] = None,
    quantity: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(metavar="Q", help="Result to tabulate, a formula as in [[expect]]. Repeatable."),
    ] = None,
    steps: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(min=0, metavar="N", help="Stop each run after N steps."),
    ] = None,
    until: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(min=0, metavar="T", help="Stop each run at time T [s] instead of time.end."),
    ] = None,
    threads: Threads = 0,
    boxes: Boxes = 1,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="DIR",
            help="Output folder: new, empty, or that of the same sweep over other values; default "
            "runs/NAME/sweeps/0001.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the folder of the sweep.")] = False,
) -> None:
    """Run a world for many values and tabulate the results; for domain.spacing, also the order of
    convergence.

    \b
    a:b:n      n values from a to b at equal distances
    a:b:n:log  n values from a to b at equal ratios
    a,b,c      these values; formulas, too

    After Ctrl-C the same command continues the sweep; finished points are not run again.

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
                f"stopped: {len(done.rows)} of {done.points} points are done; the same command continues",
                err=True,
            )
            raise typer.Exit(EXIT_INTERRUPTED)


@app.command(short_help="Check whether two runs are bit-identical.")
def compare(
    run_a: Annotated[str, typer.Argument(metavar="RUN_A", help="The folder or URL of a run.")],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="The folder or URL of the other run.")],
    csv: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Write the differences over time to FILE (.csv)."),
    ] = None,
    picture: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(metavar="FILE", help="Plot the differences over time to FILE (.png, .svg or .pdf)."),
    ] = None,
) -> None:
    """Check whether two runs are bit-identical, particle by particle and row by row.

    Exit code 0: identical. 1: different. 2: cannot be compared. The first step that differs is known exactly
    if both runs kept checksums (run --checksums 1), and particles that differ from the first snapshots after
    it.

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
