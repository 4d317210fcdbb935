"""Series made of several places that the core samples: patches, pressure drops, lines and profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eddyline.world.patches import places_of, shares_left
from eddyline.world.profiles import column_names
from eddyline.world.quantities import DERIVED
from eddyline.world.schema import Line, Patch, PressureDrop, Profile, Torque
from eddyline.world.shapes import vec3

if TYPE_CHECKING:
    from eddyline.world import World

Floats = NDArray[np.float64]
Series = tuple[Sequence[str], Sequence[str], Floats]  # columns, units, (rows, columns)


def derive(world: World, series: Mapping[str, Series]) -> dict[str, Series]:
    """The series as a run keeps them: the probes of a patch, a pressure drop, a line or a profile become one
    series of its name."""
    out = dict(series)
    for name, observer in world.observers.items():
        if isinstance(observer, Patch):
            shares = shares_left(places_of(observer, world.file), world.file)
            out[name] = _mean_over([out.pop(f"{name}.{k}") for k in range(len(shares))], shares)
        elif isinstance(observer, Torque):
            if f"force.{observer.body}" in series:  # bodies may be removed from a run
                out[name] = _torque_about(world, observer, series[f"force.{observer.body}"])
        elif isinstance(observer, Profile):
            shares = shares_left(np.array(observer.places), world.file)
            out[name] = _along_line(observer, [out.pop(f"{name}.{k}") for k in range(len(shares))], shares)
        elif isinstance(observer, PressureDrop | Line):
            places = observer.places
            parts = [out.pop(f"{name}.{k}") for k in range(len(places))]
            time = parts[0][2][:, 0]
            if isinstance(observer, PressureDrop):
                first, second = (_column(part, "pressure") for part in parts)
                out[name] = _table(PressureDrop, np.stack([time, first - second], axis=1))
            else:
                axis = np.array(places[-1]) - np.array(places[0])
                speeds = _along(parts, axis / np.linalg.norm(axis))
                distances = np.linspace(0.0, float(np.linalg.norm(axis)), len(places))
                lengths = np.array([recirculation_length(distances, row) for row in speeds])
                out[name] = _table(Line, np.stack([time, lengths], axis=1))
    return out


def _torque_about(world: World, observer: Torque, force: Series) -> Series:
    """The torque on a body about a point, from that about its own pivot: the force at the pivot does the
    rest."""
    columns, units, rows = force
    names = [column for column in columns if column.startswith("torque")]
    body = next(body for body in world.core.bodies if body.name == observer.body)
    time = rows[:, 0]
    if body.motion is not None:
        start = np.array([body.motion.pivot])
        own = np.array([body.motion.place(start, float(t))[0] for t in time]).reshape(-1, 3)
    else:
        low, high = (np.array(corner) for corner in body.shape.bounds)
        own = np.broadcast_to(0.5 * (low + high), (len(rows), 3))
    total = np.zeros((len(rows), 3))
    for axis in range(world.dimensions):
        total[:, axis] = _column(force, f"total_{'xyz'[axis]}")
    moved = np.cross(own - np.array(vec3(observer.pivot)), total)
    about = np.stack([_column(force, name) for name in names], axis=1)
    about = about + (moved if len(names) == 3 else moved[:, 2:])
    unit = units[list(columns).index(names[0])]
    return ("time", *names), ("s", *[unit] * len(names)), np.column_stack([time, about])


def _mean_over(parts: Sequence[Series], shares: Floats) -> Series:
    """The mean pressure over the places of a patch, and which share of them is wet.

    A place is wet where fluid fills at least half of what walls and bodies leave. shares: (n,) what they
    leave of the neighbourhood of each place.
    """
    pressures = np.stack([_column(part, "pressure") for part in parts], axis=1)
    wet = np.stack([_column(part, "fluid_fraction") for part in parts], axis=1) >= 0.5 * shares
    pressure = np.where(wet, pressures, 0.0).mean(axis=1)
    table = np.stack([parts[0][2][:, 0], pressure, wet.mean(axis=1)], axis=1)
    return _table(Patch, table)


def _along_line(profile: Profile, parts: Sequence[Series], shares: Floats) -> Series:
    """The values of a profile, a column for each place; NaN where fluid fills less than half of what walls
    and bodies leave. shares: as in _mean_over."""
    wet = np.stack([_column(part, "fluid_fraction") for part in parts], axis=1) >= 0.5 * shares
    if profile.quantity == "speed":
        axes = [column for column in parts[0][0] if column.startswith("velocity_")]
        squares = sum(np.stack([_column(part, axis) for part in parts], axis=1) ** 2 for axis in axes)
        values = np.sqrt(squares)
    else:
        values = np.stack([_column(part, profile.quantity) for part in parts], axis=1)
    table = np.column_stack([parts[0][2][:, 0], np.where(wet, values, np.nan)])
    return ("time", *column_names(profile)), ("s", *[profile.unit] * len(parts)), table


def recirculation_length(distances: Floats, speeds: Floats) -> float:
    """Length of the recirculation from the start of a line [m]: from the strongest backward flow on, the
    first place where the speed along the line turns positive, between two points by a straight line.

    distances: (n,) from the start [m].  speeds: (n,) along the line [m/s], not finite where there is no
    fluid. 0 if nothing flows back; NaN if the fluid flows back at the end of the line, too.
    """
    known = np.isfinite(speeds)
    distances, speeds = distances[known], speeds[known]
    if not len(speeds) or speeds.min() >= 0:
        return 0.0
    strongest = int(np.argmin(speeds))
    turned = np.flatnonzero(speeds[strongest:] >= 0)
    if not len(turned):
        return float("nan")
    k = strongest + int(turned[0])
    share = -speeds[k - 1] / (speeds[k] - speeds[k - 1])
    return float(distances[k - 1] + share * (distances[k] - distances[k - 1]))


def _table(kind: type[Patch | PressureDrop | Line], rows: Floats) -> Series:
    """A series of an observer that is derived from others; the first column is the time."""
    names, units = zip(("time", "s"), *DERIVED[kind], strict=True)
    return names, units, rows


def _column(series: Series, name: str) -> Floats:
    columns, _, rows = series
    values: Floats = rows[:, list(columns).index(name)]
    return values


def _along(parts: Sequence[Series], direction: Floats) -> Floats:
    """(rows, places) the velocity of probes along a direction [m/s]; NaN where there is no fluid."""
    columns = list(parts[0][0])
    values = np.stack([rows for _, _, rows in parts], axis=1)  # (rows, places, columns)
    axes = [axis for axis in range(3) if f"velocity_{'xyz'[axis]}" in columns]
    speed = sum(direction[axis] * values[..., columns.index(f"velocity_{'xyz'[axis]}")] for axis in axes)
    found: Floats = np.where(values[..., columns.index("fluid_fraction")] > 0, speed, np.nan)
    return found
