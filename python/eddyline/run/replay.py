"""A run again, as its journal says: the same bits, on any number of ranks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from eddyline.execution_arguments import takes_execution_options
from eddyline.live import journal
from eddyline.option_names import called
from eddyline.ranks import join, tell_run
from eddyline.remote import origin
from eddyline.run.advice import resuming
from eddyline.run.counts import work_unit
from eddyline.run.device import check_world
from eddyline.run.errors import RequestError
from eddyline.run.execute import CHECKPOINT_EVERY, check_code, destined, journal_of, simulated, watched_at
from eddyline.run.execution import Execution
from eddyline.run.execution_options import ExecutionOptions
from eddyline.run.folder import RunFolder
from eddyline.run.lazy import BREAKS
from eddyline.run.progress import RunProgress
from eddyline.run.record import Run
from eddyline.stream import atomic
from eddyline.world import World

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from eddyline.execution_arguments import Keywords


@takes_execution_options
def replay(
    run: Run | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    progress: bool = True,
    movie: bool = True,
    report: bool = True,
    live: str | None = None,
    **keywords: Unpack[Keywords],
) -> Run:
    """Repeats a run with all its steering commands, into a folder of its own.

    run: a Run, its folder, or `runs/NAME` for the latest run of a world; up to the step at which it ended.
    The rest as in `eddyline.run`; none of it changes a bit: the fingerprint is the same. Raises what `run`
    raises, and RequestError for a run that has not ended or has an unreadable journal.
    """
    execution_options = ExecutionOptions(**keywords)
    ranks = join()
    destination = destined(out)

    def prepare() -> tuple[World, RunFolder, list[journal.Entry], int, float]:
        execution_options.check()
        given = Run.of(run)
        folder = RunFolder(given.folder)
        record = folder.read_record()
        if not {"steps", "end", "world", "title"} <= record.keys() or not record.get("fingerprint"):
            outcome = given.outcome
            how = {"running": "is being computed", "lost": "was killed"}.get(outcome, outcome)
            remedy = "wait until it ends" if outcome == "running" else resuming(folder, record)
            raise RequestError(
                f"{folder}: did not reach its end ({how}), so there is no fingerprint to compare with; "
                f"{remedy}"
            )
        if execution_options.lazy_inexact:
            raise RequestError(
                f"{called('lazy_inexact')} changes the result, but a replay must be bit-identical; remove it"
            )
        if BREAKS in record:
            raise RequestError(
                f"{folder}: cannot be replayed bit by bit, because it broke the law: {record[BREAKS]}"
            )
        watched_at(live)
        if ranks.is_root:
            RunFolder.check_destination(destination)
        made = folder.read_world()
        check_code(record, made)
        check_world(execution_options.device, made, execution_options.lazy)
        return made, folder, journal_of(folder), int(record["steps"]), float(record["end"])

    world, before, entries, steps, end = ranks.agree(
        prepare, lambda found: f"{execution_options}\n{found[0].source}\n{found[0].code}"
    )
    record = before.read_record()
    with simulated(world, execution_options, ranks) as (simulation, stop):
        folder = RunFolder.create(str(record["world"]), destination)
        tell_run(folder.path)
        kept = before.read_file(before.path / journal.NAME)
        if kept is not None:
            atomic.write_bytes(folder.path / journal.NAME, kept)
        execution = Execution(
            world, simulation, folder, stop, end=end, steps=steps, checkpoint_every=CHECKPOINT_EVERY
        )
        execution.record |= {
            "world": record["world"],
            "title": record["title"],
            "source": record.get("source", ""),
            "options": record.get("options", ""),
            "replay_of": {
                "folder": origin(before.path) or str(before.path.absolute()),
                "fingerprint": record["fingerprint"],
            },
            "asked": {"steps": steps, "until": end},
        } | execution_options.record(ranks, simulation)
        execution.steered_by(watched_at(live), ranks.hosts, entries)
        with folder.held(), RunProgress(world.title, progress, unit=work_unit(world.solver)) as shown:
            return execution.go(shown, movie=movie, report=report)
