"""The table of a body's motion."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, ValidationInfo, model_validator

from ..problems import listed, shown
from ..values import TimeFormula, TimeVector, Vector, wrong, wrong_table
from .table import Table, dimensions_of_space


def _in_space(value: Any, info: ValidationInfo) -> Any:
    if dimensions_of_space(info) == 2:
        raise wrong("bodies of a 2D world rotate about z. Remove it")
    return value


class Motion(Table):
    """Motion of a body, by formulas of t. Both are 0 at t = 0: the shape gives the place at the start."""

    displacement: TimeVector | None = Field(
        default=None,
        description="Displacement from the position at t = 0 [m], formulas of t.",
        examples=[["0.1*sin(2*pi*t)", 0]],
    )
    rotation: TimeFormula | None = Field(
        default=None,
        description="Rotation anticlockwise about the pivot [rad], a formula of t.",
        examples=["2*t"],
    )
    pivot: Vector | None = Field(
        default=None,
        description="Centre of rotation at t = 0 [m]; it moves with the displacement. Default the "
        "middle of the bounding box.",
    )
    axis: Annotated[Vector, BeforeValidator(_in_space)] | None = Field(
        default=None, description="Direction of the rotation axis, 3D only.", examples=[[0, 0, 1]]
    )

    @model_validator(mode="after")
    def _complete(self, info: ValidationInfo) -> Motion:
        if self.displacement is None and self.rotation is None:
            raise wrong_table("has neither displacement nor rotation. Add one of them, or remove the table")
        around = [key for key in ("pivot", "axis") if getattr(self, key) is not None]
        if around and self.rotation is None:
            raise wrong_table(f"has {listed(around)} without rotation. Add rotation, or remove {around[0]}")
        if self.axis is not None and not any(self.axis):
            raise wrong_table(f"has axis = {shown(self.axis)}, but its length is 0. Change it")
        if self.rotation is not None and self.axis is None and dimensions_of_space(info) == 3:
            raise wrong_table("has rotation without axis, which 3D requires. Add axis = [0, 0, 1]")
        return self
