"""Water at rest for 20 sqrt(H/g): pressure, kinetic energy and drift, from three starts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course, Particles
from eddyline.validate.drawing import INK, LINES, caption, panels, save
from eddyline.validate.figures import Figure, below, relative, report
from eddyline.validate.references import load_world

Floats = NDArray[np.float64]
SETTLED = 5.0  # sqrt(H/g): from here on pressure and drift are judged


@dataclass(frozen=True)
class Start:
    """A start of the particles: its name, its world and what is changed in it."""

    name: str
    world: str
    overrides: dict[str, str | float]


STARTS = (
    Start("lattice", "still_water", {"start.arrangement": "lattice", "start.settle": 0}),
    Start("jittered", "still_water", {"start.arrangement": "jittered", "start.jitter": 0.2}),
    Start("fitted", "still_water/cylinder", {}),
)


@dataclass(frozen=True)
class Rest:
    """A run at rest over time; all lengths by H, times by sqrt(H/g), energies by rho g H^2 L/2.

    pressure_error: rms over particles of p - rho g (H - y), over rho g H.
    centre, level: height of the centre of mass and of the surface at the gauge.
    """

    start: Start
    time: Floats
    pressure_error: Floats
    centre: Floats
    level_time: Floats
    level: Floats
    energy_time: Floats
    energy: Floats
    highest_speed: float
    lift: float | None
    particles: Particles
    course: Course


def run(setting: Setting) -> list[Figure]:
    across, end = (25, 8.0) if setting.quick else (50, 20.0)
    limit = 0.025 if setting.quick else 0.015
    rests = [_rest(start, across, end, setting) for start in STARTS]
    figures: list[Figure] = []
    for rest in rests:
        label = f", {rest.start.name} start"
        late, level_late = rest.time >= SETTLED, rest.level_time >= SETTLED
        figures += [
            below(f"pressure L2 / (rho g H){label}", float(rest.pressure_error[late].max()), limit),
            below(f"kinetic energy / (rho g H^2 L/2){label}", float(rest.energy.max()), 1e-4),
            below(f"drift of the centre of mass / H{label}", _drift(rest.centre[late]), 5e-4),
            below(f"drift of the surface / H{label}", _drift(rest.level[level_late]), 0.25 / across),
            report(f"highest speed at the end / sqrt(g H){label}", rest.highest_speed),
        ]
        if rest.lift is not None:
            figures.append(
                relative("lift of the cylinder / weight of the displaced water", rest.lift, 1.0, 0.03)
            )
        figures += rest.course.no_particle_behind_walls(label)
    _draw(setting, rests, limit)
    return figures


def _drift(values: Floats) -> float:
    """The largest departure from the first value."""
    return float(np.abs(values - values[0]).max())


def _rest(start: Start, across: int, end: float, setting: Setting) -> Rest:
    world = load_world(start.world, {**start.overrides, "domain.spacing": f"H/{across}"})
    depth, gravity = world.let["H"], world.let["g"]
    weight = world.file.fluid.density * gravity
    unit = float(np.sqrt(depth / gravity))
    course = Course(world, setting.threads, 0.05 * unit)
    times, errors, centres = [], [], []
    for time in course.until([unit * t for t in np.arange(0.25, end + 0.01, 0.25)]):
        particles = course.particles()
        height = particles.position[:, 1]
        error = particles.pressure - weight * (depth - height)
        times.append(time / unit)
        errors.append(np.sqrt(np.mean(error**2)) / (weight * depth))
        centres.append(np.average(height, weights=particles.mass) / depth)
    series = course.series()
    budget, level = series["budget"], series["level"]
    lift = None
    if world.core.bodies:
        force = series["force.cylinder"]
        late = force["time"] >= SETTLED * unit
        lift = float(force["total_y"][late].mean()) / (weight * world.core.bodies[0].shape.volume)
    return Rest(
        start, np.array(times), np.array(errors), np.array(centres),
        level["time"] / unit, level["height"] / depth,
        budget["time"] / unit, budget["kinetic_energy"] / (weight * depth**2 * world.core.size[0] / 2),
        float(budget["max_speed"][-1]) / float(np.sqrt(gravity * depth)), lift, course.particles(), course,
    )  # fmt: skip


def _draw(setting: Setting, rests: list[Rest], limit: float) -> None:
    figure, axes = panels(3, 4.1)
    for rest, (color, style) in zip(rests, LINES, strict=False):
        axes[0].plot(
            rest.time, 100 * rest.pressure_error, style, color=color, lw=1.3, label=f"{rest.start.name} start"
        )
        axes[1].semilogy(rest.energy_time, rest.energy, style, color=color, lw=1.1)
    axes[0].axhline(100 * limit, color=INK, lw=0.8, ls=":")
    axes[0].set_ylim(bottom=0)
    axes[0].set(xlabel=r"$t\ /\sqrt{H/g}$", ylabel=r"L2 error of the pressure [% of $\rho g H$]")
    axes[0].legend(frameon=False, fontsize=8)
    axes[1].axhline(1e-4, color=INK, lw=0.8, ls=":")
    axes[1].set(xlabel=r"$t\ /\sqrt{H/g}$", ylabel=r"kinetic energy / $(\rho g H^2 L/2)$")
    _draw_tank(axes[2], rests[-1])
    save(figure, setting.folder)


def _draw_tank(axes: Axes, rest: Rest) -> None:
    world = rest.course.world
    depth, weight = world.let["H"], world.file.fluid.density * world.let["g"]
    x, y = rest.particles.position.T / depth
    dots = axes.scatter(x, y, c=rest.particles.pressure / (weight * depth), s=3, cmap="viridis", linewidths=0)
    for line in world.core.bodies[0].shape.outline(1e-3):
        axes.fill(*(np.asarray(line)[:, :2].T / depth), color=INK, alpha=0.85, lw=0)
    axes.grid(False)
    axes.set(xlabel="x/H", ylabel="y/H", aspect="equal")
    caption(axes, r"pressure / $\rho g H$ at the end, fitted start")
    axes.figure.colorbar(dots, ax=axes, shrink=0.6)


CASES = [Case("still_water", "Water at rest from three starts, against hydrostatics", run)]
