"""The relays that benchmarks and experiments measure through are as slow as they say."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"relay_of_{Path(path).stem}", ROOT / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_ping_through_the_slow_link_of_the_stream_takes_its_round_trip():
    stream = load("benchmarks/stream.py")
    assert 1.0 * stream.ROUND_TRIP <= asyncio.run(stream.ping()) < 1.3 * stream.ROUND_TRIP


def test_the_slow_link_of_the_stream_lets_its_rate_through():
    stream = load("benchmarks/stream.py")
    size = 500_000

    async def seconds() -> float:
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()

        async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readexactly(size)
            writer.write(b"x")
            await reader.read()
            writer.close()

        async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await stream.pass_on(reader, writer, *address)
            ended.set()

        server = await asyncio.start_server(drop, "127.0.0.1", 0)
        address = server.sockets[0].getsockname()
        relay = await asyncio.start_server(passed, "127.0.0.1", 0)
        reader, writer = await asyncio.open_connection(*relay.sockets[0].getsockname())
        begin = loop.time()
        writer.write(bytes(size))
        await reader.readexactly(1)
        found = loop.time() - begin
        writer.close()
        await ended.wait()
        relay.close()
        server.close()
        return found

    least = 8 * size / (1e6 * stream.MBIT) + stream.ROUND_TRIP
    assert least <= asyncio.run(seconds()) < 2 * least


@pytest.mark.parametrize("gap", [0.0, 0.05])
def test_the_link_between_two_sites_keeps_a_packet_its_latency_and_what_it_takes_to_send(gap: float):
    relay = load("experiments/relay/relay.py")
    read, write = os.pipe()
    try:
        way = relay.Direction(write, 0.02, 8e6)
        way.take(bytes(1000), 5.0)
        way.take(bytes(1000), 5.0 + gap)
        second = max(5.001, 5.0 + gap) + 0.001 + 0.02
        for late, packets in ((5.0209, 0), (5.0211, 1), (second - 1e-4, 1), (second + 1e-4, 2)):
            way.give(late)
            assert way.packets == packets
    finally:
        os.close(read)
        os.close(write)
