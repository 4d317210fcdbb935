"""A run in progress, from its first step to its results, pictures and report."""

from __future__ import annotations

import contextlib
import sys
import time as clock
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.live.address import Address
from eddyline.live.journal import Entry
from eddyline.option_names import command
from eddyline.ranks.starter import starter_has_gone
from eddyline.run.counts import work_unit
from eddyline.run.errors import StepFailedError, WriteError
from eddyline.run.fingerprint import fingerprint
from eddyline.run.folder import RunFolder
from eddyline.run.lazy import BREAKS
from eddyline.run.machine import machine, versions
from eddyline.run.progress import RunProgress
from eddyline.run.record import Run
from eddyline.run.stopping import StopRequests
from eddyline.run.unclosed import evaluate_run, unclosed
from eddyline.stream import integrity
from eddyline.stream.checkpoints import Checkpoint, world_digest
from eddyline.stream.timeline import NAME as TIMELINE
from eddyline.stream.timeline import write_timeline

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.run.recorder import Recorder
    from eddyline.world import World

FIRST_CHECKPOINT = 60.0  # s of wall time until the first one, if checkpoints are written
SLICE = 0.2  # s of wall time between checks of Ctrl-C, progress and the writer
MOST_LAPS, LEAST_LAPS = 30_000, 300  # of a timeline: of all ranks, of each


