"""Steering never ends a run: a command that would is refused, and one that did can be left out."""

from __future__ import annotations

import json
import math
import re
import shlex

import numpy as np
import pytest
from small_worlds import tank
from typer.testing import CliRunner

import eddyline
from eddyline import _core
from eddyline.cli import app
from eddyline.live import journal
from eddyline.live import stream_pb2 as pb
from eddyline.live.steering import RefusedError, Steering
from eddyline.run.closing import closing_lines, next_command
from eddyline.run.errors import RequestError, StepFailedError
from eddyline.run.folder import RunFolder
from eddyline.run.replay import replay
from eddyline.run.runaway import PATIENCE, Failed, keep_history
from eddyline.run.stopping import StopRequests
from eddyline.world import World

QUIETLY = {"progress": False, "movie": False, "report": False, "threads": 1}
TANK = tank(
    (0.4, 0.3),
    (0.4, 0.2),
    0.02,
    10.0,
    '[bodies.post]\nshape = "circle"\ncenter = [0.1, 0.1]\ndiameter = 0.06\n',
).replace("1e-6", "1e-6\nmax_speed = 2.0")
CHANNEL = """
format = 1
[domain]
size = [0.6, 0.3]
spacing = 0.02
[fluid]
density = 1.0
kinematic_viscosity = 1e-3
max_speed = 1.5
[boundaries]
left = { type = "inflow", velocity = 1.0 }
right = { type = "outflow" }
[bodies.post]
shape = "circle"
center = [0.2, 0.15]
diameter = 0.06
[time]
end = 10.0
"""
GAS = """
format = 1
[domain]
size = [0.4, 0.2]
spacing = 0.02
[fluid]
state = "ideal_gas"
density = 1.0
kinematic_viscosity = 1e-5
gamma = 1.4
[method]
scheme = "classic"
[start]
pressure = 100.0
[time]
end = 10.0
"""
WORLDS = {"tank": TANK, "channel": CHANNEL, "gas": GAS}
NUMBERS = {
    "tiny": "1e-300",
    "zero": "0",
    "normal": "NORMAL",
    "10x": "10*NORMAL",
    "1e3": "1e3*NORMAL",
    "1e89": "1e89",
    "1e308": "1e308",
    "nan": "nan",
    "inf": "inf",
    "negative": "-NORMAL",
    "NaN later": "NORMAL*sqrt(1-t)",
    "infinite later": "NORMAL/(5-t)",
    "huge later": "NORMAL*exp(9*t)",
}
NORMAL = {"viscosity": 1e-3, "gravity": 5.0, "inflow": 1.0, "move_body": 0.02}


def _commands(kind: str, text: str) -> list[pb.Command]:
    given = text.replace("NORMAL", repr(NORMAL[kind]))
    given = repr(float(eval(given))) if re.fullmatch(r"[-+*.\de]+", given) else given
    if kind == "viscosity":
        return [pb.Command(viscosity=pb.Viscosity(value=given))]
    if kind == "gravity":
        return [pb.Command(gravity=pb.Gravity(value=pair)) for pair in (["0", given], [given, "0"])]
    if kind == "inflow":
        return [pb.Command(inflow=pb.Inflow(opening="left", velocity=[given]))]
    try:
        number = float(given)
    except ValueError:
        return []  # a movement is given by numbers
    moves = [pb.MoveBody(body="post", by=[number, 0.0], seconds=s) for s in (0.0, 1e-3, 1.0)]
    moves.append(pb.MoveBody(body="post", by=[0.02, 0.0], seconds=abs(number)))
    moves.append(pb.MoveBody(body="post", by=[0.0, 0.0], turn=number, seconds=0.1))
    return [pb.Command(move_body=move) for move in moves]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("kind", NORMAL)
@pytest.mark.parametrize("value", NUMBERS)
def test_a_command_is_refused_or_the_run_stays_sound(world, kind, value):
    made = World.from_text(WORLDS[world])
    if kind in ("inflow", "move_body") and Steering(made).abilities()[kind]:
        with pytest.raises(RefusedError):
            Steering(made).plan(_commands(kind, "NORMAL")[0], 0.0)
        return
    for command in _commands(kind, NUMBERS[value]):
        steering = Steering(made)
        simulation = _core.Simulation(made.core, threads=1, series_interval=1.0)
        simulation.advance(math.inf, 10, math.inf)
        try:
            turn = steering.plan(command, simulation.time)
        except RefusedError as refusal:
            assert "\n" not in str(refusal)
            assert value != "normal" or kind == "move_body"
            continue
        before = simulation.time_step
        steering.apply(turn, simulation)
        simulation.advance(math.inf, 60, math.inf)
        assert simulation.step_count == 60
        assert np.isfinite(simulation.velocity).all()
        assert simulation.time_step > before / 200


LARGEST = {
    "gravity": (TANK, lambda x: pb.Command(gravity=pb.Gravity(value=["0", repr(-x)])), 1e3),
    "viscosity": (TANK, lambda x: pb.Command(viscosity=pb.Viscosity(value=repr(x))), 1e8),
    "inflow": (CHANNEL, lambda x: pb.Command(inflow=pb.Inflow(opening="left", velocity=[repr(x)])), 1e3),
    "move_body": (
        CHANNEL,
        lambda x: pb.Command(move_body=pb.MoveBody(body="post", by=[0.2, 0.0], seconds=x)),
        1e-3,
    ),
}


