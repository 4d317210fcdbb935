"""Water between two plates that starts to move: Poiseuille and Couette flow against the exact series.

Source: Morris, Fox & Zhu 1997, section 4.1 and 4.2. The exact solutions are Fourier
series in time, summed here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course, Particles
from eddyline.validate.drawing import INK, LINES, panels, save
from eddyline.validate.figures import Figure, below, relative, report
from eddyline.validate.references import load_world, numbers

Floats = NDArray[np.float64]
TIMES = (0.0225, 0.045, 0.1125, 0.225, 0.5, 1.0)  # s, of the reference tables
TERMS = 200


def poiseuille_speed(y: Floats, t: float, let: dict[str, float]) -> Floats:
    """u(y, t) [m/s] between resting plates at y = 0 and L under an acceleration F that begins at t = 0:
    u = F y (L - y) / (2 nu)
        - sum over odd n of 4 F L^2 / (nu pi^3 n^3) sin(n pi y/L) exp(-n^2 pi^2 nu t/L^2)."""
    length, nu, force = let["L"], let["nu"], let["F"]
    u = force / (2 * nu) * y * (length - y)
    for n in range(1, 2 * TERMS, 2):
        fading = np.exp(-((n * np.pi / length) ** 2) * nu * t)
        u = u - 4 * force * length**2 / (nu * (np.pi * n) ** 3) * np.sin(n * np.pi * y / length) * fading
    return u


def couette_speed(y: Floats, t: float, let: dict[str, float]) -> Floats:
    """u(y, t) [m/s] where the plate at y = L moves at V0 from t = 0:
    u = V0 y/L + sum over n of 2 V0 / (n pi) (-1)^n sin(n pi y/L) exp(-n^2 pi^2 nu t/L^2)."""
    length, nu, speed = let["L"], let["nu"], let["V0"]
    u = speed * y / length
    for n in range(1, TERMS):
        fading = np.exp(-((n * np.pi / length) ** 2) * nu * t)
        u = u + 2 * speed / (n * np.pi) * (-1) ** n * np.sin(n * np.pi * y / length) * fading
    return u


@dataclass(frozen=True)
class Plates:
    """A flow between plates. exact: u(y, t). norm: what errors are divided by, at a time. force: on the lower
    plate at the end, along the plates [N/m]."""

    name: str
    exact: Callable[[Floats, float, dict[str, float]], Floats]
    norm: Callable[[float, dict[str, float]], float]
    norm_name: str
    force: Callable[[dict[str, float]], float]

    def run(self, setting: Setting) -> list[Figure]:
        across, limit, end = (20, 0.02, 0.25) if setting.quick else (40, 0.01, 2.0)
        figures = self._series_matches_table()
        measured, course = self._profiles(setting, across, [t for t in TIMES if t <= end])
        for t, (_, error) in measured.items():
            name = f"velocity L2 / {self.norm_name} at {t:g} s"
            figures.append(below(name, error, limit))
        if not setting.quick:
            for t, (_, error) in self._profiles(setting, 20, TIMES)[0].items():
                figures.append(report(f"the same at {t:g} s, 20 particles across", error))
            total = course.series()["force.bottom"]["total_x"][-1]
            figures.append(
                relative("force on the lower plate at 1 s [N/m]", total, self.force(course.world.let), 0.02)
            )
        figures += course.no_particle_behind_walls()
        self._draw(setting, measured, course.world.let, across)
        return figures

    def _profiles(
        self, setting: Setting, across: int, times: tuple[float, ...] | list[float]
    ) -> tuple[dict[float, tuple[Particles, float]], Course]:
        """Particles at each time, and the root of the mean square error of their speeds over `norm`."""
        # Periodic sides need three cells: a coarse domain must be longer.
        size = '["L/2", "L"]' if across >= 40 else '["L", "L"]'
        world = load_world(self.name, {"domain.spacing": f"L/{across}", "domain.size": size})
        course = Course(world, setting.threads)
        found = {}
        for wanted, time in zip(times, course.until(times), strict=True):
            particles = course.particles()
            exact = self.exact(particles.position[:, 1], time, world.let)
            error = np.sqrt(np.mean((particles.velocity[:, 0] - exact) ** 2)) / self.norm(time, world.let)
            found[wanted] = (particles, float(error))
        return found, course

    def _series_matches_table(self) -> list[Figure]:
        """The series summed here against the reference table, which was computed elsewhere."""
        table = numbers(self.name, "startup.csv")
        let = load_world(self.name).let
        y = table["y_m"]
        worst = max(
            float(np.abs(self.exact(y, t, let) - table[f"u_m_per_s_t{t:g}_s"]).max()) / self.norm(t, let)
            for t in TIMES
        )
        return [below("exact series: largest difference from the reference table", worst, 1e-8)]

    def _draw(
        self,
        setting: Setting,
        measured: dict[float, tuple[Particles, float]],
        let: dict[str, float],
        across: int,
    ) -> None:
        figure, (left, right) = panels(2)
        y = np.linspace(0, let["L"], 201)
        for k, (t, (particles, _)) in enumerate(measured.items()):
            left.plot(1e6 * self.exact(y, t, let), 1e3 * y, color=INK, lw=0.8, label=None if k else "exact")
            # All particles of a row move alike: one of each stands for it.
            height = particles.position[:, 1]
            _, first = np.unique(np.round(height / let["L"] * across, 1), return_index=True)
            speed = particles.velocity[first, 0]
            color, mark = LINES[k % len(LINES)][0], "o^sDv<"[k]
            left.plot(
                1e6 * speed,
                1e3 * height[first],
                mark,
                ms=3,
                mfc="none",
                mew=0.8,
                color=color,
                label=f"{t:g} s",
            )
        left.set(xlabel="speed along the plates [µm/s]", ylabel="distance from the lower plate [mm]")
        left.set_xlim(right=1.35 * left.get_xlim()[1])
        left.legend(frameon=False, fontsize=8, loc="center right", title=f"{across} across", title_fontsize=8)
        times = list(measured)
        right.semilogx(times, [100 * measured[t][1] for t in times], color=LINES[0][0], marker="o", lw=1.4)
        right.axhline(2 if setting.quick else 1, color=LINES[1][0], ls="--", lw=1)
        right.set_xticks(times, [f"{t:g}" for t in times], minor=False)
        right.set_xticks([], minor=True)
        right.set_ylim(bottom=0)
        right.set(xlabel="time [s]", ylabel=f"L2 error of the speed [% of {self.norm_name}]")
        save(figure, setting.folder)


def _peak(time: float, let: dict[str, float]) -> float:
    """The highest exact speed at a time [m/s]: in the middle."""
    return float(poiseuille_speed(np.array([let["L"] / 2]), time, let)[0])


DENSITY = 1000.0  # kg/m^3, of both worlds
POISEUILLE = Plates(
    "poiseuille",
    poiseuille_speed,
    _peak,
    "current peak",
    lambda let: DENSITY * let["F"] * let["L"] * let["L"] / 4,
)
COUETTE = Plates(
    "couette", couette_speed, lambda _, let: let["V0"], "V0", lambda let: DENSITY * let["nu"] * let["V0"] / 2
)
CASES = [
    Case("poiseuille", "Flow between plates that starts to move, against the exact series", POISEUILLE.run),
    Case("couette", "A plate that starts to move, against the exact series", COUETTE.run),
]
