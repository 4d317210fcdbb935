"""Sod's shock tube: shock, contact and rarefaction of an ideal gas, against the exact solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course
from eddyline.validate.drawing import INK, LINES, panels, save
from eddyline.validate.figures import Figure, below, relative, report
from eddyline.validate.references import load_world, numbers

Floats = NDArray[np.float64]
TIME = 0.15  # s
LENGTH = 1.0  # m
SHOCK_SPEED, SHOCKED = 1.752156, (0.265574, 0.927453, 0.303130)
"""Speed of the shock [m/s]; density, velocity and pressure behind it."""


@dataclass(frozen=True)
class Tube:
    """Particles in order of x at `time`: each (n,) in SI units. volume: m^2."""

    time: float
    x: Floats
    rho: Floats
    u: Floats
    p: Floats
    volume: Floats
    energy_drift: float

    def l1(self, values: Floats, exact: Floats) -> float:
        """Mean error over the length of the tube."""
        return float(np.sum(np.abs(values - exact) * self.volume) / self.volume.sum())

    @property
    def shock(self) -> float:
        """The last place where the density is the mean of both sides of the shock [m]."""
        half = 0.5 * (SHOCKED[0] + 0.125)
        return float(self.x[np.flatnonzero(self.rho > half)[-1]])


def exact(x: Floats, time: float, column: str) -> Floats:
    table = numbers("sod", "exact.csv")
    return np.interp(x / time, table["xi_x_over_t"], table[column])


def run(setting: Setting) -> list[Figure]:
    counts = [400] if setting.quick else [400, 800]
    tubes = {n: _tube(n, setting) for n in counts}
    finest = max(counts)
    figures: list[Figure] = []
    for n, tube in tubes.items():
        density = tube.l1(tube.rho, exact(tube.x, tube.time, "rho"))
        velocity = tube.l1(tube.u, exact(tube.x, tube.time, "u"))
        name = f"{n} particles a metre"
        if n == finest:
            figures.append(below(f"density L1, {name} [kg/m^3]", density, 0.012 if setting.quick else 0.007))
            shock = abs(tube.shock - SHOCK_SPEED * tube.time) / LENGTH
            figures.append(below(f"position of the shock / tube length, {name}", shock, 0.005))
            figures.append(below(f"change of the total energy, {name}", tube.energy_drift, 1e-6))
            behind = (tube.x > 1.15 * tube.time) & (tube.x < 1.6 * tube.time)
            for what, values, value in zip(
                ("density", "velocity", "pressure"), (tube.rho, tube.u, tube.p), SHOCKED, strict=True
            ):
                mean = float(values[behind].mean())
                figures.append(
                    relative(f"{what} behind the shock, {name}", mean, value, 0.03 if setting.quick else 0.02)
                )
        else:
            figures.append(report(f"density L1, {name} [kg/m^3]", density))
        figures.append(report(f"velocity L1, {name} [m/s]", velocity))
    _draw(setting, tubes)
    return figures


def _tube(count: int, setting: Setting) -> Tube:
    # A strip as narrow as a periodic one may be.
    overrides: dict[str, str | float] = {
        "let.n": count,
        "domain.size": f'[{LENGTH}, "20/n"]',
        "time.end": TIME,
    }
    overrides |= {f"regions.{side}.max": f'[{x}, "20/n"]' for side, x in (("left", 0), ("right", 0.5))}
    overrides |= {
        f"observe.{name}.position": f'[{x}, "10/n"]' for name, x in (("behind", 0.1), ("shocked", 0.2))
    }
    course = Course(load_world("sod", overrides), setting.threads, TIME / 50)
    course.to(TIME, checks=1)
    simulation = course.simulation
    order = np.argsort(simulation.position[:, 0])
    rho, mass = simulation.density[order], simulation.mass[order]
    energy = course.series()["budget"]["total_energy"]
    return Tube(
        simulation.time,
        simulation.position[order, 0],
        rho,
        simulation.velocity[order, 0],
        simulation.pressure()[order],
        mass / rho,
        float(np.abs(energy / energy[0] - 1).max()),
    )


def _draw(setting: Setting, tubes: dict[int, Tube]) -> None:
    figure, axes = panels(3, 4.2)
    x = np.linspace(-0.5, 0.5, 1001)
    time = tubes[max(tubes)].time
    for axis, column, label in zip(
        axes, ("rho", "u", "p"), ("density [kg/m³]", "velocity [m/s]", "pressure [Pa]"), strict=True
    ):
        axis.plot(x, exact(x, time, column), color=INK, lw=0.8, zorder=3, label="exact")
        for (count, tube), (color, _) in zip(tubes.items(), LINES, strict=False):
            values = {"rho": tube.rho, "u": tube.u, "p": tube.p}[column]
            axis.plot(tube.x, values, ".", color=color, ms=1.5, label=f"{count} a metre")
        axis.set(xlabel="x [m]", ylabel=label)
    axes[0].legend(frameon=False, fontsize=8, markerscale=5)
    save(figure, setting.folder)


CASES = [Case("sod", "Sod's shock tube, against the exact solution", run)]
