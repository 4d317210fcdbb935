"""The device path gives the bits of the processor's: on the emulated device, whose loops are those of a GPU,
and which needs none. benchmarks/gpu.py compares a GPU."""

from __future__ import annotations

import importlib.util
import json
import math
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import law_worlds
import pytest
from golden_worlds import WORLDS, GoldenWorld
from test_steering import COMMANDS, STEPS
from test_steering import WORLD as CHANNEL
from typer.testing import CliRunner

import golden
from eddyline import _core, bench, cli, resume, run
from eddyline.bench import step
from eddyline.bench.worlds import make
from eddyline.run.fingerprint import fingerprint
from eddyline.world import World

ROOT = Path(__file__).resolve().parents[2]
STORED = golden.stored()

SAME = {
    "small-dam": 1,  # free surface, slip and no-slip walls
    "dam-2d-double": 1,
    "dam-3d": 2,  # a body at rest
    "stream-2d": 2,  # a body force by formulas of place and time
    "vortices": 2,  # periodic sides
    "moving-2d": 1,  # bodies that move and turn, sides that slide
    "moving-3d": 2,
    "settled-2d": 1,  # damped before t = 0
    "gallery/taylor_green": 1,
    "channel-2d": 1,  # inflow, outflow
    "channel-3d": 1,
    "jets-2d": 1,  # jets into air
    "free-stream-2d": 1,
    "moving-channel": 1,
}
"""Golden worlds, and a number of threads."""


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.matrix) if each == "channel-3d" else each for each in SAME]
)
def test_the_emulated_device_gives_the_golden_bits(name: str) -> None:
    """State, fields, series with forces, and pictures."""
    threads = SAME[name]
    way = golden.Way(boxes=threads, threads=threads, shuffle=7 * (threads - 1), device="emulated")
    lines = golden.differences(STORED[name], golden.computed(WORLDS[name], way))
    assert not lines, golden.failure(name, lines, way)


def test_a_steered_run_gives_the_same_bits() -> None:
    """Bodies begin to move, come and go; viscosity, gravity and an inflow change."""
    steered = GoldenWorld(CHANNEL, STEPS, commands=COMMANDS)
    expected = golden.computed(steered, golden.Way())
    lines = golden.differences(expected, golden.computed(steered, golden.Way(device="emulated")))
    assert not lines, "\n".join(lines)


def advanced(world: World, device: str, until: int, parts: list[bytes]) -> tuple[int, list[bytes]]:
    """Checksum and checkpoint after a step, on a device, from a checkpoint if there is one."""
    simulation = _core.Simulation(world.core, threads=1, device=device)
    if parts:
        simulation.restore(iter(parts))
    simulation.advance(math.inf, until, math.inf)
    return simulation.checksum(), [simulation.save()]


def test_a_checkpoint_goes_on_on_the_other_device() -> None:
    world = World.from_text(law_worlds.DAM_2D)
    whole, _ = advanced(world, "cpu", 90, [])
    parts: list[bytes] = []
    for device, until in (("cpu", 30), ("emulated", 60), ("cpu", 75), ("emulated", 90)):
        found, parts = advanced(world, device, until, parts)
    assert found == whole


def test_a_run_on_the_device_has_the_same_fingerprint(tmp_path: Path) -> None:
    world = World.from_text(law_worlds.VORTICES)
    checksum, _ = advanced(world, "cpu", 4, [])
    quiet = {"progress": False, "movie": False, "report": False}
    done = run(world, device="emulated", steps=4, out=tmp_path / "run", **quiet)  # type: ignore[arg-type]
    assert done.record["fingerprint"] == fingerprint(checksum, world.source)
    assert done.record["device"] == done.record["statistics"]["instructions"] == "emulated"


LEAVING = (
    law_worlds.DAM_2D.replace('right = { type = "wall", slip = true }', 'right = { type = "open" }')
    .replace('size    = ["4*a", "3*a"]', 'size    = ["1.25*a", "3*a"]')
    .replace('position = ["x0 + 2*a", "x0 + a/10"]', 'position = ["x0 + a", "x0 + a/10"]')
)


@pytest.mark.parametrize(
    ("text", "steps", "by_host"),
    [(law_worlds.DAM_2D, 200, 1), (law_worlds.VORTICES, 30, 1), (LEAVING, 200, 2)],
    ids=["dam", "vortices", "leaving"],
)
def test_the_device_sorts_and_builds_lists(text: str, steps: int, by_host: int) -> None:
    """The host makes the first rebuild, and those in which particles leave."""
    world = World.from_text(text).core
    runs = [_core.Simulation(world, threads=1, device=device) for device in ("cpu", "emulated")]
    for each in runs:
        each.advance(math.inf, steps, math.inf)
    alone, on_device = (each.statistics() for each in runs)
    assert runs[0].checksum() == runs[1].checksum()
    for name in ("rebuilds", "pairs", "left_particles", "contacts"):
        assert on_device[name] == alone[name], name
    assert (on_device["left_particles"] > 0) == (by_host > 1)
    made = on_device["device_rebuilds"]
    assert 2 < made <= on_device["rebuilds"] - by_host
    assert by_host > 1 or made == on_device["rebuilds"] - 1
    assert on_device["device_bytes"] > on_device["device_list_bytes"] > 2 * on_device["pairs"]


