"""Plans live commands in a thread of its own, while the run computes.

To edit and check a world takes tens of milliseconds of Python, and ten times as much with a moving body. The
planner keeps the world as it will be after all commands that it has planned. The computing thread takes the
planned commands in the order of their arrival. If its world is not the one that a command was planned for,
that command and all that follow are planned again.
"""

from __future__ import annotations

import threading
import time as clock
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from eddyline.live import stream_pb2 as pb
from eddyline.live.steering import CONTROL, PlannedChange, Steering
from eddyline.world import World

FIRST_LEAD = 0.2  # s of wall time from a command to its movement, while it is unknown how long plans take
LEAST_LEAD = 0.05
_PATIENCE = 30.0  # s that the end of a run waits for a plan in progress


@dataclass(frozen=True)
class PlannedCommand:
    """A command and its effect on `world`: a change, or the error that refuses it; neither for commands that
    do not change the world.

    time: for which it was planned [s]. A movement begins then, and must be applied before. seconds: of wall
    time that planning took."""

    command: pb.Command
    world: World
    time: float
    seconds: float = 0.0
    change: PlannedChange | None = None
    error: Exception | None = None

    @property
    def name(self) -> str:
        return self.command.WhichOneof("action") or ""

    @property
    def is_move(self) -> bool:
        return self.name == "move_body"


@dataclass(frozen=True)
class _Progress:
    """State of the run after a step. rate: simulated seconds per second of wall time."""

    time: float = 0.0
    time_step: float = 0.0
    at: float = 0.0
    rate: float = 0.0
    paused: bool = True


class Planner:
    """take: returns commands that have arrived. planned: called, in the planner's thread, when a command can
    be taken."""

    def __init__(
        self,
        steering: Steering,
        take: Callable[[], Iterable[pb.Command]],
        planned: Callable[[], None],
    ) -> None:
        self._take, self._tell = take, planned
        self._ahead = steering.copy()  # after all planned commands
        self._waiting: deque[pb.Command] = deque()
        self._planned: deque[PlannedCommand] = deque()
        self._progress = _Progress()
        self._lead = FIRST_LEAD
        self._change = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="eddyline-planner", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Commands have arrived."""
        with self._change:
            self._waiting.extend(self._take())
            self._change.notify()

    # --- from the computation -----------------------------------------------------------------------------

    def note(self, time: float, time_step: float, *, paused: bool) -> None:
        """The run has reached `time` [s]; the next step is about `time_step` [s]."""
        before, now = self._progress, clock.monotonic()
        rate = before.rate
        if time > before.time and now > before.at:
            rate = (time - before.time) / (now - before.at)
        if time != before.time or paused != before.paused or before.at == 0:
            self._progress = _Progress(time, time_step, now, rate, paused)

    def next(self, steering: Steering, time: float) -> PlannedCommand | None:
        """The next command, if it is planned for the world as it is now; a movement only if it begins later
        than `time` [s], or now."""
        with self._change:
            if not self._planned:
                return None
            first = self._planned[0]
            is_late = first.is_move and first.change is not None and first.time < time
            if first.name not in CONTROL and (is_late or first.world is not steering.world):
                if is_late:
                    self._lead *= 2
                self._plan_again(steering)
                return None
            if first.is_move:
                self._lead = max(LEAST_LEAD, 2 * first.seconds)
            return self._planned.popleft()

    def close(self) -> None:
        """Ends the thread; commands that are left are not answered."""
        with self._change:
            self._closed = True
            self._change.notify()
        self._thread.join(_PATIENCE)

    def _plan_again(self, steering: Steering) -> None:
        self._waiting.extendleft(each.command for each in reversed(self._planned))
        self._planned.clear()
        self._ahead = steering.copy()
        self._change.notify()

    # --- the thread ---------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                command, ahead, lead = self._waiting[0], self._ahead, self._lead
            made = _planned(command, ahead, self._progress, lead)
            with self._change:
                if ahead is not self._ahead:  # it has to be planned again
                    continue
                self._waiting.popleft()
                self._planned.append(made)
            self._tell()


def _planned(command: pb.Command, ahead: Steering, progress: _Progress, lead: float) -> PlannedCommand:
    """Plans a command, and applies it to the world ahead."""
    made = PlannedCommand(command, ahead.world, progress.time)
    if made.name in CONTROL:
        return made
    began = clock.monotonic()
    time = _begin(progress, lead) if made.is_move else progress.time
    try:
        change = ahead.plan(command, time)
    except Exception as error:  # the computing thread judges it
        return replace(made, error=error)
    ahead.remember(change, time)
    return replace(made, time=time, change=change, seconds=clock.monotonic() - began)


def _begin(progress: _Progress, lead: float) -> float:
    """Simulated time [s] that the run will probably not have passed after `lead` [s] and the current step."""
    if progress.paused:
        return progress.time
    ahead = clock.monotonic() - progress.at + lead
    return progress.time + progress.rate * ahead + 2 * progress.time_step
