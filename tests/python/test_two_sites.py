"""Two sites on one machine: the link is as slow as it is told, runs across it give the same bits, and nothing
is left of it, however it ends."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from law_worlds import CHANNEL_2D
from ways import needs_ranks

PATIENCE = 120  # s
EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
sys.path.insert(0, str(EXPERIMENTS))

from two_sites import Link, NotAllowedError, TwoSites  # noqa: E402


def refusal() -> str:
    """The reason that this machine cannot have two sites; empty if it can."""
    try:
        with TwoSites(Link(0.0, 1e9)):
            return ""
    except NotAllowedError as error:
        return str(error)


pytestmark = pytest.mark.matrix


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    """One test at a time, and after each nothing is left."""
    with Path(tempfile.gettempdir(), "eddyline-sites.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if told := refusal():
            pytest.skip(told)
        before = set(all_sites())
        yield
        for _ in range(200):  # a killed process did not remove the sites; the relay does
            if set(all_sites()) <= before:
                break
            time.sleep(0.05)
        assert set(all_sites()) <= before


def all_sites() -> list[str]:
    """Namespaces, devices and processes of sites."""
    names = [path.name for path in Path("/run/netns").glob("eddyline-*")]
    devices = [path.name for path in Path("/sys/class/net").glob("eddy*")]
    relays = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"relay.py" in (process / "cmdline").read_bytes():
                relays.append(process.name)
    return names + devices + relays


def test_the_link_is_as_slow_as_it_was_asked_to_be() -> None:
    with TwoSites(Link(0.02, 8e6)) as sites:
        trip, there, back = sites.measure()
    assert 0.040 < trip < 0.060
    assert 4e6 < there < 8.2e6 and 4e6 < back < 8.2e6
    assert sites.carried["directions"][0]["bytes"] > 1_000_000


@needs_ranks
def test_a_run_across_two_sites_gives_the_same_bits(tmp_path: Path) -> None:
    world = tmp_path / "channel.toml"
    world.write_text(CHANNEL_2D)
    own = [sys.executable, "-m", "eddyline", "run", str(world), "--steps", "40", "--quiet", "--threads", "1"]
    alone = subprocess.run([*own, "--out", str(tmp_path / "alone")], timeout=PATIENCE, check=False)
    assert alone.returncode == 0
    words = ["--latency", "1", "--bandwidth", "100", "--ranks", "2,2", *own[3:], "--combine", "site"]
    done = subprocess.run(
        [sys.executable, str(EXPERIMENTS / "two_sites.py"), *words, "--out", str(tmp_path / "far")],
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    records = [json.loads((tmp_path / name / "run.json").read_text()) for name in ("alone", "far")]
    assert records[0]["fingerprint"] == records[1]["fingerprint"]
    assert records[1]["sites"] == [0, 0, 1, 1] and records[1]["combine"] == "site"
    shares = records[1]["shares"]
    assert [share["messages_between_sites"] > 0 for share in shares] == [True, False, True, False]
    assert all(share["bytes_between_sites"] < share["bytes"] for share in shares)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_it_is_stopped(number: signal.Signals, tmp_path: Path) -> None:
    own = ["run", "taylor_green", "--quiet", "--out", str(tmp_path / "run")]
    words = ["--latency", "1", "--bandwidth", "100", *own]
    process = subprocess.Popen(
        [sys.executable, str(EXPERIMENTS / "two_sites.py"), *words],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None and b"link asked for" in process.stdout.readline()
    time.sleep(1.5)  # the ranks are starting, or compute
    os.killpg(process.pid, number)
    assert process.wait(timeout=30) != 0
