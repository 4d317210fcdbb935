"""Parameters that are steered on the lab's page: values of [let] and parameters of modules."""

from __future__ import annotations

import contextlib
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chromium import opened, shown_time
from chromium import until as until_shown
from lab_server import WAIT, Client, lab_in_thread, until
from test_modules import NATIVE
from test_steering import QUIETLY

import eddyline
from eddyline import modules
from eddyline.run.replay import replay
from eddyline.serve.store import FINAL
from eddyline.stream.series import read_series

HEAT = Path(__file__).resolve().parents[2] / "examples" / "modules" / "heat"
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


@contextlib.contextmanager
def _joined(server: Client, world: Path, out: Path) -> Iterator[str]:
    """A run that was started on the command line: the lab itself starts no modules of users."""
    told = [str(world), "--out", str(out), "--threads", "1", "--live", f"{server.base}?token={server.token}"]
    run = subprocess.Popen([sys.executable, "-m", "eddyline", "run", *told], stdout=subprocess.DEVNULL)
    try:
        yield until(lambda: [row["id"] for row in server.call("GET", "runs")[1] if row["live"]])[0]
        run.wait(WAIT)
    finally:
        run.kill()
        run.wait()


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
    (entry,) = [entry for entry in journal if entry["command"] == "parameter"]

    page.get_by_role("button", name="Resume", exact=True).click()
    page.wait_for_selector(".track .mark")
    until_shown(page, lambda: shown_time(page) > entry["time"] + 5)
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Run again").wait_for()
    return int(entry["step"])


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


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
def test_a_parameter_of_a_module_is_steered(browser, tmp_path):
    heat, runs = tmp_path / "heat", tmp_path / "runs"
    folder = runs / "heat" / "0001"
    shutil.copytree(HEAT, heat, ignore=shutil.ignore_patterns("*.so"))
    for name, old, new in (
        ("module.toml", "[parameters.kappa]", "dimensions = [2]\n[parameters.kappa]"),
        ("heat.toml", "[output]", "[output]\nseries = 100000"),
        ("heat.toml", "end = 1\n", "end = 1e4\n"),
        ("heat.toml", "n     = 64 ", "n     = 128"),
        ("heat.toml", "kappa = 0.01 ", "kappa = 0.001"),
    ):
        (heat / name).write_text((heat / name).read_text().replace(old, new, 1))
    modules.build(heat, [NATIVE])
    with (
        lab_in_thread(runs) as (server, _, _),
        _joined(server, heat / "heat.toml", folder) as run,
        opened(browser, server, run=run) as page,
    ):
        step = _steer(
            page, server, name="kappa", first="0.001", bad="-1", refusal="must be > 0", good="0.002"
        )
    before, after = _rates(folder, "max_T", step)
    assert before == pytest.approx(8 * math.pi**2 * 0.001, rel=0.02)
    assert after == pytest.approx(8 * math.pi**2 * 0.002, rel=0.02)
