"""Chromium without a window, for tests of the page."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from lab_server import Client

WATCH = """
  window.seen = [];  // the words of all buttons that there ever were
  new MutationObserver(() => {
    for (const each of document.querySelectorAll("button")) {
      const words = each.innerText.trim();
      if (!window.seen.includes(words)) window.seen.push(words);
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
"""
PIXELS = """
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    const flow = document.querySelector("canvas.flow"), { width, height } = flow;
    const pen = new OffscreenCanvas(width, height).getContext("2d");
    pen.drawImage(flow, 0, 0);
    const { data } = pen.getImageData(0, 0, width, height);
"""
"""Code for scripts: reads the canvas as `data` of `width` times `height` pixels."""
LONGER = 90_000  # ms that a step may take on a busy machine
SOFTWARE = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """A browser; skips the test where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: the page is not tried")
    found = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium here: the page is not tried")
    with playwright.sync_playwright() as tool:
        running = tool.chromium.launch(executable_path=found, args=list(SOFTWARE))
        yield running
        running.close()


@contextlib.contextmanager
def opened(
    browser: Any, server: Client, *, size: tuple[int, int] = (1280, 800), touch: bool = False, **query: str
) -> Iterator[Any]:
    """The page in a window of its own; what goes wrong in it fails the test."""
    viewport = {"width": size[0], "height": size[1]}
    window = browser.new_context(viewport=viewport, has_touch=touch, reduced_motion="reduce")
    window.set_default_timeout(LONGER)
    window.add_init_script(WATCH)
    page, mistakes = window.new_page(), []
    page.on("pageerror", lambda error: mistakes.append(str(error)))
    page.goto(f"{server.base}?{urlencode({'token': server.token, **query})}")
    yield page
    window.close()
    assert not mistakes


def shown_time(page: Any) -> float:
    return float(page.locator(".time .t").inner_text().split()[0])


def until(page: Any, look: Callable[[], bool]) -> None:
    for _ in range(LONGER // 100):
        if look():
            return
        page.wait_for_timeout(100)
    raise AssertionError("waited in vain")
