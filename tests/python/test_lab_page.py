"""The lab's page: built of these sources, and used as people use it, in a headless browser."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import imageio_ffmpeg
import numpy as np
import pytest
from chromium import PIXELS, opened, shown_time, until
from lab_server import CHANNEL, TANK, WCAG, Client, going_on, hear, say
from lab_server import until as eventually

from eddyline.live import stream_pb2 as pb
from eddyline.plot import metadata
from eddyline.serve.store import FINAL
from eddyline.world.gallery import gallery

ROOT = Path(__file__).resolve().parent.parent.parent
LAB, PAGE = ROOT / "lab", ROOT / "python" / "eddyline" / "serve" / "page"
SOURCES = (
    "index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "public", "schema",
    "src",
)  # fmt: skip
"""As lab/tools/stamp.mjs has them."""


def test_the_page_is_built_of_these_sources():
    paths = [path for name in SOURCES for path in _files(LAB / name)]
    found = hashlib.sha256()
    for name in sorted(path.relative_to(LAB).as_posix() for path in paths):
        content = (LAB / name).read_bytes()
        found.update(f"{name}\n{len(content)}\n".encode() + content)
    stored = (PAGE / "sources.sha256").read_text().strip()
    assert stored == found.hexdigest(), "the page is not built of these sources: `npm run build` in lab/"


def test_the_page_has_the_colours_of_the_pictures(tmp_path):
    made = tmp_path / "tables.ts"
    subprocess.run([sys.executable, ROOT / "tools" / "generate_colors.py", made], check=True)
    stored = (LAB / "src" / "colors" / "tables.ts").read_text()
    assert stored == made.read_text(), "`python tools/generate_colors.py`, then `npm run build` in lab/"


def test_the_messages_are_generated_from_the_schema(tmp_path):
    plugin = LAB / "node_modules" / ".bin" / "protoc-gen-es"
    if not plugin.exists():
        pytest.skip("no lab/node_modules: the messages are not generated anew")
    command = [sys.executable, "-m", "grpc_tools.protoc", f"-I{LAB / 'schema'}"]
    told = [f"--plugin=protoc-gen-es={plugin}", f"--es_out={tmp_path}", "--es_opt=target=ts", "stream.proto"]
    subprocess.run([*command, *told], check=True)
    made = (tmp_path / "stream_pb.ts").read_text()
    assert (LAB / "src" / "stream" / "stream_pb.ts").read_text() == made, "`npm run schema` in lab/"


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from (each for each in path.rglob("*") if each.is_file())
    else:
        yield path


@pytest.fixture
def page(browser: Any, server: Client) -> Iterator[Any]:
    """The first screen."""
    with opened(browser, server) as page:
        yield page


@pytest.fixture
def running(server: Client) -> Iterator[str]:
    """A run that goes on while the test lasts."""
    with going_on(server, CHANNEL) as run:
        yield run


def no_barriers(page: Any) -> None:
    """WCAG 2.2 AA, as far as axe can tell."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe").Axe()
    found = axe.run(page, options={"runOnly": {"type": "tag", "values": WCAG}})
    assert found.violations_count == 0, found.generate_report()


def open_text(page: Any, text: str) -> None:
    file = {"name": "channel.toml", "mimeType": "application/toml", "buffer": text.encode()}
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector(".overlay .water")


def painted(page: Any) -> int:
    """The number of colours on the canvas: small if nothing flows."""
    return page.evaluate(
        """async () => {
          const flow = document.querySelector("canvas.flow");
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          const small = new OffscreenCanvas(64, 32), pen = small.getContext("2d");
          pen.drawImage(flow, 0, 0, 64, 32);
          const data = pen.getImageData(0, 0, 64, 32).data.map((part) => part >> 3), seen = new Set();
          for (let k = 0; k < data.length; k += 4) seen.add(data.subarray(k, k + 3).join());
          return seen.size;
        }"""
    )


