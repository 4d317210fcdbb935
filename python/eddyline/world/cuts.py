"""The plane that pictures of a three-dimensional flow show, if they do not show it from outside."""

from __future__ import annotations

from dataclasses import dataclass

from .openings import faces
from .samples import corners
from .schema import WorldFile


@dataclass(frozen=True)
class CutPlane:
    """axes: those that pictures show to the right and upwards, and the normal, along which it is `at` [m]."""

    axes: tuple[int, int, int]
    at: float

    def __str__(self) -> str:
        return f"{'xyz'[self.axes[2]]} = {self.at:.4g} m"


def cut_of(file: WorldFile) -> CutPlane | None:
    """The plane of `output.cut`. By default fluid without a free surface is cut along the stream, through the
    middle of the first body at rest or else of the domain. None: nothing is cut."""
    cut = file.output.cut
    if file.dimensions == 2 or (file.has_free_surface if cut is None else cut.normal == "none"):
        return None
    up = _up(file)
    normal = "xyz".index(cut.normal) if cut is not None else 3 - up - _stream(file, up)
    across = [axis for axis in range(3) if axis != normal]
    right, upwards = across if up not in across else (sum(across) - up, up)
    return CutPlane(
        (right, upwards, normal), _middle(file, normal) if cut is None or cut.at is None else cut.at
    )


def _up(file: WorldFile) -> int:
    gravity = [abs(value) for value in file.domain.gravity or (0.0, 1.0, 0.0)]
    return gravity.index(max(gravity)) if any(gravity) else 1


def _stream(file: WorldFile, up: int) -> int:
    """The axis other than `up` along which fluid enters the domain, else the longest side."""
    entered = [face.axis for face in faces(file) if face.is_inflow and face.axis != up]
    level = [axis for axis in range(3) if axis != up]
    return entered[0] if entered else max(level, key=lambda axis: file.domain.size[axis])


def _middle(file: WorldFile, normal: int) -> float:
    low, high = corners(file)
    for body in file.bodies.values():
        if body.motion is None:
            low, high = body.core_shape.bounds
            break
    return 0.5 * (low[normal] + high[normal])
