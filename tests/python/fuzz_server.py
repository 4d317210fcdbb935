"""Hostile requests and messages to a lab's server, from a seed: `main(count, seed)`.

    python tests/python/fuzz_server.py 2000 7

Four kinds, about `count` of each: requests from the OpenAPI schema (schemathesis), worlds that were changed
at random, bytes of requests, and messages to WebSockets. No status may be 500 or more but 503 and 507,
nothing may take long, and the server must be well afterwards.
"""

from __future__ import annotations

import contextlib
import json
import logging
import random
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, seed, settings
from lab_server import TANK, WORKERS, Client, lab_in_thread
from schemathesis.specs.openapi.checks import positive_data_acceptance
from websockets.exceptions import ConnectionClosed, WebSocketException

from eddyline.live import stream_pb2 as pb
from eddyline.live.publisher import packed
from eddyline.serve.app import create_app
from eddyline.serve.lab import Lab
from eddyline.serve.limits import Limits
from eddyline.serve.tokens import Gate
from eddyline.world import gallery

LONGEST = 45.0  # s that an answer may take: a task has 30
_RUN = "0123456789ab"
_NOT_TRIED = ("/api/machine/test",)  # it measures for seconds


@dataclass
class Told:
    """tried: how many requests and messages.  slowest: the longest time to an answer [s]."""

    tried: int = 0
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)

    def add(self, what: str, status: int, seconds: float) -> None:
        self.tried += 1
        self.slowest = max(self.slowest, seconds)
        if status >= 500 and status not in (503, 507):
            self.failures.append(f"{status}: {what[:2000]}")
        if seconds > LONGEST:
            self.failures.append(f"{seconds:.0f} s: {what[:2000]}")


class _NoJobs:
    """Takes jobs and runs none."""

    name = "none"

    def submit(self, id_: str, order: object) -> str:
        return "0"

    def cancel(self, id_: str) -> None:
        pass

    def close(self) -> None:
        pass

    def is_ours(self, id_: str) -> bool:
        return True

    def is_active(self, id_: str) -> bool:
        return False


def main(count: int, seed: int) -> Told:
    """Tries `count` of each kind on a server of its own on loopback."""
    told = Told()
    log = _Log()
    logging.getLogger("eddyline").addHandler(log)
    try:
        with tempfile.TemporaryDirectory(prefix="eddyline-") as folder:
            _requests_of_schema(told, count, seed, Path(folder) / "a")
            with lab_in_thread(Path(folder) / "b") as (client, _, lab):
                lab.jobs = _NoJobs()  # type: ignore[assignment]
                chance = random.Random(seed)
                for kind in (_worlds, _bytes, _messages):
                    kind(told, client, count, chance)
                if client.call("GET", "version")[0] != 200:
                    told.failures.append("the server does not answer any more")
    finally:
        logging.getLogger("eddyline").removeHandler(log)
    told.failures += log.errors
    return told


