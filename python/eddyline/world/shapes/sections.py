"""Shapes made of sections of airfoils: `naca`, `profile` and `wing`."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from ... import _core
from .. import wings
from ..airfoils import naca, placed, profile
from ..problems import shown
from ..values import Count, Number, Positive, Vector, wrong_table
from .table import ShapeTable, Table, Vec3, vec3


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
