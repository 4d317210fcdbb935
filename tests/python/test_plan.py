"""Plans of runs on many ranks: Hammond's printed tables, splitting of blocks, messages, forecasts."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner
from ways import PATIENCE, needs_ranks

from eddyline import Simulation
from eddyline.cli import app
from eddyline.mesh import Block, connect
from eddyline.plan import Network, PlanError, calibration, mapper, plan_world, rehearsal
from eddyline.plan.blocks import Pieces
from eddyline.plan.forecast import network_of
from eddyline.plan.meshes import MeshRun
from eddyline.plan.particles import MESSAGES_PER_NEIGHBOR, CellCounts
from eddyline.plan.run_plan import numbers_of_ranks
from eddyline.plan.traffic import planned_traffic
from eddyline.world import World

PRINTED = Path(__file__).resolve().parents[2] / "experiments" / "hammond-1997" / "mapper.csv"
ROWS = list(csv.DictReader(io.StringIO(PRINTED.read_text(encoding="utf-8"))))
CASES = {
    "8 uneven": [(137, 25, 17)] * 2 + [(57, 25, 17)] * 2 + [(137, 25, 17)] * 2 + [(57, 25, 17)] * 2,
    "8 even": [(97, 25, 17)] * 8,
    "32 uneven": [(49, j, 17) for j in (13, 15, 11, 13, 13, 11, 15, 13) for _ in range(4)],
}


# --- Hammond's tables -----------------------------------------------------------------------------


def test_all_printed_rows_are_there() -> None:
    assert {case: sum(row["case"] == case for row in ROWS) for case in CASES} == {
        "8 uneven": 8, "8 even": 8, "32 uneven": 32,
    }  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['case']} blocks, {row['nodes']} nodes")
def test_a_row_of_the_mapper_is_as_printed(row: dict[str, str]) -> None:
    """All columns, within half of the last printed digit."""
    points = [int(np.prod(shape)) for shape in CASES[row["case"]]]
    found = mapper.table(points, [int(row["nodes"])])[0]
    assert [found.maxpts, found.minpts, found.avgpts] == [
        int(row[key]) for key in ("maxpts", "minpts", "avgpts")
    ]
    for key in ("avgdev", "megawords", "exetime"):
        assert getattr(found, key) == pytest.approx(float(row[key]), abs=5.1e-4), key


def test_the_mean_deviation_is_from_the_truncated_average() -> None:
    """The exact average gives another last digit in 13 of his rows."""
    wrong = 0
    for row in ROWS:
        points = [int(np.prod(shape)) for shape in CASES[row["case"]]]
        loads = mapper.assign(points, int(row["nodes"])).loads
        exact = 100 * float(np.abs(loads - loads.mean()).mean()) / float(loads.mean())
        wrong += abs(exact - float(row["avgdev"])) > 5.1e-4
    assert wrong == 13


def test_equal_blocks_go_to_the_first_node() -> None:
    assert mapper.assign([5, 5, 5, 3], 3).owners.tolist() == [0, 1, 2, 0]


# --- blocks ---------------------------------------------------------------------------------------


def four_blocks() -> Pieces:
    """A box of 16 x 8 cells in four blocks of 8 x 4, the first row split off centre."""
    x, y = np.linspace(0, 2, 17), np.linspace(0, 1, 9)
    nodes = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    cuts = [(slice(0, 9), slice(0, 5)), (slice(8, 17), slice(0, 5)), (slice(0, 9), slice(4, 9)),
            (slice(8, 17), slice(4, 9))]  # fmt: skip
    blocks = [Block(f"b{k}", nodes[cut]) for k, cut in enumerate(cuts)]
    sides = {"left": (0, 0), "right": (0, 1), "bottom": (1, 0), "top": (1, 1)}
    names = {(k, *face): name for k in range(4) for name, face in sides.items()}
    return Pieces.of(connect(blocks, names), multiple=2)


def test_messages_follow_from_the_links_of_blocks() -> None:
    pieces = four_blocks()
    assert sorted((c.first, c.second, c.faces) for c in pieces.contacts()) == [
        (0, 1, 4), (0, 2, 8), (1, 3, 8), (2, 3, 4),
    ]  # fmt: skip
    found = pieces.divide(4)
    assert found.traffic.messages.tolist() == [2, 2, 2, 2]
    assert found.traffic.rows.tolist() == [2 * 12] * 4
    assert pieces.divide(1).traffic.crossing == 0


def test_halves_of_a_block_talk_to_each_other_and_to_its_neighbours() -> None:
    pieces = four_blocks().split_for(8)
    assert len(pieces.pieces) == 8 and sum(pieces.points) == 128
    assert pieces.divide(8).loads.tolist() == [16] * 8
    assert sum(contact.faces for contact in pieces.contacts()) == 4 * (4) + 2 * 8 + 2 * 4
    assert all(cut % 2 == 0 for piece in pieces.pieces for cut in (*piece.low, *piece.high))


def test_splitting_lowers_the_plateau_of_32_blocks() -> None:
    """A block that is smaller than a node's share cannot help; from 20 nodes on splitting does."""
    shapes = [(i - 1, j - 1, k - 1) for i, j, k in CASES["32 uneven"]]
    pieces = Pieces.whole(shapes, vertices=1)
    total = sum(pieces.points)
    for nodes, whole, split in ((20, 0.062, 0.053), (64, 0.036, 0.018)):
        assert pieces.divide(nodes, []).loads.max() / total == pytest.approx(whole, abs=7e-4)
        assert pieces.split_for(nodes).divide(nodes, []).loads.max() / total == pytest.approx(split, abs=7e-4)


