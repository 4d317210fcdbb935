"""A gas with the solver multiblock: worlds, refusals, quantities, and the same bits however it is cut."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eddyline
from eddyline.world import World, WorldError

SMALL = {"mesh.cells": "[32, 8]", "mesh.first_cell": 2e-3, "output.snapshots": 0}
TUBE = {"method": {"name": "multiblock"}, "let.n": 100, "domain.size": '[1.0, "16/n"]', "output.snapshots": 1}
TUBE |= {f"regions.{side}.max": f'[{x}, "16/n"]' for side, x in (("left", 0), ("right", 0.5))}
TUBE |= {f"observe.{name}.position": f'[{x}, "8/n"]' for name, x in (("behind", 0.1), ("shocked", 0.27))}


TURBULENT = {"fluid.turbulence": "spalart_allmaras", "let.Re": 1e6}


def refused(name: str, **changes: object) -> str:
    with pytest.raises(WorldError) as error:
        World.load(name, {key.replace("__", "."): value for key, value in changes.items()})
    return str(error.value)


def test_keys_of_a_gas_are_checked() -> None:
    text = "prandtl is allowed for a gas only"
    assert text in refused("cylinder", fluid__prandtl=0.7)
    assert "particles conduct no heat" in refused("sod", fluid__sutherland=110.4)
    assert "a gas requires it" in refused("airfoil", start={"velocity": [1, 0]})
    assert "for liquids only" in refused("airfoil", start__pressure="hydrostatic")
    assert "must be > 0 in a gas" in refused("airfoil", start__density=-1)
    assert "has max_speed" in refused("airfoil", fluid__max_speed=1)
    for name, key in (("airfoil", "start"), ("blast", "start"), ("blast", "regions.charge")):
        assert f"{key}.pressure gives 0 at" in refused(name, **{f"{key}.pressure": 0})
    assert World.load("sod", {"regions.right.pressure": 0})  # particles may have a cold gas


def test_a_turbulence_model_is_refused_where_it_cannot_be() -> None:
    model = {"fluid__turbulence": "spalart_allmaras"}
    assert "turbulence is allowed for a gas only" in refused("cylinder", **model)
    assert "the solver sph has no turbulence model" in refused("sod", **model)
    assert "a turbulence model requires it" in refused("airfoil", fluid__kinematic_viscosity=0, **model)
    assert "there is no turbulence model" in refused("airfoil", fluid__turbulence_ratio=3)
    assert "spalart_allmaras" in refused("airfoil", fluid__turbulence="k_epsilon")


def test_a_gas_without_pressure_somewhere_is_refused() -> None:
    world = World.load("sod", TUBE | {"regions.right.max": '[0.25, "16/n"]'})
    with pytest.raises(Exception, match="must be positive everywhere"):
        eddyline.Simulation(world)


def test_a_shock_tube_of_particles_runs_on_blocks(tmp_path: Path) -> None:
    run = eddyline.run(World.load("sod", TUBE), out=tmp_path / "run", movie=False, report=False)
    shocked, budget = run.series("shocked").iloc[-1], run.series("budget")
    assert shocked["pressure"] == pytest.approx(0.30313, rel=0.04)
    assert shocked["velocity_x"] == pytest.approx(0.92745, rel=0.04)
    energy = budget["total_energy"]
    assert np.abs(energy / energy.iloc[0] - 1).max() < 1e-4
    density = run.snapshot(-1)["density"]
    assert density.min() == pytest.approx(0.125, rel=1e-3) and density.max() == pytest.approx(1, rel=1e-2)


def test_pictures_of_a_gas_show_its_quantities() -> None:
    simulation = eddyline.Simulation(World.load("airfoil", SMALL | {"bodies.foil.slip": True}))
    u, c = 0.5 * np.sqrt(1.4 * 101325 / 1.2), np.sqrt(1.4 * 101325 / 1.2)
    expected = {
        "mach": u / c,
        "density": 1.2,
        "temperature": 101325 / 1.2 / 287.05,
        "pressure_coefficient": 0,
    }
    for name, value in expected.items():
        picture = simulation.raster(name, (20, 35))
        assert np.nanmax(np.abs(picture - value)) < 1e-3 * max(1, value), name


def test_turbulence_is_shown(tmp_path: Path) -> None:
    probe = {"observe": {"wake": {"type": "probe", "position": [1.2, 0]}}}
    world = World.load("airfoil", SMALL | TURBULENT | probe | {"time.end": 3, "output.pictures": 0})
    run = eddyline.run(world, out=tmp_path / "run", movie=False, report=False)
    series = run.series("turbulence").iloc[-1]
    assert 0 < series["y_plus_mean"] < series["y_plus_max"] < 100
    assert series["max_ratio"] > 0.2 and series["residual"] > 0
    assert run.series("wake").iloc[-1]["eddy_viscosity_ratio"] > 0
    simulation = eddyline.Simulation(world)
    start = 3**4 / (3**3 + 7.1**3)  # rho nu~ fv1 / mu with nu~ / nu = 3
    assert np.allclose(simulation.field("eddy_viscosity_ratio"), start, rtol=1e-12)
    assert np.nanmax(np.abs(simulation.raster("eddy_viscosity_ratio", (20, 35)) - start)) < 1e-6
    assert simulation.field("wall_distance").min() > 0


@pytest.mark.parametrize(
    "model", [{"method.dissipation_kind": "matrix"}, TURBULENT], ids=["laminar", "turbulent"]
)
def test_boxes_and_threads_change_no_bit_of_a_gas(model: dict[str, object]) -> None:
    world = World.load("airfoil", SMALL | {"fluid.sutherland": 110.4} | model)
    fields = []
    for boxes, threads in ((1, 1), (4, 2)):
        simulation = eddyline.Simulation(world, boxes=boxes, threads=threads)
        simulation.step(4)
        fields.append([simulation.field(name) for name in ("pressure", "density", "velocity_x")])
    for one, other in zip(*fields, strict=True):
        assert np.array_equal(one, other)
