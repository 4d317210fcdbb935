"""Keys of walls and bodies: friction instead of no-slip."""

from __future__ import annotations

from typing import Annotated, Any, Protocol

from pydantic import Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from ..problems import nearest
from ..values import Positive, wrong, wrong_table


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
