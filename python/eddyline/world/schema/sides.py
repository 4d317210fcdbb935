"""The tables [boundaries] and [openings]: walls, and where fluid enters and leaves."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, StrictBool, ValidationInfo, model_validator

from ... import _core
from ..problems import listed
from ..shapes import FRICTION, ROUGHNESS, Friction, Table, check_friction, dimensions_of_space
from ..values import FieldFormula, FieldVector, InflowVelocity, Positive, Vector, wrong_table

SIDES: tuple[str, ...] = _core.SIDES
"""The sides of the domain, in the core's order: low and high x, low and high y, low and high z."""


class Wall(Table):
    """A solid side."""

    type: Literal["wall"]
    slip: StrictBool = Field(default=False, description="True: no friction; default no-slip.")
    friction: Friction | None = Field(default=None, description=FRICTION, examples=[0.003, "log"])
    roughness: Positive | None = Field(default=None, description=ROUGHNESS)
    velocity: FieldVector | None = Field(
        default=None, description="Velocity of the wall in its own plane [m/s], a formula of x, y, z, t."
    )

    @model_validator(mode="after")
    def _slip_or_friction(self) -> Wall:
        check_friction(self)
        return self

    @model_validator(mode="after")
    def _slip_or_velocity(self) -> Wall:
        if self.slip and self.velocity is not None:
            raise wrong_table(
                "has slip = true and velocity; a wall without friction moves no fluid. Remove one of them"
            )
        return self

    @property
    def slides(self) -> bool:
        """True if it ever moves in its plane."""
        velocity = self.velocity or ()
        return any(not part.is_constant or part.evaluate({}) != 0 for part in velocity)


class Periodic(Table):
    """Fluid that leaves here enters on the opposite side, which must also be periodic."""

    type: Literal["periodic"]


class Open(Table):
    """An open side (air). Fluid may leave and return; it is not shown outside the domain and is removed half
    a domain length away. Walls and bodies continue up to there."""

    type: Literal["open"]


class Inflow(Table):
    """Fluid enters with a given velocity."""

    type: Literal["inflow"]
    velocity: InflowVelocity = Field(
        description="Velocity of the entering fluid [m/s], formulas of x, y, z, t: a vector, or one "
        "component along the normal into the domain.",
        examples=[1.0],
    )
    pressure: FieldFormula | None = Field(
        default=None,
        description="Pressure [Pa], a formula of x, y, z, t; default extrapolated from the fluid.",
    )


class Outflow(Table):
    """Fluid leaves, and with it vortices, sound and, with a free surface, long waves."""

    type: Literal["outflow"]
    pressure: FieldFormula | None = Field(
        default=None,
        description="Mean pressure [Pa], a formula of x, y, z, t; waves leave freely. Default density "
        "max_speed^2, or 0 with a free surface.",
    )


class Stream(Table):
    """Free stream, 2D: fluid passes either way, with the velocity of an unbounded stream that the bodies
    disturb: that given here, and what the force on each body and its size say about the flow far from it."""

    type: Literal["stream"]
    velocity: Vector = Field(
        description="Of the stream far from all bodies [m/s]; the same on all sides of this type.",
        examples=[[1.0, 0.0]],
    )

    @property
    def pressure(self) -> None:
        """Extrapolated from the fluid."""
        return None


SIDE_KINDS: dict[str, type[Table]] = {
    "wall": Wall,
    "periodic": Periodic,
    "open": Open,
    "inflow": Inflow,
    "outflow": Outflow,
    "stream": Stream,
}


class _Patch(Table):
    min: Vector = Field(
        description="Lowest corner [m]; one coordinate equals that of max.", examples=[[0, 0.1]]
    )
    max: Vector = Field(description="Highest corner [m].", examples=[[0, 0.2]])
    facing: Literal["left", "right", "bottom", "top", "front", "back"] | None = Field(
        default=None,
        description="Direction from the opening to the fluid, for openings inside the domain, which "
        "need a body behind them; not for openings on a side.",
    )


class InflowPatch(Inflow, _Patch):
    """Fluid enters through a part of a wall or of a body."""


class OutflowPatch(Outflow, _Patch):
    """Fluid leaves through a part of a wall or of a body."""


OPENINGS: dict[str, type[Table]] = {"inflow": InflowPatch, "outflow": OutflowPatch}

if TYPE_CHECKING:
    SideTable = Wall | Periodic | Open | Inflow | Outflow | Stream
    OpeningTable = InflowPatch | OutflowPatch
else:
    SideTable = Annotated[reduce(or_, SIDE_KINDS.values()), Field(discriminator="type")]
    OpeningTable = Annotated[reduce(or_, OPENINGS.values()), Field(discriminator="type")]


def _default_side() -> SideTable:
    return Wall(type="wall")


class Boundaries(Table):
    """The sides of the domain; a side that is not named is a no-slip wall."""

    left: SideTable = Field(default_factory=_default_side, description="Side of lowest x.")
    right: SideTable = Field(default_factory=_default_side, description="Side of highest x.")
    bottom: SideTable = Field(default_factory=_default_side, description="Side of lowest y.")
    top: SideTable = Field(default_factory=_default_side, description="Side of highest y.")
    front: SideTable = Field(default_factory=_default_side, description="Side of lowest z, 3D only.")
    back: SideTable = Field(default_factory=_default_side, description="Side of highest z, 3D only.")

    @model_validator(mode="after")
    def _sides_of_the_space(self, info: ValidationInfo) -> Boundaries:
        extra = sorted({"front", "back"} & self.model_fields_set)
        if dimensions_of_space(info) == 2 and extra:
            sides = listed(extra)
            raise wrong_table(
                f"has {sides}; front and back exist in 3D only, and this world is 2D. Remove {sides}"
            )
        return self

    def side(self, name: str) -> SideTable:
        side: SideTable = getattr(self, name)
        return side