@pytest.mark.browser
def test_the_first_screen_flows_and_asks_nothing(page):
    page.wait_for_selector("text=stored run")
    until(page, lambda: painted(page) > 40)
    for name in ("Vortex street", "Dam break", "Draw your own"):
        assert page.get_by_role("button", name=name).is_visible()
    assert page.locator("form, input[type=password]").count() == 0
    no_barriers(page)


@pytest.mark.browser
def test_drawing_changes_the_file_and_the_file_the_drawing(page):
    open_text(page, CHANNEL)
    water = page.locator(".overlay .water").bounding_box()

    def at(x: float, y: float) -> tuple[float, float]:
        """Pixels of a place [m]: the tank is 0.4 by 0.2."""
        return water["x"] + x / 0.4 * water["width"], water["y"] + (1 - y / 0.2) * water["height"]

    page.keyboard.press("c")
    page.mouse.move(*at(0.3, 0.1))
    page.mouse.down()
    page.mouse.move(*at(0.32, 0.1), steps=3)
    page.mouse.up()
    page.wait_for_selector('[data-path="bodies.circle"]')
    page.mouse.move(*at(0.3, 0.1))
    page.mouse.down()
    page.mouse.move(*at(0.32, 0.13), steps=4)
    page.mouse.up()
    page.get_by_role("tab", name="File").click()
    page.wait_for_selector("text=center = [0.32, 0.13]")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector("text=center = [0.3, 0.1]")
    assert page.locator(".cm-content").inner_text().count("# a post") == 1

    page.get_by_text("diameter = 0.05").click()
    page.keyboard.press("End")
    page.keyboard.type("0")
    page.keyboard.press("Backspace")
    page.keyboard.press("Backspace")
    page.keyboard.type("9")
    larger = """() => {
      const body = (name) => document.querySelector(`[data-path="bodies.${name}"]`);
      const width = (name) => body(name).getBoundingClientRect().width;
      return width("post") > 2 * width("circle");
    }"""
    until(page, lambda: page.evaluate(larger))

    page.get_by_role("tab", name="Setup").click()
    page.get_by_role("button", name="Body circle, circle").focus()
    page.keyboard.press("ArrowRight")
    until(page, lambda: float(page.get_by_label("center x").input_value()) > 0.3)
    no_barriers(page)


@pytest.mark.browser
def test_a_run_is_watched_paused_scrubbed_and_found_again(page):
    open_text(page, CHANNEL)
    page.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_selector(".time")
    until(page, lambda: page.locator(".chart").count() >= 2 and shown_time(page) > 0.03)
    assert painted(page) > 20
    assert "Run again" not in page.evaluate("window.seen")  # not even before it has begun
    drag = page.get_by_role("figure", name="Drag").locator(".stats b")
    before = drag.inner_text()
    until(page, lambda: drag.inner_text() != before)

    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Resume").wait_for()
    step = _step_when_still(page)
    page.get_by_role("button", name="Step", exact=True).click()
    until(page, lambda: _step(page) == step + 1)

    page.get_by_label("viscosity").fill("2e-3")
    page.get_by_role("button", name="Apply").nth(1).click()
    page.wait_for_selector(".track .mark")
    page.wait_for_selector("text=steered at")
    page.get_by_role("button", name="Resume").click()
    until(page, lambda: _step(page) > step + 10)

    slider = page.get_by_role("slider", name="Displayed time")
    slider.focus()

    def at_the_first() -> bool:
        page.keyboard.press("Home")
        return shown_time(page) == 0

    until(page, at_the_first)  # which the run has stored
    page.keyboard.press("ArrowRight")
    assert shown_time(page) > 0
    no_barriers(page)

    page.reload()
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Run again").wait_for()
    until(page, lambda: painted(page) > 20)
    assert page.get_by_role("button", name="Live").count() == 0


