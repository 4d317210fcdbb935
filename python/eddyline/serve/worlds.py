"""/api: worlds, before anything runs."""

from __future__ import annotations

import json
from typing import Any, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from eddyline.run.device import offered
from eddyline.serve.checking import CheckAnswer
from eddyline.serve.gallery import GalleryWorld, gallery_worlds
from eddyline.serve.lab import InLab, Lab
from eddyline.serve.problems import ERRORS, Refusal
from eddyline.serve.tokens import Looks
from eddyline.world import schema_json
from eddyline.world.problems import listed

LONGEST = 200_000
"""Characters of a world file."""
Quality = Literal["preview", "study", "publish"]
Device = Literal["cpu", "gpu", "emulated"]

router = APIRouter(prefix="/api", tags=["worlds"], responses=ERRORS)


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
    device: Device | None = Field(
        None, description="Device that computes the run, where it can; see `devices` of a check."
    )

    def asked(self, lab: Lab) -> dict[str, Any]:
        """Arguments of a task. Raises Refusal for a device that the server does not offer."""
        own = lab.limits.device
        device, devices = self.device or own, offered(own)
        if device not in devices:
            raise Refusal(422, f"This server has no {device}.", f"Choose {listed(devices, 'or')}.")
        return {"text": self.toml, "sets": self.sets, "quality": self.quality, "device": device}


class EditTable(BaseModel):
    """One change. set: replaces or creates a value; add: a new table or entry; remove: deletes it."""

    model_config = ConfigDict(extra="forbid")
    op: Literal["set", "add", "remove"]
    path: list[str | int] = Field(
        min_length=1,
        max_length=6,
        examples=[["bodies", "cylinder", "center"]],
        description="Keys, and numbers of entries of arrays from 0; add at an array appends.",
    )
    value: Any = Field(default=None, description="Number, text (formulas, too), true, false, list, table.")


class EditRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")
    toml: str = Field(max_length=LONGEST)
    edits: list[EditTable] = Field(max_length=200)


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


@router.post("/check", response_model=CheckAnswer)
def check_world(request: WorldRequest, lab: InLab, may: Looks) -> Response:
    """Problems, cost and drawing of a world, also of one with errors as far as possible."""
    return lab.answer(may, "check", **request.asked(lab), devices=offered(lab.limits.device))


@router.post("/edit", response_model=WorldText)
def edit_world(request: EditRequest, lab: InLab, may: Looks) -> Response:
    """Changes values in a world file; everything else stays as it was written."""
    edits = [edit.model_dump() for edit in request.edits]
    return lab.answer(may, "edit", text=request.toml, edits=edits)
