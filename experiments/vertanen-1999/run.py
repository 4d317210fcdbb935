"""Vertanen 1999, once more: do the numbers of processes change the result, how fast are they together, what
do lazy steps gain and cost, what does a loaded processor cost, and what do obstacles do to the messages?

  python experiments/vertanen-1999/run.py             everything, about an hour on two cores
  python experiments/vertanen-1999/run.py table3      a part: table3, figure10 (with 11), figure12, figure13
                                                      (with 16 to 18), table4, figure19 or figure20
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from lazy import table4  # noqa: E402
from shared import idle_share, wall_time, world_file  # noqa: E402
from speed import figure10, figure12, figure13  # noqa: E402
from workbench import ROOT, Bench, main, table  # noqa: E402

from eddyline import Simulation  # noqa: E402
from eddyline.compare import compare_runs  # noqa: E402
from eddyline.plot.chart import INK, LINES, QUIET  # noqa: E402
from eddyline.run import Run  # noqa: E402
from eddyline.stream.checksums import NAME, read_checksums  # noqa: E402
from eddyline.stream.frames import FrameStore  # noqa: E402
from eddyline.validate.drawing import caption, panels, save  # noqa: E402
from eddyline.world import World  # noqa: E402

WORLDS = {
    "0 cylinders": "no_cylinder",
    "1 cylinder": "one_cylinder",
    "5 cylinders": "five_cylinders",
    "10 cylinders": "ten_cylinders",
    "funnel": "funnel",
}
THEN = {  # Table 3: mean position error between orders of computation, and between 1 and 4 processes
    5_000: (8.956e-17, 0.0),
    10_000: (8.131e-15, 0.0),
    15_000: (3.278e-10, 0.0),
    20_000: (1.901e-08, 2.630e-16),
    25_000: (5.903e-09, 1.299e-14),
    30_000: (1.884e-08, 1.346e-12),
    35_000: (4.755e-07, 2.699e-10),
    40_000: (7.262e-05, 2.533e-08),
}
THEN_KILOBYTES = {"0 cylinders": 62, "1 cylinder": 58, "5 cylinders": 56, "10 cylinders": 54}  # section 5.4.8


# --- table 3: errors between runs on different numbers of processes -------------------------------


def table3(bench: Bench) -> None:
    every = bench.steps(40_000) // len(THEN)
    steps = every * len(THEN)
    world = world_file("one_cylinder")
    options = ("--steps", steps, "--checksums", every, "--set", "time.end=100", "--set", "output.pictures=0")
    ways = {
        "one process, one thread": (1, ("--threads", 1)),
        "two threads, five boxes": (1, ("--threads", 2, "--boxes", 5)),
        "2 processes": (2, ("--threads", 1)),
        "4 processes": (4, ("--threads", 1, "--decomposition", "strips-y", "--exchange", "blocking")),
    }
    runs = {
        name: bench.run(f"table3/{number}", world, *options, *more, ranks=ranks)
        for number, (name, (ranks, more)) in enumerate(ways.items())
    }
    first, reordered, *shared = runs.values()
    order, processes = same_steps(first, [reordered]), same_steps(first, shared)
    identical = all(compare_runs(first, other).identical for other in (reordered, *shared))
    same = {step: order[step] and processes[step] for step in order}
    apart = last_bit(world, every, len(THEN))

    def error(same: bool) -> str:
        return "0, bit-identical" if same else "**not bit-identical**"

    rows = [
        [
            f"{then:,}",
            f"{THEN[then][0]:.3g}",
            f"{THEN[then][1]:.3g}",
            error(order[step]),
            error(processes[step]),
            f"{apart[step]:.3g}",
        ]
        for then, step in zip(THEN, sorted(same), strict=True)
    ]
    head = [
        "steps", "then: another order", "then: 1 and 4 processes", "now: another order",
        "now: 1, 2 and 4 processes", "now: the last bit of the start changed",
    ]  # fmt: skip
    seconds = {name: wall_time(run) for name, run in runs.items()}
    lines = table(head, rows)
    lines += ["", f"The last states and all series: "
              f"{'identical' if identical else '**different**'}. "
              f"{first.record['fluid_particles']:,} particles at the end; on 4 processes, particles "
              f"changed their process {runs['4 processes'].record['statistics']['migrants']:,} times. "
              "Wall-clock seconds: " + ", ".join(f"{name} {value:.0f}" for name, value in seconds.items())
              + " (4 processes on two cores: oversubscribed; other work ran on the machine)."]  # fmt: skip
    values = {
        "steps": sorted(same),
        "same": all(same.values()) and identical,
        "apart": apart,
        "seconds": seconds,
    }
    bench.tell("table3", values, lines)
    draw_table3(bench, same, apart)


def same_steps(run: Run, others: Sequence[Run]) -> dict[int, bool]:
    """Steps, and whether the checksums of all runs are the same there."""
    theirs = [checksums(other) for other in others]
    return {step: all(each[step] == own for each in theirs) for step, own in checksums(run).items()}


def last_bit(path: str, every: int, count: int) -> dict[int, float]:
    """Mean distance of particles [m] between two runs on one process whose start differs by one rounding,
    often within the first `every` steps, then after every so many."""
    text = (ROOT / path).read_text()
    changed = text.replace('velocity = ["U", ', 'velocity = ["U*(1 + 2.3e-16)", ')
    assert changed != text
    pair = [Simulation(World.from_text(each), threads=1) for each in (text, changed)]
    apart = {}
    early = (every * k // 20 for k in range(1, 20))
    for step in (*early, *range(every, every * count + 1, every)):
        for simulation in pair:
            simulation.step(step - simulation.steps)
        a, b = (simulation.particles.by_id() for simulation in pair)
        _, in_a, in_b = np.intersect1d(a.id, b.id, return_indices=True)
        distance = np.linalg.norm(a.position[in_a] - b.position[in_b], axis=1)
        apart[pair[0].steps] = float(distance.mean())
    return apart


def draw_table3(bench: Bench, same: dict[int, bool], apart: dict[int, float]) -> None:
    figure, (axes,) = panels(1, 7.2, 3.8)
    steps = list(THEN)
    axes.set_yscale("symlog", linthresh=1e-18, linscale=0.6)
    for column, label, (color, style) in (
        (0, "1999: another order of computation", LINES[1]),
        (1, "1999: 1 and 4 processes", LINES[2]),
    ):
        axes.plot(steps, [THEN[n][column] for n in steps], style, color=color, marker="s", ms=4, label=label)
    scale = steps[-1] / max(apart)
    axes.plot(
        [n * scale for n in apart], list(apart.values()), LINES[3][1], color=LINES[3][0], marker="o", ms=3,
        label="now: the last bit of the start changed",
    )  # fmt: skip
    if all(same.values()):
        axes.plot(
            steps, [0] * len(steps), "-", color=LINES[0][0], marker="o", ms=5, lw=2,
            label="now: 1, 2 and 4 processes, threads, boxes: exactly 0",
        )  # fmt: skip
    axes.set(xlabel="steps", ylabel="mean distance of particles [m]", ylim=(-3e-19, 1))
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0.07, 0.86))
    save(figure, bench.results, "table3.png")


# --- figure 19: a loaded processor ----------------------------------------------------------------


def figure19(bench: Bench) -> None:
    steps = bench.steps(3_000)
    options = (
        "--steps", steps, "--set", "domain.spacing=0.005", "--set", "output.pictures=0",
        "--set", "output.snapshots=0", "--decomposition", "strips-y",
    )  # fmt: skip
    world = world_file("one_cylinder")
    cases = {
        "both processors free": ([], ["--rebalance"]),
        "one loaded, first cut kept": ([0], ["--no-rebalance"]),
        "one loaded, rebalanced": ([0], ["--rebalance"]),
    }
    runs = {
        name: bench.run_pinned(f"figure19/{number}", world, *options, *more, ranks=2, loaded=loaded)
        for number, (name, (loaded, more)) in enumerate(cases.items())
    }
    prints = {run.fingerprint for run in runs.values()}
    rows, values = [], {}
    for name, run in runs.items():
        shares = run.record["shares"]
        idle = [idle_share(share) for share in shares]
        particles = [share["fluid_particles"] for share in shares]
        seconds = wall_time(run)
        rows.append([
            name, *(f"{100 * each:.0f} %" for each in idle), " / ".join(f"{n:,}" for n in particles),
            run.record["statistics"]["rebalances"], f"{seconds:.1f}",
        ])  # fmt: skip
        values[name] = {"idle": idle, "particles": particles, "seconds": seconds}
    head = ["", "idle: process 0", "idle: process 1", "particles at the end", "rebalanced", "time [s]"]
    count = sum(particles)
    verdict = "bit-identical in all runs" if len(prints) == 1 else "**not bit-identical**"
    lines = [*table(head, rows), "", f"{count:,} particles, {steps:,} steps, two processes; {verdict}."]
    bench.tell("figure19", {"runs": values, "same": len(prints) == 1}, lines)
    draw_figure19(bench, values)


def draw_figure19(bench: Bench, values: dict[str, dict[str, Any]]) -> None:
    figure, (left, right) = panels(2, 4.6, 3.2)
    places = np.arange(len(values))
    for process in (0, 1):
        idle = [100 * value["idle"][process] for value in values.values()]
        left.bar(
            places + 0.2 * (2 * process - 1), idle, 0.36, color=LINES[process][0], label=f"process {process}"
        )
    left.legend(frameon=False, fontsize=8)
    right.bar(places, [value["seconds"] for value in values.values()], 0.5, color=QUIET)
    labels = [name.replace(", ", ",\n").replace("both ", "both\n") for name in values]
    for axes in (left, right):
        axes.set_xticks(places, labels, fontsize=8)
        axes.grid(False, axis="x")
    caption(left, "idle share, 1 - computing / total [%]")
    caption(right, "wall-clock time [s]")
    save(figure, bench.results, "figure19.png")


# --- figure 20: worlds with more and more in them -------------------------------------------------


def figure20(bench: Bench) -> None:
    steps = bench.steps(4_000)
    options = ("--steps", steps, "--set", "output.snapshots=0", "--set", "output.pictures=1", "--threads", 1)
    runs = {
        name: bench.run(f"figure20/{world}", world_file(world), *options, "--decomposition", "strips-y",
                        "--no-rebalance", ranks=4)
        for name, world in WORLDS.items()
    }  # fmt: skip
    better = bench.run("figure20/funnel-rebalanced", world_file("funnel"), *options, ranks=4)
    rows, values = [], {}
    for name, run in [*runs.items(), ("funnel, bisected and rebalanced", better)]:
        shares, statistics = run.record["shares"], run.record["statistics"]
        messages = sum(share["messages"] for share in shares)
        size = sum(share["bytes"] for share in shares) / messages
        particles = [share["fluid_particles"] for share in shares]
        balance = max(particles) / np.mean(particles)
        value = {
            "particles": sum(particles), "mean_bytes": size, "sizes": total_sizes(shares), "balance": balance,
            "migrants_per_step": statistics["migrants"] / statistics["steps"],
            "messages_per_step": messages / statistics["steps"],
        }  # fmt: skip
        values[name] = value
        rows.append([
            name, f"{THEN_KILOBYTES[name]} k" if name in THEN_KILOBYTES else "", f"{size / 1000:.1f} k",
            f"{value['messages_per_step']:.1f}", f"{value['migrants_per_step']:.2f}",
            f"{value['particles']:,}", f"{balance:.2f}",
        ])  # fmt: skip
    head = [
        "world", "then: mean message", "now: mean message [bytes]", "messages a step", "migrants a step",
        "particles", "most on a process / mean",
    ]  # fmt: skip
    lines = [*table(head, rows), "", f"Four processes, each a slice along the stream, {steps:,} steps."]
    bench.tell("figure20", values, lines)
    draw_figure20(bench, runs, values)


def total_sizes(shares: Sequence[dict[str, Any]]) -> list[int]:
    """Messages of 2^(k-1) to less than 2^k bytes, by k."""
    total: NDArray[np.int64] = np.sum([share["sizes"] for share in shares], axis=0)
    return total.tolist()


def draw_figure20(bench: Bench, runs: dict[str, Run], values: dict[str, dict[str, Any]]) -> None:
    figure, axes = panels(len(runs), 2.5, 4.6)
    for column, (name, run) in enumerate(runs.items()):
        place = axes[column].get_subplotspec()
        axes[column].remove()
        above, below = place.subgridspec(2, 1, height_ratios=[1.25, 1]).subplots()
        frame = FrameStore(run.folder / "pictures" / "frames").read(-1, run.record["quantity"])
        extent = (frame.lower[0], frame.upper[0], frame.lower[1], frame.upper[1])
        above.imshow(frame.values, origin="lower", extent=extent, cmap="viridis", vmin=0, vmax=1.8)
        above.set_facecolor("#c9ced6")
        above.set(xticks=[], yticks=[])
        caption(above, name)
        sizes = np.array(values[name]["sizes"])
        below.bar(np.arange(len(sizes)), sizes / sizes.sum(), 0.9, color=LINES[0][0])
        below.set(xlim=(9.5, 17.5), ylim=(0, 1))
        below.set_xticks([10.5, 12.5, 14.5, 16.5], ["1 k", "4 k", "16 k", "64 k"])
        below.tick_params(labelsize=8, colors=INK)
        below.spines[["top", "right"]].set_visible(False)
        below.set_xlabel("size of a message [bytes]", fontsize=8)
        if column == 0:
            below.set_ylabel("share of messages", fontsize=8)
    save(figure, bench.results, "figure20.png")


def checksums(run: Run) -> dict[int, str]:
    return read_checksums(run.folder / NAME)


PARTS = {
    "table3": table3,
    "figure10": figure10,
    "figure12": figure12,
    "figure13": figure13,
    "table4": table4,
    "figure19": figure19,
    "figure20": figure20,
}

if __name__ == "__main__":
    main(HERE, PARTS)
