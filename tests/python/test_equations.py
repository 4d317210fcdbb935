"""Equations on cells: their accuracy, what they conserve, their sides, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from test_waves import FLAT, GAS, SOLID_GAS, THICK_GAS, world_text

import eddyline
from eddyline import _core
from eddyline.solvers.amr import EQUATIONS
from eddyline.world import World, WorldError

Floats = NDArray[np.float64]


def sod(n: int, wide: int = 8, **method: Any) -> World:
    """The gallery's tube of n cells, some cells wide."""
    changes: dict[str, Any] = {
        "method.name": "amr",
        "let.n": n,
        "domain.size": [1.0, wide / n],
        "observe.behind.position": [0.1, 4 / n],
        "observe.shocked.position": [0.27, 4 / n],
    }
    return World.load("sod", overrides=changes | {f"method.{key}": value for key, value in method.items()})


def tube(n: int, start: str, reconstruction: str = "muscl", sides: str = "periodic") -> World:
    """A periodic strip of n x 8 cells, 1 m long."""
    kinds = {"left": sides, "right": sides, "bottom": "periodic", "top": "periodic"}
    table = "\n".join(f'{side} = {{ type = "{kind}" }}' for side, kind in kinds.items())
    return World.from_text(f"""format = 1
[domain]
size = [1, {8 / n}]
spacing = {1 / n}
[fluid]
state = "ideal_gas"
density = 1
[start]
{start}
[boundaries]
{table}
[time]
end = 1
[method]
name = "amr"
reconstruction = "{reconstruction}"
""")


def budget_of(simulation: _core.Simulation) -> dict[str, Floats]:
    columns, _, rows = simulation.take_series()["budget"]
    return dict(zip(columns, rows.T, strict=True))


def cells(simulation: _core.Simulation, name: str, along_x: int) -> Floats:
    values: Floats = simulation.values("cells", name, 0, simulation.count("cells")).reshape(-1, along_x)
    return values


def exact_density_of_sod(n: int, time: float) -> Floats:
    """Means over n cells of the exact solution, which depends on x/t only."""
    fine = (np.arange(20 * n) + 0.5) / (20 * n) - 0.5
    xi, sound = fine / time, np.sqrt(1.4)
    fan = (5 / 6 - xi / (6 * sound)) ** 5  # see validation/sod/exact.csv for the speeds and densities
    edges = [xi < -sound, xi < -0.070273, xi < 0.927453, xi < 1.752156]
    density = np.select(edges, [1.0, fan, 0.426319, 0.265574], 0.125)
    means: Floats = density.reshape(n, 20).mean(axis=1)
    return means


@pytest.mark.parametrize(("reconstruction", "most"), [("muscl", 0.003), ("weno", 0.0022)])
def test_density_of_a_shock_tube(reconstruction: str, most: float) -> None:
    simulation = _core.Simulation(sod(200, reconstruction=reconstruction).core)
    simulation.advance(0.2, 2**62, 1e9)
    density = cells(simulation, "density", 200)
    assert np.ptp(density, axis=0).max() == 0  # the same in all rows, to the bit
    assert np.abs(density[0] - exact_density_of_sod(200, simulation.time)).mean() < most


def test_a_shock_crosses_edges_of_levels_without_loss() -> None:
    simulation = _core.Simulation(sod(200, 16, levels=2, tolerance=0.02, unit=4).core)
    simulation.advance(0.2, 2**62, 1e9)
    density = simulation.rasters(["density"], (16, 200), (-0.5, 0, 0), (0.5, 0.08, 0))[0]
    assert np.abs(density[8] - exact_density_of_sod(200, simulation.time)).mean() < 0.003
    budget = budget_of(simulation)
    for name in ("mass", "total_energy"):
        assert np.ptp(budget[name]) < 1e-13 * budget[name][0], name


