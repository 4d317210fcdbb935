"""The front of a collapsing column, in two and three dimensions, against Martin & Moyce 1952."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course, Particles
from eddyline.validate.drawing import INK, LINES, QUIET, caption, panels, save
from eddyline.validate.figures import Figure, below, report
from eddyline.validate.references import load_world, numbers, table

Floats = NDArray[np.float64]
BAND, LARGEST_SHIFT = 0.08, 0.3
SNAPSHOTS = (1.5, 3.0)  # T


@dataclass(frozen=True)
class Curve:
    """A published curve over T = t sqrt(2 g/a)."""

    time: Floats
    value: Floats


@dataclass(frozen=True)
class Collapse:
    """front: x/a of the front over time T; height: at the back wall, y/(2 a), over height_time T."""

    across: int
    time: Floats
    front: Floats
    height_time: Floats
    height: Floats
    snapshots: dict[float, Particles]
    course: Course


@dataclass(frozen=True)
class Fit:
    """RMS deviation of a front from a curve over the RMS of the curve, after the best shift and without."""

    shift: float
    shifted: float
    unshifted: float


def fit(collapse: Collapse, curve: Curve) -> Fit:
    """Shifts the time of the experiment by at most LARGEST_SHIFT, as its zero depends on how the gate
    opens."""

    def difference(shift: float) -> float:
        gap = np.interp(curve.time + shift, collapse.time, collapse.front) - curve.value
        return float(np.sqrt(np.mean(gap**2) / np.mean(curve.value**2)))

    shifts = np.linspace(-LARGEST_SHIFT, LARGEST_SHIFT, 601)
    errors = [difference(float(shift)) for shift in shifts]
    best = int(np.argmin(errors))
    return Fit(float(shifts[best]), errors[best], difference(0.0))


def run_2d(setting: Setting) -> list[Figure]:
    return _run(
        setting, "dam_break", [20] if setting.quick else [20, 40, 80], judged=20 if setting.quick else 40
    )


def run_3d(setting: Setting) -> list[Figure]:
    return _run(
        setting, "dam_break_3d", [10] if setting.quick else [10, 20], judged=10 if setting.quick else 20
    )


def _run(setting: Setting, name: str, counts: list[int], judged: int) -> list[Figure]:
    experiment = _front()
    collapses = {n: _collapse(name, n, setting) for n in counts}
    figures: list[Figure] = []
    for n, collapse in collapses.items():
        found = fit(collapse, experiment)
        label = f", {n} across"
        title = f"front: RMS error after the best shift{label}"
        figures.append(below(title, found.shifted, BAND) if n == judged else report(title, found.shifted))
        figures.append(report(f"time shift [T]{label}", found.shift))
        if n == judged:
            figures += [
                report(f"front: RMS error without a shift{label}", found.unshifted),
                report(f"speed of the front, T = 2 to 3.3{label}", _slope(collapse.time, collapse.front),
                       _slope(experiment.time, experiment.value)),
                report(f"height at the back wall: RMS error / (2 a){label}", _height_error(collapse)),
            ]  # fmt: skip
        figures += collapse.course.no_particle_behind_walls(label)
    _draw(setting, collapses, judged)
    return figures


def _front() -> Curve:
    rows = table("dam_break", "martin_moyce_1952.csv")
    chosen = (rows["n_squared"] == "2") & (rows["quantity"] == "front")
    return Curve(
        rows["time_dimensionless"][chosen].astype(np.float64),
        rows["value_dimensionless"][chosen].astype(np.float64),
    )


def _heights() -> Curve:
    rows = table("dam_break", "martin_moyce_1952.csv")
    chosen = (rows["n_squared"] == "2") & (rows["quantity"] == "height")
    time = rows["time_dimensionless"][chosen].astype(np.float64)  # t sqrt(g/a)
    return Curve(np.sqrt(2) * time, rows["value_dimensionless"][chosen].astype(np.float64))


def _slope(time: Floats, front: Floats) -> float:
    part = (time >= 2) & (time <= 3.35)
    return float(np.polyfit(time[part], front[part], 1)[0])


def _height_error(collapse: Collapse) -> float:
    curve = _heights()
    covered = curve.time <= collapse.height_time[-1]
    gap = np.interp(curve.time[covered], collapse.height_time, collapse.height) - curve.value[covered]
    return float(np.sqrt(np.mean(gap**2)))


def _collapse(name: str, across: int, setting: Setting) -> Collapse:
    end = 4.0 if setting.quick else None
    world = load_world(name, {"domain.spacing": f"a/{across}"})
    a, unit = world.let["a"], float(np.sqrt(world.let["a"] / (2 * world.let["g"])))
    course = Course(world, setting.threads, 0.01 * unit)
    last = world.end / unit if end is None else end
    times, heights, snapshots = [], [], {}
    for time in course.until([unit * t for t in np.arange(0.05, last + 0.01, 0.05)]):
        position = np.asarray(course.simulation.position)
        near = position[:, 0] < 2 * world.core.spacing
        times.append(time / unit)
        heights.append((position[near, 1].max(initial=0.0) + 0.5 * world.core.spacing) / (2 * a))
        for wanted in SNAPSHOTS:
            if wanted not in snapshots and time >= wanted * unit:
                snapshots[wanted] = course.particles()
    front = course.series()["front"]
    return Collapse(
        across,
        front["time"] / unit,
        front["position"] / a,
        np.array(times),
        np.array(heights),
        snapshots,
        course,
    )


def _draw(setting: Setting, collapses: dict[int, Collapse], judged: int) -> None:
    figure, axes = panels(3, 4.1)
    experiment = _front()
    digitised = numbers("dam_break", "martin_moyce_1952_digitised.csv")
    for collapse, (color, style) in zip(collapses.values(), LINES, strict=False):
        found = fit(collapse, experiment)
        label = f"{collapse.across} across, shifted by {-found.shift:+.2f}"
        moving = collapse.front < 0.995 * collapse.course.world.core.size[0] / collapse.course.world.let["a"]
        axes[0].plot(
            collapse.time[moving] - found.shift,
            collapse.front[moving],
            style,
            color=color,
            lw=1.3,
            label=label,
        )
        axes[1].plot(
            collapse.height_time,
            collapse.height,
            style,
            color=color,
            lw=1.3,
            label=f"{collapse.across} across",
        )
    axes[0].plot(
        experiment.time, experiment.value, "o", mfc="none", color=INK, ms=4, label="Martin & Moyce, Table 2"
    )
    for base, mark in ((1.125, "^"), (2.25, "s")):
        part = (digitised["base_a_inch"] == base) & (digitised["Z_front_over_a"] <= 7)
        axes[0].plot(
            digitised["T_t_sqrt_2g_over_a"][part],
            digitised["Z_front_over_a"][part],
            mark,
            mfc="none",
            color=QUIET,
            ms=3.5,
            mew=0.8,
            label=f"the same, Fig. 3, a = {base:g} in",
        )
    axes[0].set(
        xlabel=r"$T = t\,\sqrt{2g/a}$", ylabel="position of the front x/a", xlim=(0, 5.5), ylim=(0.9, 7.2)
    )
    axes[0].legend(frameon=False, fontsize=7)
    heights = _heights()
    axes[1].plot(
        heights.time, heights.value, "o", mfc="none", color=INK, ms=4, label="Martin & Moyce, Table 6"
    )
    axes[1].set(xlabel=r"$T = t\,\sqrt{2g/a}$", ylabel="height at the back wall y/(2a)", ylim=(0, 1.05))
    axes[1].legend(frameon=False, fontsize=7)
    _draw_water(axes[2], collapses[judged])
    save(figure, setting.folder)


def _draw_water(axes: Axes, collapse: Collapse) -> None:
    a = collapse.course.world.let["a"]
    for (wanted, particles), color in zip(collapse.snapshots.items(), (LINES[0][0], "#7fb7d4"), strict=False):
        x, y = particles.position[:, :2].T / a
        axes.scatter(x, y, s=1.5, color=color, linewidths=0, label=f"T = {wanted:g}")
    axes.set(xlabel="x/a", ylabel="y/a", aspect="equal")
    caption(axes, f"the water, {collapse.across} across")
    axes.legend(frameon=False, fontsize=8, markerscale=4)


CASES = [
    Case("dam_break", "Front of a collapsing column, against Martin & Moyce", run_2d),
    Case("dam_break_3d", "The same in three dimensions", run_3d),
]
