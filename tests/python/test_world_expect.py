"""Holding results against what a world expects, on series with known answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import small_worlds
from numpy.typing import NDArray

from eddyline.run.results import evaluate
from eddyline.signals import Statistic
from eddyline.world import Comparison, World, evaluate_expectations, gallery, reference_curve
from eddyline.world.expect import measure

CYLINDER = """\
format = 1
[let]
D = 0.1
Re = 100
[reference]
velocity = 2.0
length = "D"
[domain]
size = [1.0, 0.4]
spacing = 0.01
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 1.0
[bodies.cylinder]
shape = "circle"
center = [0.3, 0.2]
diameter = "D"
[time]
end = 1.0
[observe.front]
type = "front"
"""
TIME = np.linspace(0, 1, 401) ** 1.5  # rows of uneven distance
DRAG = 300 + 20 * np.sin(2 * np.pi * 5 * TIME)  # N/m


def compare(expect: str, trusted: dict[str, Statistic | str] | None = None) -> Comparison:
    world = World.from_text(f"{CYLINDER}[[expect]]\n{expect}\n")
    series = {
        "force.cylinder": pd.DataFrame({"time [s]": TIME, "total_x [N/m]": DRAG, "total_y [N/m]": 0 * TIME}),
        "front": pd.DataFrame({"time": TIME, "position": 0.1 + TIME}),
    }
    (found,) = evaluate_expectations(world, series, trusted)
    return found


def test_range() -> None:
    found = compare('quantity = "force.cylinder.total_x.max"\nrange = [318, 322]\nsource = "here"')
    assert (found.kind, found.inside, found.error, found.allowed, found.source) == (
        "range",
        True,
        0,
        0,
        "here",
    )
    assert found.measured == pytest.approx(320, rel=1e-3)
    found = compare('quantity = "force.cylinder.total_x.max"\nrange = [290, 310]')
    assert found.inside is False
    assert found.error == pytest.approx(320 / 310 - 1, rel=1e-2)
    assert str(found) == "force.cylinder.total_x.max: 320 (+3.2%) | 290 to 310 | OUTSIDE"


def test_value_and_statistics() -> None:
    """Means are over time, however the rows lie; rms is about the mean."""
    for quantity, value in (
        ("force.cylinder.total_x.mean", 300.0),
        ("force.cylinder.total_x.rms", 20 / np.sqrt(2)),
        ("force.cylinder.total_x.final", 300.0),
        ("force.cylinder.total_x.min", 280.0),
        ("front.position.final / D", 11.0),
        ("cylinder.drag_coefficient.mean", 300 / (0.5 * 1000 * 4 * 0.1)),
        ("force.cylinder.total_x.mean / force.cylinder.total_x.max", 300 / 320),
    ):
        found = compare(f'quantity = "{quantity}"\nvalue = {value}\ntolerance = {0.002 * value}')
        assert found.inside, found
        assert found.measured == pytest.approx(value, rel=2e-3)
        assert found.allowed == pytest.approx(0.002)


def test_final_is_of_the_end() -> None:
    """The final value is interpolated if the end is between the last two rows; else it is the last row's."""
    world = World.from_text(small_worlds.DAM)
    end = world.end
    rows = {"time": [0.0, 0.9 * end, 1.1 * end], "position": [1.0, 2.0, 4.0]}
    series = {"front": pd.DataFrame(rows)}

    def final(**options: float) -> tuple[float, object]:
        found = measure(world, "2 * front.position.final", series, {}, **options)
        assert isinstance(found, Statistic)
        return found.value, found.window

    assert final() == final(end=end) == (pytest.approx(6), (end, end))
    assert final(end=end, after=0.95 * end)[0] == pytest.approx(6)
    assert final(end=1.05 * end) == (pytest.approx(7), (1.05 * end, 1.05 * end))
    assert final(end=1.2 * end) == (8, (1.1 * end, 1.1 * end)), "the series ends before"
    assert final(end=0.5 * end) == (8, (1.1 * end, 1.1 * end)), "the run went on from its end"


def test_after() -> None:
    found = compare('quantity = "front.position.mean"\nvalue = 0.85\ntolerance = 0.001\nafter = 0.5')
    assert found.inside, found


