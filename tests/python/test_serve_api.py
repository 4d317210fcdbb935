"""The lab's server over HTTP: worlds, permissions, and other requests."""

from __future__ import annotations

import difflib
import itertools
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from lab_server import TANK, WORKERS, start_process

from eddyline.run.claim import claim
from eddyline.serve.app import create_app
from eddyline.serve.lab import Lab
from eddyline.serve.limits import Limits
from eddyline.serve.tokens import Gate
from eddyline.world import gallery

ROOT = Path(__file__).resolve().parent.parent.parent
HOST = "http://127.0.0.1"


class NoJobs:
    """Takes jobs and runs none."""

    name = "none"

    def __init__(self):
        self.orders = {}

    def submit(self, id_, order):
        self.orders[id_] = order
        return "0"

    def cancel(self, id_):
        pass

    def close(self):
        pass

    def is_ours(self, id_):
        return True

    def is_active(self, id_):
        return False


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    lab = Lab(
        tmp_path_factory.mktemp("runs"), Limits(waiting=3, particles=20_000, body=300_000), workers=WORKERS
    )
    lab.jobs = NoJobs()
    gate = Gate()
    app = create_app(lab, gate)
    yield app, gate, lab
    lab.store.close()


@pytest.fixture(scope="module")
def client(served):
    app, gate, _ = served
    return TestClient(app, HOST, headers={"Authorization": f"Bearer {gate.steer}"})


