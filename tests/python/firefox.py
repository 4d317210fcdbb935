"""A Firefox on a virtual screen, controlled through WebDriver BiDi, which needs no driver."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

WAIT = 90.0  # s
SCREEN = "1400x1300x24"
PREFERENCES = {
    "browser.download.folderList": 2,
    "browser.download.useDownloadDir": True,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "app.normandy.enabled": False,
    "webgl.force-enabled": True,
}


class Page:
    """One window. What goes wrong in it is in `mistakes`."""

    def __init__(self, socket: ClientConnection, downloads: Path) -> None:
        self.downloads, self.mistakes = downloads, list[str]()
        self._socket, self._numbers = socket, itertools.count(1)
        self._ask("session.new", capabilities={})
        self._ask("session.subscribe", events=["log.entryAdded"])
        self._context = self._ask("browsingContext.getTree")["contexts"][0]["context"]

    def open(self, address: str, size: tuple[int, int] = (1280, 800)) -> None:
        viewport = {"width": size[0], "height": size[1]}
        self._ask("browsingContext.setViewport", context=self._context, viewport=viewport)
        self._ask("browsingContext.navigate", context=self._context, url=address, wait="interactive")

    def evaluate(self, script: str) -> Any:
        """The value of an expression, once its promise is fulfilled; JSON must be able to hold it."""
        told = {"context": self._context}
        text = f"(async () => JSON.stringify((await ({script})) ?? null))()"
        found = self._ask("script.evaluate", expression=text, target=told, awaitPromise=True)
        if found["type"] == "exception":
            raise AssertionError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def run(self, script: str) -> None:
        """A whole script."""
        told = {"context": self._context}
        self._ask("script.evaluate", expression=f"{script}; null", target=told, awaitPromise=False)

    def until(self, script: str) -> Any:
        """The first value of an expression that is not empty."""
        limit = time.monotonic() + WAIT
        while time.monotonic() < limit:
            found = self.evaluate(script)
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"waited in vain for {script}")

    def click(self, name: str) -> None:
        """A button, by its words or its label."""
        self.until(
            "(() => { const found = [...document.querySelectorAll('button')].find((each) => "
            f"[each.ariaLabel, each.innerText.trim()].includes({json.dumps(name)}) && !each.disabled); "
            "found?.click(); return !!found; })()"
        )

    def press(self, key: str) -> None:
        """A key, as WebDriver codes it."""
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        source = {"type": "key", "id": "keyboard", "actions": actions}
        self._ask("input.performActions", context=self._context, actions=[source])

    def screenshot(self) -> bytes:
        return base64.b64decode(self._ask("browsingContext.captureScreenshot", context=self._context)["data"])

    def saved(self, end: str) -> Path:
        """The newest whole download with this end."""
        limit = time.monotonic() + WAIT
        while time.monotonic() < limit:
            found = [path for path in self.downloads.glob(f"*{end}") if path.stat().st_size > 0]
            if found and not list(self.downloads.glob("*.part")):
                return max(found, key=lambda path: path.stat().st_mtime)
            time.sleep(0.1)
        raise AssertionError(f"no {end} was saved")

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            said = json.loads(self._socket.recv(timeout=WAIT))
            if said.get("method") == "log.entryAdded" and said["params"]["type"] == "javascript":
                self.mistakes.append(str(said["params"]["text"]))
            if said.get("id") == number:
                if said["type"] == "error":
                    raise AssertionError(f"{method}: {said['message']}")
                return dict(said["result"])


@contextlib.contextmanager
def firefox(folder: Path) -> Iterator[Page]:
    """folder: for its profile and what it saves. FileNotFoundError says what is missing."""
    programs = [shutil.which(name) for name in ("firefox", "firefox-esr")]
    program, screen = next(filter(None, programs), None), shutil.which("xvfb-run")
    if program is None or screen is None:
        raise FileNotFoundError("no Firefox, or no xvfb-run: without a screen it has no WebGL")
    profile, downloads, log = folder / "profile", folder / "saved", folder / "firefox.log"
    for path in (profile, downloads):
        path.mkdir(parents=True)
    preferences = {**PREFERENCES, "browser.download.dir": str(downloads)}
    lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in preferences.items()]
    (profile / "user.js").write_text("".join(lines))
    command = [screen, "-a", "-s", f"-screen 0 {SCREEN}", program, "--no-remote", "--profile", str(profile)]
    command += ["--remote-debugging-port", "0", "about:blank"]
    with log.open("w") as file:
        running = subprocess.Popen(command, stdout=file, stderr=file, start_new_session=True)
    try:
        with connect(f"{_address(log)}/session", proxy=None, max_size=None) as socket:
            yield Page(socket, downloads)
    finally:
        os.killpg(running.pid, signal.SIGTERM)
        running.wait()


def _address(log: Path) -> str:
    """The address on which Firefox listens, from the line that it prints once it is up."""
    limit = time.monotonic() + WAIT
    while time.monotonic() < limit:
        found = re.search(r"BiDi listening on (ws://\S+)", log.read_text(errors="replace"))
        if found:
            return found[1]
        time.sleep(0.1)
    raise AssertionError(f"Firefox does not come up: {log.read_text(errors='replace')[-500:]}")
