"""One run from its first to its last step, and what is made of it afterwards."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import time as clock
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.live.address import Address, AddressError, address
from eddyline.live.journal import NAME as JOURNAL
from eddyline.live.journal import Entry, JournalError
from eddyline.live.journal import read as read_journal
from eddyline.ranks import PATIENCE, Session, join, tell_run
from eddyline.run.errors import RequestError, StepFailedError, WriteError
from eddyline.run.fingerprint import fingerprint
from eddyline.run.folder import RunFolder
from eddyline.run.lazy import BREAKS
from eddyline.run.machine import machine, versions
from eddyline.run.manner import Manner
from eddyline.run.progress import RunProgress
from eddyline.run.record import Run
from eddyline.run.stopping import StopRequests
from eddyline.stream.checkpoints import Checkpoint, CheckpointError, find_checkpoint, world_digest
from eddyline.stream.timeline import NAME as TIMELINE
from eddyline.stream.timeline import write_timeline

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.run.recorder import Recorder
    from eddyline.world import World

SLICE = 0.2  # s of wall time between looks at Ctrl-C, progress and the writer
UNLIMITED = 2**62  # steps
CHECKPOINT_EVERY = 1800.0  # s of wall time
MOST_LAPS, LEAST_LAPS = 30_000, 300  # of a timeline: of all ranks, of each


def run(
    world: World | str | os.PathLike[str],
    *,
    overrides: Mapping[str, str | float] | None = None,
    steps: int | None = None,
    until: float | None = None,
    threads: int = 0,
    boxes: int = 1,
    decomposition: str = "bisection",
    rebalance: bool = True,
    exchange: str = "nonblocking",
    combine: str = "none",
    sites: Sequence[int] = (),
    lazy: int = 1,
    lazy_inexact: bool = False,
    patience: float = PATIENCE,
    checkpoint_every: float = CHECKPOINT_EVERY,
    checksums: int = 0,
    out: str | os.PathLike[str] | None = None,
    progress: bool = True,
    movie: bool = True,
    report: bool = True,
    live: str | None = None,
) -> Run:
    """Runs a world and keeps everything in a folder of its own: `runs/NAME/0001`, 0002, ... or `out`.

    world: a World, or the path of a world file, then with `overrides` such as {"let.Re": 20}.
    steps, until: stop after so many steps, or at this simulated time [s]; else at the end the world gives.
    threads: of each rank; 0: all cores, shared among the ranks of the machine. boxes: parts into which each
        rank cuts its domain. decomposition: "bisection", "blocks", "strips" (across the longest axis) or
        "strips-x", "strips-y", "strips-z". rebalance: whether ranks share the domain out anew when that is
        worth its price. exchange: how they exchange boundaries, e.g. "nonblocking", "shared" or "auto" (all:
        docs/exchange.md). combine: "site" to send what the ranks of one site have for those of another in one
        message. sites: how many ranks each site has, e.g. (2, 2); without it as the environment variable
        EDDYLINE_SITE names them, or machines. lazy: exchange before every so many steps only; each
        rank then computes what is around its cells as well. None of them changes a bit of the result.
    lazy_inexact: with `lazy`, boundaries stand still meanwhile instead. The result then depends on
        ranks, boxes and decomposition, and the run says that it breaks the law.
    patience: how long a rank waits for others within a step before it gives up [s]; 0: for ever.
    checkpoint_every: seconds of wall time between checkpoints, from which `resume` goes on; one is also
        written at the end, at Ctrl-C and SIGTERM, and at SIGUSR1. 0: only then.
    checksums: keep a checksum of the whole state after every so many steps, by which `compare` finds the
        first step at which two runs part; 0: with snapshots only.
    out: a new or empty folder. movie, report: whether to make them (`eddyline export` makes them later).
    live: the address of a hub (`eddyline serve` prints it) that shows the run while it runs, and steers it.

    Ctrl-C ends the run at a step boundary; its folder is complete and its outcome "stopped by user". Raises
    WorldError or RequestError before anything is written, StepFailedError if the computation broke down,
    WriteError if the disk is full; both hold the run as far as it came in `.run`.

    Started by a launcher (mpiexec, srun), all ranks call this with the same arguments. It returns on rank 0;
    on the others it ends the program when the run is over.
    """
    shared = (threads, boxes, decomposition, rebalance, exchange, patience, combine, tuple(sites))
    manner = Manner(*shared, lazy, lazy_inexact)
    ranks = join()
    destination = None if out is None else Path(out)

    def prepare() -> World:
        made = _load(world, overrides)
        watched_at(live)
        _check(end=_end(made, until), steps=steps, manner=manner)
        if ranks.is_root:
            RunFolder.check_destination(destination)
        return made

    options = options_text(steps=steps, until=until)
    ready = ranks.agree(prepare, lambda made: f"{options}\n{manner}\n{made.source}")
    with simulated(ready, manner, ranks) as (simulation, stop):
        folder = RunFolder.create(ready.name, destination)
        tell_run(folder.path)
        limit = steps if steps is not None else UNLIMITED
        execution = Execution(ready, simulation, folder, stop, _end(ready, until), limit, checkpoint_every)
        execution.record |= {"options": options + manner.options(ranks)} | manner.record(ranks)
        execution.steered_by(watched_at(live), ranks.hosts, ())
        simulation.keep_checksums(checksums)
        with RunProgress(ready.title, shown=progress) as shown:
            return execution.go(shown, movie=movie, report=report)


def resume(
    run: str | os.PathLike[str],
    *,
    steps: int | None = None,
    until: float | None = None,
    threads: int = 0,
    boxes: int = 1,
    decomposition: str = "bisection",
    rebalance: bool = True,
    exchange: str = "nonblocking",
    combine: str = "none",
    sites: Sequence[int] = (),
    lazy: int = 1,
    lazy_inexact: bool = False,
    patience: float = PATIENCE,
    checkpoint_every: float = CHECKPOINT_EVERY,
    checksums: int = 0,
    progress: bool = True,
    movie: bool = True,
    report: bool = True,
    live: str | None = None,
) -> Run:
    """Goes on with a run in its folder, from its last whole checkpoint, to the bits of one that never
    stopped.

    run: its folder, or `runs/NAME` for the latest run of a world.
    steps, until: as in `run`, counted from the start of the run; else to the end that the world gives.
    The rest as in `run`; nothing need be as it was before. What the folder holds from after the checkpoint is
    computed again. Raises what `run` raises, and RequestError if there is nothing to go on with.
    """
    shared = (threads, boxes, decomposition, rebalance, exchange, patience, combine, tuple(sites))
    manner = Manner(*shared, lazy, lazy_inexact)
    ranks = join()

    def prepare() -> tuple[World, RunFolder, Checkpoint | None]:
        folder = RunFolder.open(os.fspath(run))
        made = _load(folder.world, None)
        watched_at(live)
        end = _end(made, until)
        _check(end=end, steps=steps, manner=manner)
        if not ranks.is_root:
            return made, folder, None
        try:
            checkpoint = find_checkpoint(folder.checkpoints, lambda text: print(text, file=sys.stderr))
        except CheckpointError as error:
            raise RequestError(str(error)) from None
        if checkpoint.world != world_digest(made.source):
            raise RequestError(
                f"{folder.world}: has changed since the run; a run goes on with the world it began with"
            )
        if checkpoint.time >= end or (steps is not None and checkpoint.step >= steps):
            raise RequestError(
                f"{folder}: is at t = {checkpoint.time:.4g} s, step {checkpoint.step:,} already: give a "
                "later --until or more --steps, counted from the start of the run"
            )
        return made, folder, checkpoint

    options = options_text(steps=steps, until=until)
    ready, folder, checkpoint = ranks.agree(prepare, lambda found: f"{options}\n{manner}\n{found[0].source}")
    with simulated(ready, manner, ranks) as (simulation, stop):
        assert checkpoint is not None
        tell_run(folder.path)
        limit = steps if steps is not None else UNLIMITED
        execution = Execution(ready, simulation, folder, stop, _end(ready, until), limit, checkpoint_every)
        execution.steered_by(watched_at(live), ranks.hosts, journal_of(folder))
        execution.go_on(checkpoint)
        execution.record |= {"options": options + manner.options(ranks)} | manner.record(ranks)
        simulation.keep_checksums(checksums)
        with RunProgress(ready.title, shown=progress) as shown:
            return execution.go(shown, movie=movie, report=report)


@contextlib.contextmanager
def simulated(
    world: World, manner: Manner, ranks: Session
) -> Iterator[tuple[_core.Simulation, StopRequests]]:
    """The simulation of a world on all ranks. Those that are not the root stay here until it is over."""
    from eddyline import _core

    ranks.patience = manner.patience
    if ranks.communicator is not None:
        ranks.communicator.sites = ranks.sites(manner.sites)
    simulation = _core.Simulation(
        world.core,
        boxes=manner.boxes,
        threads=manner.threads_of(ranks),
        series_interval=world.output.series_interval,
        decomposition=manner.decomposition,
        rebalance=manner.rebalance,
        exchange=manner.exchange,
        combine=manner.combine,
        lazy=manner.lazy,
        lazy_exact=not manner.lazy_inexact,
        communicator=ranks.communicator,
    )
    with ranks.lead(simulation), StopRequests() as stop:
        stop.interrupt = simulation.interrupt
        yield simulation, stop


def _load(world: World | str | os.PathLike[str], overrides: Mapping[str, str | float] | None) -> World:
    if isinstance(world, (str, os.PathLike)):
        from eddyline.world import World

        return World.load(world, overrides)
    if overrides:
        raise RequestError("overrides go with the path of a world file; this world is made already")
    return world


def watched_at(live: str | None) -> Address | None:
    try:
        return address(live)
    except AddressError as error:
        raise RequestError(str(error)) from None


def journal_of(folder: RunFolder) -> list[Entry]:
    try:
        return read_journal(folder.path / JOURNAL)
    except JournalError as error:
        raise RequestError(str(error)) from None


def _end(world: World, until: float | None) -> float:
    return world.end if until is None else float(until)


class Execution:
    """A run in progress: its parts, and run.json as it will be written."""

    def __init__(
        self,
        world: World,
        simulation: _core.Simulation,
        folder: RunFolder,
        stop: StopRequests,
        end: float,
        steps: int,
        checkpoint_every: float,
    ) -> None:
        from eddyline.run.helm import Helm
        from eddyline.run.outlook import Lookout
        from eddyline.run.recorder import shown_quantity

        self.world, self.simulation, self.folder, self.stop = world, simulation, folder, stop
        self.lookout = Lookout(world, folder)
        self.end, self.steps = end, steps
        self.helm = Helm(world, simulation, folder, stop, None, ())
        self.checkpoint_every = checkpoint_every
        self.checkpoint: Checkpoint | None = None  # from which it goes on
        self.started = clock.perf_counter()
        self.record: dict[str, Any] = {
            "format": 1,
            "world": world.name,
            "title": world.title,
            "source": str(world.path or ""),
            "quantity": shown_quantity(world),
            "outcome": "running",
            "message": "",
            "fingerprint": "",
            "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "end": end,
            "versions": versions(),
            "machine": machine(),
        }

    def steered_by(self, live: Address | None, hosts: Sequence[str], past: Sequence[Entry]) -> None:
        """live: the hub that shows and steers the run; past: what a journal says of it."""
        from eddyline.run.helm import Helm

        self.helm = Helm(self.world, self.simulation, self.folder, self.stop, live, hosts, past)

    def go_on(self, checkpoint: Checkpoint) -> None:
        """Takes up the folder's run at a checkpoint. run.json remembers what each part of it was."""
        self.helm.begin(checkpoint.step)
        self.simulation.restore(checkpoint.parts())
        before = self.folder.read_record()
        parts = before.get("resumed", [])
        now = {"step": checkpoint.step, "time": checkpoint.time, "at": self.record["started"]}
        kept = {key: before[key] for key in ("ranks", "threads", "versions", "machine") if key in before}
        self.record |= {
            key: before[key] for key in ("world", "title", "source", "started", BREAKS) if key in before
        }
        self.record["resumed"] = [*parts, now | {"before": kept}]
        self.checkpoint = checkpoint

    def go(self, shown: RunProgress, *, movie: bool, report: bool) -> Run:
        try:
            self._begin()
            if BREAKS in self.record:
                shown.warn(f"BREAKS THE LAW: {self.record[BREAKS]}")
            problem = self._compute(shown)
            self._close_record()
            run = self._evaluate()
            self.helm.end(self.record, run.results)
            self._publish(run, shown, movie=movie, report=report)
        except OSError as error:
            raise self._cannot_write(error) from error
        except BaseException as error:
            self._note_failure(error)
            self.helm.end(self.record, {})
            raise
        self.folder.drop_ballast()
        if problem is not None:
            raise StepFailedError(str(problem), run) from problem
        return run

    def _begin(self) -> None:
        """Keeps the world as run and says that the run is on its way."""
        from eddyline.stream import atomic

        if self.checkpoint is None:
            atomic.write_text(self.folder.world, self.world.source)
            self._copy_curves()
        self.folder.write_record(self.record)

    def _copy_curves(self) -> None:
        """Reference curves that lie beside the world file go with the run, so that its folder stands
        alone."""
        from eddyline.stream import atomic

        if self.world.path is None:
            return
        for expect in self.world.file.expect:
            beside = self.world.path.parent / (expect.curve or "")
            if expect.curve and Path(expect.curve).name == expect.curve and beside.is_file():
                atomic.write_bytes(self.folder.path / expect.curve, beside.read_bytes())

    def _compute(self, shown: RunProgress) -> Exception | None:
        """All steps. Gives the StepError that ended them, if one did."""
        from eddyline import _core
        from eddyline.run.recorder import Recorder
        from eddyline.stream.writer import Writer

        problem: Exception | None = None
        with contextlib.ExitStack() as stack:
            writer = stack.enter_context(Writer())
            recorder = Recorder(self.world, self.simulation, self.folder, writer)
            recorder.on_rows = self.helm.add_rows
            if self.checkpoint is None:
                recorder.after_steps()
            else:
                recorder.go_on(self.checkpoint)
            ranks = self.record["ranks"]
            if ranks > 1:
                self.simulation.keep_timeline(max(LEAST_LAPS, MOST_LAPS // ranks))
            saved = clock.perf_counter()
            try:
                self.helm.between_steps(recorder, shown, self._share())
                while not self._is_done():
                    target = min(self.end, recorder.next_time)
                    limit, seconds = self.helm.limit(self.steps), self.helm.seconds(SLICE)
                    self.simulation.advance(target, limit, seconds)
                    recorder.after_steps()
                    if self._checkpoint_is_due(saved):
                        self._save(recorder)
                        saved = clock.perf_counter()
                    self._show(shown)
                    self.helm.between_steps(recorder, shown, self._share())
                self._save(recorder)
            except _core.StepError as error:
                problem = error
                self.record |= {
                    "outcome": "failed",
                    "message": str(error),
                    "details": getattr(error, "details", {}),
                }
            except KeyboardInterrupt:
                self.stop.count += 1
            recorder.finish(state_is_sound=problem is None)
        if problem is None:
            stopped = self.stop.asked and not self._reached_end()
            self.record["outcome"] = "stopped by user" if stopped else "finished"
            self.record["message"] = (
                f"stopped by the user at t = {self.simulation.time:.4g} s" if stopped else ""
            )
        return problem

    def _checkpoint_is_due(self, saved: float) -> bool:
        """`saved`: when the last one was written."""
        return self.stop.checkpoint_asked or 0 < self.checkpoint_every <= clock.perf_counter() - saved

    def _save(self, recorder: Recorder) -> None:
        self.stop.checkpoint_asked = False
        recorder.save(self.folder.checkpoints, self.record["ranks"], world_digest(self.world.source))

    def _is_done(self) -> bool:
        return self.stop.asked or self._reached_end()

    def _reached_end(self) -> bool:
        return self.simulation.time >= self.end or self.simulation.step_count >= self.steps

    def _show(self, shown: RunProgress) -> None:
        simulation, share = self.simulation, self._share()
        outlook = self.lookout.look(self.helm.gone)
        ahead = (outlook.likely or 0.0) / self.end - share if self.end > 0 else 0.0
        shown.update(
            share,
            simulation.time,
            simulation.step_count,
            simulation.fluid_count,
            outlook.words,
            ahead,
        )

    def _share(self) -> float:
        """Of the run that is done."""
        by_time = self.simulation.time / self.end if self.end > 0 else 1.0
        return min(max(by_time, self.simulation.step_count / max(self.steps, 1)), 1.0)

    def _close_record(self) -> None:
        simulation = self.simulation
        checksum = simulation.checksum()
        wall = clock.perf_counter() - self.started
        particles = simulation.fluid_count
        steps = simulation.step_count - (self.checkpoint.step if self.checkpoint else 0)
        self.record |= {
            "fingerprint": fingerprint(checksum, self.world.source),
            "checksum": f"{checksum:032x}",
            "time": simulation.time,
            "steps": simulation.step_count,
            "fluid_particles": particles,
            "wall_particles": simulation.wall_count,
            "wall_seconds": wall,
            "particle_updates_per_second": particles * steps / wall if wall > 0 else 0.0,
            "statistics": simulation.statistics(),
        }
        if self.helm.texts:
            self.record["steered"] = self.helm.texts
        if self.record["ranks"] > 1:
            self.record["shares"] = simulation.shares()
            write_timeline(self.folder.path / TIMELINE, simulation.timeline())
        self.folder.write_record(self.record)

    def _evaluate(self) -> Run:
        """Writes results.json."""
        from eddyline.run.results import evaluate
        from eddyline.stream import atomic

        run = Run(self.folder)
        series = {name: run.series(name) for name in run.series_names}
        results = evaluate(self.world, series, reached=self.simulation.time, gone=self.helm.gone)
        atomic.write_json(self.folder.results, results.to_json())
        return run

    def _publish(self, run: Run, shown: RunProgress, *, movie: bool, report: bool) -> None:
        """Pictures, movie, charts and report; another Ctrl-C leaves out what is still missing."""
        from eddyline.run.pictures import RunPictures, charts, save_charts
        from eddyline.run.report import write_report

        self.stop.finishing = True
        try:
            pictures = RunPictures(run)
            shown.say("Painting")
            pictures.save_picture(self.folder.pictures / "final.png")
            if movie and len(pictures.store) > 1:
                count = len(pictures.store)
                pictures.save_movie(run.movie, lambda done: shown.say(f"Movie, frame {done} of {count}"))
            shown.say("Charts")
            made = charts(run)
            save_charts(run, self.folder.pictures, made)
            if report:
                shown.say("Report")
                write_report(run, self.folder.report, made)
        except KeyboardInterrupt:
            repair = f"eddyline export {self.folder} --png --mp4 --report"
            print(f"pictures or report left out; `{repair}` makes them", file=sys.stderr)
        finally:
            self.stop.finishing = False

    def _cannot_write(self, error: OSError) -> WriteError:
        """Says in run.json, if there is room, that the disk refused."""
        self.folder.drop_ballast()
        refusal = WriteError(self.folder.path, error)
        self.record |= {"outcome": "failed", "message": str(refusal)}
        with contextlib.suppress(OSError):
            self.folder.write_record(self.record)
            refusal.run = Run(self.folder)
        self.helm.end(self.record, {})
        return refusal

    def _note_failure(self, error: BaseException) -> None:
        self.folder.drop_ballast()
        if self.record["outcome"] in ("running", "finished"):
            self.record |= {"outcome": "failed", "message": f"{type(error).__name__}: {error}"}
            with contextlib.suppress(OSError):
                self.folder.write_record(self.record)


def _check(*, end: float, steps: int | None, manner: Manner) -> None:
    if not (math.isfinite(end) and end >= 0):
        raise RequestError(f"until = {end}: must be a time >= 0 s")
    if steps is not None and steps < 0:
        raise RequestError(f"steps = {steps}: must be >= 0")
    manner.check()


def options_text(*, steps: int | None, until: float | None) -> str:
    """What the command line adds to the world file and what changes the result."""
    given = {"--steps": steps, "--until": until}
    return " ".join(f"{name} {value}" for name, value in given.items() if value is not None)
