"""The solvers mps and sph side by side: accuracy on small flows, iterations, and core time.

  python benchmarks/mps.py                     all, about four minutes of one core
  python benchmarks/mps.py fronts cost         these
  python benchmarks/mps.py --set method.cfl=0.8 --set method.tolerance=0.01 cost

--set changes the worlds of mps only. Each line is one figure of both solvers, from worlds with the same
particles. Lines of `cost` are medians of five runs in turn; core time is what the process has worked.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eddyline.validate.cases.dam_break import Collapse, Curve, Fit, fit
from eddyline.validate.cases.dam_break_pressure import PLATEAU, SENSORS, Signal
from eddyline.validate.cases.taylor_green import exact_velocity
from eddyline.validate.course import Course
from eddyline.validate.references import load_world, table
from eddyline.world import World, parse_set

SOLVERS = ("mps", "sph")
RUNS = 5
Sets = dict[str, Any]
Floats = NDArray[np.float64]
Line = tuple[str, ...]
"""Figure, and its value with mps and with sph."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; default all")
    parser.add_argument("--set", metavar="K=V", action="append", default=[], help="change worlds of mps")
    wanted = parser.parse_args()
    unknown = [part for part in wanted.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]}; known: {', '.join(PARTS)}")
    sets = parse_set(wanted.set)
    print("| figure | mps | sph |\n| --- | --- | --- |")
    for part in wanted.parts or PARTS:
        for figure, mps, sph in PARTS[part](sets):
            print(f"| {figure} | {mps} | {sph} |", flush=True)


def loaded(name: str, solver: str, changes: Sets, sets: Sets) -> World:
    own = {"method.name": "mps"} | sets if solver == "mps" else {}
    return load_world(name, changes | own)


def percent(value: float) -> str:
    return f"{100 * value:.3g} %"


# --- accuracy -----------------------------------------------------------------------------------------------


def still(sets: Sets) -> Iterator[Line]:
    """Jittered water, and water around a cylinder that particles follow, at 50 spacings of depth."""
    for name in ("still_water", "still_water/cylinder"):
        found = [_still(loaded(name, solver, {}, sets)) for solver in SOLVERS]
        for k, figure in enumerate(("L2 error of p", "kinetic energy / (rho g H^2 L/2)", "potential energy")):
            yield (
                f"{name}, 20 sqrt(H/g): {figure}",
                *(f"{each[k]:.1e}" if k == 1 else percent(each[k]) for each in found),
            )


def _still(world: World) -> tuple[float, float, float]:
    g, depth = world.let["g"], world.let["H"]
    simulation = Course(world, 1).simulation
    simulation.advance(0.0, 2**62, math.inf)
    before = _height(simulation.field("fluid", "position"), simulation.field("fluid", "mass"))
    simulation.advance(20 * math.sqrt(depth / g), 2**62, math.inf)
    place, speed, mass = (simulation.field("fluid", name) for name in ("position", "velocity", "mass"))
    exact = 1000 * g * (depth - place[:, 1])
    error = np.sqrt(np.sum((simulation.field("fluid", "pressure") - exact) ** 2) / np.sum(exact**2))
    energy = float(np.sum(mass * np.sum(speed**2, axis=1)) / 2)
    width = world.file.domain.size[0]
    return float(error), energy / (500 * g * depth**2 * width), _height(place, mass) / before - 1


def _height(place: Floats, mass: Floats) -> float:
    """The height of the centre of mass."""
    return float(np.sum(mass * place[:, 1]) / mass.sum())


def fronts(sets: Sets) -> Iterator[Line]:
    """Martin & Moyce 1952 and Koshizuka & Oka 1996."""
    rows = table("dam_break", "martin_moyce_1952.csv")
    chosen = (rows["n_squared"] == "2") & (rows["quantity"] == "front")
    moyce = Curve(
        rows["time_dimensionless"][chosen].astype(float), rows["value_dimensionless"][chosen].astype(float)
    )
    rows = table("dam_break", "koshizuka_oka_1996.csv")
    value = rows["Z_front_over_L"].astype(float)
    chosen = (rows["series"] == "experiment") & (value < 3.9)  # before the wall
    oka = Curve(rows["time_dimensionless"][chosen].astype(float), value[chosen])
    tank = {"let.a": 0.146, "domain.size": ["4*a", "4*a"], "observe.impact.position": ["4*a", "a/10"]}
    for title, curve, changes in (("Martin & Moyce", moyce, {}), ("Koshizuka & Oka", oka, tank)):
        for across in (20, 40):
            spacing = {"domain.spacing": f"a/{across}"}
            fits = [
                _front(loaded("dam_break", solver, changes | spacing, sets), across, curve)
                for solver in SOLVERS
            ]
            yield (
                f"{title}, a/{across}: RMS of the front (shift of T)",
                *(f"{percent(each.shifted)} ({each.shift:+.2f})" for each in fits),
            )


def _front(world: World, across: int, curve: Curve) -> Fit:
    a, g = world.let["a"], world.let["g"]
    course = Course(world, 1, 0.0)
    course.to((float(curve.time.max()) + 0.4) * math.sqrt(a / (2 * g)))
    front = course.series()["front"]
    time_of = front["time"] * math.sqrt(2 * g / a)
    nothing = np.zeros(0)
    return fit(Collapse(across, time_of, front["position"] / a, nothing, nothing, {}, course), curve)


