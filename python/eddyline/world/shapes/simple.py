"""Shapes that a few numbers describe: circles, boxes, polygons and others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from ... import _core
from ..problems import listed, shown
from ..values import Lengths, Number, Positive, Vector, wrong_table
from .table import ShapeTable, vec3


class Circle(ShapeTable):
    instead: ClassVar[str] = '"sphere" or "cylinder"'
    shape: Literal["circle"]
    center: Vector = Field(description="Centre [m].", examples=[[0.2, 0.2]])
    diameter: Positive = Field(description="Diameter [m].", examples=[0.1])

    def make(self) -> _core.Shape:
        return _core.circle(vec3(self.center), self.diameter)

    @property
    def measures(self) -> tuple[float, ...]:
        return (*vec3(self.center), self.diameter)


class Rectangle(ShapeTable):
    """Given by min and max, or by center and size; then turned by angle about its centre."""

    instead: ClassVar[str] = '"box"'
    shape: Literal["rectangle"]
    min: Vector | None = Field(default=None, description="Lower left corner [m], with max.")
    max: Vector | None = Field(default=None, description="Upper right corner [m], with min.")
    center: Vector | None = Field(default=None, description="Centre [m], with size.")
    size: Lengths | None = Field(default=None, description="Width and height [m], with center.")
    angle: Number = Field(default=0.0, description="Rotation anticlockwise about its centre [degrees].")

    def corners(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Lower left and upper right, before it is turned [m]."""
        given = [key for key in ("min", "max", "center", "size") if getattr(self, key) is not None]
        if given == ["min", "max"] and self.min is not None and self.max is not None:
            return self.min, self.max
        if given == ["center", "size"] and self.center is not None and self.size is not None:
            pairs = list(zip(self.center, self.size, strict=True))
            return tuple(c - s / 2 for c, s in pairs), tuple(c + s / 2 for c, s in pairs)
        found = listed(given) if given else "none of them"
        raise wrong_table(f"needs min and max, or center and size; it has {found}")

    def make(self) -> _core.Shape:
        low, high = self.corners()
        _check_corners(low, high)
        return _core.rectangle(vec3(low), vec3(high), math.radians(self.angle))

    @property
    def measures(self) -> tuple[float, ...]:
        low, high = self.corners()
        return (*vec3(low), *vec3(high), math.radians(self.angle))


class Polygon(ShapeTable):
    instead: ClassVar[str] = '"box"'
    shape: Literal["polygon"]
    points: tuple[Vector, ...] = Field(
        min_length=3,
        description="Corners in order [m], at least three.",
        examples=[[[0, 0], [1, 0], [0.5, 1]]],
    )

    def make(self) -> _core.Shape:
        return _core.polygon([vec3(point) for point in self.points])

    @property
    def measures(self) -> tuple[float, ...]:
        return tuple(number for point in self.points for number in vec3(point))


class Line(ShapeTable):
    """A segment with thickness and round ends."""

    instead: ClassVar[str] = '"cylinder"'
    shape: Literal["line"]
    from_: Vector = Field(alias="from", description="First end [m].", examples=[[0, 0]])
    to: Vector = Field(description="Second end [m].", examples=[[1, 0]])
    thickness: Positive = Field(description="Thickness [m].", examples=[0.01])

    def make(self) -> _core.Shape:
        _check_ends(self.from_, self.to)
        return _core.line(vec3(self.from_), vec3(self.to), self.thickness)

    @property
    def measures(self) -> tuple[float, ...]:
        return (*vec3(self.from_), *vec3(self.to), self.thickness)


class Sphere(ShapeTable):
    dimensions: ClassVar[int] = 3
    instead: ClassVar[str] = '"circle"'
    shape: Literal["sphere"]
    center: Vector = Field(description="Centre [m].", examples=[[0.2, 0.2, 0.2]])
    diameter: Positive = Field(description="Diameter [m].", examples=[0.1])

    def make(self) -> _core.Shape:
        return _core.sphere(vec3(self.center), self.diameter)

    @property
    def measures(self) -> tuple[float, ...]:
        return (*vec3(self.center), self.diameter)


class Box(ShapeTable):
    dimensions: ClassVar[int] = 3
    instead: ClassVar[str] = '"rectangle"'
    shape: Literal["box"]
    min: Vector = Field(description="Lowest corner [m].", examples=[[0, 0, 0]])
    max: Vector = Field(description="Highest corner [m].", examples=[[1, 1, 1]])

    def make(self) -> _core.Shape:
        _check_corners(self.min, self.max)
        return _core.box(vec3(self.min), vec3(self.max))

    @property
    def measures(self) -> tuple[float, ...]:
        return (*vec3(self.min), *vec3(self.max))


class Cylinder(ShapeTable):
    dimensions: ClassVar[int] = 3
    instead: ClassVar[str] = '"circle"'
    shape: Literal["cylinder"]
    from_: Vector = Field(alias="from", description="Centre of the first end [m].", examples=[[0.2, 0.2, 0]])
    to: Vector = Field(description="Centre of the second end [m].", examples=[[0.2, 0.2, 1]])
    diameter: Positive = Field(description="Diameter [m].", examples=[0.1])

    def make(self) -> _core.Shape:
        _check_ends(self.from_, self.to)
        return _core.cylinder(vec3(self.from_), vec3(self.to), self.diameter)

    @property
    def measures(self) -> tuple[float, ...]:
        return (*vec3(self.from_), *vec3(self.to), self.diameter)


def _check_corners(low: Sequence[float], high: Sequence[float]) -> None:
    if any(a >= b for a, b in zip(low, high, strict=False)):
        raise wrong_table(
            f"has min = {shown(low)} and max = {shown(high)}; min must lie below max in every direction"
        )


def _check_ends(from_: Sequence[float], to: Sequence[float]) -> None:
    if tuple(from_) == tuple(to):
        raise wrong_table(
            f"has from = {shown(from_)} and to = {shown(to)}; they must be two different points"
        )
