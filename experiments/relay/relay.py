"""The link between two sites: `python relay.py --latency S --bandwidth BITS_A_SECOND`, for two_sites.py.

Makes two network namespaces with a device in each, and carries packets from one to the other, each as late as
a link of that latency and bandwidth would bring it. Says "ready" and the names of the namespaces, and goes on
until its standard input ends: however the process that started it ends, that does. Then it kills what still
runs at the sites, removes both, and says what it has carried. Linux, as root, standard library only.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import select
import signal
import struct
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
DEVICE = "site"
"""The name of the device at both sites."""
ADDRESSES = ("10.77.0.1", "10.77.0.2")
PREFIX = "eddyline-"
MTU = 9000  # bytes; a fifth as many packets as of 1500, each of which costs the cores that compute as well
QUEUE = 4_000_000  # bytes that wait for the link; what comes on top is dropped, as by a router
SETTINGS = {
    "net.ipv4.tcp_slow_start_after_idle": "0",  # a step is a pause, and no new connection
    "net.ipv4.tcp_wmem": "4096 1048576 4194304",
}


class Direction:
    """Packets on their way from one site to the other."""

    def __init__(self, to: int, latency: float, bandwidth: float) -> None:
        self.to, self.latency, self.bandwidth = to, latency, bandwidth
        self.waiting: deque[tuple[float, bytes]] = deque()  # when it arrives
        self.free = 0.0  # when the link has taken the last one
        self.queued = 0
        self.packets = self.bytes = self.dropped = 0

    def take(self, packet: bytes, now: float) -> None:
        if self.queued + len(packet) > QUEUE:
            self.dropped += 1
            return
        self.free = max(self.free, now) + 8 * len(packet) / self.bandwidth
        self.waiting.append((self.free + self.latency, packet))
        self.queued += len(packet)

    def give(self, now: float) -> None:
        """Delivers the messages that have arrived by `now`."""
        while self.waiting and self.waiting[0][0] <= now:
            _, packet = self.waiting.popleft()
            self.queued -= len(packet)
            self.packets += 1
            self.bytes += len(packet)
            with contextlib.suppress(OSError):  # a site that is full, or gone, drops it
                os.write(self.to, packet)


class Sites:
    """The two namespaces, until close()."""

    def __init__(self) -> None:
        self.names = [f"{PREFIX}{os.getpid()}-{letter}" for letter in "ab"]
        self.devices: list[int] = []

    def open(self) -> None:
        remove_left_over()
        for number, (name, address) in enumerate(zip(self.names, ADDRESSES, strict=True)):
            ip("netns", "add", name)
            device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            self.devices.append(device)
            label = f"eddy{os.getpid()}{'ab'[number]}"[-15:]
            fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", label.encode(), IFF_TUN | IFF_NO_PI))
            ip("link", "set", label, "netns", name)
            ip("-n", name, "link", "set", label, "name", DEVICE)
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", name, "address", "add", address, "peer", ADDRESSES[1 - number], "dev", DEVICE)
            ip("-n", name, "link", "set", DEVICE, "mtu", str(MTU), "txqueuelen", "5000", "up")
            for key, value in SETTINGS.items():
                path = "/proc/sys/" + key.replace(".", "/")
                ip("netns", "exec", name, "sh", "-c", f'echo "{value}" > {path}')

    def close(self) -> None:
        for name in self.names:
            remove(name)
        for device in self.devices:
            os.close(device)


def ip(*words: str) -> str:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def remove(name: str) -> None:
    """A namespace, and whatever runs in it."""
    if not Path("/run/netns", name).exists():
        return
    for _ in range(100):  # what is killed may just have started another
        pids = [int(word) for word in ip("netns", "pids", name).split()]
        if not pids:
            break
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    ip("netns", "delete", name)


def remove_left_over() -> None:
    """Namespaces of a relay that was killed."""
    for path in Path("/run/netns").glob(f"{PREFIX}*"):
        owner = path.name.removeprefix(PREFIX).rpartition("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            remove(path.name)


def relay(sites: Sites, latency: float, bandwidth: float) -> list[Direction]:
    """Carries packets until standard input ends."""
    a, b = sites.devices
    directions = {a: Direction(b, latency, bandwidth), b: Direction(a, latency, bandwidth)}
    end = sys.stdin.fileno()
    while True:
        now = time.monotonic()
        due = [direction.waiting[0][0] for direction in directions.values() if direction.waiting]
        ready, _, _ = select.select([a, b, end], [], [], max(0.0, min(due) - now) if due else None)
        if end in ready:
            return list(directions.values())
        now = time.monotonic()
        for device, direction in directions.items():
            if device in ready:
                for packet in packets(device):
                    direction.take(packet, now)
            direction.give(now)


def packets(device: int) -> list[bytes]:
    """Those that wait at a device, some at most, so that others are not late."""
    found = []
    with contextlib.suppress(BlockingIOError):
        while len(found) < 64:
            found.append(os.read(device, 65536))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, required=True, metavar="S", help="one way")
    parser.add_argument("--bandwidth", type=float, required=True, metavar="BITS", help="a second, each way")
    wanted = parser.parse_args()
    with contextlib.suppress(OSError):  # packets are late if this process is
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    sites = Sites()
    try:
        sites.open()
        print("ready", *sites.names, flush=True)
        directions = relay(sites, wanted.latency, wanted.bandwidth)
    except OSError as error:
        print("refused", error, flush=True)
        return
    finally:
        sites.close()
    carried = [{"packets": each.packets, "bytes": each.bytes, "dropped": each.dropped} for each in directions]
    print(json.dumps({"directions": carried, "seconds": time.process_time()}), flush=True)


if __name__ == "__main__":
    main()
