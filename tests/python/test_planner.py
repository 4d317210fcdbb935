"""Live commands are planned while the run computes, and applied between two steps in the order of arrival."""

from __future__ import annotations

import re
import threading
import time as clock
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from small_worlds import tank
from test_steering import DISK, WORLD, computed

import eddyline
from eddyline.live import journal
from eddyline.live import stream_pb2 as pb
from eddyline.live.address import Address
from eddyline.live.planner import PlannedCommand, Planner
from eddyline.live.publisher import MOST_COMMANDS, Publisher
from eddyline.live.steering import CONTROL, Steering
from eddyline.stream.series import read_series
from eddyline.world import World

QUIETLY = {"progress": False, "movie": False, "report": False, "threads": 1}
HUB = "http://127.0.0.1:9/?token=x"
STOP = pb.Command(id="stop", stop=pb.Stop())


class Hub:
    """Replaces a publisher: sends batches of commands, each after the one before is acknowledged."""

    refusal, has_connected, frame_is_waiting, cost, hub_clock = "", True, False, 0.0, 0.0

    def __init__(self, batches: Sequence[Sequence[pb.Command]]) -> None:
        self.view = pb.View()
        self.answers: list[pb.Acknowledged] = []
        self._batches = [list(batch) for batch in batches]
        self._open: list[str] = []

    def __call__(self, _address: Address, _hello: pb.Hello, arrived: Callable[[], None]) -> Hub:
        self._arrived = arrived
        return self

    def take_commands(self) -> list[pb.Command]:
        if self._open or not self._batches:
            return []
        batch = self._batches.pop(0)
        self._open = [command.id for command in batch]
        return batch

    def acknowledge(self, message: pb.Message) -> None:
        self.answers.append(message.acknowledged)
        self._open.remove(message.acknowledged.id)

    @property
    def connected(self) -> bool:
        """The run asks between two steps, after it has obeyed."""
        self._arrived()
        return True

    def put(self, *_: Any, **__: Any) -> None: ...

    add_rows = close = put


@pytest.fixture
def steered(monkeypatch, tmp_path) -> Iterator[Callable[..., tuple[eddyline.Run, Hub]]]:
    """Runs a world with batches of commands, the last of which stops it. The run waits between two steps
    until its commands are planned, so that it takes few of them."""
    take = Planner.next

    def patient(planner: Planner, steering: Steering, time: float) -> PlannedCommand | None:
        while planner._waiting:
            clock.sleep(0.002)
        return take(planner, steering, time)

    monkeypatch.setattr(Planner, "next", patient)
    monkeypatch.setattr("eddyline.run.publish.publish", lambda *_, **__: None)  # without charts and pictures

    def run(text: str, *batches: Sequence[pb.Command]) -> tuple[eddyline.Run, Hub]:
        hub = Hub([*batches, [STOP]])
        monkeypatch.setattr("eddyline.run.live_session.Publisher", hub)
        return eddyline.run(World.from_text(text), out=tmp_path / "run", live=HUB, **QUIETLY), hub

    yield run
    assert not [each for each in threading.enumerate() if each.name == "eddyline-planner"]


COMMANDS = (
    pb.Command(id="a", viscosity=pb.Viscosity(value="2e-3")),
    pb.Command(id="b", inflow=pb.Inflow(opening="left", velocity=["50*U"])),  # refused
    pb.Command(id="c", move_body=pb.MoveBody(body="post", by=[0.0, 0.004], seconds=0.05)),
    pb.Command(id="d", pause=pb.Pause()),
    pb.Command(id="e", add_body=pb.AddBody(name="disk", toml=DISK)),
    pb.Command(id="f", move_body=pb.MoveBody(body="disk", by=[0.004, 0.0], seconds=0.05)),
    pb.Command(id="g", step=pb.Step(count=20)),
)


def test_the_computing_thread_plans_nothing_and_its_journal_gives_the_same_bits(steered, monkeypatch):
    planning: list[str] = []
    plan = Steering.plan

    def watched(self: Steering, *args: Any, **kwargs: Any) -> Any:
        if not kwargs.get("repeats"):
            planning.append(threading.current_thread().name)
        return plan(self, *args, **kwargs)

    monkeypatch.setattr(Steering, "plan", watched)
    removed = pb.Command(id="h", remove_body=pb.RemoveBody(body="post"))
    run, hub = steered(WORLD, COMMANDS, [removed, pb.Command(id="i", step=pb.Step(count=20))])
    assert set(planning) == {"eddyline-planner"}
    assert [answer.id for answer in hub.answers] == ["a", "b", "c", "d", "e", "f", "g", "h", "i", "stop"]
    assert [answer.id for answer in hub.answers if answer.refusal] == ["b"]
    assert "speed of sound" in hub.answers[1].refusal
    done = {answer.id: answer for answer in hub.answers}
    entries = {entry.command.id: entry for entry in journal.read(run.folder / journal.NAME)}
    assert done["a"].step < done["h"].step < run.record["steps"]
    assert list(entries) == ["a", "c", "d", "e", "f", "g", "h", "i", "stop"]
    for name, entry in entries.items():
        assert entry.step == done[name].step
        assert entry.time >= done[name].time if name in "cf" else entry.time == done[name].time
    monkeypatch.setattr(Steering, "plan", plan)
    flow = [entry for entry in entries.values() if entry.name not in CONTROL]
    commands, times = [(entry.step, entry.command) for entry in flow], [entry.time for entry in flow]
    assert run.record["checksum"] == computed(commands, run.record["steps"], times=times)