def impact(sets: Sets) -> Iterator[Line]:
    """Lobovsky et al. 2014, P1, at 50 spacings."""
    found = [
        _impact(loaded("dam_break_pressure/world", solver, {"domain.spacing": "H/50"}, sets))
        for solver in SOLVERS
    ]
    rows = table("dam_break_pressure", "lobovsky_2014_pressure.csv")
    chosen = rows["sensor"] == SENSORS["P1"]
    known_time, known = (
        rows["t_dimensionless"][chosen].astype(float),
        rows["p_over_rho_g_H"][chosen].astype(float),
    )
    order = np.lexsort((known, known_time))
    experiment = Signal(known_time[order], known[order])
    peak = float(experiment.filtered().pressure.max())
    yield "Lobovsky: arrival [sqrt(H/g)]", *(f"{each.arrival:.2f}" for each in found)
    above: dict[str, Callable[[Signal], float]] = {
        "filtered peak": lambda signal: float(signal.filtered().pressure.max()) / peak,
        "impulse": lambda signal: signal.impulse / experiment.impulse,
        "plateau": lambda signal: signal.plateau / experiment.plateau,
    }
    for figure, of in above.items():
        yield f"Lobovsky: {figure} above the experiment", *(percent(of(each) - 1) for each in found)
    yield "Lobovsky: noise of the plateau, RMS over rho g H", *(f"{_noise(each):.3f}" for each in found)


def _impact(world: World) -> Signal:
    depth, g = world.let["H"], world.let["g"]
    course = Course(world, 1, 0.0)
    course.to(world.end)
    rows = course.series()["P1"]
    return Signal(
        rows["time"] / math.sqrt(depth / g), rows["pressure"] / (world.file.fluid.density * g * depth)
    )


def _noise(signal: Signal) -> float:
    """The RMS of the signal around its moving mean."""
    mean = signal.filtered()
    late = (signal.time > PLATEAU[0]) & (signal.time < PLATEAU[1])
    rest = signal.pressure[late] - np.interp(signal.time[late], mean.time, mean.pressure)
    return float(np.sqrt(np.mean(rest**2)))


def vortices(sets: Sets) -> Iterator[Line]:
    """Taylor-Green vortices, Re 100, 50 spacings, at t = 1."""
    found = [
        _vortices(loaded("taylor_green", solver, {"domain.spacing": "L/50"}, sets)) for solver in SOLVERS
    ]
    yield "Taylor-Green, L/50, t = 1: energy", *(percent(energy - 1) for energy, _ in found)
    yield "Taylor-Green, L/50, t = 1: L1 error of u", *(percent(error) for _, error in found)


def _vortices(world: World) -> tuple[float, float]:
    nu = world.let["nu"]
    simulation = Course(world, 1).simulation
    simulation.advance(1.0, 2**62, math.inf)
    speed = simulation.field("fluid", "velocity")
    exact = exact_velocity(simulation.field("fluid", "position"), simulation.time, nu)
    energy = np.mean(np.sum(speed**2, axis=1)) / (0.5 * np.exp(-16 * np.pi**2 * nu * simulation.time))
    error = np.linalg.norm(speed - exact, axis=1).mean() / np.linalg.norm(exact, axis=1).mean()
    return float(energy), float(error)


# --- cost ---------------------------------------------------------------------------------------------------


def iterations(sets: Sets) -> Iterator[Line]:
    """Iterations a step to 1e-6, with one process."""
    for name, spacing, steps in (
        ("dam_break", "a/40", 2**62),
        ("dam_break", "a/50", 60),
        ("dam_break", "a/100", 40),
        ("dam_break", "a/224", 12),
        ("dam_break", "a/500", 4),
        ("dam_break_3d", "a/20", 20),
        ("dam_break_3d", "a/60", 4),
    ):
        world = loaded(name, "mps", {"domain.spacing": spacing}, sets | {"method.tolerance": 1e-6})
        simulation = Course(world, 1, 1e-12).simulation
        simulation.advance(world.end, steps, math.inf)
        columns, _, rows = simulation.take_series()["solver"]
        found = rows[1:, list(columns).index("iterations")]
        title = f"{name}, {simulation.fluid_count} particles, {simulation.step_count} steps"
        yield f"{title}: iterations to 1e-6, mean (most)", f"{found.mean():.1f} ({found.max():.0f})", ""


def cost(sets: Sets) -> Iterator[Line]:
    """Core seconds for a simulated second, without observers."""
    for name, spacing, begin, end in (
        ("dam_break", "a/40", 0.05, 0.3),
        ("dam_break_3d", "a/20", 0.05, 0.15),
        ("still_water", "H/50", 0.5, 2.5),
    ):
        runs: dict[str, list[float]] = {solver: [] for solver in SOLVERS}
        for _ in range(RUNS):
            for solver in SOLVERS:
                rest = {"start.settle": 0} if name == "still_water" else {}
                world = loaded(name, solver, rest | {"domain.spacing": spacing}, sets)
                simulation = Course(world, 1, 1e9).simulation
                simulation.advance(begin, 2**62, math.inf)
                before = time.process_time()
                simulation.advance(end, 2**62, math.inf)
                runs[solver].append((time.process_time() - before) / (end - begin))
        medians = [statistics.median(runs[solver]) for solver in SOLVERS]
        yield f"{name}: core time for a simulated second [s]", *(f"{each:.3g}" for each in medians)
        yield f"{name}: core time over that of sph", f"{medians[0] / medians[1]:.2f}", "1"


PARTS: dict[str, Callable[[Sets], Iterator[Line]]] = {
    each.__name__: each for each in (still, fronts, impact, vortices, iterations, cost)
}

if __name__ == "__main__":
    main()