class _Log(logging.Handler):
    """Collects the errors that the server logs as its own."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.errors: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.errors.append(self.format(record)[-2000:])


# --- the schema ---------------------------------------------------------------------------------------------


def _requests_of_schema(told: Told, count: int, number: int, folder: Path) -> None:
    lab = Lab(folder, Limits(waiting=3, particles=20_000), workers=WORKERS)
    lab.jobs = _NoJobs()  # type: ignore[assignment]
    gate = Gate()
    app = create_app(lab, gate)
    client = TestClient(app, "http://127.0.0.1", raise_server_exceptions=False)
    schema = schemathesis.openapi.from_dict(app.openapi())
    schema.app = app
    operations = [found.ok() for found in schema.get_all_operations() if found.ok().path not in _NOT_TRIED]
    how = settings(
        max_examples=max(1, count // len(operations)),
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    def send(case: schemathesis.Case) -> None:
        began = time.monotonic()
        answer = case.call(
            base_url="http://127.0.0.1", headers={"Authorization": f"Bearer {gate.steer}"}, session=client
        )
        told.add(
            f"{case.method} {case.formatted_path} {case.body!r}", answer.status_code, time.monotonic() - began
        )
        try:
            case.validate_response(answer, excluded_checks=[positive_data_acceptance])
        except Exception as error:
            told.failures.append(str(error)[:2000])

    for operation in operations:
        seed(number)(how(given(case=operation.as_strategy())(send)))()
    lab.store.close()


# --- worlds -------------------------------------------------------------------------------------------------

_VALUES = (
    "nan", "inf", "-inf", "1e308", "-1e308", "1e-308", "0", "-1", "9" * 400, '""', '"x"', "true", "[]", "{}",
    "2024-01-01", "[[1]]", '"1/0"', '"9**9**9"', '"A"', '"("', '"../../x"', '"/etc/passwd"', "[1e9, 1e9]",
    "[0, 0, 0, 0]", "'''\n'''", '"\\u0000"', '"é\U0001f600"', "1e-9", "1e9",
)  # fmt: skip


def _worlds(told: Told, client: Client, count: int, chance: random.Random) -> None:
    texts = [TANK, *(path.read_text() for _, path in sorted(gallery().items()))]
    for _ in range(count):
        text = _changed(chance.choice(texts), chance)
        body = {"toml": text[:200_000], "quality": chance.choice(["preview", "study", "publish"])}
        if chance.random() < 0.3:
            key = chance.choice(
                ["let.Re", "domain.spacing", "bodies", "expect.0.curve", "a..b", "time.end", ""]
            )
            body["sets"] = {key: chance.choice(_VALUES)}
        _call(told, client, chance.choice(["check", "check", "runs"]), json.dumps(body).encode())
        if chance.random() < 0.3:
            path = [
                chance.choice(["bodies", "let", "a", "", 0, -1, 10**20, "\0"])
                for _ in range(chance.randint(1, 4))
            ]
            edit = {
                "op": chance.choice(["set", "add", "remove"]),
                "path": path,
                "value": chance.choice(_VALUES),
            }
            _call(told, client, "edit", json.dumps({"toml": text, "edits": [edit]}).encode())


def _changed(text: str, chance: random.Random) -> str:
    """A world file with a few values, lines or characters that are others."""
    lines = text.splitlines()
    for _ in range(chance.randint(1, 4)):
        number = chance.randrange(len(lines))
        key, equals, _ = lines[number].partition("=")
        way = chance.random()
        if way < 0.6 and equals:
            lines[number] = f"{key}= {chance.choice(_VALUES)}"
        elif way < 0.7:
            del lines[number : number + chance.randint(1, 5)]
            lines = lines or [""]
        elif way < 0.85:
            lines.insert(number, chance.choice(lines))
        else:
            place = chance.randrange(len(lines[number]) + 1)
            odd = chance.choice(['"', "[", "]", "=", "\0", "#", "{", "'", "\ud800", "🙂", "\x85"])
            lines[number] = lines[number][:place] + odd + lines[number][place:]
    return "\n".join(lines)


def _call(told: Told, client: Client, path: str, body: bytes) -> None:
    began = time.monotonic()
    status, answer = client.call("POST", path, body)
    told.add(f"POST {path} {body!r}", status, time.monotonic() - began)
    if status == 201:
        client.call("POST", f"runs/{answer['id']}/stop")
        client.call("DELETE", f"runs/{answer['id']}")


# --- bytes --------------------------------------------------------------------------------------------------


def _bytes(told: Told, client: Client, count: int, chance: random.Random) -> None:
    """Requests with some bytes changed."""
    host, port = client.base.split("/")[2].split(":")
    body = json.dumps({"toml": TANK}).encode()
    head = (
        f"POST /api/check?token={client.token} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    picture = b"\x89PNG\r\n\x1a\n" + chance.randbytes(200)
    upload = head.replace(b"check", b"open").replace(str(len(body)).encode(), str(len(picture)).encode())
    for _ in range(count):
        data = bytearray(chance.choice([head + body, upload + picture]))
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(data))
            data[place : place + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 4))
        began = time.monotonic()
        with socket.create_connection((host, int(port)), 5) as link, contextlib.suppress(OSError):
            link.sendall(data)
            link.shutdown(socket.SHUT_WR)
            link.settimeout(LONGEST)
            first = link.recv(100).split(b" ")
            status = int(first[1]) if len(first) > 1 and first[1].isdigit() else 0
            told.add(repr(bytes(data)), status, time.monotonic() - began)


# --- messages -----------------------------------------------------------------------------------------------


def _messages(told: Told, client: Client, count: int, chance: random.Random) -> None:
    """Sends messages to the sockets of viewers and of simulations, a few on each connection."""
    makers: tuple[Callable[[random.Random], bytes | str], ...] = (_noise, _text, _damaged, _message)
    done = 0
    while done < count:
        path = chance.choice(
            [f"runs/{_RUN}/stream", f"simulations/{_RUN}", "simulations/zz", "runs/x/stream"]
        )
        several = chance.randint(1, 8)
        done += several
        began = time.monotonic()
        ends = (ConnectionClosed, WebSocketException, TimeoutError, OSError)
        with contextlib.suppress(*ends), client.socket(path) as link:
            for message in _row(several, makers, chance):
                link.send(message)
            link.recv(timeout=0.02)
        told.add(f"{several} messages to {path}", 0, time.monotonic() - began)
        told.tried += several - 1


def _row(
    count: int, makers: tuple[Callable[[random.Random], bytes | str], ...], chance: random.Random
) -> Iterator[bytes | str]:
    if chance.random() < 0.5:
        said = pb.Hello(dimensions=2, lower=[0, 0], upper=[1, 1], spacing=0.1, run="x", folder="/etc")
        said.quantities.add(name="speed", unit="m/s")
        yield packed(hello=said).SerializeToString()
    for _ in range(count):
        yield chance.choice(makers)(chance)


def _noise(chance: random.Random) -> bytes:
    return chance.randbytes(chance.choice([0, 1, 10, 1000, 100_000]))


def _text(chance: random.Random) -> str:
    return "hello" * chance.randint(0, 1000)


def _damaged(chance: random.Random) -> bytes:
    data = bytearray(_message(chance))
    for _ in range(chance.randint(1, 5)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data[: chance.randint(1, len(data))])


def _message(chance: random.Random) -> bytes:
    odd = chance.choice([float("nan"), float("inf"), -1.0, 0.0, 1e300, 5.0])
    number = chance.choice([0, 1, 2**31, 2**32 - 1, 7])
    long = "x" * chance.choice([0, 1, 100, 70_000])
    codes = pb.Codes(
        data=chance.randbytes(chance.choice([0, 3, 40])), width=chance.choice([0, 1, 2, 9]), scale=odd
    )
    parts = pb.Particles(count=number, total=1, position=[codes, codes], ids=b"1234567")
    parts.carried.add(quantity="velocity_x", values=codes)
    bodies: list[dict[str, object]] = [
        {
            "view": pb.View(
                quantities=[long[:40], "speed"], columns=number, frames_per_second=odd, width=number % 4
            )
        },
        {"view": pb.View(particles=True, ids=True, most_particles=number, frames_per_second=30, tells=True)},
        {"command": pb.Command(id=long[:80] or "x", pause=pb.Pause(), asked_at=odd, not_after=odd)},
        {"command": pb.Command(id="b", add_body=pb.AddBody(name=long, toml=long))},
        {"seen": pb.Seen(index=number)},
        {"frame": pb.Frame(index=number, particles=parts, time=odd)},
        {
            "series": pb.SeriesRows(
                name=long[:9], first=number, every=number, columns=[pb.Column(values=[odd])]
            )
        },
        {"progress": pb.Progress(particles=-number, time=odd)},
        {"acknowledged": pb.Acknowledged(id=long)},
        {"ended": pb.Ended(outcome=long, message=long, time=odd)},
        {"hello": pb.Hello(title=long, dimensions=number, spacing=odd)},
        {"tick": pb.Tick(clock=odd)},
        {},
    ]
    return packed(**chance.choice(bodies)).SerializeToString()


if __name__ == "__main__":
    found = main(int(sys.argv[1]), int(sys.argv[2]))
    print(f"{found.tried} tried, the slowest took {found.slowest:.1f} s, {len(found.failures)} failures")
    for failure in found.failures:
        print(failure)
    sys.exit(bool(found.failures))
