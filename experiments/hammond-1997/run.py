"""Hammond 1997, once more: an exchange that serialises itself, and one that does not.

python experiments/hammond-1997/run.py             everything, about 6 minutes on two cores
python experiments/hammond-1997/run.py chain       a part: timelines, waiting, chain, mapper, model or
                                                   network
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from mapper import mapper, model  # noqa: E402
from network import network  # noqa: E402
from workbench import Bench, main, table  # noqa: E402

from eddyline.plot.chart import LINES  # noqa: E402
from eddyline.run import Run  # noqa: E402
from eddyline.validate.drawing import caption, panels, save  # noqa: E402

WORLD = "worlds/vertanen/no_cylinder.toml"
WAYS = {"blocking": "synchronous", "nonblocking": "asynchronous"}
THEN = {  # nodes: seconds of 32 blocks, synchronous and asynchronous, and Mapper's share of one node's work
    2: (1431.0, 1383.0, 0.500),
    4: (840.0, 741.0, 0.250),
    8: (557.0, 412.0, 0.125),
    16: (410.0, 246.0, 0.062),
    32: (356.0, 179.0, 0.036),
}
THEN_ALONE = 2525.0  # s on one node
STRIPS = 8  # of the timelines: as many as the nodes in the paper
WAITING = (2, 4)
CHAINS = (2, 4, 8, 16, 32)
GROUPS = 3  # of runs that alternate
CHAIN = ("--decomposition", "strips-y")  # each strip has the one before and the one after it as neighbours
OPTIONS = (*CHAIN, "--no-rebalance", "--set", "output.pictures=0", "--set", "output.snapshots=0")


# --- timelines: waiting of ranks --------------------------------------------------------------------


def timelines(bench: Bench) -> None:
    steps, strips = bench.steps(300), 3 if bench.quick else STRIPS
    values = {}
    for way, name in WAYS.items():
        options = (*OPTIONS, "--steps", steps, "--threads", 1, "--exchange", way)
        run = bench.run(f"timeline-{way}", WORLD, *options, ranks=strips)
        keep_timeline(bench, run, f"{name}.png")
        values[name] = {"exchanging": exchanging_share(run), "seconds": run.record["wall_seconds"]}
    shares = ", ".join(
        f"{name} {100 * value['exchanging']:.0f} % exchanging" for name, value in values.items()
    )
    bench.tell("timelines", values, [f"{strips} strips on two cores, {steps} steps: {shares}."])


def keep_timeline(bench: Bench, run: Run, name: str) -> None:
    """The picture of `eddyline export RUN --timeline`."""
    from eddyline.plot.ranks import timeline_figure
    from eddyline.stream.timeline import NAME, read_timeline

    figure = timeline_figure(read_timeline(run.folder / NAME), steps=3)
    figure.set_dpi(100)
    save(figure, bench.results, name)


# --- waiting: what it costs a run -------------------------------------------------------------------


def waiting(bench: Bench) -> None:
    steps = bench.steps(400)
    told: dict[int, dict[str, dict[str, float]]] = {}
    for ranks in WAITING[: 1 if bench.quick else None]:
        runs: dict[str, list[Run]] = {way: [] for way in WAYS}
        for group in range(1 if bench.quick else GROUPS):
            for way in WAYS:
                folder = f"waiting-{ranks}/{way}-{group}"
                runs[way].append(
                    bench.run_pinned(
                        folder, WORLD, *OPTIONS, "--steps", steps, "--exchange", way, ranks=ranks
                    )
                )
        told[ranks] = {
            way: {
                "exchanging": statistics.median(exchanging_share(run) for run in each),
                "seconds": statistics.median(float(run.record["wall_seconds"]) for run in each),
            }
            for way, each in runs.items()
        }
    rows = [
        [f"then, {nodes} nodes", f"{100 * lost(synchronous, ideal):.0f} %",
         f"{100 * lost(asynchronous, ideal):.0f} %", f"{synchronous:.0f}", f"{asynchronous:.0f}",
         f"{synchronous / asynchronous:.2f}"]
        for nodes, (synchronous, asynchronous, ideal) in THEN.items()
    ]  # fmt: skip
    for ranks, by_way in told.items():
        blocking, nonblocking = (by_way[way] for way in WAYS)
        rows.append([
            f"now, {ranks} ranks", f"{100 * blocking['exchanging']:.0f} %",
            f"{100 * nonblocking['exchanging']:.0f} %", f"{blocking['seconds']:.2f}",
            f"{nonblocking['seconds']:.2f}",
            f"{blocking['seconds'] / nonblocking['seconds']:.2f}",
        ])  # fmt: skip
    head = ["", "not computing: synchronous", "asynchronous", "seconds: synchronous", "asynchronous", "ratio"]
    alone = ", ".join(
        f"{THEN_ALONE / seconds:.1f} {name}" for name, seconds in zip(WAYS.values(), THEN[32], strict=False)
    )
    bench.tell(
        "waiting", {"ranks": told}, [*table(head, rows), "", f"Published speedup on 32 nodes: {alone}."]
    )


def lost(seconds: float, ideal: float) -> float:
    """Share of the published time that exceeds the computing time of the node with the largest load."""
    return 1 - ideal * THEN_ALONE / seconds


def exchanging_share(run: Run) -> float:
    """Share of all ranks' time in exchanges: a synchronous exchange waits while it sends, so both count."""
    shares = [share["seconds"] for share in run.record["shares"]]
    return sum(each["wait"] + each["pack"] for each in shares) / sum(sum(each.values()) for each in shares)


