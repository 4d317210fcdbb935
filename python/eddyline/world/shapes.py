"""The shapes of bodies and regions as tables of a world file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    StrictBool,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
    model_validator,
)

from .. import _core
from . import wings
from .airfoils import naca, placed, profile
from .problems import listed, nearest, shown
from .values import (
    Context,
    Count,
    FieldFormula,
    Lengths,
    Number,
    Positive,
    PressureValue,
    TimeFormula,
    TimeVector,
    Vector,
    wrong,
    wrong_table,
)

Vec3 = tuple[float, float, float]


def vec3(values: Sequence[float]) -> Vec3:
    """Two or three numbers as the three that the core takes; z = 0 in 2D."""
    x, y, *rest = values
    return float(x), float(y), float(rest[0]) if rest else 0.0


def dimensions_of_space(info: ValidationInfo) -> int | None:
    return info.context.dimensions if isinstance(info.context, Context) else None


class Table(BaseModel):
    """A table of a world file: only the keys named here, never changed after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class ShapeTable(Table):
    """A table with a shape; the core makes the signed distance."""

    dimensions: ClassVar[int] = 2
    instead: ClassVar[str] = ""  # what to take in the other number of dimensions
    has_layers: ClassVar[bool] = True  # false: particles cannot follow its surface
    _core_shape: _core.Shape | None = PrivateAttr(None)
    _folders: tuple[str, ...] = PrivateAttr(())
    """Places of files that shapes name."""

    if TYPE_CHECKING:
        shape: str

    @property
    def core_name(self) -> str:
        """Name of the core's function for this shape."""
        return self.shape

    def make(self) -> _core.Shape:
        raise NotImplementedError

    @property
    def measures(self) -> tuple[float, ...]:
        """Arguments of the core's function for this shape, as a flat list; points have three numbers [m]."""
        raise NotImplementedError

    @property
    def core_shape(self) -> _core.Shape:
        """The shape with its signed distance [m]."""
        if self._core_shape is None:
            self._core_shape = self.make()
        return self._core_shape

    @model_validator(mode="after")
    def _can_be_made(self, info: ValidationInfo) -> ShapeTable:
        if isinstance(info.context, Context):
            self._folders = info.context.folders
        if dimensions_of_space(info) not in (None, self.dimensions):
            raise wrong_table("is of another number of dimensions")  # validate.py says which and what to take
        try:
            self._core_shape = self.make()
        except _core.UserError as error:
            raise wrong_table(f"cannot be made: {error}") from None
        return self


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


class _Section(ShapeTable):
    """A closed outline in the plane, which becomes a polygon."""

    instead: ClassVar[str] = '"box"'
    nose: Vector = Field(
        description="Place of the nose, the point (0, 0) of the section [m].", examples=[[0.2, 0.2]]
    )
    chord: Positive = Field(description="Chord [m]: what a length of 1 of the section is.", examples=[0.1])
    angle: Number = Field(
        default=0.0, description="Rotation anticlockwise about the nose [degrees]; negative: nose up."
    )
    _corners: list[Vec3] = PrivateAttr(default_factory=list)

    @property
    def core_name(self) -> str:
        return "polygon"

    def section(self) -> NDArray[np.float64]:
        """(n, 2) corners, in chords."""
        raise NotImplementedError

    def make(self) -> _core.Shape:
        places = placed(self.section(), self.chord, self.nose, math.radians(self.angle))
        self._corners = [vec3(point) for point in places.tolist()]
        return _core.polygon(self._corners)

    @property
    def measures(self) -> tuple[float, ...]:
        return tuple(number for point in self._corners for number in point)


def _four_letters(value: Any) -> Any:
    """The digits of a whole number: `--set bodies.NAME.digits=2412` gives one."""
    return f"{value:04d}" if isinstance(value, int) and not isinstance(value, bool) else value


FourDigits = Annotated[str, Field(pattern=r"^[0-9]{4}$"), BeforeValidator(_four_letters)]


class Naca(_Section):
    """A NACA four-digit airfoil with a sharp trailing edge."""

    shape: Literal["naca"]
    digits: FourDigits = Field(
        description='The four digits: camber, its place, thickness, e.g. "0012" or "2412".', examples=["0012"]
    )
    points: Annotated[Count, Field(ge=10, le=1000)] = Field(
        default=80, description="Number of edges on each side."
    )

    def section(self) -> NDArray[np.float64]:
        try:
            return four_digits(self.digits, self.points)
        except ValueError as error:
            raise wrong_table(str(error)) from None


def four_digits(digits: str, points: int = 80) -> NDArray[np.float64]:
    """(n, 2) corners of a NACA section, in chords. Raises ValueError."""
    if digits[2:] == "00":
        raise ValueError(f'has digits = "{digits}", a thickness of 0. Write "{digits[:2]}12"')
    if (digits[0] == "0") != (digits[1] == "0"):
        raise ValueError(
            f'has digits = "{digits}"; camber and its place must both be 0, or neither. Write '
            f'"00{digits[2:]}" or "24{digits[2:]}"'
        )
    return naca(digits, points)