class Execution:
    """A run in progress: its parts, and run.json as it will be written."""

    def __init__(
        self,
        world: World,
        simulation: _core.Simulation,
        folder: RunFolder,
        stop: StopRequests,
        *,
        end: float,
        steps: int,
        checkpoint_every: float,
    ) -> None:
        from eddyline.run.convergence_forecast import ConvergenceForecast
        from eddyline.run.live_session import LiveSession

        self.world, self.simulation, self.folder, self.stop = world, simulation, folder, stop
        self.forecast = ConvergenceForecast(world, folder)
        self.end, self.steps = end, steps
        self.live_session = LiveSession(world, simulation, folder, stop, None, ())
        self.checkpoint_every = checkpoint_every
        self.checkpoint: Checkpoint | None = None  # checkpoint from which it resumes,
        self._before: dict[str, Any] | None = None  # and the former run.json, until it does
        self._again = False  # it starts again in a folder that has no checkpoint
        self._has_begun = self._is_computed = self._is_evaluated = False
        self._makes = {"movie": True, "report": True}
        self.started = clock.perf_counter()
        self.record: dict[str, Any] = {
            "format": integrity.FORMAT,
            "world": world.name,
            "title": world.title,
            "source": world.place,
            "quantity": world.output.quantity,
            "outcome": "running",
            "message": "",
            "fingerprint": "",
            "started": datetime.now(timezone.utc).isoformat(timespec="seconds"),
            "end": end,
            "versions": versions() | world.code,
            "machine": machine(),
        }

    def steered_by(self, live: Address | None, hosts: Sequence[str], past: Sequence[Entry]) -> None:
        """live: the hub that shows and steers the run. past: entries of its journal."""
        from eddyline.run.live_session import LiveSession

        self.live_session = LiveSession(
            self.world, self.simulation, self.folder, self.stop, live, hosts, past
        )

    def go_on(self, checkpoint: Checkpoint) -> None:
        """Resumes the run of the folder at a checkpoint. run.json keeps an entry for each part."""
        self.live_session.begin(checkpoint.step)
        self.simulation.restore(checkpoint.parts())
        self._take_over(checkpoint.step, checkpoint.time)
        self.checkpoint = checkpoint

    def begin_again(self) -> None:
        """Starts the run of the folder again, as it has no checkpoint."""
        self._take_over(0, 0.0)
        self._again = True

    def _take_over(self, step: int, time: float) -> None:
        """Copies the earlier entries of run.json."""
        before = self.folder.read_record()
        parts = before.get("resumed", [])
        now = {"step": step, "time": time, "at": self.record["started"]}
        kept = {key: before[key] for key in ("ranks", "threads", "versions", "machine") if key in before}
        same = ("world", "title", "source", "started", "replay_of", BREAKS)
        self.record |= {key: before[key] for key in same if key in before}
        self.record["resumed"] = [*parts, now | {"before": kept}]
        self._before = before

    def go(self, shown: RunProgress, *, movie: bool, report: bool) -> Run:
        self._makes = {"movie": movie, "report": report}
        self.folder.remove_leftovers()
        try:
            self._begin()
            for warning in self.world.warnings:
                shown.warn(f"note: {warning}")
            if BREAKS in self.record:
                shown.warn(f"warning: breaks the law: {self.record[BREAKS]}")
            problem = self._compute(shown)
            if problem is not None:
                self._keep_history(shown)
            self._close_record()
            run = self._evaluate()
            self._is_evaluated = True
            self.live_session.end(self.record, run.results)
            self._publish(run, shown)
            self.folder.drop_ballast()
            self.folder.write_record(self.record)
        except OSError as error:
            raise self._cannot_write(error) from error
        except BaseException as error:
            self._note_failure(error)
            if not self._is_evaluated:
                self.live_session.end(self.record, {})
            raise
        if problem is not None:
            raise StepFailedError(str(problem), run) from problem
        return run

    def _begin(self) -> None:
        """Writes world.toml and run.json with the outcome "running"."""
        from eddyline.stream import atomic

        if self._before is None:
            atomic.write_text(self.folder.world, self.world.source, durable=True)
            self._copy_named_files()
        self.folder.failure.unlink(missing_ok=True)  # of a run that failed and is resumed
        self.record["files"] = self.folder.digests(complete=False)
        self.folder.write_record(self.record)

    def _copy_named_files(self) -> None:
        """Copies files that the world names, reference curves and profiles, from beside it into the folder
        of the run, so that it is self-contained."""
        from eddyline import remote
        from eddyline.stream import atomic
        from eddyline.world.curves import find_file

        if self.world.path is None:
            return
        beside = self.world.path.parent
        for name in self.world.file.named_files:
            if remote.is_url(name):
                path = find_file(name, [beside])
            elif Path(name).name == name and (beside / name).is_file():
                path = beside / name
            else:
                continue
            atomic.write_bytes(self.folder.path / path.name, path.read_bytes())

    def _compute(self, shown: RunProgress) -> Exception | None:
        """Computes all steps. Returns the StepError that ended them, if any."""
        from eddyline import _core
        from eddyline.run.recorder import Recorder
        from eddyline.stream.frames import FrameFiles
        from eddyline.stream.writer import Writer

        problem: Exception | None = None
        with contextlib.ExitStack() as stack:
            frame_files = stack.enter_context(FrameFiles(self.folder.pictures))
            writer = stack.enter_context(Writer())
            recorder = Recorder(self.world, self.simulation, self.folder, frame_files, writer)
            recorder.on_rows = self.live_session.add_rows
            if self._again:
                recorder.begin_again()
            if self.checkpoint is None:
                recorder.after_steps()
            else:
                recorder.go_on(self.checkpoint)
            self._before, self._has_begun = None, True
            ranks = self.record["ranks"]
            if ranks > 1:
                self.simulation.keep_timeline(max(LEAST_LAPS, MOST_LAPS // ranks))
            saved = clock.perf_counter()
            try:
                self.live_session.between_steps(recorder, shown, self._share())
                while not self._is_done():
                    target = min(self.end, recorder.next_time)
                    limit, seconds = self.live_session.limit(self.steps), self.live_session.seconds(SLICE)
                    self.simulation.advance(target, limit, seconds)
                    recorder.after_steps()
                    if self._checkpoint_is_due(saved):
                        self._save(recorder)
                        saved = clock.perf_counter()
                    self._show(shown)
                    self.live_session.between_steps(recorder, shown, self._share())
                self._save(recorder)
                self._note_end()
                self.folder.write_record(unclosed(self.record, **self._makes))
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
            self._note_end()
        return problem

    def _keep_history(self, shown: RunProgress) -> None:
        """Writes the last steps of the particle that went bad. The wall time of the run excludes this."""
        from eddyline.run.runaway import Failed, keep_history

        began = clock.perf_counter()
        first = self.checkpoint.step if self.checkpoint else 0
        seconds = (began - self.started) / max(self.simulation.step_count - first, 1)
        shown.say("Repeating the last steps")
        failed = Failed(self.world, self.folder, self.record["details"], self.record, seconds)
        if told := keep_history(failed, self.stop):
            self.record["history"] = told
        self.started += clock.perf_counter() - began

    def _note_end(self) -> None:
        """Sets the outcome of the run after it is closed."""
        stopped = self.stop.asked and not self._reached_end()
        self.record["outcome"] = "stopped by user" if stopped else "finished"
        why = "because the command that started its ranks was killed" if starter_has_gone() else "by the user"
        self.record["message"] = (
            f"stopped {why} at t = {self.simulation.time:.4g} {self.world.time_unit}" if stopped else ""
        )

    def _checkpoint_is_due(self, saved: float) -> bool:
        """saved: time of the last checkpoint. Early in a run checkpoints are more frequent: a killed run
        loses at most half of its time, or a minute."""
        if self.stop.checkpoint_asked or self.checkpoint_every == 0:
            return self.stop.checkpoint_asked
        young = max(FIRST_CHECKPOINT, saved - self.started)
        return clock.perf_counter() - saved >= min(self.checkpoint_every, young)

    def _save(self, recorder: Recorder) -> None:
        self.stop.checkpoint_asked = False
        recorder.save(self.folder.checkpoints, self.record["ranks"], world_digest(self.world.source))

    def _is_done(self) -> bool:
        return self.stop.asked or self._reached_end()

    def _reached_end(self) -> bool:
        return self.simulation.time >= self.end or self.simulation.step_count >= self.steps

    def _show(self, shown: RunProgress) -> None:
        simulation, share = self.simulation, self._share()
        outlook = self.forecast.look(self.simulation.time, self.live_session.removed)
        ahead = (outlook.likely or 0.0) / self.end - share if self.end > 0 else 0.0
        shown.update(
            share,
            simulation.time,
            simulation.step_count,
            self._members(),
            outlook.words,
            ahead,
        )

    def _share(self) -> float:
        """Completed part of the run, 0 to 1."""
        by_time = self.simulation.time / self.end if self.end > 0 else 1.0
        return min(max(by_time, self.simulation.step_count / max(self.steps, 1)), 1.0)

    def _close_record(self) -> None:
        simulation = self.simulation
        checksum = simulation.checksum()
        wall = clock.perf_counter() - self.started
        counts = {members: simulation.count(name) for name, members in simulation.sets}
        steps = simulation.step_count - (self.checkpoint.step if self.checkpoint else 0)
        self.record |= {
            "fingerprint": fingerprint(checksum, self.world.source),
            "checksum": f"{checksum:032x}",
            "time": simulation.time,
            "steps": simulation.step_count,
            "counts": counts,
            "work": {
                "unit": work_unit(self.world.solver),
                "per_second": self._members() * steps / wall if wall > 0 else 0.0,
            },
            "wall_seconds": wall,
            "statistics": simulation.statistics(),
        }
        if simulation.has_points:  # the names of these numbers in runs of version 0.1
            self.record |= counts | {"particle_updates_per_second": self.record["work"]["per_second"]}
        if self.live_session.texts:
            self.record["steered"] = self.live_session.texts
        if self.record["ranks"] > 1:
            self.record["shares"] = simulation.shares()
            write_timeline(self.folder.path / TIMELINE, simulation.timeline())
        self.record["files"] = self.folder.digests(complete=True)
        self.folder.write_record(unclosed(self.record, **self._makes))
        self._is_computed = True

    def _members(self) -> int:
        """Number of members of the set that the solver advances."""
        return self.simulation.count(self.simulation.sets[0][0])

    def _evaluate(self) -> Run:
        """Writes results.json. Returns the run as it will be after closing."""
        run = Run(self.folder)
        run.record = self.record
        evaluate_run(run, self.world, self.live_session.removed)
        return run

    def _publish(self, run: Run, shown: RunProgress) -> None:
        """Writes pictures, movie, charts and report; another Ctrl-C skips those that are still missing."""
        from eddyline.run.publish import publish, wants_pictures

        if not wants_pictures():
            return
        self.stop.finishing = True
        try:
            publish(run, **self._makes, say=shown.say, warn=shown.warn)
        except KeyboardInterrupt:
            repair = command("export", self.folder.path)
            with contextlib.suppress(OSError):  # the terminal may have gone
                print(f"pictures or report skipped; `{repair}` writes them", file=sys.stderr, flush=True)
        finally:
            self.stop.finishing = False

    def _cannot_write(self, error: OSError) -> WriteError:
        """Records the write error in run.json, if there is space. A run that is already computed can be
        closed later."""
        self.folder.drop_ballast()
        refusal = WriteError(self.folder.path, error)
        if self._is_computed:
            content = unclosed(self.record, **self._makes) | {"message": str(refusal)}
        else:
            self.record |= {"outcome": "failed", "message": str(refusal)}
            content = self._before or self.record
        with contextlib.suppress(OSError):
            self.folder.write_record(content)
            refusal.run = Run(self.folder)
        self.live_session.end(content, {})
        return refusal

    def _note_failure(self, error: BaseException) -> None:
        """Records in run.json the error that ended the run. A run that failed only while its pictures were
        drawn counts as computed; the folder of a new run that failed before its first state is removed."""
        what = f"{type(error).__name__}: {error}"
        if not self._has_begun and self._before is None and isinstance(error, Exception):
            self.record |= {"outcome": "failed", "message": what}
            self.folder.discard()
            return
        self.folder.drop_ballast()
        if self._is_evaluated:
            self.record["message"] = self.record["message"] or f"pictures or report skipped: {what}"
        elif self.record["outcome"] in ("running", "finished"):
            self.record |= {"outcome": "failed", "message": what}
        if self.record["outcome"] != "running":
            with contextlib.suppress(OSError):
                self.folder.write_record(self._before or self.record)
