"""Waves on cells with walls that a potential makes: two slits, and a round room."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.validate.case import Case, Setting
from eddyline.validate.drawing import INK, LINES, panels, save
from eddyline.validate.figures import Figure, relative
from eddyline.validate.references import load_world

Floats = NDArray[np.float64]
MOST_STEPS = 2**62
ZERO = 25.417140814072
"""The first zero of Bessel's function J_20 (DLMF 10.21)."""

PLACES = {"first calm place": "calm1", "first high place": "high1", "second calm place": "calm2"}
"""Extremes on the line behind the slits, with the names of their exact places in worlds/waves/slits.toml."""

ENDS_OF_LINE, PIXELS = (-0.5, 0.5), 600
"""The line behind the slits along y [m]."""


def run(setting: Setting) -> list[Figure]:
    slits, y, strength, places = _slits(setting)
    gallery, time, u = _gallery(setting)
    figure, (left, right) = panels(2, 4.6)
    color, style = LINES[0]
    left.plot(y, strength / strength.max(), style, color=color, lw=1.3)
    for place in places:
        left.axvline(place, color=INK, lw=0.8)
    left.set(xlabel="y on a line 1 m behind the wall [m]", ylabel="mean of u², over the highest")
    right.plot(time, u, style, color=color, lw=0.9)
    right.set(xlabel="time [s]", ylabel="u at the round wall [m]")
    save(figure, setting.folder)
    return [*slits, gallery]


def _slits(setting: Setting) -> tuple[list[Figure], Floats, Floats, list[float]]:
    """Extremes of the mean of u^2 on the line; y (n,) [m], the mean (n,) [m^2], exact places [m]."""
    n = 120 if setting.quick else 160
    world = load_world("waves/slits", {"let.n": n, "let.gap": 0.06})
    simulation = _core.Simulation(world.core, threads=setting.threads)
    line, (bottom, top) = world.let["L"], ENDS_OF_LINE
    low, high = (line - 0.5 / n, bottom, 0.0), (line + 0.5 / n, top, 0.0)
    squares: list[Floats] = []
    for time in np.linspace(1.75, world.end, 50):
        simulation.advance(float(time), MOST_STEPS, math.inf)
        squares.append(np.ravel(simulation.rasters(["u"], (PIXELS, 1), low, high)).astype(float) ** 2)
    strength = np.mean(squares, axis=0)
    y = bottom + (top - bottom) * (np.arange(PIXELS) + 0.5) / PIXELS
    exact = {name: world.let[key] for name, key in PLACES.items()}
    figures = [
        relative(f"two slits: {name} [m]", _extreme(y, strength, place, "calm" in name), place, 0.02)
        for name, place in exact.items()
    ]
    return figures, y, strength, list(exact.values())


def _extreme(y: Floats, strength: Floats, place: float, is_least: bool) -> float:
    """The place of the least or largest strength within 0.05 m of a place, from a parabola around it [m]."""
    near = np.flatnonzero(np.abs(y - place) < 0.05)
    k = int(near[np.argmin(strength[near]) if is_least else np.argmax(strength[near])])
    part = slice(k - 8, k + 9)
    a, b, _ = np.polyfit(y[part] - y[k], strength[part], 2)
    return float(y[k] - b / (2 * a))


def _gallery(setting: Setting) -> tuple[Figure, Floats, Floats]:
    """Angular frequency of 20 waves around a round wall, from zeros of u at a place; times [s], u [m]."""
    n = 50 if setting.quick else 100
    world = load_world("waves/whispers", {"let.n": n, "let.long": 1e4, "time.end": 4})
    simulation = _core.Simulation(world.core, threads=setting.threads, series_interval=0.004)
    simulation.advance(world.end, MOST_STEPS, math.inf)
    columns, _, rows = simulation.take_series()["start"]
    time, u = rows[:, 0], rows[:, columns.index("u")]
    k = np.flatnonzero((u[:-1] < 0) & (u[1:] >= 0))
    zeros = time[k] - u[k] * (time[k + 1] - time[k]) / (u[k + 1] - u[k])
    found = 2 * math.pi * (len(zeros) - 1) / float(zeros[-1] - zeros[0])
    allowed = 0.02 if setting.quick else 0.01
    return relative("whispering gallery: angular frequency of 20 waves [1/s]", found, ZERO, allowed), time, u


CASES = [Case("waves", "waves behind two slits, and around a round wall", run)]