@pytest.mark.browser
def test_a_run_that_has_ended_is_never_taken_for_a_live_one_and_shows_its_particles(browser, server):
    toml = TANK.replace("snapshots = 0", "snapshots = 2")
    run = server.call("POST", "runs", {"toml": toml, "threads": 1})[1]["id"]
    server.wait_for(run, "finished")
    with opened(browser, server, run=run) as page:
        page.get_by_role("button", name="Run again").wait_for()
        until(page, lambda: painted(page) > 20)
        page.get_by_role("radio", name="Particles").click()
        page.get_by_role("radio", name="Pressure").click()
        until(page, lambda: painted(page) > 10)  # the start was far higher
        assert page.evaluate("window.seen").count("Stop") == 0
        assert "Run again" in page.evaluate("window.seen")


@pytest.mark.browser
def test_pictures_that_the_network_has_lost_are_asked_for_again(browser, server):
    run = server.call("POST", "runs", {"toml": TANK, "threads": 1})[1]["id"]
    server.wait_for(run, "finished")
    asked: list[str] = []

    def lose(route: Any) -> None:
        asked.append(route.request.url)
        route.abort()

    def miss(route: Any) -> None:
        asked.append(route.request.url)
        route.fulfill(status=404)

    with opened(browser, server) as page:
        page.route("**/frames/*", lose)
        page.goto(f"{server.base}?run={run}")
        page.get_by_role("button", name="Run again").wait_for()
        until(page, lambda: len(asked) > len(set(asked)))
        page.wait_for_timeout(4000)
        assert max(Counter(asked).values()) < 20  # not all the time
        page.unroute("**/frames/*")
        until(page, lambda: painted(page) > 20)
        asked.clear()
        page.route("**/frames/*", miss)
        page.get_by_role("radio", name="Pressure").click()
        until(page, lambda: asked)
        page.wait_for_timeout(4000)
        assert len(asked) == len(set(asked))


DROP = (
    TANK.replace('left = { type = "inflow", velocity = 1.0 }\nright = { type = "outflow" }\n', "")
    .replace(
        'shape = "circle"\ncenter = [0.15, 0.1]\ndiameter = 0.05',
        'shape = "rectangle"\nmin = [0.05, 0.05]\nmax = [0.15, 0.15]',
    )
    .replace("[bodies.post]", "[start]\nvelocity = [1.0, 0]\n[regions.drop]")
    .replace("snapshots = 0", "snapshots = 1")
)
"""Water that flies twice as far as it is wide; particles are stored at the start and at the end only."""
EXTENT = (
    "async () => {"
    + PIXELS
    + """
    let [first, last] = [width, -1];
    for (let k = 0; k < data.length; k += 4) {
      if (data[k + 3] < 128) continue;
      const x = (k / 4) % width;
      [first, last] = [Math.min(first, x), Math.max(last, x)];
    }
    return [first, last];
  }
"""
)
"""The first and the last column of the canvas in which anything is drawn."""


@pytest.mark.browser
def test_particles_go_on_between_the_moments_that_are_stored(browser, server):
    run = server.call("POST", "runs", {"toml": DROP, "threads": 1})[1]["id"]
    server.wait_for(run, "finished")
    with opened(browser, server, run=run) as page:
        page.get_by_role("button", name="Run again").wait_for()
        page.get_by_role("radio", name="Particles").click()
        page.get_by_label("Playback speed").select_option("0.05")
        slider = page.get_by_role("slider", name="Displayed time")
        slider.focus()
        page.keyboard.press("Home")
        until(page, lambda: page.evaluate(EXTENT)[1] > 0)
        left, right = page.evaluate(EXTENT)
        width = right - left
        page.keyboard.press("ArrowRight")
        until(page, lambda: shown_time(page) > 0 and page.evaluate(EXTENT)[0] > left)
        moved = (page.evaluate(EXTENT)[0] - left) / width
        assert moved == pytest.approx(shown_time(page) / 0.1, abs=0.06)
        page.keyboard.press("Home")
        page.get_by_role("button", name="Play").click()
        places = [page.evaluate(EXTENT)[0] for _ in range(30)]
        steps = np.diff(places)
        assert steps.min() >= 0 and np.count_nonzero(steps) > 8
        assert steps.max() < 0.2 * width


