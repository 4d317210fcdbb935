"""Processes for tasks that may take long or much memory: checks of worlds and reading of runs.

The event loop only waits for them. A task that takes too long or too much memory ends with its process; the
next task gets another. View-only clients have workers of their own, so that they never delay clients that
steer.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time as clock
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from eddyline.serve.problems import Fault, Refusal
from eddyline.serve.tokens import Permission

MODULE = "eddyline.serve.tasks"
LANES = {Permission.VIEW: 2, Permission.STEER: 2}
"""Maximum number of processes, for viewers and for users with control."""
SECONDS = 30.0
"""Time limit of a task [s], without the start of its process."""
_STARTING = 60.0  # s that a process may take to import what it needs
_QUEUE = 12  # waiting tasks of a lane; the server has 40 threads for all requests
_PATIENCE = 40.0  # s that a task waits for a process
_LARGEST_REPLY = 512 * 1024**2


@dataclass(frozen=True)
class Reply:
    """status, kind: as in HTTP."""

    status: int
    kind: str
    body: bytes

    def checked(self) -> Reply:
        """Raises Refusal with what is wrong if the task was refused."""
        if self.status < 400:
            return self
        refusal = Refusal(self.status, "")
        refusal.faults = [Fault(**fault) for fault in json.loads(self.body)["problems"]]
        raise refusal


class Workers:
    """All processes of a server. Methods may be called from any thread."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lanes = {may: _Lane(count) for may, count in LANES.items()}

    def do(self, may: Permission, task: str, **arguments: Any) -> Reply:
        """Runs a task, a function of `tasks`, in a process of the lane. Raises Refusal if it is refused,
        takes too long or too much memory, or if too many tasks wait."""
        with self._lanes[may].worker() as worker:
            return worker.do(task, arguments, self._seconds).checked()

    def warm(self) -> None:
        """Starts a process, so that the first task need not wait for it."""
        threading.Thread(target=self._warm, daemon=True).start()

    def _warm(self) -> None:
        with contextlib.suppress(Refusal):
            self.do(Permission.STEER, "nothing")

    def close(self) -> None:
        for lane in self._lanes.values():
            lane.close()


class _Lane:
    def __init__(self, count: int) -> None:
        self._free = deque(_Worker() for _ in range(count))
        self._all = tuple(self._free)
        self._change = threading.Condition()
        self._waiting = 0
        self._closed = False

    @contextlib.contextmanager
    def worker(self) -> Iterator[_Worker]:
        worker = self._take()
        try:
            yield worker
        finally:
            with self._change:
                self._free.appendleft(worker)  # the warm process is used first
                self._change.notify()

    def _take(self) -> _Worker:
        with self._change:
            if self._waiting >= _QUEUE:
                raise _busy()
            self._waiting += 1
            try:
                if not self._change.wait_for(lambda: self._free or self._closed, _PATIENCE) or self._closed:
                    raise _busy()
                return self._free.popleft()
            finally:
                self._waiting -= 1

    def close(self) -> None:
        with self._change:
            self._closed = True
            self._change.notify_all()
        for worker in self._all:
            worker.end()


def _busy() -> Refusal:
    return Refusal(503, "The server is busy with other requests.", "Try again in a moment.")


class _Worker:
    """One process, started when there is something to do. Used by one thread at a time; end() by any."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def do(self, task: str, arguments: dict[str, Any], seconds: float) -> Reply:
        process = self._started()
        order = json.dumps({"task": task, "arguments": arguments, "seconds": seconds}).encode()
        try:
            assert process.stdin is not None
            process.stdin.write(len(order).to_bytes(4, "little") + order)
            process.stdin.flush()
            return _reply(process, clock.monotonic() + seconds)
        except TimeoutError:
            self.end()
            text = f"The request took more than {seconds:g} s and was cancelled."
            raise Refusal(422, text, "Use a smaller world, or request less of the run.") from None
        except (OSError, ValueError):
            self.end()
            text = "The request needs more memory than the server allows, or its data cannot be read."
            raise Refusal(422, text, "Use a smaller world, or request less of the run.") from None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.end()
        process = subprocess.Popen(
            [sys.executable, "-m", MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # each of its threads takes memory
            start_new_session=True,  # the server handles Ctrl-C: a worker ends with its pipe
        )
        self._process = process
        try:
            _reply(process, clock.monotonic() + _STARTING)
        except (OSError, ValueError, TimeoutError):
            self.end()
            raise Refusal(
                503, "The server cannot start a process for this request.", "Try again later."
            ) from None
        return process

    def end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()


def _reply(process: subprocess.Popen[bytes], limit: float) -> Reply:
    """Next message of a process. Raises TimeoutError; OSError if it has ended; ValueError for malformed
    data."""
    head = json.loads(_read(process, int.from_bytes(_read(process, 4, limit), "little"), limit))
    body = _read(process, int(head["length"]), limit)
    return Reply(int(head["status"]), str(head["kind"]), body)


def _read(process: subprocess.Popen[bytes], count: int, limit: float) -> bytes:
    assert process.stdout is not None
    if count > _LARGEST_REPLY:
        raise ValueError("the answer is too large")
    handle, data = process.stdout.fileno(), bytearray()
    waiting = select.poll()  # select() knows no handle beyond 1024
    waiting.register(handle, select.POLLIN)
    while len(data) < count:
        left = limit - clock.monotonic()
        if left <= 0 or not waiting.poll(1000 * left):
            raise TimeoutError
        part = os.read(handle, min(count - len(data), 1 << 20))
        if not part:
            raise OSError("the process has ended")
        data += part
    return bytes(data)
