"""The kinds of values that a world file holds, as types that pydantic checks and that JSON Schema describes.

Formulas of [let] become numbers while they are checked, so that limits such as "> 0" hold for what they give;
fields of x, y, z and t become formulas of the core.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from .. import _core
from .formulas import FIELD_VARIABLES, BrokenNameError, FormulaError, Names, is_number, sentence
from .problems import listed, rounded, shown


@dataclass
class Context:
    """Information about the rest of the file for checks of a value."""

    names: Names
    dimensions: int | None  # None: the domain's size is missing or wrong
    box: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    """The lowest and the highest corner of the domain [m]; None where they are missing or wrong."""
    folders: tuple[str, ...] = ()
    """Folders in which files are looked for that the world names."""


def wrong(text: str) -> PydanticCustomError:
    """An error with the line `PATH = VALUE; TEXT`."""
    return PydanticCustomError("eddyline", "{text}", {"text": sentence(text)})


def wrong_table(text: str) -> PydanticCustomError:
    """An error of a whole table, with the line `PATH TEXT`."""
    return PydanticCustomError("eddyline_table", "{text}", {"text": sentence(text)})


def broken_name() -> PydanticCustomError:
    """An error that is reported elsewhere, where it begins."""
    return PydanticCustomError("eddyline_silent", "follows from another problem")


def _context(info: ValidationInfo) -> Context:
    return info.context if isinstance(info.context, Context) else Context(Names(), None)


_FORMULA = {"type": "string", "minLength": 1}


SMALLEST, LARGEST = 1e-90, 1e90  # so that no power or ratio of a few numbers leaves the range of a float


class _Evaluated:
    """Annotation of float and int: the file may hold a formula of [let] values instead."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_before_validator_function(self.evaluate, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        described = handler(schema)
        return {"anyOf": [described, {**_FORMULA, "description": "A formula of [let] values."}]}

    def evaluate(self, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, str):
            try:
                return _sized(_context(info).names.number(value))
            except BrokenNameError:
                raise broken_name() from None
            except FormulaError as error:
                raise wrong(str(error)) from None
        if not is_number(value):
            raise wrong("must be a number or a formula")
        return _sized(value)


def _sized(value: float) -> float:
    """Limits of the numbers of a world."""
    if isinstance(value, float) and not math.isfinite(value):
        raise wrong("must be a finite number")
    if value != 0 and not SMALLEST < abs(value) < LARGEST:
        raise wrong("must be 0, or between 1e-90 and 1e90 in size")
    return value


class _WholeNumber(_Evaluated):
    def evaluate(self, value: Any, info: ValidationInfo) -> Any:
        result = super().evaluate(value, info)
        if result != int(result):
            raise wrong(
                f"{'gives ' + shown(result) + ', ' if isinstance(value, str) else ''}must be a whole number"
            )
        return int(result)


Number = Annotated[float, _Evaluated()]
Positive = Annotated[float, Field(gt=0), _Evaluated()]
NotNegative = Annotated[float, Field(ge=0), _Evaluated()]
Count = Annotated[int, Field(ge=0), _WholeNumber()]


def _with_points(value: Any, counts: Sequence[int]) -> str:
    """A hint for a list of whole numbers that are the halves of as many decimals as are wanted, 0,65 for
    0.65."""
    if not isinstance(value, list) or len(value) // 2 not in counts or len(value) % 2:
        return ""
    if any(isinstance(each, bool) or not isinstance(each, int) for each in value) or min(value[1::2]) < 0:
        return ""
    decimals = [f"{whole}.{part}" for whole, part in zip(value[::2], value[1::2], strict=True)]
    return f". Decimals have a point: write [{', '.join(decimals)}]"


def _in_brackets(value: Any) -> str:
    """A hint for a list that --set has got as a text: without brackets, or with formulas without quotes."""
    if not isinstance(value, str) or "," not in value:
        return ""
    parts = [part.strip() for part in value.strip().strip("[]").split(",")]
    written = ", ".join(part if _is_number_text(part) else f'"{part}"' for part in parts)
    return f". Write [{written}]" if all(parts) and '"' not in value else ""


