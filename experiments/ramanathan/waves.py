"""Steps of the wave equation on patches, on real ranks, with three ways of exchange."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from workbench import Bench, table

from eddyline.plot.chart import LINES
from eddyline.ranks.launch import find_launcher, local_environment
from eddyline.validate.drawing import caption, panels, save

HERE = Path(__file__).resolve().parent
WAYS = ("blocking", "nonblocking", "threaded")
PLACES = {"own": "none to spare", "spare": "one to spare"}
PATCHES = (8, 27, 64, 1)  # of a rank, at least
CASES = (  # place, ranks, cells, levels
    ("spare", 2, 128, 1), ("own", 2, 128, 1), ("spare", 2, 128, 3), ("own", 4, 128, 1), ("spare", 2, 256, 1),
)  # fmt: skip
SHOWN = ("spare", 2, 128, 1, 8)


def waves(bench: Bench) -> None:
    head = ["ranks", "core for threads", "cells", "levels", "patches a rank"]
    head += [f"{way} [ms a step]" for way in WAYS]
    head += [f"waiting: {way}" for way in WAYS]
    picture = "![A step of two ranks with eight patches each](waves.png)"
    told, rows = {}, []
    timelines: dict[str, Any] = {}
    for place, ranks, cells, levels in CASES[: 1 if bench.quick else None]:
        for patches in PATCHES[: 2 if bench.quick else None]:
            size = 32 if bench.quick else cells
            steps, rounds = (4, 1) if bench.quick else (2, 1) if cells > 128 else (3, 2)
            found = launched(ranks, place, size, levels, patches, steps, rounds)
            assert len({each["checksum"] for each in found.values()}) == 1, "bits depend on the exchange"
            for way, each in found.items():
                each["step"] = statistics.median(each["seconds"])
                each["waiting"] = each["wait"] / (ranks * sum(each["seconds"]) * steps)
                laps = each.pop("timeline")
                if (place, ranks, cells, levels, patches) == SHOWN or bench.quick:
                    timelines[way] = laps
            told[f"{place}, {ranks}, {size}, {levels}, {patches}"] = found
            rows.append([
                ranks, PLACES[place], f"{size}³", levels, f"{found['threaded']['patches']:.0f}",
                *(f"{1e3 * found[way]['step']:.1f}" for way in WAYS),
                *(f"{100 * found[way]['waiting']:.0f} %" for way in WAYS),
            ])  # fmt: skip
            bench.tell("waves", {"cases": told}, [picture, "", *table(head, rows)])
            draw(bench, timelines)


def launched(ranks: int, *words: object) -> dict[str, Any]:
    command = [*find_launcher(), "-n", str(ranks), sys.executable, str(HERE / "wave.py"), *map(str, words)]
    done = subprocess.run(command, env=local_environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: ended with {done.returncode}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def draw(bench: Bench, timelines: dict[str, Any]) -> None:
    """The first two steps of each way."""
    colors = {"rates": LINES[0][0], "fringe": LINES[2][0], "pack": LINES[3][0], "wait": LINES[1][0]}
    figure, axes = panels(len(WAYS), 4.2, 2.6)
    for axis, way in zip(axes, WAYS, strict=True):
        longest = 0.0
        for rank, (moments, phases) in enumerate(timelines[way]):
            start = moments[0][0]
            for (begin, end), phase in zip(moments, phases, strict=True):
                if phase in colors and begin - start < 0.1:
                    axis.barh(rank, end - begin, left=begin - start, color=colors[phase], height=0.8, lw=0)
                    longest = max(longest, end - start)
        axis.set(xlabel="time [s]", xlim=(0, min(longest, 0.1)))
        axis.set_yticks(range(len(timelines[way])))
        axis.grid(False)
        caption(axis, f"{way}: computing blue and green, waiting red")
    save(figure, bench.results, "waves.png")
