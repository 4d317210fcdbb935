"""Worlds on cells: the law for all equations, and the wave equation from the file to the files of a run."""

from __future__ import annotations

import hashlib
import itertools
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from ways import needs_ranks, started

import eddyline
from eddyline import _core
from eddyline.run.derived import derive
from eddyline.world import World, describe
from eddyline.world.quantities import series_columns

SIDES = {2: ("left", "right", "bottom", "top"), 3: ("left", "right", "bottom", "top", "front", "back")}


def world_text(size: list[float], n: int, u: str, p: str = "0", end: float = 1.0, extra: str = "") -> str:
    sides = "\n".join(f'{side} = {{ type = "periodic" }}' for side in SIDES[len(size)])
    return f"""format = 1
title = "Waves"
[domain]
size = {size}
spacing = {1 / n}
[method]
name = "amr"
{extra}
[start.fields]
u = "{u}"
p = "{p}"
[boundaries]
{sides}
[time]
end = {end}
[output]
pictures = 4
snapshots = 2
series = 40
[observe.spot]
type = "probe"
position = {[0.3, 0.4, 0.2][: len(size)]}
"""


FLAT = world_text([1.5, 1.0], 32, "exp(-((x-.5)^2+(y-.3)^2)/.02)", "sin(6.283185307179586*y)", 0.4)
SOLID = world_text([1, 0.75, 0.5], 16, "exp(-((x-.5)^2+(y-.3)^2+(z-.2)^2)/.02)", "x*0", 0.3)


RINGED = FLAT.replace('left = { type = "periodic" }', 'left = { type = "open" }')
RINGED = RINGED.replace('right = { type = "periodic" }', 'right = { type = "wall" }')
RINGED = RINGED.replace('bottom = { type = "periodic" }', 'bottom = { type = "wall", slip = true }')
RINGED = RINGED.replace('top = { type = "periodic" }', 'top = { type = "open" }')


def gas_text(size: list[float], n: int, sides: str, extra: str = "") -> str:
    """A hot spot in a gas that moves."""
    velocity = [0.7, 0.4, -0.3][: len(size)]
    return f"""format = 1
title = "Gas"
[domain]
size = {size}
spacing = {1 / n}
[fluid]
state = "ideal_gas"
density = 1
[start]
density = "1 + 0.3*sin(6*x)*cos(5*y)"
pressure = "1 + 9*exp(-((x-.5)^2+(y-.4)^2+(z-.1)^2)/.01)"
velocity = {velocity}
[boundaries]
{sides}
[time]
end = 0.3
[method]
name = "amr"
{extra}
[output]
pictures = 2
snapshots = 2
series = 40
[observe.spot]
type = "probe"
position = {[0.3, 0.4, 0.2][: len(size)]}
"""


GAS_SIDES = """left = { type = "inflow", velocity = [3.0, 0.1], pressure = "1 + 0.1*y" }
right = { type = "open" }
bottom = { type = "wall", slip = true }
top = { type = "wall", slip = true }"""
GAS = gas_text([1, 0.75], 32, GAS_SIDES)
SOLID_GAS = gas_text(
    [1, 0.75, 0.5],
    16,
    """left = { type = "periodic" }
right = { type = "periodic" }
bottom = { type = "wall", slip = true }
top = { type = "outflow" }
front = { type = "wall", slip = true }
back = { type = "open" }""",
    'reconstruction = "weno"',
)

THICK_GAS = gas_text(
    [0.75, 1],
    24,
    """left = { type = "wall" }
right = { type = "wall", velocity = [0, "sin(9*t)"] }
bottom = { type = "periodic" }
top = { type = "periodic" }""",
).replace("density = 1\n", "density = 1\nkinematic_viscosity = 0.01\n", 1)


def potential_text(
    size: list[float], n: int, density: str, end: float = 1.0, extra: str = "", sides: str = "periodic"
) -> str:
    """A gas with a potential of its own, from rest."""
    table = "\n".join(f'{side} = {{ type = "{sides}" }}' for side in SIDES[len(size)])
    return f"""format = 1
title = "Potential"
[domain]
size = {size}
spacing = {1 / n}
[method]
name = "amr"
equations = "euler-poisson"
{extra}
[start.fields]
density = "{density}"
[boundaries]
{table}
[time]
end = {end}
[output]
pictures = 2
snapshots = 2
[observe.spot]
type = "probe"
position = {[0.5 / n, 0.2, 0.2][: len(size)]}
"""


