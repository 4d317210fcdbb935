"""Steps of the wave equation on patches, on real ranks, with three ways of exchange."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from matplotlib.patches import Patch
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
SHOWN_SECONDS = 0.075
SHOWN = (2, 128, 1, 8)  # ranks, cells, levels and patches of the timelines


def waves(bench: Bench) -> None:
    head = ["ranks", "core for threads", "cells", "levels", "patches a rank"]
    head += [f"{way} [ms a step]" for way in WAYS]
    head += [f"not computing: {way}" for way in WAYS]
    picture = "![A step of two ranks with eight patches each](waves.png)"
    told: dict[str, Any] = {}
    rows: list[list[Any]] = []
    timelines: dict[str, Any] = {way: {} for way in WAYS}
    for place, ranks, cells, levels in CASES[: 1 if bench.quick else None]:
        for patches in PATCHES[: 2 if bench.quick else None]:
            size = 32 if bench.quick else cells
            steps, rounds = (4, 1) if bench.quick else (2, 1) if cells > 128 else (3, 2)
            found = launched(ranks, place, size, levels, patches, steps, rounds)
            assert len({each["checksum"] for each in found.values()}) == 1, "bits depend on the exchange"
            for way, each in found.items():
                each["step"] = statistics.median(each["seconds"])
                each["exchange"] = (each["pack"] + each["wait"]) / (ranks * sum(each["seconds"]) * steps)
                laps = each.pop("timeline")
                if (ranks, cells, levels, patches) == SHOWN:
                    timelines[way][place] = laps
            told[f"{place}, {ranks}, {size}, {levels}, {patches}"] = found
            row = [
                ranks, PLACES[place], f"{size}³", levels, f"{found['threaded']['patches']:.0f}",
                *(f"{1e3 * found[way]['step']:.1f}" for way in WAYS),
                *(f"{100 * found[way]['exchange']:.0f} %" for way in WAYS),
            ]  # fmt: skip
            # With levels, several numbers that were asked for give the same patches.
            if not rows or rows[-1][:5] != row[:5]:
                rows.append(row)
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
    """Draws about two steps of each way, with and without a core to spare."""
    colors = {"computing": LINES[0][0], "packing": LINES[3][0], "waiting": LINES[1][0]}
    kinds = {"rates": "computing", "fringe": "computing", "pack": "packing", "wait": "waiting"}
    figure, axes = panels(len(WAYS), 4.2, 3.0)
    for axis, way in zip(axes, WAYS, strict=True):
        bars = [(place, rank, *laps) for place, of_ranks in timelines[way].items()
                for rank, laps in enumerate(of_ranks)]  # fmt: skip
        for row, (_, _, moments, phases) in enumerate(bars):
            start = moments[0][0]
            for (begin, end), phase in zip(moments, phases, strict=True):
                if phase in kinds:
                    color = colors[kinds[phase]]
                    axis.barh(-row, end - begin, left=begin - start, color=color, height=0.8, lw=0)
        axis.set(xlabel="time [s]", xlim=(0, SHOWN_SECONDS))
        axis.set_yticks([-row for row in range(len(bars))],
                        [f"{PLACES[place]}: rank {rank}" for place, rank, *_ in bars])  # fmt: skip
        axis.grid(False)
        caption(axis, way)
    handles = [Patch(color=color, label=kind) for kind, color in colors.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False, fontsize=8)
    save(figure, bench.results, "waves.png")
