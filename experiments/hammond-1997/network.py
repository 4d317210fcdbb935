"""Hammond's 32 blocks on simulated nodes: on a network like that of an SP2, and on one of today."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from mapper import ALONE, SECONDS, blocks  # noqa: E402
from workbench import Bench, network_of, table  # noqa: E402

from eddyline.plan.blocks import GHOST_LAYERS, Pieces  # noqa: E402
from eddyline.plan.mapper import assign  # noqa: E402
from eddyline.plot.chart import LINES  # noqa: E402
from eddyline.validate.drawing import caption, panels, save  # noqa: E402

WAYS = ("synchronous", "asynchronous")
CYCLES, EXCHANGES = 50, 5  # of the published times; exchanges in a cycle: one for each stage
VARIABLES, WORD = 5, 8
SERIAL = 0.028  # share of the work that each node repeats: from the fit of the asynchronous times
ROUNDS = 50  # simulated, of all CYCLES x EXCHANGES; each takes as long as the one before
SHOWN = 8  # nodes of the timelines


@dataclass(frozen=True)
class Machine:
    """latency: s.  bandwidth: of a link, bytes/s.  copying: bytes/s packed or unpacked.  alone: seconds of
    one node for all cycles."""

    name: str
    latency: float
    bandwidth: float
    copying: float
    alone: float


MACHINES = (
    Machine("like an SP2", 40e-6, 35e6, 50e6, ALONE),
    Machine("of today", 1e-6, 12.5e9, 5e9, 346528 * CYCLES * 1.2e-6),
)


@dataclass(frozen=True)
class Simulated:
    """seconds: of all cycles.  waiting: share of the time of all nodes outside computing.  times: (nodes,
    rounds, 3) begin, end of computing and end of the exchange of the last rounds, s."""

    seconds: float
    waiting: float
    times: NDArray[np.float64]


def network(bench: Bench) -> None:
    if shutil.which("smpirun") is None:
        print("network: skipped, as SimGrid (smpirun) is not installed.")
        return
    folder = bench.fresh("network")
    folder.mkdir(parents=True)
    subprocess.run(["smpicc", "-O2", str(HERE / "exchange.c"), "-o", "exchange"], cwd=folder, check=True)
    mesh = blocks()
    pieces = Pieces.whole([block.cells for block in mesh.blocks], mesh.links, vertices=1)
    counts = (8,) if bench.quick else tuple(SECONDS)
    found = {
        (machine.name, nodes, way): _simulate(bench, folder, pieces, machine, nodes, way)
        for machine in MACHINES
        for nodes in counts
        for way in WAYS
    }
    old, new = (machine.name for machine in MACHINES)
    rows = []
    for nodes in counts:
        then = SECONDS[nodes]
        synchronous, asynchronous = (found[old, nodes, way] for way in WAYS)
        now = [found[new, nodes, way] for way in WAYS]
        rows.append([
            nodes,
            *(
                f"{each.seconds:.0f} ({100 * (each.seconds / seconds - 1):+.0f} %)"
                for each, seconds in zip((synchronous, asynchronous), then, strict=True)
            ),
            f"{then[0] / then[1]:.2f}", f"{synchronous.seconds / asynchronous.seconds:.2f}",
            *(f"{each.seconds:.3g} ({100 * each.waiting:.0f} %)" for each in now),
            f"{now[0].seconds / now[1].seconds:.2f}",
        ])  # fmt: skip
    head = ["nodes", "like an SP2, synchronous [s] (error)", "asynchronous [s] (error)",
            "ratio then", "ratio simulated", "of today, synchronous [s] (not computing)",
            "asynchronous [s]", "ratio"]  # fmt: skip
    shown = "Timelines of eight simulated nodes like those of an SP2, and speedup over nodes"
    values = {
        f"{machine}, {nodes}, {way}": {"seconds": each.seconds, "waiting": each.waiting}
        for (machine, nodes, way), each in found.items()
    }
    bench.tell("network", values, [f"![{shown}](network.png)", "", *table(head, rows)])
    _draw(bench, {way: found[old, SHOWN, way] for way in WAYS}, found, counts)


def _simulate(
    bench: Bench, folder: Path, pieces: Pieces, machine: Machine, nodes: int, way: str
) -> Simulated:
    assignment = assign(pieces.points, nodes)
    share = assignment.loads / sum(pieces.points)
    rounds = 10 if bench.quick else ROUNDS
    computing = machine.alone / (CYCLES * EXCHANGES) * (share + SERIAL * (1 - share))
    messages = []
    for contact in pieces.contacts():
        pair = sorted((int(assignment.owners[contact.first]), int(assignment.owners[contact.second])))
        if pair[0] != pair[1]:
            messages.append((*pair, contact.faces * GHOST_LAYERS * VARIABLES * WORD))
    lines = [f"{nodes} {len(messages)} {rounds} {1 / machine.copying:.6g}"]
    lines.append(" ".join(f"{seconds:.9g}" for seconds in computing))
    lines += [" ".join(map(str, message)) for message in messages]
    (folder / "plan").write_text("\n".join(lines) + "\n")
    (folder / "network.xml").write_text(network_of(nodes, machine.bandwidth, 0.5 * machine.latency))
    (folder / "hosts").write_text("".join(f"n{k}\n" for k in range(nodes)))
    done = subprocess.run(
        ["smpirun", "-np", str(nodes), "-platform", "network.xml", "-hostfile", "hosts",
         "--cfg=smpi/simulate-computation:no", "--log=root.thresh:error", "./exchange", "plan", way],
        cwd=folder, check=True, capture_output=True, text=True,
    )  # fmt: skip
    total, *rest = [line.split() for line in done.stdout.splitlines() if line.strip()]
    seconds = float(total[1]) * CYCLES * EXCHANGES / rounds
    times = np.array([[float(value) for value in row[2:]] for row in rest]).reshape(nodes, -1, 3)
    waiting = 1 - float(computing.sum()) * CYCLES * EXCHANGES / (nodes * seconds)
    return Simulated(seconds, waiting, times)


def _draw(
    bench: Bench,
    lines: dict[str, Simulated],
    found: dict[tuple[str, int, str], Simulated],
    counts: tuple[int, ...],
) -> None:
    figure, (first, second, speed) = panels(3, 4.4, 3.2)
    longest = max(float(np.ptp(each.times)) for each in lines.values())
    for axes, (way, each) in zip((first, second), lines.items(), strict=True):
        begin = each.times.min()
        for node, rounds in enumerate(each.times - begin):
            for start, computed, done in rounds:
                axes.barh(node, computed - start, left=start, color=LINES[0][0], height=0.8, lw=0)
                axes.barh(node, done - computed, left=computed, color=LINES[1][0], height=0.8, lw=0)
        axes.set(xlabel="time [s]", ylabel="node", xlim=(0, longest))
        axes.invert_yaxis()
        axes.grid(False)
        caption(axes, f"{way}: computing blue, exchanging red")
    for k, way in enumerate(WAYS):
        color = LINES[k][0]
        for machine, dashes in zip(MACHINES, ("-", ":"), strict=True):
            seconds = [found[machine.name, nodes, way].seconds for nodes in counts]
            speed.plot(counts, machine.alone / np.array(seconds), dashes, color=color, lw=1.4,
                       label=f"{way}, {machine.name}")  # fmt: skip
        speed.plot(counts, [ALONE / SECONDS[nodes][k] for nodes in counts], "o", color=color, ms=5,
                   label=f"{way}, measured 1997")  # fmt: skip
    speed.set(xlabel="nodes", xscale="log", yscale="log")
    speed.set_xticks(counts, [str(count) for count in counts])
    speed.minorticks_off()
    speed.legend(frameon=False, fontsize=7)
    caption(speed, "speedup over one node")
    save(figure, bench.results, "network.png")
