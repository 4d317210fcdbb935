"""Measures a link: `probe.py serve ADDRESS` at one end, `probe.py ask ADDRESS BYTES` at the other.

The asker prints a list: the median round trip of a byte [s], and bits a second each way, of 1 MB at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import statistics
import sys
import time

PORT = 7700
ROUND_TRIPS = 30


def serve(address: str) -> None:
    with socket.create_server((address, PORT)) as listener:
        print("ready", flush=True)
        connection, _ = listener.accept()
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(ROUND_TRIPS):
                connection.sendall(exactly(connection, 1))
            size = int.from_bytes(exactly(connection, 8), "little")
            exactly(connection, size)
            connection.sendall(b"x")
            exactly(connection, 1)
            connection.sendall(bytes(size))


def ask(address: str, size: int) -> list[float]:
    with socket.create_connection((address, PORT)) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        trips = []
        for _ in range(ROUND_TRIPS):
            begin = time.perf_counter()
            connection.sendall(b"x")
            exactly(connection, 1)
            trips.append(time.perf_counter() - begin)
        trip = statistics.median(trips)
        connection.sendall(size.to_bytes(8, "little"))
        begin = time.perf_counter()
        connection.sendall(bytes(size))
        exactly(connection, 1)
        there = time.perf_counter() - begin - trip
        begin = time.perf_counter()
        connection.sendall(b"x")
        exactly(connection, size)
        back = time.perf_counter() - begin - trip
        return [trip, 8 * size / there, 8 * size / back]


def exactly(connection: socket.socket, size: int) -> bytes:
    """So many bytes."""
    found = bytearray()
    while len(found) < size:
        part = connection.recv(min(size - len(found), 1 << 16))
        if not part:
            raise ConnectionError("the other end has gone")
        found += part
    return bytes(found)


if __name__ == "__main__":
    with contextlib.suppress(OSError):  # it measures the link, and not what else runs here
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        print(json.dumps(ask(sys.argv[2], int(sys.argv[3]))))
