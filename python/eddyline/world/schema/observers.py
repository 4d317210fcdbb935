"""The table [observe]: measurements, by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, ValidationInfo, model_validator

from ..shapes import Table, Vec3, dimensions_of_space, vec3
from ..values import Count, Number, OneLine, Positive, Vector, wrong_table

AxisName = Literal["x", "y", "z"]


class Observer(Table):
    @property
    def marks(self) -> dict[str, tuple[float, ...]]:
        """The places that it names, by their keys [m]."""
        fields = type(self).model_fields.items()
        values = {field.alias or name: getattr(self, name) for name, field in fields}
        return {key: value for key, value in values.items() if isinstance(value, tuple)}


class Probe(Observer):
    """Pressure and velocity at one place."""

    type: Literal["probe"]
    position: Vector = Field(description="Position [m].", examples=[[0.1, 0.1]])


class Gauge(Observer):
    """The height of the free surface above one place."""

    type: Literal["gauge"]
    position: Vector = Field(description="Foot of the gauge [m].", examples=[[0.1, 0.0]])
    axis: AxisName | None = Field(
        default=None,
        description="Axis along which the height is measured; default that of gravity, or y without gravity.",
    )


class Front(Observer):
    """The position of the foremost fluid along an axis."""

    type: Literal["front"]
    axis: AxisName = Field(default="x", description="The axis.")


class Particle(Observer):
    """One particle of the fluid, wherever it goes: its position, velocity, speed, density and pressure. For
    the solvers sph and mps."""

    type: Literal["particle"]
    position: Vector | None = Field(
        default=None,
        description="Position [m] to which the particle is nearest at the start, before any time of "
        "settling; of several, the one with the smallest id.",
        examples=[[0.1, 0.1]],
    )
    id: Annotated[Count, Field(lt=2**63)] | None = Field(
        default=None,
        description="Id of the particle, instead of its position; the lab and snapshots show ids.",
        examples=[39321600],
    )

    @model_validator(mode="after")
    def _is_one_particle(self) -> Particle:
        if (self.position is None) == (self.id is None):
            found = "neither position nor id" if self.id is None else "position and id"
            raise wrong_table(f"has {found}; must have one of them. Write one")
        return self


class Patch(Observer):
    """The mean pressure over a flat sensor, a line in 2D and a disc in 3D, and its wetted share. The pressure
    of dry parts counts as 0. Sampled at points at most half a spacing apart."""

    type: Literal["patch"]
    position: Vector = Field(description="Centre of the sensor [m].", examples=[[0.1, 0.0]])
    normal: Vector | None = Field(
        default=None,
        description="Normal direction, of any length; default that of the side of the domain at the centre.",
    )
    diameter: Positive = Field(description="Diameter of the sensor; in 2D its length [m].", examples=[0.03])

    @model_validator(mode="after")
    def _has_direction(self) -> Patch:
        if self.normal is not None and not any(self.normal):
            raise wrong_table("has a normal of length 0; must have a direction. Change it")
        return self

    @property
    def marks(self) -> dict[str, tuple[float, ...]]:
        return {"position": self.position}


class PressureDrop(Observer):
    """The pressure at one place minus that at another."""

    type: Literal["pressure_drop"]
    from_: Vector = Field(alias="from", description="First point [m].", examples=[[0.1, 0.2]])
    to: Vector = Field(description="Second point [m].", examples=[[0.3, 0.2]])

    @model_validator(mode="after")
    def _has_two_places(self) -> PressureDrop:
        _two_places(self)
        return self

    @property
    def places(self) -> list[Vec3]:
        return [vec3(self.from_), vec3(self.to)]


class Line(Observer):
    """The velocity along a straight line: how far from its start fluid flows back towards the start."""

    type: Literal["line"]
    from_: Vector = Field(
        alias="from", description="Start [m], e.g. the rear of a body.", examples=[[0.3, 0.2]]
    )
    to: Vector = Field(description="End [m].", examples=[[0.8, 0.2]])
    points: Annotated[Count, Field(ge=3, le=1000)] = Field(
        default=100, description="Number of points at equal distances, ends included."
    )

    @model_validator(mode="after")
    def _has_length(self) -> Line:
        _two_places(self)
        return self

    @property
    def places(self) -> list[Vec3]:
        return _places_between(self.from_, self.to, self.points)


class Profile(Observer):
    """A quantity along a straight line, at each row of the series; it has no value where there is no
    fluid."""

    type: Literal["profile"]
    from_: Vector = Field(alias="from", description="Start [m].", examples=[[0.5, 0.0]])
    to: Vector = Field(description="End [m].", examples=[[0.5, 1.0]])
    points: Annotated[Count, Field(ge=3, le=1000)] = Field(
        default=65, description="Number of points at equal distances, ends included."
    )
    quantity: Literal["velocity_x", "velocity_y", "velocity_z", "speed", "pressure"] = Field(
        description="Sampled quantity; velocity_z in 3D only.", examples=["velocity_x"]
    )

    @model_validator(mode="after")
    def _has_length(self, info: ValidationInfo) -> Profile:
        _two_places(self)
        if self.quantity == "velocity_z" and dimensions_of_space(info) == 2:
            raise wrong_table(
                'has quantity = "velocity_z", but this world is 2D. Write quantity = "velocity_x"'
            )
        return self

    @property
    def places(self) -> list[Vec3]:
        return _places_between(self.from_, self.to, self.points)

    @property
    def unit(self) -> str:
        return "Pa" if self.quantity == "pressure" else "m/s"


class Torque(Observer):
    """The torque of the fluid on a body about a fixed point."""

    type: Literal["torque"]
    body: OneLine = Field(description="The name of the body.", examples=["cylinder"])
    pivot: Vector = Field(description="The point [m], anywhere.", examples=[[0.1, 0.1]])


class Isosurface(Observer):
    """The surface of the fluid, or that on which another quantity has a value, as triangles in the folder of
    the run. 3D only."""

    type: Literal["isosurface"]
    quantity: OneLine = Field(
        default="fluid",
        max_length=500,
        description="Quantity: `fluid` (1 in the fluid, 0 outside), speed, velocity_x, velocity_y, "
        "velocity_z, pressure, density, vorticity and strain (magnitudes) or q (the Q criterion); or a "
        "formula of these and of values of [let].",
        examples=["vorticity - 2*strain"],
    )
    value: Number | None = Field(
        default=None, description="Value of the quantity on the surface; default 0.5 for `fluid`."
    )
    values: Annotated[list[Number], Field(min_length=1, max_length=16)] | None = Field(
        default=None, description="Several values, one surface for each.", examples=[[100.0, 200.0]]
    )
    resolution: Annotated[Positive, Field(ge=0.25, le=8)] = Field(
        default=1.0, description="Distance of the points at which the quantity is computed, in spacings."
    )
    every: Positive | None = Field(
        default=None, description="Interval between surfaces [s]; default that of the pictures."
    )
    color: OneLine | None = Field(
        default=None,
        max_length=500,
        description="A second quantity or formula, stored for each vertex in 8 bits.",
        examples=["speed"],
    )

    @model_validator(mode="after")
    def _has_values(self, info: ValidationInfo) -> Isosurface:
        if dimensions_of_space(info) == 2:
            raise wrong_table("is an isosurface, but this world is 2D; surfaces need 3D. Remove it")
        if self.value is not None and self.values is not None:
            raise wrong_table("has value and values; must have one of them. Remove one")
        return self

    @property
    def marks(self) -> dict[str, tuple[float, ...]]:
        return {}

    @property
    def levels(self) -> list[float]:
        if self.values is not None:
            return self.values
        return [0.5 if self.value is None else self.value]


def _two_places(observer: PressureDrop | Line | Profile) -> None:
    if observer.from_ == observer.to:
        raise wrong_table("has the same point as from and to; must be two different points. Change one")


def _places_between(first: Sequence[float], last: Sequence[float], points: int) -> list[Vec3]:
    """Places at equal distances from one to the other [m], ends included."""
    start, end = vec3(first), vec3(last)
    shares = [k / (points - 1) for k in range(points)]
    x, y, z = ([a + share * (b - a) for share in shares] for a, b in zip(start, end, strict=True))
    return list(zip(x, y, z, strict=True))


OBSERVERS: dict[str, type[Observer]] = {
    "probe": Probe,
    "gauge": Gauge,
    "front": Front,
    "particle": Particle,
    "patch": Patch,
    "pressure_drop": PressureDrop,
    "line": Line,
    "profile": Profile,
    "torque": Torque,
    "isosurface": Isosurface,
}

if TYPE_CHECKING:
    ObserverTable = (
        Probe | Gauge | Front | Particle | Patch | PressureDrop | Line | Profile | Torque | Isosurface
    )
else:
    ObserverTable = Annotated[reduce(or_, OBSERVERS.values()), Field(discriminator="type")]
