"""A cylinder that begins to turn in fluid at rest, against diffusion of its motion into endless fluid.

The flow goes round in circles: v(r, t) with dv/dt = nu (v'' + v'/r - v/r^2), v(R, t) = w R, v(r, 0) = 0. The
torque that it takes for each metre is T = -2 pi mu R^2 (v' - v/R) at r = R, which tends to 4 pi mu R^2 w.
"""

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
NAME = "rotating_cylinder"
TIMES = (0.1, 0.2, 0.4, 0.6)  # nu t / R^2
FIRST = (
    0.05  # nu t / R^2, from which on torques are compared: until then the layer is thinner than the kernel
)


@dataclass(frozen=True)
class Limits:
    speed: float
    torque: float
    momentum: float


LIMITS = {10: Limits(0.005, 0.02, 0.04), 20: Limits(0.002, 0.01, 0.025)}  # by R/dx


def diffusion(times: Floats, points: int = 300) -> tuple[Floats, Floats, Floats]:
    """(r/R, v/(w R) at each time, torque/(4 pi mu R^2 w) at each time); times in R^2/nu, increasing.

    Differences of second order in y = log(r/R), where v'' + v'/r - v/r^2 = exp(-2 y) (v_yy - v); v = 0 at
    r = 8 R, which the motion does not reach by then.
    """
    y = np.linspace(0.0, np.log(8.0), points)
    step = y[1]
    scale = np.exp(-2 * y[1:-1])
    v = np.zeros(points)
    v[0] = 1.0
    now, profiles, torques = 0.0, [], []

    def rate() -> Floats:
        change: Floats = scale * ((v[2:] - 2 * v[1:-1] + v[:-2]) / step**2 - v[1:-1])
        return change

    for end in times:
        steps = int(np.ceil((end - now) / (0.4 * step**2)))
        dt = (end - now) / steps
        for _ in range(steps):
            first = rate()
            v[1:-1] += dt * first
            v[1:-1] += 0.5 * dt * (rate() - first)
        now = float(end)
        profiles.append(v.copy())
        torques.append(0.5 * (1 - (-1.5 * v[0] + 2 * v[1] - 0.5 * v[2]) / step))
    return np.exp(y), np.stack(profiles), np.array(torques)


@dataclass(frozen=True)
class Turning:
    """times: nu t / R^2.  torque: over 4 pi mu R^2 w, of each row.  particles: at TIMES.  momentum: angular
    momentum of the fluid at the end, over the torque summed in time."""

    across: int
    times: Floats
    torque: Floats
    particles: list[Particles]
    momentum: float
    course: Course


def run(setting: Setting) -> list[Figure]:
    counts = [10] if setting.quick else [10, 20]
    figures, turnings = [], []
    for across in counts:
        turning = _turn(across, setting)
        turnings.append(turning)
        label = f", R/dx = {across}"
        limits = LIMITS[across]
        for tau, error in zip(TIMES, _profile_errors(turning), strict=True):
            figures.append(below(f"velocity L2 / (w R) at {tau:g} R^2/nu{label}", error, limits.speed))
        late = turning.times >= FIRST
        _, _, exact = diffusion(turning.times[late])
        error = float(np.sqrt(np.mean((turning.torque[late] - exact) ** 2)) / np.sqrt(np.mean(exact**2)))
        figures.append(below(f"torque from {FIRST:g} R^2/nu on, L2{label}", error, limits.torque))
        figures.append(report(f"torque at the end / 4 pi mu R^2 w{label}", turning.torque[-1], exact[-1]))
        figures.append(
            relative(
                f"angular momentum of the fluid / torque summed in time{label}",
                turning.momentum,
                1.0,
                limits.momentum,
            )
        )
        figures += turning.course.no_particle_behind_walls(label)
    figures.append(_agrees_with_table())
    _draw(setting, turnings)
    return figures


