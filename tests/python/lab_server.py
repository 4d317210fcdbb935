"""A lab on loopback, for tests: in a thread of this process, or as a process of its own."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from websockets.sync.client import ClientConnection, connect

from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed
from eddyline.serve.command import configured
from eddyline.serve.lab import Lab
from eddyline.serve.limits import Limits
from eddyline.serve.store import FINAL
from eddyline.serve.tokens import Gate
from eddyline.serve.workers import Workers

WORKERS = Workers()
"""The workers of all labs of this process, which end with it."""
WAIT = 60.0  # s, on a busy machine
TANK = """
format = 1
title = "Small channel"
[domain]
size = [0.4, 0.2]
spacing = 0.01
[fluid]
density = 1.0
kinematic_viscosity = 1e-3
[boundaries]
left = { type = "inflow", velocity = 1.0 }
right = { type = "outflow" }
[bodies.post]
shape = "circle"
center = [0.15, 0.1]
diameter = 0.05
[output]
pictures = 3
snapshots = 0
series = 50
[time]
end = 0.2
"""
CHANNEL = (
    TANK.replace("end = 0.2", "end = 400.0")  # longer than any test takes
    .replace("series = 50", "series = 8000")
    .replace("[bodies.post]", "[bodies.post]  # a post")
)
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
"""Rules of axe: WCAG 2.2 AA and best practice."""


@dataclass
class Client:
    """Speaks to a lab as a browser would. base: http://127.0.0.1:PORT/."""

    base: str
    token: str

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON, or bytes, of an answer."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        told = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **headers}
        request = urllib.request.Request(f"{self.base}api/{path}", data, told, method=method)
        try:
            with urllib.request.urlopen(request, timeout=WAIT) as answer:
                return answer.status, _content(answer)
        except urllib.error.HTTPError as error:
            return error.code, _content(error)

    def socket(self, path: str, token: str | None = None, **how: Any) -> ClientConnection:
        url = f"{self.base.replace('http', 'ws')}api/{path}?token={self.token if token is None else token}"
        return connect(url, compression=None, max_size=None, proxy=None, close_timeout=1, **how)

    def look(self, run: str, view: pb.View, **how: Any) -> ClientConnection:
        """A viewer of a run."""
        socket = self.socket(f"runs/{run}/stream", **how)
        say(socket, view=view)
        return socket

    def wait_for(self, run: str, *states: str) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            row = self.call("GET", f"runs/{run}")[1]
            return row if row["state"] in states else None

        return until(look)


def _content(answer: Any) -> Any:
    data = answer.read()
    return json.loads(data) if data and answer.headers.get_content_type() == "application/json" else data


def until(look: Any) -> Any:
    """The first value of `look` that is not empty."""
    limit = time.monotonic() + WAIT
    while time.monotonic() < limit:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError("waited in vain")


def say(socket: ClientConnection, **body: Any) -> None:
    socket.send(packed(**body).SerializeToString())


def hear(socket: ClientConnection, kind: str, seconds: float = WAIT) -> Any:
    """The body of the next message of a kind; others are passed over."""
    limit = time.monotonic() + seconds
    while (left := limit - time.monotonic()) > 0:
        message = pb.Message.FromString(socket.recv(timeout=left))
        assert message.version == pb.VERSION_CURRENT
        if message.WhichOneof("body") == kind:
            return getattr(message, kind)
    raise AssertionError(f"no {kind} came")


@contextlib.contextmanager
def going_on(server: Client, toml: str) -> Iterator[str]:
    """A run that computes until the test is over; it is stopped also if the test fails."""
    run = server.call("POST", "runs", {"toml": toml, "threads": 1, "name": "channel"})[1]["id"]
    try:
        yield run
    finally:
        server.call("POST", f"runs/{run}/stop")
        server.wait_for(run, *FINAL)


@contextlib.contextmanager
def lab_in_thread(folder: Path, **limits: Any) -> Iterator[tuple[Client, Gate, Lab]]:
    lab, gate = Lab(folder, Limits(**limits), workers=WORKERS), Gate()
    config = configured(lab, gate, port=0, log_level="error", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    lab.url = f"http://127.0.0.1:{port}"
    try:
        yield Client(f"{lab.url}/", gate.steer), gate, lab
    finally:
        server.should_exit = True
        thread.join(10)
        lab.store.close()


def start_process(folder: Path, port: int = 0) -> tuple[subprocess.Popen[str], Client]:
    """`eddyline serve`."""
    command = [sys.executable, "-m", "eddyline", "serve", "--port", str(port), "--folder", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stdout is not None
    words = [process.stdout.readline() for _ in range(4)]
    found = re.search(r"control +(http://\S+/)\?token=(\S+)", "".join(words))
    assert found, words
    client = Client(found[1], found[2])
    until(lambda: _is_up(client))
    return process, client


def _is_up(client: Client) -> bool:
    try:
        return client.call("GET", "version")[0] == 200
    except OSError:
        return False
