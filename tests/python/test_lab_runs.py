"""Opening a run, its end on the page, and pressing on a body."""

from __future__ import annotations

import contextlib
import re
import socket
from pathlib import Path
from typing import Any

import pytest
import small_worlds
from chromium import opened, shown_time, until
from lab_server import CHANNEL, TANK, Client, going_on, hear, lab_in_thread, say
from lab_server import until as until_there
from test_endings import unclosed

from eddyline.live import stream_pb2 as pb
from eddyline.option_names import NOT_CLOSED
from eddyline.serve.store import FINAL


def _open(page: Any, text: str) -> None:
    file = {"name": "channel.toml", "mimeType": "application/toml", "buffer": text.encode()}
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector(".overlay .water")


def _middle(page: Any, path: str) -> tuple[float, float]:
    """The position of a body on the page, once it rests: other elements that appear may move it."""
    seen: list[Any] = [None]

    def rests() -> bool:
        seen.append(page.locator(f'[data-path="{path}"]').first.bounding_box())
        return len(seen) > 4 and all(box == seen[-1] for box in seen[-4:])

    until(page, rests)
    box = seen[-1]
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def _press(page: Any, path: str, dx: float = 0.0, dy: float = 0.0) -> None:
    """Presses on a body and, if told, pulls it by so many pixels."""
    x, y = _middle(page, path)
    page.mouse.move(x, y)
    page.mouse.down()
    if dx or dy:
        page.mouse.move(x + dx, y + dy, steps=4)
    page.mouse.up()


def _finished(server: Client, toml: str) -> str:
    run = server.call("POST", "runs", {"toml": toml, "threads": 1})[1]["id"]
    server.wait_for(run, *FINAL)
    return run


@pytest.mark.browser
def test_the_first_screen_opens_runs_that_can_be_told_apart(browser, server):
    for _ in range(2):
        _finished(server, TANK)
    with opened(browser, server) as page:
        buttons = page.locator(".home .more button").filter(has_text="Small channel")
        until(page, lambda: buttons.count() >= 2)
        names = buttons.all_inner_texts()
        assert len(set(names)) == len(names)
        assert all(re.search(r"channel\s\d+, \d\d:\d\d$", name) for name in names)
        buttons.first.click()
        page.get_by_role("button", name="Run again").wait_for()
        assert page.locator(".home").count() == 0
        until(page, lambda: shown_time(page) == pytest.approx(0.2, abs=2e-3))
        page.get_by_role("button", name="Machine").click()
        page.locator("#machine .list .item").nth(1).click()
        until(page, lambda: "run=" in page.url)
        names = page.locator("#machine .list .item").all_inner_texts()
        assert len(set(names)) == len(names)


@pytest.mark.browser
def test_a_run_that_was_watched_stands_at_its_very_end(browser, server):
    with opened(browser, server) as page:
        _open(page, TANK.replace("end = 0.2", "end = 1.0"))
        page.get_by_role("button", name="Run", exact=True).click()
        page.get_by_role("button", name="Run again").wait_for()
        run = page.evaluate("new URL(location).searchParams.get('run')")
        last = server.call("GET", f"runs/{run}/frames")[1]["frames"][-1]
        until(page, lambda: shown_time(page) == pytest.approx(last["time"], abs=6e-4))
        assert page.locator(".now .step").inner_text() == f"step {last['step']:,}"


@pytest.mark.browser
def test_a_press_on_a_body_steers_nothing_while_another_one_is_on_its_way(browser, server):
    two = CHANNEL.replace(
        "[output]", '[bodies.other]\nshape = "circle"\ncenter = [0.3, 0.1]\ndiameter = 0.03\n[output]'
    )
    with going_on(server, two) as run, opened(browser, server, run=run) as page:
        page.wait_for_selector(".time")
        until(page, lambda: shown_time(page) > 0)
        page.wait_for_selector('[data-path="bodies.other"]')
        page.get_by_role("button", name="Pause", exact=True).click()
        page.get_by_role("button", name="Resume").wait_for()
        page.evaluate("() => { WebSocket.prototype.send = () => undefined; }")  # so that nothing is answered
        _press(page, "bodies.other", 20, 10)
        page.wait_for_selector(".sent-commands li")
        assert page.locator(".overlay .ghost").count() == 1
        _press(page, "bodies.post")
        page.wait_for_timeout(300)
        assert page.locator(".sent-commands li").count() == 1
        assert page.locator(".overlay .ghost").count() == 0


