"""The lab's queue: starting and removing runs, and the effect of a full disk on both."""

from __future__ import annotations

import asyncio
import errno
import logging
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from lab_server import TANK, WORKERS, start_process
from test_serve_api import HOST, NoJobs

from eddyline.run.folder import RunFolder
from eddyline.serve import lab as serve_lab
from eddyline.serve.app import create_app
from eddyline.serve.lab import Lab, Order
from eddyline.serve.limits import Limits
from eddyline.serve.tokens import Gate
from eddyline.world import World

WORLD = World.from_text(TANK)
FULL = OSError(errno.ENOSPC, "No space left on device")


class Jobs(NoJobs):
    """Those that were ordered are ours; says which were cancelled."""

    def __init__(self):
        super().__init__()
        self.cancelled = []

    def cancel(self, id_):
        self.cancelled.append(id_)

    def is_ours(self, id_):
        return id_ in self.orders


@pytest.fixture
def lab(tmp_path):
    made = Lab(tmp_path, Limits(waiting=9, at_once=1), workers=WORKERS)
    made.jobs = Jobs()
    yield made
    made.store.close()


@pytest.fixture
def client(lab):
    gate = Gate()
    app = create_app(lab, gate)
    return TestClient(
        app, HOST, headers={"Authorization": f"Bearer {gate.steer}"}, raise_server_exceptions=False
    )


def order(lab, name="tank"):
    return lab.order(Order.of(WORLD), name, 1, 1)


def refuse_to_claim(monkeypatch):
    def refuse(name, base):
        raise FULL

    monkeypatch.setattr(RunFolder, "claim", refuse)


def read_only(lab, on=True):
    """The list takes no change, as on a full disk."""
    lab.store._database.execute(f"PRAGMA query_only = {int(on)}")


def test_a_run_that_gets_no_folder_has_failed_and_says_why(lab, client, monkeypatch):
    refuse_to_claim(monkeypatch)
    answer = client.post("/api/runs", json={"toml": TANK})
    assert answer.status_code == 201, answer.text
    row = answer.json()
    assert row["state"] == "failed" and "No space left" in row["message"] and not row["folder"]
    assert not lab.jobs.orders


def test_a_run_whose_job_is_refused_leaves_no_folder(lab, monkeypatch):
    def refuse(id_, order):
        raise OSError("the executor none refused the job")

    monkeypatch.setattr(lab.jobs, "submit", refuse)
    row = order(lab)
    assert (row.state, row.folder) == ("failed", "") and "refused the job" in row.message
    assert not [path for path in (lab.folder / "tank").iterdir() if path.is_dir()]


def test_one_that_cannot_be_started_does_not_hold_up_the_next(lab, monkeypatch):
    rows = [order(lab) for _ in range(3)]
    refused, claim = [], RunFolder.claim

    def refuse_once(name, base):
        if not refused:
            refused.append(name)
            raise FULL
        return claim(name, base)

    monkeypatch.setattr(RunFolder, "claim", refuse_once)
    lab._job_ended(rows[0].id, "")
    assert [lab.store.get(row.id).state for row in rows] == ["failed", "failed", "running"]


def test_an_order_that_the_disk_does_not_take_is_refused(lab, client):
    read_only(lab)
    answer = client.post("/api/runs", json={"toml": TANK})
    assert answer.status_code == 507
    assert "cannot be written" in answer.json()["problems"][0]["message"]
    read_only(lab, on=False)
    assert not lab.runs() and not list((lab.folder / serve_lab.OWN / "jobs").iterdir())


def test_a_list_that_cannot_be_written_can_be_read(lab, client):
    running, waiting = order(lab), order(lab)
    (lab.folder / "other" / "0001").mkdir(parents=True)
    (lab.folder / "other" / "0001" / "run.json").write_text(
        '{"outcome": "finished", "message": "", "fingerprint": "", "world": "other"}'
    )
    lab._looked = -1e9
    read_only(lab)
    assert [row["state"] for row in client.get("/api/runs").json()] == ["waiting", "running"]
    assert client.post(f"/api/runs/{waiting.id}/stop").status_code == 507
    assert client.post(f"/api/runs/{running.id}/stop").status_code == 202


def test_the_end_of_a_job_on_a_full_disk_starts_the_next_one(lab, monkeypatch, caplog):
    first, second = order(lab), order(lab)
    Path(first.folder, "run.json").write_text('{"outcome": "running", "message": "", "fingerprint": ""}')

    def refuse(self, record):
        raise FULL

    monkeypatch.setattr(RunFolder, "write_record", refuse)
    with caplog.at_level(logging.WARNING):
        lab._job_ended(first.id, "killed")
    assert "No space left" in caplog.text
    assert [lab.store.get(row.id).state for row in (first, second)] == ["failed", "running"]