@pytest.mark.parametrize(("reconstruction", "order"), [("muscl", 1.8), ("weno", 4.8)])
def test_a_smooth_wave_of_density_converges(reconstruction: str, order: float) -> None:
    errors = []
    for n in (32, 64):
        start = 'density = "1 + 0.2*sin(2*pi*x)"\nvelocity = [1.0, 0.0]\npressure = 1.0'
        simulation = _core.Simulation(tube(n, start, reconstruction).core)
        simulation.advance(0.5, 2**62, 1e9)
        x = (np.arange(n) + 0.5) / n - simulation.time
        exact = 1 + 0.2 * np.sin(2 * np.pi * x) * np.sinc(1 / n)
        errors.append(float(np.abs(cells(simulation, "density", n)[0] - exact).mean()))
    assert np.log2(errors[0] / errors[1]) > order


def test_a_blast_keeps_its_totals_and_its_symmetry() -> None:
    world = World.load("sedov", overrides={"method.name": "amr", "let.n": 48})
    simulation = _core.Simulation(world.core)
    simulation.advance(world.file.time.end, 2**62, 1e9)
    budget = budget_of(simulation)
    for name in ("mass", "total_energy"):
        assert np.ptp(budget[name]) < 1e-12 * budget[name][0], name
    assert np.abs(budget["momentum_x"]).max() < 1e-12 and np.abs(budget["momentum_y"]).max() < 1e-12
    density = cells(simulation, "density", 48)
    for other in (density.T, density[::-1], density[:, ::-1]):
        assert np.abs(density - other).max() < 1e-12
    assert density.max() > 3


def test_walls_keep_mass_and_energy_and_reflect_as_a_mirror_does() -> None:
    """A pulse between walls is one half of two pulses without walls."""
    pulse = 'pressure = "1 + exp(-(({})/.1)^2)"\nvelocity = [0, 0]'
    walls = _core.Simulation(tube(40, pulse.format("x - .3"), sides="wall").core)
    both = "min(abs(x - .15), abs(x - .85))"
    mirror = _core.Simulation(tube(80, pulse.format(f"2*({both})")).core)
    for simulation, end in ((walls, 0.5), (mirror, 0.25)):
        simulation.advance(end, 2**62, 1e9)
    assert np.abs(cells(walls, "density", 40)[0] - cells(mirror, "density", 80)[0, :40]).max() < 1e-12
    budget = budget_of(walls)
    for name in ("mass", "total_energy"):
        assert np.ptp(budget[name]) < 1e-13 * budget[name][0], name


def test_supersonic_flow_enters_and_leaves() -> None:
    """Gas that flows in fills the domain."""
    text = GAS.replace('pressure = "1 + 0.1*y"', "pressure = 1.0").replace("[3.0, 0.1]", "[3.0, 0.0]")
    simulation = _core.Simulation(World.from_text(text).core)
    simulation.advance(3.0, 2**62, 1e9)
    for name, value in (("density", 1.0), ("velocity_x", 3.0), ("pressure", 1.0), ("velocity_y", 0.0)):
        assert cells(simulation, name, 32) == pytest.approx(np.full((24, 32), value), abs=1e-6), name


def test_slow_flow_keeps_the_pressure_of_its_outflow() -> None:
    """Gas that enters with a velocity and leaves with a pressure goes on as it started."""
    text = tube(16, "velocity = [0.3, 0.0]\npressure = 0.9").source
    text = text.replace('left = { type = "periodic" }', 'left = { type = "inflow", velocity = [0.3, 0.0] }')
    text = text.replace('right = { type = "periodic" }', 'right = { type = "outflow", pressure = 0.9 }')
    simulation = _core.Simulation(World.from_text(text).core)
    simulation.advance(2.0, 2**62, 1e9)
    for name, value in (("pressure", 0.9), ("velocity_x", 0.3), ("density", 1.0)):
        assert np.abs(cells(simulation, name, 16) - value).max() < 1e-12, name