POTENTIAL = potential_text(
    [1, 0.75],
    64,
    "1 + 0.5*exp(-((x-.4)^2+(y-.5)^2)/.006)",
    extra="coupling = 50\nlevels = 3\ntolerance = 0.02\nunit = 4",
    sides="wall",
)
SOLID_POTENTIAL = potential_text(
    [1, 0.75, 0.5], 16, "1 + 0.5*cos(2*pi*x)*cos(4*pi*z)", extra="coupling = -50"
)
STRAINS = world_text([1, 0.75, 0.5], 16, "", extra='equations = "gravity"\namplitude = 1\nwidth = 0.3')
STRAINS = STRAINS.replace('[start.fields]\nu = ""\np = "0"\n', "")
STRAINS = STRAINS.replace('left = { type = "periodic" }', 'left = { type = "wall", slip = true }')
STRAINS = STRAINS.replace('right = { type = "periodic" }', 'right = { type = "open" }')
LEVELS = world_text(
    [1, 1],
    64,
    "exp(-((x-.4)^2+(y-.5)^2)/.006)",
    end=0.3,
    extra="levels = 3\ntolerance = 0.01\nunit = 4",
)
GAS_LEVELS = gas_text([1, 0.75], 64, GAS_SIDES, "levels = 2\ntolerance = 0.05\nunit = 4")
CIRCLE = """
[bodies.post]
shape = "circle"
center = [0.52, 0.36]
diameter = 0.22
[bodies.wedge]
shape = "polygon"
points = [[0.1, 0.0], [0.4, -0.1], [0.33, 0.13]]
"""
BODY_LEVELS = "levels = 2\ntolerance = 0.2\nunit = 4\nbody_layer = 2"
GAS_BODY = gas_text([1, 0.75], 64, GAS_SIDES, BODY_LEVELS) + CIRCLE
THICK_BODY = THICK_GAS + CIRCLE.split("[bodies.wedge]")[0].replace("0.22", "0.3")
BALL = """
[bodies.ball]
shape = "sphere"
center = [0.4, 0.3, 0.22]
diameter = 0.3
"""
SOLID_BODY = SOLID_GAS.replace("[0.3, 0.4, 0.2]", "[0.7, 0.6, 0.2]") + BALL
DRIVEN = world_text(
    [1, 0.75],
    64,
    "exp(-((x-.3)^2+(y-.4)^2)/.006)",
    extra='potential = "if(x > 0.7, 3e4*x, 0)"\nsource = "90*exp(-((x-.6)^2+(y-.2)^2)/.003)"\n'
    'signal = "sin(40*t)"\nlevels = 2\ntolerance = 0.01\nunit = 4',
)
WORLDS = {
    "driven": DRIVEN,
    "levels": LEVELS,
    "gas levels": GAS_LEVELS,
    "2D": FLAT,
    "3D": SOLID,
    "sides": RINGED,
    "gas": GAS,
    "solid gas": SOLID_GAS,
    "thick gas": THICK_GAS,
    "potential": POTENTIAL,
    "solid potential": SOLID_POTENTIAL,
    "strains": STRAINS,
    "gas body": GAS_BODY,
    "thick body": THICK_BODY,
    "solid body": SOLID_BODY,
}


STEPS = 12


def series_of(simulation: _core.Simulation) -> dict[str, bytes]:
    """Rows of each series since the last call."""
    return {name: rows.tobytes() for name, (_, _, rows) in simulation.take_series().items()}


def result_of(
    world: World,
    simulation: _core.Simulation,
    before: Mapping[str, bytes] | None = None,
) -> list[Any]:
    """Bits of state, series and pictures, which no way of computing a run may change.

    before: series up to a restart."""
    simulation.advance(float("inf"), STEPS, 1e9)
    rows = series_of(simulation)
    series = {name: (before or {}).get(name, b"") + found for name, found in rows.items()}
    low, size = world.core.origin, world.core.size
    upper = (low[0] + size[0], low[1] + size[1], low[2])
    shown = [name for name, _ in simulation.quantities]
    pictures = simulation.rasters(shown, (17, 23), low, upper).tobytes()
    stored = shown
    if world.core.mesh is not None:  # pictures of multiblock show more than its cells have
        stored = ["velocity_x", "velocity_y", "pressure", *(["density"] if world.file.is_gas else [])]
    fields = [simulation.values("cells", name, 0, simulation.count("cells")).tobytes() for name in stored]
    return [simulation.checksum(), series, pictures, fields]