def _turn(across: int, setting: Setting) -> Turning:
    world = load_world(NAME, {"domain.spacing": f"R/{across}"})
    let = world.let
    second = let["R"] ** 2 / let["nu"]
    course = Course(world, setting.threads, 0.002 * second)
    particles = [course.particles() for _ in course.until([tau * second for tau in TIMES])]
    series = course.series()["force.cylinder"]
    time, torque = series["time"], -series["torque"]
    last = particles[-1]
    around = last.position[:, 0] * last.velocity[:, 1] - last.position[:, 1] * last.velocity[:, 0]
    given = float(np.trapezoid(torque, time) + torque[0] * time[0])
    unit = 4 * np.pi * let["nu"] * let["R"] ** 2 * let["w"]
    return Turning(
        across, time / second, torque / unit, particles, float(np.sum(last.mass * around)) / given, course
    )


def _profile_errors(turning: Turning) -> list[float]:
    """Root of the mean square of |v - v_exact| over the particles within 3 R, by w R, at TIMES."""
    let = turning.course.world.let
    radii, profiles, _ = diffusion(np.array(TIMES))
    errors = []
    for particles, profile in zip(turning.particles, profiles, strict=True):
        x, y = particles.position.T
        r = np.hypot(x, y)
        speed = let["w"] * let["R"] * np.interp(r / let["R"], radii, profile)
        wrong = particles.velocity - np.stack([-y, x], axis=1) * (speed / r)[:, None]
        near = r < 3 * let["R"]
        errors.append(float(np.sqrt(np.mean(np.sum(wrong[near] ** 2, axis=1)))) / (let["w"] * let["R"]))
    return errors


def _agrees_with_table() -> Figure:
    """The curve that the world expects against the solution here."""
    table = numbers(NAME, "torque.csv")
    late = table["tau"] >= FIRST
    _, _, torque = diffusion(table["tau"][late])
    worst = float(np.abs(torque - table["torque"][late]).max())
    return below("exact torque: largest difference from the expected curve", worst, 1e-3)


def _draw(setting: Setting, turnings: list[Turning]) -> None:
    figure, (left, right) = panels(2)
    turning = turnings[-1]
    let = turning.course.world.let
    radii, profiles, _ = diffusion(np.array(TIMES))
    for k, (tau, particles, profile) in enumerate(zip(TIMES, turning.particles, profiles, strict=True)):
        left.plot(radii, profile, color=INK, lw=0.8, label=None if k else "exact")
        x, y = particles.position.T
        r = np.hypot(x, y)
        around = (x * particles.velocity[:, 1] - y * particles.velocity[:, 0]) / r
        some = np.argsort(r)[:: max(1, len(r) // 150)]
        left.plot(
            r[some] / let["R"], around[some] / (let["w"] * let["R"]), "o^sD"[k],
            ms=2.5, mfc="none", mew=0.7, color=LINES[k][0], label=f"{tau:g} R²/nu",
        )  # fmt: skip
    left.set(xlabel="r / R", ylabel="speed around / (w R)", xlim=(0.9, 4), ylim=(-0.05, 1.05))
    caption(left, f"R/dx = {turning.across}")
    left.legend(frameon=False, fontsize=8)
    times = np.linspace(0.02, TIMES[-1], 100)
    right.plot(times, diffusion(times)[2], color=INK, lw=0.8, label="exact, endless fluid")
    for (color, style), one in zip(LINES, turnings, strict=False):
        right.plot(one.times, one.torque, style, color=color, lw=1.2, label=f"R/dx = {one.across}")
    right.set(xlabel="nu t / R²", ylabel="torque / (4 pi mu R² w)", ylim=(0.9, 3.5), xlim=(0, TIMES[-1]))
    right.legend(frameon=False, fontsize=8)
    save(figure, setting.folder)


CASES = [Case(NAME, "A cylinder that begins to turn, against diffusion into endless fluid", run)]
