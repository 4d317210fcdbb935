"""Profiles: what is sampled along a line, kept, drawn, exported, and compared with a published table."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from ways import needs_ranks

import eddyline
from eddyline.plot.charts import charts_of
from eddyline.run.derived import derive
from eddyline.run.record import Run
from eddyline.run.results import evaluate
from eddyline.world import Comparison, World, evaluate_expectations

CASES = Path(__file__).resolve().parent.parent / "cases"
CHANNEL = """format = 1
[let]
H = 0.4
U = 2.0
[domain]
size = [0.8, "H"]
spacing = 0.02
[fluid]
density = 1000.0
kinematic_viscosity = 1e-3
max_speed = 3.0
[start]
velocity = ["6*U*y*(H-y)/H^2", 0]
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
[output]
series = 4
snapshots = 0
pictures = 0
[time]
end = 0.02
[observe.across]
type = "profile"
from = [0.4, 0]
to = [0.4, "H"]
points = 9
quantity = "velocity_x"
"""
EXPECT = """[[expect]]
quantity = "across.velocity_x.mean / U"
against = "across.y / H"
curve = "published.csv"
band = 0.05
"""


def run_of(text: str, folder: Path, **options: int) -> Run:
    world = World.from_text(text)
    return eddyline.run(world, out=folder, progress=False, movie=False, report=False, **options)


def test_a_profile_is_kept_as_a_table_of_times_and_places(tmp_path: Path):
    run = run_of(CHANNEL, tmp_path / "run", threads=1)
    frame = run.profile("across")
    assert frame.shape == (5, 9) and frame.index.name == "time"
    assert frame.columns.to_numpy() == pytest.approx(np.linspace(0, 0.4, 9))
    assert frame.attrs["quantity"] == "velocity_x" and frame.attrs["unit"] == "m/s"
    assert np.array(frame.attrs["places"]) == pytest.approx(np.column_stack([[0.4] * 9, frame.columns]))
    y = frame.columns.to_numpy()[1:-1]
    parabola = 6 * 2.0 * y * (0.4 - y) / 0.4**2
    assert frame.iloc[0].to_numpy()[1:-1] == pytest.approx(parabola, abs=0.02 * parabola.max())
    units = run.series("across").attrs["units"]
    assert list(units)[1] == "velocity_x at 0 m" and set(list(units.values())[1:]) == {"m/s"}
    with pytest.raises(KeyError, match=r"no profile 'along'; known: across"):
        run.profile("along")

    tables = eddyline.export(run, "csv", out=tmp_path / "tables")
    assert tmp_path / "tables" / "across.csv" in tables
    table = pd.read_csv(tmp_path / "tables" / "across.profile.csv")
    assert list(table)[:3] == ["distance [m]", "x [m]", "y [m]"]
    assert table["velocity_x last [m/s]"].to_numpy() == pytest.approx(frame.iloc[-1].to_numpy())


@needs_ranks
def test_a_profile_has_the_same_bits_in_every_way(tmp_path: Path):
    (tmp_path / "channel.toml").write_text(CHANNEL)
    folders = [tmp_path / name for name in ("one", "boxes", "ranks")]
    run_of(CHANNEL, folders[0], threads=1)
    run_of(CHANNEL, folders[1], threads=2, boxes=3)
    with_ranks = ["run", tmp_path / "channel.toml", "--ranks", "2", "--threads", "1", "--out", folders[2]]
    subprocess.run([sys.executable, "-m", "eddyline", *with_ranks, "--quiet"], check=True, timeout=120)
    kept = [(folder / "series" / "across.csv").read_bytes() for folder in folders]
    assert kept[0] == kept[1] == kept[2] and kept[0].count(b"\n") == 6


def probes(world: World, values: np.ndarray, fraction: np.ndarray) -> dict:
    """Series as the core gives them for the places of `across`. values, fraction: (rows, places)."""
    time = np.arange(len(values)) * 0.1
    columns, units = ("time", "pressure", "velocity_x", "velocity_y", "fluid_fraction"), ("",) * 5
    return {
        f"across.{k}": (columns, units, np.stack([time, 7 + 0 * time, v, 0.75 * v, f], axis=1))
        for k, (v, f) in enumerate(zip(values.T, fraction.T, strict=True))
    }


@pytest.mark.parametrize(("quantity", "factor"), [("velocity_x", 1), ("velocity_y", 0.75), ("speed", 1.25)])
def test_places_without_fluid_have_no_value(quantity: str, factor: float):
    world = World.from_text(CHANNEL.replace('"velocity_x"', f'"{quantity}"'))
    values, fraction = np.arange(18.0).reshape(2, 9), np.ones((2, 9))
    fraction[:, [0, 8]] = 0.5  # beside walls
    fraction[1, [3, 8]] = 0.4, 0.2
    columns, units, rows = derive(world, probes(world, values, fraction))["across"]
    expected = factor * values
    expected[1, [3, 8]] = np.nan
    assert columns[0] == "time" and len(columns) == 10 and set(units[1:]) == {"m/s"}
    np.testing.assert_allclose(rows[:, 1:], expected)


def published(folder: Path, y: np.ndarray, values: np.ndarray) -> None:
    lines = [f"{a},{b}" for a, b in zip(y, values, strict=True)]
    (folder / "published.csv").write_text("\n".join(["y/H,u/U", *lines]) + "\n")


def world_beside(folder: Path, expect: str = EXPECT) -> World:
    (folder / "world.toml").write_text(CHANNEL + expect)
    return World.load(folder / "world.toml")


def made_series(world: World, at_rest_until: float = 0.0) -> dict[str, pd.DataFrame]:
    """A parabola after a start at rest, whose last place is dry."""
    time, y = np.linspace(0, 0.02, 5), np.linspace(0, 1, 9)
    values = np.where(time[:, None] >= at_rest_until, 2.0 * 6 * y * (1 - y), 0.0)
    values[:, -1] = np.nan
    columns, _, _ = derive(world, probes(world, values, np.ones((5, 9))))["across"]
    frame = pd.DataFrame(np.column_stack([time, values]), columns=list(columns))
    return {"across": frame}


def compared(world: World, series: dict[str, pd.DataFrame]) -> Comparison:
    (found,) = evaluate_expectations(world, series)
    return found


def test_a_profile_is_compared_with_a_table(tmp_path: Path):
    y = np.linspace(0, 1, 9)
    parabola = 6 * y * (1 - y)
    published(tmp_path, y, parabola)
    world = world_beside(tmp_path)
    found = compared(world, made_series(world))
    assert found.inside and found.error == pytest.approx(0, abs=1e-12) and found.points == 8
    assert found.note == "8 of 9 points of the curve" and found.shift == 0

    published(tmp_path, y, 1.1 * parabola)
    found = compared(world, made_series(world))
    assert not found.inside and found.error == pytest.approx(0.1 / 1.1 * 3 / np.sqrt(8), rel=1e-6)

    late = world_beside(tmp_path, EXPECT + "after = 0.01\n")
    published(tmp_path, y, parabola)
    assert compared(late, made_series(late, at_rest_until=0.009)).inside
    assert not compared(world, made_series(world, at_rest_until=0.009)).inside
    final = world_beside(tmp_path, EXPECT.replace(".mean", ".final"))
    assert compared(final, made_series(final, at_rest_until=0.009)).inside


def test_a_profile_is_moved_only_where_the_world_says_so(tmp_path: Path):
    y = np.linspace(0.1, 0.7, 7)
    places = np.linspace(0, 1, 9)
    published(tmp_path, y, np.interp(y + 0.1, places, 6 * places * (1 - places)))
    world = world_beside(tmp_path)
    assert not compared(world, made_series(world)).inside
    moved = world_beside(tmp_path, EXPECT + "shift = 0.2\n")
    found = compared(moved, made_series(moved))
    assert found.inside and found.shift == pytest.approx(0.1, abs=1e-3) and found.note.startswith("shifted")


def test_a_profile_that_is_missing_or_dry_says_so(tmp_path: Path):
    published(tmp_path, np.linspace(0, 1, 9), np.ones(9))
    world = world_beside(tmp_path)
    assert compared(world, {}).note == "the run has no across.velocity_x"
    dry = made_series(world)
    dry["across"].iloc[:, 3:] = np.nan
    assert compared(world, dry).note == "across has fluid at fewer than 3 places"


def test_profiles_are_drawn_with_what_is_published(tmp_path: Path):
    published(tmp_path, np.linspace(0, 1, 9), np.ones(9))
    world = world_beside(tmp_path)
    series = made_series(world)
    results = evaluate(world, series, reached=0.02).to_json()
    (chart,) = (chart for chart in charts_of(world, series, results) if chart.name == "across")
    labels = {text.get_text() for text in chart.figure().axes[0].get_legend().get_texts()}
    assert labels == {"band ±5 % RMS", "expected", "this run", "at the end of the run"}
    plain = World.from_text(CHANNEL)
    (chart,) = (chart for chart in charts_of(plain, series, {}) if chart.name == "across")
    labels = {text.get_text() for text in chart.figure().axes[0].get_legend().get_texts()}
    assert labels == {"mean over the run", "at t = 0.02 s"}


def test_the_lid_driven_cavity_is_held_against_the_table_of_ghia(tmp_path: Path):
    for name in ("lid_driven_cavity.toml", "ghia_1982_u_re100.csv"):
        shutil.copy(CASES / name, tmp_path)
    world = World.load(tmp_path / "lid_driven_cavity.toml", {"output.pictures": 0})
    run = eddyline.run(world, out=tmp_path / "run", threads=1, progress=False, movie=False, report=False)
    (row,) = run.table().to_dict("records")
    assert row["inside"] and 0.02 < row["error"] < 0.1  # 6.9 % with 20 spacings
