"""The tables [domain], [reference] and [time]."""

from __future__ import annotations

from pydantic import Field, ValidationInfo, model_validator

from ..shapes import Table, dimensions_of_space
from ..values import FieldVector, Lengths, Positive, Vector, wrong_table


class Domain(Table):
    """The computational domain, a box."""

    size: Lengths = Field(
        description="Lengths of the sides [m]; two numbers: 2D, three: 3D.", examples=[[1.0, 0.5]]
    )
    spacing: Positive = Field(
        description="Initial distance of neighbouring particles, or edge of a cell [m].", examples=[0.01]
    )
    origin: Vector | None = Field(default=None, description="Lowest corner [m]; default 0.")
    gravity: Vector | None = Field(default=None, description="Acceleration of gravity [m/s^2]; default none.")
    body_force: FieldVector | None = Field(
        default=None, description="Additional acceleration [m/s^2], a formula of x, y, z, t."
    )


class Reference(Table):
    """Reference values of the Reynolds number, coefficients and Strouhal numbers; they change nothing
    else."""

    velocity: Positive = Field(description="Reference velocity [m/s].", examples=[1.0])
    length: Positive = Field(description="Reference length [m].", examples=[0.1])
    area: Positive | None = Field(
        default=None, description="Reference area [m^2], 3D only: required for force coefficients."
    )

    @model_validator(mode="after")
    def _area_in_space(self, info: ValidationInfo) -> Reference:
        if self.area is not None and dimensions_of_space(info) == 2:
            raise wrong_table("has area, but force coefficients of a 2D world use length. Remove area")
        return self


class Time(Table):
    end: Positive = Field(description="End of the run [s].", examples=[1.0])
