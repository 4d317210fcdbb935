"""Stages of the wave equation on 4 to 64 simulated ranks, with three ways of exchange."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench import Bench, network_of, table

from eddyline.plot.chart import LINES
from eddyline.validate.drawing import caption, panels, save

HERE = Path(__file__).resolve().parent
WAYS = ("blocking", "nonblocking", "threaded")
RANKS = {4: (1, 2, 2), 8: (2, 2, 2), 64: (4, 4, 4)}
EDGES = (1, 2, 3, 4)  # patches of a rank along an edge
CASES = (
    (128, 4, EDGES),
    (128, 8, EDGES),
    (256, 8, EDGES),
    (128, 64, (2, 3)),
    (256, 64, (2, 3)),
)  # cells along the cube, ranks
STAGES = 8


@dataclass(frozen=True)
class Machine:
    """latency: s.  bandwidth: of a link, bytes/s.  computing: s for a stage of a cell."""

    name: str
    latency: float
    bandwidth: float
    computing: float


MACHINES = (
    Machine("40 µs, 35 MB/s, 0.4 µs a cell", 40e-6, 35e6, 4e-7),
    Machine("20 µs, 10 Gbit/s, 4 ns a cell", 20e-6, 1.25e9, 4e-9),
    Machine("1 µs, 100 Gbit/s, 4 ns a cell", 1e-6, 12.5e9, 4e-9),
)


def simulated(bench: Bench) -> None:
    if shutil.which("smpirun") is None:
        print("simulated: skipped, as SimGrid (smpirun) is not installed.")
        return
    folder = bench.fresh("simulated")
    folder.mkdir(parents=True)
    subprocess.run(["smpicc", "-O2", str(HERE / "stages.c"), "-o", "stages"], cwd=folder, check=True)
    told, rows = {}, []
    shown: dict[str, list[list[float]]] = {}
    head = ["latency, link, computing", "cells", "ranks", "patches a rank"]
    head += [f"{way} [ms a stage]" for way in WAYS]
    head += ["travelling, of blocking", *(f"hidden: {way}" for way in WAYS[1:])]
    picture = "![Two stages on four simulated ranks of eight patches, and the hidden share](simulated.png)"
    cases = [(cells, ranks, edge) for cells, ranks, edges in CASES for edge in edges]
    for cells, ranks, edge in cases[: len(EDGES) if bench.quick else None]:
        for machine in MACHINES:
            found = {way: _simulate(folder, machine, cells, ranks, edge, way) for way in ("alone", *WAYS)}
            seconds = {way: each[0] for way, each in found.items()}
            exchange = seconds["blocking"] - seconds["alone"]
            hidden = {way: 1 - (seconds[way] - seconds["alone"]) / exchange for way in WAYS[1:]}
            told[f"{machine.name}, {cells}, {ranks}, {edge**3}"] = {"seconds": seconds, "hidden": hidden}
            rows.append([
                machine.name, f"{cells}³", ranks, edge**3,
                *(f"{1e3 * seconds[way]:.3g}" for way in WAYS),
                f"{100 * exchange / seconds['blocking']:.1f} %",
                *(f"{100 * hidden[way]:.0f} %" for way in WAYS[1:]),
            ])  # fmt: skip
            if (machine, cells, ranks, edge) == (MACHINES[0], 128, 4, 2):
                shown = {way: each[1] for way, each in found.items()}
        bench.tell("simulated", {"cases": told}, [picture, "", *table(head, rows)])
    _draw(bench, shown, told, 128, 4)


def _simulate(
    folder: Path, machine: Machine, cells: int, ranks: int, edge: int, way: str
) -> tuple[float, list[list[float]]]:
    """Seconds of a stage, and rank, patch, begin and end [s] of what is computed in the last stages."""
    mesh = RANKS[ranks]
    (folder / "network.xml").write_text(network_of(ranks, machine.bandwidth, 0.5 * machine.latency))
    (folder / "hosts").write_text("".join(f"n{k}\n" for k in range(ranks)))
    part = [cells / along for along in mesh]
    words = [*mesh, edge, *part, machine.computing, way, STAGES]
    done = subprocess.run(
        ["smpirun", "-np", str(ranks), "-platform", "network.xml", "-hostfile", "hosts",
         "--cfg=smpi/simulate-computation:no", "--cfg=smpi/test:1e-7", "--log=root.thresh:error",
         "./stages", *map(str, words)],
        cwd=folder, check=True, capture_output=True, text=True,
    )  # fmt: skip
    total, *rest = [line.split() for line in done.stdout.splitlines() if line.strip()]
    return float(total[1]), [[float(value) for value in row] for row in rest]


def _draw(
    bench: Bench, shown: dict[str, list[list[float]]], told: dict[str, Any], cells: int, ranks: int
) -> None:
    figure, axes = panels(len(WAYS) + 1, 3.6, 3.0)
    zero = min(row[2] for way in WAYS for row in shown[way])
    last = max(row[3] - min(r[2] for r in shown[way]) for way in WAYS for row in shown[way])
    for axis, way in zip(axes, WAYS, strict=False):
        zero = min(row[2] for row in shown[way])
        for rank, patch, begin, end in shown[way]:
            color = LINES[int(patch) % 2][0]
            axis.barh(rank, end - begin, left=begin - zero, color=color, height=0.8, lw=0)
        axis.set(xlabel="time [s]", ylabel="rank", xlim=(0, last))
        axis.set_yticks([0, 1, 2, 3])
        axis.grid(False)
        caption(axis, f"{way}: patches computed, gaps waited")
    for machine, (color, style) in zip(MACHINES, LINES, strict=False):
        shares = [
            100 * told[f"{machine.name}, {cells}, {ranks}, {edge**3}"]["hidden"]["threaded"] for edge in EDGES
        ]
        axes[-1].plot(
            [edge**3 for edge in EDGES], shares, style, color=color, marker="o", ms=4, label=machine.name
        )
    axes[-1].set(xlabel="patches of a rank", ylim=(-100, 110))
    axes[-1].legend(frameon=False, fontsize=6)
    caption(axes[-1], f"hidden by threaded [%], {cells}³, {ranks} ranks")
    save(figure, bench.results, "simulated.png")
