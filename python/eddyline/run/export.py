"""Writes pictures, movies, tables and other files from the folder of a run."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from eddyline import argument_types, remote
from eddyline.option_names import called, given
from eddyline.run.errors import RequestError
from eddyline.run.folder import RunFolder
from eddyline.run.record import Run
from eddyline.run.unclosed import complete
from eddyline.stream import atomic
from eddyline.world.problems import listed

PARTS = ("png", "mp4", "csv", "vtkhdf", "ply", "stl", "obj", "report", "timeline", "run")
SURFACE_PARTS = ("ply", "stl", "obj")


def export(
    run: Run | str | os.PathLike[str],
    parts: str | Sequence[str] = (),
    *,
    quantity: str | None = None,
    width: int = 1280,
    out: str | os.PathLike[str] | None = None,
    spectra: str | Sequence[str] = (),
) -> list[Path | str]:
    """Writes files of a run without running it again, to `out` or to the folder `export` of the run; replaces
    older ones. Returns their paths, or URLs if `out` is one.

    run: a Run, its folder, or its URL. parts: "png" (the last picture), "mp4", "csv" (series and values),
    "vtkhdf" (all snapshots in one file, and all surfaces of each isosurface), "ply", "stl", "obj" (a file for
    each surface), "report", "timeline" (of ranks), "run" (all files of the run except checkpoints; only to
    `out`). Without any, what belongs in the run's own folder and is missing is made there: results, pictures,
    movie, charts and report.
    quantity: of picture and movie, if not that of the world. width: of picture and movie [px].
    spectra: columns of series, e.g. "force.cylinder.total_y", each as a picture and a table.
    """
    chosen, columns = ([each] if isinstance(each, str) else each for each in (parts, spectra))
    argument_types.texts(parts=chosen, spectra=columns)
    return list(exported(run, chosen, quantity=quantity, width=width, out=out, spectra=columns))


def remotely_exported(
    run: Run, parts: Sequence[str], url: str, *, quantity: str | None, width: int, spectra: Sequence[str]
) -> Iterator[str]:
    """Makes each file in a temporary folder, then copies it; a file at the URL is complete or absent."""
    remote.check_writable(url)
    if "run" in parts:
        for path in _files_of(run):
            target = remote.join(url, *path.relative_to(run.folder).parts)
            remote.upload(path, target)
            yield target
    others = [part for part in parts if part != "run"]
    if not others and not spectra:
        return
    with tempfile.TemporaryDirectory(prefix="eddyline-export-") as folder:
        for made in exported(run, others, quantity=quantity, width=width, out=folder, spectra=spectra):
            target = remote.join(url, *Path(made).relative_to(folder).parts)
            remote.upload(Path(made), target)
            yield target


def exported(
    run: Run | str | os.PathLike[str],
    parts: Sequence[str],
    *,
    quantity: str | None = None,
    width: int = 1280,
    out: str | os.PathLike[str] | None = None,
    spectra: Sequence[str] = (),
) -> Iterator[Path | str]:
    """Same as `export`; yields each path as soon as the file is written."""
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise RequestError(f"cannot export {unknown[0]!r}; must be one of: {', '.join(PARTS)}")
    source = Run.of(run)
    if not parts and not spectra:
        yield from _own(source, out, quantity)
        return
    if out is not None:
        argument_types.path(out=out)
    columns = [_column_of(source, name) for name in spectra]
    if out is None and (source.url or "run" in parts):
        place = remote.shown(source.url) or source.folder
        raise RequestError(f"{place}: give {called('out')}, the folder or URL to write to")
    if remote.is_url(out):
        url = str(out)
        yield from remotely_exported(source, parts, url, quantity=quantity, width=width, spectra=spectra)
        return
    folder = Path(out) if out is not None else source.folder / "export"
    RunFolder.check_outside(folder, beside_parts=True)
    if folder.exists() and not folder.is_dir():
        raise RequestError(f"{given('out', folder)}: is a file; give a folder")
    makers = {"run": _copies, "csv": _tables, "vtkhdf": _snapshots, "report": _report, "timeline": _timeline}
    with _filled(folder):
        if {"png", "mp4"} & set(parts):
            yield from _pictures(source, folder, parts, quantity, width)
        for part, make in makers.items():
            if part in parts:
                yield from make(source, folder)
        for part in SURFACE_PARTS:
            if part in parts:
                yield from _surfaces(source, folder, part)
        for series, column in columns:
            yield from _spectrum(source, series, column, folder)


def _own(run: Run, out: str | os.PathLike[str] | None, quantity: str | None) -> Iterator[Path]:
    """Writes the missing files of the folder of a run; yields those for users."""
    if out is not None or quantity is not None or run.url:
        raise RequestError(f"nothing to export: give parts ({listed(PARTS, 'or')}) or spectra")
    kept = RunFolder(complete(run).folder)
    yield from (path for path in (kept.results, kept.picture, kept.movie, kept.report) if path.is_file())


@contextlib.contextmanager
def _filled(folder: Path) -> Iterator[None]:
    """Creates a folder, and removes it if the block fails while it is empty."""
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def _files_of(run: Run) -> list[Path]:
    """The files of a run except checkpoints, its record last: without it the copy is no run. Raises
    RequestError if the run is being computed."""
    if run.outcome == "running":
        raise RequestError(f"{run.folder}: the run is being computed; copy it when it has ended")
    record = RunFolder(run.folder).record
    found = [
        path
        for path in sorted(run.folder.rglob("*"))
        if path.is_file()
        and path.relative_to(run.folder).parts[0] not in remote.NOT_NEEDED
        and not path.name.startswith(".")
    ]
    return [path for path in found if path != record] + [record]


def _copies(run: Run, folder: Path) -> Iterator[Path]:
    for path in _files_of(run):
        target = folder / path.relative_to(run.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic.replacing(target) as temporary:
            shutil.copyfile(path, temporary)
        yield target


def _timeline(run: Run, folder: Path) -> Iterator[Path]:
    """A trace for Perfetto, and a picture of a few steps."""
    from eddyline.plot.metadata import png_info
    from eddyline.plot.ranks import timeline_figure
    from eddyline.run.pictures import metadata_of
    from eddyline.stream.timeline import NAME, read_timeline, trace

    kept = run.folder / NAME
    if not os.path.lexists(kept):
        raise RequestError(f"{run.folder}: has no timeline; only runs on 2 or more ranks write one")
    ranks = read_timeline(kept)
    target = folder / "timeline.json"
    atomic.write_json(target, trace(ranks))
    yield target
    target = folder / "timeline.png"
    with atomic.replacing(target) as temporary:
        carried = {"pnginfo": png_info(metadata_of(run))}
        timeline_figure(ranks).savefig(temporary, format="png", pil_kwargs=carried)
    yield target


def _pictures(
    run: Run, folder: Path, parts: Sequence[str], quantity: str | None, width: int
) -> Iterator[Path]:
    from eddyline.run.surface_pictures import pictures_of

    try:
        pictures = pictures_of(run, quantity, width=width)
    except ValueError as error:
        raise RequestError(str(error)) from None
    if "mp4" in parts and len(pictures) == 1:
        raise RequestError(
            f"{run.folder}: has only one frame, but a movie needs two; set output.pictures in the world "
            "and run it again"
        )
    if "png" in parts:
        target = folder / f"{pictures.quantity}.png"
        pictures.save_picture(target)
        yield target
    if "mp4" in parts:
        target = folder / f"{pictures.quantity}.mp4"
        pictures.save_movie(target)
        yield target


def _tables(run: Run, folder: Path) -> Iterator[Path]:
    if not run.series_names:
        raise RequestError(f"{run.folder}: its folder `series` is missing, or empty")
    for name in run.series_names:
        target = folder / f"{name}.csv"
        run.read_series(name)  # raises CorruptFileError
        content = RunFolder(run.folder).read_file(run.folder / "series" / f"{name}.csv")
        atomic.write_bytes(target, content or b"")
        yield target
    yield from _profiles(run, folder)
    if not run.results_if_any:
        return
    for name, table in (("expectations", run.table()), ("values", run.values())):
        target = folder / f"{name}.csv"
        atomic.write_text(target, table.to_csv(index=False))
        yield target


def _profiles(run: Run, folder: Path) -> Iterator[Path]:
    """Each profile by place, with its mean and its last values; all rows are in its series."""
    import pandas as pd

    from eddyline.world.profiles import column_names, table
    from eddyline.world.schema import Profile

    for name, observer in run.world.observers.items():
        if isinstance(observer, Profile) and name in run.series_names:
            series = run.read_series(name)
            time, values = series["time"], series[column_names(observer)]
            names, columns = table(observer, time, values, run.world.dimensions)
            target = folder / f"{name}.profile.csv"
            made = pd.DataFrame(dict(zip(names, columns, strict=True)))
            atomic.write_text(target, made.to_csv(index=False))
            yield target


def _snapshots(run: Run, folder: Path) -> Iterator[Path]:
    from eddyline.run.folder import RunFolder
    from eddyline.stream.snapshots import copy_as_one_file, kinds_in
    from eddyline.stream.surface_formats import write_vtkhdf

    if run.snapshot_count == 0 and not run.surfaces:
        if run.world.output.snapshots > 0:
            raise RequestError(
                f"{run.folder}: has no snapshots; the solver {run.world.solver.name} writes none. Export "
                "pictures and tables instead: --png, --csv"
            )
        raise RequestError(
            f"{run.folder}: has no snapshots; set output.snapshots in the world and run it again"
        )
    for name, surfaces in run.surfaces.items():
        if len(surfaces):
            target = folder / f"{name}.vtkhdf"
            write_vtkhdf(target, surfaces, _color_of(run, name))
            yield target
    for kind in kinds_in(RunFolder(run.folder).snapshots) if run.snapshot_count else ():
        target = folder / f"{kind}.vtkhdf"
        copy_as_one_file(run.folder, kind, target)
        yield target


def _surfaces(run: Run, folder: Path, part: str) -> Iterator[Path]:
    """A file for each surface, NAME-0000.ply and so on."""
    from eddyline.stream import surface_formats

    if not any(map(len, run.surfaces.values())):
        raise RequestError(
            f'{run.folder}: has no surfaces; add [observe.water] with type = "isosurface" to the world and '
            "run it again"
        )
    for name, surfaces in run.surfaces.items():
        for k in range(len(surfaces)):
            target = folder / f"{name}-{k:04d}.{part}"
            surface = surfaces[k]
            if part == "ply":
                content = surface_formats.ply(surface, _color_of(run, name) or "value")
            else:
                content = surface_formats.stl(surface) if part == "stl" else surface_formats.obj(surface)
            atomic.write_bytes(target, content)
            yield target


def _color_of(run: Run, name: str) -> str:
    """Name of the quantity that colours the surfaces of an observer, if any; of a formula "value", because
    files allow no operators in names."""
    color = str(getattr(run.world.observers.get(name), "color", None) or "")
    return color if color.isidentifier() or not color else "value"


def _report(run: Run, folder: Path) -> Iterator[Path]:
    from eddyline.run.pictures import charts
    from eddyline.run.report import write_report

    if "steps" not in run.record:
        raise RequestError(f"{run.folder}: the run did not reach its end, so it has no report. {run.message}")
    if not run.results_if_any:
        raise RequestError(f"{run.folder}: has no results, which a report requires. {run.message}".rstrip())
    target = folder / "report.html"
    write_report(run, target, charts(run))
    yield target


def _column_of(run: Run, name: str) -> tuple[str, str]:
    """(series, column) of `force.cylinder.total_y`."""
    from eddyline.world.problems import did_you_mean, listed

    known_series = [each for each in run.series_names if name.startswith(f"{each}.")]
    series = max(known_series, key=len, default=name.rpartition(".")[0])
    column = name[len(series) + 1 :] if series else name
    where = f"{given('spectra', name, '--spectrum')}:"
    if name in run.series_names:
        columns = [f"{name}.{column}" for column in run.read_series(name).columns if column != "time"]
        raise RequestError(f"{where} is a series; name one of its columns: {listed(columns, 'or')}")
    if series not in run.series_names:
        near = did_you_mean(series, run.series_names, "and")
        raise RequestError(f"{where} the run has no series {series or name!r}. {near}")
    known = [str(other) for other in run.read_series(series).columns if other != "time"]
    if column not in known:
        raise RequestError(f"{where} {series} has no column {column!r}. {did_you_mean(column, known, 'and')}")
    return series, column


def _spectrum(run: Run, series: str, column: str, folder: Path) -> Iterator[Path]:
    """The spectrum over the window of the values of a body: of its own for a force, of the first one else."""
    import numpy as np

    from eddyline.plot import metadata
    from eddyline.plot.forces import density_unit, spectrum_chart, spectrum_of
    from eddyline.run.pictures import metadata_of

    frame, flows = run.read_series(series), run.results_if_any.get("flows", {})
    body = series.removeprefix("force.")
    body = body if body in flows else next(iter(flows), "")
    try:
        found = spectrum_of(frame, column, body, run.results_if_any)
    except ValueError as error:
        raise RequestError(f"{given('spectra', f'{series}.{column}', '--spectrum')}: {error}") from None
    oscillates = flows.get(body, {}).get("state") in ("periodic", "irregular")
    unit = density_unit(frame, column)
    chart = spectrum_chart(run.world, series, column, found, unit, oscillates=oscillates)
    columns = {"frequency [1/s]": found.frequency, f"power [{unit}]": found.power}
    reference = run.world.reference
    if reference is not None:
        columns["strouhal [1]"] = found.frequency * reference.length / reference.velocity
    picture = folder / f"{series}.{column}.spectrum.png"
    metadata.save_png(picture, chart.image(), metadata_of(run))
    yield picture
    table = folder / f"{series}.{column}.spectrum.csv"
    rows = [",".join(f"{value:.8g}" for value in row) for row in np.stack(list(columns.values()), axis=1)]
    atomic.write_text(table, "\n".join([",".join(columns), *rows]) + "\n")
    yield table