# --- particles ------------------------------------------------------------------------------------


def test_ranks_of_a_plan_are_those_of_a_run() -> None:
    """A dam break on four ranks: a run had 882, 798, 800 and 720 particles, 2, 2, 3 and 1 neighbours."""
    cells = CellCounts.of(World.load("dam_break"), 3200)
    found = cells.divide(4)
    assert found is not None
    assert found.loads.tolist() == [800, 800, 800, 800]
    assert (found.traffic.messages / MESSAGES_PER_NEIGHBOR).tolist() == [2, 2, 3, 1]
    alone = cells.divide(1)
    assert alone is not None and alone.ghosts.tolist() == [0]
    assert cells.divide(cells.most_ranks + 1) is None


# --- forecasts ------------------------------------------------------------------------------------

SLOW = Network(1e-3, 1e6, "test")


def test_messages_cost_time_and_widen_the_error_bar() -> None:
    world = World.load("dam_break")
    fast = plan_world(world, [1, 2, 4], measure=False).rows
    slow = plan_world(world, [1, 2, 4], measure=False, network=SLOW).rows
    assert fast[0].step == slow[0].step and fast[0].efficiency == 1
    for a, b in zip(fast[1:], slow[1:], strict=True):
        assert a.step is not None and b.step is not None
        expected = 1e-3 * (b.messages + 2 * np.log2(b.nodes)) + 1e3 * b.kilobytes / 1e6
        assert b.step.value - a.step.value == pytest.approx(expected, rel=0.01)
        assert b.step.low < a.step.value < b.step.value < b.step.high


def test_a_plan_measures_the_speed_of_this_machine() -> None:
    """Core seconds of a step, as a program measures them that computes the same steps."""
    world = World.load("still_water")
    row = plan_world(world, [1]).rows[0]
    simulation = Simulation(world, threads=1)
    simulation.step(100)
    start = time.process_time()
    simulation.step(500)
    took = (time.process_time() - start) / 500
    assert row.step is not None
    assert took / 1.7 < row.step.value < 1.7 * took


@pytest.mark.parametrize(
    ("text", "counts"),
    [("4", [4]), ("1,4,2", [1, 2, 4]), ("30..32", [30, 31, 32]),
     ("1..100", [1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 100])],
)  # fmt: skip
def test_numbers_of_ranks_are_read(text: str, counts: list[int]) -> None:
    assert numbers_of_ranks(text) == counts


