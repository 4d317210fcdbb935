"""Gases on patches of several levels: shocks across edges of levels, a blast, and bodies that cut cells."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.validate.case import Case, Setting
from eddyline.validate.drawing import INK, LINES, panels, save
from eddyline.validate.figures import Figure, below, between, relative, report
from eddyline.validate.references import load_world, numbers
from eddyline.world import World

Floats = NDArray[np.float64]
MACH, RADIUS = 3.0, 0.5
MOST_STEPS = 2**62


@dataclass(frozen=True)
class Cells:
    """Cells at the end of a run: places (n, D) and edges (n,) [m], quantities by name, series by name."""

    time: float
    at: Floats
    edge: Floats
    values: dict[str, Floats]
    series: dict[str, dict[str, Floats]]

    def drift(self, name: str) -> float:
        """Largest change of a total, relative to its start."""
        total = self.series["budget"][name]
        return float(np.abs(total / total[0] - 1).max())


def computed(world: World, quantities: tuple[str, ...], setting: Setting) -> Cells:
    simulation = _core.Simulation(world.core, threads=setting.threads, series_interval=world.end / 200)
    simulation.advance(world.end, MOST_STEPS, math.inf)
    count, axes = simulation.count("cells"), "xyz"[: world.dimensions]

    def field(name: str) -> Floats:
        return np.array(simulation.values("cells", name, 0, count))

    levels = world.core.options["levels"]
    edge = world.core.spacing * 2.0 ** (float(levels) - 1 - field("level"))
    series = {
        name: dict(zip(columns, rows.T, strict=True))
        for name, (columns, _, rows) in simulation.take_series().items()
    }
    at = np.stack([field(f"position_{axis}") for axis in axes], axis=1)
    return Cells(simulation.time, at, edge, {name: field(name) for name in quantities}, series)


def run(setting: Setting) -> list[Figure]:
    figures, tube = _sod(setting)
    figures += _sedov(setting)
    more, line, pressure = _bow_shock(setting)
    figures += more
    if not setting.quick:
        figures += _slow_cylinder(setting)
    _draw(setting, tube, line, pressure)
    return figures


def _sod(setting: Setting) -> tuple[list[Figure], Cells]:
    n, wide = 200, 32
    overrides: dict[str, str | float] = {
        "method.name": "amr", "method.levels": 3, "method.tolerance": 0.01, "method.unit": 4, "let.n": n,
        "domain.size": f"[0.96, {wide / n}]", "domain.origin": "[-0.48, 0]",
    }  # fmt: skip
    for side, x in (("left", 0.0), ("right", 0.5)):
        overrides[f"regions.{side}.max"] = f"[{x}, {wide / n}]"
    overrides |= {
        f"observe.{name}.position": f"[{x}, 0.04]" for name, x in (("behind", 0.1), ("shocked", 0.27))
    }
    tube = computed(load_world("sod", overrides), ("density",), setting)
    exact = _exact_density(tube.at[:, 0], tube.time)
    error = float(np.sum(np.abs(tube.values["density"] - exact) * tube.edge**2) / np.sum(tube.edge**2))
    return [
        below("Sod: density L1, 200 cells a metre, 3 levels [kg/m^3]", error, 0.004),
        below("Sod: change of mass across edges of levels", tube.drift("mass"), 1e-12),
        below("Sod: change of energy across edges of levels", tube.drift("total_energy"), 1e-12),
    ], tube


def _exact_density(x: Floats, time: float) -> Floats:
    table = numbers("sod", "exact.csv")
    return np.interp(x / time, table["xi_x_over_t"], table["rho"])


def _sedov(setting: Setting) -> list[Figure]:
    n = 128 if setting.quick else 256
    overrides: dict[str, str | float] = {
        "method.name": "amr", "method.levels": 2, "method.tolerance": 0.05, "let.n": n, "let.s": 0.02,
    }  # fmt: skip
    world = load_world("sedov", overrides)
    blast = computed(world, ("density",), setting)
    constants = numbers("sedov", "constants.csv")
    xi = float(constants["xi0"][constants["dimensions"] == 2][0])
    exact = xi * (world.let["E"] / world.let["rho"] * blast.time**2) ** 0.25
    radius = np.linalg.norm(blast.at, axis=1)
    edges = np.linspace(0.0, 0.5, n // 2 + 1)
    ring = np.digitize(radius, edges) - 1
    area = np.bincount(ring, blast.edge**2)[: n // 2]
    density = np.bincount(ring, blast.edge**2 * blast.values["density"])[: n // 2] / np.maximum(area, 1e-300)
    k = int(density.argmax())
    half = 0.5 * (1 + density[k])
    while density[k] > half:
        k += 1
    middle = 0.5 * (edges[1:] + edges[:-1])
    share = (density[k - 1] - half) / (density[k - 1] - density[k])
    found = float(middle[k - 1] + share * (middle[k] - middle[k - 1]))
    return [
        relative(
            f"Sedov: radius of the shock, {n} x {n}, 2 levels [m]",
            found,
            exact,
            0.02 if setting.quick else 0.01,
        ),
        below("Sedov: change of energy", blast.drift("total_energy"), 1e-12),
    ]


def stand_off(x: Floats, pressure: Floats, before: float) -> float:
    """Distance from the nose at -RADIUS to the place where the pressure has risen half of the way to that
    behind a normal shock, in radii; x from the inflow on."""
    half = 0.5 * before * (1 + (2.8 * MACH**2 - 0.4) / 2.4)
    k = int(np.flatnonzero(pressure > half)[0])
    share = (half - pressure[k - 1]) / (pressure[k] - pressure[k - 1])
    return float(-RADIUS - (x[k - 1] + share * (x[k] - x[k - 1]))) / RADIUS


def _bow_shock(setting: Setting) -> tuple[list[Figure], Floats, Floats]:
    n = 16 if setting.quick else 32
    world = load_world("bow_shock", {"let.n": n})
    flow = computed(world, ("pressure",), setting)
    row = (np.abs(flow.at[:, 1]) < 0.6 * flow.edge) & (flow.at[:, 1] > 0) & (flow.at[:, 0] < -RADIUS)
    order = np.argsort(flow.at[row, 0])
    x, pressure = flow.at[row, 0][order], flow.values["pressure"][row][order]
    known = np.isfinite(pressure)
    x, pressure = x[known], pressure[known]
    before = world.let["p0"]
    billig = 0.386 * math.exp(4.67 / MACH**2)
    pitot = (1.2 * MACH**2) ** 3.5 * (2.4 / (2.8 * MACH**2 - 0.4)) ** 2.5
    drag = flow.series["force.cylinder"]["total_x"]
    gap = stand_off(x, pressure, before)
    return [
        relative(f"bow shock: gap / radius, {n} cells a radius", gap, billig, 0.05),
        relative("bow shock: pressure at the nose / at the inflow", pressure[-1] / before, pitot, 0.05),
        report("bow shock: drag coefficient", 2 * float(drag[len(drag) // 2 :].mean())),
    ], x, pressure  # fmt: skip


def _slow_cylinder(setting: Setting) -> list[Figure]:
    flow = computed(load_world("patches/cylinder"), ("pressure",), setting)
    force = flow.series["force.cylinder"]
    late = force["time"] > 0.6 * flow.time

    def mean(name: str) -> float:
        return 2 * float(force[name][late].mean())

    name = "cylinder, Re 40, Mach 0.15, 32 cells across"
    return [
        between(f"{name}: drag coefficient", mean("total_x"), 1.45, 1.65, "1.50 to 1.54 without sides, slow"),
        report(f"{name}: part of friction", mean("viscous_x"), 0.53),
        below(f"{name}: lift coefficient", abs(mean("total_y")), 1e-9),
    ]


def _draw(setting: Setting, tube: Cells, line: Floats, pressure: Floats) -> None:
    figure, (left, right) = panels(2, 4.6)
    x = np.linspace(-0.48, 0.48, 1001)
    left.plot(x, _exact_density(x, tube.time), color=INK, lw=0.8, label="exact")
    color, style = LINES[0]
    left.plot(tube.at[:, 0], tube.values["density"], ".", color=color, ms=1.5, label="3 levels")
    left.set(xlabel="x [m]", ylabel="density [kg/m³]")
    left.legend(frameon=False, fontsize=8, markerscale=5)
    right.plot(line, pressure, style, color=color, lw=1.3)
    right.axvline(-RADIUS * (1 + 0.386 * math.exp(4.67 / MACH**2)), color=INK, lw=0.8)
    right.set(xlabel="x on the line to the nose [m]", ylabel="pressure [Pa]")
    save(figure, setting.folder)


CASES = [Case("patches", "gases on patches of several levels, and bodies in them", run)]
