"""The lab's page in Firefox: what may be otherwise there. What it does as a whole is tried in Chromium."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from firefox import Page, firefox
from lab_server import CHANNEL, WCAG, Client, going_on

from eddyline.plot import metadata

HOME = "\ue011"  # the key, as WebDriver has it
PAINTED = """
  await (async () => {
    await new Promise(requestAnimationFrame);
    const small = new OffscreenCanvas(64, 32), pen = small.getContext("2d");
    pen.drawImage(document.querySelector("canvas.flow"), 0, 0, 64, 32);
    const data = pen.getImageData(0, 0, 64, 32).data.map((part) => part >> 3), seen = new Set();
    for (let k = 0; k < data.length; k += 4) seen.add(data.subarray(k, k + 3).join());
    return seen.size > 20;
  })()
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with contextlib.ExitStack() as stack:
        try:
            page = stack.enter_context(firefox(tmp_path_factory.mktemp("firefox")))
        except FileNotFoundError as error:
            pytest.skip(f"{error}: the page is not tried there")
        yield page


@pytest.fixture
def running(server: Client) -> Iterator[str]:
    with going_on(server, CHANNEL) as run:
        yield run


def no_barriers(page: Page) -> None:
    """WCAG 2.2 AA, as far as axe can tell."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("no axe")
    page.run((Path(found.origin).parent / "axe.min.js").read_text())
    options = f"{{ runOnly: {{ type: 'tag', values: {WCAG} }} }}"
    assert page.evaluate(f"(await axe.run({options})).violations.map((each) => each.help)") == []


@pytest.mark.browser
def test_the_first_screen_flows(page, server):
    page.open(f"{server.base}?token={server.token}")
    page.until("document.body.innerText.includes('stored run')")
    page.until(PAINTED)
    no_barriers(page)
    assert page.mistakes == []


@pytest.mark.browser
def test_a_run_is_watched_paused_scrubbed_and_saved(page, server, running):
    page.open(f"{server.base}?token={server.token}&run={running}")
    page.until("parseFloat(document.querySelector('.time .t')?.innerText) > 0.03")
    page.until(PAINTED)
    page.until("document.querySelectorAll('.chart').length > 1")
    page.click("Record a video")
    begun = page.evaluate("document.querySelector('.time .t').innerText")
    page.until(f"document.querySelector('.time .t').innerText !== '{begun}'")
    page.evaluate("new Promise((done) => setTimeout(done, 1500))")
    page.click("Record a video")
    film = page.saved(".webm")
    world = server.call("GET", f"runs/{running}/world")[1]["toml"]
    assert metadata.read(film).world == world
    frames = imageio_ffmpeg.read_frames(str(film))
    told = next(frames)
    assert told["duration"] > 1
    assert len([np.frombuffer(frame, np.uint8) for frame in frames]) > 3

    page.click("Pause")
    page.until("[...document.querySelectorAll('button')].some((each) => each.innerText.includes('Resume'))")
    page.evaluate("document.querySelector('.track').focus()")
    page.press(HOME)
    page.until("document.querySelector('.time .t').innerText === '0.000 s'")
    page.click("Save picture (PNG)")
    assert metadata.read(page.saved(".png")).world == world
    no_barriers(page)
    assert page.mistakes == []
