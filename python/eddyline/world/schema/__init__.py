"""The tables and keys of a world file; JSON Schema is made from these classes. Each key states its unit.

domain: [domain], [reference], [time].  fluid: [fluid], [start].  sides: [boundaries], [openings].
observers: [observe].  output: [output].  expect: [[expect]].  file: the whole file.
Elsewhere: [bodies] and [regions] in `world/shapes`, [[terms]] in `world/terms.py`, [method] in the module of
its solver in `eddyline/solvers`; that of sph in `world/sph_options.py`.
"""

from __future__ import annotations

from .domain import Domain, Reference, Time
from .expect import Expect
from .file import WorldFile, keys_of, name_of_solver, table_of, world_file
from .fluid import CONDUCTION_KEYS, GAS_KEYS, TURBULENCE_KEYS, Fluid, Start
from .observers import (
    OBSERVERS,
    AxisName,
    Front,
    Gauge,
    Isosurface,
    Line,
    Observer,
    ObserverTable,
    Patch,
    PressureDrop,
    Probe,
    Profile,
    Torque,
)
from .output import Camera, Cut, Output
from .sides import (
    OPENINGS,
    SIDE_KINDS,
    SIDES,
    Boundaries,
    Inflow,
    InflowPatch,
    Open,
    OpeningTable,
    Outflow,
    OutflowPatch,
    Periodic,
    SideTable,
    Stream,
    Wall,
)

__all__ = [
    "CONDUCTION_KEYS",
    "GAS_KEYS",
    "OBSERVERS",
    "OPENINGS",
    "SIDES",
    "SIDE_KINDS",
    "TURBULENCE_KEYS",
    "AxisName",
    "Boundaries",
    "Camera",
    "Cut",
    "Domain",
    "Expect",
    "Fluid",
    "Front",
    "Gauge",
    "Inflow",
    "InflowPatch",
    "Isosurface",
    "Line",
    "Observer",
    "ObserverTable",
    "Open",
    "OpeningTable",
    "Outflow",
    "OutflowPatch",
    "Output",
    "Patch",
    "Periodic",
    "PressureDrop",
    "Probe",
    "Profile",
    "Reference",
    "SideTable",
    "Start",
    "Stream",
    "Time",
    "Torque",
    "Wall",
    "WorldFile",
    "keys_of",
    "name_of_solver",
    "table_of",
    "world_file",
]
