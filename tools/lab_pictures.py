"""Takes the lab's pictures of docs/lab.md: python tools/lab_pictures.py [FOLDER].

Starts a server on loopback, runs the cylinder of the gallery in headless Chromium, and writes lab.png (the
finished run) and lab_drawing.png (a body after it was dragged) to FOLDER, by default docs/pictures.
Takes about two minutes. Needs Playwright and Chromium, as the browser tests do.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright import sync_api as playwright

ROOT = Path(__file__).resolve().parent.parent
SIZE = {"width": 1200, "height": 750}
SOFTWARE = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
WAIT = 60_000  # ms for the page to react
RUN = 900_000  # ms for the whole run, on a busy machine


@contextmanager
def server(folder: str) -> Iterator[str]:
    """Yields the address that a browser opens."""
    command = [sys.executable, "-m", "eddyline", "serve", "--port", "0", "--folder", folder]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.match(r"control\s+(\S+)", line):
                yield found[1]
                return
        raise SystemExit("The server ended before it printed its address.")
    finally:
        process.terminate()
        process.wait()


def save(page: Any, file: Path) -> None:
    """Writes the page with a palette of 256 colours, a third of the size."""
    picture = Image.open(io.BytesIO(page.screenshot()))
    picture.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)


def take_drawing(page: Any, file: Path) -> None:
    """Drags the cylinder of the gallery's world and shows the file next to it."""
    page.get_by_role("button", name=re.compile("Vortex street")).click()
    page.get_by_role("tab", name="File").click()
    page.wait_for_selector(".cm-content")
    body = page.locator('[data-path="bodies.cylinder"]').first.bounding_box()
    water = page.locator(".overlay .water").bounding_box()
    metre = water["width"] / 2.2
    x, y = body["x"] + body["width"] / 2, body["y"] + body["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 0.28 * metre, y - 0.12 * metre, steps=12)
    page.mouse.up()
    page.wait_for_timeout(3000)  # the server's answers about file and cost
    moved = page.locator('[data-path="bodies.cylinder"]').first.bounding_box()
    assert moved["x"] - body["x"] > 0.2 * metre, "the cylinder was not dragged"
    save(page, file)


def take_run(page: Any, file: Path) -> None:
    """Runs the gallery's world as a preview and shows its end."""
    page.get_by_role("button", name=re.compile("Vortex street")).click()
    page.get_by_role("radio", name=re.compile("^Preview")).click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Run again").wait_for(timeout=RUN)
    page.get_by_text("Vorticity", exact=True).first.click()
    page.get_by_role("button", name=re.compile("^Streaklines", re.IGNORECASE)).click()
    page.get_by_role("slider", name="Displayed time").press("Home")
    page.get_by_role("button", name="Play", exact=True).click()  # streaklines are traced during playback
    shown = "() => parseFloat(document.querySelector('.time .t').innerText) >= 7.9"
    page.wait_for_function(shown, timeout=RUN)
    page.mouse.move(0, 0)  # no coordinates at the pointer
    page.wait_for_timeout(2000)
    save(page, file)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as runs, server(runs) as address, playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=browser_path, args=list(SOFTWARE))
        for take, name in ((take_drawing, "lab_drawing.png"), (take_run, "lab.png")):
            window = browser.new_context(viewport=SIZE, color_scheme="dark")
            window.set_default_timeout(WAIT)
            page = window.new_page()
            page.goto(address)
            take(page, folder / name)
            window.close()
        browser.close()


if __name__ == "__main__":
    main()
