"""A channel with inflow and outflow: what enters leaves, forces balance, and sound does not come back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course, Particles
from eddyline.validate.drawing import INK, LINES, caption, panels, save
from eddyline.validate.figures import Figure, below, relative, report
from eddyline.validate.references import load_world

Floats = NDArray[np.float64]
Series = dict[str, dict[str, Floats]]
LENGTH = 2.0
"""Length of the channel [m], also in heights."""
PULSE = 1.0
"""Height of the pressure pulse [Pa], of density U^2."""
PASSAGES = (2.5, 4.0)
"""When the pulse has left: times of a sound wave through the channel. The half that runs to the inflow is
thrown back there, as the velocity is given, and follows the other half out."""


@dataclass(frozen=True)
class Stream:
    """A developed flow that ran for `passages` times the length of the channel over the mean speed."""

    course: Course
    series: Series
    particles: Particles
    passages: float


def run(setting: Setting) -> list[Figure]:
    across, passages = (16, 6.0) if setting.quick else (30, 20.0)
    stream = _stream(setting, across, passages)
    figures = [
        *_mass(stream),
        *_momentum(stream),
        *_profile(stream, 0.02 if setting.quick else 0.01),
    ]
    time, echo = _sound(setting, across)
    late = (time >= PASSAGES[0]) & (time <= PASSAGES[1])
    drift = np.polynomial.Polynomial.fit(time[late], echo[late], 1)(time[late])
    half = "/ half its height"
    figures += [
        below(f"echo of a pressure pulse, rms about its drift {half}", _rms(echo[late] - drift), 0.05),
        report(f"residual level, fading within 10 L/c0 {half}", float(echo[late].mean())),
    ]
    figures += stream.course.no_particle_behind_walls()
    _draw(setting, stream, time, echo)
    return figures


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _world(across: int, passages: float) -> dict[str, str | float]:
    return {
        "let.L": f"{LENGTH}*H",
        "let.developed": 1,
        "domain.spacing": f"H/{across}",
        "time.end": f"{passages}*L/U",
    }


def _stream(setting: Setting, across: int, passages: float) -> Stream:
    course = Course(load_world("channel", _world(across, passages)), setting.threads, 0.02)
    course.to(course.world.end)
    return Stream(course, course.series(), course.particles(), passages)


def _mass(stream: Stream) -> list[Figure]:
    budget, enters, leaves = (stream.series[name] for name in ("budget", "opening.left", "opening.right"))
    mass, entered, left = budget["mass"], enters["mass"], -leaves["mass"]
    balance = mass - mass[0] - (entered - entered[0]) + (left - left[0])
    late = budget["time"] >= budget["time"][-1] / 4
    flow = [float(np.polyfit(budget["time"][late], series[late], 1)[0]) for series in (entered, left)]
    label = f"{stream.passages:g} flow-throughs"
    return [
        below("mass in - mass out - change / mass", float(np.abs(balance).max() / mass[0]), 1e-12),
        relative(f"mass out / mass in, {label}", flow[1] / flow[0], 1.0, 0.01),
        below(f"change of the mass inside, {label}", float(np.abs(mass[late] / mass[0] - 1).max()), 0.03),
        relative(
            "mass flow at the injection points / by particles",
            float(enters["mass_flow"][late].mean()) / flow[0],
            1.0,
            0.01,
        ),
    ]


def _momentum(stream: Stream) -> list[Figure]:
    """Forces of both openings and of the walls, and what particles carry through, make the change."""
    series = stream.series
    time = series["budget"]["time"]
    late = time >= time[-1] / 4
    span = float(time[late][-1] - time[late][0])
    openings = [series["opening.left"], series["opening.right"]]

    def change(column: Floats) -> float:
        return float(column[late][-1] - column[late][0]) / span

    walls = sum(float(series[f"force.{name}"]["total_x"][late].mean()) for name in ("bottom", "top"))
    pushed = sum(float(opening["force_x"][late].mean()) for opening in openings)
    carried = sum(change(opening["momentum_x"]) for opening in openings)
    inside = change(series["budget"]["momentum_x"])
    friction = 12 * stream.course.world.let["nu"] * LENGTH  # of the exact flow, with H = U = density = 1
    return [
        relative("(forces of openings + momentum carried in - change) / force on walls",
                 (pushed + carried - inside) / walls, 1.0, 0.01),
        report("force on walls / exact friction", walls / friction, 1.0),
    ]  # fmt: skip


def _profile(stream: Stream, limit: float) -> list[Figure]:
    """Velocity and pressure of all particles inside the domain at the end."""
    x, y = stream.particles.position.T
    inside = (x > 0) & (x < LENGTH)
    exact = 6 * y * (1 - y)
    error = stream.particles.velocity[:, 0] - exact
    slope = float(np.polyfit(x[inside], stream.particles.pressure[inside], 1)[0])
    nu = stream.course.world.let["nu"]
    middle = stream.series["middle"]
    late = middle["time"] >= middle["time"][-1] / 2
    return [
        below("velocity L2 / maximum", _rms(error[inside]) / 1.5, limit),
        relative("pressure gradient / exact", slope / (-12 * nu), 1.0, 0.05),
        below(
            "noise of the pressure at 0.8 L, rms / density U^2", float(np.std(middle["pressure"][late])), 0.02
        ),
    ]


def _sound(setting: Setting, across: int) -> tuple[Floats, Floats]:
    """Pressure at 0.8 L with a pulse less that without, over half the pulse; time in passages of sound."""
    found = []
    for height in (0.0, PULSE):
        world = load_world(
            "channel",
            {
                **_world(across, 5.0),
                "start.pressure": f"2.25*U^2 + {height}*exp(-((x - L/2)/(0.2*L))^2)",
            },
        )
        course = Course(world, setting.threads, 0.0)
        course.to(PASSAGES[1] * LENGTH / world.scales.sound_speed, 1)
        middle = course.series()["middle"]
        found.append((middle["time"] * world.scales.sound_speed / LENGTH, middle["pressure"]))
    (time, calm), (pulsed_time, pulsed) = found
    return time, (np.interp(time, pulsed_time, pulsed) - calm) / (PULSE / 2)


def _draw(setting: Setting, stream: Stream, time: Floats, echo: Floats) -> None:
    figure, (left, middle, right) = panels(3)
    x, y = stream.particles.position.T
    inside = (x > 0) & (x < LENGTH)
    (first, _), (second, style), *_ = LINES
    height = np.linspace(0, 1, 101)
    left.plot(stream.particles.velocity[inside, 0], y[inside], ".", ms=1.5, color=first)
    left.plot(6 * height * (1 - height), height, color=INK, lw=1)
    left.set(xlabel="u / U", ylabel="y / H")
    caption(left, f"all particles after {stream.passages:g} flow-throughs")
    budget = stream.series["budget"]
    middle.plot(budget["time"] / LENGTH, budget["mass"] / budget["mass"][0] - 1, color=first, lw=1)
    middle.set(xlabel="flow-throughs", ylabel="change of the mass inside", ylim=(-0.05, 0.05))
    right.plot(time, echo, style, color=second, lw=1)
    right.set(xlabel="time c0 / L", ylabel="pressure / half the pulse")
    caption(right, "a pressure pulse leaves")
    save(figure, setting.folder)


CASES = [Case("channel", "Balances of a channel with inflow and outflow, and sound that leaves", run)]
