"""The speeds of a world: the highest to expect, and the artificial speed of sound that follows from it.

A weakly compressible fluid keeps its density within about 1 % if the speed of sound is 10 times the highest
speed (Monaghan 1994), and also 10 times sqrt(nu U / L) where viscous forces govern (Morris, Fox & Zhu 1997).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from .motions import top_speed
from .openings import faces
from .problems import rounded
from .samples import Samples, corners, evaluate, face, speed, times
from .schema import SIDES, Open, Periodic, Wall, WorldFile

SOUND_RATIO = 10.0
DEFAULT_GAMMA = 1.4
AROUND_BODIES = 1.5
"""Highest speed where a stream goes around bodies over that of the stream: 2.2 in place of 1.5 m/s at a
cylinder that blocks a quarter of a channel. Twice the speed of sound took 3 % off its drag and 20 % off its
lift."""


def gamma_of(file: WorldFile) -> float:
    """Ratio of specific heats of a gas."""
    return DEFAULT_GAMMA if file.fluid.gamma is None else file.fluid.gamma


@dataclass(frozen=True)
class Scales:
    """max_speed [m/s]: the highest to expect.  sound_speed [m/s].  reason: where they come from, in words."""

    max_speed: float
    sound_speed: float
    reason: str

    @property
    def mach(self) -> float:
        return self.max_speed / self.sound_speed


_FOUND: WeakKeyDictionary[Samples, Scales | None] = WeakKeyDictionary()


def find_scales(file: WorldFile, samples: Samples) -> Scales | None:
    """The speeds that the file gives, or an estimate; None if nothing in the file sets fluid in motion.

    samples: of this file; the result is kept with them, because several checks ask."""
    if samples not in _FOUND:
        _FOUND[samples] = _find_scales(file, samples)
    return _FOUND[samples]


def _find_scales(file: WorldFile, samples: Samples) -> Scales | None:
    fluid = file.fluid
    if fluid.is_gas:
        return _gas_scales(file, samples)
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


def expected_speeds(file: WorldFile) -> dict[str, tuple[float, str]]:
    """Speed [m/s] that each cause of motion, such as "the inflow left" or "gravity along y", may give to the
    fluid, and the reason in words; independent of `fluid.max_speed`."""
    found: dict[str, tuple[float, str]] = {}
    for value, reason in _estimates(file, Samples(file)):
        cause = re.split(r",| reaches | moves at ", reason)[0]
        if cause not in found or not value <= found[cause][0]:
            found[cause] = value, reason
    return found


def pressure_level(file: WorldFile, scales: Scales) -> float:
    """Pressure [Pa] of the outflow and the start where the file names none; 0 with a free surface or without
    openings.

    Pressure falls by up to density max_speed^2 below that of the outflow where the fluid goes round a body or
    shears. Particles tear apart where it is negative, so that this much is added to it everywhere.
    """
    free = file.regions or any(
        isinstance(file.boundaries.side(name), Open) for name in SIDES[: 2 * file.dimensions]
    )
    return 0.0 if free or not faces(file) else file.fluid.density * scales.max_speed**2


def _gas_scales(file: WorldFile, samples: Samples) -> Scales | None:
    """Speed and speed of sound of a gas at the start; the larger is the unit of pair sums."""
    sound = float(gas_sound_speed(file, samples).max(initial=0.0))
    velocity = file.start.velocity
    highest = float(speed(velocity, samples.points).max(initial=0.0)) if velocity is not None else 0.0
    unit = max(sound, highest)
    reason = "the gas's own at the start, where it is highest"
    return (
        Scales(highest, unit, reason if sound >= highest else "the highest speed at the start")
        if unit
        else None
    )


def gas_sound_speed(file: WorldFile, samples: Samples) -> NDArray[np.float64]:
    """(n,) sqrt(gamma p / rho) of a gas at the sample points at the start [m/s]."""
    start, points = file.start, samples.points
    pressure = np.zeros(len(points)) if start.pressure is None else evaluate(start.pressure.formula, points)
    density = (
        np.full(len(points), file.fluid.density) if start.density is None else evaluate(start.density, points)
    )
    pressure, density = pressure.copy(), density.copy()
    taken = np.zeros(len(points), dtype=bool)
    for region in file.regions.values():
        inside = (region.core_shape.signed_distance(points) < 0) & ~taken
        taken |= inside
        if region.pressure is not None:
            pressure[inside] = evaluate(region.pressure.formula, points[inside])
        if region.density is not None:
            density[inside] = evaluate(region.density, points[inside])
    gamma = gamma_of(file)
    with np.errstate(invalid="ignore", divide="ignore"):  # what is not positive is told of elsewhere
        sound: NDArray[np.float64] = np.sqrt(gamma * pressure / density)
    return sound


def _estimates(file: WorldFile, samples: Samples) -> Iterator[tuple[float, str]]:
    """Speeds [m/s] that the world may reach, each with its reason."""
    if file.start.velocity is not None and len(samples.points):
        value = float(speed(file.start.velocity, samples.points).max())
        yield value, f"start.velocity reaches {rounded(value)} m/s"
    for index, name in enumerate(SIDES[: 2 * file.dimensions]):
        side = file.boundaries.side(name)
        if isinstance(side, Wall) and side.velocity is not None:
            points = face(file, index)
            moments = times(side.velocity, file.time.end)
            value = max(float(speed(side.velocity, points, t).max()) for t in moments)
            yield value, f"the wall {name} moves at {rounded(value)} m/s"
    for name, body in file.bodies.items():
        if body.motion is not None:
            value = top_speed(body, file)
            yield value, f"bodies.{name} moves at {rounded(value)} m/s"
    for opening in faces(file):
        if opening.is_inflow:
            velocity, points = opening.velocity(file.dimensions), opening.points(file.dimensions)
            value = max(float(speed(velocity, points, t).max()) for t in times(velocity, file.time.end))
            reason = f"the {opening.kind} {opening.name} reaches {rounded(value)} m/s"
            if file.bodies:
                yield AROUND_BODIES * value, f"{reason}, times 1.5 around bodies"
            else:
                yield value, reason
    for axis, name in enumerate("xyz"[: file.dimensions]):
        if file.domain.gravity is not None and file.domain.gravity[axis] != 0:
            g = file.domain.gravity[axis]
            low, high = corners(file)  # the fluid may fall as far as the domain goes
            height = samples.high[axis] - low[axis] if g < 0 else high[axis] - samples.low[axis]
            yield _driven(file, abs(g), axis, height, f"gravity along {name}")
        if file.domain.body_force is not None and len(samples.points):
            formula = file.domain.body_force[axis]
            force = max(
                float(np.abs(evaluate(formula, samples.points, t)).max())
                for t in times([formula], file.time.end)
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
    """True if both sides across `axis` are no-slip walls."""
    both = [file.boundaries.side(SIDES[2 * axis + end]) for end in (0, 1)]
    return all(isinstance(side, Wall) and not side.slip for side in both)