def test_nothing_escapes_at_the_end_of_a_job_if_the_list_cannot_be_written(lab, caplog):
    first, second = order(lab), order(lab)
    read_only(lab)
    with caplog.at_level(logging.WARNING):
        lab._job_ended(first.id, "killed")
    assert "cannot be written" in caplog.text
    read_only(lab, on=False)
    lab._job_ended(first.id, "killed")
    assert [lab.store.get(row.id).state for row in (first, second)] == ["failed", "running"]


def test_a_run_that_is_stopped_just_before_it_starts_is_not_started(lab, monkeypatch):
    first, second = order(lab), order(lab)
    claim = RunFolder.claim

    def stop_first(name, base):
        asyncio.run(stop(lab, second))
        return claim(name, base)

    monkeypatch.setattr(RunFolder, "claim", stop_first)
    lab._job_ended(first.id, "")
    assert lab.store.get(second.id).message == "removed from the queue"
    assert second.id not in lab.jobs.orders
    assert [
        path.name for path in (lab.folder / "tank").iterdir() if path.is_dir() and not path.is_symlink()
    ] == ["0001"]


def test_a_run_that_is_stopped_while_it_is_handed_over_is_ended_then(lab, monkeypatch):
    """A user stops a run that is shown as waiting; it must not be called stopped while it computes."""
    monkeypatch.setattr(serve_lab, "_HANDED_OVER", 0.01)
    first, second = order(lab), order(lab)
    lab.store.change(first.id, state="finished")
    submit = lab.jobs.submit

    async def stop_meanwhile():
        def stop_first(id_, job):
            lab.stop(second)
            return submit(id_, job)

        monkeypatch.setattr(lab.jobs, "submit", stop_first)
        lab.start_waiting()
        assert second.state == "waiting" and lab.store.get(second.id).state == "running"
        for _ in range(500):
            if lab.jobs.cancelled:
                break
            await asyncio.sleep(0.01)

    asyncio.run(stop_meanwhile())
    assert lab.jobs.cancelled == [second.id]


def test_a_run_that_waited_when_the_server_ended_begins_with_the_next_one(tmp_path):
    before = Lab(tmp_path, Limits(at_once=0))
    row = order(before)
    assert row.state == "waiting"
    before.store.close()
    process, client = start_process(tmp_path)
    try:
        assert client.wait_for(row.id, "finished", "failed")["state"] == "finished"
    finally:
        process.terminate()
        process.wait(30)


async def stop(lab, row):
    lab.stop(row)


def test_runs_are_computed_on_the_device_of_the_server_where_it_can(tmp_path):
    made = Lab(tmp_path, Limits(waiting=9, device="emulated"), workers=WORKERS)
    made.jobs = Jobs()
    gate = Gate()
    client = TestClient(create_app(made, gate), HOST, headers={"Authorization": f"Bearer {gate.steer}"})
    for sets, device, told in (
        ({}, "emulated", "It runs on emulated: about "),
        ({"method.name": "mps"}, "cpu", "The processor computes this world: method.name"),
    ):
        asked = {"toml": WORLD.source, "sets": sets}
        answer = client.post("/api/check", json=asked).json()
        assert answer["summary"], answer["problems"]
        notes = answer["summary"]["notes"]
        assert any(note.startswith(told) for note in notes), notes
        run = client.post("/api/runs", json=asked | {"name": "tank"}).json()["id"]
        made.store.change(run, state="finished")
        arguments = made.jobs.orders[run].arguments
        assert arguments[arguments.index("--device") + 1] == device
        made.start_waiting()
    made.store.close()


def test_a_run_may_ask_for_another_device_that_the_server_offers(tmp_path, monkeypatch):
    made = Lab(tmp_path, Limits(waiting=9, device="emulated"), workers=WORKERS)
    made.jobs = Jobs()
    gate = Gate()
    client = TestClient(create_app(made, gate), HOST, headers={"Authorization": f"Bearer {gate.steer}"})
    asked = {"toml": WORLD.source, "device": "cpu"}
    summary = client.post("/api/check", json=asked).json()["summary"]
    assert (summary["device"], summary["devices"]) == ("cpu", ["cpu", "emulated"])
    run = client.post("/api/runs", json=asked | {"name": "tank"}).json()["id"]
    arguments = made.jobs.orders[run].arguments
    assert arguments[arguments.index("--device") + 1] == "cpu"
    refused = client.post("/api/check", json=asked | {"device": "gpu"})
    assert refused.status_code == 422 and "no gpu" in refused.text
    monkeypatch.setattr("eddyline.run.device.has_gpu", lambda: True)
    summary = client.post("/api/check", json=asked | {"device": "gpu"}).json()["summary"]
    assert (summary["device"], summary["devices"]) == ("gpu", ["cpu", "gpu", "emulated"])
    made.store.close()
