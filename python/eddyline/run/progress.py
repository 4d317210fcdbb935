"""Progress of a run on standard error: a bar on a terminal, otherwise a plain line every few seconds."""

from __future__ import annotations

import contextlib
import os
import sys
import time as clock
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO, cast

from eddyline.ranks.session import TERMINAL
from eddyline.world.problems import duration

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PLAIN_INTERVAL = 10.0  # s between lines where there is no terminal


def _terminal() -> TextIO:
    """Standard error; on a rank the terminal of the command that started it, if there is one."""
    path = os.environ.get(TERMINAL)
    with contextlib.suppress(OSError):
        if path:
            return Path(path).open("w", encoding="utf-8")
    return sys.stderr


class _Terminal:
    """Stream of progress messages. If it is closed meanwhile, messages are dropped, and the run continues."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class RunProgress:
    """Shows share done, simulated time, time left, and the work of each second in `unit`: particles or cells
    times steps."""

    def __init__(
        self,
        title: str,
        shown: bool = True,
        stream: TextIO | None = None,
        unit: str = "particle updates",
    ) -> None:
        self.title = title
        self.unit = unit
        self.shown = shown
        self._stream = cast(TextIO, _Terminal(stream or _terminal()))
        self._started = clock.perf_counter()
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        self._last_line = self._started
        self._meter = Meter()
        self.outlook = ""

    def __enter__(self) -> RunProgress:
        if self.shown and self._stream.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(bar_width=30),
                TextColumn("{task.percentage:3.0f} %"),
                TextColumn("{task.fields[detail]}", style="dim"),
                console=Console(file=self._stream),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self.title, total=1.0, detail="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(
        self, share: float, time: float, steps: int, members: int, outlook: str = "", ahead: float = 0.0
    ) -> None:
        """Shows the progress. share: completed part of the run, 0 to 1. time: simulated time [s]. members:
        particles or cells that a step updates. outlook:
        forecast of converged values; ahead: share of the run until then, if positive."""
        now = clock.perf_counter()
        self._meter.add(now, share, steps)
        self.outlook = outlook
        if not self.shown:
            return
        detail = f"t = {time:.4g} s   {steps:,} steps   {self._speed(members)}   {self._left(share)}"
        detail += f"   {outlook}{self._until(ahead)}" if outlook else ""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=share, detail=detail)
        elif now - self._last_line >= PLAIN_INTERVAL:
            self._last_line = now
            print(f"{self.title}: {100 * share:3.0f} %   {detail}", file=self._stream, flush=True)

    @property
    def seconds(self) -> float:
        """Wall time since the start."""
        return clock.perf_counter() - self._started

    @property
    def share_per_second(self) -> float:
        return self._meter.share_per_second

    @property
    def steps_per_second(self) -> float:
        return self._meter.steps_per_second

    def warn(self, what: str) -> None:
        """Prints a line above the progress bar."""
        if self._bar is not None:
            self._bar.console.print(what, highlight=False)
        elif self.shown:
            print(what, file=self._stream, flush=True)

    def say(self, what: str) -> None:
        """Shows the work in progress after the last step."""
        if not self.shown:
            return
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=1.0, description=what, detail="")

    def _speed(self, members: int) -> str:
        return f"{self._meter.steps_per_second * members / 1e6:.2f} M {self.unit}/s"

    def _left(self, share: float) -> str:
        rate = self._meter.share_per_second
        return f"{duration((1 - share) / rate)} left" if rate > 0 else ""

    def _until(self, ahead: float) -> str:
        rate = self._meter.share_per_second
        return f", in {duration(ahead / rate)}" if rate > 0 and ahead > 0 else ""


class Meter:
    """Rates over the last ten seconds, so that they follow changes of the cost of steps."""

    def __init__(self, window: float = 10.0) -> None:
        self._window = window
        self._points: list[tuple[float, float, int]] = []

    def add(self, now: float, share: float, steps: int) -> None:
        self._points.append((now, share, steps))
        while len(self._points) > 2 and now - self._points[0][0] > self._window:
            self._points.pop(0)

    @property
    def share_per_second(self) -> float:
        return self._rate(1)

    @property
    def steps_per_second(self) -> float:
        return self._rate(2)

    def _rate(self, column: int) -> float:
        if not self._points:
            return 0.0
        first, last = self._points[0], self._points[-1]
        return (last[column] - first[column]) / (last[0] - first[0]) if last[0] > first[0] else 0.0