def test_bench_measures_steps_on_a_device(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(step, "_WORK", 2000)
    monkeypatch.setattr(step, "REPETITIONS", 2)
    words = ["step", "--case", "box", "--sizes", "500", "--dim", "2", "--device", "emulated"]
    assert bench.main([*words]) == 0
    shown = capsys.readouterr().out
    assert "bytes on the device for each particle, lists included; it made 100% of the rebuilds" in shown
    with pytest.raises(SystemExit):
        bench.main([*words, "--picture", "x.png"])
    assert "Omit it with --device" in capsys.readouterr().err


def test_walls_with_friction_give_the_same_bits() -> None:
    """A side by the law of the wall, and a wheel that turns in the way of the water."""
    text = law_worlds.DAM_2D.replace(
        'bottom = { type = "wall" }', 'bottom = { type = "wall", friction = "log" }'
    )
    text += """[bodies.wheel]
shape    = "circle"
center   = ["1.4*a", "0.5*a"]
diameter = "0.5*a"
friction = 0.2
motion   = { rotation = "6*t" }
"""
    found = [advanced(World.from_text(text), device, 130, [])[0] for device in ("cpu", "emulated")]
    assert found[0] == found[1]
    without = advanced(World.from_text(text.replace("friction = 0.2\n", "")), "cpu", 130, [])[0]
    assert without != found[0]


# --- memory ---


@pytest.mark.parametrize("scheme", ["delta", pytest.param("classic", marks=pytest.mark.matrix)])
def test_the_estimate_of_memory_is_close(scheme: str) -> None:
    world = make("box", 2, 20_000, scheme)
    simulation = _core.Simulation(world.core, threads=1, device="emulated")
    simulation.advance(math.inf, 8, math.inf)
    used = simulation.statistics()["device_bytes"]
    assert _core.estimate(world.core).device_bytes == pytest.approx(used, rel=0.1)


def test_too_little_memory_is_told_with_what_would_fit() -> None:
    world = World.load("taylor_green", {"domain.spacing": "L/400"})
    needed = _core.estimate(world.core).device_bytes
    assert _core.device_memory_refusal(world.core, 160_000, 0, "a GPU", needed + 1.0) == ""
    why = _core.device_memory_refusal(world.core, 160_000, 0, "a GPU", needed / 4)
    assert "1.6e+05 particles need about" in why and "enough for about 4e+04" in why
    spacing = float(why.split("at least ")[1].removesuffix(" m"))
    fits = World.load("taylor_green", {"domain.spacing": spacing})
    assert _core.estimate(fits.core).device_bytes <= needed / 4


def test_check_tells_the_memory_on_a_device() -> None:
    done = CliRunner().invoke(cli.app, ["check", "taylor_green", "--device", "emulated"])
    assert done.exit_code == 0, done.output
    assert "bytes for each particle of the fluid" in " ".join(done.output.split())


# --- a device that fails ------------------------------------------------------------------------------------

QUIET = {"progress": False, "movie": False, "report": False}


def test_too_little_memory_is_found_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDDYLINE_EMULATED_MEMORY", "100000")
    with pytest.raises(_core.UserError, match=r"emulated has 0.0001 GB left, enough for about .* at least"):
        run(World.from_text(law_worlds.VORTICES), device="emulated", out=tmp_path / "run", **QUIET)  # type: ignore[arg-type]
    assert not (tmp_path / "run").exists()


def test_memory_that_ends_in_the_run_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World.from_text(law_worlds.DAM_2D)
    monkeypatch.setenv("EDDYLINE_EMULATED_MEMORY", str(_core.estimate(world.core).device_bytes + 1000))
    simulation = _core.Simulation(world.core, threads=1, device="emulated")
    with pytest.raises(_core.UserError, match=r"emulated device has .* left of .* are needed") as found:
        simulation.advance(math.inf, 400, math.inf)
    assert "\n" not in str(found.value)


def test_a_device_that_fails_in_the_run_leaves_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World.from_text(law_worlds.VORTICES)
    where = tmp_path / "run"
    with monkeypatch.context() as broken:
        broken.setenv("EDDYLINE_EMULATED_LAUNCHES", "200")
        with pytest.raises(
            _core.UserError, match=r"the emulated device failed .*Resume the run from its last"
        ):
            run(world, device="emulated", steps=30, out=where, checkpoint_every=1e-9, **QUIET)  # type: ignore[arg-type]
    assert list((where / "checkpoints").iterdir())
    resumed = resume(where, device="cpu", **QUIET)  # type: ignore[arg-type]
    whole = _core.Simulation(world.core, threads=1)
    whole.advance(math.inf, 30, math.inf)
    assert resumed.record["fingerprint"] == fingerprint(whole.checksum(), world.source)


# --- the library for GPUs -----------------------------------------------------------------------------------


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_gpu", ROOT / "tools" / "build_gpu.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.matrix
def test_the_benchmark_of_devices_runs(tmp_path: Path) -> None:
    found = tmp_path / "found.json"
    words = [
        sys.executable,
        ROOT / "benchmarks" / "gpu.py",
        "--device",
        "emulated",
        "--dry",
        "--json",
        found,
    ]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("  equal  (") == 8 and "at least 0.25" in done.stdout
    speed = json.loads(found.read_text())["speed"]
    assert len(speed) == 8 and speed[0]["bytes_per_particle"] < 400 and speed[0]["launches"] > 8


@pytest.mark.matrix
def test_the_library_for_gpus_compiles(tmp_path: Path) -> None:
    """Compiles for sm_90; half a minute."""
    tool = _tool()
    nvcc = tool.compiler()
    if nvcc is None:
        pytest.skip("no nvcc: `make gpu` fetches one")
    out = tmp_path / "plugin.o"
    done = subprocess.run(
        tool.command(nvcc, out, ["90"], link=False), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert out.stat().st_size > 0