# --- chain: the exchange alone ----------------------------------------------------------------------


def chain(bench: Bench) -> None:
    told: dict[int, dict[str, dict[str, Any]]] = {}
    for ranks in CHAINS[: 2 if bench.quick else None]:
        finer = () if bench.quick else ("--set", "domain.spacing=0.005")
        traffic = bench.record(
            f"chain-{ranks}", WORLD, *CHAIN, *finer, "--steps", bench.steps(20), ranks=ranks
        )
        most = 30 if bench.quick else 150
        records = bench.replay(traffic, list(WAYS), "--exchanges", most, "--seconds", 30)
        told[ranks] = {each["strategy"]: each for each in records}
    rows = []
    for ranks, by_way in told.items():
        medians = [1e6 * by_way[way]["seconds"]["median"] for way in WAYS]
        last = [by_way[way]["by_rank"][-1] / by_way[way]["by_rank"][0] for way in WAYS]
        rows.append([
            ranks, *(f"{value:,.0f}" for value in medians), f"{medians[0] / medians[1]:.2f}",
            *(f"{value:.1f}" for value in last), "yes" if by_way["blocking"]["oversubscribed"] else "no",
        ])  # fmt: skip
    head = ["strips", "synchronous [µs]", "asynchronous [µs]", "ratio", "last strip / first: synchronous",
            "asynchronous", "more ranks than cores"]  # fmt: skip
    shown = "Time of an exchange over the number of strips, and over the strips of the longest chain"
    bench.tell("chain", {"ranks": told}, [f"![{shown}](chain.png)", "", *table(head, rows)])
    draw_chain(bench, told)


def draw_chain(bench: Bench, told: dict[int, dict[str, dict[str, Any]]]) -> None:
    figure, (left, right) = panels(2, 4.4, 3.2)
    most = max(told)
    for (way, name), (color, style) in zip(WAYS.items(), LINES, strict=False):
        left.plot(list(told), [1e6 * by_way[way]["seconds"]["median"] for by_way in told.values()], style,
                  color=color, marker="o", ms=4, label=name)  # fmt: skip
        done = told[most][way]["by_rank"]
        right.plot(np.arange(most), [1e6 * seconds for seconds in done], style, color=color, marker="o", ms=3)
    left.set(xlabel="strips in the chain", xscale="log", yscale="log")
    left.set_xticks(list(told), [str(ranks) for ranks in told])
    left.minorticks_off()
    left.legend(frameon=False, fontsize=8)
    right.set(xlabel=f"strip of {most}", ylim=(0, None))
    caption(left, "time of an exchange, median [µs]")
    caption(right, "until a strip has what it needs, median [µs]")
    save(figure, bench.results, "chain.png")


if __name__ == "__main__":
    parts = {
        "timelines": timelines,
        "waiting": waiting,
        "chain": chain,
        "mapper": mapper,
        "model": model,
        "network": network,
    }
    main(HERE, parts)
