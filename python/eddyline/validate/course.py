"""A world in motion, and what every case watches in it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.validate.figures import Figure, none_of, report
from eddyline.world import World

Floats = NDArray[np.float64]
_NEVER = 2**62
ROUNDING = 1e-6
"""Depth, in spacings, below which a particle on a surface is not behind it."""


@dataclass
class Penetration:
    """Particles found behind walls and inside bodies.

    most: the largest number of particles at any check.
    depth: the largest penetration of a surface, in spacings; negative if no particle ever touched one.
    checks: how often all particles were looked at.
    """

    most: int = 0
    depth: float = -np.inf
    checks: int = 0

    def look(self, world: World, simulation: _core.Simulation) -> None:
        core = world.core
        position = np.asarray(simulation.position)
        depth = np.full(len(position), -np.inf)
        for axis in range(core.dimensions):
            low = core.origin[axis]
            high = low + core.size[axis]
            if core.sides[2 * axis].kind == "wall":
                np.maximum(depth, low - position[:, axis], out=depth)
            if core.sides[2 * axis + 1].kind == "wall":
                np.maximum(depth, position[:, axis] - high, out=depth)
        if core.bodies:
            points = np.zeros((len(position), 3))
            points[:, : core.dimensions] = position
            for body in core.bodies:
                shape = body.shape_at(simulation.time)
                np.maximum(depth, -shape.signed_distance(points), out=depth)
        self.most = max(self.most, int((depth > ROUNDING * core.spacing).sum()))
        self.depth = max(self.depth, float(depth.max(initial=-np.inf)) / core.spacing)
        self.checks += 1


@dataclass
class Course:
    """Runs a world from one time to the next.

    series_interval: time between rows of the series [s]; None: as the world says; 0: every step.
    """

    world: World
    threads: int = 0
    series_interval: float | None = None
    simulation: _core.Simulation = field(init=False)
    behind: Penetration = field(init=False, default_factory=Penetration)
    seconds: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        interval = self.world.output.series_interval if self.series_interval is None else self.series_interval
        self.simulation = _core.Simulation(self.world.core, threads=self.threads, series_interval=interval)

    def until(self, times: Sequence[float]) -> Iterator[float]:
        """Steps to the first step at or after each time [s], and gives its time."""
        for end in times:
            start = time.perf_counter()
            while self.simulation.time < end:
                self.simulation.advance(end, _NEVER, 1.0)
            self.seconds += time.perf_counter() - start
            self.behind.look(self.world, self.simulation)
            yield self.simulation.time

    def to(self, end: float, checks: int = 200) -> None:
        """Steps to the first step at or after `end` [s], with a look at all particles now and then."""
        start = self.simulation.time
        for _ in self.until([start + (end - start) * (k + 1) / checks for k in range(checks)]):
            pass

    def series(self) -> dict[str, dict[str, Floats]]:
        """The series since the last call: columns by name."""
        taken = self.simulation.take_series()
        return {
            name: {column: values[:, k] for k, column in enumerate(columns)}
            for name, (columns, _, values) in taken.items()
        }

    def particles(self) -> Particles:
        simulation = self.simulation
        order = np.argsort(simulation.id, kind="stable")
        return Particles(
            simulation.position[order],
            simulation.velocity[order],
            simulation.mass[order],
            simulation.pressure()[order],
        )

    def no_particle_behind_walls(self, label: str = "") -> list[Figure]:
        """The two figures that every case with walls or bodies gives."""
        behind = f"particles behind walls{label}"
        if not np.isfinite(self.behind.depth):
            return []
        return [
            none_of(behind, self.behind.most),
            report(f"largest penetration of a surface{label} [spacings]", self.behind.depth),
        ]


@dataclass(frozen=True)
class Particles:
    """Copies in order of the ids: position (n, D) m, velocity (n, D) m/s, mass (n,) kg, in 2D kg/m;
    pressure (n,) Pa."""

    position: Floats
    velocity: Floats
    mass: Floats
    pressure: Floats

    @property
    def kinetic_energy(self) -> float:
        """[J], in 2D [J/m]."""
        return float(0.5 * np.sum(self.mass * np.sum(self.velocity**2, axis=1)))
