"""Abe et al., once more: how ranks tell each other how many particles will come, and with how many ranks each
one has to do.

  python experiments/abe/run.py             everything, about 10 minutes on two cores
  python experiments/abe/run.py counts      a part: counts, adjacency or simulated
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from workbench import Bench, main, network_of, table  # noqa: E402

from eddyline.bench.exchange import Traffic  # noqa: E402
from eddyline.bench.exchange.picture import draw_boxes  # noqa: E402
from eddyline.bench.exchange.traffic import five_numbers  # noqa: E402
from eddyline.plot.chart import LINES, QUIET  # noqa: E402
from eddyline.validate.drawing import caption, panels, save  # noqa: E402

WORLD = "worlds/dam_break_3d.toml"
WAYS = {  # ours: what it is
    "alltoall-blocks": "MPI_Alltoall",
    "onesided-fence": "MPI_Put, fences",
    "onesided-pscw": "MPI_Put, post, start, complete, wait",
    "onesided-lock": "MPI_Put, locks",
    "neighborhood": "neighbourhood collective",
    "nonblocking": "point to point, neighbours known",
    "persistent": "the same, persistent requests",
    "sparse": "point to point, senders unknown",
}
THEN_FASTER = {36: 3.63, 72: 4.38}  # median of MPI_Alltoall over that of MPI_Put, by processes
THEN_ADJACENT = {  # processes that one has to do with: most, upper quartile, median, lower quartile, fewest
    36: (35, 17, 14, 11, 4),
    72: (58, 18, 14, 10, 3),
}
MARKS = ("max", "q3", "median", "q1", "min")
STEPS = {4: 60, 16: 40, 36: 20, 72: 4, 144: 2}
EXCHANGES = {4: 200, 16: 60}
ADJACENT = (36, 72)
CUTS = {"bisection": "bisection", "curve": "space-filling curve", "blocks": "orthogonal cuts"}
MACHINES = {36: (6, 6), 72: (9, 8), 144: (12, 12)}  # of the simulated network, and processes on each
TORUS = {36: "3,2", 72: "3,3", 144: "4,3"}  # machines along its axes
SIMULATED = {
    "alltoall": "MPI_Alltoall",
    "put-fences": "MPI_Put, both fences timed",
    "put-closing-fence": "MPI_Put, closing fence timed",
    "put-no-closing-fence": "MPI_Put, no fence timed",
    "put-pscw": "MPI_Put, post, start, complete, wait",
    "put-lock": "MPI_Put, locks, then a barrier",
    "known": "point to point, neighbours known",
    "persistent": "the same, persistent requests",
    "sparse": "point to point, senders unknown",
}
LINK = (12.5e9, 1e-6)  # between machines: bytes/s and s
INSIDE = 'core="{cores}" loopback_bw="10GBps" loopback_lat="0.5us"'
"""Attributes of a simulated machine."""
MESSAGE = "0:5e-7:0"
"""Costs in the simulation: messages from 0 bytes on, 0.5 us of a core for each sent or received."""
SECONDS = 30  # for each way and number of ranks at most


@functools.cache
def record(bench: Bench, ranks: int, cuts: str = "bisection") -> Path:
    """Records the traffic of a run of the solver mps once for all parts. Load balancing is on, as in the
    paper; recordings differ."""
    finer = () if bench.quick else ("--set", "domain.spacing=a/16", "--set", "let.width=2*a")
    return bench.record(f"{cuts}-{ranks}", WORLD, "--set", "method.name=mps", "--steps",
                        bench.steps(STEPS[ranks]), "--rebalance", "--decomposition", cuts, *finer,
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
    figure, axes = panels(len(told), 3.7 if len(told) > 1 else 5.6, 3.0)
    for axis, (ranks, by_way) in zip(axes, told.items(), strict=True):
        draw_boxes(axis, [(WAYS[way], by_way[way]["seconds"]) for way in WAYS])
        crowded = ", oversubscribed" if by_way["sparse"]["oversubscribed"] else ""
        caption(axis, f"{ranks} ranks{crowded}")
        if axis is not axes[0]:
            axis.set_yticklabels([])
    save(figure, bench.results, "counts.png")


# --- adjacency: with how many ranks each one has to do ----------------------------------------------


def adjacency(bench: Bench) -> None:
    told: dict[str, dict[int, dict[str, float]]] = {}
    for cuts in CUTS:
        for ranks in (4,) if bench.quick else ADJACENT:
            found = Traffic.read(record(bench, ranks, cuts)).neighbors("fluid")
            told.setdefault(cuts, {})[ranks] = {
                "values": found.size,
                "rebuilds": len(found),
                **five_numbers(found),
            }
    rows = [[f"then, {ranks} processes", *values] for ranks, values in THEN_ADJACENT.items()]
    rows += [
        [f"now, {ranks} ranks, {CUTS[cuts]}", *(f"{value[mark]:g}" for mark in MARKS)]
        for cuts, by_ranks in told.items()
        for ranks, value in by_ranks.items()
    ]
    head = ["", "most", "upper quartile", "median", "lower quartile", "fewest"]
    bench.tell("adjacency", {"cuts": told}, table(head, rows))
    draw_adjacency(bench, told)


def draw_adjacency(bench: Bench, told: dict[str, dict[int, dict[str, float]]]) -> None:
    counts = sorted({ranks for by_ranks in told.values() for ranks in by_ranks})
    figure, axes = panels(len(counts), 3.7, 3.2)
    for axis, ranks in zip(axes, counts, strict=True):
        boxes = [(CUTS[cuts], by_ranks[ranks]) for cuts, by_ranks in told.items()]
        if ranks in THEN_ADJACENT:
            boxes.insert(0, ("then", dict(zip(MARKS, map(float, THEN_ADJACENT[ranks]), strict=True))))
        draw_stats(axis, boxes)
        caption(axis, f"{ranks} ranks")
        axis.set(ylabel="ranks that one exchanges with", ylim=(0, None))
    save(figure, bench.results, "adjacency.png")


def draw_stats(axis: Any, boxes: list[tuple[str, dict[str, float]]]) -> None:
    """Vertical box plots of five numbers each; the first one is that of the paper if it is named so."""
    for place, (name, five) in enumerate(boxes):
        color = QUIET if name == "then" else LINES[0][0]
        axis.bxp(
            [{"med": five["median"], "q1": five["q1"], "q3": five["q3"], "whislo": five["min"],
              "whishi": five["max"], "fliers": []}],
            positions=[place], widths=0.6, showfliers=False, patch_artist=True, manage_ticks=False,
            boxprops={"facecolor": color, "alpha": 0.35, "edgecolor": color},
            medianprops={"color": color, "lw": 2}, whiskerprops={"color": color}, capprops={"color": color},
        )  # fmt: skip
    axis.set_xticks(range(len(boxes)), [name for name, _ in boxes], rotation=20, fontsize=7)


# --- simulated: the same on a network of machines ---------------------------------------------------


def write_groups(path: Path, traffic: Traffic) -> None:
    """The ranks that each rank sends particles of the fluid to, after each rebuild, for counts.c."""
    groups = traffic.first_groups("fluid")
    lines = [f"{traffic.ranks} {len(groups)}"]
    for group in groups:
        messages = traffic.messages[traffic.messages[:, 0] == group]
        for rank in range(traffic.ranks):
            to = np.unique(messages[messages[:, 1] == rank, 2])
            lines.append(" ".join(map(str, [len(to), *to])))
    path.write_text("\n".join(lines) + "\n")


def simulate(bench: Bench, ranks: int, cuts: str, torus: str = "") -> dict[str, dict[str, float]]:
    """Five numbers of the times of each way [us], of all ranks and exchanges. torus: machines along its axes;
    otherwise all machines are at one switch."""
    folder = bench.fresh(f"simulated-{cuts}-{ranks}{'-torus' if torus else ''}")
    folder.mkdir(parents=True)
    write_groups(folder / "groups", Traffic.read(record(bench, ranks, cuts)))
    machines, cores = MACHINES.get(ranks, (2, ranks // 2))
    topology = f' topology="TORUS" topo_parameters="{torus}"' if torus else ""
    network = network_of(machines, *LINK, INSIDE.format(cores=cores) + topology)
    (folder / "network.xml").write_text(network)
    (folder / "hosts").write_text("".join(f"n{k}:{cores}\n" for k in range(machines)))
    compile_it = ["smpicc", "-O2", "-DWITHOUT_NEIGHBORHOODS", str(HERE / "counts.c"), "-o", "counts"]
    subprocess.run(compile_it, cwd=folder, check=True)
    options = ["smpi/simulate-computation:no", "smpi/iprobe:1e-7", "smpi/test:1e-7"]
    options += [f"smpi/{kind}:{MESSAGE}" for kind in ("os", "ois", "or")]
    done = subprocess.run(
        ["smpirun", "-np", str(ranks), "-platform", "network.xml", "-hostfile", "hosts",
         *(f"--cfg={option}" for option in options), "--log=root.thresh:error", "./counts", "groups",
         "4" if bench.quick else "10"],
        cwd=folder, check=True, capture_output=True, text=True,
    )  # fmt: skip
    told = {}
    for line in done.stdout.splitlines():
        way, *times = line.split()
        told[way] = five_numbers(1e6 * np.array(times, dtype=float))
    return told


def simulated(bench: Bench) -> None:
    if shutil.which("smpirun") is None:
        print("simulated: skipped, as SimGrid (smpirun) is not installed.")
        return
    told = {ranks: simulate(bench, ranks, "curve") for ranks in ((4,) if bench.quick else MACHINES)}
    torus = {ranks: simulate(bench, ranks, "curve", TORUS.get(ranks, "2,1")) for ranks in told}
    rows = []
    for ranks, by_way in told.items():
        for way, five in by_way.items():
            faster = [
                each[ranks]["alltoall"]["median"] / each[ranks][way]["median"] for each in (told, torus)
            ]
            rows.append([
                ranks, SIMULATED[way], f"{five['median']:.3g}", f"{five['q1']:.3g} - {five['q3']:.3g}",
                *(f"{value:.2g}" for value in faster),
            ])  # fmt: skip
    head = ["processes", "counts are sent by", "median [µs]", "quartiles [µs]"]
    head += ["alltoall / this", "in a torus"]
    bench.tell("simulated", {"ranks": told, "torus": torus}, table(head, rows))
    figure, axes = panels(len(told), 3.7, 3.0)
    for axis, (ranks, by_way) in zip(axes, told.items(), strict=True):
        draw_boxes(
            axis, [(SIMULATED[way], {m: 1e-6 * v for m, v in five.items()}) for way, five in by_way.items()]
        )
        caption(axis, f"{ranks} processes, simulated")
        if axis is not axes[0]:
            axis.set_yticklabels([])
    save(figure, bench.results, "simulated.png")


if __name__ == "__main__":
    main(HERE, {"counts": counts, "adjacency": adjacency, "simulated": simulated})