@pytest.mark.browser
def test_a_pull_that_outlasts_the_run_says_so_and_leaves_the_file_alone(browser, server):
    with going_on(server, CHANNEL) as run, opened(browser, server, run=run) as page:
        page.wait_for_selector('[data-path="bodies.post"]')
        until(page, lambda: shown_time(page) > 0)
        x, y = _middle(page, "bodies.post")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 20, y, steps=3)
        server.call("POST", f"runs/{run}/stop")
        page.get_by_role("button", name="Run again").wait_for()
        page.mouse.move(x + 40, y, steps=3)
        page.mouse.up()
        page.wait_for_selector("text=The run ended before post was released")
        assert page.locator(".changed-note").count() == 0
        assert page.locator(".notice").count() == 1


@pytest.mark.browser
def test_results_read_as_on_the_command_line(browser, server):
    coarse = Path("worlds/dam_break.toml").read_text().replace('"a/40"', '"a/16"')
    run = _finished(server, coarse)
    (told,) = server.call("GET", f"runs/{run}/results")[1]["expectations"]
    assert told["measured_text"].startswith("RMS difference ") and "%" in told["measured_text"]
    assert told["expected_text"] == "Martin & Moyce 1952 within 8 %"
    with opened(browser, server, run=run) as page:
        words = page.locator(".results .comparison").inner_text()
        assert told["measured_text"] in words and told["expected_text"] in words
        assert ".csv" not in words
        assert "inside" in words or "outside" in words


@pytest.mark.browser
def test_a_run_that_broke_down_says_so_as_long_as_it_is_looked_at(browser, server):
    run = _finished(server, small_worlds.DAM + "\n[method]\nspeed_limit = 0.3\n")
    row = server.call("GET", f"runs/{run}")[1]
    assert row["state"] == "failed"
    with opened(browser, server, run=run) as page:
        page.locator(".outcome", has_text="failed").get_by_text(row["message"][:40]).wait_for()
        page.get_by_role("button", name="Machine").click()
        assert row["message"][:40] in page.locator("#machine .list .item").first.inner_text()
        page.wait_for_timeout(100)


@pytest.mark.browser
def test_a_run_that_was_not_closed_shows_how_to_complete_it(browser, tmp_path, monkeypatch):
    out = tmp_path / "runs" / "dam" / "0001"
    unclosed(small_worlds.write(tmp_path), out, monkeypatch)
    with lab_in_thread(tmp_path / "runs") as (client, _, _lab):
        (row,) = client.call("GET", "runs")[1]
        assert row["state"] == NOT_CLOSED
        with opened(browser, client, run=row["id"]) as page:
            outcome = page.locator(".outcome")
            outcome.get_by_text("completes it").wait_for()
            assert outcome.locator(".chip.warn").inner_text() == NOT_CLOSED
            assert f"eddyline resume {out}" in outcome.inner_text()
            page.get_by_role("button", name="Machine").click()
            listed = page.locator("#machine .list .item").first
            assert listed.locator(".chip.warn").inner_text() == NOT_CLOSED
            assert "completes it" in listed.inner_text()


