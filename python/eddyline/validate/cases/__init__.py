"""The validation cases, one file for each flow."""

from eddyline.validate.case import Case
from eddyline.validate.cases import (
    airfoil,
    blocks,
    channel,
    conservation,
    cylinder,
    dam_break,
    dam_break_pressure,
    oscillating_cylinder,
    patches,
    periodic_cylinder,
    plates,
    rotating_cylinder,
    sedov,
    sod,
    still_water,
    taylor_green,
    turbulence,
    waves,
    wing,
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
    channel,
    cylinder,
    conservation,
    sod,
    sedov,
    airfoil,
    blocks,
    patches,
    waves,
    wing,
    turbulence,
)
CASES: dict[str, Case] = {case.name: case for module in _MODULES for case in module.CASES}
"""All cases by name, in the order in which they run."""
