"""Taylor-Green vortices at Re 100: the exact decay of an incompressible flow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course, Particles
from eddyline.validate.drawing import INK, LINES, caption, panels, save
from eddyline.validate.figures import Figure, below, relative, report
from eddyline.validate.references import load_world, numbers

Floats = NDArray[np.float64]
TIMES = (0.25, 0.5, 0.75, 1.0)  # L/U


@dataclass(frozen=True)
class Decay:
    """Kinetic energy over that at the start at many times, and errors at TIMES.

    velocity_l1: mean |v - v_exact| over mean |v_exact|; velocity_l2: the same with roots of mean squares.
    """

    time: Floats
    energy: Floats
    velocity_l1: Floats
    velocity_l2: Floats
    field: Particles

    @property
    def rate(self) -> float:
        """Decay rate of the kinetic energy, from a fit between t = 0.1 and 1 [U/L]."""
        late = self.time >= 0.1
        return -float(np.polyfit(self.time[late], np.log(self.energy[late]), 1)[0])

    def energy_at(self, time: float) -> float:
        return float(np.interp(time, self.time, self.energy))


def exact_velocity(position: Floats, time: float, nu: float) -> Floats:
    """(n, 2) positions, L = U = 1 -> (n, 2) velocities."""
    kx, ky = 2 * np.pi * position[:, 0], 2 * np.pi * position[:, 1]
    fading = np.exp(-8 * np.pi**2 * nu * time)
    velocity: Floats = fading * np.stack([-np.cos(kx) * np.sin(ky), np.sin(kx) * np.cos(ky)], axis=1)
    return velocity


def run(setting: Setting) -> list[Figure]:
    finest = 50 if setting.quick else 100
    counts = [finest] if setting.quick else [50, 100, 200]
    nu = float(load_world("taylor_green").let["nu"])
    exact_rate = 16 * np.pi**2 * nu
    decays = {n: _decay(n, nu, setting) for n in counts}
    judged = decays[finest]
    exact = float(np.exp(-exact_rate))
    figures = [
        relative(
            f"kinetic energy at t = 1, {finest} x {finest}",
            judged.energy_at(1.0),
            exact,
            0.03 if setting.quick else 0.02,
        ),
        relative(
            f"decay rate of the kinetic energy, {finest} x {finest} [U/L]", judged.rate, exact_rate, 0.02
        ),
        below(
            f"velocity L1 at t = 1, {finest} x {finest}",
            float(judged.velocity_l1[-1]),
            0.03 if setting.quick else 0.015,
        ),
        report(f"velocity L2 at t = 1, {finest} x {finest}", float(judged.velocity_l2[-1])),
    ]
    for n in counts:
        if n != finest:
            figures.append(report(f"kinetic energy at t = 1, {n} x {n}", decays[n].energy_at(1.0), exact))
            figures.append(report(f"velocity L1 at t = 1, {n} x {n}", float(decays[n].velocity_l1[-1])))
    if not setting.quick:
        figures += _orders(decays, exact)
    _draw(setting, decays, exact_rate)
    return figures


def _decay(count: int, nu: float, setting: Setting) -> Decay:
    world = load_world("taylor_green", {"domain.spacing": f"L/{count}"})
    course = Course(world, setting.threads, 0.005)
    l1, l2 = [], []
    for time in course.until(TIMES):
        particles = course.particles()
        exact = exact_velocity(particles.position, time, nu)
        error = np.linalg.norm(particles.velocity - exact, axis=1)
        size = np.linalg.norm(exact, axis=1)
        l1.append(error.mean() / size.mean())
        l2.append(np.sqrt(np.mean(error**2) / np.mean(size**2)))
    budget = course.series()["budget"]
    mass = budget["mass"][0]  # of the unit square: density 1
    return Decay(
        budget["time"], budget["kinetic_energy"] / (mass / 4), np.array(l1), np.array(l2), course.particles()
    )


def _orders(decays: dict[int, Decay], exact: float) -> list[Figure]:
    """Orders of convergence, from errors of two resolutions and from the differences of three."""
    coarse, middle, fine = (decays[n] for n in (50, 100, 200))
    figures = []
    for name, errors in (
        ("kinetic energy", [abs(d.energy_at(1.0) - exact) for d in (coarse, middle, fine)]),
        ("velocity L1", [float(d.velocity_l1[-1]) for d in (coarse, middle, fine)]),
    ):
        figures.append(
            report(f"order of the {name} from errors, 50 to 100", float(np.log2(errors[0] / errors[1])))
        )
        figures.append(
            report(f"order of the {name} from errors, 100 to 200", float(np.log2(errors[1] / errors[2])))
        )
    energies = [d.energy_at(1.0) for d in (coarse, middle, fine)]
    ratio = abs(energies[0] - energies[1]) / abs(energies[1] - energies[2])
    return [
        *figures,
        report("order of the kinetic energy from differences, 50, 100, 200", float(np.log2(ratio))),
    ]


def _draw(setting: Setting, decays: dict[int, Decay], exact_rate: float) -> None:
    figure, (left, middle, right) = panels(3, 3.9)
    table = numbers("taylor_green", "decay.csv")
    time = np.linspace(0, 1, 201)
    left.semilogy(time, np.exp(-exact_rate * time), color=INK, lw=1, label="exact")
    early = table["t_U_over_L"] <= 1
    left.plot(
        table["t_U_over_L"][early], table["Ekin_over_E0_Re100"][early], "o", mfc="none", color=INK, ms=4
    )
    for (count, decay), (color, style) in zip(decays.items(), LINES, strict=False):
        left.semilogy(decay.time, decay.energy, style, color=color, lw=1.3, label=f"{count} x {count}")
        ratio = decay.energy / np.exp(-exact_rate * decay.time)
        middle.plot(decay.time, 100 * (ratio - 1), style, color=color, lw=1.3, label=f"{count} x {count}")
    left.set(xlabel="t U/L", ylabel="kinetic energy / at the start")
    left.legend(frameon=False, fontsize=8)
    middle.axhline(0, color=INK, lw=0.8)
    middle.set(xlabel="t U/L", ylabel="error of the kinetic energy [%]")
    middle.legend(frameon=False, fontsize=8)
    shown = decays[min(decays)].field
    speed = np.linalg.norm(shown.velocity, axis=1)
    x, y = shown.position.T
    dots = right.scatter(x, y, c=speed, s=2.5, cmap="viridis", linewidths=0)
    right.set(xlabel="x/L", ylabel="y/L", aspect="equal")
    caption(right, f"speed / U at t = 1, {min(decays)} x {min(decays)}")
    right.grid(False)
    figure.colorbar(dots, ax=right, shrink=0.8)
    save(figure, setting.folder)


CASES = [Case("taylor_green", "Decay of Taylor-Green vortices at Re 100, against the exact solution", run)]