MANY = """
format = 1
title = "Eddies of two hundred thousand particles"
[domain]
size = [1.0, 0.5]
spacing = "1/632"
[fluid]
density = 1.0
kinematic_viscosity = 1e-4
max_speed = 1.0
[start]
velocity = ["-cos(2*pi*x)*sin(4*pi*y)", "sin(2*pi*x)*cos(4*pi*y)/2"]
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
bottom = { type = "periodic" }
top = { type = "periodic" }
[output]
pictures = 3
snapshots = 0
[time]
end = 10.0
"""
PICTURES = """
  async () => {
    const began = performance.now();
    let count = 0;
    for (; performance.now() < began + 3000; count++) await new Promise(requestAnimationFrame);
    return count / 3;
  }
"""
"""Pictures that the page draws in a second."""


@pytest.mark.browser
def test_two_hundred_thousand_points_are_drawn_and_the_page_still_answers(browser, server):
    particles = 632 * 316
    with going_on(server, MANY) as run, opened(browser, server, run=run) as page:
        page.get_by_role("radio", name="Particles").click()
        until(page, lambda: painted(page) > 20)
        wanted = pb.View(
            particles=True, most_particles=200_000, ids=True, velocities=True, frames_per_second=20
        )
        with server.look(run, wanted) as socket:
            counts = [hear(socket, "frame").particles.count]
            while counts[-1] < particles and len(counts) < 200:
                came = hear(socket, "frame").particles
                counts.append(came.count)
            assert counts[0] < 10_000 and came.count == came.total == particles
        left, right = page.evaluate(EXTENT)
        box = page.locator("canvas.flow").bounding_box()
        assert right - left > 0.5 * box["width"]  # the whole domain, from side to side
        assert page.evaluate(PICTURES) > 1  # by a browser that draws without a graphics card
        page.get_by_role("button", name="Pause", exact=True).click()
        page.get_by_role("button", name="Resume").wait_for(timeout=20_000)


def _steered_run(server: Client) -> str:
    """A finished run into which a body came, and out of which it went."""
    toml = CHANNEL.replace("pictures = 3", "pictures = 20000")
    run = server.call("POST", "runs", {"toml": toml, "threads": 1, "name": "steered"})[1]["id"]
    disk = pb.AddBody(name="disk", toml='shape = "circle"\ncenter = [0.3, 0.1]\ndiameter = 0.04\n')
    commands = [{"add_body": disk}, {"remove_body": pb.RemoveBody(body="disk")}, {"stop": pb.Stop()}]
    with server.look(run, pb.View(frames_per_second=20, quantities=["speed"], columns=20)) as socket:
        for number, command in enumerate(commands):
            began = hear(socket, "frame").time
            while hear(socket, "frame").time < began + 0.08:
                pass
            say(socket, command=pb.Command(id=str(number), **command))
    server.wait_for(run, *FINAL)
    return run


@pytest.mark.browser
def test_the_past_shows_bodies_that_were_there_then_and_charts_their_forces(browser, server):
    def bodies() -> list[str]:
        drawn = page.locator(".overlay path.body")
        return sorted(drawn.evaluate_all("(all) => all.map((each) => each.dataset.name)"))

    with opened(browser, server, run=_steered_run(server)) as page:
        until(page, lambda: painted(page) > 20 and bodies() == ["post"])
        slider = page.get_by_role("slider", name="Displayed time")
        slider.focus()
        page.keyboard.press("Home")
        until(page, lambda: shown_time(page) == 0 and bodies() == ["post"])

        def one_on() -> bool:
            page.keyboard.press("ArrowRight")
            return bodies() == ["disk", "post"]

        until(page, one_on)
        page.keyboard.press("End")
        until(page, lambda: bodies() == ["post"])
        words = page.get_by_role("figure", name="Drag").locator(".key").all_inner_texts()
        assert [each.split()[0] for each in words] == ["post", "disk"]
        assert re.search(r"[\d.]+\W[\d.]+ s", words[1])
        rows = _saved(page, "Save data (CSV)").read_text().splitlines()
        columns = list(zip(*(row.split(",") for row in rows[1:]), strict=True))
        assert rows[0].split(",")[2].startswith("disk") and all(columns[1])
        assert not columns[2][0] and not columns[2][-1] and any(columns[2])


