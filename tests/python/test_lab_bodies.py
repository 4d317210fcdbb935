"""Bodies on the lab's page: solid in three dimensions, and moving with the picture."""

from __future__ import annotations

import math
from typing import Any

import pytest
from chromium import PIXELS, opened, shown_time, until
from lab_server import TANK, Client
from small_worlds import BOX

PLATE = (
    BOX.replace("max      = [0.1, 0.1, 0.1]", "max      = [0.075, 0.1, 0.1]")
    .replace("min   = [0.15, 0, 0.04]", "min   = [0.1, 0, 0]")
    .replace("max   = [0.175, 0.08, 0.065]", "max   = [0.125, 0.1, 0.1]")
    .replace("end = 0.02", "end = 0.002")
)
"""A column of water beside a plate of the same height."""
FLAP = (
    TANK.replace("[output]", 'motion = { displacement = [0, "0.03*sin(12*t)"] }\n[output]')
    .replace("kinematic_viscosity = 1e-3", "kinematic_viscosity = 1e-3\nmax_speed = 2.0")
    .replace("pictures = 3", "pictures = 4")
)
BODY = {"light": (0x71, 0x80, 0x8C), "dark": (0x8B, 0x99, 0xA5)}  # as styles/tokens.css has it
SHARES = (
    "async (body) => {"
    + PIXELS
    + """
    let [grey, colored] = [0, 0];
    for (let k = 0; k < data.length; k += 4) {
      if (data[k + 3] < 255) continue;
      const light = data[k + 1] / body[1];
      if (Math.abs(data[k] - light * body[0]) + Math.abs(data[k + 2] - light * body[2]) < 6) grey++;
      else colored++;
    }
    return [grey, colored].map((count) => (4 * count) / data.length);
  }
"""
)
"""Shares of the canvas with the colour of bodies in some light, and with other colours."""
WATCH_BODY = """
  () => {
    window.ways = new Set();
    new MutationObserver(([{ target }]) => window.ways.add(target.getAttribute("d")))
      .observe(document.querySelector(".overlay path.body"), { attributes: true, attributeFilter: ["d"] });
  }
"""


def _finished(server: Client, toml: str) -> str:
    run = server.call("POST", "runs", {"toml": toml, "threads": 1})[1]["id"]
    server.wait_for(run, "finished")
    return run


def _turn(page: Any, around: float, above: float) -> None:
    """Turns a flow in three dimensions by two angles [rad]."""
    box = page.locator("canvas.flow").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - around / 0.008, y + above / 0.008, steps=4)
    page.mouse.up()


@pytest.mark.browser
def test_a_body_in_three_dimensions_hides_and_is_hidden(browser, server):
    with opened(browser, server, run=_finished(server, PLATE)) as page:
        page.get_by_role("button", name="Run again").wait_for()

        def shares(theme: str = "light") -> tuple[float, float]:
            grey, colored = page.evaluate(SHARES, BODY[theme])
            return grey, colored

        until(page, lambda: min(shares()) > 0.01)
        _turn(page, math.pi / 2 - 0.55, -0.35)  # the plate before the water
        until(page, lambda: shares()[0] > 0.02 and shares()[1] < 0.1 * shares()[0])
        _turn(page, -math.pi, 0)  # and behind it
        until(page, lambda: shares()[1] > 0.02 and shares()[0] < 0.2 * shares()[1])
        _turn(page, math.pi, 0)
        page.get_by_role("button", name="dark").click()
        until(page, lambda: shares("dark")[0] > 0.02 and shares("dark")[1] < 0.1 * shares("dark")[0])


@pytest.mark.browser
def test_a_body_is_seen_through_water_or_without_it(browser, server):
    with opened(browser, server, run=_finished(server, PLATE)) as page:
        page.get_by_role("button", name="Run again").wait_for()

        def shares() -> tuple[float, float]:
            grey, colored = page.evaluate(SHARES, BODY["light"])
            return grey, colored

        def show(water: str) -> None:
            page.get_by_role("radio", name=water).click()

        until(page, lambda: min(shares()) > 0.01)
        _turn(page, -math.pi / 2 - 0.55, -0.35)  # water before the plate
        until(page, lambda: shares()[0] < 0.2 * shares()[1])
        show("Hidden")
        until(page, lambda: shares()[0] > 0.02 and shares()[1] == 0)
        plate = shares()[0]
        show("Translucent")  # the only opaque pixels are those of the plate; the water tints its grey
        until(page, lambda: sum(shares()) == pytest.approx(plate, rel=0.1) and shares()[0] < 0.5 * plate)
        page.reload()
        page.get_by_role("button", name="Run again").wait_for()
        assert page.get_by_role("radio", name="Translucent").is_checked()


@pytest.mark.browser
def test_bodies_of_a_run_without_snapshots_are_seen_where_they_are(browser, server):
    toml = PLATE.replace("snapshots = 1\n", "snapshots = 0\n").replace("end = 0.002", "end = 0.02")
    toml = toml.replace("[boundaries]", 'motion = { displacement = ["1*t", 0, 0] }\n[boundaries]')
    with opened(browser, server, run=_finished(server, toml)) as page:
        page.get_by_text("This run has no snapshots").wait_for()
        until(page, lambda: page.evaluate(SHARES, BODY["light"])[0] > 0.01)
        page.get_by_role("slider", name="Displayed time").focus()

        def picture() -> str:
            return page.evaluate("document.querySelector('canvas.flow').toDataURL()")

        last = picture()
        page.keyboard.press("Home")
        until(page, lambda: picture() != last)
        page.keyboard.press("End")
        until(page, lambda: picture() == last)


@pytest.mark.browser
def test_a_body_moves_between_stored_frames(browser, server):
    run = _finished(server, FLAP)
    second = server.call("GET", f"runs/{run}/frames")[1]["frames"][1]["time"]
    with opened(browser, server, run=run) as page:
        page.get_by_role("button", name="Run again").wait_for()
        page.get_by_label("Playback speed").select_option("0.05")
        slider = page.get_by_role("slider", name="Displayed time")
        slider.focus()
        page.keyboard.press("Home")
        until(page, lambda: shown_time(page) == 0)
        page.wait_for_selector(".overlay path.body")
        page.evaluate(WATCH_BODY)
        page.get_by_role("button", name="Play").click()
        until(page, lambda: page.evaluate("window.ways.size") > 4)
        assert 0 < shown_time(page) < second
