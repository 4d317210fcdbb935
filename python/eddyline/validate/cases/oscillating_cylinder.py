"""A cylinder that swings in fluid at rest: coefficients of drag and added mass against Dütsch et al. 1998.

Morison's force for each metre, F = -C_D rho D |u| u / 2 - C_A rho pi D^2/4 du/dt, is fitted to the force by
least squares over whole periods.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course
from eddyline.validate.drawing import INK, LINES, caption, panels, save
from eddyline.validate.figures import Figure, below, relative, report
from eddyline.validate.references import load_world

Floats = NDArray[np.float64]
NAME = "oscillating_cylinder"
DRAG, ADDED_MASS = 2.09, 1.45  # KC = 5, Re = 100
ROWS = 2000  # a period: every step is one, so that forces are summed over time as the steps do it


@dataclass(frozen=True)
class Swing:
    """phase: of each row of the last period, in periods.  force: along x / (rho U^2 D / 2).  momentum: change
    of the fluid's momentum plus what bodies and walls got, over the largest momentum of the fluid."""

    across: int
    phase: Floats
    force: Floats
    drag: float
    added_mass: float
    momentum: float
    course: Course


def run(setting: Setting) -> list[Figure]:
    swings = [_swing(n, setting) for n in ([8] if setting.quick else [12, 20])]
    figures: list[Figure] = []
    for swing in swings:
        label = f", D/dx = {swing.across}"
        if setting.quick or swing is not swings[-1]:
            allowed = 0.5 if setting.quick else 0.25
            drag, added = (relative(*item, allowed) for item in _coefficients(swing, label))
            figures += [drag, added]
        else:
            figures += [relative(*item, 0.1) for item in _coefficients(swing, label)]
        figures.append(below(f"imbalance of momentum / largest momentum{label}", swing.momentum, 1e-4))
        figures.append(report(f"largest force / (rho U^2 D / 2){label}", float(np.abs(swing.force).max())))
        figures += swing.course.no_particle_behind_walls(label)
    _draw(setting, swings)
    return figures


def _coefficients(swing: Swing, label: str) -> list[tuple[str, float, float]]:
    return [
        (f"drag coefficient C_D{label}", swing.drag, DRAG),
        (f"added mass coefficient C_A{label}", swing.added_mass, ADDED_MASS),
    ]


def _swing(across: int, setting: Setting) -> Swing:
    periods, whole = (2.5, 1) if setting.quick else (3.5, 2)
    width, height = (8, 6) if setting.quick else (16, 14)
    world = load_world(
        NAME,
        {
            "domain.spacing": f"D/{across}",
            "domain.size": f'["{width}*D", "{height}*D"]',
            "domain.origin": f'["-{width}*D/2", "-{height}*D/2"]',
            "time.end": f"{periods}*T",
        },
    )
    let, period = world.let, world.let["T"]
    course = Course(world, setting.threads, period / ROWS)
    course.to(periods * period)
    series = course.series()
    time = series["budget"]["time"]
    forces = {name[6:]: columns["total_x"] for name, columns in series.items() if name.startswith("force.")}
    part, last = time > (periods - whole) * period, time > (periods - 1) * period
    angle = 2 * np.pi / period * time
    u = -let["U"] * np.sin(angle)
    du_dt = -let["U"] * 2 * np.pi / period * np.cos(angle)
    diameter = let["D"]
    shapes = np.stack([-0.5 * diameter * np.abs(u) * u, -np.pi / 4 * diameter**2 * du_dt], axis=1)
    drag, added_mass = np.linalg.lstsq(shapes[part], forces["cylinder"][part], rcond=None)[0]
    total = sum(forces.values(), np.zeros_like(time))
    momentum = series["budget"]["momentum_x"]
    given = np.concatenate([[0.0], np.cumsum(0.5 * (total[1:] + total[:-1]) * np.diff(time))])
    balance = float(np.abs(momentum - momentum[0] + given).max() / np.abs(momentum).max())
    scale = 2 / (let["U"] ** 2 * diameter)
    return Swing(
        across, time[last] / period, scale * forces["cylinder"][last],
        float(drag), float(added_mass), balance, course,
    )  # fmt: skip


def _draw(setting: Setting, swings: list[Swing]) -> None:
    figure, (left, right) = panels(2, 5.2)
    phase = np.linspace(0, 1, 200)
    sine, cosine = np.sin(2 * np.pi * phase), np.cos(2 * np.pi * phase)
    keulegan = swings[-1].course.world.let["KC"]
    published = DRAG * np.abs(sine) * sine + np.pi**2 / keulegan * ADDED_MASS * cosine
    left.plot(phase, published, color=INK, lw=1.0, label="Morison, published coefficients")
    for (color, style), swing in zip(LINES, swings, strict=False):
        order = np.argsort(swing.phase % 1)
        label = f"D/dx = {swing.across}"
        left.plot((swing.phase % 1)[order], swing.force[order], style, color=color, lw=1.0, label=label)
    left.set(xlabel="time in the period", ylabel="force / (rho U² D / 2)", xlim=(0, 1))
    left.legend(frameon=False, fontsize=8)
    _draw_speed(right, swings[-1].course)
    save(figure, setting.folder)


def _draw_speed(axes: Axes, course: Course) -> None:
    core, simulation = course.world.core, course.simulation
    low = core.origin
    high = (low[0] + core.size[0], low[1] + core.size[1], 0.0)
    speed = simulation.rasters(["vorticity"], (224, 320), (low[0], low[1], 0.0), high)[0]
    extent = (low[0], high[0], low[1], high[1])
    limit = float(np.nanpercentile(np.abs(speed), 99))
    picture = axes.imshow(speed, origin="lower", extent=extent, cmap="RdBu_r", vmin=-limit, vmax=limit)
    for line in core.bodies[0].shape_at(simulation.time).outline(1e-3):
        axes.fill(*np.asarray(line)[:, :2].T, color=INK, lw=0)
    axes.grid(False)
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    caption(axes, "vorticity at the end [1/s]")
    axes.figure.colorbar(picture, ax=axes, shrink=0.6)


CASES = [Case(NAME, "Drag and added mass of a cylinder that swings in fluid at rest", run)]