def test_waves_leave_through_open_sides() -> None:
    text = world_text([1, 0.25], 64, "exp(-((x-.5)/.1)^2)", end=1.6)
    for side in ("left", "right"):
        text = text.replace(f'{side} = {{ type = "periodic" }}', f'{side} = {{ type = "open" }}')
    simulation = _core.Simulation(World.from_text(text.replace("[0.3, 0.4]", "[0.3, 0.2]")).core)
    simulation.advance(1.6, 2**62, 1e9)
    assert np.abs(cells(simulation, "u", 64)).max() < 0.002
    energy = budget_of(simulation)["energy"]
    assert np.diff(energy).max() < 1e-6 * energy[0] and energy[-1] < 1e-4 * energy[0]


@pytest.mark.parametrize(("slip", "form"), [("false", "sin"), ("true", "cos")])
def test_walls_hold_a_wave_or_let_it_slide(slip: str, form: str) -> None:
    text = world_text([1, 1], 24, f"{form}(pi*x)*{form}(pi*y)", end=1.0)
    text = text.replace('type = "periodic"', f'type = "wall", slip = {slip}')
    simulation = _core.Simulation(World.from_text(text).core)
    simulation.advance(1.0, 2**62, 1e9)
    shape = getattr(np, form)(np.pi * (np.arange(24) + 0.5) / 24)
    exact = np.outer(shape, shape) * np.cos(np.sqrt(2) * np.pi * simulation.time)
    assert np.abs(cells(simulation, "u", 24) - exact).max() < 1e-5


def test_a_shock_of_burgers_equation_moves_with_the_mean_of_its_sides() -> None:
    text = world_text([1, 0.25], 64, "if(x < 0.25, 1, 0)", end=0.5, extra='equations = "burgers"')
    text = text.replace('p = "0"\n', "").replace("[0.3, 0.4]", "[0.3, 0.2]")
    for side in ("left", "right"):
        text = text.replace(f'{side} = {{ type = "periodic" }}', f'{side} = {{ type = "open" }}')
    simulation = _core.Simulation(World.from_text(text).core)
    simulation.advance(0.5, 2**62, 1e9)
    u = cells(simulation, "u", 64)[3]
    assert u.mean() == pytest.approx(0.25 + 0.5 * simulation.time, abs=1e-3)
    assert u.max() <= 1 + 1e-12 and u.min() >= -1e-12 and np.count_nonzero((u > 0.05) & (u < 0.95)) <= 3


def viscous(n: int, viscosity: float, start: str, sides: str = "") -> _core.Simulation:
    """A strip of n x 8 cells with friction; sides: those on the left and right, if it is not periodic."""
    text = tube(n, start).source
    text = text.replace("density = 1\n", f"density = 1\nkinematic_viscosity = {viscosity}\n", 1)
    if sides:
        for side in ("left", "right"):
            text = text.replace(f'{side} = {{ type = "periodic" }}\n', "")
        text = text.replace("[boundaries]\n", f"[boundaries]\n{sides}\n")
    return _core.Simulation(World.from_text(text).core)


def test_a_shear_wave_decays_as_friction_says() -> None:
    ratios = []
    for n in (16, 32):
        simulation = viscous(n, 0.02, 'velocity = [0, "0.1*sin(2*pi*x)"]\npressure = 10')
        simulation.advance(0.5, 2**62, 1e9)
        wave = np.sin(2 * np.pi * (np.arange(n) + 0.5) / n)
        found = 2 * np.mean(cells(simulation, "velocity_y", n)[0] * wave)
        ratios.append(
            float(found / (0.1 * np.exp(-0.02 * 4 * np.pi**2 * simulation.time) * np.sinc(1 / n))) - 1
        )
    assert abs(ratios[1]) < 0.002 and abs(ratios[1]) < 0.35 * abs(ratios[0])


def test_heat_is_conducted_as_the_prandtl_number_says() -> None:
    start = """density = "1 + 0.01*sin(2*pi*x)"
pressure = 100
velocity = ["-0.02/0.72*2*pi*0.01*cos(2*pi*x)", 0]"""  # that of the gas that cools, without sound
    simulation = viscous(32, 0.02, start)
    simulation.advance(0.2, 2**62, 1e9)
    wave = np.sin(2 * np.pi * (np.arange(32) + 0.5) / 32)
    found = 2 * np.mean(cells(simulation, "density", 32)[0] * wave)
    assert found == pytest.approx(0.01 * np.exp(-0.02 / 0.71 * 4 * np.pi**2 * simulation.time), rel=0.004)


