"""Starting and continuing runs, and the processes that take part in them."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.argument_types import number, path, text, whole
from eddyline.execution_arguments import takes_execution_options
from eddyline.live.address import Address, AddressError, address
from eddyline.live.journal import NAME as JOURNAL
from eddyline.live.journal import Entry, leave_out
from eddyline.option_names import called, given
from eddyline.ranks import Session, join, tell_listening, tell_run
from eddyline.run.advice import can_begin_again, resuming, was_closed
from eddyline.run.counts import work_unit
from eddyline.run.device import check_world
from eddyline.run.errors import RequestError
from eddyline.run.execution import Execution
from eddyline.run.execution_options import ExecutionOptions
from eddyline.run.folder import RunFolder
from eddyline.run.progress import RunProgress
from eddyline.run.record import Run
from eddyline.run.stopping import StopRequests
from eddyline.run.unclosed import close, has_final_state
from eddyline.stream.checkpoints import (
    Checkpoint,
    CheckpointError,
    NoCheckpointError,
    drop_checkpoints,
    find_checkpoint,
    world_digest,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from eddyline import _core
    from eddyline.execution_arguments import Keywords
    from eddyline.world import World

UNLIMITED = 2**62  # steps
CHECKPOINT_EVERY = 1800.0  # s of wall time


@takes_execution_options
def run(
    world: World | str | os.PathLike[str],
    *,
    overrides: Mapping[str, str | float] | None = None,
    steps: int | None = None,
    until: float | None = None,
    checkpoint_every: float = CHECKPOINT_EVERY,
    checksums: int = 0,
    out: str | os.PathLike[str] | None = None,
    progress: bool = True,
    movie: bool = True,
    report: bool = True,
    live: str | None = None,
    **keywords: Unpack[Keywords],
) -> Run:
    """Runs a world and writes all files to a new folder: `runs/NAME/0001`, 0002, ... or `out`.

    world: a World, or the path of a world file, then with `overrides` such as {"let.Re": 20}. steps, until:
    stop after this number of steps, or at this simulated time [s]; default time.end. execution: see below;
    none of these options changes a bit of the result, except lazy_inexact, with which the result depends on
    ranks, boxes and decomposition. checkpoint_every: seconds of wall time between checkpoints, from which
    `resume` goes on; a younger run has one when it is a minute old, and whenever it is twice as old. One is
    also written at the end, at Ctrl-C, SIGTERM and SIGHUP, and at SIGUSR1. 0: only then. checksums: keep a
    checksum of the whole state after every so many steps, by which `compare` finds the first step at which
    two runs part; 0: with snapshots only. out: a new or empty folder. movie, report: whether to make them
    (`eddyline export` makes them later). live: the address of a hub (`eddyline serve` prints it) that shows
    the run while it runs, and steers it.

    Ctrl-C ends the run at a step boundary; its folder is complete and its outcome "stopped by user". Raises
    WorldError, RequestError or TypeError before anything is written, StepFailedError if the computation broke
    down, WriteError if the disk is full; both hold the run as far as it came in `.run`.

    Started by a launcher (mpiexec, srun), all ranks call this with the same arguments. It returns on rank 0;
    on the others it ends the program when the run is over.
    """
    execution_options = ExecutionOptions(**keywords)
    ranks = join()
    destination = destined(out)

    def prepare() -> World:
        made = _load(world, overrides)
        watched_at(live)
        _check(made, end=_end(made, until), steps=steps, execution_options=execution_options)
        _check_keeping(checkpoint_every, checksums)
        if ranks.is_root:
            RunFolder.check_destination(destination)
        return made

    options = options_text(steps=steps, until=until)
    ready = ranks.agree(prepare, lambda made: f"{options}\n{execution_options}\n{made.source}\n{made.code}")
    with simulated(ready, execution_options, ranks) as (simulation, stop):
        folder = RunFolder.create(ready.name, destination)
        tell_run(folder.path)
        execution = Execution(
            ready, simulation, folder, stop, end=_end(ready, until),
            steps=steps if steps is not None else UNLIMITED, checkpoint_every=checkpoint_every,
        )  # fmt: skip
        execution.record |= {
            "options": options + execution_options.options(ranks)
        } | execution_options.record(ranks, simulation)
        execution.record["asked"] = {"steps": steps, "until": until}
        execution.steered_by(watched_at(live), ranks.hosts, ())
        simulation.keep_checksums(checksums)
        with folder.held(), RunProgress(ready.title, progress, unit=work_unit(ready.solver)) as shown:
            return execution.go(shown, movie=movie, report=report)


@takes_execution_options
def resume(
    run: Run | str | os.PathLike[str],
    *,
    steps: int | None = None,
    until: float | None = None,
    checkpoint_every: float = CHECKPOINT_EVERY,
    checksums: int = 0,
    without_last_command: bool = False,
    progress: bool = True,
    movie: bool = True,
    report: bool = True,
    live: str | None = None,
    **keywords: Unpack[Keywords],
) -> Run:
    """Resumes a run in its folder, from its last intact checkpoint. The result is bit-identical to that of an
    uninterrupted run.

    run: a Run, its folder, or `runs/NAME` for the latest run of a world.
    steps, until: as in `run`, counted from the start of the run. Without them a run that did not come to its
    end goes on to where it was to end, and one that did to the end that the world gives.
    without_last_command: leave out the last command with which the run was steered, as if it had never been
        given: from the last checkpoint before it. The journal keeps the line and marks it.
    The rest as in `run`; nothing need be as it was before. What the folder holds from after the checkpoint is
    computed again. A run that ended before its first checkpoint begins again; one that was computed and not
    closed gets its results, pictures and report, and no step is computed. Raises what `run` raises, and
    RequestError if there is nothing to go on with.
    """
    execution_options = ExecutionOptions(**keywords)
    ranks = join()

    def prepare() -> _Resumption:
        refuse_remote(run)
        folder = RunFolder(Run.of(run).folder)
        watched_at(live)
        _check_keeping(checkpoint_every, checksums)
        found = _Resumption.of(folder, steps, until, without_last_command=without_last_command)
        check_code(found.record, found.world)
        _check(found.world, end=found.end, steps=found.steps, execution_options=execution_options)
        if ranks.is_root and not found.is_computed:
            found.find_checkpoint()
        return found

    ready = ranks.agree(
        prepare,
        lambda found: f"{found.options}\n{execution_options}\n{found.world.source}\n{found.world.code}",
    )
    if ready.is_computed:
        if not ranks.is_root:
            raise SystemExit(0)
        tell_run(ready.folder.path)
        tell_listening()
        with RunProgress(ready.world.title, progress, unit=work_unit(ready.world.solver)) as shown:
            return close(ready.folder, shown.say, shown.warn)
    folder = ready.folder
    with simulated(ready.world, execution_options, ranks) as (simulation, stop), folder.held():
        tell_run(folder.path)
        if ready.unwanted is not None:  # checkpoints first: those after the command hold what it did
            drop_checkpoints(folder.checkpoints, ready.unwanted.step)
            leave_out(folder.path / JOURNAL, ready.unwanted)
            folder.forget_checksum(folder.path / JOURNAL)
        execution = Execution(
            ready.world, simulation, folder, stop, end=ready.end,
            steps=ready.steps if ready.steps is not None else UNLIMITED, checkpoint_every=checkpoint_every,
        )  # fmt: skip
        execution.steered_by(watched_at(live), ranks.hosts, journal_of(folder))
        if ready.checkpoint is None:
            execution.begin_again()
        else:
            execution.go_on(ready.checkpoint)
        execution.record |= {"options": ready.options + execution_options.options(ranks)}
        execution.record |= execution_options.record(ranks, simulation)
        execution.record["asked"] = {"steps": ready.steps, "until": ready.until}
        simulation.keep_checksums(checksums)
        with RunProgress(ready.world.title, progress, unit=work_unit(ready.world.solver)) as shown:
            return execution.go(shown, movie=movie, report=report)


@dataclass
class _Resumption:
    """State from which a run resumes. steps, until: its end; None: time.end. without_last_command: omit its
    last command, `unwanted`. is_computed: all steps are done, and it only has to be closed. checkpoint: None
    to start again."""

    folder: RunFolder
    record: Mapping[str, Any]
    world: World
    steps: int | None
    until: float | None
    without_last_command: bool
    unwanted: Entry | None = None
    checkpoint: Checkpoint | None = None

    @classmethod
    def of(
        cls, folder: RunFolder, steps: int | None, until: float | None, *, without_last_command: bool
    ) -> _Resumption:
        record = folder.read_record()
        if steps is None and until is None and record["outcome"] != "finished":
            asked = record.get("asked", {})
            steps, until = asked.get("steps"), asked.get("until")
        return cls(folder, record, folder.read_world(verified=False), steps, until, without_last_command)

    @property
    def end(self) -> float:
        return _end(self.world, self.until)

    @property
    def options(self) -> str:
        if "replay_of" in self.record:
            return str(self.record.get("options", ""))
        return options_text(steps=self.steps, until=self.until)

    @property
    def is_computed(self) -> bool:
        if self.without_last_command or not has_final_state(self.record):
            return False
        return self._is_reached(self.record["steps"], self.record["time"])

    def _is_reached(self, step: int, time: float) -> bool:
        return time >= self.end or (self.steps is not None and step >= self.steps)

    def find_checkpoint(self) -> None:
        """Finds the checkpoint to resume from. Raises RequestError if the run cannot be resumed, or has
        reached its end."""
        folder = self.folder
        self.unwanted = _last_command(folder) if self.without_last_command else None
        before = math.inf if self.unwanted is None else self.unwanted.step
        try:
            with folder.held():  # otherwise its first one may still be written
                found = find_checkpoint(folder.checkpoints, lambda text: print(text, file=sys.stderr), before)
        except NoCheckpointError as error:
            if was_closed(self.record):
                raise RequestError(f"{folder}: {resuming(folder, self.record)}") from None
            if not can_begin_again(self.record):
                raise RequestError(str(error)) from None
            return
        except CheckpointError as error:
            raise RequestError(str(error)) from None
        if found.world != world_digest(self.world.source):
            raise RequestError(
                f"{folder.world}: was changed after the run began; restore the original file to resume the "
                "run"
            )
        is_closed = self.record["outcome"] in ("finished", "stopped by user") or "details" in self.record
        if is_closed and self._is_reached(found.step, found.time):
            raise RequestError(
                f"{folder}: has already reached t = {found.time:.4g} s, step {found.step:,}; give a later "
                f"{called('until')} or more {called('steps')}, counted from the start of the run"
            )
        self.checkpoint = found


def check_code(record: Mapping[str, Any], world: World) -> None:
    """Raises RequestError if a run was computed by another version of code outside the package."""
    for name, version in world.code.items():
        before = record.get("versions", {}).get(name, version)
        if before != version:
            raise RequestError(
                f"{name} has changed since this run began (sources {before}, now {version}), so it cannot go "
                "on. Build the sources that it began with, or run the world anew"
            )


@contextlib.contextmanager
def simulated(
    world: World, execution_options: ExecutionOptions, ranks: Session
) -> Iterator[tuple[_core.Simulation, StopRequests]]:
    """Yields the simulation of a world on all ranks. Ranks other than the root stay here until it ends."""
    from eddyline import _core

    ranks.patience = execution_options.patience
    if ranks.communicator is not None:
        ranks.communicator.sites = ranks.sites(execution_options.sites)
    simulation = _core.Simulation(
        world.core,
        cores=ranks.cores,
        series_interval=world.output.series_interval,
        communicator=ranks.communicator,
        **execution_options.of_core(),
    )
    with ranks.lead(simulation), StopRequests() as stop:
        stop.interrupt = simulation.interrupt
        tell_listening()
        yield simulation, stop


def _load(world: World | str | os.PathLike[str], overrides: Mapping[str, str | float] | None) -> World:
    from eddyline.world import World

    if overrides and isinstance(world, World):
        raise RequestError("overrides require the path of a world file; world is a World object")
    return World.of(world, overrides)


def destined(out: str | os.PathLike[str] | None) -> Path | None:
    """Folder of the run, if it is given."""
    if out is None:
        return None
    path(out=out)
    return Path(out)


def refuse_remote(run: Run | str | os.PathLike[str]) -> None:
    """Raises RequestError for a run at a URL, which can only be read."""
    from eddyline import remote

    place = run.url if isinstance(run, Run) else str(run)
    if remote.is_url(place):
        raise RequestError(
            f"{remote.shown(place)}: a run at a URL can only be read; copy its folder to this machine, with "
            "its checkpoints, and resume it there"
        )


def watched_at(live: str | None) -> Address | None:
    if live is not None:
        text(live=live)
    try:
        return address(live)
    except AddressError as error:
        raise RequestError(str(error)) from None


def journal_of(folder: RunFolder) -> list[Entry]:
    return folder.read_journal()


def _last_command(folder: RunFolder) -> Entry:
    """The last command that changed the run and is not omitted. Raises RequestError if there is none."""
    from eddyline.live.steering import CONTROL

    commands = [entry for entry in journal_of(folder) if entry.name not in CONTROL]
    if not commands:
        raise RequestError(
            f"{folder}: has no live commands; omit {called('without_last_command')} to resume it"
        )
    return commands[-1]


def _end(world: World, until: float | None) -> float:
    if until is None:
        return world.end
    number(until=until)
    return float(until)


def _check_keeping(checkpoint_every: float, checksums: int) -> None:
    number(checkpoint_every=checkpoint_every)
    whole(checksums=checksums)
    if not checkpoint_every >= 0:
        told = given("checkpoint_every", checkpoint_every)
        raise RequestError(f"{told}: must be >= 0 s (0: at the end only)")
    if not 0 <= checksums <= UNLIMITED:
        raise RequestError(
            f"{given('checksums', checksums)}: must be from 0 (with snapshots only) to 2^62 steps"
        )


def _check(world: World, *, end: float, steps: int | None, execution_options: ExecutionOptions) -> None:
    if not (math.isfinite(end) and end >= 0):
        raise RequestError(f"{given('until', end)}: must be a time >= 0 s")
    if steps is not None:
        whole(steps=steps)
        if not 0 <= steps <= UNLIMITED:
            raise RequestError(f"{given('steps', steps)}: must be from 0 to 2^62")
    if end > world.end:
        world.check_until(end)
    check_world(execution_options.device, world, execution_options.lazy)
    execution_options.check()


def check_request(world: World, *, steps: int | None, until: float | None, threads: int, boxes: int) -> None:
    """Checks the arguments of `run` without running; raises the same errors."""
    execution_options = ExecutionOptions(threads=threads, boxes=boxes)
    _check(world, end=_end(world, until), steps=steps, execution_options=execution_options)


def options_text(*, steps: int | None, until: float | None) -> str:
    """Options that the command line adds to the world file and that change the result."""
    given = {"--steps": steps, "--until": until}
    return " ".join(f"{name} {value}" for name, value in given.items() if value is not None)
