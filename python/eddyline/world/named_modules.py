"""Modules that a world names."""

from __future__ import annotations

from pydantic import ValidationInfo

from .. import modules
from .problems import listed
from .values import Context, wrong

_CONTENTS = {"patches": "equations", "blocks": "scalars", "particles": "a term"}


def named_module(name: str, kind: str, info: ValidationInfo) -> modules.Library:
    """The library of a module for `kind`, found from the folder of the world."""
    folders = info.context.folders if isinstance(info.context, Context) else ()
    try:
        return modules.find(name, folders, kind)
    except modules.ModuleError as error:
        raise wrong(str(error)) from None


def check_module(name: str, kind: str, info: ValidationInfo) -> None:
    """Refuses a module that is not there, or not for worlds of these dimensions."""
    known = named_module(name, kind, info).description.dimensions
    dimensions = info.context.dimensions if isinstance(info.context, Context) else None
    if dimensions is not None and dimensions not in known:
        named = listed([f"{each}D" for each in known], "and")
        raise wrong(f"the module has {_CONTENTS[kind]} in {named}, and this world is {dimensions}D")
