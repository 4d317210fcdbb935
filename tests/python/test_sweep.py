"""Sweeps: what is swept, what is run again, what is tabulated, and what values converge to."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import small_worlds
from typer.testing import CliRunner

import eddyline
from eddyline.cli import app
from eddyline.option_names import naming_options
from eddyline.run import RequestError, Run
from eddyline.run.folder import RunFolder
from eddyline.signals import Statistic
from eddyline.sweep import Convergence, RunOptions, converge, run_sweep
from eddyline.sweep.charts import charts_of
from eddyline.sweep.table import Cell, Row, limits_of, spacing_key, to_text
from eddyline.sweep.values import expand, grid, labels
from eddyline.world import World, WorldError
from eddyline.world.units import unit_of_key, unit_of_quantity

pytestmark = pytest.mark.usefixtures("no_pictures")

QUICK = {"until": 0.004, "threads": 1, "progress": False}
OPTIONS = RunOptions(**QUICK)  # type: ignore[arg-type]


# --- what is asked for ----------------------------------------------------------------------------


def test_nothing_is_begun_where_a_point_could_not_be_run(tmp_path: Path) -> None:
    world = World.load(small_worlds.write(tmp_path))
    wrong: list[tuple[dict[str, object], str]] = [
        ({"until": -1.0}, "until = -1.0"),
        ({"steps": -3}, "steps = -3"),
        ({"threads": -1}, "threads = -1"),
        ({"boxes": 3_000_000_000}, "boxes = 3000000000"),
    ]
    for how, said in wrong:
        with pytest.raises(RequestError, match=said):
            eddyline.sweep(world, {"start.seed": "1,2"}, out=tmp_path / "s", **(QUICK | how))  # type: ignore[arg-type]
        assert not (tmp_path / "s").exists()


def test_values_keep_their_digits_and_large_ranges_are_refused_at_once() -> None:
    assert expand("12345678901,3,0.12345678901234") == (12345678901, 3, 0.12345678901234)
    assert expand("1e3,-7") == (1000, -7)
    with pytest.raises(RequestError, match="at most 10,000 points"):
        grid({"let.a": "1:2:3000000"})


# --- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("20:200:4", (20, 80, 140, 200)),
        ("0:1:3", (0, 0.5, 1)),
        ("200:20:2", (200, 20)),
        ("10:1000:3:log", (10, 100, 1000)),
        ("10, 20,40", (10, 20, 40)),
        ("a/10,a/20", ("a/10", "a/20")),
        ("max(a,b),2", ("max(a,b)", 2)),
        ("[0.1, 0.2],[0.3, 0.2]", ("[0.1, 0.2]", "[0.3, 0.2]")),
        ("0.1:0.3:3", (0.1, 0.2, 0.3)),
        ("7", (7,)),
    ],
)
def test_values_of_a_setting(text: str, values: tuple[float | str, ...]) -> None:
    assert expand(text) == values


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"let.a": "1:2"}, 'changes["let.a"] = "1:2": a range is a:b:n, n values from a to b, or a:b:n:log'),
        (
            {"let.a": "1:2:1"},
            'changes["let.a"] = "1:2:1": the number of values must be a whole number >= 2; it is 1',
        ),
        (
            {"let.a": "1:2:x"},
            'changes["let.a"] = "1:2:x": the number of values must be a whole number >= 2; it is x',
        ),
        (
            {"let.a": "1:2:3:exp"},
            'changes["let.a"] = "1:2:3:exp": `exp` is unknown; write a:b:n or a:b:n:log',
        ),
        ({"let.a": "0:2:3:log"}, 'changes["let.a"] = "0:2:3:log": a logarithmic range needs ends > 0'),
        ({"let.a": "a:b:3"}, 'changes["let.a"] = "a:b:3": the ends must be numbers, a:b:n; a:b are not'),
        ({"let.a": "2:2:3"}, 'changes["let.a"] = "2:2:3": the ends must be two different finite numbers'),
        ({"let.a": "1,,2"}, 'changes["let.a"] = "1,,2": an empty value; write a,b,c'),
        ({"let.a": "1,2,1"}, 'changes["let.a"] = "1,2,1": 1 occurs twice; give each value once'),
        (
            {"let.a": "3"},
            'nothing to sweep: give a key several values, e.g. {"let.a": "20:200:8"} or {"let.a": "20,40"}',
        ),
        (
            {"let.a": "1:2:200", "let.b": "1:2:200"},
            "the grid has 40,000 points; must be at most 10,000. Give fewer values",
        ),
    ],
)
def test_what_is_wrong_with_values_is_one_line(changes: dict[str, str], line: str) -> None:
    with pytest.raises(RequestError) as error:
        grid(changes)
    assert str(error.value) == line


def test_the_command_line_hears_of_its_options() -> None:
    with naming_options(), pytest.raises(RequestError) as error:
        grid({"let.a": "1:2", "let.b": "1,1"})
    assert str(error.value).splitlines() == [
        "--set let.a=1:2: a range is a:b:n, n values from a to b, or a:b:n:log",
        "--set let.b=1,1: 1 occurs twice; give each value once",
    ]
    with (
        naming_options(),
        pytest.raises(RequestError, match=r"e\.g\. --set let\.a=20:200:8 or --set let.a=20,40"),
    ):
        grid({"let.a": "3"})


def test_a_grid_has_all_combinations() -> None:
    found = grid({"let.a": "1,2", "let.b": "3", "domain.spacing": ["a/10", "a/20"]})
    assert found.fixed == {"let.b": 3}
    assert found.points == [
        {"let.a": 1, "domain.spacing": "a/10"},
        {"let.a": 1, "domain.spacing": "a/20"},
        {"let.a": 2, "domain.spacing": "a/10"},
        {"let.a": 2, "domain.spacing": "a/20"},
    ]
    assert labels(found.points)[1] == "a=1,spacing=a-20"


def test_folders_of_points_are_different() -> None:
    assert labels([{"let.a": -0.1}, {"let.a": 0.1}]) == ["a=-0.1", "a=0.1"]
    assert labels([{"x": "a/b"}, {"x": "a*b"}]) == ["x=a-b-1", "x=a-b-2"]
    assert labels([{"p.y": 1, "q.y": 2}]) == ["p.y=1,q.y=2"]


# --- runs -----------------------------------------------------------------------------------------


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return small_worlds.write(tmp_path)


@pytest.mark.usefixtures("with_pictures")
def test_a_sweep_is_a_table(world: Path) -> None:
    table = eddyline.sweep(world, {"let.a": "0.05:0.06:2", "let.g": [9.81, 4.9]}, **QUICK)  # type: ignore[arg-type]
    assert isinstance(table, pd.DataFrame)
    assert table[["let.a", "let.g"]].to_numpy().tolist() == [
        [0.05, 9.81],
        [0.05, 4.9],
        [0.06, 9.81],
        [0.06, 4.9],
    ]
    assert (table["outcome"] == "finished").all()
    speed = table["budget.max_speed.max"]
    assert speed[0] > speed[1] > 0, "less gravity, less speed"
    assert (~table["budget.max_speed.max inside"].astype(bool)).all(), "the world expects 100 to 200 m/s"
    folder = Path(table.attrs["folder"])
    assert folder == Path("runs/small/sweeps/0001")
    names = {path.name for path in folder.iterdir() if path.is_dir()}
    assert names == {"a=0.05,g=9.81", "a=0.05,g=4.9", "a=0.06,g=9.81", "a=0.06,g=4.9"}
    assert len(pd.read_csv(folder / "table.csv")) == 4
    assert table.attrs["limits"] == table.attrs["convergence"] == [], "nothing here is over the spacing"
    text = (folder / "table.txt").read_text()
    assert "OUTSIDE" in text and "a=0.05,g=4.9: the run is likely too short: it has reached t = " in text
    assert table["budget.max_speed.max note"].str.contains("likely too short").all()
    assert (folder / "budget.max_speed.max.png").is_file()


def test_points_equal_single_runs(world: Path) -> None:
    done = run_sweep(world, {"let.a": "0.05,0.06"}, OPTIONS)
    single = eddyline.run(world, overrides={"let.a": 0.06}, out="single", **QUICK)  # type: ignore[arg-type]
    assert Run.open(done.folder / "a=0.06").fingerprint == single.fingerprint


@pytest.mark.matrix
@pytest.mark.usefixtures("with_pictures")
def test_an_interrupted_sweep_goes_on(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from eddyline.sweep import execute

    made: list[str] = []
    run_world = execute.run_world

    def run(*args: object, **options: object) -> Run:
        made.append(Path(str(options["out"])).name)
        done = run_world(*args, **options)  # type: ignore[arg-type]
        if len(made) == 2:
            record = {**done.record, "outcome": "stopped by user"}
            RunFolder(done.folder).write_record(record)
            return Run.open(done.folder)
        return done

    monkeypatch.setattr(execute, "run_world", run)
    changes = {"let.a": "0.05,0.055,0.06"}
    first = run_sweep(world, changes, OPTIONS)
    assert first.stopped and [row.label for row in first.rows] == ["a=0.05"]
    again = run_sweep(world, changes, OPTIONS)
    assert again.folder == first.folder and not again.stopped and len(again.rows) == 3
    assert made == ["a=0.05", "a=0.055", "a=0.055", "a=0.06"], "what was done is not run again"
    left_out = [first.folder / "a=0.05" / name for name in ("report.html", "pictures/final.png")]
    for path in left_out:
        path.unlink()  # as Ctrl-C while they are made leaves it
    run_sweep(world, changes, OPTIONS)
    assert len(made) == 4 and all(path.is_file() for path in left_out)
    text = world.read_text().replace("viscosity = 1e-6", "viscosity = 2e-6")
    world.write_text(text)
    other = run_sweep(world, changes, OPTIONS)
    assert other.folder != first.folder and len(made) == 7, "another world is another sweep"


def test_ctrl_c_between_steps_leaves_a_table(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from eddyline.sweep import execute

    run_world = execute.run_world

    def run(*args: object, **options: object) -> Run:
        if str(options["out"]).endswith("a=0.06"):
            raise KeyboardInterrupt
        return run_world(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(execute, "run_world", run)
    words = ["sweep", str(world), "--set", "let.a=0.05,0.06", "--until", "0.004", "--threads", "1"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 130
    assert "stopped: 1 of 2 points are done; the same command continues" in done.output
    assert len(pd.read_csv("runs/small/sweeps/0001/table.csv")) == 1


def test_a_longer_sweep_into_the_same_folder_keeps_its_points(world: Path) -> None:
    first = run_sweep(world, {"let.a": "0.05,0.06"}, OPTIONS, out="mine")
    before = (first.folder / "a=0.05" / "run.json").stat().st_mtime_ns
    more = run_sweep(world, {"let.a": "0.05,0.055,0.06"}, OPTIONS, out="mine")
    assert len(more.rows) == 3
    assert (more.folder / "a=0.05" / "run.json").stat().st_mtime_ns == before
    Path("other").mkdir()
    Path("other/file").touch()
    with pytest.raises(RequestError, match="is not a sweep"):
        run_sweep(world, {"let.a": "0.05,0.06"}, OPTIONS, out="other")
    assert [path.name for path in Path("other").iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("changes", "options", "held"),
    [
        ({"let.a": "0.05,0.06"}, {"until": 0.003}, "run with --until 0.004"),
        ({"let.a": "0.05,0.06", "let.g": "9.8"}, {}, "without fixed values"),
        ({"let.a": "0.05,0.06", "let.g": "9.8,4"}, {}, "over let.a"),
    ],
)
def test_a_sweep_leaves_another_ones_runs_alone(
    world: Path, changes: dict[str, str], options: dict[str, float], held: str
) -> None:
    first = run_sweep(world, {"let.a": "0.05,0.06"}, OPTIONS, out="mine")
    before = {path: path.read_bytes() for path in first.folder.rglob("*.json")}
    with pytest.raises(RequestError, match=f'out = "mine": contains a sweep {held}; give another folder'):
        run_sweep(world, changes, dataclasses.replace(OPTIONS, **options), out="mine")  # type: ignore[arg-type]
    assert {path: path.read_bytes() for path in first.folder.rglob("*.json")} == before


def test_arguments_of_another_kind_are_reported(world: Path) -> None:
    with pytest.raises(TypeError, match="world = None: must be a World, or the path"):
        eddyline.sweep(None, {"let.a": [0.05, 0.06]})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="quantities = 3: must be a list of texts"):
        eddyline.sweep(world, {"let.a": [0.05, 0.06]}, quantities=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="out = 3: must be a path"):
        eddyline.sweep(world, {"let.a": [0.05, 0.06]}, out=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"changes = 'let\.a=1,2': must be a dict of values by path"):
        eddyline.sweep(world, "let.a=1,2")  # type: ignore[arg-type]


def test_a_sweep_that_can_tell_nothing_is_not_run(world: Path) -> None:
    world.write_text(world.read_text().replace("range ", "after = 0.05\nrange "))
    changes = {"let.a": "0.05,0.06"}
    with pytest.raises(RequestError, match=r"until = 0.004: too early for any value, .* begin at t = 0.05 s"):
        run_sweep(world, changes, OPTIONS)
    assert len(run_sweep(world, changes, OPTIONS, quantities=["budget.max_speed.max"]).rows) == 2


def test_every_point_is_checked_before_any_is_run(world: Path) -> None:
    with pytest.raises(WorldError) as error:
        run_sweep(world, {"let.a": "0.05,-0.05"}, OPTIONS)
    assert "must be > 0" in str(error.value) and "At a=-0.05." in str(error.value)
    with pytest.raises(WorldError, match=r"let\.b is not in the file"):
        run_sweep(world, {"let.b": "1,2"}, OPTIONS)
    with pytest.raises(WorldError, match=r"^changes: let\.b is not in the file"):
        run_sweep(world, {"let.b": "1,2"}, OPTIONS)
    with pytest.raises(RequestError, match=r'^quantities = "budget.max_sped.max": [^\n]*$'):
        run_sweep(world, {"let.a": "0.05,0.06"}, OPTIONS, quantities="budget.max_sped.max")
    with pytest.raises(RequestError, match=r'quantities = "front.positon.final": unknown result'):
        run_sweep(world, {"let.a": "0.05,0.06"}, OPTIONS, quantities=["front.positon.final"])
    assert not Path("runs").exists()


def test_the_command(world: Path) -> None:
    words = ["sweep", str(world), "--set", "domain.spacing=a/8,a/10,a/12", "--until", "0.004"]
    words += ["--quantity", "budget.kinetic_energy.final", "--threads", "1"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert "domain.spacing  budget.kinetic_energy.final" in done.output
    assert "folder       runs/small/sweeps/0001" in done.output
    assert "budget.kinetic_energy.final: " in done.output
    wrong = CliRunner().invoke(app, ["sweep", str(world), "--set", "let.a=1:2"])
    assert wrong.exit_code == 2 and "a range is a:b:n" in wrong.output


def test_final_values_of_a_sweep_are_of_one_time(world: Path) -> None:
    """Runs pass their end by a part of a step, another one at each spacing."""
    quantity, end = "front.position.final", 0.02
    options = dataclasses.replace(OPTIONS, until=end)
    changes = {"domain.spacing": "a/8,a/10", "let.g": 9.81}
    done = run_sweep(world, changes, options, quantities=quantity)
    for row in done.rows:
        front = Run.open(done.folder / row.label).series("front")
        assert front["time"].iloc[-1] > end > front["time"].iloc[-2]
        found = row.cells[quantity].found
        assert isinstance(found, Statistic) and found.window == (end, end)
        assert found.value == pytest.approx(np.interp(end, front["time"], front["position"]), rel=1e-12)
        assert found.value != front["position"].iloc[-1] and not row.cells[quantity].reason
    few = run_sweep(world, changes | {"output.series": 7}, options, quantities=quantity)
    assert all("is the value at t = 0.0" in row.cells[quantity].reason for row in few.rows), few.text()
    assert "the last row before the end, 0.02 s; increase output.series for a later row" in few.text()
    assert few.table()[f"{quantity} note"].str.contains("the last row before the end").all()


# --- convergence ----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [0.7, 1.0, 1.5, 2.0, 2.4])
@pytest.mark.parametrize("spacings", [(0.1, 0.05, 0.025), (0.1, 0.06, 0.04, 0.02)])
def test_a_power_is_extrapolated_exactly(order: float, spacings: tuple[float, ...]) -> None:
    found = converge(spacings, [5 + 3 * h**order for h in spacings])
    assert isinstance(found, Convergence)
    assert found.order == pytest.approx(order, abs=1e-3)
    assert found.extrapolated == pytest.approx(5, abs=1e-4)
    assert found.error == pytest.approx(1.25 * 3 * spacings[-1] ** order, rel=1e-2)
    assert found.amplitude == pytest.approx(3, rel=1e-2)


def test_scatter_about_the_fit_is_part_of_the_error() -> None:
    h = (0.1, 0.08, 0.06, 0.04, 0.02)
    exact = [5 + 3 * x**2 for x in h]
    rough = [value + 2e-4 * (-1) ** k for k, value in enumerate(exact)]
    smooth, scattered = converge(h, exact), converge(h, rough)
    assert isinstance(smooth, Convergence) and isinstance(scattered, Convergence)
    assert scattered.error > smooth.error + 1e-4


def test_the_chart_shows_the_fit() -> None:
    """The curve is a fit to four spacings with scatter, not the curve of that order through the finest."""
    world = World.from_text(small_worlds.DAM)
    values = {10: 5.7012, 20: 5.6090, 40: 5.5891, 80: 5.5812}
    made = rows(values)
    limits = limits_of(made, "let.n")
    fit = limits[0].found
    assert isinstance(fit, Convergence) and fit.plausible
    rest = [fit.at(0.1 / n) - value for n, value in values.items()]
    assert max(map(abs, rest)) < 2e-3 and min(map(abs, rest)) > 1e-5
    assert sum(rest) == pytest.approx(0, abs=1e-9), "least squares leave no mean"
    (chart,) = charts_of(world, made, limits, "let.n")
    (axes,) = chart.figure().axes
    (curve,) = [line for line in axes.lines if line.get_linestyle() == ":"]
    x, y = (np.asarray(data, dtype=float) for data in curve.get_data())
    assert y == pytest.approx(fit.extrapolated + fit.amplitude * x**fit.order)
    assert (x[0], x[-1]) == (0, 0.01)


def test_an_order_too_good_to_be_true_is_not_used() -> None:
    h = (0.1, 0.05, 0.025)
    found = converge(h, [5 + 300 * x**4 for x in h])
    assert isinstance(found, Convergence) and "factor of safety of 3" in str(found)
    fine, coarse = 5 + 300 * h[2] ** 4, 5 + 300 * h[1] ** 4
    assert found.extrapolated == pytest.approx(fine + (fine - coarse) / 3)
    assert found.error == pytest.approx(3 * abs(found.extrapolated - fine))
    assert (found.used_order, found.at(h[2]), found.at(h[1])) == pytest.approx((2, fine, coarse))


@pytest.mark.parametrize(
    ("values", "errors", "reason"),
    [
        ((5.0, 5.2, 5.1), None, "do not converge monotonically"),
        ((5.0, 5.1, 5.3), None, "differences do not decrease"),
        ((5.3, 5.2, 5.1), None, "differences do not decrease"),
        ((5.30, 5.10, 4.95), None, "order is 0.42, below 0.5"),
        ((5.3, 5.1, 5.05), (0.1, 0.1, 0.1), "within their statistical error 0.14; run longer"),
        ((5.3, 5.1, 5.1), None, "two spacings give the same value"),
    ],
)
def test_no_extrapolation_without_convergence(
    values: tuple[float, ...], errors: tuple[float, ...] | None, reason: str
) -> None:
    found = converge((0.1, 0.05, 0.025), values, errors)
    assert isinstance(found, str) and reason in found


def test_two_spacings_are_too_few() -> None:
    assert (
        converge((0.1, 0.05), (1.0, 1.1))
        == "not extrapolated: needs values at 3 spacings or more, there are 2"
    )


def rows(values: dict[float, float]) -> list[Row]:
    return [
        Row(
            f"n={n}",
            {"let.n": n},
            0.1 / n,
            "finished",
            {"c.drag_coefficient.mean": Cell(Statistic(v), (5, 6), "")},
        )
        for n, v in values.items()
    ]


def test_a_sweep_over_the_spacing_says_order_and_limit() -> None:
    found = limits_of(rows({n: 5.58 + 13 * n**-2.0 for n in (10, 20, 40)}), "let.n")
    assert len(found) == 1
    assert str(found[0]) == (
        "Cd mean: order 2, extrapolated 5.580 +- 0.010 (grid convergence index) | expected 5 to 6"
    )
    record = found[0].record()
    assert [record[key] for key in ("order", "used_order", "extrapolated", "amplitude")] == pytest.approx(
        [2, 2, 5.58, 1300], rel=1e-2
    )
    assert record["error"] == pytest.approx(1.25 * 13 / 1600, rel=1e-2)
    assert record["spacings"] == [0.01, 0.005, 0.0025] and record["values"][-1] == 5.58 + 13 / 1600
    assert (record["quantity"], record["settings"], record["note"]) == ("c.drag_coefficient.mean", {}, "")
    text = to_text(rows({10: 5.7, 20: 5.62, 40: 5.9}), limits_of(rows({10: 5.7, 20: 5.62, 40: 5.9}), "let.n"))
    assert text.splitlines()[0].split() == ["let.n", "Cd", "mean"]
    assert "do not converge monotonically" in text
    refused = limits_of(rows({10: 5.7, 20: 5.62, 40: 5.9}), "let.n")[0].record()
    assert refused["order"] is refused["error"] is None and "monotonically" in refused["note"]


def test_the_key_of_the_spacing(tmp_path: Path) -> None:
    text = small_worlds.DAM.replace('"a/8"', '"a/n"').replace("g = 9.81", "g = 9.81\nn = 8")
    world = World.from_text(text)
    assert spacing_key(world, ["domain.spacing"]) == "domain.spacing"
    assert spacing_key(world, ["let.n"]) == "let.n"
    assert spacing_key(world, ["let.a"]) is None, "a changes the size of the tank, too"
    assert spacing_key(world, ["let.g"]) is None
    assert not np.isnan(world.core.spacing)


def test_axes_of_charts_have_units() -> None:
    world = World.from_text(small_worlds.DAM)
    units = {
        "domain.spacing": "m", "domain.size.1": "m", "fluid.kinematic_viscosity": "m^2/s", "time.end": "s",
        "method.cfl": "", "let.a": "", "fluid.nothing": "",
    }  # fmt: skip
    assert {key: unit_of_key(world.file, key) for key in units} == units
    budget = pd.DataFrame({"time": [0.0], "max_speed": [1.0]})
    budget.attrs["units"] = {"max_speed": "m/s"}
    of_results = {"budget.max_speed.max": "m/s", "2*budget.max_speed.max": "", "nothing": ""}
    assert {name: unit_of_quantity(world.file, name, {"budget": budget}) for name in of_results} == of_results
    cells = [{"budget.max_speed.max": Cell(Statistic(value), unit="m/s")} for value in (1.0, 2.0)]
    made = [
        Row(f"{k}", {"fluid.kinematic_viscosity": 10.0**-k}, 0.1, "finished", cell)
        for k, cell in enumerate(cells)
    ]
    (chart,) = charts_of(world, made, [], None)
    (axes,) = chart.figure().axes
    assert axes.get_xlabel() == "fluid.kinematic_viscosity [m²/s]"
    assert axes.get_ylabel() == "budget.max_speed.max [m/s]"
    assert axes.get_legend() is None, "there is one line, which is this world's"
