"""Ctrl-C, SIGTERM and a terminal that closes (SIGHUP) end a run at a step boundary; another one ends what
comes after the last step. SIGUSR1 asks for a checkpoint."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopRequests:
    """Counts requests to stop while its block runs.

    While the steps are made, the first one sets `asked` and calls `interrupt`, and a third one raises
    KeyboardInterrupt. While the pictures are made (`finishing`), each one raises it. SIGHUP stays ignored
    where it is, as under `nohup`. Outside the main thread signals are left alone.
    """

    def __init__(self) -> None:
        self.count = 0
        self.finishing = False
        self.checkpoint_asked = False
        self.interrupt: Callable[[], None] = lambda: None
        self._before: dict[int, Any] = {}

    @property
    def asked(self) -> bool:
        return self.count > 0

    def __enter__(self) -> StopRequests:
        if threading.current_thread() is threading.main_thread():
            for number in STOPPING:
                if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._receive)
            self._before[signal.SIGUSR1] = signal.signal(signal.SIGUSR1, self._receive_checkpoint)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _receive_checkpoint(self, number: int, frame: FrameType | None) -> None:
        self.checkpoint_asked = True
        self.interrupt()

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self.count += 1
        self.interrupt()
        if self.finishing or self.count >= 3:
            raise KeyboardInterrupt