def test_the_solver_mps_takes_gravity_and_viscosity_from_rest(steered):
    water = tank((0.4, 0.3), (0.4, 0.2), 0.04, 50.0)
    text = re.sub(r"gravity .*\n|pressure .*\n", "", water).replace(
        "[time]", '[method]\nname = "mps"\n[time]'
    )
    assert World.from_text(text).scales.max_speed == 0
    run, hub = steered(
        text,
        [pb.Command(id="g", gravity=pb.Gravity(value=["2", "-9.81"]))],
        [pb.Command(id="v", viscosity=pb.Viscosity(value="1e-4"))],
    )
    assert [answer.refusal for answer in hub.answers] == [""] * 3
    assert [text.partition(": ")[2] for text in run.record["steered"]] == [
        "gravity (2, -9.81) m/s^2",
        "viscosity 0.0001 m^2/s",
    ]
    assert run.outcome == "stopped by user"
    assert run.record["steps"] > 0 and read_series(run.folder / "series/budget.csv")["max_speed"][-1] > 0


# --- the planner --------------------------------------------------------------------------------------------


class Run:
    """The computing thread, as the planner sees it."""

    def __init__(self, text: str = WORLD) -> None:
        self.steering = Steering(World.from_text(text))
        self.arrived: list[pb.Command] = []
        self._told = threading.Semaphore(0)
        self.planner = Planner(self.steering, self._take, self._told.release)

    def _take(self) -> list[pb.Command]:
        taken, self.arrived = self.arrived, []
        return taken

    def send(self, *commands: pb.Command) -> None:
        """Returns when all are planned."""
        self.arrived += commands
        self.planner.wake()
        for _ in commands:
            assert self._told.acquire(timeout=60)

    def next(self, time: float) -> PlannedCommand:
        """The next command at `time`, once it is planned for the world as it is."""
        while (found := self.planner.next(self.steering, time)) is None:
            assert self._told.acquire(timeout=60)
        if found.change is not None:
            self.steering.remember(found.change, time)
        return found


@pytest.fixture
def run() -> Iterator[Run]:
    made = Run()
    yield made
    made.planner.close()


def test_commands_are_planned_again_if_the_one_before_is_not_applied(run):
    twice = [pb.Command(id=name, add_body=pb.AddBody(name="disk", toml=DISK)) for name in "ab"]
    run.send(*twice, pb.Command(id="c", pause=pb.Pause()))
    failed = run.planner.next(run.steering, 0.0)  # the core refuses it: nothing is remembered
    assert failed.command.id == "a" and failed.change is not None
    second, third = run.next(0.0), run.next(0.0)
    assert second.command.id == "b" and second.change is not None and second.error is None
    assert third.command.id == "c" and third.change is None


def test_a_command_after_another_is_planned_for_the_world_that_this_leaves(run):
    run.send(*(pb.Command(id=name, add_body=pb.AddBody(name="disk", toml=DISK)) for name in "ab"))
    assert run.next(0.0).error is None
    assert "already used" in str(run.next(0.0).error)


def test_a_movement_that_would_have_begun_is_planned_again_for_later(run):
    move = pb.Command(id="m", move_body=pb.MoveBody(body="post", by=[0.0, 0.004], seconds=0.02))
    run.planner.note(0.01, 1e-4, paused=False)
    run.send(move, pb.Command(id="p", add_probe=pb.AddProbe(name="p", position=[0.3, 0.05])))
    assert run.planner.next(run.steering, 0.05) is None  # the run was faster than expected
    run.planner.note(0.05, 1e-4, paused=False)
    moved, probe = run.next(0.05), run.next(0.05)
    assert moved.command == move and moved.time > 0.05 and probe.command.id == "p"
    motion = moved.change.world.file.bodies["post"].core_motion
    assert np.array_equal(motion.velocity(np.array([[0.2, 0.1, 0.0]]), 0.05), np.zeros((1, 3)))


def test_a_paused_run_moves_a_body_at_once(run):
    run.planner.note(0.01, 1e-4, paused=True)
    run.send(pb.Command(id="m", move_body=pb.MoveBody(body="post", by=[0.0, 0.004], seconds=0.02)))
    assert run.next(0.01).time == 0.01


def test_commands_in_planning_count_among_those_that_wait():
    publisher = Publisher(Address("ws://127.0.0.1:9/nobody", "", "0123456789ab"), pb.Hello(), lambda: None)
    for _ in range(MOST_COMMANDS):
        assert publisher._take_command(pb.Command()) == ""
    publisher.take_commands()
    assert "already waiting" in publisher._take_command(pb.Command())
    publisher.acknowledge(pb.Message())
    assert publisher._take_command(pb.Command()) == ""
    publisher.close(pb.Message())