def _is_number_text(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _length(value: Any, info: ValidationInfo) -> Any:
    dimensions = _context(info).dimensions
    if isinstance(value, list | tuple):
        if len(value) == dimensions or (dimensions is None and len(value) in (2, 3)):
            return value
        if info.field_name == "size" and len(value) not in (2, 3):
            raise wrong(f"must be two numbers (2D) or three (3D){_with_points(value, (2, 3))}")
    wanted = {2: "two numbers, as domain.size has two", 3: "three numbers, as domain.size has three"}
    hint = _with_points(value, (2, 3) if dimensions is None else (dimensions,)) or _in_brackets(value)
    raise wrong(f"must be {wanted.get(dimensions or 0, 'two numbers (2D) or three (3D)')}{hint}")


Vector = Annotated[tuple[Number, ...], Field(min_length=2, max_length=3), BeforeValidator(_length)]
"""One number for each dimension."""


_JOINERS = "\u200c\u200d"  # of some scripts' letters


def _one_line(value: str) -> str:
    for letter in value:
        if not (letter.isprintable() or unicodedata.category(letter) == "Zs" or letter in _JOINERS):
            raise wrong(
                f"must be one line of text without control characters, but contains U+{ord(letter):04X}"
            )
    return value


OneLine = Annotated[str, AfterValidator(_one_line)]
"""A text that can be shown in a line and painted."""
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""A name that formulas, series and files can use."""


SHORTEST, LONGEST = 1e-9, 1e9  # m


def _no_zero(value: tuple[float, ...]) -> tuple[float, ...]:
    if min(value) <= 0:
        raise wrong("must be > 0 in every direction")
    if min(value) < SHORTEST or max(value) > LONGEST:
        raise wrong(f"must be from {rounded(SHORTEST)} to {rounded(LONGEST)} m in every direction")
    return value


Lengths = Annotated[
    tuple[Number, ...], Field(min_length=2, max_length=3), BeforeValidator(_length), AfterValidator(_no_zero)
]


def _two(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise wrong(f"must be two numbers, the lowest and the highest{_with_points(value, (2,))}")
    return value


def _ordered(value: tuple[float, ...]) -> tuple[float, ...]:
    if value[0] > value[1]:
        raise wrong("must be [lowest, highest]")
    return value


Range = Annotated[
    tuple[Number, ...], Field(min_length=2, max_length=2), BeforeValidator(_two), AfterValidator(_ordered)
]
"""The lowest and the highest value."""


class _Field:
    """Annotation of `_core.Formula`: a number, or a formula of x, y, z, t and [let] values."""

    variables = "x, y, z, t"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self.compile)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {
            "anyOf": [
                {"type": "number"},
                {**_FORMULA, "description": f"A formula of {self.variables} and [let] values."},
            ]
        }

    def compile(self, value: Any, info: ValidationInfo) -> _core.Formula:
        if not isinstance(value, str) and not is_number(value):
            raise wrong("must be a number or a formula")
        if not isinstance(value, str) and not math.isfinite(value):
            raise wrong("must be a finite number")
        return self._compiled(value, info, FIELD_VARIABLES)

    def _compiled(
        self, value: str | float, info: ValidationInfo, variables: tuple[str, ...]
    ) -> _core.Formula:
        try:
            return _context(info).names.field(value, variables)
        except BrokenNameError:
            raise broken_name() from None
        except FormulaError as error:
            raise wrong(str(error)) from None


FieldFormula = Annotated[_core.Formula, _Field()]


@dataclass(frozen=True)
class Quantities(_Field):
    """Annotation of `_core.Formula`: a formula of x, y, z, t, other variables and [let] values."""

    names: tuple[str, ...]

    @property
    def variables(self) -> str:  # type: ignore[override]
        return ", ".join((*FIELD_VARIABLES, *self.names))

    def compile(self, value: Any, info: ValidationInfo) -> _core.Formula:
        if not isinstance(value, str):
            raise wrong("must be a formula")
        return self._compiled(value, info, (*FIELD_VARIABLES, *self.names))


FieldVector = Annotated[tuple[FieldFormula, ...], Field(min_length=2, max_length=3), BeforeValidator(_length)]


class _TimeFormula(_Field):
    """Annotation of `_core.Formula`: a number, or a formula of t and [let] values."""

    variables = "t"

    def compile(self, value: Any, info: ValidationInfo) -> _core.Formula:
        formula = super().compile(value, info)
        places = [name for name in formula.used_variables if name != "t"]
        if places:
            raise wrong(f"must be a formula of t only, not of {listed(places)}, as bodies are rigid")
        return formula


TimeFormula = Annotated[_core.Formula, _TimeFormula()]
TimeVector = Annotated[tuple[TimeFormula, ...], Field(min_length=2, max_length=3), BeforeValidator(_length)]


class _InflowVelocity:
    """Annotation of a tuple of `_core.Formula`: a vector of fields, or one field along the normal."""

    @staticmethod
    def spread(value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, list | tuple):
            return (value,)
        dimensions = _context(info).dimensions
        if len(value) in (1, dimensions) or (dimensions is None and len(value) in (2, 3)):
            return value
        wanted = {2: "two, as domain.size has two", 3: "three, as domain.size has three"}
        hint = _with_points(value, (1, 2, 3) if dimensions is None else (1, dimensions))
        raise wrong(
            "must be one number or formula, along the normal, or "
            f"{wanted.get(dimensions or 0, 'two (2D) or three (3D)')}{hint}"
        )

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        vector = handler.generate_schema(FieldVector)
        along = handler.generate_schema(tuple[FieldFormula])
        return core_schema.with_info_before_validator_function(
            self.spread,
            core_schema.tagged_union_schema(
                {"vector": vector, "along": along},
                discriminator=lambda value: "along" if len(value) == 1 else "vector",
            ),
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        field = [{"type": "number"}, {**_FORMULA, "description": "A formula of x, y, z, t and [let] values."}]
        vector = {"type": "array", "items": {"anyOf": field}, "minItems": 2, "maxItems": 3}
        return {"anyOf": [*field, vector]}


InflowVelocity = Annotated[tuple[FieldFormula, ...], _InflowVelocity()]
"""One field for each dimension, or a single one: along the normal into the domain."""


@dataclass(frozen=True)
class Pressure:
    """The pressure at the start: hydrostatic, or a field [Pa]."""

    kind: Literal["hydrostatic", "formula"]
    formula: _core.Formula


class _Pressure(_Field):
    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(self.pressure)

    def pressure(self, value: Any, info: ValidationInfo) -> Pressure:
        if value == "hydrostatic":
            return Pressure("hydrostatic", _core.Formula("0", ()))
        return Pressure("formula", self.compile(value, info))


PressureValue = Annotated[Pressure, _Pressure()]


class _Condition(_Evaluated):
    """Annotation of bool: a formula of [let] values that is true unless it gives 0."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**_FORMULA, "description": "A formula of [let] values, true unless it gives 0."}

    def evaluate(self, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, str):
            raise wrong('must be a formula such as "Re == 100"')
        return super().evaluate(value, info) != 0


Condition = Annotated[bool, _Condition()]
