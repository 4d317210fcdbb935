"""Speed of several processes: figures 10 to 13 and 16 to 18."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from shared import idle_share, world_file
from workbench import ROOT, Bench, table

from eddyline.cores import own_cores
from eddyline.plot.chart import INK, LINES, QUIET
from eddyline.ranks.launch import find_launcher, local_environment
from eddyline.validate.drawing import caption, panels, save

PROGRAM = Path(__file__).with_name("timed.py")
ROUNDS = 3
PROCESSES = (1, 2, 3, 4)
SIZES = (5_000, 10_000, 20_000, 30_000, 50_000)
EVERY = (2, 4, 8)


@dataclass(frozen=True)
class Case:
    """The world with one cylinder, about so many particles in the square, on so many processes."""

    particles: int
    ranks: int
    exchange: str = "nonblocking"
    lazy: int = 1
    exact: bool = True


@dataclass(frozen=True)
class Timed:
    """Medians. seconds: of a step. message: mean size [bytes]. idle: mean share of the processes' time."""

    seconds: float
    idle: float
    message: float
    particles: int
    effective: float
    copies: int


def timed(bench: Bench, cases: Sequence[Case], rounds: int = ROUNDS) -> dict[Case, Timed]:
    """All cases in turn, round after round, so that what else the machine does meets all alike."""
    told: dict[Case, list[dict[str, Any]]] = {case: [] for case in cases}
    for _ in range(1 if bench.quick else rounds):
        for case in cases:
            told[case].append(run_case(case, bench.steps(1_000_000 // case.particles)))
    return {case: _median(runs) for case, runs in told.items()}


def run_case(case: Case, steps: int, folder: Path | None = None) -> dict[str, Any]:
    """The result of timed.py. folder: where it keeps moments."""
    words = [world_file("one_cylinder"), f"{case.particles**-0.5:.6g}", str(steps)]
    words += [f"exchange={case.exchange}", f"lazy={case.lazy}", f"lazy_exact={'yes' if case.exact else 'no'}"]
    words += [f"keep={folder}"] if folder else []
    command = [*find_launcher(), "-n", str(case.ranks), sys.executable, str(PROGRAM), *words]
    done = subprocess.run(
        command, cwd=ROOT, env=local_environment(), stdout=subprocess.PIPE, text=True, check=True
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _median(runs: Sequence[dict[str, Any]]) -> Timed:
    def idle(run: dict[str, Any]) -> float:
        return float(np.mean([idle_share(share) for share in run["shares"]]))

    last = runs[-1]
    messages = sum(share["messages"] for share in last["shares"])
    lazy = last["statistics"].get("lazy", {})
    return Timed(
        statistics.median(run["seconds"] for run in runs),
        statistics.median(map(idle, runs)),
        sum(share["bytes"] for share in last["shares"]) / max(messages, 1),
        last["particles"],
        lazy["steps"] / lazy["refreshes"] if lazy else 1.0,
        lazy.get("copies", 0),
    )


def oversubscribed(ranks: int) -> str:
    return "*" if ranks > len(own_cores()) else ""


def note(rounds: int = ROUNDS) -> str:
    cores = len(own_cores())
    runs = f"Medians of {rounds} runs in turn" if rounds > 1 else "One run of each"
    return f"{runs}, one thread a process, on {cores} cores. \\* more processes than cores: they share cores."


# --- figures 10 and 11: efficiency, messages and idle time over the number of particles -----------


def figure10(bench: Bench) -> None:
    cases = [Case(size, ranks) for size in SIZES for ranks in (1, 2, 4)]
    found = timed(bench, cases, rounds=1)
    rows, values = [], []
    for size in SIZES:
        alone, two, four = (found[Case(size, ranks)] for ranks in (1, 2, 4))
        efficiency = [alone.seconds / each.seconds / n for each, n in ((two, 2), (four, 4))]
        rows.append([
            f"{alone.particles:,}", f"{1e3 * alone.seconds:.2f}", *(f"{each:.2f}" for each in efficiency),
            *(f"{100 * each.idle:.0f} %" for each in (two, four)),
            *(f"{each.message / 1000:.1f} k" for each in (two, four)),
        ])  # fmt: skip
        values.append({
            "particles": alone.particles, "seconds": [each.seconds for each in (alone, two, four)],
            "efficiency": efficiency, "idle": [two.idle, four.idle], "message": [two.message, four.message],
        })  # fmt: skip
    head = [
        "particles",
        "a step on 1 [ms]",
        "efficiency: 2",
        "4*",
        "idle: 2",
        "4*",
        "mean message [bytes]: 2",
        "4*",
    ]
    picture = "![Efficiency, idle share and message size over the number of particles](figure10.png)"
    lines = [picture, "", *table(head, rows), "", note(rounds=1)]
    bench.tell("figure10", {"processes": [2, 4], "sizes": values}, lines)
    figure, axes = panels(3, 3.1, 3.0)
    thousands = [value["particles"] / 1000 for value in values]
    for k, (ranks, (color, style)) in enumerate(zip((2, 4), LINES, strict=False)):
        for axis, key, scale in zip(axes, ("efficiency", "idle", "message"), (1, 100, 1e-3), strict=True):
            axis.plot(
                thousands, [scale * value[key][k] for value in values], style,
                color=color, marker="o", ms=4, label=f"{ranks} processes{oversubscribed(ranks)}",
            )  # fmt: skip
    for axis, text in zip(
        axes,
        ("figure 10: efficiency, P / k", "figure 11: idle share [%]", "figure 11: mean message [kB]"),
        strict=True,
    ):
        caption(axis, text)
        axis.set(xlabel="thousand particles", ylim=(0, None))
    axes[0].legend(frameon=False, fontsize=8)
    save(figure, bench.results, "figure10.png")


# --- figure 12: blocking and nonblocking sends ----------------------------------------------------


def figure12(bench: Bench) -> None:
    kinds = ("blocking", "nonblocking")
    cases = [Case(10_000, 1)] + [Case(10_000, ranks, kind) for ranks in PROCESSES[1:] for kind in kinds]
    found = timed(bench, cases)
    alone = found[cases[0]].seconds
    gain = {kind: [alone / found[Case(10_000, n, kind)].seconds for n in PROCESSES[1:]] for kind in kinds}
    head = ["", *(f"{n}{oversubscribed(n)} processes" for n in PROCESSES[1:])]
    rows = [[f"{kind}: T1/Tp", *(f"{each:.2f}" for each in gain[kind])] for kind in kinds]
    rows += [
        [f"{kind}: idle", *(f"{100 * found[Case(10_000, n, kind)].idle:.0f} %" for n in PROCESSES[1:])]
        for kind in kinds
    ]
    values = {"processes": PROCESSES[1:], "gain": gain, "seconds": alone}
    picture = "![T1 over Tp with blocking and with nonblocking sends](figure12.png)"
    bench.tell("figure12", values, [picture, "", *table(head, rows), "", note()])
    figure, (axes,) = panels(1, 4.6, 3.4)
    for kind, (color, style) in zip(kinds, LINES, strict=False):
        axes.plot(PROCESSES, [1, *gain[kind]], style, color=color, marker="o", ms=4, label=kind)
    _optimum(axes)
    save(figure, bench.results, "figure12.png")


def _optimum(axes: Axes) -> None:
    axes.plot(PROCESSES, PROCESSES, "-", color=QUIET, lw=1, label="as many as processes")
    axes.axvline(len(own_cores()), color=INK, lw=0.8, ls=":")
    axes.set(xlabel="processes (dotted: cores)", ylabel="T1 / Tp", ylim=(0, 4.1))
    axes.set_xticks(PROCESSES)
    axes.legend(frameon=False, fontsize=8, loc="upper left")


# --- figures 13, 16, 17 and 18: lazy steps ---------------------------------------------------------


def figure13(bench: Bench) -> None:
    kinds: Mapping[str, tuple[int, bool, Sequence[int]]] = {
        "figure 16: exact, 10,000": (10_000, True, EVERY[:2]),
        "figures 13 and 17: inexact, 10,000": (10_000, False, EVERY),
        "figure 18: inexact, 30,000": (30_000, False, (8,)),
    }
    ranks = (2, 4)
    cases = [Case(size, n) for size in (10_000, 30_000) for n in (1, *ranks)]
    for size, exact, every in kinds.values():
        cases += [Case(size, n, "nonblocking", k, exact) for n in ranks for k in every]
    found = timed(bench, cases)
    rows, values = [], {}
    figure, axes = panels(3, 3.4, 3.2)
    for axis, (name, (size, exact, every)) in zip(axes, kinds.items(), strict=True):
        alone = found[Case(size, 1)].seconds
        for k, (color, style) in zip((1, *every), LINES, strict=False):
            all_of = [found[Case(size, n, "nonblocking", k, exact or k == 1)] for n in ranks]
            gain = [alone / each.seconds for each in all_of]
            axis.plot((1, *ranks), [1, *gain], style, color=color, marker="o", ms=4, label=f"k = {k}")
            values[f"{name}, k = {k}"] = {
                "gain": gain, "idle": [each.idle for each in all_of],
                "effective": [each.effective for each in all_of], "copies": [each.copies for each in all_of],
            }  # fmt: skip
            copies = [f"{100 * each.copies / each.particles:.0f} %" if each.copies else "" for each in all_of]
            rows.append([
                name if k == 1 else "", k, *(f"{each:.2f}" for each in gain),
                *(f"{100 * each.idle:.0f} %" for each in all_of), f"{all_of[0].effective:.2f}", *copies,
            ])  # fmt: skip
        _optimum(axis)
        caption(axis, f"{name} particles")
    head = [
        "", "k", "T1/Tp: 2 processes", "4*", "idle: 2", "4*", "k reached", "copies computed: 2", "4*",
    ]  # fmt: skip
    picture = "![T1 over Tp of lazy steps, exact and inexact](figure13.png)"
    lines = [picture, "", *table(head, rows), "", note()]
    bench.tell("figure13", {"processes": ranks, "ways": values}, lines)
    save(figure, bench.results, "figure13.png")