class Profile(_Section):
    """An outline from a file, e.g. a measured airfoil."""

    shape: Literal["profile"]
    file: str = Field(
        description="CSV file beside the world: two columns, x and y, in chords, in order around the body.",
        examples=["section.csv"],
    )

    def section(self) -> NDArray[np.float64]:
        try:
            return profile(self.file, self._folders)
        except ValueError as error:
            raise wrong_table(f"has file = {shown(self.file)}; {error}") from None


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


class WingStation(Table):
    """A section of a wing at its place."""

    nose: Vector = Field(
        description="Place of the nose, the point (0, 0) of the section [m].", examples=[[0, 0, 0]]
    )
    chord: Positive = Field(description="Chord [m]: what a length of 1 of the section is.", examples=[0.8])
    angle: Number = Field(
        default=0.0, description="Rotation anticlockwise about the nose [degrees]; negative: nose up."
    )
    digits: FourDigits | None = Field(
        default=None,
        description="A NACA four-digit section, instead of file; default as at the station before.",
    )
    file: str | None = Field(
        default=None,
        description="CSV file beside the world, as for a profile; default as at the station before.",
        examples=["section.csv"],
    )

    @model_validator(mode="after")
    def _one_section(self) -> WingStation:
        if self.digits is not None and self.file is not None:
            raise wrong_table("has digits and file; a section is given by one of them. Remove one")
        return self


class Wing(ShapeTable):
    """Sections in planes of constant z, straight lines between them, and a rounded tip beyond the last. The
    first, the root, lies in the side front. For solvers that need no particles of a body."""

    dimensions: ClassVar[int] = 3
    instead: ClassVar[str] = '"naca" or "profile"'
    has_layers: ClassVar[bool] = False
    shape: Literal["wing"]
    stations: tuple[WingStation, ...] = Field(
        min_length=2,
        max_length=100,
        description="Sections from the root to the tip, tables with nose, chord, angle, digits and file.",
        examples=[[{"nose": [0, 0, 0], "chord": 1, "digits": "0012"}, {"nose": [0.5, 0, 2], "chord": 0.5}]],
    )
    points: Annotated[Count, Field(ge=10, le=400)] = Field(
        default=60, description="Number of edges on each side of a section, for distances to the surface."
    )
    _surface: wings.Wing | None = PrivateAttr(None)

    @property
    def surface(self) -> wings.Wing:
        """The surface, from which meshes are made."""
        if self._surface is None:
            self._surface = wings.Wing(self._placed())
        return self._surface

    def _placed(self) -> list[wings.Station]:
        found: list[wings.Station] = []
        outline: NDArray[np.float64] | None = None
        for number, station in enumerate(self.stations):
            here = f"has stations[{number}]"
            if len(station.nose) != 3:
                raise wrong_table(f"{here}.nose with {len(station.nose)} numbers; must have 3")
            if found and not station.nose[2] > found[-1].nose[2]:
                raise wrong_table(
                    f"{here}.nose = {shown(station.nose)}; its z must be larger than at the station before"
                )
            try:
                if station.digits is not None:
                    outline = four_digits(station.digits)
                elif station.file is not None:
                    outline = profile(station.file, self._folders)
                if outline is None:
                    raise ValueError(
                        "has neither digits nor file, which the first station needs. Add one of them"
                    )
                wings.sides(outline)
            except ValueError as error:
                raise wrong_table(f"{here}, which {error}") from None
            found.append(
                wings.Station(vec3(station.nose), station.chord, math.radians(station.angle), outline)
            )
        return found

    def make(self) -> _core.Shape:
        points, triangles = self.surface.triangles(self.points)
        return _core.triangulated(points, [tuple(each) for each in triangles.tolist()])

    @property
    def measures(self) -> tuple[float, ...]:
        raise wrong_table("cannot be added to a run")


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


_ZERO = _core.Formula("0", ())


def _law(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    if value == "log":
        return value
    try:
        return handler(value)
    except ValidationError as error:
        fault = error.errors()[0]
        if not isinstance(value, str) or fault["type"] != "eddyline":
            raise
        near = ' Did you mean "log"?' if nearest(value, ["log"]) else ""
        text = f'must be "log", a number, or a formula of [let] values: {fault["ctx"]["text"]}{near}'
        raise wrong(text) from None


Friction = Annotated[Positive, Field(le=1), WrapValidator(_law)]
"""A number, or "log"."""
FRICTION = (
    "Friction instead of no-slip, for walls whose boundary layer is thinner than the spacing. "
    "The coefficient f of the stress f rho u^2 against the velocity u along the wall, "
    'or "log": f from the law of the wall.'
)
ROUGHNESS = 'With friction = "log": equivalent sand roughness [m]; default smooth.'
"""Descriptions of the keys of walls and bodies."""


class HasFriction(Protocol):
    @property
    def slip(self) -> bool: ...
    @property
    def friction(self) -> float | str | None: ...
    @property
    def roughness(self) -> float | None: ...


def check_friction(table: HasFriction) -> None:
    """Refuses keys that contradict each other."""
    if table.slip and table.friction is not None:
        raise wrong_table("has slip = true and friction, which contradict each other. Remove one of them")
    if table.roughness is not None and table.friction != "log":
        raise wrong_table('has roughness without friction = "log". Add it, or remove roughness')


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