def check(client, toml, **more):
    answer = client.post("/api/check", json={"toml": toml, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


# --- worlds -------------------------------------------------------------------------------------------------


def test_the_gallery_can_be_checked_and_drawn(client):
    worlds = client.get("/api/gallery").json()
    assert {each["name"] for each in worlds} == set(gallery())
    methods = [each["method"] for each in worlds]
    assert methods[0] == "Smoothed particle hydrodynamics", "the method of the first lessons"
    assert len(list(itertools.groupby(methods))) == len(set(methods)), "worlds of a method are side by side"
    cylinder = next(each for each in worlds if each["name"] == "cylinder")
    assert cylinder["try"] and cylinder["look_for"] and cylinder["dimensions"] == 2
    found = check(client, cylinder["toml"], quality="preview")
    assert not found["problems"] and found["summary"]["particles"] > 10_000
    body = found["drawing"]["bodies"][0]
    assert body["written"]["diameter"] == "D" and body["numbers"]["diameter"] == 0.1
    assert body["in_reference"]["diameter"] == pytest.approx(1)
    assert found["reference"] == {"velocity": 1.0, "length": 0.1, "name": "D"}
    assert found["summary"]["spacing"] == pytest.approx(0.1 / 20 * 5 / 3)
    assert 'spacing = "(D/20)*5/3"' in found["toml"]
    regime = next(each for each in found["regimes"] if each["name"] == "Re")
    assert {mark["value"] for mark in regime["marks"]} == {20, 100}


@pytest.mark.parametrize(("written", "name"), [('"a"', "a"), ("0.05", "L"), ('"2*a"', "L")])
def test_lengths_have_the_name_that_the_world_gives_its_reference(client, written, name):
    toml = f"{TANK}[let]\na = 0.05\n[reference]\nvelocity = 1.0\nlength = {written}\n"
    assert check(client, toml)["reference"]["name"] == name


def test_a_wrong_world_is_drawn_as_far_as_it_goes(client):
    found = check(client, TANK + '[bodies.box]\nshape = "rectangle"\nmin = [0.3, 0.1]\nmax = [0.2, 0.2]\n')
    assert [fault["path"] for fault in found["problems"]] == [["bodies", "box"]]
    assert found["problems"][0]["line"] > 20 and found["summary"] is None
    post, box = found["drawing"]["bodies"]
    assert (post["name"], post["drawn"]) == ("post", True)
    assert (box["name"], box["drawn"], box["written"]["min"]) == ("box", False, [0.3, 0.1])
    assert box["numbers"] == {} and box["outlines"] == []
    text = check(client, "format = ")
    assert text["problems"] and text["drawing"] is None


def test_narrow_gaps_are_found_with_their_reason(client):
    near = TANK.replace("center = [0.15, 0.1]", "center = [0.15, 0.055]")
    two = near + '[bodies.other]\nshape = "circle"\ncenter = [0.22, 0.055]\ndiameter = 0.05\n'
    gaps = {tuple(gap["between"]): gap for gap in check(client, two)["gaps"]}
    assert set(gaps) == {("post", "bottom"), ("other", "bottom"), ("post", "other")}
    assert gaps["post", "bottom"]["spacings"] == pytest.approx(3, abs=0.05)
    assert gaps["post", "other"]["width"] == pytest.approx(0.02, rel=0.01)
    assert "does not fill" in gaps["post", "other"]["reason"]
    assert not check(client, TANK)["gaps"]


def test_edits_keep_comments_order_and_formulas(client):
    toml = gallery()["cylinder"].read_text()
    edits = [
        {"op": "set", "path": ["bodies", "cylinder", "center"], "value": [0.2, 0.21]},
        {"op": "set", "path": ["let", "Re"], "value": 80},
        {
            "op": "add",
            "path": ["bodies", "box"],
            "value": {"shape": "circle", "center": [1, "H/2"], "diameter": "D"},
        },
    ]
    changed = client.post("/api/edit", json={"toml": toml, "edits": edits}).json()["toml"]
    kept, now = toml.splitlines(), changed.splitlines()
    added = [line[2:] for line in difflib.ndiff(kept, now) if line.startswith("+ ") and line[2:]]
    assert set(added) == {
        "Re = 80",
        "center   = [0.2, 0.21]",
        "[bodies.box]",
        'shape = "circle"',
        'center = [1, "H/2"]',
        'diameter = "D"',
    }
    assert not check(client, changed)["problems"]
    whole = {"shape": "circle", "center": [0.2, 0.21], "diameter": "1.2*D"}
    whole_edit = [{"op": "set", "path": ["bodies", "cylinder"], "value": whole}]
    thicker = client.post("/api/edit", json={"toml": changed, "edits": whole_edit}).json()["toml"]
    differences = [line for line in difflib.ndiff(now, thicker.splitlines()) if line[0] in "+-"]
    assert [line[0] for line in differences] == ["-", "+"] and "1.2*D" in differences[1]
    back = [
        {"op": "remove", "path": ["bodies", "box"]},
        {"op": "set", "path": ["let", "Re"], "value": 100},
        {"op": "set", "path": ["bodies", "cylinder", "center"], "value": [0.2, 0.2]},
    ]
    restored = client.post("/api/edit", json={"toml": changed, "edits": back}).json()["toml"]
    assert restored.split() == toml.split()


def test_an_edit_that_cannot_be_made_says_which(client):
    answer = client.post(
        "/api/edit", json={"toml": TANK, "edits": [{"op": "remove", "path": ["bodies", "no"]}]}
    )
    assert (
        answer.status_code == 422 and "edits[0]: remove bodies.no" in answer.json()["problems"][0]["message"]
    )


def test_a_picture_gives_its_world_back(client, tmp_path):
    import numpy as np

    from eddyline.plot.metadata import Metadata, save_png

    save_png(tmp_path / "a.png", np.zeros((4, 4, 3), np.uint8), Metadata(TANK, "0", "a-b"))
    assert client.post("/api/open", content=(tmp_path / "a.png").read_bytes()).json()["toml"] == TANK
    assert client.post("/api/open", content=TANK.encode()).json()["toml"] == TANK
    for data in (b"\xff\xfe\x00rubbish", (tmp_path / "a.png").read_bytes()[:40]):
        assert client.post("/api/open", content=data).status_code == 422


# --- permissions --------------------------------------------------------------------------------------------


def test_tokens_give_permission_to_view_or_to_steer(served):
    app, gate, _ = served
    anonymous, viewer = (
        TestClient(app, HOST),
        TestClient(app, HOST, headers={"Authorization": f"Bearer {gate.look}"}),
    )
    assert anonymous.get("/api/version").status_code == 200
    assert anonymous.get("/api/runs").status_code == 401
    assert anonymous.get("/api/runs?token=wrong").status_code == 401
    assert anonymous.get(f"/api/runs?token={gate.look}").status_code == 200
    assert viewer.get("/api/runs").status_code == 200
    assert viewer.post("/api/runs", json={"toml": TANK}).status_code == 403
    assert viewer.delete("/api/runs/" + "0" * 12).status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": HOST}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 403),
        ({"Host": "["}, 403),
    ],
)
def test_other_pages_and_other_names_stay_out(client, headers, status):
    assert client.get("/api/runs", headers=headers).status_code == status


def test_what_is_too_large_or_too_much_is_refused(client, served):
    _, _, lab = served
    assert client.post("/api/check", json={"toml": "#" * 250_000}).status_code == 422
    assert client.post("/api/check", json={"toml": "#" * 400_000}).status_code == 413
    fine = client.post("/api/runs", json={"toml": TANK, "sets": {"domain.spacing": 0.001}})
    assert fine.status_code == 422 and "particles" in fine.json()["problems"][0]["message"]
    assert client.post("/api/runs", json={"toml": TANK, "ranks": 4096}).status_code == 422
    answers = [client.post("/api/runs", json={"toml": TANK}) for _ in range(5)]
    assert [each.status_code for each in answers] == [201, 201, 201, 201, 429]
    rows = [each.json() for each in answers[:4]]
    assert [row["state"] for row in rows] == ["running", "waiting", "waiting", "waiting"]
    assert client.delete(f"/api/runs/{rows[1]['id']}").status_code == 409
    for row in rows[1:]:
        assert client.post(f"/api/runs/{row['id']}/stop").json()["state"] == "stopped by user"
        assert client.get(f"/api/runs/{row['id']}/world").json()["toml"].strip() == TANK.strip()
        assert client.delete(f"/api/runs/{row['id']}").status_code == 204
    environment = lab.jobs.orders[rows[0]["id"]].environment
    assert "TOKEN" in "".join(environment) and not any(
        environment["EDDYLINE_LIVE_TOKEN"] in part for part in lab.jobs.orders[rows[0]["id"]].arguments
    )


