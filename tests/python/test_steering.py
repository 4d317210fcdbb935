"""Steering: what commands change, what they may not, and that a run repeats to its bits."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
import tomlkit

import eddyline
from eddyline import _core
from eddyline.live import journal
from eddyline.live import stream_pb2 as pb
from eddyline.live.planner import PlannedCommand
from eddyline.live.steering import Present, RefusedError, Steering, replayed
from eddyline.run.closing import closing_lines
from eddyline.run.live_session import LiveSession
from eddyline.run.pictures import charts, scene_of
from eddyline.run.replay import replay
from eddyline.run.report import report_html
from eddyline.serve import stored_runs
from eddyline.stream.series import read_series
from eddyline.world import World

pytestmark = pytest.mark.usefixtures("no_pictures")

QUIETLY = {"progress": False, "movie": False, "report": False, "threads": 1}
STEPS = 66
DISK = 'shape = "circle"\ncenter = [0.4, 0.09]\ndiameter = "0.04*U"\n'
COMMANDS = (
    (10, pb.Command(id="a", viscosity=pb.Viscosity(value="2e-3"))),
    (20, pb.Command(id="b", inflow=pb.Inflow(opening="left", velocity=["1.1*(1-y^2)"]))),
    (20, pb.Command(id="c", add_probe=pb.AddProbe(name="later", position=[0.3, 0.05]))),
    (30, pb.Command(id="d", move_body=pb.MoveBody(body="post", by=[0.0, 0.004], seconds=0.02))),
    (40, pb.Command(id="e", gravity=pb.Gravity(value=["0.1", "-0.2"]))),
    (44, pb.Command(id="f", add_body=pb.AddBody(name="disk", toml=DISK))),
    (50, pb.Command(id="g", move_body=pb.MoveBody(body="disk", by=[0.004, 0.0], seconds=0.02))),
    (54, pb.Command(id="h", remove_body=pb.RemoveBody(body="post"))),
)
WORLD = """
format = 1
[let]
U = 1.0                       # mean
[reference]
velocity = "U"
length = 0.05
[domain]
size = [0.6, 0.2]
spacing = 0.01
[fluid]
density = 1.0
kinematic_viscosity = 1e-3
[boundaries]
left = { type = "inflow", velocity = "U" }
right = { type = "outflow" }
[bodies.post]
shape = "circle"
center = [0.2, 0.1]
diameter = 0.05
[observe.before]
type = "probe"
position = [0.1, 0.1]
[output]
pictures = 2
snapshots = 0
series = 100
[time]
end = 0.2
"""


def computed(commands=COMMANDS, steps=STEPS, boxes=1, threads=1, times=None) -> str:
    """The checksum after so many steps with the commands, by the core alone. times: which the journal has."""
    world = World.from_text(WORLD)
    simulation = _core.Simulation(world.core, boxes=boxes, threads=threads, series_interval=world.end / 100)
    steering = Steering(world)
    for k, (step, command) in enumerate(commands):
        simulation.advance(math.inf, step, math.inf)
        simulation.take_series()
        time = simulation.time if times is None else times[k]
        steering.apply(steering.plan(command, time), simulation)
    simulation.advance(math.inf, steps, math.inf)
    return f"{simulation.checksum():032x}"


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> eddyline.Run:
    """A run of which a journal says that it was steered, repeated."""
    folder = tmp_path_factory.mktemp("steered")
    plain = eddyline.run(World.from_text(WORLD), steps=STEPS, out=folder / "plain", **QUIETLY)
    budget = read_series(plain.folder / "series" / "budget.csv")
    for step, command in COMMANDS:
        time = float(np.interp(step, budget["step"], budget["time"]))
        journal.append(plain.folder / journal.NAME, journal.Entry(step, time, command, "as told"))
    return replay(plain.folder, out=folder / "steered", **QUIETLY)


def test_a_repeated_run_says_whether_it_is_the_same(run):
    again = replay(run.folder, out=run.folder.parent / "again", **QUIETLY)
    assert f"{run.fingerprint}, identical to {run.folder}" in closing_lines(again)


def test_every_command_is_obeyed_and_kept(run):
    plain = eddyline.Run.open(run.folder.parent / "plain")
    assert run.record["checksum"] != plain.record["checksum"]
    steps = [text.partition(":")[0] for text in run.record["steered"]]
    assert steps == [f"step {step}" for step in (10, 20, 30, 40, 44, 50, 54)]
    assert len((run.folder / journal.NAME).read_text().splitlines()) == len(COMMANDS)
    later = read_series(run.folder / "series" / "later.csv")
    before = read_series(run.folder / "series" / "before.csv")
    assert 0 < len(later) < len(before)
    assert later["time"][0] > before["time"][0]
    post, disk = (read_series(run.folder / "series" / f"force.{name}.csv") for name in ("post", "disk"))
    assert disk["time"][0] > post["time"][0] and disk["time"][-1] > post["time"][-1]
    assert post["time"][-1] < before["time"][-1]


@pytest.mark.parametrize("number", [0, 1, 2, 3, 4, 5, 7])  # 6 needs what came before
def test_each_command_changes_the_flow_after_its_step_and_not_before(number):
    step, command = COMMANDS[number]
    looks_only = command.WhichOneof("action") == "add_probe"
    assert computed([(step, command)], step) == computed((), step)
    assert (computed([(step, command)], step + 3) == computed((), step + 3)) == looks_only


def test_steering_keeps_the_law():
    assert len({computed(boxes=boxes, threads=threads) for boxes, threads in ((1, 1), (3, 2), (5, 1))}) == 1


def test_replay_on_two_ranks_gives_the_same_bits(run, tmp_path):
    command = [sys.executable, "-m", "eddyline", "replay", str(run.folder), "--ranks", "2", "--threads", "1"]
    done = subprocess.run([*command, "--out", str(tmp_path / "ranks"), "--quiet"], timeout=120, check=False)
    assert done.returncode == 0
    assert json.loads((tmp_path / "ranks/run.json").read_text())["fingerprint"] == run.fingerprint


def test_a_steered_run_goes_on_from_its_checkpoint_to_the_same_bits(run):
    entries = journal.read(run.folder / journal.NAME)
    commands, times = [(entry.step, entry.command) for entry in entries], [entry.time for entry in entries]
    assert run.record["checksum"] == computed(commands, times=times)
    longer = eddyline.resume(run.folder, steps=STEPS + 20, **QUIETLY)
    assert longer.record["checksum"] == computed(commands, STEPS + 20, times=times)


def test_a_body_ends_where_it_was_moved_to():
    steering = Steering(World.from_text(WORLD))
    move = pb.Command(id="x", move_body=pb.MoveBody(body="post", by=[0.01, -0.02], seconds=0.05))
    turn = steering.plan(move, 0.05)
    motion = turn.world.file.bodies["post"].core_motion
    places = [motion.place(np.array([[0.2, 0.1, 0.0]]), time)[0] for time in (0.0, 0.05, 0.075, 0.1, 0.2)]
    expected = np.array([[0, 0], [0, 0], [0.005, -0.01], [0.01, -0.02], [0.01, -0.02]])
    expected += np.array([0.2, 0.1])
    assert np.allclose([place[:2] for place in places], expected, atol=1e-12)
    speeds = [np.linalg.norm(motion.velocity(np.array([[0.2, 0.1, 0.0]]), t)) for t in (0.05, 0.1)]
    assert np.allclose(speeds, 0, atol=1e-12)


def _disk(**keys) -> pb.Command:
    table = {"shape": "circle", "center": [0.4, 0.09], "diameter": 0.04} | keys
    return pb.Command(add_body=pb.AddBody(name="disk", toml=tomlkit.dumps(table)))


def test_fluid_makes_room_for_a_body_and_the_budget_says_how_much():
    world = World.from_text(WORLD)
    simulation = _core.Simulation(world.core, threads=1, series_interval=1e-9)
    steering = Steering(world)
    simulation.advance(math.inf, 20, math.inf)
    before = simulation.take_series()
    text = steering.apply(steering.plan(_disk(), simulation.time), simulation)
    simulation.advance(math.inf, 21, math.inf)
    after = simulation.take_series()
    columns = list(after["budget"][0])
    (last,), (first,) = before["budget"][2][-1:], after["budget"][2][:1]
    room = first[columns.index("left_mass")] - last[columns.index("left_mass")]
    assert 0.8 < room / (math.pi * 0.02**2) < 1.6  # what stands within a quarter of a spacing goes as well
    assert f"{room:.3g} kg/m of fluid was displaced" in text
    assert last[columns.index("mass")] - first[columns.index("mass")] == pytest.approx(room, rel=0.2)
    distance = np.hypot(*(simulation.position - [0.4, 0.09]).T)
    assert distance.min() > 0.02
    assert "force.disk" in after and "force.disk" not in before
    steering.apply(steering.plan(pb.Command(remove_body=pb.RemoveBody(body="disk")), 0.1), simulation)
    walls = simulation.wall_count
    simulation.advance(math.inf, 22, math.inf)
    assert simulation.wall_count < walls and "force.disk" not in simulation.take_series()


@pytest.mark.parametrize("change_first", [False, True])
@pytest.mark.parametrize("what", ["comes", "moves"])
def test_a_checkpoint_at_the_step_of_a_change_of_bodies_goes_on_to_the_same_bits(what, change_first):
    """The body comes or moves with the next step: a checkpoint may know of it or not."""
    changed = (
        _disk()
        if what == "comes"
        else pb.Command(move_body=pb.MoveBody(body="post", by=[0.02, 0.0], seconds=0.1))
    )
    world = World.from_text(WORLD)

    def begun():
        simulation = _core.Simulation(world.core, threads=1, series_interval=world.end / 100)
        return simulation, Steering(world)

    simulation, steering = begun()
    simulation.advance(math.inf, 30, math.inf)
    simulation.take_series()
    saved, now = None if change_first else simulation.save(0), simulation.time
    steering.apply(steering.plan(changed, now), simulation)
    saved = simulation.save(0) if change_first else saved
    simulation.advance(math.inf, 45, math.inf)

    again, steering = begun()
    steering.apply(steering.plan(changed, now), again)
    again.restore(iter([saved]))
    again.advance(math.inf, 45, math.inf)
    assert again.checksum() == simulation.checksum()


def test_a_checkpoint_of_a_body_far_beyond_a_side_goes_on_to_the_same_bits():
    """It stands in the outermost cell, and more than half of what fixed-point places tell apart from it."""
    text = """
