"""Runs that were computed but not closed: their process was killed, or the disk was full, before their
results, pictures and report were written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Mapping
from typing import TYPE_CHECKING, Any

from eddyline.option_names import NOT_CLOSED
from eddyline.run.folder import RunFolder
from eddyline.run.record import Run

if TYPE_CHECKING:
    from eddyline.world import World

Say = Callable[[str], None]


def unclosed(record: Mapping[str, Any], *, movie: bool, report: bool) -> dict[str, Any]:
    """Content of run.json while a computed run is being closed; `record` is its final content."""
    ending = {key: record[key] for key in ("outcome", "message")}
    return {
        **record,
        "outcome": NOT_CLOSED,
        "message": "",
        "ending": ending,
        "makes": {"movie": movie, "report": report},
    }


def ended(record: Mapping[str, Any]) -> dict[str, Any]:
    """Final content of run.json of a run that is not closed yet."""
    kept = {key: value for key, value in record.items() if key not in ("ending", "makes")}
    return {**kept, **record["ending"]}


def has_final_state(record: Mapping[str, Any]) -> bool:
    """True if everything that needs the simulation was written; the rest can be made from the folder."""
    return record["outcome"] == NOT_CLOSED and bool(record.get("fingerprint"))


def evaluate_run(run: Run, world: World, removed: Container[str]) -> None:
    """Writes results.json. removed: removed bodies."""
    from eddyline.run.results import evaluate

    series = {name: run.read_series(name) for name in run.series_names}
    results = evaluate(world, series, reached=run.record["time"], removed=removed)
    RunFolder(run.folder).write_results(results.to_json())


def close(folder: RunFolder, say: Say = lambda words: None, warn: Say = lambda words: None) -> Run:
    """Closes a run that has its final state: writes results, pictures and report. Raises FolderInUseError if
    another process computes it."""
    from eddyline.run.publish import publish

    with folder.held():
        run = Run(folder)
        if not has_final_state(run.record):  # another process has closed it meanwhile
            return run
        makes, run.record = run.record["makes"], ended(run.record)
        folder.remove_leftovers()
        evaluate_run(run, run.world, _gone(run))
        publish(run, **makes, say=say, warn=warn)
        folder.drop_ballast()
        folder.write_record(run.record)
    return run


def complete(run: Run, say: Say = lambda words: None) -> Run:
    """Writes the missing results, pictures, charts and report of a run that has ended. Raises RequestError
    for a run that has not reached its end."""
    from eddyline.run.errors import RequestError
    from eddyline.run.publish import publish

    folder = RunFolder(run.folder)
    outcome = run.outcome
    if outcome == NOT_CLOSED and not has_final_state(run.record):
        from eddyline.run.execute import resume

        return resume(run, progress=False)
    if outcome == NOT_CLOSED:
        return close(folder, say)
    if "time" not in run.record:
        why = "is being computed" if outcome == "running" else run.message
        raise RequestError(f"{folder}: did not reach its end: {why}")
    with folder.held():
        folder.remove_leftovers()
        if not folder.results.is_file():
            evaluate_run(run, run.world, _gone(run))
        publish(run, movie=not folder.movie.is_file(), report=True, say=say)
    with contextlib.suppress(OSError):
        folder.drop_ballast()
    return run


def _gone(run: Run) -> Container[str]:
    """Bodies that were removed."""
    steering = RunFolder(run.folder).steered(run.world)
    return () if steering is None else steering.removed
