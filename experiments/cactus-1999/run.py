"""Benger et al. 1999, once more: one run across two sites, and what the link between them costs.

python experiments/cactus-1999/run.py            everything, about an hour on two cores; Linux, as root
python experiments/cactus-1999/run.py near       a part: near, far, square, four, wave-near, wave-far,
                                                 adaptive, variables, sizes or surfaces
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from two_sites import Link, NotAllowedError, TwoSites, describe  # noqa: E402
from workbench import Bench, main, table  # noqa: E402

from eddyline.plot.chart import LINES, QUIET  # noqa: E402
from eddyline.ranks.launch import find_launcher, local_environment  # noqa: E402
from eddyline.validate.drawing import caption, panels, save  # noqa: E402

RANK, SURFACES = HERE / "rank.py", HERE / "surfaces.py"
NEAR = Link(3.75e-3, 24e6)
"""Link between Argonne and NCSA, from section 4.2 of the paper. A latency is half a round trip."""
FAR = Link(42.5e-3, 4.2e6)
"""Link between Berlin and Garching."""
THEN = {NEAR: (48, 100), FAR: (79, 133)}
"""Time that a step of Cactus took more across that link than on one machine [%]."""
ROUNDS = 5
COLORS = (*(color for color, _ in LINES), "#c9a227")
"""Colours of the exchanges in which a step waits."""


@dataclass(frozen=True)
class Way:
    """One way to compute a run: at one site or at two linked ones, with options of the simulation."""

    name: str
    across: bool
    options: Mapping[str, str] = field(default_factory=dict)


ONE_SITE = Way("one site", False)
TWO_SITES = (
    Way("two sites, blocking", True, {"exchange": "blocking"}),
    Way("two sites, nonblocking", True),
)
LAZY = Way("two sites, lazy 4", True, {"lazy": "4"})
COMPRESSED = Way("two sites, compressed", True, {"compress": "site"})
COMBINED = Way("two sites, combined", True, {"combine": "site"})
BOTH = Way("two sites, combined and compressed", True, {"combine": "site", "compress": "site"})
AUTO = Way("two sites, auto", True, {"exchange": "auto", "before": "260"})
"""It chooses among the strategies in its first 200 steps."""


# --- the parts ------------------------------------------------------------------------------------


def near(bench: Bench) -> None:
    ways = ONE_SITE, *TWO_SITES, COMPRESSED, LAZY
    compare(bench, "near", NEAR, "tank.toml", (1, 1), ways, steps=100, rounds=9)


def far(bench: Bench) -> None:
    ways = ONE_SITE, *TWO_SITES, COMPRESSED, LAZY
    compare(bench, "far", FAR, "tank.toml", (1, 1), ways, steps=60, rounds=3)


def square(bench: Bench) -> None:
    compare(bench, "square", NEAR, "square.toml", (1, 1), (ONE_SITE, *TWO_SITES, COMPRESSED), steps=100)


def four(bench: Bench) -> None:
    compare(bench, "four", NEAR, "square.toml", (2, 2), (ONE_SITE, *TWO_SITES, COMBINED, BOTH), steps=100)


def adaptive(bench: Bench) -> None:
    before = {"before": AUTO.options["before"]}
    ways = [replace(way, options={**way.options, **before}) for way in (ONE_SITE, TWO_SITES[1], AUTO)]
    compare(bench, "adaptive", NEAR, "tank.toml", (1, 1), ways, steps=100, rounds=3)


def wave_near(bench: Bench) -> None:
    wave(bench, "wave-near", NEAR, rounds=3)


def wave_far(bench: Bench) -> None:
    wave(bench, "wave-far", FAR, rounds=1)


def wave(bench: Bench, part: str, link: Link, rounds: int) -> None:
    """The wave equation on 128^3 cells, two ranks at each site."""
    short = {"before": "2", "window": "5"}
    ways = [
        Way(way.name, way.across, {**way.options, **short})
        for way in (ONE_SITE, *TWO_SITES, COMPRESSED, COMBINED, BOTH)
    ]
    compare(bench, part, link, "wave.toml", (2, 2), ways, steps=10, rounds=rounds, fewest=5)


def compare(
    bench: Bench,
    part: str,
    link: Link,
    world: str,
    ranks: Sequence[int],
    ways: Sequence[Way],
    steps: int,
    rounds: int = ROUNDS,
    fewest: int = 40,
) -> None:
    """Runs a world in all ways in turn, several times round, and tells what each added. fewest: steps of a
    trial."""
    steps = max(fewest, steps // 5) if bench.quick else steps
    rounds = 1 if bench.quick else rounds
    found: dict[str, list[dict[str, Any]]] = {way.name: [] for way in ways}
    with TwoSites(link) as sites:
        measured = sites.measure()
        for _ in range(rounds):
            for way in ways:
                command, environment = sites.launcher(ranks) if way.across else here(sum(ranks))
                words = [f"{key}={value}" for key, value in way.options.items()]
                if sum(ranks) > 2:
                    words.append("sites=" + ",".join(map(str, ranks)))
                run = [*command, sys.executable, str(RANK), str(HERE / world), str(steps), *words]
                done = subprocess.run(
                    run,
                    env=environment,
                    capture_output=True,
                    text=True,
                    stdin=subprocess.DEVNULL,
                    check=False,
                )
                if done.returncode != 0:
                    raise SystemExit(f"{' '.join(run)}: ended with {done.returncode}\n{done.stderr}")
                found[way.name].append(json.loads(done.stdout.splitlines()[-1]))
    tell(bench, part, link, measured, found)


def here(ranks: int) -> tuple[list[str], dict[str, str]]:
    return [*find_launcher(), "-n", str(ranks)], local_environment()


# --- many variables, sizes of messages, surfaces ---------------------------------------------------


VARIABLES, SIDE = 56, 128
"""Variables at each point, and points along an edge, of the simulations of the paper."""
STEP_THEN = 7.10
"""Seconds a step of the paper's simulation took on 16 processors, its table 1."""


