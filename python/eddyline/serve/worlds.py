"""/api: worlds, before anything runs."""

from __future__ import annotations

import json
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from eddyline.serve.checking import CheckAnswer, check
from eddyline.serve.editing import Edit, edited
from eddyline.serve.gallery import GalleryWorld, gallery_worlds
from eddyline.world import schema_json

LONGEST = 200_000
"""Characters of a world file."""
Quality = Literal["preview", "study", "publish"]

router = APIRouter(prefix="/api", tags=["worlds"])


class WorldRequest(BaseModel):
    """A world file with changes, as `eddyline run --set` has them."""

    model_config = ConfigDict(extra="forbid")
    toml: str = Field(max_length=LONGEST, description="The text of a world file.")
    sets: dict[str, str | float] = Field(
        default={}, max_length=100, description='Values by dotted path: {"let.Re": 20}.'
    )
    quality: Quality = Field(
        "study", description="preview: spacing times 5/3; study: as written; publish: half."
    )


class EditRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")
    toml: str = Field(max_length=LONGEST)
    edits: list[Edit] = Field(max_length=200)


class WorldText(BaseModel):
    toml: str


@router.get("/gallery")
def read_gallery() -> list[GalleryWorld]:
    """The worlds that come with Eddyline."""
    return gallery_worlds()


@router.get("/schema")
def read_schema() -> dict[str, Any]:
    """The JSON Schema of world files."""
    schema: dict[str, Any] = json.loads(schema_json())
    return schema


@router.post("/check")
def check_world(request: WorldRequest) -> CheckAnswer:
    """Problems, cost and drawing of a world; also of one that is wrong, as far as it can be drawn."""
    return check(request.toml, tuple(sorted(request.sets.items())), request.quality)


@router.post("/edit")
def edit_world(request: EditRequest) -> WorldText:
    """Changes values in a world file; everything else stays as it was written."""
    return WorldText(toml=edited(request.toml, request.edits))