LONG_VALUES = (
    """[reference]
velocity = 1.0
length = 0.05
"""
    + """[[expect]]
quantity = "(post.drag_coefficient.mean + post.lift_coefficient.mean) / post.drag_coefficient.mean"
range = [1.123456, 1.234567]
source = "schaefer-turek-1996"
"""
)
OVERFLOW = """
  () => [document.documentElement.scrollWidth - innerWidth,
    ...[...document.querySelectorAll(".scroll")].map((each) => each.scrollWidth - each.clientWidth)]
"""
"""Overflow of the report, and of each of its tables, beyond the visible width [px]."""


@pytest.mark.browser
def test_the_report_fits_any_window(browser, server):
    run = server.call("POST", "runs", {"toml": TANK + LONG_VALUES, "threads": 1})[1]["id"]
    server.wait_for(run, "finished")
    eventually(lambda: server.call("GET", f"runs/{run}/report")[0] == 200)  # the film comes before it
    report = server.call("GET", f"runs/{run}/report")[1].decode()
    for width in (1280, 720, 390, 320):
        with opened(browser, server, size=(width, 800)) as page:
            page.set_content(report)
            page.locator("summary").click()
            found = page.evaluate(OVERFLOW)
            assert len(found) == 3 and max(found) <= 0, (width, found)
            no_barriers(page)


@pytest.mark.browser
def test_the_names_of_curves_have_the_values_of_the_time_that_is_shown(browser, server):
    run = server.call("POST", "runs", {"toml": TANK, "threads": 1})[1]["id"]
    server.wait_for(run, "finished")
    with opened(browser, server, run=run) as page:
        page.get_by_role("button", name="Run again").wait_for()
        value = page.get_by_role("figure", name="Drag").locator(".stats b")
        slider = page.get_by_role("slider", name="Displayed time")
        slider.focus()
        page.keyboard.press("End")
        page.wait_for_timeout(300)
        last = value.inner_text()
        page.keyboard.press("Home")
        until(page, lambda: value.count() == 0)  # the first row comes after the first step
        page.keyboard.press("ArrowRight")
        until(page, lambda: value.count() == 1 and value.inner_text() != last)
        page.keyboard.press("End")
        until(page, lambda: value.inner_text() == last)


SMALL = """
  () => [...document.querySelectorAll("button, a, select, [role=slider], [role=tab]")].filter((each) => {
    const { width, height, right } = each.getBoundingClientRect();
    return width > 0 && (width < 24 || height < 24 || (right > innerWidth && !each.closest(".charts .bar")));
  }).map((each) => each.outerHTML)
"""


@pytest.mark.browser
@pytest.mark.parametrize("size", [(1024, 768), (820, 1180)])
def test_a_tablet_has_it_all_within_reach_of_a_finger(browser, server, running, size):
    with opened(browser, server, size=size, touch=True, run=running) as page:
        page.wait_for_selector(".time")
        until(page, lambda: shown_time(page) > 0.03 and page.locator(".chart").count() >= 2)
        assert page.evaluate(SMALL) == []
        if size[0] < 900:
            page.get_by_role("button", name="Setup").tap()
        page.get_by_label("viscosity").scroll_into_view_if_needed()
        page.get_by_role("tab", name="File").tap()
        page.get_by_text("a post").wait_for()
        page.get_by_role("button", name="Pause", exact=True).tap()
        page.get_by_role("button", name="Resume").wait_for()
        if size[0] < 900:
            page.get_by_role("button", name="Close Setup").tap()
        box = page.locator(".chart .u-over").first.bounding_box()
        fingers = page.context.new_cdp_session(page)

        def touch(kind: str, *shares: float) -> None:
            points = [{"x": box["x"] + each * box["width"], "y": box["y"] + 9} for each in shares]
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", 0.3)
        touch("touchMove", 0.5)
        touch("touchMove", 0.7)
        touch("touchEnd")
        page.get_by_role("button", name="average").wait_for()
        no_barriers(page)


