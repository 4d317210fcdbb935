"""The pressure on a wall that a collapsing column hits, against Lobovsky et al. 2014.

Peaks of impact pressures scatter between repetitions of one experiment and between equal schemes. They are
compared after the same moving mean over 0.05 sqrt(H/g), and beside them the impulse, which scatters less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course, Particles
from eddyline.validate.drawing import INK, LINES, caption, panels, save
from eddyline.validate.figures import Figure, between, report
from eddyline.validate.references import load_world, table

Floats = NDArray[np.float64]
FILTER = 0.05  # sqrt(H/g)
ARRIVED = 0.1  # rho g H: the wave has arrived when P1 first exceeds this
IMPULSE = 1.0  # sqrt(H/g) after the arrival
PLATEAU = (4.0, 5.5)  # sqrt(H/g)
SENSORS = {"P1": "P1_z3mm", "P3": "P3_z30mm", "P4": "P4_z80mm"}
SNAPSHOT = 2.9


@dataclass(frozen=True)
class Signal:
    """A pressure over time, by rho g H and sqrt(H/g)."""

    time: Floats
    pressure: Floats

    @property
    def arrival(self) -> float:
        """When ARRIVED is first passed."""
        late = np.flatnonzero((self.pressure > ARRIVED) & (self.time > 1.0))
        if not len(late):
            return float("nan")
        k = int(late[0])
        t, p = self.time[k - 1 : k + 1], self.pressure[k - 1 : k + 1]
        return float(t[0] + (t[1] - t[0]) * (ARRIVED - p[0]) / (p[1] - p[0]))

    @property
    def impulse(self) -> float:
        """Integral from the arrival on."""
        time = np.linspace(self.arrival, self.arrival + IMPULSE, 2001)
        return float(np.interp(time, self.time, self.pressure).mean() * IMPULSE)

    @property
    def plateau(self) -> float:
        time = np.linspace(*PLATEAU, 2001)
        return float(np.interp(time, self.time, self.pressure).mean())

    def filtered(self) -> Signal:
        """The moving mean over FILTER."""
        time = np.arange(self.time[0], self.time[-1], FILTER / 50)
        pressure = np.interp(time, self.time, self.pressure)
        return Signal(time, np.convolve(pressure, np.full(51, 1 / 51), mode="same"))


@dataclass(frozen=True)
class Impact:
    across: int
    signals: dict[str, Signal]
    front: Signal
    snapshot: Particles
    course: Course


def run(setting: Setting) -> list[Figure]:
    counts = [30] if setting.quick else [50, 100]
    experiment = _experiment()
    impacts = {n: _impact(n, setting) for n in counts}
    figures: list[Figure] = []
    for n, impact in impacts.items():
        label = f", H/dx = {n}"
        signal, published = impact.signals["P1"], experiment["P1"]
        arrival = f"arrival at P1 [sqrt(H/g)]{label}"
        # A quick run is so coarse that the sensor is nearer to the bed than the lowest particles.
        figures.append(between(arrival, signal.arrival, *((2.2, 2.6) if setting.quick else (2.3, 2.5)),
                               f"{published.arrival:.3g} (experiment)"))  # fmt: skip
        smooth, published_smooth = signal.filtered(), published.filtered()
        span = f"t = {PLATEAU[0]:g} to {PLATEAU[1]:g}"
        for name, value, reference in (
            ("filtered peak of P1 / (rho g H)", smooth.pressure.max(), published_smooth.pressure.max()),
            ("raw peak of P1 / (rho g H)", signal.pressure.max(), published.pressure.max()),
            (f"impulse of P1 over {IMPULSE:g} sqrt(H/g)", signal.impulse, published.impulse),
            (f"plateau of P1, {span}", signal.plateau, published.plateau),
        ):
            if not (setting.quick and name.startswith("plateau")):
                figures.append(report(f"{name}{label}", float(value), float(reference)))
        for sensor in ("P3", "P4"):
            found, known = impact.signals[sensor], experiment[sensor]
            figures.append(report(f"impulse of {sensor}{label}", found.impulse, known.impulse))
        figures += impact.course.no_particle_behind_walls(label)
    _draw(setting, impacts, experiment)
    return figures


def _experiment() -> dict[str, Signal]:
    rows = table("dam_break_pressure", "lobovsky_2014_pressure.csv")
    signals = {}
    for sensor, name in SENSORS.items():
        chosen = rows["sensor"] == name
        time = rows["t_dimensionless"][chosen].astype(np.float64)
        pressure = rows["p_over_rho_g_H"][chosen].astype(np.float64)
        order = np.lexsort(
            (pressure, time)
        )  # where the signal jumps, points of one time are listed in any order
        signals[sensor] = Signal(time[order], pressure[order])
    return signals


def _impact(across: int, setting: Setting) -> Impact:
    world = load_world("dam_break_pressure/world", {"domain.spacing": f"H/{across}"})
    depth, gravity = world.let["H"], world.let["g"]
    unit = float(np.sqrt(depth / gravity))
    course = Course(world, setting.threads, 0.0)
    end = 4.0 if setting.quick else world.end / unit
    snapshot = None
    for time in course.until([unit * t for t in np.arange(0.05, end + 0.01, 0.05)]):
        if snapshot is None and time >= SNAPSHOT * unit:
            snapshot = course.particles()
    assert snapshot is not None
    series = course.series()
    weight = world.file.fluid.density * gravity * depth
    signals = {
        name: Signal(series[name]["time"] / unit, series[name]["pressure"] / weight) for name in SENSORS
    }
    front = Signal(series["front"]["time"] / unit, series["front"]["position"] / depth)
    return Impact(across, signals, front, snapshot, course)


def _draw(setting: Setting, impacts: dict[int, Impact], experiment: dict[str, Signal]) -> None:
    figure, axes = panels(3, 4.3)
    for axis, sensor in zip(axes, ("P1", "P3"), strict=False):
        for impact, (color, style) in zip(impacts.values(), LINES[1:], strict=False):
            raw, smooth = impact.signals[sensor], impact.signals[sensor].filtered()
            axis.plot(raw.time, raw.pressure, color=color, lw=0.5, alpha=0.35)
            axis.plot(
                smooth.time,
                smooth.pressure,
                style,
                color=color,
                lw=1.3,
                label=f"H/dx = {impact.across}, filtered",
            )
        published = experiment[sensor]
        axis.plot(
            published.time,
            published.pressure,
            "o-",
            mfc="none",
            color=INK,
            ms=3,
            lw=0.6,
            label="Lobovsky et al.",
        )
        axis.set(
            xlabel=r"$t\ /\sqrt{H/g}$",
            ylabel=rf"pressure at {sensor} $/\ \rho g H$",
            xlim=(2, 7),
            ylim=(-0.2, 4.5),
        )
        axis.legend(frameon=False, fontsize=8)
    _draw_water(axes[2], impacts[max(impacts)])
    save(figure, setting.folder)


def _draw_water(axes: Axes, impact: Impact) -> None:
    world = impact.course.world
    depth = world.let["H"]
    weight = world.file.fluid.density * world.let["g"] * depth
    x, y = impact.snapshot.position.T / depth
    dots = axes.scatter(x, y, c=impact.snapshot.pressure / weight, s=1,
                        cmap="viridis", linewidths=0, vmin=0, vmax=1.5)  # fmt: skip
    axes.plot([world.core.size[0] / depth], [0.003 / depth], "<", color=INK, ms=5, clip_on=False)
    axes.grid(False)
    axes.set(xlabel="x/H", ylabel="y/H", aspect="equal", xlim=(0, world.core.size[0] / depth), ylim=(0, 2))
    caption(axes, rf"pressure $/\ \rho g H$ at t = {SNAPSHOT:g}, H/dx = {impact.across}")
    axes.figure.colorbar(dots, ax=axes, shrink=0.5)


CASES = [Case("dam_break_pressure", "Pressure on a wall hit by a dam break, against Lobovsky et al.", run)]
