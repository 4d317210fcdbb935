"""A viewer of runs of a lab, as the page is: `python viewer.py http://HOST:PORT TOKEN SECONDS`. Starts runs,
looks at them in several ways, steers them, and prints what it saw as JSON."""

from __future__ import annotations

import json
import statistics
import sys
import time
import urllib.request
from typing import Any

from websockets.sync.client import ClientConnection, connect

from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed
from eddyline.world import World, gallery

CLICKS = 10
WAIT = 60.0  # s for a run to begin
COLUMNS = 1088  # of a canvas on a laptop
SMOOTH = {"frames_per_second": 20, "tells": True, "smooth": True}
WATER = pb.View(surfaces=[pb.SurfaceRequest(quantity="fluid", level=0.5)], **SMOOTH)
PARTICLES = pb.View(particles=True, particle_quantity="speed", most_particles=64_000, **SMOOTH)
CONTOURS = pb.View(quantities=["speed"], columns=COLUMNS, width=1, **SMOOTH)
TANK = {"let.width": "a/2", "time.end": "100"}
CASES: tuple[tuple[str, str, dict[str, str], pb.View], ...] = (
    ("water of a dam break", "dam_break_3d", TANK, WATER),
    ("its particles", "dam_break_3d", TANK, PARTICLES),
    ("contours of a channel", "cylinder", {"domain.spacing": "D/10", "time.end": "1000"}, CONTOURS),
)


class Lab:
    def __init__(self, base: str, token: str) -> None:
        self.base, self.token = base, token

    def call(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}/api/{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=WAIT) as answer:
            return json.loads(answer.read() or b"null")

    def stream(self, run: str) -> ClientConnection:
        url = f"{self.base.replace('http', 'ws')}/api/runs/{run}/stream?token={self.token}"
        return connect(url, compression=None, max_size=None, proxy=None, close_timeout=1)


def main() -> None:
    lab, seconds = Lab(sys.argv[1], sys.argv[2]), float(sys.argv[3])
    told = {}
    for name, world, values, view in CASES:
        source = World.load(gallery()[world], values).source
        run = lab.call("POST", "runs", {"toml": source, "threads": 1, "name": "far"})["id"]
        try:
            wait_for_steps(lab, run)
            told[name] = watched(lab, run, view, seconds)
        finally:
            lab.call("POST", f"runs/{run}/stop")
    print(json.dumps(told), flush=True)


def wait_for_steps(lab: Lab, run: str) -> None:
    """Returns when the run has begun to compute."""
    limit = time.monotonic() + WAIT
    while not lab.call("GET", f"runs/{run}").get("live") and time.monotonic() < limit:
        time.sleep(0.2)
    with lab.stream(run) as socket:
        viewer = Viewer(socket)
        while viewer.next("progress").step < 3:
            pass


def watched(lab: Lab, run: str, view: pb.View, seconds: float) -> dict[str, float]:
    began = time.monotonic()
    with lab.stream(run) as socket:
        socket.send(packed(view=view).SerializeToString())
        viewer = Viewer(socket)
        viewer.next("frame")
        first = time.monotonic() - began
        viewer.watch(3.0)  # until the detail fits the link
        sizes, ages, steps = viewer.watch(seconds)
        took = steps[-1][0] - steps[0][0]
        clicks, after = [], []
        for number in range(CLICKS):
            asked = time.monotonic()
            gravity = pb.Gravity(value=["0", f"{-9.81 - 0.001 * number:.4f}", "0"][: viewer.dimensions])
            viscosity = pb.Viscosity(value=f"{1e-6 * (1 + 0.01 * number):.8f}")
            change = {"gravity": gravity} if viewer.dimensions == 3 else {"viscosity": viscosity}
            socket.send(packed(command=pb.Command(id=f"c{number}", **change)).SerializeToString())
            answer = viewer.next("acknowledged")
            if answer.refusal:
                raise SystemExit(f"refused: {answer.refusal}")
            clicks.append(time.monotonic() - asked)
            while viewer.next("frame").step <= answer.step:
                pass
            after.append(time.monotonic() - asked)
    return {
        "particles": viewer.particles,
        "bytes": statistics.median(sizes),
        "rate": (len(sizes) - 1) / took,
        "age": statistics.median(ages),
        "first": first,
        "click": statistics.median(clicks),
        "after": statistics.median(after),
        "step": took / max(1, steps[-1][1] - steps[0][1]),
    }


class Viewer:
    """Reads a stream and acknowledges frames. Both ends share a machine, and so a clock."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.dimensions, self.particles, self.size = 3, 0, 0

    def next(self, kind: str) -> Any:
        while True:
            data = self.socket.recv(timeout=WAIT)
            message = pb.Message.FromString(data)
            body = message.WhichOneof("body")
            if body == "tick":
                self.socket.send(packed(seen=pb.Seen()).SerializeToString())
            elif body == "frame":
                self.size = len(data)
                self.socket.send(packed(seen=pb.Seen(index=message.frame.index)).SerializeToString())
            elif body == "hello":
                self.dimensions = message.hello.dimensions
            elif body == "progress":
                self.particles = message.progress.particles
            if body == kind:
                return getattr(message, kind)

    def watch(self, seconds: float) -> tuple[list[int], list[float], list[tuple[float, int]]]:
        """Bytes and ages of frames, and when each step was seen."""
        sizes, ages, steps = [], [], []
        limit = time.monotonic() + seconds
        while time.monotonic() < limit or len(steps) < 2:
            frame = self.next("frame")
            now = time.monotonic()
            sizes.append(self.size)
            ages.append(now - frame.made_at)
            steps.append((now, frame.step))
        return sizes, ages, steps


if __name__ == "__main__":
    main()