@pytest.mark.parametrize("kind", LARGEST)
def test_a_refusal_names_the_largest_value_that_is_accepted(kind):
    text, command, too_much = LARGEST[kind]
    world = World.from_text(text)
    with pytest.raises(RefusedError) as caught:
        Steering(world).plan(command(too_much), 0.1)
    named = re.search(r"(?:Up to|at least) ([\d.,e+-]*\d) \S+(?: is accepted)?\.", str(caught.value))
    assert named, str(caught.value)
    value = float(named[1].replace(",", ""))
    Steering(world).plan(command(value), 0.1)
    with pytest.raises(RefusedError):
        Steering(world).plan(command(1.3 * value if kind != "move_body" else value / 1.3), 0.1)


# Still water stays below the limit; water that a sideways pull sets in motion does not.
LIMITED = TANK.replace("[bodies.post]", "[method]\nspeed_limit = 0.2\n[bodies.post]")


@pytest.fixture(scope="module")
def dead(tmp_path_factory):
    """A run that ends by a command, in a folder whose name must be quoted."""
    folder = tmp_path_factory.mktemp("my runs") / "run"
    eddyline.run(World.from_text(LIMITED), steps=20, out=folder, **QUIETLY)
    command = pb.Command(gravity=pb.Gravity(value=["5", "-9.81"]))
    journal.append(folder / journal.NAME, journal.Entry(30, 0.1, command, "gravity (5, -9.81) m/s^2"))
    with pytest.raises(StepFailedError):
        eddyline.resume(folder, steps=200, **QUIETLY)
    return eddyline.Run.open(folder)


def test_the_last_steps_of_a_steered_run_are_repeated_from_where_that_is_affordable(dead):
    details, folder = dead.record["details"], RunFolder(dead.folder)
    last, whole = details["step"], folder.failure.read_text()
    assert 30 < last < 70  # with the live command, and less than 50 steps after the checkpoint
    for seconds, told in (
        (0.0, f"8 nearest neighbours in steps {max(last - 50, 0)} to {last}"),
        (PATIENCE / (last - 15), f"8 nearest neighbours in steps 20 to {last}"),  # of the checkpoint
        (PATIENCE, f"its neighbours at step {last} only: the last checkpoint or start is more than 20 s"),
    ):
        assert told in keep_history(Failed(dead.world, folder, details, dead.record, seconds), StopRequests())
        lines = folder.failure.read_text().splitlines()
        assert len(lines) <= len(whole.splitlines()) and (seconds == PATIENCE or lines[1] in whole)
    folder.failure.write_text(whole)


def test_a_run_that_a_command_ended_goes_on_without_it(dead, tmp_path):
    offered = next_command(dead)
    assert offered in closing_lines(dead) and "'" in offered
    assert shlex.split(offered) == ["eddyline", "resume", str(dead.folder), "--without-last-command"]
    found = CliRunner().invoke(app, [*shlex.split(offered)[1:], "--steps", "60", "--threads", "1", "--quiet"])
    assert found.exit_code == 0, found.output
    plain = eddyline.run(World.from_text(LIMITED), steps=60, out=tmp_path / "plain", **QUIETLY)
    gone_on = eddyline.Run.open(dead.folder)
    assert gone_on.fingerprint == plain.fingerprint
    assert not (dead.folder / "failure.csv").exists()
    assert journal.read(dead.folder / journal.NAME) == []
    (line,) = (dead.folder / journal.NAME).read_text().splitlines()
    assert json.loads(line)["left_out"] is True
    assert replay(gone_on, out=tmp_path / "again", **QUIETLY).fingerprint == plain.fingerprint
    with pytest.raises(RequestError, match="has no live commands"):
        eddyline.resume(gone_on, steps=80, without_last_command=True, **QUIETLY)


def test_a_command_before_every_checkpoint_is_not_offered_to_be_left_out(tmp_path):
    run = eddyline.run(World.from_text(TANK), steps=20, out=tmp_path / "run", **QUIETLY)
    command = pb.Command(gravity=pb.Gravity(value=["0", "-5"]))
    journal.append(run.folder / journal.NAME, journal.Entry(10, 0.1, command, "gravity (0, -5) m/s^2"))
    before = (run.folder / journal.NAME).read_bytes()
    with pytest.raises(RequestError, match="no checkpoint of a step before 10"):
        eddyline.resume(run, steps=30, without_last_command=True, **QUIETLY)
    assert (run.folder / journal.NAME).read_bytes() == before
    assert "--without-last-command" not in next_command(run)


MUCH = {"gravity": 1e8, "viscosity": 1e6, "inflow": 1e6, "move_body": 1e-7, "from rest": 1e12}


@pytest.mark.parametrize("kind", MUCH)
def test_mps_has_no_speed_of_sound_and_is_limited_by_its_steps(kind):
    """Also where nothing moves at the start."""
    text, command, _ = LARGEST["gravity" if kind == "from rest" else kind]
    text = re.sub(r"max_speed.*\n", "", text)
    if kind == "from rest":
        text = re.sub(r"gravity .*\n|pressure .*\n", "", text)
    world = World.from_text(text.replace("[bodies.post]", '[method]\nname = "mps"\n[bodies.post]'))
    assert (world.scales.max_speed == 0) == (kind == "from rest")
    with pytest.raises(RefusedError, match=r"the whole run would take .* steps") as caught:
        Steering(world).plan(command(MUCH[kind]), 0.1)
    named = re.search(r"(?:Up to|at least) ([\d.,e+-]*\d) \S+(?: is accepted)?\.", str(caught.value))
    assert named and "sound" not in str(caught.value), str(caught.value)
    Steering(world).plan(command(float(named[1].replace(",", ""))), 0.1)
