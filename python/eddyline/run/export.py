"""Pictures, movies, tables and files made from the folder of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from eddyline.run.errors import RequestError
from eddyline.run.record import Run
from eddyline.stream import atomic

PARTS = ("png", "mp4", "csv", "vtkhdf", "report")


def export(
    run: Run | str | Path,
    parts: Sequence[str],
    *,
    quantity: str | None = None,
    width: int = 1280,
    out: str | Path | None = None,
) -> Iterator[Path]:
    """Makes each of `parts` (of PARTS) and yields the files, in `out` or the run's folder `export`;
    replaces older ones.

    quantity: of picture and movie, if not that of the world. width: of picture and movie [px].
    """
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise RequestError(f"cannot export {unknown[0]!r}; there are: {', '.join(PARTS)}")
    source = run if isinstance(run, Run) else Run.open(run)
    folder = Path(out) if out is not None else source.folder / "export"
    folder.mkdir(parents=True, exist_ok=True)
    makers = {"csv": _tables, "vtkhdf": _snapshots, "report": _report}
    if {"png", "mp4"} & set(parts):
        yield from _pictures(source, folder, parts, quantity, width)
    for part, make in makers.items():
        if part in parts:
            yield from make(source, folder)


def _pictures(
    run: Run, folder: Path, parts: Sequence[str], quantity: str | None, width: int
) -> Iterator[Path]:
    from eddyline.run.pictures import RunPictures

    try:
        pictures = RunPictures(run, quantity, width=width)
    except ValueError as error:
        raise RequestError(str(error)) from None
    if "png" in parts:
        target = folder / f"{pictures.quantity}.png"
        pictures.save_picture(target)
        yield target
    if "mp4" in parts:
        target = folder / f"{pictures.quantity}.mp4"
        pictures.save_movie(target)
        yield target


def _tables(run: Run, folder: Path) -> Iterator[Path]:
    for name in run.series_names:
        target = folder / f"{name}.csv"
        atomic.write_bytes(target, (run.folder / "series" / f"{name}.csv").read_bytes())
        yield target
    target = folder / "expectations.csv"
    atomic.write_text(target, run.table().to_csv(index=False))
    yield target


def _snapshots(run: Run, folder: Path) -> Iterator[Path]:
    from eddyline.stream.snapshots import KINDS, copy_as_one_file

    if run.snapshot_count == 0:
        raise RequestError(
            f"{run.folder}: has no snapshots; set output.snapshots in the world and run it again"
        )
    for kind in KINDS:
        target = folder / f"{kind}.vtkhdf"
        with atomic.replacing(target) as temporary:
            copy_as_one_file(run.folder, kind, temporary)
        yield target


def _report(run: Run, folder: Path) -> Iterator[Path]:
    from eddyline.run.pictures import charts
    from eddyline.run.report import write_report

    if "steps" not in run.record:
        raise RequestError(f"{run.folder}: the run did not come to its end, so there is no report to make")
    target = folder / "report.html"
    write_report(run, target, charts(run))
    yield target
