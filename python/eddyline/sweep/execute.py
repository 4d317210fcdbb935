"""Runs a sweep: checks every point, runs the missing ones, and tabulates the results."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline import argument_types
from eddyline.argument_types import number, whole
from eddyline.option_names import called, given
from eddyline.ranks.session import launched_ranks
from eddyline.run.errors import RequestError, StepFailedError
from eddyline.run.execute import check_request, options_text
from eddyline.run.execute import run as run_world
from eddyline.run.fingerprint import canonical_world
from eddyline.run.folder import RunFolder
from eddyline.run.publish import wants_pictures
from eddyline.run.record import Run
from eddyline.stream import atomic
from eddyline.sweep.folder import FORMAT, SweepFolder
from eddyline.sweep.table import Limit, Row, limits_of, quantities_of, row_of, spacing_key, to_frame, to_text
from eddyline.sweep.values import Grid, Setting, grid, labels
from eddyline.world.problems import WorldError, duration

if TYPE_CHECKING:
    import pandas as pd

    from eddyline.world import World

Changes = Mapping[str, Setting | Sequence[Setting]]


@dataclass(frozen=True)
class Point:
    """A point of the grid: its settings, the name of its folder, and its checked world."""

    settings: dict[str, Setting]
    label: str
    world: World


@dataclass(frozen=True)
class RunOptions:
    """Options of each run, as for `eddyline.run`."""

    steps: int | None = None
    until: float | None = None
    threads: int = 0
    boxes: int = 1
    progress: bool = True

    def check(self) -> None:
        """Raises TypeError."""
        whole(threads=self.threads, boxes=self.boxes)
        if self.steps is not None:
            whole(steps=self.steps)
        if self.until is not None:
            number(until=self.until)


@dataclass(frozen=True)
class Sweep:
    """Result of a sweep: rows of the points that have a run, limits at a spacing of zero, and the
    pictures."""

    folder: Path
    rows: list[Row]
    limits: list[Limit]
    pictures: list[Path]
    points: int
    stopped: bool

    def table(self) -> pd.DataFrame:
        """A row a point, see table.to_frame; `.attrs` hold the folder, and the limits at a spacing of zero:
        "limits" as numbers, see Limit.record, and "convergence" as sentences."""
        frame = to_frame(self.rows)
        frame.attrs = {
            "folder": str(self.folder),
            "limits": [limit.record() for limit in self.limits],
            "convergence": [str(limit) for limit in self.limits],
        }
        return frame

    def text(self) -> str:
        return to_text(self.rows, self.limits)


def sweep(
    world: World | str | os.PathLike[str],
    changes: Changes,
    *,
    quantities: str | Sequence[str] = (),
    steps: int | None = None,
    until: float | None = None,
    threads: int = 0,
    boxes: int = 1,
    out: str | os.PathLike[str] | None = None,
    progress: bool = True,
) -> pd.DataFrame:
    """Runs a world for every combination of values. Returns a DataFrame with one row per point.

    world: a World, or the path of a world file. changes: by dotted key, a list of values or a text:
    {"let.Re": "20:200:8"} (linear), "20:200:8:log", "20,40,100"; a key with one value holds for all points.
    quantities: a formula of results as in [[expect]], or several; unless given, what the world expects.
    steps, until, threads, boxes: as for `eddyline.run`. out: a new or empty folder, or that of a sweep
    which is the same but for its values; unless given runs/NAME/sweeps/0001, 0002, ..., or the folder of the
    same sweep if it was begun before.

    `.attrs` of the table: "folder"; over the spacing "limits", a dict for each quantity with its order of
    convergence, what it converges to (extrapolated) and the grid convergence index (error), or the note why
    there is none; "convergence", the same as sentences.

    Points that have come to their end are not run again; Ctrl-C leaves a sweep that the same call goes on
    with. RequestError or WorldError, before anything runs, has a line for each thing that is wrong with any
    of the points.
    """
    options = RunOptions(steps, until, threads, boxes, progress)
    return run_sweep(world, changes, options, quantities=quantities, out=out).table()


def run_sweep(
    world: World | str | os.PathLike[str],
    changes: Changes,
    options: RunOptions,
    *,
    quantities: str | Sequence[str] = (),
    out: str | os.PathLike[str] | None = None,
) -> Sweep:
    """Same as `sweep`; returns all results."""
    from eddyline.world import World

    options.check()
    asked = [quantities] if isinstance(quantities, str) else quantities
    argument_types.texts(quantities=asked)
    if out is not None:
        argument_types.path(out=out)
    if (started := launched_ranks()) > 1:
        raise RequestError(
            f"a launcher has started {started} processes, but a sweep runs in one; start it without a "
            f"launcher and use {called('threads')}"
        )
    chosen = grid(changes)
    base = World.of(world)
    points = _checked(base, chosen)
    wanted = list(asked) or quantities_of(points[0].world)
    _check_quantities(points, wanted)
    _check_requests(points, options)
    if not asked and options.until is not None:
        _check_until(points, wanted, options.until)
    how = options_text(steps=options.steps, until=options.until)
    definition: dict[str, Any] = {
        "format": FORMAT,
        "world": canonical_world(base.source),
        "settings": {key: list(values) for key, values in chosen.settings.items()},
        "fixed": chosen.fixed,
        "options": how,
    }
    folder = SweepFolder.find_or_create(base.name, definition, Path(out) if out is not None else None)
    with folder.claimed():
        rows, stopped = [], False
        found = {point.label: folder.finished_run(point.label, point.world, how) for point in points}
        if options.progress:
            _announce(folder, points, found)
        for number, point in enumerate(points, 1):
            run = found[point.label]
            if run is not None and not _has_report(run) and not stopped:
                stopped = not _published(run)
            if run is None and not stopped:
                if options.progress:
                    print(f"[{number}/{len(points)}] {point.label}", file=sys.stderr, flush=True)
                path = folder.cleared(point.label)
                try:
                    run = _run(point, path, options)
                except KeyboardInterrupt:
                    stopped = True
                    continue
                stopped = _was_stopped(run)
            if run is not None and run.outcome != "stopped by user":
                end = point.world.end if options.until is None else options.until
                rows.append(row_of(point.label, point.settings, point.world, run, wanted, end))
        return _finish(folder, base, points, rows, stopped)


def _check_requests(points: Sequence[Point], options: RunOptions) -> None:
    """Raises RequestError for invalid options, or with one line per point that cannot be run."""
    wrong = []
    for point in points:
        try:
            check_request(
                point.world, steps=options.steps, until=options.until, threads=options.threads,
                boxes=options.boxes,
            )  # fmt: skip
        except WorldError as error:
            wrong += [f"{point.label}: {line}" for line in str(error).splitlines()]
    if wrong:
        raise RequestError("\n".join(wrong))


def _run(point: Point, path: Path, options: RunOptions) -> Run:
    """Runs a point; a run whose step fails is a row of the table, too."""
    try:
        return run_world(
            point.world, steps=options.steps, until=options.until, threads=options.threads,
            boxes=options.boxes, out=path, progress=options.progress, movie=False,
        )  # fmt: skip
    except StepFailedError as error:
        print(f"{point.label}: {error}", file=sys.stderr)
        return error.run


def _published(run: Run) -> bool:
    """Writes the pictures and the report that an earlier Ctrl-C skipped; False after another Ctrl-C."""
    from eddyline.run.publish import publish

    try:
        publish(run, movie=False, report=True)
    except KeyboardInterrupt:
        return False
    return True


def _was_stopped(run: Run) -> bool:
    """True if the run was stopped by Ctrl-C; during the pictures that leaves a finished run without a
    report."""
    return run.outcome == "stopped by user" or (run.outcome == "finished" and not _has_report(run))


def _has_report(run: Run) -> bool:
    return not wants_pictures() or RunFolder(run.folder).report.is_file()


def _checked(base: World, chosen: Grid) -> list[Point]:
    """The points with their worlds. Raises WorldError with all problems, each with its point unless all
    points share it."""
    from eddyline.world import World, WorldError
    from eddyline.world.document import parse
    from eddyline.world.problems import Problem

    settings = chosen.points
    points: list[Point] = []
    wrong: dict[str, list[tuple[str, Problem]]] = {}
    for label, own in zip(labels(settings), settings, strict=True):
        changes = {**chosen.fixed, **own}
        try:
            document = parse(base.source, str(base.path or f"{base.name}.toml"), changes, "changes")
            points.append(Point(own, label, World(document, base.name, base.path)))
        except WorldError as error:
            for problem in error.problems:
                wrong.setdefault(str(problem), []).append((label, problem))
    if wrong:
        problems = []
        for places in wrong.values():
            problem = places[0][1]
            where = "" if len(places) == len(settings) else f" At {places[0][0]}{_more(len(places) - 1)}."
            problems.append(Problem(problem.line, problem.place, f"{problem.text}{where}"))
        raise WorldError(problems)
    return points


def _more(count: int) -> str:
    return f" and {count} more" if count else ""


def _check_quantities(points: Sequence[Point], quantities: Sequence[str]) -> None:
    from eddyline.world.quantities import wrong_quantity

    world = points[0].world
    wrong = [
        f"{given('quantities', text, '--quantity')}: {line}"
        for text in quantities
        for line in wrong_quantity(text, world.file, world.let, one_number=True)
    ]
    if wrong:
        raise RequestError("\n".join(wrong))


def _check_until(points: Sequence[Point], quantities: Sequence[str], until: float) -> None:
    """Raises RequestError if `until` is too early for all expected values."""
    from eddyline.world.describe import plan

    begin: list[float] = []
    for point in points:
        after = [item.after for item in point.world.expectations if item.quantity in quantities]
        end = until + plan(point.world).estimate.time_step  # the last step may pass the end
        if len(after) < len(quantities) or min(after) <= end:
            return
        begin += after
    raise RequestError(
        f"{given('until', until)}: too early for any value, as the expectations of the world begin at t = "
        f"{min(begin):g} s; choose a later time or other quantities"
    )


def _announce(folder: SweepFolder, points: Sequence[Point], found: Mapping[str, Run | None]) -> None:
    from eddyline.world.describe import plan

    missing = [point for point in points if found[point.label] is None]
    words = f"{len(points)} points in {folder.path}"
    if len(missing) < len(points):
        words += f", {len(points) - len(missing)} of them already finished"
    if missing:
        costs = [plan(point.world).cost for point in missing]
        words += f"; about {duration(sum(cost.seconds - cost.film for cost in costs))}"  # none has a film
    print(words, file=sys.stderr, flush=True)


def _finish(
    folder: SweepFolder, base: World, points: Sequence[Point], rows: list[Row], stopped: bool
) -> Sweep:
    """Writes the table and the pictures of all rows."""
    from eddyline.sweep.charts import save_charts

    key = spacing_key(base, list(points[0].settings))
    limits = limits_of(rows, key)
    pictures = save_charts(folder.path, base, rows, limits, key) if rows else []
    if rows:
        atomic.write_text(folder.table, to_frame(rows).to_csv(index=False))
        atomic.write_text(folder.text, to_text(rows, limits) + "\n")
    return Sweep(folder.path, rows, limits, pictures, len(points), stopped)