def test_trusted_values_go_first() -> None:
    strouhal = Statistic(0.3, 0.01, (2.0, 4.0), "over 6 periods")
    found = compare('quantity = "cylinder.strouhal"\nrange = [0.29, 0.31]', {"cylinder.strouhal": strouhal})
    assert (found.measured, found.inside, found.band) == (0.3, True, (0.29, 0.31))
    assert (found.statistical_error, found.window, found.what) == (0.01, (2.0, 4.0), "over 6 periods")
    quantity = 'quantity = "cylinder.drag_coefficient.max"\nvalue = 3.2\ntolerance = 0.1'
    assert compare(quantity, {"cylinder.drag_coefficient.max": Statistic(3.21)}).measured == 3.21


def test_what_cannot_be_trusted_yet_is_not_judged() -> None:
    reasons: dict[str, Statistic | str] = {"cylinder.drag_coefficient.max": "not periodic yet"}
    quantity = 'quantity = "cylinder.drag_coefficient.max"\nvalue = 3.2\ntolerance = 0.1'
    found = compare(quantity, reasons)
    assert (found.measured, found.inside, found.note) == (None, None, "not periodic yet")
    assert compare(f"{quantity}\nafter = 0.5", reasons).measured is not None, "the world chose its own window"


def test_errors_of_a_formula_add_as_squares() -> None:
    trusted: dict[str, Statistic | str] = {
        "cylinder.drag_coefficient.mean": Statistic(3.0, 0.03, (1.0, 2.0), "mean"),
        "cylinder.lift_coefficient.amplitude": Statistic(2.0, 0.04, (1.0, 2.0), "amplitude"),
    }
    ratio = "cylinder.drag_coefficient.mean / cylinder.lift_coefficient.amplitude"
    found = compare(f'quantity = "{ratio}"\nvalue = 1.5\ntolerance = 0.1', trusted)
    assert found.statistical_error == pytest.approx(1.5 * np.hypot(0.01, 0.02), rel=0.03)
    assert (found.window, found.what) == ((1.0, 2.0), "")


def test_a_mean_from_a_time_on_has_an_error() -> None:
    quantity = 'quantity = "force.cylinder.total_x.mean"\nvalue = 300\ntolerance = 9'
    found = compare(f"{quantity}\nafter = 0.4")
    assert found.statistical_error is not None and found.window is not None
    assert found.window[0] >= 0.4 and found.what == "mean from t = 0.4 s on"


def curve_point(reynolds: float, measured: float, error: float = 0.0) -> Comparison:
    """The drag coefficient of a run as a point of its curve over the Reynolds number."""
    expect = """
curve    = "cylinder_drag.csv"
against  = "Re"
quantity = "cylinder.drag_coefficient.mean"
band     = 0.05
"""
    world = World.from_text(f"{CYLINDER}[[expect]]\n{expect}\n", overrides={"let.Re": reynolds})
    trusted = {"cylinder.drag_coefficient.mean": Statistic(measured, error)}
    (found,) = evaluate_expectations(world, {}, trusted)
    return found


def test_one_run_is_one_point_of_a_curve() -> None:
    found = curve_point(20, 2.08, 0.01)
    assert (found.kind, found.at, found.inside) == ("curve", 20, True)
    assert found.error == pytest.approx(0.04)
    assert found.expected == "2 +- 5.0% at Re = 20"
    assert curve_point(20, 2.2).inside is False
    assert curve_point(70, 1.41).error == pytest.approx(1.41 / 1.409 - 1)
    assert curve_point(300, 1.3).note == "Re = 300 is outside the curve, 20 to 100"


def test_what_a_run_lacks() -> None:
    found = compare('quantity = "cylinder.strouhal"\nrange = [0.29, 0.31]')
    assert (found.measured, found.inside) == (None, None)
    assert found.note == "the run has no cylinder.strouhal"
    found = compare('quantity = "budget.mass.final"\nrange = [0, 1]')
    assert str(found) == "budget.mass.final: the run has no budget.mass"


def test_zero_and_not_finite() -> None:
    found = compare('quantity = "force.cylinder.total_y.mean"\nvalue = 0\ntolerance = 0.1')
    assert (found.error, found.allowed, found.inside) == (0, 0.1, True)
    found = compare('quantity = "1 / force.cylinder.total_y.mean"\nrange = [0, 1]')
    assert (found.measured, found.inside) == (None, None)
    assert found.note == "`1 / force.cylinder.total_y.mean` gives inf with force.cylinder.total_y.mean = 0"


