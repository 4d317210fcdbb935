"""Limits of one server."""

from __future__ import annotations

from dataclasses import dataclass, field

from eddyline.cores import own_cores


@dataclass(frozen=True)
class Limits:
    particles: int = 5_000_000  # of a run, fluid and walls
    seconds: float = 24 * 3600.0  # wall time of a run
    at_once: int = 1  # runs that compute
    waiting: int = 20  # runs in the queue
    cores: int = field(default_factory=lambda: len(own_cores()))  # ranks times threads of a run
    device: str = "cpu"  # that computes runs unless they ask for another, where it can
    viewers: int = 256  # of a run
    viewers_in_all: int = 1000
    commands: float = 20.0  # of a viewer, a second
    connections: int = 1500  # at once
    connections_of_client: int = 1200  # connections of one address: behind a tunnel all clients share one
    body: int = 1024**2  # bytes of a request
    upload: int = 200 * 1024**2  # bytes of a file that is opened