def alone(name: str, patch: int = 64, threads: int = 1, instructions: str = "scalar") -> list[Any]:
    world = World.from_text(WORLDS[name], overrides={"method.patch": patch})
    return result_of(world, _core.Simulation(world.core, threads=threads, instructions=instructions))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", WORLDS)
def test_patches_threads_and_instructions_change_no_bit(name: str) -> None:
    sets = _core.instruction_sets()
    known = alone(name)
    for way in itertools.zip_longest((8, 13, 32), (1, 2, 2), sets, fillvalue=sets[-1]):
        assert alone(name, *way) == known, way


@needs_ranks
@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.matrix)])
def test_ranks_and_strategies_change_no_bit(ranks: int) -> None:
    """Every strategy, with patches and threads in turn, in each world, and two sites."""
    names, patches, threads = (
        itertools.cycle(WORLDS),
        itertools.cycle((8, 16, 32, 9)),
        itertools.cycle((1, 1, 2)),
    )
    ways = [
        (next(names), {"patch": next(patches)}, {"exchange": exchange, "threads": next(threads)}, 0)
        for exchange in [*_core.exchange_strategies(), *(["nonblocking"] if ranks == 2 else [])]
    ]
    site = {"combine": "site", "compress": "site", "threads": 1}
    ways += [
        (name, {"patch": 16}, site, 2) for name in ("2D", "3D", "gas", "gas body", "thick body", "solid body")
    ]
    done = started(ranks, str(Path(__file__).with_name("mesh_ranks.py")), json.dumps(ways))
    assert done.returncode == 0, done.stderr
    digest = {name: hashlib.sha256(repr(alone(name)).encode()).hexdigest() for name in WORLDS}
    found = done.stdout.split()
    assert len(found) == len(ways)
    assert [way for way, each in zip(ways, found, strict=True) if each != digest[way[0]]] == []


