"""The table [output]: pictures, film, snapshots and series of a run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from ..shapes import Table
from ..solver import picture_names
from ..values import Count, Number, OneLine


def _add_picture_names(schema: dict[str, Any]) -> None:
    schema["enum"] = list(picture_names())


class Cut(Table):
    """A plane shown in pictures and movies of a 3D world, instead of the fluid from outside."""

    normal: Literal["x", "y", "z", "none"] = Field(
        description='Axis normal to the plane; "none": pictures show the fluid from outside.', examples=["z"]
    )
    at: Number | None = Field(
        default=None,
        description="Position along that axis [m]; default the middle of the first body at rest, or "
        "of the domain.",
    )


class Camera(Table):
    """Pictures and film of a 3D run show the surfaces of an isosurface from outside, coloured by its `color`.
    `output.cut` then leaves out what is in front of its plane."""

    surface: OneLine | None = Field(
        default=None,
        description="Name of an isosurface of [observe]; default the first one. Its `every` is the interval "
        "of the film.",
        examples=["vortices"],
    )
    azimuth: Annotated[Number, Field(ge=-360, le=360)] = Field(
        default=28.0, description="Direction from which the camera looks, around the upward axis [degrees]."
    )
    elevation: Annotated[Number, Field(ge=-89, le=89)] = Field(
        default=22.0, description="Its height above the horizon [degrees]."
    )


class Output(Table):
    """Outputs of a run. Each number divides the time from 0 to the end into equal intervals; the start and
    the end of each interval are kept. With 0 pictures only the last state is shown, with 0 snapshots none are
    written."""

    pictures: Annotated[Count, Field(le=1_000_000)] = Field(
        default=160, description="Number of frames of the movie."
    )
    snapshots: Annotated[Count, Field(le=1_000_000)] = Field(
        default=20, description="Number of snapshots of all particles, for ParaView."
    )
    series: Annotated[Count, Field(ge=1, le=1_000_000_000)] = Field(
        default=2000, description="Number of rows of each time series; at least 1."
    )
    quantity: str | None = Field(
        default=None,
        description="Quantity of the pictures; default the first that the solver has: of sph speed. "
        "vorticity in 2D only, velocity_z in 3D only.",
        json_schema_extra=_add_picture_names,
    )
    cut: Cut | None = Field(
        default=None,
        description='3D only: a plane shown in pictures, e.g. { normal = "z", at = 0.5 }. Default without a '
        "free surface: along the stream through the first body at rest or the middle of the domain; with "
        "a free surface: none.",
    )
    camera: Camera | None = Field(
        default=None,
        description='3D only: pictures and film show an isosurface, e.g. { surface = "vortices" }.',
    )
