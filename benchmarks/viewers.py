"""Cost of viewers: the step rate of a run with ten of them, one of which is frozen, compared with none.

  python benchmarks/viewers.py [--rounds 9] [--seconds 8] [--world cylinder]

Two runs of a world compute on core 0 with one thread, and take turns of a second, so that what else happens
on the machine falls on both; one of them has viewers. Each has a server of its own, on core 1 as viewers are.
Prints JSON: the median over rounds of the ratio of their step rates, by the simulation's own processor time,
its quartiles, and what viewers got.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from eddyline.bench.turns import quartiles
from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed

VIEWERS, FROZEN = 10, 1
TURN, BEFORE = 1.0, 3.0  # s; before the first round


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each run in a round")
    parser.add_argument("--world", default="cylinder")
    parser.add_argument("--set", action="append", default=[], metavar="K=V")
    asked = parser.parse_args()
    os.sched_setaffinity(0, {1})
    with contextlib.ExitStack() as stack:
        alone, watched = (stack.enter_context(Run(asked.world, asked.set)) for _ in range(2))
        url = watched.url
        watchers = [Watcher(stack.enter_context(_socket(url)), frozen=k < FROZEN) for k in range(VIEWERS)]
        for run in (alone, watched):
            run.turn(BEFORE)
            run.rate()
        rates: list[tuple[float, float]] = []
        for _ in range(asked.rounds):
            for _ in range(round(asked.seconds / TURN)):
                alone.turn(TURN)
                watched.turn(TURN)
            rates.append((alone.rate(), watched.rate()))
        found = {
            "world": asked.world,
            "set": asked.set,
            "steps_per_cpu_second_without": statistics.median(a for a, _ in rates),
            "steps_per_cpu_second_with": statistics.median(b for _, b in rates),
            "ratio": quartiles([b / a for a, b in rates]),
            "frames_per_second": statistics.median(each.frames for each in watchers[FROZEN:])
            / (BEFORE + asked.seconds * asked.rounds),
            "bytes_per_frame": statistics.median(each.size() for each in watchers[FROZEN:]),
        }
    print(json.dumps(found, indent=2))


class Run:
    """A world computed on core 0, but in its turns at a standstill, and its server on core 1."""

    def __init__(self, world: str, sets: Sequence[str]) -> None:
        self._closing = contextlib.ExitStack()
        folder = self._closing.enter_context(tempfile.TemporaryDirectory(prefix="eddyline-"))
        command = [sys.executable, "-m", "eddyline"]
        server = self._begin([*command, "serve", "--port", "0", "--folder", folder])
        assert server.stdout is not None
        words = "".join(server.stdout.readline() for _ in range(4))
        found = re.search(r"to steer +(http://\S+/)\?token=(\S+)", words)
        assert found
        base, token = found[1], found[2]
        changes = [part for each in sets for part in ("--set", each)]
        told = ["--threads", "1", "--quiet", "--out", f"{folder}/run", "--live", f"{base}?token={token}"]
        self._pid = self._begin(["taskset", "-c", "0", *command, "run", world, *changes, *told]).pid
        id_ = _wait_for_run(base, token)
        self.url = f"{base.replace('http', 'ws')}api/runs/{id_}/stream?token={token}"
        self._progress = self._closing.enter_context(_socket(self.url))
        self._now = self._asked = 0, 0.0
        os.killpg(self._pid, signal.SIGSTOP)

    def _begin(self, command: list[str]) -> subprocess.Popen[str]:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        self._closing.callback(process.wait)
        self._closing.callback(os.killpg, process.pid, signal.SIGKILL)
        return process

    def turn(self, seconds: float) -> None:
        """Goes on for so long."""
        os.killpg(self._pid, signal.SIGCONT)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._now = self._step(), self._processor_seconds()
        os.killpg(self._pid, signal.SIGSTOP)

    def rate(self) -> float:
        """Steps a second of its own processor time, since it was asked last."""
        before, self._asked = self._asked, self._now
        return (self._now[0] - before[0]) / (self._now[1] - before[1])

    def _step(self) -> int:
        """The next that is told."""
        while True:
            message = pb.Message.FromString(bytes(self._progress.recv(timeout=60)))
            if message.WhichOneof("body") == "progress":
                return message.progress.step

    def _processor_seconds(self) -> float:
        spent = (path.read_text().split()[0] for path in Path(f"/proc/{self._pid}/task").glob("*/schedstat"))
        return 1e-9 * sum(map(int, spent))

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()


def _socket(url: str):
    return connect(
        url,
        max_size=None,
        compression=None,
        proxy=None,
        max_queue=1,
        ping_interval=None,
        close_timeout=0.1,
    )


def _wait_for_run(base: str, token: str) -> str:
    import urllib.error
    import urllib.request

    for _ in range(600):
        time.sleep(0.1)
        try:
            with urllib.request.urlopen(f"{base}api/runs?token={token}") as answer:
                for row in json.load(answer):
                    if row["live"]:
                        return str(row["id"])
        except urllib.error.URLError:
            continue
    raise SystemExit("no run has come")


class Watcher:
    """As the page: two rasters of 300 columns, ten times a second. A frozen one never reads."""

    def __init__(self, socket: ClientConnection, frozen: bool) -> None:
        self._socket = socket
        view = pb.View(quantities=["speed", "vorticity"], columns=300, frames_per_second=10)
        self._socket.send(packed(view=view).SerializeToString())
        self._sizes: list[int] = []
        if not frozen:
            threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        with contextlib.suppress(ConnectionClosed):  # the server is ended under it
            for data in self._socket:
                if isinstance(data, bytes) and pb.Message.FromString(data).WhichOneof("body") == "frame":
                    self._sizes.append(len(data))

    @property
    def frames(self) -> int:
        return len(self._sizes)

    def size(self) -> float:
        """Median size of a frame [bytes]."""
        return statistics.median(self._sizes) if self._sizes else 0.0


if __name__ == "__main__":
    main()
