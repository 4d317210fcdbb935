"""The tables [bodies] and [regions]: what each shape has besides its measures."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, PrivateAttr, StrictBool, ValidationInfo, create_model, model_validator

from ... import _core
from ..values import Context, FieldFormula, Positive, PressureValue
from .friction import FRICTION, ROUGHNESS, Friction, check_friction
from .motion import Motion
from .sections import Naca, Profile, Wing
from .simple import Box, Circle, Cylinder, Line, Polygon, Rectangle, Sphere
from .table import ShapeTable, Vec3, vec3

_ZERO = _core.Formula("0", ())


class Body(ShapeTable):
    """A solid thing in the fluid, at rest unless it has a motion."""

    slip: StrictBool = Field(default=False, description="True: no friction; default no-slip.")
    friction: Friction | None = Field(default=None, description=FRICTION, examples=[0.003, "log"])
    roughness: Positive | None = Field(default=None, description=ROUGHNESS)
    motion: Motion | None = Field(
        default=None, description="Motion of the body, a table, see below; default at rest."
    )
    _core_motion: _core.Motion | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _slip_or_friction(self) -> Body:
        check_friction(self)
        return self

    @property
    def core_motion(self) -> _core.Motion | None:
        """The motion as the core takes it; None of a body at rest."""
        if self.motion is not None and self._core_motion is None:
            low, high = self.core_shape.bounds
            motion = _core.Motion()
            formulas = self.motion.displacement or ()
            motion.displacement = [*formulas, *[_ZERO] * (3 - len(formulas))]
            motion.rotation = self.motion.rotation or _ZERO
            middle = tuple((a + b) / 2 for a, b in zip(low, high, strict=True))
            motion.pivot = vec3(self.motion.pivot or middle)
            motion.axis = vec3(self.motion.axis or (0.0, 0.0, 1.0))
            self._core_motion = motion
        return self._core_motion


class Region(ShapeTable):
    """A part of the domain that holds fluid at the start."""

    pressure: PressureValue | None = Field(
        default=None, description='"hydrostatic" or a formula [Pa]; default start.pressure.'
    )
    density: FieldFormula | None = Field(
        default=None, description="Density [kg/m^3], a formula of x, y, z; gas only; default start.density."
    )


class FormulaRegion(Region):
    """The part of the domain where a condition on x, y and z holds, e.g. below a wave; regions only.
    Hydrostatic pressure is then that of the column above each point, against gravity, up to where the
    condition fails."""

    shape: Literal["formula"]
    inside: FieldFormula = Field(
        description="Condition for fluid, a formula of x, y, z and [let] values.",
        examples=["y < 0.2 + 0.01*cos(pi*x)"],
    )
    _box: tuple[Vec3, Vec3] = PrivateAttr(((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    _dimensions: int = PrivateAttr(2)

    def make(self) -> _core.Shape:
        return _core.formula_region(self.inside, *self._box, self._dimensions)

    @model_validator(mode="after")
    def _can_be_made(self, info: ValidationInfo) -> FormulaRegion:
        context = info.context
        if isinstance(context, Context) and context.box is not None and context.dimensions is not None:
            low, high = context.box
            self._box, self._dimensions = (vec3(low), vec3(high)), context.dimensions
        self._core_shape = self.make()
        return self


SHAPES: dict[str, type[ShapeTable]] = {
    "circle": Circle,
    "rectangle": Rectangle,
    "polygon": Polygon,
    "naca": Naca,
    "profile": Profile,
    "line": Line,
    "sphere": Sphere,
    "box": Box,
    "cylinder": Cylinder,
    "wing": Wing,
}
BODIES = {
    name: create_model(f"Body{shape.__name__}", __base__=(shape, Body)) for name, shape in SHAPES.items()
}
REGIONS = {
    name: create_model(f"Region{shape.__name__}", __base__=(shape, Region)) for name, shape in SHAPES.items()
} | {"formula": FormulaRegion}

if TYPE_CHECKING:
    BodyTable = Body
    RegionTable = Region
else:
    BodyTable = Annotated[reduce(or_, BODIES.values()), Field(discriminator="shape")]
    RegionTable = Annotated[reduce(or_, REGIONS.values()), Field(discriminator="shape")]