@needs_ranks
@pytest.mark.usefixtures("no_pictures")
def test_ranks_leave_the_same_folder(tmp_path: Path) -> None:
    path = tmp_path / "waves.toml"
    path.write_text(FLAT.replace("pictures = 4", "pictures = 0"))  # no film, which takes longest
    run = eddyline.run(path, out=tmp_path / "alone", threads=1, movie=False, report=False, progress=False)
    words = ["run", path, "--ranks", 2, "--threads", 1, "--out", tmp_path / "shared"]
    done = subprocess.run(
        [sys.executable, "-m", "eddyline", *map(str, words)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    other = eddyline.Run.open(tmp_path / "shared")
    assert other.record["checksum"] == run.record["checksum"]
    assert sum(share["cells"] for share in other.record["shares"]) == run.record["counts"]["cells"]
    for name in ("series/budget.csv", "series/spot.csv", "pictures/frames.npy"):
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "shared" / name).read_bytes(), name
    for k in range(run.snapshot_count):
        for name, values in run.snapshot(k).items():
            assert np.array_equal(values, other.snapshot(k)[name]), name
    assert eddyline.compare(run, other).text().count("   0          0          0") == run.snapshot_count


@pytest.mark.parametrize("order", [2, 4, 6])
def test_a_plane_wave_converges_with_the_order(order: int) -> None:
    """u = cos(k x) cos(k c t): the error falls with the power of the spacing that the order names."""
    errors = []
    for n in (12, 24):
        text = world_text([1, 0.75], n, "cos(6.283185307179586*x)", extra=f"order = {order}\ncfl = 0.1")
        simulation = eddyline.Simulation(World.from_text(text))
        simulation.advance_to(0.3)
        x = (np.arange(n) + 0.5) / n
        exact = np.cos(2 * np.pi * x) * np.cos(2 * np.pi * simulation.time)
        found = simulation.field("u")
        assert np.ptp(found, axis=0).max() < 1e-12
        errors.append(float(np.abs(found[0] - exact).max()))
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


@pytest.mark.parametrize("name", ["gas", "potential"])
def test_frames_of_gases_have_velocities(name: str) -> None:
    world = World.from_text(WORLDS[name])
    assert {"velocity_x", "velocity_y"} <= set(world.solver.kept(world.file))


def test_energy_is_constant() -> None:
    world = World.from_text(FLAT)
    simulation = _core.Simulation(world.core)
    simulation.advance(2.0, 2**62, 1e9)
    columns, units, rows = simulation.take_series()["budget"]
    energy: NDArray[np.float64] = rows[:, columns.index("energy")]
    assert units[columns.index("energy")] == "m^4/s^2"
    assert np.ptp(energy) < 1e-3 * energy[0]
    assert np.all(np.diff(energy) < 1e-12 * energy[0])  # the method of Runge and Kutta only loses some


def test_a_run_is_kept_shown_resumed_and_compared(tmp_path: Path) -> None:
    path = tmp_path / "waves.toml"
    path.write_text(FLAT)
    text = describe(World.load(path))
    assert "cells         1,536" in text and "particles" not in text
    run = eddyline.run(path, out=tmp_path / "run", progress=False)
    assert run.outcome == "finished" and run.record["counts"] == {"cells": 1536}
    assert run.record["work"]["unit"] == "cell updates" and run.record["work"]["per_second"] > 0
    assert "fluid_particles" not in run.record
    assert run.picture.is_file() and run.movie.is_file()
    report = run.report.read_text(encoding="utf-8")
    assert "1,536 cells" in report and "cell updates per second" in report and "article" not in report
    assert set(run.snapshot()) == {"time", "step", "id", "position", "u", "p"}
    frames = run.frames("p")
    assert frames[0].values.shape == (32, 48)
    part = eddyline.run(path, out=tmp_path / "part", until=0.2, progress=False, movie=False, report=False)
    whole = eddyline.resume(part, until=0.4, progress=False, movie=False, report=False)
    compared = eddyline.compare(run, whole)
    assert compared.identical and "cells and 2 series, bit for bit" in compared.text()
    wrong = FLAT + '[[expect]]\nquantity = "budget.max_u.final"\nrange = [5, 6]\n'
    judged = eddyline.run(
        World.from_text(wrong), out=tmp_path / "judged", progress=False, movie=False, report=False
    )
    assert judged.table()["inside"].tolist() == [False] and "resolution" in judged.table()["reason"][0]
    other = eddyline.run(
        path, overrides={"method.order": 2}, out=tmp_path / "other", progress=False, movie=False, report=False
    )
    told = eddyline.compare(run, other).text()
    assert "mean u [m]" in told and "differ; cell" in told and "particle" not in told


@pytest.mark.parametrize("name", ["3D", "gas", "solid gas", "levels"])
def test_series_have_the_columns_that_expectations_may_name(name: str) -> None:
    world = World.from_text(WORLDS[name])
    found = derive(world, _core.Simulation(world.core).take_series())
    assert {name: list(columns[1:]) for name, (columns, _, _) in found.items()} == series_columns(world.file)


@pytest.mark.parametrize("name", WORLDS)
def test_quantities_are_those_of_the_core(name: str) -> None:
    world = World.from_text(WORLDS[name])
    shown = world.solver.pictured(world.file)
    pictured = {each: world.solver.pictures[each].unit for each in shown}
    assert dict(_core.Simulation(world.core).quantities) == pictured
    pictured.pop("level", None)
    assert pictured == world.solver.snapshot_fields(world.file)


def test_pixels_of_cells_are_the_values_of_cells() -> None:
    simulation = eddyline.Simulation(World.from_text(FLAT))
    simulation.step(5)
    assert np.array_equal(simulation.raster("u", (32, 48)), simulation.field("u").astype(np.float32))


def test_frames_for_viewers_are_rasters() -> None:
    from eddyline.live import stream_pb2 as pb
    from eddyline.live.codes import values_of
    from eddyline.live.frames import frame_of
    from eddyline.live.hello import hello
    from eddyline.serve.channel import Channel

    world = World.from_text(FLAT)
    simulation = _core.Simulation(world.core)
    message = frame_of(world, simulation, 1, pb.View(quantities=["p", "speed"], columns=1000))
    channel = Channel("a")
    channel.hello = hello(world, "a", "", "u", 1, {})
    assert [(each.members, each.points) for each in channel.hello.sets] == [("cells", False)]
    channel.take(message)
    assert channel.frame is not None and [each.quantity for each in channel.frame.rasters] == ["p"]
    raster = channel.frame.rasters[0]
    assert (raster.rows, raster.columns, raster.unit) == (32, 48, "m/s")
    shown = values_of(raster.values).reshape(32, 48)
    assert np.allclose(shown, simulation.values("cells", "p", 0, 1536).reshape(32, 48), atol=1e-4)
    coarse = channel.raster(channel.frame, "p", 24, 2)
    assert coarse is not None and pb.Raster.FromString(coarse).columns == 24
    assert channel.raster(channel.frame, "u", 24, 2) is None
