"""The lab's page in one go, short enough for `make test`: open a world, run it, see it, steer it, stop it."""

from __future__ import annotations

import pytest
from chromium import PIXELS, opened, shown_time, until
from lab_server import CHANNEL, Client

COLOURS = (
    "async () => {"
    + PIXELS
    + """
    const seen = new Set();
    for (let k = 0; k < data.length; k += 400) seen.add(data.subarray(k, k + 3).join());
    return seen.size;
  }
"""
)
"""The number of colours on the canvas: small if nothing flows."""


@pytest.mark.browser
@pytest.mark.short
def test_a_world_is_opened_run_seen_steered_and_stopped(browser, server: Client):
    with opened(browser, server, size=(1000, 600)) as page:
        file = {"name": "channel.toml", "mimeType": "application/toml", "buffer": CHANNEL.encode()}
        page.set_input_files("input[type=file]", file)
        page.wait_for_selector(".overlay .water")
        page.get_by_role("button", name="Run", exact=True).click()
        page.wait_for_selector(".time")
        until(page, lambda: shown_time(page) > 0.03 and page.evaluate(COLOURS) > 20)
        page.get_by_label("viscosity").fill("2e-3")
        page.get_by_role("button", name="Apply").nth(1).click()
        page.wait_for_selector("text=steered at")
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Run again").wait_for()
        (run,) = server.call("GET", "runs")[1]
        assert run["state"] == "stopped by user"
        journal = server.call("GET", f"runs/{run['id']}/journal")[1]
        assert "viscosity" in [entry["command"] for entry in journal]
