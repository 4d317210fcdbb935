"""Ramanathan and Parashar, once more: do threads that send and receive hide messages behind computing?

python experiments/ramanathan/run.py             everything, about 15 minutes on two cores
python experiments/ramanathan/run.py overlap     a part: waves, simulated, steps or overlap
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from simulated import simulated  # noqa: E402
from waves import waves  # noqa: E402
from workbench import Bench, main, table  # noqa: E402

from eddyline.plot.chart import LINES  # noqa: E402
from eddyline.ranks.launch import find_launcher, local_environment  # noqa: E402
from eddyline.validate.drawing import caption, panels, save  # noqa: E402

BOXES = (1, 2, 4, 8, 16)  # of each rank
PLACES = {"own": "a core each, none to spare", "spare": "both on one core, one to spare"}
WAYS = ("nonblocking", "threaded")
PARTICLES, WINDOWS, GROUPS = 30_000, 3, 3
WORLD = "worlds/dam_break_3d.toml"
FINE = "domain.spacing=a/40"
COMPUTE = 4.0  # times what an exchange takes alone


def launched(script: str, *words: object) -> str:
    """Runs a script on two ranks and returns the output of rank 0."""
    command = [*find_launcher(), "-n", "2", sys.executable, str(HERE / script), *map(str, words)]
    done = subprocess.run(command, env=local_environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: ended with {done.returncode}\n{done.stderr}")
    return done.stdout


# --- steps: whole time steps ------------------------------------------------------------------------


def steps(bench: Bench) -> None:
    particles, windows, groups = (6_000, 1, 1) if bench.quick else (PARTICLES, WINDOWS, GROUPS)
    told: dict[str, dict[int, dict[str, Any]]] = {place: {} for place in PLACES}
    for place in PLACES:
        for boxes in BOXES[: 2 if bench.quick else None]:
            runs: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
            for _ in range(groups):
                for way in WAYS:
                    runs[way].append(json.loads(launched("rank.py", place, boxes, way, particles, windows)))
            told[place][boxes] = summary(runs)
    rows = [
        [what, boxes, *(f"{1e3 * value[way]['step']:.1f}" for way in WAYS), f"{100 * value['better']:+.0f} %",
         f"{100 * value['least']:+.0f} to {100 * value['most']:+.0f} %",
         *(f"{100 * value[way]['wait']:.0f} %" for way in WAYS)]
        for place, what in PLACES.items()
        for boxes, value in told[place].items()
    ]  # fmt: skip
    head = ["", "boxes of a rank", *(f"{way} [ms a step]" for way in WAYS), "gain by threads", "range",
            *(f"waiting: {way}" for way in WAYS)]  # fmt: skip
    bench.tell("steps", {"particles": particles, "places": told}, table(head, rows))


def summary(runs: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Medians of steps, and of by how much threads are better in runs that followed each other."""
    medians = {way: [statistics.median(run["seconds"]) / 5 for run in each] for way, each in runs.items()}
    better = [plain / threaded - 1 for plain, threaded in zip(*medians.values(), strict=True)]
    found: dict[str, Any] = {
        way: {
            "step": statistics.median(medians[way]),
            "wait": statistics.median(run["wait"] for run in each),
        }
        for way, each in runs.items()
    }
    return {**found, "better": statistics.median(better), "least": min(better), "most": max(better)}


# --- overlap: how much of an exchange is hidden ------------------------------------------------------


def overlap(bench: Bench) -> None:
    finer = () if bench.quick else ("--set", FINE)
    told: dict[str, dict[int, dict[str, Any]]] = {place: {} for place in PLACES}
    for boxes in BOXES[: 2 if bench.quick else None]:
        traffic = bench.record(f"boxes-{boxes}", WORLD, "--steps", bench.steps(40), "--boxes", boxes, *finer,
                               ranks=2)  # fmt: skip
        for place in PLACES:
            told[place][boxes] = hidden(bench, traffic, place)
    rows = [
        [what, boxes, f"{value['bytes'] / 1000:.0f}", f"{1e6 * value['compute']:,.0f}",
         *(f"{1e6 * value[way]['alone']:,.0f}" for way in WAYS),
         *(f"{100 * value[way]['hidden']:.0f} %" for way in WAYS)]
        for place, what in PLACES.items()
        for boxes, value in told[place].items()
    ]  # fmt: skip
    head = ["", "boxes of a rank", "kB an exchange", "computing meanwhile [µs]",
            *(f"{way} alone [µs]" for way in WAYS), *(f"hidden: {way}" for way in WAYS)]  # fmt: skip
    picture = "![Hidden share of an exchange over the boxes of a rank](overlap.png)"
    bench.tell("overlap", {"places": told}, [picture, "", *table(head, rows)])
    draw_overlap(bench, told)


def hidden(bench: Bench, traffic: Path, place: str) -> dict[str, Any]:
    """The share of an exchange that computation hides. Alone the exchange takes a, with a computation of
    c seconds b; so a + c - b of a is hidden. Two ranks on one core compute one after the other."""
    alone = replayed(bench, traffic, place, 0.0)
    fluid = statistics.median(alone[way]["seconds"]["median"] for way in WAYS)
    compute = COMPUTE * fluid
    both = replayed(bench, traffic, place, compute)
    taken = compute * (2 if place == "spare" else 1)
    found: dict[str, Any] = {"compute": compute, "bytes": alone[WAYS[0]]["bytes"]}
    for way in WAYS:
        a, b = (records[way]["seconds"]["median"] for records in (alone, both))
        found[way] = {"alone": a, "together": b, "hidden": (a + taken - b) / a}
    return found


def replayed(bench: Bench, traffic: Path, place: str, compute: float) -> dict[str, dict[str, Any]]:
    told = traffic.with_suffix(".json")
    chosen = [word for way in WAYS for word in ("--exchange", way)]
    most, seconds = (60, 3) if bench.quick else (300, 8)
    launched("spare.py", place, "bench", "exchange", "--replay", traffic, *chosen, "--json", told, "--quiet",
             "--halo", "fluid", "--exchanges", most,
             "--seconds", seconds, "--compute", compute)  # fmt: skip
    return {record["strategy"]: record for record in json.loads(told.read_text())}


def draw_overlap(bench: Bench, told: dict[str, dict[int, dict[str, Any]]]) -> None:
    figure, axes = panels(len(told), 4.2, 3.0)
    for axis, (place, by_boxes) in zip(axes, told.items(), strict=True):
        for way, (color, style) in zip(WAYS, LINES, strict=False):
            shares = [100 * value[way]["hidden"] for value in by_boxes.values()]
            axis.plot(list(by_boxes), shares, style, color=color, marker="o", ms=4, label=way)
        axis.set(xscale="log", xlabel="boxes of a rank", ylim=(-50, 110))
        axis.set_xticks(list(by_boxes), [str(boxes) for boxes in by_boxes])
        axis.minorticks_off()
        caption(axis, f"{PLACES[place]}: hidden [%]")
    axes[0].legend(frameon=False, fontsize=8)
    save(figure, bench.results, "overlap.png")


if __name__ == "__main__":
    main(HERE, {"waves": waves, "simulated": simulated, "steps": steps, "overlap": overlap})
