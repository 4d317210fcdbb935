"""Parameters that are steered on the lab's page: values of [let] that terms use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import opened
from lab_server import Client
from test_steering import QUIETLY

import eddyline
from eddyline.run.replay import replay
from eddyline.serve.store import FINAL
from eddyline.stream.series import read_series

DAMPED = """
format = 1
title = "Water that a force damps"
[let]
damping = 0.005
[domain]
size = [0.4, 0.4]
spacing = 0.02
[fluid]
density = 1.0
kinematic_viscosity = 1e-3
max_speed = 1.0
[start]
velocity = [0.5, 0]
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
bottom = { type = "periodic" }
top = { type = "periodic" }
[[terms]]
name = "drag"
particle = ["-damping*vx", "-damping*vy"]
[output]
pictures = 100
snapshots = 0
series = 20000
[time]
end = 1e4
"""

pytestmark = pytest.mark.browser


def _steer(page: Any, server: Client, *, name: str, first: str, bad: str, refusal: str, good: str) -> int:
    """Pauses the run on the page, steers, resumes and stops it; returns the step after which the parameter
    changed."""
    form = page.locator("form").filter(has=page.get_by_label(name))
    field, apply = form.get_by_label(name), form.get_by_role("button", name="Apply")
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Resume", exact=True).wait_for()
    assert field.get_attribute("placeholder") == f"current: {first}"

    field.fill(bad)
    apply.click()
    page.locator(".sent-commands .refused", has_text=f"{name} {bad}").get_by_text(refusal).wait_for()
    assert field.input_value() == bad  # to be corrected
    assert field.get_attribute("placeholder") == f"current: {first}"

    field.fill(good)
    apply.click()
    page.locator(".sent-commands li", has_text=f"{name} {good}").get_by_text("step").wait_for()
    page.wait_for_function("field => !field.value", arg=field.element_handle())
    (run,) = [row for row in server.call("GET", "runs")[1] if row["state"] not in FINAL]
    journal = server.call("GET", f"runs/{run['id']}/journal")[1]
    (step,) = [entry["step"] for entry in journal if entry["command"] == "parameter"]

    page.get_by_role("button", name="Resume", exact=True).click()
    page.wait_for_selector(".track .mark")
    page.wait_for_timeout(1000)
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Run again").wait_for()
    return int(step)


def _rates(folder: Path, quantity: str, step: int) -> tuple[float, float]:
    """The rates at which the logarithm of a quantity falls before and after a step [1/s]."""
    series = read_series(folder / "series" / "budget.csv")
    falls = -np.gradient(np.log(series[quantity]), series["time"])
    return float(np.median(falls[series["step"] < step])), float(np.median(falls[series["step"] > step]))


def test_a_value_of_let_is_steered(browser, server, tmp_path):
    with opened(browser, server) as page:
        file = {"name": "damped.toml", "mimeType": "application/toml", "buffer": DAMPED.encode()}
        page.set_input_files("input[type=file]", file)
        page.get_by_role("button", name="Run", exact=True).click()
        step = _steer(
            page, server, name="let.damping", first="0.005", bad="2*U", refusal="nknown", good="3*0.005"
        )
    (row,) = server.call("GET", "runs")[1]
    folder = Path(row["folder"])
    before, after = _rates(folder, "kinetic_energy", step)
    assert before == pytest.approx(2 * 0.005, rel=0.02)
    assert after == pytest.approx(2 * 0.015, rel=0.02)
    assert (
        replay(folder, out=tmp_path / "again", **QUIETLY).fingerprint == eddyline.Run.open(folder).fingerprint
    )
