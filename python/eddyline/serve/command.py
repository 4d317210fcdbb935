"""`eddyline serve` and `eddyline lab`: starts the server, and a browser if requested."""

from __future__ import annotations

import contextlib
import socket
import threading
import webbrowser
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from eddyline.serve import protocol
from eddyline.serve.app import PAGE, create_app
from eddyline.serve.lab import Lab
from eddyline.serve.limits import Limits
from eddyline.serve.tokens import LOOPBACK, Gate

PORT = 8421
LARGEST = 16 * 1024**2  # bytes of a message of a simulation
PING = 20.0  # s between pings, and time limit of an answer
GRACE = 3  # s for open connections to end when the server stops
_EVERYWHERE = ("0.0.0.0", "::")


class PortError(ValueError):
    """The server cannot listen on the port; the message gives the reason."""


class _Server(uvicorn.Server):
    """A server that a second Ctrl-C does not interrupt: it stops within GRACE in any case."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            super().handle_exit(sig, frame)


def serve(
    folder: Path,
    *,
    host: str = "127.0.0.1",
    port: int | None = None,
    names: tuple[str, ...] = (),
    limits: Limits | None = None,
    executor: str = "local",
    attributes: Mapping[str, str] | None = None,
    say: Callable[[str], None] = print,
    browse: bool = False,
) -> None:
    """Serves the runs in `folder` until Ctrl-C.

    host: the address to listen at.  port: 0 for any; None for PORT, or any if that is taken.  names: further
    host names by which browsers reach this machine.  browse: open a browser.  Raises PortError."""
    listener = _listen(host, port)
    port = listener.getsockname()[1]
    lab = Lab(folder, limits, executor, attributes)
    shown = f"[{host}]" if ":" in host else host
    local = "127.0.0.1" if host in _EVERYWHERE else shown
    reachable = local if executor == "local" else names[0] if names else _own_name(local)
    lab.url = f"http://{reachable}:{port}"
    gate = Gate(hosts=tuple(dict.fromkeys([*LOOPBACK, host, reachable, *names])))
    base = f"http://{names[0] if names and host in _EVERYWHERE else local}:{port}/"
    config = configured(lab, gate, log_level="warning", timeout_graceful_shutdown=GRACE)
    say(f"runs in     {lab.folder}")
    say(f"control     {base}?token={gate.steer}")
    say(f"view only   {base}?token={gate.look}")
    say(f"from a run  eddyline run WORLD --live '{base}?token={gate.steer}'")
    if browse:
        _browse(f"{base}?token={gate.steer}", say)
    lab.start_waiting()
    lab.keep_spare()
    lab.workers.warm()
    server = _Server(config)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
    lab.store.close()


def configured(lab: Lab, gate: Gate, **more: Any) -> uvicorn.Config:
    """Configuration of uvicorn for a lab: with limits on duration, size and number of requests."""
    return uvicorn.Config(
        create_app(lab, gate),
        loop="asyncio",
        http=protocol.http(lab.limits.connections, lab.limits.connections_of_client),
        ws=protocol.WebSockets,
        ws_per_message_deflate=False,
        ws_max_size=LARGEST,
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        access_log=False,
        server_header=False,
        **more,
    )


def _listen(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for wanted in (PORT, 0) if port is None else (port,):
        # asyncio turns off Nagle's algorithm, which delays small messages by a round trip, if TCP is named.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, wanted))
        except OSError as error:
            listener.close()
            if port is not None:
                raise PortError(f"--host {host} --port {wanted}: {error.strerror}") from None
            continue
        listener.listen()  # requests before the start of the server wait for it
        listener.set_inheritable(False)
        return listener
    raise PortError(f"--host {host}: cannot listen on this address; check the address")


def _own_name(local: str) -> str:
    """The name by which a scheduler's nodes may find this machine."""
    return socket.getfqdn() or local


def _browse(url: str, say: Callable[[str], None]) -> None:
    """Opens a browser, if there is one, when the server is up."""
    if not PAGE.is_dir():
        say("this build has no web page; only the API is available")
        return

    def go() -> None:
        if not webbrowser.open(url):
            say("no browser was found; open the control address in a browser")

    timer = threading.Timer(0.8, go)
    timer.daemon = True
    timer.start()