@pytest.mark.browser
def test_bodies_after_a_steered_run_are_those_of_the_run_and_others_can_be_pulled(browser, server):
    three = CHANNEL.replace("[output]", "".join(
        f'[bodies.{name}]\nshape = "circle"\ncenter = [{x}, 0.1]\ndiameter = 0.03\n'
        for name, x in (("other", 0.24), ("last", 0.33))
    ) + "[output]")  # fmt: skip
    disk = pb.AddBody(name="disk", toml='shape = "circle"\ncenter = [0.06, 0.1]\ndiameter = 0.03\n')
    commands = {
        "move": {"move_body": pb.MoveBody(body="other", by=[0.0, 0.03], seconds=0.05)},
        "add": {"add_body": disk},
        "remove": {"remove_body": pb.RemoveBody(body="last")},
    }
    with going_on(server, three) as run:
        with server.look(run, pb.View(frames_per_second=20, quantities=["speed"], columns=20)) as socket:
            hear(socket, "frame")
            for number, command in commands.items():
                say(socket, command=pb.Command(id=number, **command))
                assert hear(socket, "acknowledged").refusal == ""
            hear(socket, "frame")
        server.call("POST", f"runs/{run}/stop")
        server.wait_for(run, *FINAL)
        with opened(browser, server, run=run) as page:
            page.get_by_role("button", name="Run again").wait_for()
            page.wait_for_selector('.overlay [data-name="disk"]')
            lines = [" ".join(line.split()) for line in page.locator(".list .item").all_inner_texts()]
            assert lines[1:] == ["other moved", "last removed", "disk added"]
            assert page.locator('[data-path="bodies.other"], [data-path="bodies.last"]').count() == 0
            page.get_by_role("button", name="other, circle").click()
            assert page.locator(".overlay .handles, .overlay .dimensions").count() == 0
            _press(page, "bodies.post", 12, 0)
            page.wait_for_selector(".changed-note")


@pytest.mark.browser
def test_a_lesson_is_tried_by_its_buttons(browser, server):
    with opened(browser, server) as page:
        page.get_by_role("button", name="Vortex street").click()
        page.wait_for_selector('[data-path="bodies.cylinder"]')
        page.get_by_role("button", name="let.Re = 20, time.end = 6").click()
        page.locator(".reynolds output", has_text="Re 20").wait_for()


@pytest.mark.browser
def test_a_bad_number_is_refused_or_can_be_corrected_in_place(browser, server):
    with opened(browser, server) as page:
        _open(page, CHANNEL)
        page.locator("form").get_by_role("button", name="Add by coordinates").click()
        form = page.get_by_role("form", name="Add by coordinates")
        for name, value in (("x", "0.3"), ("y", "0.1"), ("diameter", "-0.03")):
            form.get_by_label(f"{name} m", exact=True).fill(value)
        form.get_by_role("button", name="Add circle").click()
        form.get_by_role("alert").wait_for()
        assert "diameter" in form.get_by_role("alert").inner_text()
        assert page.locator(".list .item").count() == 1
        form.get_by_label("diameter m", exact=True).fill("0.03")
        form.get_by_role("button", name="Add circle").click()
        page.wait_for_selector('[data-path="bodies.circle"]')
        assert form.get_by_role("alert").count() == 0

        parameters = page.get_by_role("group", name="Parameters of circle")
        for name, bad, good in (("diameter", "-0.1", "0.04"), ("center x", "", "0.31")):
            parameters.get_by_label(name).fill(bad)
            parameters.get_by_label(name).press("Enter")
            page.get_by_role("button", name="circle, circle").get_by_text("invalid").wait_for()
            assert page.locator('.overlay [data-path="bodies.circle"].invalid').count() == 1
            assert parameters.get_by_label(name).get_attribute("aria-invalid") == "true"
            parameters.get_by_label(name).fill(good)
            parameters.get_by_label(name).press("Enter")
            page.locator(".overlay .invalid").wait_for(state="detached")
        page.get_by_role("tab", name="File").click()
        page.get_by_text("center = [0.31, 0.1]").wait_for()


