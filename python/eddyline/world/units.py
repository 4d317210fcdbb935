"""Units of what a world file says and of what a run of it gives, for the axes of charts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from .quantities import COEFFICIENTS, RINGING, SCALARS, Quantity, find_quantity
from .schema import WorldFile

if TYPE_CHECKING:
    from .series_table import SeriesTable

_UNIT = re.compile(r"\[((?:m|s|kg|Pa|rad|degrees)\b[^\]]*)\]")


def unit_of_key(file: WorldFile, path: str) -> str:
    """The unit of a key by its dotted path, as its description has it; "" where it has none, or where that is
    not known, as of the values of [let]."""
    here: Any = file
    description = ""
    for part in path.split("."):
        fields = type(here).model_fields if isinstance(here, BaseModel) else {}
        name = next((name for name, field in fields.items() if part == (field.alias or name)), None)
        if name is not None:
            description = fields[name].description or ""
            here = getattr(here, name)
        elif isinstance(here, Mapping) and part in here:
            description, here = "", here[part]
        elif isinstance(here, Sequence) and part.isdigit() and int(part) < len(here):
            here = here[int(part)]
        else:
            return ""
    found = _UNIT.search(description)
    return found[1] if found else ""


def unit_of_quantity(file: WorldFile, name: str, series: Mapping[str, SeriesTable]) -> str:
    """The unit of a result by its name, as the series that it is taken from have it; "" for pure numbers,
    and for formulas of results."""
    found = find_quantity(name.strip(), file)
    if (
        not isinstance(found, Quantity)
        or found.statistic == "noise"
        or (found.column in (*COEFFICIENTS, *SCALARS) and found.statistic not in RINGING)
    ):
        return ""
    if found.statistic in RINGING:
        return "1/s"
    units: Mapping[str, str] = series[found.series].attrs.get("units", {}) if found.series in series else {}
    unit = units.get(found.column, "")
    return "" if unit == "1" else unit
