"""Base classes of tables: of all, and of those with a shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationInfo, model_validator

from ... import _core
from ..values import Context, wrong_table

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
