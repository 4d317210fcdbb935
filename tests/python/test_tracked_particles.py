"""Observers of single particles: the same values on ranks and threads, when resumed and with steering."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ways import needs_ranks

import eddyline
from eddyline import _core
from eddyline.live import stream_pb2 as pb
from eddyline.live.steering import RefusedError, Steering
from eddyline.plot.trails import Trail, paint
from eddyline.run.pictures import charts, tracks_of
from eddyline.world import World, WorldError

QUIETLY: dict[str, Any] = {"progress": False, "movie": False, "report": False}
STREAM = """format = 1
[domain]
size = [0.3, 0.12]
spacing = 0.01
[fluid]
density = 1000.0
kinematic_viscosity = 1e-3
max_speed = 2.0
[start]
velocity = ["1 + 5*y", 0]
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
[bodies.post]
shape = "circle"
center = [0.15, 0.06]
diameter = 0.03
[observe.middle]
type = "particle"
position = [0.298, 0.1]
[observe.named]
type = "particle"
id = 65536
[output]
series = 40
snapshots = 0
pictures = 0
[time]
end = 0.1
[[expect]]
quantity = "middle.speed.max"
range = [0.5, 3]
"""
PLAIN = STREAM.partition("[[expect]]")[0]
CHANNEL = (
    STREAM.replace('left = { type = "periodic" }', 'left = { type = "inflow", velocity = "1" }')
    .replace('right = { type = "periodic" }', 'right = { type = "outflow" }')
    .replace('velocity = ["1 + 5*y", 0]', "velocity = [1, 0]")
    .replace("end = 0.1", "end = 0.05")
)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> eddyline.Run:
    return eddyline.run(
        World.from_text(STREAM), out=tmp_path_factory.mktemp("alone") / "run", threads=1, **QUIETLY
    )


def same(run: eddyline.Run, other: eddyline.Run) -> None:
    for name in ("middle", "named"):
        assert run.series(name).equals(other.series(name))


def test_values_are_those_of_the_particle(alone: eddyline.Run):
    found = alone.series("middle")
    assert list(found) == [
        "time", "position_x", "position_y", "velocity_x", "velocity_y", "speed", "density", "pressure",
    ]  # fmt: skip
    assert found.attrs["units"]["density"] == "kg/m^3"
    x = found["position_x"].to_numpy()
    assert ((x >= 0) & (x < 0.3)).all() and (np.diff(x) < 0).sum() == 1  # it crosses the sides once
    moved = np.unwrap(x, period=0.3)
    steps = np.diff(found["time"]) * 0.5 * (found["velocity_x"].to_numpy()[1:] + found["velocity_x"][:-1])
    assert moved[-1] - moved[0] == pytest.approx(float(steps.sum()), rel=0.02)
    assert found["speed"].to_numpy() == pytest.approx(np.hypot(found["velocity_x"], found["velocity_y"]))
    assert alone.table()["inside"].all()
    assert {"Middle: speed", "Middle: pressure"} <= {chart.title for chart in charts(alone)}


@needs_ranks
def test_ranks_and_threads_give_the_same_bits(alone: eddyline.Run, tmp_path: Path):
    world = World.from_text(STREAM)
    same(alone, eddyline.run(world, out=tmp_path / "threads", threads=2, **QUIETLY))
    file = tmp_path / "stream.toml"
    file.write_text(STREAM)
    words = ["run", str(file), "--ranks", "2", "--threads", "1", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-m", "eddyline", *words, "--out", str(tmp_path / "ranks")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    same(alone, eddyline.Run.open(tmp_path / "ranks"))


def test_a_resumed_run_goes_on_with_the_same_particle(alone: eddyline.Run, tmp_path: Path):
    world = World.from_text(STREAM)
    half = int(alone.series("budget")["step"].iloc[-1]) // 2
    eddyline.run(world, out=tmp_path / "run", steps=half, threads=1, **QUIETLY)
    same(alone, eddyline.resume(tmp_path / "run", threads=1, **QUIETLY))


def test_the_nearest_particle_is_found_across_a_periodic_side():
    near, far = (
        _core.Simulation(World.from_text(STREAM.replace("[0.298, 0.1]", place)).core, series_interval=0.001)
        for place in ("[0.0001, 0.1]", "[0.2999, 0.1]")
    )
    for simulation in (near, far):
        simulation.advance(1.0, 20, 60.0)
    rows = [simulation.take_series()["middle"][2] for simulation in (near, far)]
    assert abs(rows[0][0, 1] - rows[1][0, 1]) > 0.2  # neighbours across the sides
    assert rows[0][0, 2] == pytest.approx(rows[1][0, 2], abs=1e-3)


def test_a_series_ends_where_its_particle_leaves(tmp_path: Path):
    text = CHANNEL.replace("[0.298, 0.1]", "[0.285, 0.1]")
    run = eddyline.run(World.from_text(text), out=tmp_path / "run", threads=1, **QUIETLY)
    found, whole = run.series("middle"), run.series("budget")
    assert 3 < len(found) < 0.7 * len(whole)
    assert np.isfinite(found.to_numpy()).all() and found["position_x"].max() < 0.31
    assert found["time"].to_list() == whole["time"].to_list()[: len(found)]
    entering = f"id = {17 << 52}"  # of the opening that is an outflow: it never enters
    other = eddyline.run(
        World.from_text(text.replace("id = 65536", entering)), out=tmp_path / "other", threads=1, **QUIETLY
    )
    assert len(other.series("named")) == 0 and len(tracks_of(other)) == 2


def test_worlds_without_particles_and_wrong_ids_are_refused(tmp_path: Path):
    wrong = World.from_text(STREAM.replace("id = 65536", "id = 77"))
    for ask in (
        lambda: wrong.solver.estimate(wrong),
        lambda: _core.Simulation(wrong.core),
        lambda: eddyline.run(wrong, out=tmp_path / "run", **QUIETLY),
    ):
        with pytest.raises(_core.UserError, match=r"observe\.named\.id = 77; no fluid particle has this id"):
            ask()
    for text, message in (
        (STREAM.replace("id = 65536", ""), "has neither position nor id"),
        (STREAM.replace("id = 65536", "id = 65536\nposition = [0.1, 0.1]"), "has position and id"),
        (STREAM.replace("[0.298, 0.1]", "[0.4, 0.1]"), "is outside the domain"),
        (PLAIN + '[method]\nname = "multiblock"\n', "the solver multiblock has cells and no particles"),
        (PLAIN + '[method]\nname = "amr"\n', "the solver amr has cells and no particles"),
    ):
        with pytest.raises(WorldError, match=message):
            World.from_text(text)


@pytest.mark.parametrize(
    ("method", "columns"),
    [('name = "mps"', {"pressure"}), ('name = "sph"\nscheme = "classic"', {"thermal_energy", "density"})],
)
def test_other_particle_methods(method: str, columns: set[str]):
    world = World.from_text(f"{STREAM}\n[method]\n{method}\n")
    simulation = _core.Simulation(world.core, series_interval=0.001)
    simulation.advance(1.0, 5, 60.0)
    names, units, rows = simulation.take_series()["middle"]
    assert columns <= set(names) and len(names) == len(units) == rows.shape[1]
    assert len(rows) > 0 and np.isfinite(rows).all()
    assert rows[0, 2] == pytest.approx(0.1, abs=0.01) and rows[0, 5] > 1  # y, speed


def test_tracking_begins_and_ends_in_a_run_and_is_replayed(alone: eddyline.Run, tmp_path: Path):
    steering = Steering(World.from_text(STREAM))
    simulation = _core.Simulation(steering.world.core, series_interval=0.0025)
    for step, command in (
        (10, pb.Command(id="a", track=pb.Track(name="later", id=65536))),
        (30, pb.Command(id="b", untrack=pb.Untrack(name="later"))),
    ):
        simulation.advance(1.0, step, 60.0)
        rows = simulation.take_series()
        steering.apply(steering.plan(command, simulation.time), simulation)
    later, named = rows["later"][2], rows["named"][2]
    assert len(later) > 2 and (later == named[-len(later) :]).all()
    assert "later" not in simulation.take_series()
    again = pb.Command(id="c", track=pb.Track(name="later", id=65536))
    with pytest.raises(RefusedError, match="already used"):
        steering.plan(again, simulation.time)
    with pytest.raises(RefusedError, match="no tracked particle"):
        steering.plan(pb.Command(id="d", untrack=pb.Untrack(name="nobody")), simulation.time)


def test_pictures_mark_the_particle_and_its_path():
    places = np.array([[0.1, 0.5], [0.5, 0.5], [0.9, 0.5], [0.1, 0.5], [0.3, 0.5]])  # across a side
    trail = Trail(np.arange(5.0), places, np.array([0.5, 0.5]))
    assert [len(piece) for piece in trail.pieces(3.5)] == [3, 1]
    assert [len(piece) for piece in trail.pieces(9.0)] == []  # it has left
    field = np.full((100, 100, 4), 128, dtype=np.uint8)
    paint(field, [trail], 2.0, np.zeros(2), np.ones(2))
    assert field[50, 30, 0] < 80 and field[50, 97, 0] >= 127  # the line; beyond the particle
    assert field[50, 95, 0] < 110 and field[20, 50, 0] >= 127  # its ring; elsewhere
