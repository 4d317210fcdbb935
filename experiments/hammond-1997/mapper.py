"""Hammond's Mapper and his measured times: printed and computed tables, splitting, a model with messages."""

from __future__ import annotations

import csv
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from workbench import Bench, table  # noqa: E402

from eddyline.mesh import Block, Mesh, connect  # noqa: E402
from eddyline.plan.blocks import Pieces  # noqa: E402
from eddyline.plan.mapper import Row, row_of  # noqa: E402
from eddyline.plan.mapper import table as mapper_table  # noqa: E402
from eddyline.plot.chart import LINES  # noqa: E402
from eddyline.validate.drawing import caption, panels, save  # noqa: E402

ALONE = 2525.0  # s on one node
SECONDS = {
    2: (1431.0, 1383.0),
    4: (840.0, 741.0),
    8: (557.0, 412.0),
    16: (410.0, 246.0),
    32: (356.0, 179.0),
}
"""Nodes: measured seconds of 32 blocks, synchronous and asynchronous."""
SHAPES = {
    "8 uneven": [(137, 25, 17)] * 2 + [(57, 25, 17)] * 2 + [(137, 25, 17)] * 2 + [(57, 25, 17)] * 2,
    "8 even": [(97, 25, 17)] * 8,
    "32 uneven": [(49, j, 17) for j in (13, 15, 11, 13, 13, 11, 15, 13) for _ in range(4)],
}
"""Grid points of the blocks of each table."""
ALONG = (0, 48, 96, 144, 192)
OUTWARDS = ((0, 12, 26, 36, 48), (0, 12, 22, 36, 48))
SPANWISE = (0, 16, 32)
"""Cuts of a C grid of 192 x 48 x 32 cells around a wing; the sizes of 32 blocks fit no other simple one."""
WAKE = 24  # cells along the wake, on each side; an assumption
EXTRA = (48, 64)  # nodes beyond his tables


# --- tables of Mapper -------------------------------------------------------------------------------


def mapper(bench: Bench) -> None:
    """All printed rows beside those of `eddyline plan`, and what splitting brings."""
    equal, total = 0, 0
    for row in csv.DictReader((HERE / "mapper.csv").read_text(encoding="utf-8").splitlines()):
        points = [int(np.prod(shape)) for shape in SHAPES[row["case"]]]
        equal += _same(row, mapper_table(points, [int(row["nodes"])])[0])
        total += 1
    pieces = Pieces.whole([tuple(n - 1 for n in shape) for shape in SHAPES["32 uneven"]], vertices=1)
    points = sum(pieces.points)
    rows, told = [], {}
    for nodes in (1, 2, 4, 8, 12, 16, 20, 24, 28, 31, 32, *EXTRA):
        whole = row_of(pieces.divide(nodes, []).loads)
        finer = pieces.split_for(nodes)
        split = int(finer.divide(nodes, []).loads.max()) / points
        rows.append([nodes, whole.maxpts, f"{whole.avgdev:.3f}", f"{whole.exetime:.3f}", f"{split:.3f}",
                     len(finer.pieces), f"{1 / nodes:.3f}"])  # fmt: skip
        told[nodes] = {"exetime": whole.exetime, "split": split, "pieces": len(finer.pieces)}
    head = ["nodes", "maxpts", "%avgdev", "exetime", "blocks split", "pieces", "1/nodes"]
    bench.tell(
        "mapper",
        {"rows": total, "equal": equal, "nodes": told},
        [
            f"{equal} of {total} printed rows are equal in all digits. 32 blocks:",
            "",
            *table(head, rows),
        ],
    )


def _same(printed: dict[str, str], found: Row) -> bool:
    """True if a row has the printed digits."""
    whole = all(int(printed[key]) == getattr(found, key) for key in ("maxpts", "minpts", "avgpts"))
    return whole and all(
        abs(float(printed[key]) - getattr(found, key)) < 5.1e-4 for key in ("avgdev", "megawords", "exetime")
    )


# --- measured times ---------------------------------------------------------------------------------


def blocks() -> Mesh:
    """The 32 blocks with their links, the cut along the wake included."""
    i, j, k = np.meshgrid(np.arange(193), np.arange(49), np.arange(33), indexing="ij")
    from_nose = i - 96.0
    thickness = np.maximum(0.0, 1 - np.abs(from_nose) / (96 - WAKE))
    plane = (from_nose + 1j * (j + thickness)) ** 2  # both sides of the wake fall on one line
    nodes = np.stack([plane.real, plane.imag, 20.0 * k], axis=-1)
    found = [
        Block(str(number + 1), nodes[a : b + 1, c : d + 1, e : f + 1].copy())
        for number, ((layer, (e, f)), row, (a, b)) in enumerate(
            itertools.product(enumerate(itertools.pairwise(SPANWISE)), range(4), itertools.pairwise(ALONG))
        )
        for c, d in [(OUTWARDS[layer][row], OUTWARDS[layer][row + 1])]
    ]
    faces = {(n, axis, end): "outside" for n in range(len(found)) for axis in range(3) for end in (0, 1)}
    return connect(found, faces)