@pytest.mark.parametrize("text", ["", "0..4", "8..2", "a", "1..1000000"])
def test_wrong_numbers_of_ranks_are_refused(text: str) -> None:
    with pytest.raises(PlanError, match="--ranks"):
        numbers_of_ranks(text)


def test_a_plan_is_a_table_a_file_and_a_picture(tmp_path: Path) -> None:
    files = ("--json", tmp_path / "plan.json", "--picture", tmp_path / "plan.png")
    found = run_command("plan", "dam_break", "--ranks", "1..64", "--no-measure", *files)
    assert found.exit_code == 0, found.output
    head = next(line for line in found.output.splitlines() if "maxpts" in line)
    assert head.split()[:7] == ["nodes", "maxpts", "minpts", "avgpts", "%avgdev", "megawords", "exetime"]
    assert "ranks bring nothing" in found.output and "output.pictures" in found.output
    written = json.loads((tmp_path / "plan.json").read_text())
    assert [row["nodes"] for row in written["rows"]][-1] == 64 and written["advice"]
    assert (tmp_path / "plan.png").stat().st_size > 10_000


def test_the_network_comes_from_the_benchmark_of_a_machine(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_text('[{"message_seconds": 2e-6, "message_bytes_per_second": 3e9, "processor": "X"}]')
    assert network_of(path) == Network(2e-6, 3e9, f"measured on X ({path})")
    path.write_text("[]")
    with pytest.raises(PlanError, match="bench machine --json"):
        network_of(path)
    path.write_text('[{"message_seconds": null, "message_bytes_per_second": null, "processor": "X"}]')
    with pytest.raises(PlanError, match="--latency"):
        network_of(path)


def test_blocks_of_a_world_are_divided_as_a_run_divides_them() -> None:
    """One block is cut for two ranks, and a cycle sends what a run has sent: 25.1 messages, 78.1 kB."""
    world = World.load("airfoil")
    rows = plan_world(world, [1, 2, 4], measure=False).rows
    assert [row.maxpts for row in rows] == [7168, 3584, 1792]
    channel = World.load("cylinder", {"method.name": "multiblock"})
    run = MeshRun(channel)
    divided = run.divide(2)
    assert sorted(divided.loads.tolist()) == [3584, 3840]
    assert divided.traffic.messages.tolist() == [25, 25]
    assert divided.traffic.rows.max() == pytest.approx(78.1e3, rel=0.02)
    with pytest.raises(PlanError, match="--split: is for mesh files only"):
        plan_world(world, [1], split=True)


def test_times_of_a_steady_search_are_those_of_all_its_cycles() -> None:
    found = plan_world(World.load("airfoil"), [1], measure=False)
    assert found.steps == 300 and "not known before" in found.advice[-1]


def test_patches_of_cells_are_divided_along_the_curve() -> None:
    """Two ranks of `blast` have 7,500 cells each and send 4 messages of 13.6 kB in a step."""
    row = plan_world(World.load("blast"), [2], measure=False).rows[0]
    assert (row.maxpts, row.minpts, row.messages) == (7500, 7500, 4)
    assert row.kilobytes == pytest.approx(4 * 13.632, rel=0.05)


CAVITY = """
format = 1
title = "cavity"
[domain]
size = [1, 1]
spacing = 0.0625
[fluid]
density = 1.0
kinematic_viscosity = 0.01
[boundaries]
left = { type = "wall" }
right = { type = "wall" }
bottom = { type = "wall" }
top = { type = "wall", velocity = [1, 0] }
[method]
name = "multiblock"
steady = true
time_step = 1
[time]
end = 100000
"""


def test_cycles_after_the_end_of_a_search_are_not_timed() -> None:
    """It ends after 100 cycles, and thousands fit into the time of a measurement."""
    world = World.from_text(CAVITY, "cavity")
    _, found = calibration.measure_cells(world)
    simulation = Simulation(world, threads=1)
    simulation.step(10)
    start = time.process_time()
    simulation.step(50)
    took = (time.process_time() - start) / 50
    assert took / 2 < found.seconds < 2 * took
    assert found.counts["cycles"] == 1


def test_ranks_without_cells_are_not_shown_and_fewer_levels_proposed() -> None:
    """A square of 128 x 128 cells has seven levels of multigrid, so that it is cut at multiples of 64."""
    world = World.from_text(CAVITY, "cavity", {"domain.spacing": 1 / 128})
    found = plan_world(world, [1, 2, 4, 5, 8, 64], measure=False)
    assert [row.nodes for row in found.rows] == [1, 2, 4]
    told = next(line for line in found.advice if "method.levels" in line)
    assert told.startswith("5 ranks cannot all have cells: blocks are cut at multiples of 64 cells.")
    levels = int(re.findall(r"method.levels = (\d+)", told)[0])
    fewer = World.from_text(CAVITY, "cavity", {"domain.spacing": 1 / 128, "method.levels": levels})
    more, now = (plan_world(each, [4, 8, 64], measure=False).rows for each in (fewer, world))
    assert more[-1].nodes > 4
    assert min(row.step.value for row in more if row.step) < min(row.step.value for row in now if row.step)


@pytest.mark.usefixtures("short")
def test_cycles_are_counted_over_a_run_on_coarser_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cylinder that starts from a uniform stream: 20 cycles in its first steps, 12 on cells four times as
    large over the whole run."""
    monkeypatch.setattr(rehearsal, "SECONDS", 1.0)
    world = World.load("cylinder", {"method.name": "multiblock", "domain.spacing": "D/10"})
    found = plan_world(world, [1])
    cycles = float(re.findall(r"([\d.]+) cycles a step", found.work.origin)[0])
    assert 8 < cycles < 19


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measurements of a moment."""
    monkeypatch.setattr(calibration, "SECONDS", 0.02)
    monkeypatch.setattr(calibration, "WARM_UP_SECONDS", 0.05)


@pytest.mark.usefixtures("short")
def test_a_plan_of_levels_counts_those_that_the_first_steps_have() -> None:
    found = plan_world(World.load("waves/levels"), [1, 2])
    assert found.unit == "cell updates" and found.advice[-1].startswith("Levels have 4,096, ")


@pytest.mark.usefixtures("short")
def test_a_plan_of_the_solver_mps_has_its_iterations() -> None:
    """A run on two ranks sent 33 messages of 64 kB in a step of 3.2 iterations, to 1e-3."""
    world = World.load("dam_break", {"method.name": "mps"})
    row = plan_world(world, [2]).rows[0]
    assert 15 < row.messages < 60 and 25 < row.kilobytes < 120


# --- runs beside plans ----------------------------------------------------------------------------


@needs_ranks
@pytest.mark.parametrize("ranks", [2, pytest.param(4, marks=pytest.mark.matrix)])
def test_a_report_shows_planned_messages_beside_actual_ones(ranks: int, tmp_path: Path) -> None:
    """Cycles send what the plan says; the start and the forces of a row of series need some more."""
    (tmp_path / "cavity.toml").write_text(CAVITY + "[output]\npictures = 0\nsnapshots = 0\nseries = 1\n")
    words = ("run", str(tmp_path / "cavity.toml"), "--set", "time.end=20")
    out = tmp_path / "run"
    more = ("--ranks", str(ranks), "--threads", "1", "--out", str(out), "--quiet")
    subprocess.run([sys.executable, "-m", "eddyline", *words, *more], check=True, timeout=PATIENCE)
    world = World.load(out / "world.toml")
    planned = planned_traffic(world, ranks, {"cycles": 1.0})
    shares = json.loads((out / "run.json").read_text())["shares"]
    assert planned is not None
    assert max(share["messages"] for share in shares) / 20 == pytest.approx(planned.messages, rel=0.05)
    assert max(share["bytes"] for share in shares) / 20 == pytest.approx(planned.bytes, rel=0.05)
    told = f"plan, without series and pictures: {planned.messages:,.1f} and {planned.bytes / 1e3:,.1f} kB"
    assert told in (out / "report.html").read_text()


def run_command(*words: object) -> Any:
    return CliRunner().invoke(app, [str(word) for word in words])
