"""Duration of a run: its steps, its outputs, and the pictures and files made after the last step.

The constants are core seconds of one core, measured on an EPYC Zen 4 (AVX-512) with other work beside it, as
user time of runs of the gallery with one thread; rates are rounded towards slower processors.
"""

from __future__ import annotations

from dataclasses import dataclass

PARTICLES_A_THREAD = 100  # at least, as the core does
RATES = {2: 8.0e6, 3: 2.8e6}
"""Particle steps a second, by dimensions. Zen 4 computes 10 and 3 million in runs of the gallery, Zen 3 less:
docs/performance.md."""
WALL_WEIGHT = 0.1  # cost of a wall particle in fluid particles: one light sweep, and only near the fluid
OF_PAIR_TERMS = 0.7
"""Time that formulas for forces of pairs add to a step, relative to the step without them: 2D, AVX-512."""
OF_PAIR_MODULE = 0.5
"""The same for a module with a force of pairs."""
STEP = 1e-4  # s that a step takes, however few particles there are
PICTURE = {2: 1e-3, 3: 28e-3}  # s of a picture while the run goes on, by dimensions
PICTURE_PARTICLE = 1e-7  # s more for each fluid particle or cell, in two dimensions
SNAPSHOT, SNAPSHOT_RATE = 2e-3, 230e6  # s, and bytes a second
FILM = {2: 16e-3, 3: 37e-3}  # s to paint and encode a frame of the film, by dimensions
FILM_CORES = 2  # that share painting and encoding
START = 1.0  # s for libraries, the last picture, charts and report


@dataclass(frozen=True)
class Cost:
    """Wall seconds. steps: of the computation; outputs: pictures, snapshots
    and surfaces meanwhile; film: of the
    pictures; start: all that does not depend on the world, report included."""

    steps: float
    outputs: float
    film: float
    start: float

    @property
    def seconds(self) -> float:
        return self.steps + self.outputs + self.film + self.start


def cost_of(
    dimensions: int,
    steps: int,
    step_seconds: float,
    members: int,
    *,
    pictures: int,
    snapshots: int,
    snapshot_bytes: float,
    cores: int,
    surfaces: float = 0.0,
) -> Cost:
    """Cost of a run on `cores` cores. step_seconds: computing time of a step on one core; members: particles
    or cells that pictures show; surfaces: of isosurfaces [s]."""
    computing = steps * (STEP + step_seconds / cores)
    pictures = min(pictures, steps + 1)  # no step is shown twice
    flat = PICTURE_PARTICLE * members if dimensions == 2 else 0.0
    outputs = pictures * (PICTURE[dimensions] + flat)
    outputs += min(snapshots, steps + 1) * (SNAPSHOT + snapshot_bytes / SNAPSHOT_RATE)
    film = pictures * FILM[dimensions] / min(cores, FILM_CORES) if pictures > 1 else 0.0
    return Cost(computing, outputs + surfaces, film, START)
