"""Runs seen and steered from afar: frames a second, their age, the first picture, and a click.

python experiments/far-view/run.py             all links and views, about five minutes; Linux, as root
python experiments/far-view/run.py slow        a part: slow, near or local
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from two_sites import ADDRESSES, NO_LIMIT, Link, NotAllowedError, TwoSites, describe  # noqa: E402
from workbench import Bench, main, table  # noqa: E402

SLOW = Link(42.5e-3, 4.2e6)
"""Half a round trip of 85 ms, and bit/s: Berlin to Garching in 1999, a poor mobile network today."""
NEAR = Link(10e-3, 50e6)
VIEWER = HERE / "viewer.py"
PORT = 8421
ASKED = {"frames a second": "10", "age": "0.15 s", "first picture": "0.5 s", "click": "0.185 s and a step"}


def slow(bench: Bench) -> None:
    look(bench, "slow", SLOW)


def near(bench: Bench) -> None:
    look(bench, "near", NEAR)


def local(bench: Bench) -> None:
    look(bench, "local", NO_LIMIT)


def look(bench: Bench, part: str, link: Link) -> None:
    """A lab and its run at one site, a viewer at the other."""
    with TwoSites(link) as sites, tempfile.TemporaryDirectory(prefix="eddyline-far-") as folder:
        measured = sites.measure()
        words = [sys.executable, "-m", "eddyline", "serve", "--host", ADDRESSES[0], "--port", str(PORT)]
        lab = subprocess.Popen(
            sites.at(0, *words, "--folder", folder), stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            assert lab.stdout is not None
            said = "".join(lab.stdout.readline() for _ in range(4))
            found = re.search(r"control +(http://\S+)/\?token=(\S+)", said)
            if found is None:
                raise SystemExit(f"the lab did not start: {said}")
            seconds = "3" if bench.quick else "10"
            done = subprocess.run(
                sites.at(1, sys.executable, str(VIEWER), found[1], found[2], seconds),
                stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=600,
            )  # fmt: skip
            if done.returncode != 0:
                raise SystemExit(f"the viewer ended with {done.returncode}\n{done.stderr}")
        finally:
            lab.terminate()
            lab.wait()
    tell(bench, part, link, measured, json.loads(done.stdout.splitlines()[-1]))


def tell(
    bench: Bench, part: str, link: Link, measured: tuple[float, float, float], told: Mapping[str, Any]
) -> None:
    head = [
        "view", "particles", "kB a frame", "frames a second", "age [s]", "first picture [s]",
        "click to acknowledged [s]", "to the next frame [s]", "step [ms]",
    ]  # fmt: skip
    rows = []
    for name, view in told.items():
        rows.append([
            name, f"{view['particles']:,}", f"{view['bytes'] / 1000:.1f}", f"{view['rate']:.1f}",
            f"{view['age']:.3f}", f"{view['first']:.2f}", f"{view['click']:.3f}", f"{view['after']:.3f}",
            f"{1e3 * view['step']:.0f}",
        ])  # fmt: skip
    asked = ", ".join(f"{what} {value}" for what, value in ASKED.items()) if link is SLOW else ""
    lines = [
        *table(head, rows),
        "",
        f"The {describe(link, *measured)}." + (f" Asked: {asked}." if asked else ""),
    ]
    bench.tell(part, {"measured": measured, "views": told}, lines)


if __name__ == "__main__":
    try:
        main(HERE, {"slow": slow, "near": near, "local": local})
    except NotAllowedError as error:
        raise SystemExit(str(error)) from None