def variables(bench: Bench) -> None:
    """The exchange between two sites of 56 arrays, one layer of 128^2 points each: one message an array, or
    all arrays in one message."""
    from eddyline.bench.exchange.traffic import FORMAT, Traffic

    rows, values = [], {}
    count = 3 if bench.quick else 5
    for link, place in ((NEAR, "near"), (FAR, "far")):
        with TwoSites(link) as sites:
            measured = sites.measure()
            times = {}
            for name, arrays in (("one array a message", 1), ("all arrays in one message", VARIABLES)):
                path = bench.runs / f"{place}-{arrays}.npz"
                path.parent.mkdir(parents=True, exist_ok=True)
                layer = 8 * arrays * SIDE * SIDE
                exchanges = np.array([[k, 0, 0, 0] for k in range(count)])
                messages = np.array([[0, 0, 1, layer], [0, 1, 0, layer]])
                about: dict[str, Any] = {
                    "format": FORMAT,
                    "world": "arrays",
                    "overrides": {},
                    "ranks": 2,
                    "boxes": 1,
                    "steps": count,
                }
                about |= {"dimensions": 3, "counts": {"cells": SIDE**3}, "decomposition": "strips"}
                about |= {"checksum": "", "commit": ""}
                Traffic(about, ("cells",), exchanges, messages).write(path)
                command, environment = sites.launcher((1, 1))
                told = path.with_suffix(".json")
                words = ["bench", "exchange", "--replay", path, "--exchange", "nonblocking", "--json", told]
                words += ["--exchanges", count, "--seconds", 200, "--quiet"]
                run = [*command, sys.executable, "-m", "eddyline", *map(str, words)]
                done = subprocess.run(
                    run,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                if done.returncode != 0:
                    raise SystemExit(f"{' '.join(run)}: ended with {done.returncode}\n{done.stderr}")
                (record,) = json.loads(told.read_text())
                once = record["seconds"]["median"]
                times[name] = once * (VARIABLES // arrays)
        for name, seconds in times.items():
            number = VARIABLES if name.startswith("one") else 1
            rows.append([
                place, name, number, f"{8 * SIDE * SIDE * VARIABLES // number / 1000:,.0f}", f"{seconds:.2f}",
                f"+{100 * seconds / STEP_THEN:.0f} %", f"+{THEN[link][0]} to +{THEN[link][1]} %",
            ])  # fmt: skip
        values[place] = {"seconds": times, "measured": measured}
    head = [
        "link", "", "messages", "kB each", "exchange of all arrays [s]",
        f"of his step of {STEP_THEN:g} s on 16 processors", "he measured",
    ]  # fmt: skip
    bench.tell("variables", values, table(head, rows))


def sizes(bench: Bench) -> None:
    """The number of messages that ranks send in a step, by size."""
    from eddyline.bench.exchange.traffic import Traffic

    edges = [0, *(4**k * 1024 for k in range(-1, 6)), 2**62]
    names = ["under 256 B", "256 B to 1 kB", "1 to 4 kB", "4 to 16 kB", "16 to 64 kB", "64 to 256 kB"]
    names += ["256 kB to 1 MB", "above 1 MB"]
    cases = [("wave, 4 ranks", "wave.toml", 4), ("wave, 8 ranks", "wave.toml", 8)]
    cases += [("tank, 4 ranks", "tank.toml", 4), ("square, 4 ranks", "square.toml", 4)]
    counts = {}
    for name, world, ranks in cases:
        steps = 4 if "wave" in world or bench.quick else 40
        path = bench.record(
            name.replace(", ", "-").replace(" ", "-"), str(HERE / world), "--steps", steps, ranks=ranks
        )
        traffic = Traffic.read(path)
        found = np.zeros(len(names))
        for step, _, _, group in traffic.exchanges:
            if step > 0:
                of_group = traffic.messages[traffic.messages[:, 0] == group]
                found += np.histogram(of_group[:, 3], edges)[0]
        counts[name] = (found / steps).tolist()
    rows = [[size, *(f"{of[k]:.1f}" for of in counts.values())] for k, size in enumerate(names)]
    lines = ["![Messages of a step by size](sizes.png)", "", *table(["messages a step", *counts], rows)]
    bench.tell("sizes", counts, lines)
    figure, panes = panels(len(counts), 2.6, 3.0)
    for axes, (name, of) in zip(panes, counts.items(), strict=True):
        axes.barh(names, of, 0.7, color=LINES[0][0])
        axes.invert_yaxis()
        axes.grid(False, axis="y")
        axes.tick_params(labelsize=8, labelleft=axes is panes[0])
        caption(axes, name)
    save(figure, bench.results, "sizes.png")


def surfaces(bench: Bench) -> None:
    """The share of surfaces in the time of a step, and their bytes."""
    raw = 8 * SIDE**3 / 1e6
    rows, values = [], {}
    for ranks in (1, 2):
        command, environment = here(ranks)
        steps = 10 if bench.quick else 40
        run = [*command, sys.executable, str(SURFACES), str(HERE / "wave.toml"), str(steps)]
        done = subprocess.run(
            run, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(run)}: ended with {done.returncode}\n{done.stderr}")
        told = json.loads(done.stdout.splitlines()[-1])
        values[f"{ranks} ranks"] = told
        for name, each in told["surfaces"].items():
            share = each["seconds"] / (each["seconds"] + told["step"])
            rows.append([
                ranks, f"{1e3 * told['step']:.0f}", name, f"{each['triangles']:,}",
                f"{1e3 * each['seconds']:.0f}",
                f"{100 * share:.0f} %", f"{100 * each['seconds'] / told['step'] / EVERY:.1f} %",
                f"{each['bytes'] / 1e3:.0f}", f"{1e6 * raw / each['bytes']:.0f}",
            ])  # fmt: skip
    head = [
        "ranks", "step [ms]", "surface", "triangles", "surface [ms]", "share with one each step",
        f"added with one every {EVERY} steps", "kB", "times fewer bytes than the values",
    ]  # fmt: skip
    bench.tell("surfaces", values, table(head, rows))


EVERY = 50
"""Steps between surfaces of a film of this run, about."""


# --- what is told ---------------------------------------------------------------------------------


def tell(
    bench: Bench, part: str, link: Link, measured: tuple[float, float, float],
    found: Mapping[str, Sequence[dict[str, Any]]],
) -> None:  # fmt: skip
    """The table of a part: times of runs of one round are compared with each other, and medians taken."""
    times = {name: [statistics.median(run["windows"]) for run in runs] for name, runs in found.items()}
    base = times[ONE_SITE.name]
    values: dict[str, Any] = {}
    rows = []
    for name, runs in found.items():
        added = sorted(100 * (own / alone - 1) for own, alone in zip(times[name], base, strict=True))
        waits = {"messages while packing": middle(run["phases"]["pack"] for run in runs)}
        waits |= {what: middle(run["waits"][what] for run in runs) for what in runs[0]["waits"]}
        rebuilding = middle(
            sum(run["phases"][phase] for phase in ("sort", "migrate", "lists")) for run in runs
        )
        each = runs[0]["each step"]
        values[name] = {
            "seconds": statistics.median(times[name]), "added": statistics.median(added),
            "range": (added[0], added[-1]), "waits": waits, "rebuilding": rebuilding, "each step": each,
        }  # fmt: skip
        across = name != ONE_SITE.name
        rows.append([
            name, f"{1e3 * values[name]['seconds']:.1f}",
            f"{statistics.median(added):+.0f} % ({added[0]:+.0f} to {added[-1]:+.0f})" if across else "",
            *(f"{1e3 * seconds:.1f}" for seconds in waits.values()), f"{1e3 * rebuilding:.1f}",
            f"{each['messages_between_sites']:.1f}" if across else "",
            f"{each['bytes_between_sites'] / 2000:.1f}" if across else "",
        ])  # fmt: skip
    head = [
        "", "step [ms]", "added", *(f"waits for {what} [ms]" for what in values[name]["waits"]),
        "rebuilds [ms]", "messages between sites, a step", "kB a step, each way",
    ]  # fmt: skip
    checksums = {run["checksum"] for runs in found.values() for run in runs}
    verdict = "bit-identical in all runs" if len(checksums) == 1 else "**not bit-identical**"
    first = found[ONE_SITE.name][0]
    low, high = THEN[link]
    every = first["each step"]["rebuilds"]
    members = "particles" if every else "cells"
    rebuilds = f" A rebuild every {1 / every:.0f} steps." if every else ""
    lines = [
        f"![Where the time of a step goes, and what the link adds]({part}.png)", "",
        *table(head, rows), "",
        f"{first['members']:,} {members}; {verdict}. Then: +{low} to +{high} %. "
        f"The {describe(link, *measured)}.{rebuilds}",
    ]  # fmt: skip
    outcome = {
        "asked": {"latency": link.latency, "bandwidth": link.bandwidth},
        "found": {"round_trip": measured[0], "there": measured[1], "back": measured[2]},
        "ways": values, "same": len(checksums) == 1, "then": [low, high],
    }  # fmt: skip
    bench.tell(part, outcome, lines)
    draw(bench, part, values, (low, high))


def middle(values: Any) -> float:
    return float(statistics.median(values))


def draw(bench: Bench, part: str, values: Mapping[str, Mapping[str, Any]], then: tuple[int, int]) -> None:
    """Draws the parts of a step's time, one bar for each way, and the added time, in the paper and here."""
    figure, (left, right) = panels(2, 4.8, 3.0)
    names = list(values)
    bottom = [0.0] * len(names)
    waits = list(values[names[0]]["waits"])
    # Waits of different ranks may overlap in a step.
    computed = [values[name]["seconds"] - sum(values[name]["waits"].values()) for name in names]
    rest = [1e3 * max(0.0, seconds) for seconds in computed]
    for number, (label, heights) in enumerate(
        [("computing, rebuilding", rest)]
        + [(f"waiting for {what}", [1e3 * values[name]["waits"][what] for name in names]) for what in waits]
    ):
        color = QUIET if number == 0 else COLORS[number - 1]
        left.barh(names, heights, 0.6, left=bottom, color=color, label=label)
        bottom = [a + b for a, b in zip(bottom, heights, strict=True)]
    left.invert_yaxis()
    left.legend(frameon=False, fontsize=7, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.1))
    caption(left, "a step [ms]")
    across = [name for name in names if name != ONE_SITE.name]
    right.barh(["1999, lowest", "1999, highest"], then, 0.6, color=QUIET)
    right.barh(across, [values[name]["added"] for name in across], 0.6, color=LINES[0][0])
    right.invert_yaxis()
    caption(right, "added to a step [%]")
    for axes in (left, right):
        axes.tick_params(labelsize=8)
        axes.grid(False, axis="y")
    save(figure, bench.results, f"{part}.png")


if __name__ == "__main__":
    try:
        main(
            HERE,
            {
                "near": near, "far": far, "square": square, "four": four, "wave-near": wave_near,
                "wave-far": wave_far, "adaptive": adaptive, "variables": variables,
                "sizes": sizes, "surfaces": surfaces,
            },
        )  # fmt: skip
    except NotAllowedError as error:
        raise SystemExit(str(error)) from None
