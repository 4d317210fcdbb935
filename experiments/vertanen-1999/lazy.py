"""Effect of lazy steps on the result: Table 4."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from speed import Case, run_case
from timed import MOMENTS
from workbench import Bench, table

from eddyline.compare.particles import match
from eddyline.plot.chart import LINES
from eddyline.validate.drawing import caption, panels, save

EVERY = (2, 4, 8)
SIZE, RANKS = 10_000, 4
THEN = {  # steps: (mean position error, missing particles) with updates at every 2, 4 and 8 steps
    5_000: ((1.556e-5, 0), (5.879e-5, 0), (1.089e-4, 0)),
    10_000: ((1.050e-3, 3), (1.643e-3, 2), (1.696e-3, 4)),
    15_000: ((3.204e-3, 14), (4.219e-3, 24), (4.122e-3, 25)),
    20_000: ((5.004e-3, 50), (6.235e-3, 58), (5.748e-3, 49)),
    25_000: ((6.408e-3, 47), (7.934e-3, 69), (7.229e-3, 58)),
    30_000: ((8.076e-3, 74), (9.668e-3, 68), (9.185e-3, 71)),
    35_000: ((9.931e-3, 82), (1.169e-2, 105), (1.161e-2, 86)),
    40_000: ((1.268e-2, 105), (1.431e-2, 116), (1.444e-2, 125)),
}
Errors = Mapping[int, tuple[float, int]]  # by step: mean distance of particles [m], particles in one run only


def table4(bench: Bench) -> None:
    steps = bench.steps(2_000) // MOMENTS * MOMENTS
    cases = {"every step": Case(SIZE, RANKS)}
    cases |= {f"every {k}, exact": Case(SIZE, RANKS, lazy=k) for k in EVERY[:2]}
    cases |= {f"every {k}, inexact": Case(SIZE, RANKS, lazy=k, exact=False) for k in EVERY}
    told, kept = {}, {}
    for name, case in cases.items():
        kept[name] = bench.fresh(f"table4/{name.replace(' ', '-').replace(',', '')}")
        kept[name].mkdir()
        told[name] = run_case(case, steps, kept[name])
    errors = {name: _errors(kept["every step"], kept[name]) for name in cases if name != "every step"}
    same = len({told[name]["checksum"] for name in cases if "inexact" not in name}) == 1
    same = same and not any(
        error or lost for k in EVERY[:2] for error, lost in errors[f"every {k}, exact"].values()
    )
    inexact = {k: errors[f"every {k}, inexact"] for k in EVERY}
    ways = {name: _way(each) for name, each in told.items()}
    values = {"same": same, "errors": {str(k): each for k, each in inexact.items()}, "ways": ways}
    bench.tell("table4", values, [*_then(), "", *_now(inexact, same), "", *_ways(ways)])
    _draw(bench, inexact, same)
    _draw_states(bench, kept)


def _errors(first: Path, second: Path) -> dict[int, tuple[float, int]]:
    found = {}
    for path in sorted(first.glob("*.npz")):
        with np.load(path) as a, np.load(second / path.name) as b:
            moment = match(
                {key: a[key] for key in a} | {"time": float(a["time"]), "step": int(a["step"])},
                {key: b[key] for key in b} | {"time": float(b["time"]), "step": int(b["step"])},
                np.full(3, np.inf),
            )[0]
        found[moment.step] = moment.mean_error, moment.only_a + moment.only_b
    return found


def _way(told: Mapping[str, Any]) -> dict[str, float]:
    lazy = told["statistics"].get("lazy", {"steps": 1, "refreshes": 1, "copies": 0})
    return {
        "effective": lazy["steps"] / lazy["refreshes"],
        "copies": lazy["copies"] / told["particles"],
        "messages": sum(share["messages"] for share in told["shares"]),
        "bytes": sum(share["bytes"] for share in told["shares"]),
        "seconds": told["seconds"],
    }


def _then() -> list[str]:
    head = ["1999: steps", *(f"every {k}: error, missing" for k in EVERY)]
    return table(head, [[f"{n:,}", *(f"{e:.3g}, {lost}" for e, lost in row)] for n, row in THEN.items()])


def _now(errors: Mapping[int, Errors], same: bool) -> list[str]:
    steps = sorted(errors[EVERY[0]])
    head = ["now: steps", "exact, every 2 and 4", *(f"every {k}, inexact: error, missing" for k in EVERY)]
    exact = "0, bit-identical" if same else "**not bit-identical**"
    told = [n for n in steps if n in (steps[0], steps[1], steps[-1]) or n % (steps[-1] // 5) == 0]
    return table(
        head, [[f"{n:,}", exact, *(f"{errors[k][n][0]:.3g}, {errors[k][n][1]}" for k in EVERY)] for n in told]
    )


def _ways(ways: Mapping[str, Mapping[str, float]]) -> list[str]:
    head = ["exchanges", "k reached", "copies computed", "messages", "megabytes", "a step [ms]"]
    rows = [
        [
            name, f"{way['effective']:.2f}", f"{100 * way['copies']:.0f} %" if way["copies"] else "",
            f"{way['messages']:,}", f"{way['bytes'] / 1e6:.0f}", f"{1e3 * way['seconds']:.1f}",
        ]
        for name, way in ways.items()
    ]  # fmt: skip
    return [*table(head, rows), "", f"{RANKS} processes on two cores of a shared machine: oversubscribed."]


def _draw(bench: Bench, errors: Mapping[int, Errors], same: bool) -> None:
    figure, (axes,) = panels(1, 8.6, 3.6)
    axes.set_yscale("symlog", linthresh=1e-6, linscale=0.5)
    axes.set_xscale("log")
    for column, (k, (color, style)) in enumerate(zip(EVERY, LINES[1:], strict=True)):
        then = {n: row[column][0] for n, row in THEN.items()}
        axes.plot(
            list(then), list(then.values()), style, color=color, marker="s", ms=4, label=f"1999: every {k}"
        )
        now = {n: error for n, (error, _) in errors[k].items()}
        axes.plot(
            list(now),
            list(now.values()),
            style,
            color=color,
            marker="o",
            ms=3,
            label=f"now: every {k}, inexact",
        )
    if same:
        steps = [min(errors[EVERY[0]]), max(THEN)]
        axes.plot(steps, [0, 0], "-", color=LINES[0][0], lw=2, label="now: every 2 and 4, exact: exactly 0")
    axes.set(xlabel="steps", ylabel="mean distance of particles [m]", ylim=(-3e-7, 1))
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
    save(figure, bench.results, "table4.png")


def _draw_states(bench: Bench, kept: Mapping[str, Path]) -> None:
    """Speeds at the end, blue 0 to yellow 2 m/s."""
    names = ["every step", *(f"every {k}, inexact" for k in EVERY)]
    figure, axes = panels(len(names), 2.4, 2.5)
    for axis, name in zip(axes, names, strict=True):
        with np.load(sorted(kept[name].glob("*.npz"))[-1]) as state:
            speed = np.linalg.norm(state["velocity"], axis=1)
            axis.scatter(*state["position"].T[:2], c=speed, s=0.3, vmin=0, vmax=2, cmap="viridis")
        axis.set(xticks=[], yticks=[], aspect="equal")
        axis.grid(False)
        caption(axis, name)
    save(figure, bench.results, "table4_states.png")
