"""Holding results against what a world expects, on series with known answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from eddyline.world import Comparison, World, evaluate_expectations, gallery, reference_curve

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


def compare(expect: str, scalars: dict[str, float] | None = None) -> Comparison:
    world = World.from_text(f"{CYLINDER}[[expect]]\n{expect}\n")
    series = {
        "force.cylinder": pd.DataFrame({"time [s]": TIME, "total_x [N/m]": DRAG, "total_y [N/m]": 0 * TIME}),
        "front": pd.DataFrame({"time": TIME, "position": 0.1 + TIME}),
    }
    (found,) = evaluate_expectations(world, series, scalars)
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


def test_after() -> None:
    found = compare('quantity = "front.position.mean"\nvalue = 0.85\ntolerance = 0.001\nafter = 0.5')
    assert found.inside, found


def test_scalars_go_first() -> None:
    found = compare('quantity = "cylinder.strouhal"\nrange = [0.29, 0.31]', {"cylinder.strouhal": 0.3})
    assert (found.measured, found.inside) == (0.3, True)
    quantity = 'quantity = "cylinder.drag_coefficient.max"\nvalue = 3.2\ntolerance = 0.1'
    assert compare(quantity, {"cylinder.drag_coefficient.max": 3.21}).measured == 3.21


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
    assert (found.inside, found.note) == (False, "not finite")


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
    """Without a shift, a curve that is everywhere 5 % too high has a relative RMS difference of 5 %."""
    assert dam_break(shift=0, scale=1.05, limit=0).error == pytest.approx(0.05, abs=2e-3)


def test_curve_of_a_short_run() -> None:
    found = dam_break(shift=0, end=3.0)
    assert found.points == 11
    assert "11 of 17 points of the curve" in found.note
    found = dam_break(shift=0, end=1.0)
    assert (found.measured, found.inside) == (None, None)
    assert found.note == "the run covers fewer than 3 points of the curve"
