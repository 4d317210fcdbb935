"""The validation cases, one file for each flow."""

from eddyline.validate.case import Case
from eddyline.validate.cases import (
    conservation,
    dam_break,
    dam_break_pressure,
    oscillating_cylinder,
    periodic_cylinder,
    plates,
    rotating_cylinder,
    still_water,
    taylor_green,
)

_MODULES = (
    plates,
    rotating_cylinder,
    taylor_green,
    still_water,
    dam_break,
    dam_break_pressure,
    periodic_cylinder,
    oscillating_cylinder,
    conservation,
)
CASES: dict[str, Case] = {case.name: case for module in _MODULES for case in module.CASES}
"""All cases by name, in the order in which they run."""