def test_when() -> None:
    text = f'{CYLINDER}[[expect]]\nquantity = "front.position.max"\nrange = [0, 2]\nwhen = "Re == 100"\n'
    assert len(World.from_text(text).expectations) == 1
    assert World.from_text(text, overrides={"let.Re": 20}).expectations == ()


# --- curves -------------------------------------------------------------------------------------------------


def dam_break(shift: float, scale: float = 1.0, end: float = 8.0, limit: float = 0.3) -> Comparison:
    """The front of the reference itself, `shift` later and `scale` times as far, measured until T = `end`."""
    world = World.load(gallery()["dam_break"], {"expect.0.shift": limit})
    curve = reference_curve(world, world.expectations[0])
    assert curve is not None
    x = np.concatenate([[-1.0], curve.x, [9.0]])
    y = np.concatenate([[1.0], curve.y, [14.0]])
    dimensionless = np.linspace(0, end, 2000)
    front = world.let["a"] * scale * np.interp(dimensionless - shift, x, y)
    time = dimensionless / np.sqrt(2 * world.let["g"] / world.let["a"])
    (found,) = evaluate_expectations(world, {"front": pd.DataFrame({"time": time, "position": front})})
    return found


def test_curve_with_its_best_shift() -> None:
    found = dam_break(shift=0.2)
    assert (found.kind, found.inside, found.points) == ("curve", True, 17)
    assert found.shift == pytest.approx(0.2, abs=2e-3)
    assert found.error == pytest.approx(0, abs=2e-3)
    assert found.allowed == 0.08


def test_curve_without_shift() -> None:
    found = dam_break(shift=0.2, limit=0)
    assert (found.shift, found.note) == (0, "")
    assert found.error is not None and found.error > 0.05
    assert dam_break(shift=0, limit=0).error == pytest.approx(0, abs=1e-3)


def test_curve_missed() -> None:
    found = dam_break(shift=0, scale=1.3)
    assert found.inside is False
    assert found.error is not None and 0.08 < found.error < 0.3
    assert "OUTSIDE" in str(found)
    assert abs(found.shift or 0) <= 0.3


def test_relative_rms_of_a_scaled_curve() -> None:
    """A curve that is 5 % too high everywhere, not shifted, has a relative RMS difference of 5 %."""
    assert dam_break(shift=0, scale=1.05, limit=0).error == pytest.approx(0.05, abs=2e-3)


def test_curve_of_a_short_run() -> None:
    found = dam_break(shift=0, end=3.0)
    assert found.points == 11
    assert "11 of 17 points of the curve" in found.note
    found = dam_break(shift=0, end=1.0)
    assert (found.measured, found.inside) == (None, None)
    assert found.note == "the run covers fewer than 3 points of the curve"


def stream_of(
    drag: NDArray[np.float64], quantity: str, pressure: NDArray[np.float64] | None = None
) -> Comparison:
    """The comparison of a quantity in a run with this drag, over the windows that its flow gives."""
    world = World.from_text(
        f'{CYLINDER}[observe.drop]\ntype = "pressure_drop"\nfrom = [0.2, 0.2]\nto = [0.9, 0.2]\n'
        f'[[expect]]\nquantity = "{quantity}"\nvalue = 1\ntolerance = 1\n'
    )
    time = np.linspace(0, 10, len(drag))
    series = {
        "force.cylinder": pd.DataFrame({"time": time, "total_x": drag, "total_y": 0 * time}),
        "drop": pd.DataFrame({"time": time, "pressure_drop": time if pressure is None else pressure}),
    }
    (found,) = evaluate(world, series, reached=10.0).comparisons
    return found


def test_the_mean_of_a_force_has_the_window_of_its_flow_with_a_reference_too() -> None:
    drag = 300 - 200 * np.exp(-2 * np.linspace(0, 10, 2000))
    found = stream_of(drag, "force.cylinder.total_x.mean")
    assert found.measured == pytest.approx(300, rel=1e-3) and drag.mean() < 291
    assert found.what == "mean, steady" and found.window is not None and found.window[0] > 1


def test_a_body_at_rest_does_not_vouch_for_what_still_changes() -> None:
    still = np.full(2000, 300.0)
    found = stream_of(still, "drop.pressure_drop.mean")
    assert (found.measured, found.note) == (None, "not steady yet")
    assert stream_of(still, "drop.pressure_drop.mean", still).measured == pytest.approx(300)
