"""What viewers cost a run: its step rate with ten of them, one frozen, against none.

  python benchmarks/viewers.py [--pairs 5] [--seconds 10] [--world cylinder]

The simulation runs on core 0 with one thread, the server and all viewers on core 1. Runs with and without
viewers take turns, so that what else happens on the machine falls on both. Prints JSON: medians and what
viewers got.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed

VIEWERS, FROZEN = 10, 1


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--world", default="cylinder")
    parser.add_argument("--set", action="append", default=[], metavar="K=V")
    asked = parser.parse_args()
    os.sched_setaffinity(0, {1})
    rates: dict[bool, list[float]] = {True: [], False: []}
    seen: list[dict[str, float]] = []
    for number in range(2 * asked.pairs):
        watched = number % 2 == 1
        rate, got = measure(asked.world, asked.set, watched, asked.seconds)
        rates[watched].append(rate)
        seen += got
    without, with_ = (statistics.median(rates[watched]) for watched in (False, True))
    ratios = [b / a for a, b in zip(rates[False], rates[True], strict=True)]
    found = {
        "world": asked.world,
        "set": asked.set,
        "steps_per_cpu_second_without": without,
        "steps_per_cpu_second_with": with_,
        "ratio_of_medians": with_ / without,
        "median_of_ratios": statistics.median(ratios),
        "ratios": ratios,
        "frames_per_second": statistics.median(one["frames_per_second"] for one in seen),
        "bytes_per_frame": statistics.median(one["bytes_per_frame"] for one in seen),
    }
    print(json.dumps(found, indent=2))


def measure(
    world: str, sets: list[str], watched: bool, seconds: float
) -> tuple[float, list[dict[str, float]]]:
    """Steps for each second of the simulation's own processor time, over `seconds`; and what viewers got."""
    with tempfile.TemporaryDirectory(prefix="eddyline-") as folder:
        command = [sys.executable, "-m", "eddyline"]
        server = subprocess.Popen(
            [*command, "serve", "--port", "0", "--folder", folder], stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        words = "".join(server.stdout.readline() for _ in range(4))
        found = re.search(r"to steer +(http://\S+/)\?token=(\S+)", words)
        assert found
        base, token = found[1], found[2]
        changes = [part for each in sets for part in ("--set", each)]
        run = subprocess.Popen(
            [
                "taskset",
                "-c",
                "0",
                *command,
                "run",
                world,
                *changes,
                "--threads",
                "1",
                "--quiet",
                "--out",
                f"{folder}/run",
                "--live",
                f"{base}?token={token}",
            ],
            stdout=subprocess.DEVNULL,
        )
        try:
            id_ = _wait_for_run(base, token)
            url = f"{base.replace('http', 'ws')}api/runs/{id_}/stream?token={token}"
            with contextlib.ExitStack() as stack:
                sockets = [stack.enter_context(_socket(url)) for _ in range(VIEWERS if watched else 0)]
                watchers = [Watcher(socket, frozen=k < FROZEN) for k, socket in enumerate(sockets)]
                time.sleep(2)
                return _rate(url, run.pid, seconds), [each.result() for each in watchers[FROZEN:]]
        finally:
            run.kill()
            run.wait()
            server.kill()
            server.wait()


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


def _rate(url: str, pid: int, seconds: float) -> float:
    """Steps that a viewer of progress alone sees, over the processor time of the simulation."""
    with _socket(url) as socket:
        first, began = _step(socket), _processor_seconds(pid)
        until = time.monotonic() + seconds
        last, ended = first, began
        while time.monotonic() < until:
            last, ended = _step(socket), _processor_seconds(pid)
    return (last - first) / (ended - began)


def _step(socket) -> int:
    while True:
        message = pb.Message.FromString(socket.recv(timeout=60))
        if message.WhichOneof("body") == "progress":
            return message.progress.step


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
        self._began = time.monotonic()
        if not frozen:
            threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        with contextlib.suppress(ConnectionClosed):  # the server is ended under it
            for data in self._socket:
                if isinstance(data, bytes) and pb.Message.FromString(data).WhichOneof("body") == "frame":
                    self._sizes.append(len(data))

    def result(self) -> dict[str, float]:
        seconds = time.monotonic() - self._began
        size = statistics.median(self._sizes) if self._sizes else 0.0
        return {"frames_per_second": len(self._sizes) / seconds, "bytes_per_frame": size}


if __name__ == "__main__":
    main()
