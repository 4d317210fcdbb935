"""Isosurfaces on the page of the lab: water, other quantities, cuts, live and stored; and a lost link."""

from __future__ import annotations

from typing import Any

import pytest
from chromium import PIXELS, opened, until
from lab_server import WCAG, going_on

TANK = """
format = 1
title = "Falling column"
[domain]
size = [0.4, 0.3, 0.2]
spacing = 0.02
gravity = [0, -9.81, 0]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.column]
shape = "box"
min = [0, 0, 0]
max = [0.15, 0.25, 0.2]
[observe.water]
type = "isosurface"
every = 0.05
[observe.fast]
type = "isosurface"
quantity = "speed"
values = [0.1, 0.3]
every = 0.05
[output]
quantity = "pressure"
pictures = 2
snapshots = 0
[time]
end = 0.1
"""
LIVE = TANK.replace("end = 0.1", "end = 1000.0").replace("every = 0.05", "every = 100.0")
WATER = (
    "async () => {"
    + PIXELS
    + """
    let [water, violet] = [0, 0];
    for (let k = 0; k < data.length; k += 16) {
      const r = data[k], g = data[k + 1], b = data[k + 2];
      if (b - r > 40 && g - r > 20) water++;
      else if (b - g > 30 && r - g > 5) violet++;
    }
    return [water, violet].map((count) => (16 * count) / data.length);
  }
"""
)
"""Shares of the canvas with the blue-green of water, and with the violet of the first other surface."""


def shares(page: Any) -> tuple[float, float]:
    water, violet = page.evaluate(WATER)
    return water, violet


def check_accessible(page: Any) -> None:
    """WCAG 2.2 AA, as far as axe can tell."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe").Axe()
    found = axe.run(page, options={"runOnly": {"type": "tag", "values": WCAG}})
    assert not found.response["violations"], found.generate_report()


@pytest.mark.browser
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["laptop", "phone"])
def test_water_is_drawn_cut_and_joined_by_other_surfaces(browser, server, size):
    with going_on(server, LIVE) as run, opened(browser, server, size=size, run=run) as page:
        until(page, lambda: shares(page)[0] > 0.01)
        page.get_by_role("button", name="Surfaces and cut").click()
        page.get_by_role("radio", name="y", exact=True).click()
        before = shares(page)[0]
        page.get_by_role("slider", name="Place of the cut").fill("0.02")
        until(page, lambda: shares(page)[0] < 0.8 * before)
        page.get_by_role("radio", name="None", exact=True).click()
        page.get_by_role("button", name="Add surface").click()
        slider = page.get_by_role("slider", name="Level of pressure")
        slider.wait_for()
        assert page.locator(".histogram rect").count() == 64
        page.get_by_role("radio", name="Hidden").click()
        until(page, lambda: shares(page)[1] > 0.001)  # at the level that the page suggests
        slider.fill("60")  # low, where water at rest has it, too
        until(page, lambda: shares(page)[1] > 0.01)
        alone = shares(page)[1]
        slider.fill("500")  # above nearly all values
        until(page, lambda: shares(page)[1] < 0.5 * alone)
        slider.fill("60")
        until(page, lambda: shares(page)[1] > 0.8 * alone)
        check_accessible(page)
        page.get_by_role("button", name="Remove the surface of pressure").click()
        until(page, lambda: max(shares(page)) < 0.0005)


@pytest.mark.browser
def test_stored_surfaces_of_a_finished_run_are_shown(browser, server):
    run = server.call("POST", "runs", {"toml": TANK, "threads": 1})[1]["id"]
    server.wait_for(run, "finished")
    with opened(browser, server, run=run) as page:
        until(page, lambda: shares(page)[0] > 0.01)
        page.get_by_role("button", name="Surfaces and cut").click()
        page.get_by_role("button", name="Add surface").click()
        page.get_by_role("radio", name="Hidden").click()
        levels = page.get_by_role("combobox", name="Level of speed")
        levels.wait_for()
        assert levels.locator("option").all_inner_texts() == ["0.1 m/s", "0.3 m/s"]
        until(page, lambda: shares(page)[1] > 0.001)


@pytest.mark.browser
def test_controls_are_disabled_while_the_connection_is_lost(browser, server):
    with going_on(server, LIVE) as run, opened(browser, server, run=run) as page:
        link = page.locator(".link-state")
        until(page, lambda: " old · " in link.inner_text() and link.inner_text().endswith(" ms"))
        assert page.get_by_label("viscosity").is_enabled()
        page.context.set_offline(True)
        until(page, lambda: link.inner_text() == "No answer")
        assert page.get_by_role("button", name="Pause", exact=True).is_disabled()
        assert page.get_by_label("viscosity").is_disabled()
        page.context.set_offline(False)
        until(page, lambda: page.get_by_label("viscosity").is_enabled())
        page.get_by_role("button", name="Pause", exact=True).click()
        page.get_by_role("button", name="Resume").wait_for()