CANVAS = "document.querySelector('.stage').getBoundingClientRect().height / innerHeight"


@pytest.mark.browser
@pytest.mark.parametrize("size", [(768, 1024), (1280, 600), (1024, 600), (390, 844)])
def test_a_small_window_reaches_everything_by_keys_alone(browser, server, size):
    def press(name: str, role: str = "button") -> None:
        page.get_by_role(role, name=name, exact=True).press("Enter")

    def has_focus(name: str) -> bool:
        focused = page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.innerText")
        return focused.strip() == name

    with opened(browser, server, size=size) as page:
        open_text(page, CHANNEL)
        toggle = page.get_by_role("button", name="Setup", exact=True)
        if size[0] < 900:
            assert toggle.get_attribute("aria-expanded") == "false"
            press("Setup")
            assert toggle.get_attribute("aria-expanded") == "true"
            until(page, lambda: has_focus("Setup"))
            no_barriers(page)
        if size[0] < 1180:
            page.get_by_role("tab", name="Setup").press("ArrowRight")
        press("post, circle")
        page.get_by_role("tab", name="File").press("Enter")
        page.wait_for_selector("text=diameter = 0.05")
        page.get_by_role("tab", name="Setup").press("Enter")
        diameter = page.get_by_label("diameter")
        diameter.fill("0.06")
        diameter.press("Enter")
        radius = "document.querySelector('[data-path=\"bodies.post\"]').r.baseVal.value"
        until(page, lambda: page.evaluate(radius) > 20)
        if size[0] < 900:
            diameter.press("Escape")
            page.wait_for_selector("#world", state="detached")
            until(page, lambda: has_focus("Setup"))
        press("Run")
        page.wait_for_selector(".time")
        until(page, lambda: shown_time(page) > 0.03 and page.locator(".chart").count() > 0)
        assert page.evaluate(SMALL) == []
        assert page.evaluate(CANVAS) > 0.4
        page.get_by_label("Quantity").wait_for()
        page.get_by_role("slider", name="Displayed time").focus()
        no_barriers(page)
        if size[0] < 900:
            press("Setup")
            page.get_by_label("viscosity").wait_for()
            assert page.evaluate(CANVAS) > 0.4
            press("Close Setup")
        press("Hide charts")
        press("Machine")
        page.wait_for_selector("#machine")
        page.get_by_role("button", name="Close", exact=True).press("Escape")
        until(page, lambda: has_focus("Machine"))
        press("Stop")
        page.get_by_role("button", name="Run again").wait_for()


@pytest.mark.browser
def test_two_look_at_one_run_and_one_comes_back_when_its_network_does(browser, server, running):
    with opened(browser, server, run=running) as one, opened(browser, server, run=running) as other:
        for page in (one, other):
            page.wait_for_selector(".time")
            until(page, lambda page=page: shown_time(page) > 0)
        other.context.set_offline(True)  # no socket closes by this
        other.wait_for_selector("text=Connection lost")
        held = _step_when_still(other)
        until(one, lambda: _step(one) > held)
        other.context.set_offline(False)
        until(other, lambda: _step(other) > held)
        other.wait_for_selector("text=Connection lost", state="detached")
        one.get_by_role("button", name="Pause", exact=True).click()
        other.get_by_role("button", name="Resume").wait_for()
        step = _step_when_still(one)
        assert _step_when_still(other) == step
        rows = [_saved(page, "Save data (CSV)").read_text().splitlines() for page in (one, other)]
        assert rows[0] == rows[1]
        assert rows[0][0].startswith("time [s],") and len(rows[0]) > 5
        assert all(float(number) == float(number) for number in rows[0][-1].split(","))


@pytest.mark.browser
def test_a_saved_picture_holds_the_world_that_it_shows(browser, server, running):
    with opened(browser, server, run=running) as page:
        page.wait_for_selector(".time")
        until(page, lambda: shown_time(page) > 0 and painted(page) > 20)
        kept = metadata.read(_saved(page, "Save picture (PNG)"))
        assert kept.world == server.call("GET", f"runs/{running}/world")[1]["toml"]
        assert kept.title == "Small channel" and kept.version


