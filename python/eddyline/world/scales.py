"""The speeds of a world: the highest to expect, and the artificial speed of sound that follows from it.

A weakly compressible fluid keeps its density within about 1 % if the speed of sound is 10 times the highest
speed (Monaghan 1994), and also 10 times sqrt(nu U / L) where viscous forces govern (Morris, Fox & Zhu 1997).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .motions import top_speed
from .problems import rounded
from .samples import Samples, corners, evaluate, face, speed
from .schema import SIDES, Periodic, Wall, WorldFile

SOUND_RATIO = 10.0
_TIMES = np.linspace(0.0, 1.0, 17)  # of the run, at which what changes in time is sampled


@dataclass(frozen=True)
class Scales:
    """max_speed [m/s]: the highest to expect.  sound_speed [m/s].  reason: where they come from, in words."""

    max_speed: float
    sound_speed: float
    reason: str

    @property
    def mach(self) -> float:
        return self.max_speed / self.sound_speed


def find_scales(file: WorldFile, samples: Samples) -> Scales | None:
    """The speeds that the file gives, or an estimate; None if nothing in the file sets fluid in motion."""
    fluid = file.fluid
    if fluid.max_speed is not None:
        return Scales(fluid.max_speed, SOUND_RATIO * fluid.max_speed, "10 times fluid.max_speed")
    estimates = sorted(_estimates(file, samples), reverse=True)
    highest, reason = estimates[0] if estimates else (0.0, "")
    if fluid.sound_speed is not None:
        return Scales(highest or fluid.sound_speed / SOUND_RATIO, fluid.sound_speed, "fluid.sound_speed")
    if highest <= 0:
        return None
    width = (
        min(length for axis, length in enumerate(file.domain.size) if not _periodic(file, axis))
        if any(not _periodic(file, axis) for axis in range(file.dimensions))
        else min(file.domain.size)
    )
    viscous = math.sqrt(fluid.nu * highest / width)
    if viscous > highest:
        text = (
            f"10 sqrt(nu U / L) = {rounded(SOUND_RATIO * viscous)} m/s, because viscous forces govern; U: "
            f"{reason}"
        )
        return Scales(highest, SOUND_RATIO * viscous, text)
    return Scales(highest, SOUND_RATIO * highest, f"10 times an estimated highest speed: {reason}")


def _estimates(file: WorldFile, samples: Samples) -> Iterator[tuple[float, str]]:
    """Speeds [m/s] that the world may reach, each with its reason."""
    if file.start.velocity is not None and len(samples.points):
        value = float(speed(file.start.velocity, samples.points).max())
        yield value, f"start.velocity reaches {rounded(value)} m/s"
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        side = file.boundaries.side(name)
        if isinstance(side, Wall) and side.velocity is not None:
            points = face(file, index)
            value = max(float(speed(side.velocity, points, t * file.time.end).max()) for t in _TIMES)
            yield value, f"the wall {name} moves at {rounded(value)} m/s"
    for name, body in file.bodies.items():
        if body.motion is not None:
            value = top_speed(body, file)
            yield value, f"bodies.{name} moves at {rounded(value)} m/s"
    for axis, name in enumerate("xyz"[: file.dimensions]):
        if file.domain.gravity is not None and file.domain.gravity[axis] != 0:
            g = abs(file.domain.gravity[axis])
            yield _driven(file, g, axis, samples.high[axis] - samples.low[axis], f"gravity along {name}")
        if file.domain.body_force is not None and len(samples.points):
            formula = file.domain.body_force[axis]
            force = max(
                float(np.abs(evaluate(formula, samples.points, t * file.time.end)).max()) for t in _TIMES
            )
            if force > 0:
                low, high = corners(file)
                yield _driven(file, force, axis, high[axis] - low[axis], f"body_force along {name}")


def _driven(file: WorldFile, acceleration: float, axis: int, length: float, what: str) -> tuple[float, str]:
    """The speed [m/s] that a steady acceleration [m/s^2] gives to a fluid of this length [m] along it."""
    if not _periodic(file, axis):
        value = math.sqrt(2 * acceleration * length)
        symbols = "sqrt(2 g H)" if what.startswith("gravity") else "sqrt(2 f L)"
        return value, f"{what}, {symbols} = {rounded(value)} m/s with {rounded(length)} m"
    bounds = [(acceleration * file.time.end, "f times the end of the run")]
    for across in range(file.dimensions):
        width = file.domain.size[across]
        if across != axis and _walls(file, across) and file.fluid.nu > 0:
            bounds.append(
                (acceleration * width**2 / (8 * file.fluid.nu), "f L^2 / (8 nu) of the steady laminar flow")
            )
    value, formula = min(bounds)
    return value, f"{what}, {formula} = {rounded(value)} m/s"


def _periodic(file: WorldFile, axis: int) -> bool:
    return isinstance(file.boundaries.side(SIDES[2 * axis]), Periodic)


def _walls(file: WorldFile, axis: int) -> bool:
    """Whether both sides across `axis` are no-slip walls."""
    both = [file.boundaries.side(SIDES[2 * axis + end]) for end in (0, 1)]
    return all(isinstance(side, Wall) and not side.slip for side in both)
