"""The whole world file: its tables together, with those of all solvers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, PlainValidator, Tag, WithJsonSchema, create_model

from ... import _core
from ..shapes import BODIES, REGIONS, BodyTable, Motion, RegionTable, Table
from ..shapes import Profile as ProfileShape
from ..shapes import Wing as WingShape
from ..solver import Solver, SolverOptions, known_solver, solvers
from ..sph_options import SphOptions
from ..terms import Term
from ..values import Identifier, OneLine
from .domain import Domain, Reference, Time
from .expect import Expect
from .fluid import Fluid, Start
from .observers import OBSERVERS, ObserverTable
from .output import Camera, Cut, Output
from .sides import OPENINGS, SIDE_KINDS, SIDES, Boundaries, OpeningTable

_LET_SCHEMA = {
    "type": "object",
    "description": "Values for use in formulas: numbers, or formulas of other values.",
    "additionalProperties": {"anyOf": [{"type": "number"}, {"type": "string"}]},
}


def _as_it_is(value: Any) -> Any:
    return value


class WorldFile(Table):
    """A world: fluid, bodies and walls, in SI units. A number may be a formula of [let] values."""

    format: Literal[1] = Field(description="Version of the file format.", examples=[1])
    title: OneLine = Field(default="", description="Title of the world, one line.")
    let: Annotated[dict[str, Any], PlainValidator(_as_it_is), WithJsonSchema(_LET_SCHEMA)] = Field(
        default_factory=dict
    )
    reference: Reference | None = None
    domain: Domain
    given_fluid: Fluid | None = Field(default=None, alias="fluid")
    start: Start = Field(default_factory=Start)
    regions: dict[Identifier, RegionTable] = Field(
        default_factory=dict, description="Initial regions of fluid; without regions fluid fills the domain."
    )
    boundaries: Boundaries = Field(default_factory=Boundaries)
    openings: dict[Identifier, OpeningTable] = Field(
        default_factory=dict, description="Inflow and outflow through parts of walls and bodies."
    )
    bodies: dict[Identifier, BodyTable] = Field(default_factory=dict, description="Solid bodies.")
    terms: tuple[Term, ...] = Field(
        default=(), description="Terms of the equation of motion that the world states as formulas."
    )
    time: Time
    method: SolverOptions = Field(default_factory=SphOptions)
    output: Output = Field(default_factory=Output)
    observe: dict[Identifier, ObserverTable] = Field(
        default_factory=dict, description="Measurements, by name."
    )
    expect: tuple[Expect, ...] = Field(
        default=(), description="Reference values that results are compared with."
    )

    @property
    def dimensions(self) -> int:
        return len(self.domain.size)

    @property
    def named_files(self) -> list[str]:
        """Files that the world needs beside it: reference curves, profiles of bodies and regions, and a
        mesh."""
        names = [expect.curve for expect in self.expect if expect.curve]
        tables = (*self.bodies.values(), *self.regions.values())
        names += [table.file for table in tables if isinstance(table, ProfileShape)]
        wings = [table for table in tables if isinstance(table, WingShape)]
        names += [station.file for wing in wings for station in wing.stations if station.file]
        names += getattr(getattr(self, "mesh", None), "named_files", [])
        return list(dict.fromkeys(names))

    @property
    def solver(self) -> Solver:
        """The solver that [method] names."""
        return solvers()[self.method.name]

    @property
    def fluid(self) -> Fluid:
        """The fluid of a world whose solver requires one."""
        if self.given_fluid is None:
            raise LookupError(f"a world of the solver {self.method.name} without [fluid]")
        return self.given_fluid

    @property
    def lengths(self) -> _core.Lengths:
        """Lengths of particle methods."""
        from ..outline import outline

        return _core.lengths(outline(self))

    @property
    def is_gas(self) -> bool:
        return self.given_fluid is not None and self.given_fluid.is_gas

    @property
    def pictured(self) -> str:
        """The quantity of the pictures."""
        return self.output.quantity or self.solver.pictured(self)[0]

    @property
    def sph(self) -> SphOptions:
        """The options of the solver sph, in a world of sph."""
        if not isinstance(self.method, SphOptions):
            raise LookupError(f"the options of sph in a world of {self.method.name}")
        return self.method

    @property
    def has_free_surface(self) -> bool:
        """True if the fluid need not fill the domain, so that it may have a surface."""
        if not self.solver.has_surfaces:
            return False
        sides = SIDES[: 2 * self.dimensions]
        return bool(self.regions) or any(self.boundaries.side(name).type == "open" for name in sides)


@cache
def world_file() -> type[WorldFile]:
    """The class of world files with the options and tables of all solvers."""
    members: Any = reduce(or_, (Annotated[each.options, Tag(name)] for name, each in solvers().items()))
    options = Annotated[members, Discriminator(name_of_solver)]
    about = "The solver and its options; a section for each solver says which."
    fields: dict[str, Any] = {"method": (options, Field(default_factory=SphOptions, description=about))}
    for each in solvers().values():
        fields |= {key: (table | None, None) for key, table in each.tables.items()}
    return create_model("WorldFile", __base__=WorldFile, __doc__=WorldFile.__doc__, **fields)


def name_of_solver(table: Any) -> str:
    """The solver that the content of [method] names: sph if it names none."""
    name = table.get("name", "sph") if isinstance(table, Mapping) else getattr(table, "name", "sph")
    return str(name)


_KINDS: dict[str, tuple[Mapping[str, type[Table]], str]] = {
    "bodies": (BODIES, "shape"),
    "regions": (REGIONS, "shape"),
    "boundaries": (SIDE_KINDS, "type"),
    "openings": (OPENINGS, "type"),
    "observe": (OBSERVERS, "type"),
}
"""Tables of named tables: their classes, and the key that chooses one."""
_ALONE: dict[str, type[Table]] = {
    "reference": Reference,
    "domain": Domain,
    "fluid": Fluid,
    "start": Start,
    "boundaries": Boundaries,
    "time": Time,
    "output": Output,
}
_IN_OUTPUT: dict[str | int, type[Table]] = {"cut": Cut, "camera": Camera}
_LISTED: dict[str, type[Table]] = {"expect": Expect, "terms": Term}


def table_of(path: Sequence[str | int], data: Any) -> type[Table] | None:
    """The class of the table at `path` in the content `data`; None if it depends on missing keys."""
    if not path:
        return world_file()
    first = str(path[0])
    if first == "method":
        solver = known_solver(name_of_solver(data.get("method") if isinstance(data, Mapping) else None))
        return solver.options if solver is not None and len(path) == 1 else None
    if len(path) == 1:
        of_solvers = {key: table for each in solvers().values() for key, table in each.tables.items()}
        return (_ALONE | of_solvers).get(first)
    if len(path) == 2 and first in _KINDS:
        classes, key = _KINDS[first]
        try:
            return classes.get(data[first][path[1]][key])
        except (KeyError, TypeError):
            return None
    if len(path) == 2:
        return _IN_OUTPUT.get(path[1]) if first == "output" else _LISTED.get(first)
    return Motion if len(path) == 3 and first == "bodies" and path[2] == "motion" else None


def keys_of(table: type[Table]) -> list[str]:
    """The keys of a table as written in a file; shape or type comes first."""
    keys = [field.alias or name for name, field in table.model_fields.items()]
    return sorted(keys, key=lambda key: (key not in ("shape", "type"), key in ("slip", "motion", "pressure")))