format = 1
[domain]
size    = [2.5, 0.4]
spacing = 0.02
gravity = [0, -9.81]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.pool]
shape    = "rectangle"
min      = [0.5, 0]
max      = [2.5, 0.2]
pressure = "hydrostatic"
[bodies.step]
shape = "rectangle"
min   = [-3.3, 0.0]
max   = [0.5, 0.1]
[time]
end = 1.0
"""
    world = World.from_text(text)

    def begun():
        return _core.Simulation(world.core, threads=1)

    simulation, again = begun(), begun()
    simulation.advance(math.inf, 20, math.inf)
    again.restore(iter([simulation.save(0)]))
    for each in (simulation, again):
        each.advance(math.inf, 60, math.inf)
    assert np.min(simulation.wall_position()[:, 0]) < -3
    assert again.checksum() == simulation.checksum()
    assert np.array_equal(again.wall_position(), simulation.wall_position())


def test_a_body_is_not_put_where_another_has_moved_to():
    steering = Steering(World.from_text(WORLD))
    move = pb.Command(move_body=pb.MoveBody(body="post", by=[0.2, 0.0], seconds=0.5))
    steering.remember(steering.plan(move, 0.05), 0.05)
    with pytest.raises(RefusedError, match="disk would overlap post"):
        steering.plan(_disk(), 0.6)


def test_pictures_know_bodies_while_they_are_there(run):
    scene = scene_of(run)
    times = [entry.time for entry in journal.read(run.folder / journal.NAME)]
    came, went = times[5], times[7]
    assert scene.outlines == ()
    counts = [len(scene.moving_outlines(time)) for time in (came, 0.5 * (came + went), went + 1e-9)]
    assert counts == [1, 2, 1]


def test_bodies_of_the_past_are_where_and_while_they_were(run):
    entries = journal.read(run.folder / journal.NAME)
    steering = replayed(run.world, entries)
    came, went = entries[5].time, entries[7].time

    def there(time: float, **how: bool) -> tuple[set[str], list[str]]:
        found = steering.bodies(0, time, **how)
        return {body.name for body in found.bodies}, list(found.removed)

    assert there(0.0) == there(came, obeyed=False) == ({"post"}, [])
    assert there(came) == there(went, obeyed=False) == ({"post", "disk"}, [])
    assert there(went) == ({"disk"}, ["post"])
    first, last = steering.bodies(0, 0.0).bodies, steering.bodies(0, 1.0).bodies
    assert list(first[0].center) == [0.2, 0.1] and first[0].outlines
    assert np.allclose(last[0].center, [0.404, 0.09])

    stored = [
        stored_runs.frame(run.folder, k, "vorticity", 20).frame
        for k in (0, len(stored_runs.moments(run.folder)) - 1)
    ]
    assert [sorted(body.name for body in frame.bodies.bodies) for frame in stored] == [["post"], ["disk"]]
    assert [list(frame.bodies.removed) for frame in stored] == [[], ["post"]]
    assert list(stored[0].bodies.bodies[0].center) == [0.2, 0.1]


@pytest.mark.usefixtures("with_pictures")
def test_report_and_charts_know_bodies_that_came_and_went(run):
    came, went = (journal.read(run.folder / journal.NAME)[k].time for k in (5, 7))
    made = {chart.name: chart for chart in charts(run)}
    assert {"force.post.drag", "force.post.lift", "force.disk.drag", "force.disk.lift"} <= set(made)
    assert made["force.disk.drag"].description.endswith(f"; added at t = {came:.4g} s")
    assert made["force.post.lift"].description.endswith(f"; removed at t = {went:.4g} s")
    assert "added at" in made["force.disk.lift"].svg()
    page = report_html(run, list(made.values()))
    assert "Live commands" in page and f"{came:.4g} s</td><td" in page
    assert "eddyline replay ." in page
    assert set(run.results["flows"]) == {"post", "disk"}
    notes = {value["name"]: value["note"] for value in run.results["values"]}
    assert "when it was removed" in notes["post.drag_coefficient.mean"]
    assert "disk.drag_coefficient.mean" in notes


REFUSED = {
    "too fast": (pb.Command(inflow=pb.Inflow(opening="left", velocity=["5*U"])), "speed of sound"),
    "no such inflow": (pb.Command(inflow=pb.Inflow(opening="right", velocity=["U"])), "known: left"),
    "no formula": (pb.Command(inflow=pb.Inflow(opening="left", velocity=["U*"])), "left.velocity"),
    "below zero": (pb.Command(viscosity=pb.Viscosity(value="-1")), "must be >= 0"),
    "too few axes": (pb.Command(gravity=pb.Gravity(value=["1"])), "gravity"),
    "into the wall": (pb.Command(move_body=pb.MoveBody(body="post", by=[0.0, 0.1])), "wall top"),
    "no such body": (pb.Command(move_body=pb.MoveBody(body="box", by=[0.0, 0.1])), "known: post"),
    "no number": (pb.Command(move_body=pb.MoveBody(body="post", by=[0.0, math.nan])), "numbers"),
    "a body twice": (pb.Command(add_body=pb.AddBody(name="post", toml=DISK)), "already used in this run"),
    "a body of nothing": (pb.Command(add_body=pb.AddBody(name="box", toml="")), "shape"),
    "a body of no TOML": (pb.Command(add_body=pb.AddBody(name="box", toml="shape = ")), "not TOML"),
    "a body in a body": (_disk(center=[0.21, 0.1]), "overlaps"),
    "a body in the wrong place": (_disk(center=[5.0, 0.1]), "outside the domain"),
    "a body that moves": (_disk(motion={"displacement": ["t", 0]}), "at rest"),
    "no body to remove": (pb.Command(remove_body=pb.RemoveBody(body="box")), "known: post"),
    "a probe twice": (pb.Command(add_probe=pb.AddProbe(name="before", position=[0.1, 0.1])), "another"),
    "a probe outside": (pb.Command(add_probe=pb.AddProbe(name="far", position=[9.0, 0.1])), "far"),
    "no such probe": (pb.Command(remove_probe=pb.RemoveProbe(name="nobody")), "nobody"),
    "nothing": (pb.Command(id="x"), "unknown command"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_refused_with_a_reason(case):
    command, reason = REFUSED[case]
    steering = Steering(World.from_text(WORLD))
    before = steering.world
    with pytest.raises(RefusedError, match=reason) as caught:
        steering.plan(command, 0.05)
    assert steering.world is before
    assert ".toml" not in str(caught.value)


def test_a_move_that_is_too_far_is_refused_with_the_distance():
    with pytest.raises(RefusedError) as caught:
        Steering(World.from_text(WORLD)).plan(REFUSED["into the wall"][0], 0.05)
    assert re.fullmatch(
        r"move_body: post would move to [\d.]+ m from the wall top at t = [\d.]+ s; "
        r"must leave 2 spacings, 0\.02 m\. Move it a shorter distance\.",
        str(caught.value),
    )


def test_what_can_be_steered_is_known_as_it_is_now():
    steering = Steering(World.from_text(WORLD))
    before = steering.present()
    assert before == Present(viscosity="0.001", gravity="0, 0", inflows={"left": "U"}, reynolds=50.0)
    for command in (
        pb.Command(viscosity=pb.Viscosity(value="2e-3")),
        pb.Command(inflow=pb.Inflow(opening="left", velocity=["U/2"])),
        pb.Command(gravity=pb.Gravity(value=["0", "-1"])),
    ):
        steering.remember(steering.plan(command, 0.05), 0.05)
    assert steering.present() == Present("0.002", "0, -1", {"left": "U/2"}, 25.0)


def test_a_world_without_inflow_says_so_before_it_is_asked():
    steering = Steering(World.load("dam_break"))
    assert "no inflow" in steering.abilities()["inflow"]
    assert steering.abilities()["gravity"] == ""


def test_a_journal_cut_off_in_its_last_line_loses_that_line_only(tmp_path):
    path = tmp_path / journal.NAME
    for step, command in COMMANDS[:2]:
        journal.append(path, journal.Entry(step, 0.5, command, "told"))
    whole = path.read_text()
    path.write_text(whole[:-10])
    assert [entry.command for entry in journal.read(path)] == [COMMANDS[0][1]]
    path.write_text(whole.replace('"step": 10', '"stop": 10'))
    with pytest.raises(journal.JournalError, match=r"journal\.jsonl: damaged \(line 1"):
        journal.read(path)
    path.write_bytes(whole.encode() + b"\xff\n")
    with pytest.raises(journal.JournalError, match="is not a journal"):
        journal.read(path)


def test_a_journal_goes_on_after_a_line_cut_off_and_with_any_text(tmp_path):
    path = tmp_path / journal.NAME
    odd = pb.Command(viscosity=pb.Viscosity(value="1e-3 \u2028\u0085"))
    journal.append(path, journal.Entry(3, 0.5, odd, "first\u2028"))
    with path.open("a") as file:
        file.write('{"step": 5, "ti')
    journal.append(path, journal.Entry(4, 0.6, COMMANDS[0][1], "second"))
    assert [(entry.step, entry.command) for entry in journal.read(path)] == [(3, odd), (4, COMMANDS[0][1])]


def test_entries_are_obeyed_in_the_order_of_their_steps(tmp_path):
    """A run that goes on from a checkpoint may be steered before what its journal says for later is due."""
    plain = eddyline.run(World.from_text(WORLD), steps=4, out=tmp_path / "run", **QUIETLY)
    late, early = COMMANDS[0][1], COMMANDS[4][1]
    for step, command in ((30, late), (12, early)):
        journal.append(plain.folder / journal.NAME, journal.Entry(step, step * 1e-3, command, "told"))
    assert [entry.step for entry in journal.read(plain.folder / journal.NAME)] == [12, 30]
    again = eddyline.resume(plain.folder, steps=STEPS, **QUIETLY)
    assert [text.partition(":")[0] for text in again.record["steered"]] == ["step 12", "step 30"]
    assert replay(again.folder, out=tmp_path / "again", **QUIETLY).fingerprint == again.fingerprint


def test_numbers_that_no_machine_knows_are_refused_and_the_run_goes_on(tmp_path):
    steering = Steering(World.from_text(WORLD))
    with pytest.raises(RefusedError, match="is too large"):
        steering.plan(pb.Command(viscosity=pb.Viscosity(value="1" + 400 * "0")), 0.0)
    obeyed: list[pb.Acknowledged] = []
    live_session = mock.create_autospec(LiveSession, instance=True)
    live_session._simulation = mock.Mock(step_count=3, time=0.1)
    live_session._publisher = mock.Mock(acknowledge=lambda message: obeyed.append(message))
    command = pb.Command(id="a", viscosity=pb.Viscosity(value="1"))
    planned = PlannedCommand(command, steering.world, 0.1, error=OverflowError("too large"))
    LiveSession._obey(live_session, planned)
    (told,) = obeyed
    assert "too large" in str(told)


def test_a_probe_that_was_removed_leaves_its_name_to_its_series():
    steering = Steering(World.from_text(WORLD))
    for command in (
        pb.Command(add_probe=pb.AddProbe(name="pr", position=[0.3, 0.05])),
        pb.Command(remove_probe=pb.RemoveProbe(name="pr")),
    ):
        steering.remember(steering.plan(command, 0.1), 0.1)
    with pytest.raises(RefusedError, match="was already used in this run"):
        steering.plan(pb.Command(add_probe=pb.AddProbe(name="pr", position=[0.1, 0.05])), 0.2)


def test_a_short_movement_in_a_long_run_is_no_jump():
    steering = Steering(World.from_text(WORLD.replace("end = 0.2", "end = 300.0")))
    move = pb.MoveBody(body="post", by=[0.0, 0.004], seconds=0.02)
    world = steering.plan(pb.Command(move_body=move), 150.0).world
    assert world.scales.max_speed >= 0.99 * 1.875 * 0.004 / 0.02  # a smooth ramp's highest speed
    with pytest.raises(RefusedError, match="may reach"):
        fast = pb.MoveBody(body="post", by=[0.0, 0.04], seconds=0.002)
        steering.plan(pb.Command(move_body=fast), 150.0)


def test_a_world_with_a_curve_beside_it_can_be_steered(tmp_path):
    (tmp_path / "mine.csv").write_text("time,pressure\n0,0\n1,1\n2,2\n")
    expect = '[[expect]]\nquantity = "before.pressure"\nagainst = "time"\ncurve = "mine.csv"\nband = 0.1\n'
    (tmp_path / "w.toml").write_text(WORLD + expect)
    steering = Steering(World.load(tmp_path / "w.toml"))
    steering.plan(pb.Command(gravity=pb.Gravity(value=["0", "-1"])), 0.0)
