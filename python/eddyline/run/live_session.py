"""Work between two steps of a run: applies commands and the journal, and sends frames to viewers."""

from __future__ import annotations

import json
import sys
import time as clock
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eddyline.live import journal
from eddyline.live import stream_pb2 as pb
from eddyline.live.address import Address
from eddyline.live.frames import Pace, frame_of
from eddyline.live.hello import hello
from eddyline.live.planner import PlannedCommand, Planner
from eddyline.live.publisher import Publisher, packed
from eddyline.live.ranks import ranks_of
from eddyline.live.steering import CONTROL, FLOW, RefusedError, Steering, mark
from eddyline.live.surfaces import offer
from eddyline.run.counts import work_unit

if TYPE_CHECKING:
    from eddyline import _core
    from eddyline.run.folder import RunFolder
    from eddyline.run.progress import RunProgress
    from eddyline.run.recorder import Recorder
    from eddyline.run.stopping import StopRequests
    from eddyline.world import World

Series = Mapping[str, tuple[Sequence[str], Sequence[str], NDArray[np.float64]]]
PROGRESS_EVERY = 0.25  # s of wall time
RANKS_EVERY = 2.0
REST = 0.02  # s between checks while a run is paused


class LiveSession:
    """Steers a run and streams it to viewers.

    past: entries of a journal that are applied again at their steps. live: the hub that receives the stream,
    or None. hosts: the machine of each rank."""

    def __init__(
        self,
        world: World,
        simulation: _core.Simulation,
        folder: RunFolder,
        stop: StopRequests,
        live: Address | None,
        hosts: Sequence[str],
        past: Sequence[journal.Entry] = (),
    ) -> None:
        self._simulation, self._stop = simulation, stop
        self._journal = folder.path / journal.NAME
        self._steering = Steering(world)
        self._past = [entry for entry in past if entry.name not in CONTROL]
        self._marks: list[journal.Entry] = []
        self._paused = False
        self._step_until: int | None = None
        self._pace = Pace()
        self._frames = 0
        self._next_progress = self._next_ranks = 0.0
        self._hosts = hosts
        self._ranks: list[pb.Rank] = []
        self._shown_view, self._shown_step = pb.View(), -1
        self._publisher: Publisher | None = None
        self._planner: Planner | None = None
        if live is not None:
            from eddyline.stream.surfaces import quantities

            said = hello(
                world,
                live.run,
                str(folder.path),
                world.output.quantity,
                len(hosts),
                self._steering.abilities(),
            )
            offer(said, quantities(simulation))
            self._planner = Planner(self._steering, self._arrived, simulation.interrupt)
            self._publisher = Publisher(live, said, self._planner.wake)
            self._planner.wake()  # for commands that have arrived already

    @property
    def texts(self) -> list[str]:
        """Changes of the flow, in words, for run.json."""
        return [f"step {each.step}: {each.text}" for each in self._marks if each.name in FLOW]

    @property
    def removed(self) -> Collection[str]:
        """Bodies that were removed."""
        return self._steering.removed.keys()

    def begin(self, step: int) -> None:
        """Applies the commands up to the step at which a run resumes, before its state is restored."""
        for entry in self._take_due(step):
            self._repeat(entry)

    def limit(self, steps: int) -> int:
        """The step at which the simulation must stop to ask here, at most `steps`."""
        for step in (self._step_until, self._past[0].step if self._past else None):
            steps = steps if step is None else min(steps, step)
        return steps

    def seconds(self, most: float) -> float:
        """Time until the simulation must call this again."""
        if self._publisher is None or not self._publisher.connected:
            return most
        return min(most, max(0.005, self._pace.left(self._publisher.view.frames_per_second)))

    def add_rows(self, series: Series) -> None:
        if self._publisher is not None:
            self._publisher.add_rows(series)

    def between_steps(self, recorder: Recorder, progress: RunProgress, share: float) -> None:
        """Applies due commands and sends due frames; blocks while the run is paused."""
        self._attend(recorder, progress, share)
        while self._paused and not self._stop.asked:
            clock.sleep(REST)
            self._attend(recorder, progress, share)

    def end(self, record: Mapping[str, Any], results: Mapping[str, Any]) -> None:
        """Tells the hub how the run ended, by its run.json and results.json."""
        if self._planner is not None:
            self._planner.close()
            self._planner = None
        if self._publisher is None:
            return
        text = json.dumps(results, ensure_ascii=False, default=str)
        step, time = self._simulation.step_count, self._simulation.time
        ended = pb.Ended(
            outcome=record["outcome"],
            message=record["message"],
            fingerprint=record["fingerprint"],
            results=text,
            step=step,
            time=time,
        )
        self._publisher.close(packed(ended=ended))
        if self._publisher.refusal:
            told = f"live view: the hub at {self._publisher.url} refused this run: {self._publisher.refusal}"
            print(told, file=sys.stderr)
        elif not self._publisher.has_connected:
            print(
                f"live view: could not connect to {self._publisher.url}; the run was not streamed",
                file=sys.stderr,
            )
        self._publisher = None

    # --- commands -----------------------------------------------------------------------------------------

    def _attend(self, recorder: Recorder, progress: RunProgress, share: float) -> None:
        recorder.bodies_change = recorder.bodies_change or self._steering.bodies_change
        if self._step_until is not None and self._simulation.step_count >= self._step_until:
            self._paused, self._step_until = True, None
            recorder.write_series()
        for entry in self._take_due(self._simulation.step_count):
            recorder.write_series()
            self._repeat(entry)
        if self._planner is None:
            return
        self._note()
        while (planned := self._planner.next(self._steering, self._simulation.time)) is not None:
            recorder.write_series()
            self._obey(planned)
            self._note()
        self._show(progress, share)

    def _arrived(self) -> Sequence[pb.Command]:
        """Commands that have arrived and are to be planned."""
        return self._publisher.take_commands() if self._publisher is not None else ()

    def _note(self) -> None:
        if self._planner is not None:
            self._planner.note(self._simulation.time, self._simulation.time_step, paused=self._paused)

    def _take_due(self, step: int) -> list[journal.Entry]:
        due = [entry for entry in self._past if entry.step <= step]
        self._past = [entry for entry in self._past if entry.step > step]
        return due

    def _repeat(self, entry: journal.Entry) -> None:
        """Applies an entry of a journal again; it is known to be valid."""
        planned = self._steering.plan(entry.command, entry.time, repeats=True)
        self._steering.apply(planned, self._simulation)
        self._mark(entry)

    def _obey(self, planned: PlannedCommand) -> None:
        from eddyline import _core

        step, time = self._simulation.step_count, self._simulation.time
        command, name = planned.command, planned.name
        refusal = ""
        try:
            if planned.error is not None:
                raise planned.error
            if planned.change is None:
                self._mark(self._write(command, self._control(name, command), time))
            else:
                self._steering.check_now(planned.change, time)
                text = self._steering.apply(planned.change, self._simulation)
                begin = planned.time if planned.is_move else time
                self._mark(self._write(command, text, begin))
        except (RefusedError, _core.UserError) as error:
            refusal = str(error)
        except (ArithmeticError, ValueError) as error:  # numbers outside the range of the machine
            refusal = f"{name}: {error}"
        said = pb.Acknowledged(id=command.id, step=step, time=time, refusal=refusal, command=name)
        if self._publisher is not None:
            self._publisher.acknowledge(packed(acknowledged=said))

    def _control(self, name: str, command: pb.Command) -> str:
        """Pauses, resumes or stops; returns the text of the journal."""
        step = self._simulation.step_count
        self._step_until = None
        if name == "pause":
            self._paused = True
        elif name == "resume":
            self._paused = False
        elif name == "stop":
            self._stop.count += 1
        elif command.step.count > 0:
            self._paused, self._step_until = False, step + command.step.count
            return f"{command.step.count} steps"
        else:
            raise RefusedError("step: count = 0; must be at least 1.")
        return name

    def _write(self, command: pb.Command, text: str, time: float) -> journal.Entry:
        entry = journal.Entry(self._simulation.step_count, time, command, text)
        journal.append(self._journal, entry)
        return entry

    def _mark(self, entry: journal.Entry) -> None:
        self._marks.append(entry)
        if self._publisher is None:
            return
        self._show_bodies()
        marks = pb.Marks()
        marks.marks.extend(map(mark, self._marks))
        self._publisher.put("marks", packed(marks=marks), lasting=True)

    # --- showing ------------------------------------------------------------------------------------------

    def _show(self, progress: RunProgress, share: float) -> None:
        publisher = self._publisher
        if publisher is None or not publisher.connected:
            return
        view, now = publisher.view, clock.perf_counter()
        wanted = view.frames_per_second
        step = self._simulation.step_count
        is_news = step != self._shown_step or view != self._shown_view
        is_due = wanted > 0 if self._paused else self._pace.is_due(wanted)
        if is_news and is_due and not publisher.frame_is_waiting:
            self._shown_view, self._shown_step = view, step
            self._pace.begin()
            self._frames += 1
            frame = frame_of(self._steering.world, self._simulation, self._frames, view)
            frame.frame.made_at = publisher.hub_clock
            bodies = self._steering.bodies(step, self._simulation.time)
            if bodies is not None:
                frame.frame.bodies.CopyFrom(bodies)
                publisher.put("bodies", packed(bodies=bodies), lasting=True)
            publisher.put("frame", frame)
            self._pace.end(wanted, publisher.cost, smooth=view.smooth)
        if now >= self._next_progress:
            self._next_progress = now + PROGRESS_EVERY
            publisher.put("progress", packed(progress=self._progress(progress, share, now)), lasting=True)

    def _show_bodies(self) -> None:
        bodies = self._steering.bodies(self._simulation.step_count, self._simulation.time)
        if bodies is not None and self._publisher is not None:
            self._publisher.put("bodies", packed(bodies=bodies), lasting=True)

    def _progress(self, progress: RunProgress, share: float, now: float) -> pb.Progress:
        simulation = self._simulation
        if now >= self._next_ranks:
            self._next_ranks = now + RANKS_EVERY
            self._ranks = ranks_of(simulation, self._hosts, progress.steps_per_second)
        rate, members = progress.share_per_second, simulation.count(simulation.sets[0][0])
        return pb.Progress(
            step=simulation.step_count,
            time=simulation.time,
            end=self._steering.world.end,
            time_step=simulation.time_step,
            particles=members,
            steps_per_second=progress.steps_per_second,
            updates_per_second=progress.steps_per_second * members,
            seconds_left=(1 - share) / rate if rate > 0 else -1.0,
            paused=self._paused,
            outlook=progress.outlook,
            ranks=self._ranks,
            wall_seconds=progress.seconds,
            phase="paused" if self._paused else "running",
            counts=[
                pb.Count(name=members, value=simulation.count(name)) for name, members in simulation.sets
            ],
            work_unit=work_unit(self._steering.world.solver),
        )
