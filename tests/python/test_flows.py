"""Small flows of which some figure is known, without a case of the validation of their own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from small_worlds import boundaries, tank

import eddyline
from eddyline.world import World


def run_of(world: World, folder: Path) -> eddyline.Run:
    return eddyline.run(world, out=folder, threads=1, progress=False, movie=False, report=False)


def test_water_that_was_stirred_fills_its_volume_and_no_more(tmp_path: Path):
    """Shifting alone would spread it over half as much room again."""
    changes = {"domain.spacing": "a/20", "time.end": 6.0}
    world = World.load("dam_break", changes)
    run = run_of(world, tmp_path / "run")
    budget, width = run.series("budget"), world.file.domain.size[0]
    depth = 2 * world.let["a"] ** 2 / width
    still = 0.5 * 9.81 * depth * budget["mass"].iloc[-1]
    assert 0.98 < budget["potential_energy"].iloc[-1] / still < 1.03


def test_every_side_of_a_still_pool_carries_what_rests_on_it(tmp_path: Path):
    """The walls' particles in its corners push two sides, each along its normal."""
    changes = {"domain.spacing": "H/20"}
    world = World.load("still_water", changes)
    run = run_of(world, tmp_path / "run")
    mass = run.series("budget")["mass"].iloc[-1]
    beside = 0.5 * 9.81 * mass * world.let["H"]

    def mean(side: str, column: str) -> float:
        force = run.series(f"force.{side}")[column]
        return float(force.iloc[len(force) // 2 :].mean())

    assert mean("bottom", "total_y") == pytest.approx(-9.81 * mass, rel=0.004)
    assert mean("left", "total_x") == pytest.approx(-beside, rel=0.01)
    assert mean("right", "total_x") == pytest.approx(beside, rel=0.01)
    assert abs(mean("left", "total_y")) < 0.002 * 9.81 * mass


def test_deep_water_rings_for_a_shorter_time_with_damping(tmp_path: Path):
    """A pool that starts without pressure: how much of the first swing of the floor's force is left."""
    changes = {"domain.spacing": "H/20", "regions.water.pressure": 0, "start.settle": 0, "time.end": 2.0}
    left = []
    for damping in (0.0, 0.2):
        world = World.load("still_water", changes | {"method.acoustic_damping": damping})
        folder = tmp_path / f"{damping}"
        run = run_of(world, folder)
        force = run.series("force.bottom")
        first, last = force["total_y"][force["time"] < 0.4], force["total_y"][force["time"] > 1.6]
        left.append(np.ptp(last) / np.ptp(first))
    assert left[1] < 0.6 * left[0]


OPEN_CHANNEL = f"""format = 1
title = "A stream with a free surface"
[domain]
size = [1.5, 0.35]
spacing = "0.2/12"
gravity = [0, -9.81]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[start]
velocity = [0.5, 0]
[regions.stream]
shape = "rectangle"
min = [0, 0]
max = [1.5, 0.2]
pressure = "hydrostatic"
[openings.upstream]
type = "inflow"
min = [0, 0]
max = [0, 0.2]
velocity = 0.5
[openings.downstream]
type = "outflow"
min = [1.5, 0]
max = [1.5, 0.2]
pressure = "9810*(0.2 - y)"
{boundaries(bottom="slip", left="slip", right="slip", top="open")}
[time]
end = 15.0
[observe.level]
type = "gauge"
position = [0.375, 0]
"""


def test_an_open_channel_keeps_its_level(tmp_path: Path):
    """An outflow that lets sound alone pass has it swing by a fifth."""
    world = World.from_text(OPEN_CHANNEL)
    assert not [note for note in world.notes if "no pressure" in note]
    run = run_of(world, tmp_path / "run")
    level, out = run.series("level"), run.series("opening.downstream")
    late, settled = level["time"] > 5, out["time"] > 10
    assert np.abs(level["height"][late] / 0.2 - 1).max() < 0.05
    assert out["mass_flow"][settled].mean() == pytest.approx(-100, rel=0.04)


def test_water_leaves_through_a_hole_as_fast_as_it_falls(tmp_path: Path):
    """Its lip contracts the stream, by 0.6 at most; resistance to sound alone would let a seventh out."""
    drain = '[openings.drain]\ntype = "outflow"\nmin = [0.45, 0]\nmax = [0.55, 0]\n'
    sides = boundaries(left="slip", right="slip", bottom="slip", top="open")
    text = tank((1.0, 1.2), (1.0, 1.0), 0.02, 0.7, drain + sides)
    drained = run_of(World.from_text(text), tmp_path / "run").series("opening.drain")
    late = drained[drained["time"] > 0.4]
    flow = -(late["mass"].iloc[-1] - late["mass"].iloc[0]) / (late["time"].iloc[-1] - late["time"].iloc[0])
    assert 0.6 < flow / (1000 * 0.1 * np.sqrt(2 * 9.81)) < 1.1


def test_a_jet_into_air_keeps_the_speed_of_its_inflow(tmp_path: Path):
    """Drawn apart by the wall beside it, it would be 8 % faster."""
    text = f"""format = 1
[domain]
size = [0.5, 1.2]
spacing = "0.1/12"
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 1.0
[regions.jet]
shape = "rectangle"
min = [0, 0.55]
max = [0.1, 0.65]
[start]
velocity = [1.0, 0]
[openings.nozzle]
type = "inflow"
min = [0, 0.55]
max = [0, 0.65]
velocity = [1.0, 0]
{boundaries(left="slip", right="open", top="open", bottom="open")}
[time]
end = 0.5
"""
    last = run_of(World.from_text(text), tmp_path / "run").series("budget").iloc[-1]
    assert 0.99 < last["momentum_x"] / last["mass"] < 1.04


def test_a_jet_presses_on_a_plate_with_its_momentum(tmp_path: Path):
    """Tension at the plate made the sheets leave it too fast: the force was 1.08 rho U^2 d."""
    world = World.load(Path(__file__).parent.parent / "cases" / "jet_on_plate.toml")
    force = run_of(world, tmp_path / "run").series("force.bottom")
    jet = 1000 * world.let["U"] ** 2 * world.let["d"]
    assert -force["total_y"][force["time"] > 0.4].mean() == pytest.approx(jet, rel=0.015)


def test_sealed_fluid_at_rest_keeps_its_pressure(tmp_path: Path):
    """Around a body particles fill their room by half a percent less than they weigh."""
    text = """format = 1
[domain]
size = [1.2, 0.6]
spacing = 0.025
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 5
[start]
arrangement = "fitted"
[bodies.cylinder]
shape = "circle"
center = [0.6, 0.3]
diameter = 0.2
[observe.middle]
type = "probe"
position = [0.3, 0.3]
[time]
end = 0.5
"""
    run = run_of(World.from_text(text), tmp_path / "run")
    stagnation = 0.5 * 1000 * 5**2
    assert run.series("middle")["pressure"].abs().max() < 0.25 * stagnation
    assert run.series("budget")["kinetic_energy"].max() < 1e-4 * stagnation * 1.2 * 0.6


def test_vortices_of_a_world_with_regions_live_as_long_as_they_should(tmp_path: Path):
    """Particles hardly move where streams part, and their pattern is stretched all the same."""
    text = f"""format = 1
[domain]
size = [1.0, 1.0]
spacing = 0.02
[fluid]
density = 1.0
kinematic_viscosity = 0.02
max_speed = 1.0
[regions.all]
shape = "rectangle"
min = [0, 0]
max = [1, 1]
[start]
velocity = ["-cos(2*pi*x)*sin(2*pi*y)", "sin(2*pi*x)*cos(2*pi*y)"]
pressure = "1 - (cos(4*pi*x) + cos(4*pi*y))/4"
{boundaries(left="periodic", right="periodic", bottom="periodic", top="periodic")}
[time]
end = 0.5
"""
    budget = run_of(World.from_text(text), tmp_path / "run").series("budget")
    late = budget[budget["time"] > 0.05]
    rate = -np.polyfit(late["time"], np.log(late["kinetic_energy"]), 1)[0]
    assert rate == pytest.approx(16 * np.pi**2 * 0.02, rel=0.03)


def test_probes_on_walls_read_the_pressure_on_the_wall(tmp_path: Path):
    """Probes below a free surface: on the floor, in a corner, and inside the water."""
    probes = {"floor": ["H/2", 0], "corner": [0, 0], "middle": ["H/2", "H/2"]}
    still = World.load("still_water", {"domain.spacing": "H/20", "time.end": 1.0})
    tables = (
        f'[observe.{name}]\ntype = "probe"\nposition = {json.dumps(place)}' for name, place in probes.items()
    )
    world = World.from_text("\n".join([still.source, *tables]))
    run = run_of(world, tmp_path / "run")
    height = world.let["H"]
    for name, place in probes.items():
        depth = height / 2 if place[1] else height
        pressure = run.series(name)["pressure"].iloc[-20:].mean()
        assert pressure == pytest.approx(1000 * 9.81 * depth, rel=0.01), name


def test_a_channel_of_the_scheme_classic_lets_out_what_enters(tmp_path: Path):
    """The momentum that openings and walls give to the fluid leaves with it, and its profile narrows."""
    world = World.load(
        "channel", {"method.scheme": "classic", "domain.spacing": "H/8", "let.Re": 10, "time.end": "3.2*L/U"}
    )
    run = run_of(world, tmp_path / "run")
    left, right, walls = (run.series(name) for name in ("opening.left", "opening.right", "force.bottom"))
    steady = left["time"] > 6.0
    inflow, outflow = left["mass_flow"][steady].mean(), -right["mass_flow"][steady].mean()
    assert inflow == pytest.approx(1.0, rel=0.002)
    assert outflow == pytest.approx(inflow, rel=0.02)
    pushed = (left["force_x"] + right["force_x"])[steady].mean() - 2 * walls["total_x"][steady].mean()
    carried = sum(np.ptp(each["momentum_x"][steady]) * sign for each, sign in ((left, -1), (right, 1)))
    assert pushed == pytest.approx(carried / np.ptp(left["time"][steady]), abs=0.03 * left["force_x"].mean())
    assert run.series("middle")["velocity_x"][steady].mean() == pytest.approx(1.5, rel=0.08)