def test_a_moving_wall_drags_a_gas() -> None:
    """Couette's flow: a straight profile between walls."""
    walls = 'left = { type = "wall" }\nright = { type = "wall", velocity = [0, 0.5] }'
    simulation = viscous(16, 0.5, "pressure = 10", walls)
    simulation.advance(4.0, 2**62, 1e9)
    profile = 0.5 * (np.arange(16) + 0.5) / 16
    assert np.abs(cells(simulation, "velocity_y", 16)[4] - profile).max() < 1e-3


def test_a_bad_state_names_cell_and_value() -> None:
    world = World.from_text(GAS)
    core = world.core
    core.options = core.options | {"cfl": 4.0}  # beyond the limit of stability
    simulation = _core.Simulation(core)
    with pytest.raises(_core.StepError, match=r"must be positive\. Reduce method\.cfl") as caught:
        simulation.advance(1.0, 2**62, 1e9)
    assert "the cell at (" in str(caught.value) and "pressure" in str(caught.value)


def test_a_gas_on_cells_is_kept_resumed_and_compared(tmp_path: Path) -> None:
    path = tmp_path / "gas.toml"
    path.write_text(GAS)
    plain = {"progress": False, "movie": False, "report": False}
    run = eddyline.run(path, out=tmp_path / "run", **plain)
    assert run.outcome == "finished"
    assert set(run.snapshot()) >= {"density", "pressure", "velocity_x", "velocity_y", "id", "position"}
    part = eddyline.run(path, out=tmp_path / "part", until=0.15, **plain)
    whole = eddyline.resume(part, until=0.3, **plain)
    assert whole.record["checksum"] == run.record["checksum"]
    assert eddyline.compare(run, whole).identical


BALL = '[bodies.b]\nshape = "circle"\ncenter = [0.5, 0.4]\ndiameter = 0.2\n'


@pytest.mark.parametrize(
    ("text", "old", "new", "line"),
    [
        (THICK_GAS, 'name = "amr"', 'name = "amr"\nequations = "euler"', "no friction. Remove it"),
        (GAS, 'name = "amr"', 'name = "amr"\nequations = "navier-stokes"', "viscosity is missing"),
        (GAS, 'name = "amr"', 'name = "amr"\nwave_speed = 2', "is an option of the equations wave"),
        (GAS, '"open"', '"stream", velocity = [1.0, 0.0]', "wall, periodic, open, inflow and outflow only"),
        (GAS, "[start]", "[start]\nsettle = 0.1", "no particles"),
        (GAS, "[output]", '[output]\nquantity = "u"', "output.quantity"),
        (FLAT, "[time]", f"{BALL}[time]", "no bodies. Remove it"),
        (GAS, "pressure = \"1 + 9*", "#", "start.pressure is missing; a gas on cells requires it"),
        (SOLID_GAS, 'name = "amr"', 'name = "amr"\nequations = "wave"', "no fluid. Remove [fluid]"),
        (SOLID_GAS, "[fluid]", "[start.fields]\nu = 1\n[fluid]", "start"),
    ],
)  # fmt: skip
def test_what_equations_do_not_have_is_refused_in_one_line(text: str, old: str, new: str, line: str) -> None:
    assert text.count(old) >= 1
    with pytest.raises(WorldError) as caught:
        World.from_text(text.replace(old, new))
    assert line in str(caught.value)


def test_names_of_equations_are_those_of_the_core() -> None:
    assert list(EQUATIONS) == _core.equation_names()


def test_another_solver_leaves_options_of_the_file_out() -> None:
    assert sod(50).file.method.name == "amr"
    with pytest.raises(WorldError, match=r"method\.scheme"):
        sod(50, scheme="classic")
