"""Sedov's blast: the radius of the shock and the density of the shell, against the similarity solution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course
from eddyline.validate.drawing import INK, LINES, panels, save
from eddyline.validate.figures import Figure, below, between, relative, report
from eddyline.validate.references import load_world, numbers

Floats = NDArray[np.float64]
GAMMA = 1.4
STRONGEST = (GAMMA + 1) / (GAMMA - 1)  # density behind a strong shock over that before it


@dataclass(frozen=True)
class Blast:
    """Means over rings or shells at `time`: radius (n,) m, density (n,) over that at the start, speed (n,)
    outwards, m/s.
    exact_radius: of the shock at `time` [m]. momentum: |sum m v| over sum m |v|."""

    dimensions: int
    across: int
    time: float
    radius: Floats
    density: Floats
    speed: Floats
    exact_radius: float
    energy_drift: float
    momentum: float

    @property
    def name(self) -> str:
        return " x ".join([str(self.across)] * self.dimensions)

    @property
    def peak(self) -> float:
        return float(self.density.max())

    @property
    def share(self) -> float:
        """The peak over the density behind the shock."""
        return self.peak / STRONGEST

    @property
    def shock(self) -> float:
        """Radius at which the density, seen from outside, has risen half of the way to its peak [m]."""
        half, k = 0.5 * (1 + self.peak), int(self.density.argmax())
        while self.density[k] > half:
            k += 1
        share = (self.density[k - 1] - half) / (self.density[k - 1] - self.density[k])
        return float(self.radius[k - 1] + share * (self.radius[k] - self.radius[k - 1]))


def run(setting: Setting) -> list[Figure]:
    flat = [_blast("sedov", n, setting) for n in ([64] if setting.quick else [64, 128, 256])]
    figures: list[Figure] = []
    for blast in flat:
        judged = setting.quick or blast.across == 128
        figures += _judge(blast, 0.03 if setting.quick else 0.02) if judged else _report(blast)
        if judged:
            low = 0.38 if setting.quick else 0.55
            figures.append(between(f"density of the shell / exact, {blast.name}", blast.share, low, 0.75))
        else:
            figures.append(report(f"density of the shell / exact, {blast.name}", blast.share))
    if not setting.quick:
        ball = _blast("sedov/sphere", 64, setting)
        figures += _judge(ball, 0.02)
        figures.append(report(f"density of the shell / exact, {ball.name}", ball.share))
    _draw(setting, flat)
    return figures


def _report(blast: Blast) -> list[Figure]:
    return [report(f"radius of the shock, {blast.name} [m]", blast.shock, blast.exact_radius)]


def _judge(blast: Blast, room: float) -> list[Figure]:
    return [
        relative(f"radius of the shock, {blast.name} [m]", blast.shock, blast.exact_radius, room),
        below(f"change of the total energy, {blast.name}", blast.energy_drift, 1e-6),
        below(f"momentum / sum m |v|, {blast.name}", blast.momentum, 1e-6),
    ]


def _blast(name: str, count: int, setting: Setting) -> Blast:
    world = load_world(name, {"let.n": count})
    course = Course(world, setting.threads, world.end / 50)
    course.to(world.end, checks=1)
    simulation, dimensions = course.simulation, world.dimensions
    position, velocity = np.array(simulation.position), np.array(simulation.velocity)
    radius = np.linalg.norm(position, axis=1)
    outwards = np.sum(position * velocity, axis=1) / np.maximum(radius, 1e-12)
    edges = np.linspace(0.0, 0.5, count // 2 + 1)
    ring = np.digitize(radius, edges) - 1
    inside = ring < count // 2
    many = np.maximum(np.bincount(ring[inside], minlength=count // 2), 1)

    def mean(values: Floats) -> Floats:
        return np.bincount(ring[inside], values[inside], minlength=count // 2) / many

    constants = numbers("sedov", "constants.csv")
    xi = float(constants["xi0"][constants["dimensions"] == dimensions][0])
    mass = np.array(simulation.mass)[:, None]
    total = float(np.linalg.norm((mass * velocity).sum(axis=0)))
    energy = course.series()["budget"]["total_energy"]
    return Blast(
        dimensions,
        count,
        simulation.time,
        0.5 * (edges[1:] + edges[:-1]),
        mean(np.array(simulation.density)) / world.file.fluid.density,
        mean(outwards),
        xi * (world.let["E"] / world.let["rho"] * simulation.time**2) ** (1 / (dimensions + 2)),
        float(np.abs(energy / energy[0] - 1).max()),
        total / float((mass[:, 0] * np.linalg.norm(velocity, axis=1)).sum()),
    )


def _draw(setting: Setting, blasts: list[Blast]) -> None:
    figure, (left, right) = panels(2, 5.0)
    table = numbers("sedov", "profiles.csv")
    flat = table["dimensions"] == 2
    last = blasts[-1]
    speed = last.exact_radius / (2 * last.time) * 2 / (GAMMA + 1)
    r = np.concatenate([table["lambda"][flat], [1.0, 1.3]]) * last.exact_radius
    left.plot(r, np.concatenate([STRONGEST * table["rho"][flat], [1, 1]]), color=INK, lw=1.0, label="exact")
    right.plot(r, np.concatenate([speed * table["u"][flat], [0, 0]]), color=INK, lw=1.0, label="exact")
    for blast, (color, style) in zip(blasts, LINES, strict=False):
        left.plot(blast.radius, blast.density, style, color=color, lw=1.3, label=blast.name)
        right.plot(blast.radius, blast.speed, style, color=color, lw=1.3, label=blast.name)
    left.set(xlabel="radius [m]", ylabel="density / at the start")
    right.set(xlabel="radius [m]", ylabel="velocity outwards [m/s]")
    left.legend(frameon=False, fontsize=8)
    save(figure, setting.folder)


CASES = [Case("sedov", "Sedov's blast, against the similarity solution", run)]
