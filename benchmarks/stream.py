"""Throughput of the stream: bytes per frame, frames and megabytes per second, on loopback and on a slow link.

  python benchmarks/stream.py [--seconds 8] [--world cylinder] [--set K=V]

A frame of the world's start is sent to a hub as often as it is taken, by a simulation that does nothing
else, and one viewer reads as the page does: contours of one quantity, contours with the velocity that tracers
need, particles, or, in 3D, the surface of the water. The slow link is a relay on loopback that lets 20 Mbit/s
through each way, 50 ms there and back; a ping through it is measured first. Prints JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass

from websockets.asyncio.client import connect

from eddyline.live import stream_pb2 as pb
from eddyline.live.frames import frame_of
from eddyline.live.hello import hello
from eddyline.live.publisher import packed
from eddyline.live.surfaces import FLUID, FLUID_LEVEL
from eddyline.simulation import Simulation
from eddyline.stream.surfaces import quantities
from eddyline.world import World

RUN = "0123456789ab"
MBIT, ROUND_TRIP = 20.0, 0.050  # of the slow link: Mbit/s each way, s
PIECE = 4096  # bytes that the relay passes on together
QUEUE = 0.02  # s of data that wait in front of the link: a relay that wakes up late loses none of its rate
PINGS = 15
TOLERANCE = 0.3  # of ROUND_TRIP: a relay that is off by more is not measured with
COLUMNS = 1088  # of a canvas on a laptop
VIEWS = {
    "contours": pb.View(quantities=["vorticity"], columns=COLUMNS, width=2, frames_per_second=30, tells=True),
    "contours and tracers": pb.View(
        quantities=["vorticity", "velocity_x", "velocity_y"],
        columns=COLUMNS,
        width=2,
        frames_per_second=30,
        tells=True,
    ),
    "particles": pb.View(
        particles=True,
        particle_quantity="speed",
        most_particles=200_000,
        ids=True,
        velocities=True,
        frames_per_second=30,
        tells=True,
    ),
}


SURFACE = pb.View(
    surfaces=[pb.SurfaceRequest(quantity=FLUID, level=FLUID_LEVEL)], frames_per_second=30, tells=True
)


@dataclass(frozen=True)
class Seen:
    """frames, total: how many came in `seconds`, and their bytes.  size, age: medians, of one [bytes] and
    from sending to reading [s]."""

    frames: int
    total: int
    size: float
    seconds: float
    age: float

    def row(self) -> dict[str, float]:
        rate = self.frames / self.seconds
        return {
            "bytes_per_frame": round(self.size),
            "frames_per_second": round(rate, 2),
            "megabytes_per_second": round(self.total / self.seconds / 1e6, 2),
            "median_age_seconds": round(self.age, 3),
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--world", default="cylinder")
    parser.add_argument("--set", action="append", default=[], metavar="K=V")
    asked = parser.parse_args()
    world = World.load(asked.world, dict(each.split("=", 1) for each in asked.set))
    simulation = Simulation(world)._core
    view = pb.View(particles=True, ids=True)
    if FLUID in quantities(simulation):
        VIEWS["surface"] = SURFACE
        view.surfaces.extend(
            pb.SurfaceRequest(quantity=FLUID, level=FLUID_LEVEL, stride=stride) for stride in (1, 2, 4)
        )
    frame = frame_of(world, simulation, 1, view)
    greeting = hello(world, RUN, "", "speed", 1, {})
    with served() as (base, token):
        found = asyncio.run(measure(base, token, greeting, frame, asked.seconds))
    print(json.dumps({"world": asked.world, "particles": simulation.fluid_count, **found}, indent=2))


@contextlib.contextmanager
def served():
    """A hub: its address, and the token to steer."""
    with tempfile.TemporaryDirectory(prefix="eddyline-") as folder:
        command = [sys.executable, "-m", "eddyline", "serve", "--port", "0", "--folder", folder]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        words = "".join(server.stdout.readline() for _ in range(4))
        found = re.search(r"control +http://(\S+)/\?token=(\S+)", words)
        assert found
        try:
            yield found[1], found[2]
        finally:
            server.kill()
            server.wait()


async def measure(
    base: str, token: str, greeting: pb.Hello, frame: pb.Message, seconds: float
) -> dict[str, object]:
    trip = await ping()
    if abs(trip - ROUND_TRIP) > TOLERANCE * ROUND_TRIP:
        raise SystemExit(
            f"a ping through the slow link takes {1e3 * trip:.0f} ms, not {1e3 * ROUND_TRIP:.0f} ms"
        )
    how = {"max_size": None, "compression": None, "proxy": None, "ping_interval": None}
    host, port = base.split(":")
    relay = await asyncio.start_server(lambda *ends: pass_on(*ends, host, int(port)), host, 0)
    slow = f"{host}:{relay.sockets[0].getsockname()[1]}"
    out: dict[str, object] = {
        "bytes_to_the_hub": len(frame.SerializeToString()),
        "ping_seconds": round(trip, 4),
    }
    async with connect(f"ws://{base}/api/simulations/{RUN}?token={token}", **how) as simulation:
        await simulation.send(packed(hello=greeting).SerializeToString())
        stop = threading.Event()
        sender = asyncio.create_task(send(simulation, frame, stop))
        for place, link in (("loopback", base), (f"{MBIT:g} Mbit/s, {1000 * ROUND_TRIP:g} ms", slow)):
            rows = {}
            for name, view in VIEWS.items():
                # The Host of the hub, whichever way leads there.
                url = f"ws://{link}/api/runs/{RUN}/stream?token={token}"
                async with connect(url, max_queue=2, **how) as viewer:
                    await viewer.send(packed(view=view).SerializeToString())
                    rows[name] = (await watch(viewer, seconds)).row()
            out[place] = rows
        stop.set()
        await sender
    relay.close()
    return out


async def send(simulation, frame: pb.Message, stop: threading.Event) -> None:
    """Frames with the moment at which they were sent as their time."""
    while not stop.is_set():
        frame.frame.index += 1
        frame.frame.step += 1
        frame.frame.time = time.monotonic()
        await simulation.send(frame.SerializeToString())
        await asyncio.sleep(1 / 30)


async def watch(viewer, seconds: float) -> Seen:
    sizes: list[int] = []
    ages: list[float] = []
    began = 0.0
    async for data in viewer:
        message = pb.Message.FromString(data)
        if message.WhichOneof("body") != "frame":
            continue
        now = time.monotonic()
        await viewer.send(packed(seen=pb.Seen(index=message.frame.index)).SerializeToString())
        if not began:
            began = now  # the first one opens the window
            continue
        sizes.append(len(data))
        ages.append(now - message.frame.time)
        if now - began >= seconds:
            break
    return Seen(len(sizes), sum(sizes), statistics.median(sizes), now - began, statistics.median(ages))


async def pass_on(reader, writer, host: str, port: int) -> None:
    """One connection through the slow link, both ways."""
    onward, back = await asyncio.open_connection(host, port)
    await asyncio.gather(slowly(reader, back), slowly(onward, writer))


async def slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Passes bytes on at MBIT, each half of ROUND_TRIP later than the link has taken it."""
    rate = MBIT * 1e6 / 8
    waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(
        max(1, round(rate * (ROUND_TRIP / 2 + QUEUE) / PIECE))
    )

    async def deliver() -> None:
        while True:
            due, data = await waiting.get()
            if not data:
                break
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            writer.write(data)
            await writer.drain()
        with contextlib.suppress(ConnectionError):
            writer.close()

    delivery = asyncio.create_task(deliver())
    free = time.monotonic()  # when the link has taken all that came so far
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(PIECE):
            free = max(free, time.monotonic()) + len(data) / rate
            await waiting.put((free + ROUND_TRIP / 2, data))
    await waiting.put((0.0, b""))
    with contextlib.suppress(ConnectionError):
        await delivery


async def ping() -> float:
    """The median round trip of a byte through the slow link [s], to a server that sends it back."""
    ended = asyncio.Event()

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(PIECE):
            writer.write(data)
        writer.close()

    async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await pass_on(reader, writer, *address)
        ended.set()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    address = server.sockets[0].getsockname()
    relay = await asyncio.start_server(passed, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*relay.sockets[0].getsockname())
    trips = []
    for _ in range(PINGS):
        begin = time.monotonic()
        writer.write(b"x")
        await reader.readexactly(1)
        trips.append(time.monotonic() - begin)
    writer.close()
    await ended.wait()
    relay.close()
    server.close()
    return statistics.median(trips)


if __name__ == "__main__":
    main()
