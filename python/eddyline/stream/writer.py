"""Background writing: one thread, a short queue, no lost errors."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from types import TracebackType

Job = Callable[[], None]


class Writer:
    """Runs jobs in order in a thread of its own.

    The queue is short, so that memory stays bounded: `put` waits when it is full. The first error of a job
    stops the writing (later jobs are dropped) and is raised by the next `put`, `check` or `close`.
    """

    def __init__(self, depth: int = 4) -> None:
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._room = threading.Semaphore(depth)  # of the queue
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="eddyline-writer", daemon=True)
        self._thread.start()
        self._closed = False

    def put(self, job: Job) -> None:
        """Queues `job`. Raises what an earlier job raised."""
        self.check()
        self._room.acquire()
        self._queue.put(job)

    def check(self) -> None:
        """Raises what a job raised, once."""
        if self._error is not None and not isinstance(self._error, _ReportedError):
            error, self._error = self._error, _ReportedError()
            raise error

    def finish(self) -> None:
        """Waits until all jobs so far are done; raises what one raised."""
        done = threading.Event()
        self.put(done.set)
        while not done.wait(0.05):
            self.check()
            if self._error is not None:  # later jobs are dropped
                return
        self.check()

    def close(self) -> None:
        """Waits for all jobs; raises what a job raised. Closing twice is allowed."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._thread.join()
        self.check()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            self._room.release()
            if self._error is None:
                try:
                    job()
                except BaseException as error:
                    self._error = error


class _ReportedError(Exception):
    """Marker for an error that was already raised to the caller: writing has stopped."""
