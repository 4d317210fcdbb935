"""Rules of a free stream: sides of type stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .problems import Found, rounded, shown
from .samples import corners
from .schema import SIDES, Outflow, Stream, WorldFile
from .shapes import vec3
from .sph_options import SphOptions

if TYPE_CHECKING:
    from .openings import Face


NEAREST = 3.0
"""Distance of a body from a stream side, in sizes of the body, below which its far field does not tell the
flow there."""


def stream_problems(file: WorldFile, found: list[Face]) -> Found:
    """As (path, text of the line): of worlds with a side of type stream."""
    streams = [face for face in found if face.is_stream]
    if not streams:
        return
    first = streams[0]
    key = f"boundaries.{first.name}"
    if file.dimensions != 2 and isinstance(file.method, SphOptions):
        yield (
            first.path,
            f'{key} is a stream; only 2D worlds know one. Write {{ type = "inflow", velocity = ... }}.',
        )
        return
    if file.has_free_surface:
        text = f"{key} is a stream, and the fluid has a free surface; a stream fills its domain. Remove "
        yield first.path, text + ("[regions]." if file.regions else "the side of type open.")
        return
    force = next((name for name in ("gravity", "body_force") if getattr(file.domain, name) is not None), None)
    if force is not None:
        text = f"domain.{force} drives the fluid, but {key} is a stream, which nothing drives. Remove one."
        yield ("domain", force), text
    yield from _velocities(streams)
    if isinstance(file.method, SphOptions):
        yield from _around(file, streams)


def _velocities(streams: list[Face]) -> Found:
    """One stream."""
    first = streams[0]
    assert isinstance(first.table, Stream)
    velocity = first.table.velocity
    if not any(velocity):
        yield (
            (*first.path, "velocity"),
            f"boundaries.{first.name}.velocity = {shown(velocity)}; a stream must flow. Write a velocity, or "
            'type = "wall", slip = true.',
        )
    for face in streams[1:]:
        if isinstance(face.table, Stream) and face.table.velocity != velocity:
            yield (
                (*face.path, "velocity"),
                f"boundaries.{face.name}.velocity = {shown(face.table.velocity)}, that of {first.name} is "
                f"{shown(velocity)}; all sides of one stream must have the same. Change one.",
            )


def _around(file: WorldFile, streams: list[Face]) -> Found:
    """It leaves through an outflow, as it carries wakes, and is on all other sides."""
    table = streams[0].table
    assert isinstance(table, Stream)
    velocity = np.array(table.velocity)
    if not velocity.any():
        return
    axis = int(np.argmax(np.abs(velocity)))
    way_out = SIDES[2 * axis + (1 if velocity[axis] > 0 else 0)]
    for name in SIDES[:4]:
        side, wanted = file.boundaries.side(name), "outflow" if name == way_out else "stream"
        if isinstance(side, Outflow if name == way_out else Stream):
            continue
        why = "towards which the stream flows" if name == way_out else "beside or before a stream"
        value = f", velocity = {shown(table.velocity)}" if wanted == "stream" else ""
        yield (
            ("boundaries", name),
            f'boundaries.{name}.type = "{side.type}"; the side {why} must be {wanted}. Write {name} = '
            f'{{ type = "{wanted}"{value} }}.',
        )


def stream_notes(file: WorldFile) -> Iterator[str]:
    """Notes on bodies in a stream."""
    streams = [name for name in SIDES[:4] if isinstance(file.boundaries.side(name), Stream)]
    if not streams:
        return
    low, high = corners(file)
    for name, body in file.bodies.items():
        lowest, highest = (vec3(corner) for corner in body.core_shape.bounds)
        size = max(highest[k] - lowest[k] for k in range(2))
        gaps = {
            side: (lowest[k // 2] - low[k // 2]) if k % 2 == 0 else (high[k // 2] - highest[k // 2])
            for k, side in enumerate(SIDES[:4])
            if side in streams
        }
        nearest = min(gaps, key=lambda side: gaps[side])
        if gaps[nearest] < NEAREST * size:
            yield (
                f"bodies.{name} is {rounded(gaps[nearest] / size, 2)} of its sizes from the stream side "
                f"{nearest}, where the flow is taken for that far from it; let there be "
                f"{rounded(NEAREST)} or more."
            )
