"""Abe et al., once more: how ranks tell each other how many particles will come, and with how many ranks each
one has to do.

  python experiments/abe/run.py             everything, about 10 minutes on two cores
  python experiments/abe/run.py counts      a part: counts or adjacency
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from workbench import Bench, main, table  # noqa: E402

from eddyline.bench.exchange import Traffic  # noqa: E402
from eddyline.bench.exchange.picture import draw_boxes  # noqa: E402
from eddyline.bench.exchange.traffic import five_numbers  # noqa: E402
from eddyline.plot.chart import LINES, QUIET  # noqa: E402
from eddyline.validate.drawing import caption, panels, save  # noqa: E402

WORLD = "worlds/dam_break_3d.toml"
WAYS = {  # ours: what it is
    "alltoall-blocks": "MPI_Alltoall",
    "onesided-fence": "MPI_Put, fences",
    "onesided-lock": "MPI_Put, locks",
    "neighborhood": "neighbourhood collective",
    "nonblocking": "point to point, neighbours known",
    "sparse": "point to point, senders unknown",
}
THEN_FASTER = {36: 3.63, 72: 4.38}  # median of MPI_Alltoall over that of MPI_Put, by processes
THEN_ADJACENT = {  # processes that one has to do with: most, upper quartile, median, lower quartile, fewest
    36: (35, 17, 14, 11, 4),
    72: (58, 18, 14, 10, 3),
}
MARKS = ("max", "q3", "median", "q1", "min")
STEPS = {2: 200, 4: 200, 16: 200, 36: 80, 72: 24}
EXCHANGES = {2: 600, 4: 600, 16: 150, 36: 60}
ADJACENT = (4, 16, 36, 72)
SECONDS = 30  # for each way and number of ranks at most


@functools.cache
def record(bench: Bench, ranks: int) -> Path:
    """Records the traffic once for both parts. Load balancing is on, as in the paper; recordings differ."""
    finer = () if bench.quick else ("--set", "domain.spacing=a/16", "--set", "let.width=2*a")
    return bench.record(f"ranks-{ranks}", WORLD, "--steps", bench.steps(STEPS[ranks]), "--rebalance", *finer,
                        ranks=ranks)  # fmt: skip


# --- counts: one number to and from each neighbour ------------------------------------------------


def counts(bench: Bench) -> None:
    told: dict[int, dict[str, dict[str, Any]]] = {}
    for ranks in (4,) if bench.quick else EXCHANGES:
        most = 30 if bench.quick else EXCHANGES[ranks]
        records = bench.replay(record(bench, ranks), list(WAYS), "--counts", "--exchanges", most,
                               "--seconds", SECONDS)  # fmt: skip
        told[ranks] = {each["strategy"]: each for each in records}
    rows = []
    for ranks, by_way in told.items():
        naive = by_way["alltoall-blocks"]["seconds"]["median"]
        for way, what in WAYS.items():
            five = {mark: 1e6 * value for mark, value in by_way[way]["seconds"].items()}
            rows.append([
                ranks, what, f"`{way}`", f"{five['median']:,.0f}", f"{five['q1']:,.0f} - {five['q3']:,.0f}",
                f"{1e6 * naive / five['median']:.2f}", f"{by_way[way]['exchanges']:,}",
            ])  # fmt: skip
    head = ["ranks", "counts are sent by", "exchange", "median [µs]", "quartiles [µs]",
            "alltoall / this", "exchanges"]  # fmt: skip
    crowded = [str(ranks) for ranks, by_way in told.items() if by_way["sparse"]["oversubscribed"]]
    then = ", ".join(f"{value} on {ranks} processes" for ranks, value in THEN_FASTER.items())
    lines = [*table(head, rows), "",
             f"Then, MPI_Alltoall / MPI_Put: {then}. Oversubscribed, with more ranks than cores: "
             f"{', '.join(crowded) or 'none'}."]  # fmt: skip
    bench.tell("counts", {"ranks": told}, lines)
    draw_counts(bench, told)


def draw_counts(bench: Bench, told: dict[int, dict[str, dict[str, Any]]]) -> None:
    figure, axes = panels(len(told), 3.7, 3.0)
    for axis, (ranks, by_way) in zip(axes, told.items(), strict=True):
        draw_boxes(axis, [(WAYS[way], by_way[way]["seconds"]) for way in WAYS])
        crowded = ", oversubscribed" if by_way["sparse"]["oversubscribed"] else ""
        caption(axis, f"{ranks} ranks{crowded}")
        if axis is not axes[0]:
            axis.set_yticklabels([])
    save(figure, bench.results, "counts.png")


# --- adjacency: with how many ranks each one has to do ----------------------------------------------


def adjacency(bench: Bench) -> None:
    told = {}
    for ranks in (4,) if bench.quick else ADJACENT:
        traffic = Traffic.read(record(bench, ranks))
        found = traffic.neighbors()
        told[ranks] = {"values": found.size, "rebuilds": len(found), **five_numbers(found)}
    rows = [[f"then, {ranks} processes", *values] for ranks, values in THEN_ADJACENT.items()]
    rows += [
        [f"now, {ranks} ranks", *(f"{value[mark]:g}" for mark in MARKS)] for ranks, value in told.items()
    ]
    head = ["", "most", "upper quartile", "median", "lower quartile", "fewest"]
    sizes = ", ".join(f"{value['values']:,} ({ranks} ranks)" for ranks, value in told.items())
    bench.tell(
        "adjacency",
        {"ranks": told},
        [*table(head, rows), "", f"Values now: {sizes}; then: 14,472 and 58,176."],
    )
    draw_adjacency(bench, told)


def draw_adjacency(bench: Bench, told: dict[int, dict[str, float]]) -> None:
    figure, (axes,) = panels(1, 6.4, 3.4)
    now = [(ranks, value) for ranks, value in told.items()]
    then = [(ranks, dict(zip(MARKS, values, strict=True))) for ranks, values in THEN_ADJACENT.items()]
    for shift, label, color, boxes in ((-1.6, "then", QUIET, then), (1.6, "now", LINES[0][0], now)):
        stats = [
            {"med": five["median"], "q1": five["q1"], "q3": five["q3"], "whislo": five["min"],
             "whishi": five["max"], "fliers": []}
            for _, five in boxes
        ]  # fmt: skip
        axes.bxp(
            stats, positions=[ranks + shift for ranks, _ in boxes], widths=2.6, showfliers=False,
            patch_artist=True, manage_ticks=False,
            boxprops={"facecolor": color, "alpha": 0.35, "edgecolor": color},
            medianprops={"color": color, "lw": 2}, whiskerprops={"color": color}, capprops={"color": color},
        )  # fmt: skip
        axes.plot([], [], color=color, lw=6, alpha=0.5, label=label)
    axes.set_xticks(sorted({*told, *THEN_ADJACENT}))
    axes.set(xlabel="ranks", ylabel="ranks that one exchanges with", ylim=(0, None))
    axes.legend(frameon=False, fontsize=8, loc="upper left")
    save(figure, bench.results, "adjacency.png")


if __name__ == "__main__":
    main(HERE, {"counts": counts, "adjacency": adjacency})