FOREIGN = """<!doctype html><title>Report</title><h1 id="said">nothing</h1>
<script>document.getElementById("said").textContent = "a script ran: " + location.href</script>
<img src="x" onerror="document.getElementById('said').textContent = 'a handler ran'">
<img src="{elsewhere}/picture"><link rel="stylesheet" href="{elsewhere}/style">
<iframe src="{elsewhere}/frame"></iframe><meta http-equiv="refresh" content="0; url=javascript:alert(1)">
"""


@pytest.mark.browser
def test_a_report_plays_its_film_and_one_from_elsewhere_runs_no_script(browser, tmp_path):
    """The report of a run: film, charts and the world to save. The report of any other run: no script and
    no request to a server."""
    with lab_in_thread(tmp_path) as (client, _, lab), socket.create_server(("127.0.0.1", 0)) as elsewhere:
        toml = TANK.replace("end = 0.2", "end = 0.05")
        run = client.call("POST", "runs", {"toml": toml, "threads": 1})[1]["id"]
        client.wait_for(run, "finished")
        until_there(lambda: client.call("GET", f"runs/{run}/report")[0] == 200)
        window = browser.new_context(accept_downloads=True)
        page = window.new_page()
        page.goto(f"{client.base}api/runs/{run}/report?token={client.token}")
        film = "(async () => { const film = document.querySelector('video'); film.muted = true;"
        film += " await film.play(); return [film.videoWidth, film.duration,"
        film += " document.querySelectorAll('svg').length]; })()"
        width, duration, charts = page.evaluate(film)
        assert width > 0 and duration > 0 and charts > 0
        with page.expect_download() as saved:
            page.locator("a[download]").click()
        assert "Small channel" in Path(saved.value.path()).read_text()
        folder = lab.folder / "foreign" / "0001"
        folder.mkdir(parents=True)
        record = '{"outcome": "finished", "message": "", "fingerprint": "", "world": "foreign"}'
        (folder / "run.json").write_text(record)
        other = f"http://127.0.0.1:{elsewhere.getsockname()[1]}"
        (folder / "report.html").write_text(FOREIGN.replace("{elsewhere}", other))
        lab._looked = -1e9
        (row,) = [row for row in client.call("GET", "runs")[1] if row["world"] == "foreign"]
        page.goto(f"{client.base}api/runs/{row['id']}/report?token={client.token}")
        page.wait_for_timeout(500)
        assert page.locator("#said").inner_text() == "nothing"
        assert page.evaluate("self.origin") == "null"
        elsewhere.settimeout(0.2)
        with contextlib.suppress(TimeoutError):
            while True:  # Chromium may connect ahead of what it then must not ask for
                link, _ = elsewhere.accept()
                link.settimeout(0.2)
                assert link.recv(500) == b""
        for part in ("movie", "picture"):
            page.goto(f"{client.base}api/runs/{run}/{part}?token={client.token}")
            shown = "(async () => { const it = document.querySelector('img, video');"
            shown += " if (it.play) { it.muted = true; await it.play(); }"
            shown += " return it.videoWidth || it.naturalWidth; })()"
            assert page.evaluate(shown) > 0, part
        window.close()


@pytest.mark.browser
def test_the_page_needs_no_more_than_its_policy_lets_it(browser, server, tmp_path):
    """Editor, charts, pictures and files that are saved: nothing of them is blocked."""
    with going_on(server, CHANNEL) as run, opened(browser, server, run=run) as page:
        blocked: list[str] = []
        page.on(
            "console", lambda said: blocked.append(said.text) if "Content Security" in said.text else None
        )
        page.get_by_role("tab", name="File").click()
        page.wait_for_selector(".cm-editor")
        page.wait_for_selector(".uplot")
        assert page.evaluate("getComputedStyle(document.querySelector('.cm-editor')).display") == "flex"
        until(page, lambda: shown_time(page) > 0)
        page.wait_for_timeout(500)
        assert not blocked
        inline = "const it = document.createElement('script'); it.textContent = 'window.ran = true';"
        page.evaluate(f"() => {{ {inline} document.body.append(it); }}")
        assert page.evaluate("window.ran") is None
