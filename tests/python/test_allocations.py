"""A warmed-up step takes nothing from the heap, and one that sorts particles anew only what has grown."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
WORLDS = ("dam 2D", "dam 3D", "gas 2D", "channel 2D", "cylinder")
GROWING = ("dam 2D", "gas 2D")  # lists that are longer than any before, now and then

PROGRAM = """
import ctypes, json, sys
from eddyline import _core
from eddyline.bench.worlds import CASES
from eddyline.world import World

allocations = ctypes.CDLL(None).allocations
allocations.restype = ctypes.c_long
before = allocations()
bytearray(1_000_000)
found = {"counts": allocations() > before}
worlds = {
    "dam 2D": CASES["dam"](2, 2000, "delta"),
    "dam 3D": CASES["dam"](3, 2000, "delta"),
    "gas 2D": CASES["gas"](2, 2000, "classic"),
    "channel 2D": World.load(sys.argv[1] + "/channel.toml", {"domain.spacing": "H/15"}),
    "cylinder": World.load(sys.argv[1] + "/cylinder.toml", {"domain.spacing": "D/6"}),
}
for name, world in worlds.items():
    for threads in (1, 2):
        simulation = _core.Simulation(world.core, threads=threads, series_interval=1e9)
        simulation.advance(1e9, 40, 1e9)
        taken = []
        for step in range(41, 91):
            rebuilds, before = simulation.statistics()["rebuilds"], allocations()
            simulation.advance(1e9, step, 1e9)
            now = allocations()
            taken.append((now - before, simulation.statistics()["rebuilds"] - rebuilds))
        found[f"{name}, {threads} threads"] = taken
print(json.dumps(found))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="counts by names that glibc has")
def test_a_warmed_up_step_allocates_nothing(tmp_path: Path) -> None:
    counter = tmp_path / "count_allocations.so"
    compiler = os.environ.get("CC", "cc")
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", str(HERE / "count_allocations.c"), "-o", str(counter)],
        check=True,
    )
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(HERE.parents[1] / "worlds")],
        env=os.environ | {"LD_PRELOAD": str(counter), "OMP_WAIT_POLICY": "passive"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.pop("counts"), "the counter does not count"
    assert len(found) == 2 * len(WORLDS)
    for name, taken in found.items():
        usual = [count for count, rebuilds in taken if not rebuilds]
        at_rebuilds = sorted(count for count, rebuilds in taken if rebuilds)
        assert len(usual) > 3, f"{name}: lists did not last: {taken}"
        assert max(usual) == 0, f"{name}: {taken}"
        if not name.startswith(GROWING):
            assert at_rebuilds[len(at_rebuilds) // 2] == 0, f"{name}: {taken}"
