"""The shapes of bodies and regions as tables of a world file, [bodies] and [regions].

table: base classes of all tables and all shapes.  simple: circles, boxes, polygons and others.
sections: airfoils and wings.  bodies: [bodies] and [regions].  motion, friction: keys of bodies.
"""

from __future__ import annotations

from .bodies import (
    BODIES,
    REGIONS,
    SHAPES,
    Body,
    BodyTable,
    FormulaRegion,
    Region,
    RegionTable,
)
from .friction import FRICTION, ROUGHNESS, Friction, check_friction
from .motion import Motion
from .sections import Profile, Wing
from .simple import Box, Circle, Cylinder, Line, Polygon, Sphere
from .table import ShapeTable, Table, Vec3, dimensions_of_space, vec3

__all__ = [
    "BODIES",
    "FRICTION",
    "REGIONS",
    "ROUGHNESS",
    "SHAPES",
    "Body",
    "BodyTable",
    "Box",
    "Circle",
    "Cylinder",
    "FormulaRegion",
    "Friction",
    "Line",
    "Motion",
    "Polygon",
    "Profile",
    "Region",
    "RegionTable",
    "ShapeTable",
    "Sphere",
    "Table",
    "Vec3",
    "Wing",
    "check_friction",
    "dimensions_of_space",
    "vec3",
]
