"""Cost of live commands: the time from a click to its acknowledgement, and what the computing thread spends.

  python benchmarks/steering.py [--clicks 40] [--world worlds/cylinder.toml] [--set domain.spacing=D/10]

A run, its server and a viewer on this machine, without a link between them. The viewer sends one command at a
time. Prints JSON: for each kind of command the median and the largest time from the click to the
acknowledgement, and the median processor and wall time that the computing thread spends on it, in ms.
Gravity is changed after each move: a world with a moving body takes longer to check.
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
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed

WAIT = 60.0  # s for a run to begin, and for an answer
APART = 0.15  # s between a command and the next
MOVES = 10  # each makes the formula of the motion longer


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clicks", type=int, default=40, help="of each kind")
    parser.add_argument(
        "--world", default="worlds/cylinder.toml", help="a channel with an inflow left and a body"
    )
    parser.add_argument("--body", default="cylinder", help="that is moved")
    parser.add_argument("--set", action="append", default=["time.end=1000"], metavar="K=V")
    parser.add_argument("--run", nargs=2, metavar=("URL", "FOLDER"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    overrides = dict(each.split("=", 1) for each in asked.set)
    if asked.run:
        compute(asked.world, overrides, *asked.run)
        return
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="eddyline-"))
        server = stack.enter_context(program("-m", "eddyline", "serve", "--port", "0", "--folder", folder))
        assert server.stdout is not None
        words = "".join(server.stdout.readline() for _ in range(4))
        found = re.search(r"control +(http://\S+)/\?token=(\S+)", words)
        if found is None:
            raise SystemExit(f"the server did not start: {words}")
        base, token = found[1], found[2]
        options = [part for each in asked.set for part in ("--set", each)]
        run = stack.enter_context(
            program(
                __file__, "--world", asked.world, *options, "--run", f"{base}/?token={token}", f"{folder}/run"
            )
        )
        with watched(base, token) as socket:
            clicks = click(socket, asked.clicks, asked.body)
        assert run.stdout is not None
        spent = json.loads(run.stdout.readlines()[-1])
    print(json.dumps({"world": asked.world, "set": asked.set, "commands": table(clicks, spent)}, indent=2))


@contextlib.contextmanager
def program(*words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def watched(base: str, token: str) -> Iterator[ClientConnection]:
    """A viewer of the run, once it computes."""
    limit = time.monotonic() + WAIT
    live: list[Any] = []
    while not live:
        if time.monotonic() > limit:
            raise SystemExit("the run did not begin")
        time.sleep(0.1)
        with urllib.request.urlopen(f"{base}/api/runs?token={token}", timeout=WAIT) as answer:
            live = [row for row in json.load(answer) if row["live"]]
    url = f"{base.replace('http', 'ws')}/api/runs/{live[0]['id']}/stream?token={token}"
    with connect(url, compression=None, max_size=None, proxy=None, close_timeout=1) as socket:
        view = pb.View(quantities=["speed"], columns=300, frames_per_second=10)
        socket.send(packed(view=view).SerializeToString())
        while answered(socket, "progress").step < 3:
            pass
        yield socket


def answered(socket: ClientConnection, kind: str) -> Any:
    """The next message of a kind."""
    while True:
        message = pb.Message.FromString(bytes(socket.recv(timeout=WAIT)))
        body = message.WhichOneof("body")
        if body in ("tick", "frame"):
            socket.send(packed(seen=pb.Seen(index=message.frame.index)).SerializeToString())
        if body == kind:
            return getattr(message, kind)


def click(socket: ClientConnection, count: int, body: str) -> dict[str, list[float]]:
    """Seconds from each click to its acknowledgement, by kind of command."""
    taken = defaultdict(list)

    def send(kind: str, **command: Any) -> None:
        time.sleep(APART)
        asked = time.monotonic()
        socket.send(packed(command=pb.Command(id=kind, **command)).SerializeToString())
        answer = answered(socket, "acknowledged")
        if answer.refusal:
            raise SystemExit(f"refused: {answer.refusal}")
        taken[kind].append(time.monotonic() - asked)

    for number in range(count):
        send("viscosity", viscosity=pb.Viscosity(value=f"{1e-3 * (1 + 0.001 * number):.8f}"))
        send("inflow", inflow=pb.Inflow(opening="left", velocity=[f"{0.9 + 0.001 * number:.5f}"]))
        send("add_probe", add_probe=pb.AddProbe(name=f"p{number}", position=[0.5, 0.1]))
        send("remove_probe", remove_probe=pb.RemoveProbe(name=f"p{number}"))
    for number in range(min(count, MOVES)):
        aside = 0.001 * (-1) ** number
        send("move_body", move_body=pb.MoveBody(body=body, by=[aside, 0.0], seconds=0.05))
        send("gravity", gravity=pb.Gravity(value=[f"{0.001 * number}", "0"]))
    socket.send(packed(command=pb.Command(id="stop", stop=pb.Stop())).SerializeToString())
    answered(socket, "ended")
    return taken


def compute(world: str, overrides: Mapping[str, str], url: str, folder: str) -> None:
    """Runs the world, and prints the (processor, wall) times of all commands in the computing thread [s]."""
    import eddyline
    from eddyline.run.live_session import LiveSession

    spent: dict[str, list[tuple[float, float]]] = defaultdict(list)
    obey = LiveSession._obey

    def timed(session: LiveSession, given: Any) -> None:
        command = getattr(given, "command", given)
        began = time.thread_time(), time.perf_counter()
        obey(session, given)
        ended = time.thread_time(), time.perf_counter()
        spent[command.WhichOneof("action")].append((ended[0] - began[0], ended[1] - began[1]))

    LiveSession._obey = timed  # type: ignore[method-assign]
    eddyline.run(
        world, overrides=overrides, threads=1, out=Path(folder), live=url, progress=False, movie=False,
        report=False,
    )  # fmt: skip
    print(json.dumps(spent), flush=True)


def table(
    clicks: Mapping[str, Sequence[float]], spent: Mapping[str, Sequence[tuple[float, float]]]
) -> dict[str, dict[str, float]]:
    return {
        name: {
            "click_to_acknowledged": round(1e3 * statistics.median(taken), 1),
            "largest": round(1e3 * max(taken), 1),
            "processor": round(1e3 * statistics.median(cpu for cpu, _ in spent[name]), 2),
            "wall": round(1e3 * statistics.median(wall for _, wall in spent[name]), 2),
        }
        for name, taken in clicks.items()
    }


if __name__ == "__main__":
    main()