@pytest.mark.parametrize(
    "path",
    [
        "runs/../../etc/passwd",
        "runs/%2e%2e/world",
        "runs/000000000000/series/..%2f..%2frun",
        "runs/000000000000/series/../run.json",
        "runs/0000000000zz",
        "../lab.sqlite",
        ".lab/lab.sqlite",
    ],
)
def test_no_path_leads_out_of_a_run(client, path):
    assert client.get(f"/api/{path}").status_code in (404, 405, 422)


def test_a_run_cannot_name_a_folder_elsewhere(served, tmp_path):
    """A folder that a simulation reports counts only inside the folder of runs."""
    _, _, lab = served
    (tmp_path / "run.json").write_text("{}")
    assert lab._inside(str(tmp_path)) == ""
    inside = lab.folder / "a" / "0001"
    inside.mkdir(parents=True)
    (inside / "run.json").write_text("{}")
    assert lab._inside(str(inside)) == str(inside.resolve())
    assert lab._inside(str(inside / ".." / ".." / ".." / tmp_path.name)) == ""


def kept(lab, name, **record):
    """A run on the disk that no process of the server computes."""
    folder = lab.folder / name / "0001"
    folder.mkdir(parents=True)
    known = {"outcome": "running", "message": "", "fingerprint": "", "world": name, "title": name}
    (folder / "run.json").write_text(json.dumps(known | record))
    lab._looked = -1e9
    return folder


@contextmanager
def claimed(folder):
    """Somebody computes there."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        claim(handle, "")
        yield
    finally:
        os.close(handle)


def test_a_run_of_another_process_ends_when_its_folder_says_so(served):
    _, _, lab = served
    folder = kept(lab, "by_hand")
    with claimed(folder):
        assert [row.state for row in lab.runs() if row.folder == str(folder)] == ["running"]
    (folder / "run.json").write_text(
        json.dumps({"outcome": "finished", "message": "", "fingerprint": "lusab"})
    )
    lab._looked = -1e9
    found = [row for row in lab.runs() if row.folder == str(folder)]
    assert [(row.state, row.fingerprint) for row in found] == [("finished", "lusab")]


def test_a_run_that_was_killed_is_lost_until_somebody_goes_on_with_it(served):
    _, _, lab = served
    folder = kept(lab, "killed")

    def state():
        lab._looked = -1e9
        return [row.state for row in lab.runs() if row.folder == str(folder)]

    assert state() == ["lost"]
    with claimed(folder):
        assert state() == ["running"]
    assert state() == ["lost"]


def test_unreadable_files_are_reported_and_lose_no_other(client, served):
    _, _, lab = served
    kept(lab, "odd", outcome="finished", ranks=None)
    folder = kept(lab, "cut", outcome="finished")
    (folder / "results.json").write_text('{"values": [')
    (folder / "journal.jsonl").write_bytes(b"\xff\n")
    (folder / "world.toml").write_text("format = 2")
    rows = client.get("/api/runs").json()
    (row,) = (row for row in rows if row["world"] == "cut")
    assert not [row for row in rows if row["world"] == "odd"]
    for part in ("results", "journal"):
        answer = client.get(f"/api/runs/{row['id']}/{part}")
        assert answer.status_code == 409 and answer.json()["problems"], answer.text


# --- the process --------------------------------------------------------------------------------------------


def test_a_second_ctrl_c_tears_nothing_apart(tmp_path, capfd):
    server, _ = start_process(tmp_path)
    for _ in range(2):
        server.send_signal(signal.SIGINT)
        time.sleep(0.05)
    server.communicate(timeout=60)
    assert server.returncode == 0 and capfd.readouterr().err == ""


# --- generated files ----------------------------------------------------------------------------------------


def test_generated_code_is_that_of_the_schema(tmp_path):
    subprocess.run([sys.executable, ROOT / "tools" / "generate_stream.py", tmp_path], check=True)
    for name in ("stream_pb2.py", "stream_pb2.pyi"):
        kept = ROOT / "python" / "eddyline" / "live" / name
        assert (tmp_path / name).read_text() == kept.read_text(), f"run tools/generate_stream.py: {name}"