@pytest.mark.browser
def test_a_saved_film_shows_the_flow_and_holds_its_world(browser, server, running):
    with opened(browser, server, run=running) as page:
        page.wait_for_selector(".time")
        until(page, lambda: shown_time(page) > 0 and painted(page) > 20)
        page.get_by_role("button", name="Record a video").click()
        begun = shown_time(page)
        until(page, lambda: shown_time(page) > begun)
        page.wait_for_timeout(1500)
        film = _saved(page, "Record a video")
        assert metadata.read(film).world == server.call("GET", f"runs/{running}/world")[1]["toml"]
        frames = imageio_ffmpeg.read_frames(str(film))
        width, height = next(frames)["size"]
        pictures = [np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in frames]
        assert len(pictures) > 3 and pictures[-1].std() > 20
        assert np.abs(pictures[-1].astype(int) - pictures[0]).max() > 50


@pytest.mark.browser
def test_a_world_that_cannot_be_drawn_says_so_and_where(page):
    text = TANK.replace("kinematic_viscosity", "kinematic_viscosty")
    file = {"name": "tank.toml", "mimeType": "application/toml", "buffer": text.encode()}
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector("text=This world cannot be drawn.")
    assert page.locator(".overlay .ruler").count() == 0  # that of the stored run, which was shown before
    page.get_by_role("button", name="kinematic_viscosty").click()
    page.wait_for_selector(".cm-activeLine:has-text('kinematic_viscosty')")


@pytest.mark.browser
def test_a_body_is_drawn_into_the_running_flow_and_taken_out_again(browser, server, running):
    with opened(browser, server, run=running) as page:
        page.wait_for_selector(".time")
        until(page, lambda: shown_time(page) > 0)
        post = page.locator('[data-path="bodies.post"]').bounding_box()
        scale = post["width"] / 0.05
        x, y = post["x"] + 0.175 * scale, post["y"] + 0.5 * post["height"]
        page.keyboard.press("c")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 0.02 * scale, y, steps=3)
        page.mouse.up()
        page.wait_for_selector('[data-path="bodies.circle"]')
        page.wait_for_selector("text=add circle: applied at step")
        assert "corners" not in page.locator(".dimensions").text_content()
        page.get_by_role("button", name="Remove circle").click()
        page.wait_for_selector('[data-path="bodies.circle"]', state="detached")
        journal = server.call("GET", f"runs/{running}/journal")[1]
        assert [entry["command"] for entry in journal] == ["add_body", "remove_body"]
        assert "kg/m of fluid was displaced" in journal[0]["text"]


def _saved(page: Any, button: str) -> Path:
    """The file that a button of the page saves; the last, if it saves several."""
    with page.expect_download() as coming:
        page.get_by_role("button", name=button).click()
    kept = Path(coming.value.path()).with_name(coming.value.suggested_filename)
    coming.value.save_as(kept)
    return kept


def _step(page: Any) -> int:
    return int(re.sub(r"\D", "", page.locator(".now .step").inner_text()))


def _step_when_still(page: Any) -> int:
    """The step that is shown when no newer frame comes."""
    last, same = -1, 0
    while same < 8:
        page.wait_for_timeout(100)
        now = _step(page)
        last, same = now, same + 1 if now == last else 0
    return last


PULSE = gallery()["waves/pulse"].read_text(encoding="utf-8").replace("rounds = 1", "rounds = 1000")


@pytest.mark.browser
def test_a_run_of_cells_shows_its_field_and_its_words(browser, server):
    with going_on(server, PULSE) as run, opened(browser, server, run=run) as page:
        until(page, lambda: painted(page) > 10)
        text = page.locator("body").inner_text()
        assert "Displacement u" in text and "Rate p" in text
        assert page.get_by_role("radio", name="Particles").count() == 0
        page.get_by_role("radio", name="Rate p = du/dt").click()
        until(page, lambda: painted(page) > 10)