@dataclass(frozen=True)
class Fit:
    """serial: share of the time that no node shortens.  message: seconds for each message.  seconds: of the
    model, by nodes, for each measured series."""

    serial: float
    message: float
    seconds: list[NDArray[np.float64]]

    def worst(self, measured: list[NDArray[np.float64]]) -> float:
        """Largest relative error."""
        return max(float(np.abs(a / b - 1).max()) for a, b in zip(self.seconds, measured, strict=True))


def fit(
    exetime: NDArray[np.float64], messages: list[NDArray[np.float64]], measured: list[NDArray[np.float64]]
) -> Fit:
    """Least squares of relative errors of ALONE (exetime + serial (1 - exetime)) + message x messages."""
    fixed = ALONE * exetime
    columns = [np.stack([ALONE - fixed, each], axis=1) for each in messages]
    system = np.concatenate([each / y[:, None] for each, y in zip(columns, measured, strict=True)])
    right = np.concatenate([(y - fixed) / y for y in measured])
    (serial, message), *_ = np.linalg.lstsq(system, right, rcond=None)
    return Fit(float(serial), float(message), [fixed + each @ [serial, message] for each in columns])


def model(bench: Bench) -> None:
    """The measured tables explained by loads, a serial share and messages."""
    mesh = blocks()
    pieces = Pieces.whole([block.cells for block in mesh.blocks], mesh.links, vertices=1)
    contacts = pieces.contacts()
    nodes = list(SECONDS)
    divided = [pieces.divide(count, contacts) for count in nodes]
    exetime = np.array([each.loads.max() / sum(pieces.points) for each in divided])
    busiest = np.array([float(each.traffic.messages.max()) for each in divided])
    crossing = np.array([float(each.traffic.crossing) for each in divided])
    synchronous, asynchronous = (np.array([SECONDS[count][k] for count in nodes]) for k in (0, 1))
    fits = {
        "synchronous": (fit(exetime, [crossing], [synchronous]), [synchronous]),
        "asynchronous": (fit(exetime, [busiest], [asynchronous]), [asynchronous]),
        "both": (fit(exetime, [crossing, busiest], [synchronous, asynchronous]), [synchronous, asynchronous]),
    }
    rows = []
    for k, count in enumerate(nodes):
        cells: list[object] = [count, f"{ALONE * exetime[k]:.0f}", int(crossing[k]), int(busiest[k])]
        for name, y in (("synchronous", synchronous), ("asynchronous", asynchronous)):
            own = fits[name][0].seconds[0][k]
            joint = fits["both"][0].seconds[name == "asynchronous"][k]
            cells += [f"{y[k]:.0f}"]
            cells += [f"{each:.0f} ({100 * (each / y[k] - 1):+.1f} %)" for each in (own, joint)]
        rows.append(cells)
    head = ["nodes", "Mapper [s]", "messages, all", "busiest node", "synchronous: measured", "own fit",
            "joint fit",
            "asynchronous: measured", "own fit", "joint fit"]  # fmt: skip
    summary = [
        f"- {name}: serial share {100 * found.serial:.1f} %, {found.message:.2f} s for each message, within "
        f"{100 * found.worst(measured):.1f} %"
        for name, (found, measured) in fits.items()
    ]
    shown = "Measured seconds of 32 blocks over nodes, with the models, and what Mapper predicts"
    values = {
        name: {"serial": found.serial, "message": found.message, "worst": found.worst(measured)}
        for name, (found, measured) in fits.items()
    }
    bench.tell("model", values, [f"![{shown}](model.png)", "", *table(head, rows), "", *summary])
    _draw(bench, nodes, ALONE * exetime, [synchronous, asynchronous], fits["both"][0])


def _draw(
    bench: Bench,
    nodes: list[int],
    ideal: NDArray[np.float64],
    measured: list[NDArray[np.float64]],
    joint: Fit,
) -> None:
    figure, (left, right) = panels(2, 4.4, 3.4)
    for k, name in enumerate(("synchronous", "asynchronous")):
        color, style = LINES[k]
        left.plot(nodes, measured[k], "o", color=color, ms=5, label=f"{name}, measured")
        left.plot(nodes, joint.seconds[k], style, color=color, lw=1.4, label=f"{name}, joint fit")
        right.plot(nodes, ALONE / measured[k], "o", color=color, ms=5)
        right.plot(nodes, ALONE / joint.seconds[k], style, color=color, lw=1.4)
    left.plot(nodes, ideal, LINES[2][1], color=LINES[2][0], lw=1.4, label="Mapper: loads alone")
    right.plot(nodes, ALONE / ideal, LINES[2][1], color=LINES[2][0], lw=1.4)
    for axes in (left, right):
        axes.set(xlabel="nodes", xscale="log")
        axes.set_xticks(nodes, [str(count) for count in nodes])
        axes.minorticks_off()
    left.set(yscale="log")
    left.legend(frameon=False, fontsize=8)
    caption(left, "time of 50 cycles [s]")
    caption(right, "speedup over one node")
    save(figure, bench.results, "model.png")
