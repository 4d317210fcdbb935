"""The interface of a solver to the package, and the solvers that there are: those of `eddyline.solvers`, and
those that other packages register as entry points of the group `eddyline.solvers`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Literal, Protocol

from .problems import Found, Path
from .shapes import Table

if TYPE_CHECKING:
    from .. import _core
    from .estimate import Estimate, Plan
    from .samples import Samples
    from .scales import Scales
    from .schema import WorldFile
    from .world import World

Speeds = Mapping[str, tuple[float, str]]
"""Speeds [m/s] by their causes, with reasons; see `scales.expected_speeds`."""
Rows = Iterator[tuple[str, str]]
"""Lines of `eddyline check`: a name and a text."""

BUILT_IN = ("sph", "mps", "amr", "multiblock")
"""Modules of `eddyline.solvers`, each with a SOLVER; the first is the default."""
GROUP = "eddyline.solvers"
"""Group of entry points: the name is that of the solver, the object a Solver."""


FLOW_COMMANDS = ("inflow", "viscosity", "gravity", "parameter", "move_body", "add_body", "remove_body")
"""All live commands that change the flow."""


@dataclass(frozen=True)
class Pictured:
    """A quantity of pictures. starts_at_zero: its scale does. diverging: it is centred on zero. whole: it
    takes whole numbers only, which get a colour each."""

    label: str
    unit: str
    diverging: bool = False
    starts_at_zero: bool = False
    whole: bool = False


@dataclass(frozen=True)
class StepLimit:
    """seconds: upper limit of the time step. cause: in words. power: the limit falls with this power of the
    cause: 1 for a speed, 0.5 for an acceleration."""

    seconds: float
    cause: str
    power: float = 1.0


class SolverOptions(Table):
    """The keys of [method]; each solver has a class of its own with a Literal `name`."""

    name: str

    @property
    def time_unit(self) -> str:
        """The unit of time in a run: s, or what a run that seeks a steady flow counts instead of it."""
        return "s"


class Solver(Protocol):
    """One numerical method. The core computes; this side reads, checks and describes."""

    name: str
    title: str
    """Its full name, in a few words."""
    not_steered: str
    """Reason why commands that change the flow, other than `steered`, are refused while a run goes on; empty
    if none is. A solver may have a method `has_other_pictures`: whether options of [method] bring quantities
    that `pictures` does not have, a method `code`, see `World.code`, and a method `parameters`, see
    `steered_parameters`."""
    steered: tuple[str, ...]
    """Names of the commands that change the flow of a run, such as "gravity"; probes can always be added."""
    has_sound: bool
    """True if the speed of sound of a run is fixed when it begins, so that a command must not make the fluid
    much faster; otherwise `step_limits` bound the effects of commands."""
    options: type[SolverOptions]
    """The keys of [method]."""
    tables: Mapping[str, type[Table]]
    """Further tables of the world file, such as [mesh]."""
    members: str
    """Its members, in the plural: "particles", "cells"."""
    has_surfaces: bool
    """True if its fluid need not fill the domain; otherwise regions only say what fills them at the start."""
    pictures: Mapping[str, Pictured]
    """All quantities that its pictures may show."""

    def has_fluid(self, method: Mapping[str, Any]) -> bool:
        """True if a world with these options, as written in [method], requires [fluid]; otherwise it has
        none."""

    def snapshot_fields(self, file: WorldFile) -> Mapping[str, str]:
        """Fields of snapshots of cells, with units; empty: snapshots are of particles."""

    def start_fields(self, file: WorldFile) -> Mapping[str, str]:
        """The fields that [start.fields] may have: name, and what it is with its unit."""

    def pictured(self, file: WorldFile) -> tuple[str, ...]:
        """Those that pictures of this world may show, the default first."""

    def kept(self, file: WorldFile) -> tuple[str, ...]:
        """Quantities of each frame besides that of the pictures, so that others can be drawn later."""

    def refusals(self, file: WorldFile) -> Found:
        """Everything in the file that this solver cannot honour, one line each."""

    def problems(self, file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
        """Everything that makes a run impossible or meaningless. names: the values of [let]."""

    def scales(self, file: WorldFile, samples: Samples) -> Scales | tuple[Path, str]:
        """The speeds of the world, or a problem."""

    def step_limits(self, file: WorldFile, speeds: Speeds) -> Iterable[StepLimit]:
        """Upper limits of the time step at these speeds, by their causes; empty if `has_sound`."""

    def step_problems(self, file: WorldFile, scales: Scales) -> Found:
        """Speeds out of range, and runs of too many steps."""

    def warnings(self, world: World) -> Iterator[str]:
        """Remarks on what runs, but may give other results than intended."""

    def notes(self, world: World, samples: Samples) -> Iterator[str]:
        """Remarks on what runs, but not quite as the file reads."""

    def build(self, file: WorldFile, scales: Scales) -> _core.World:
        """The world of the core."""

    def outline(self, file: WorldFile) -> _core.World:
        """A world of the core with all that it must know to name its series and quantities, see
        `eddyline.world.outline`."""

    def estimate(self, world: World) -> Estimate:
        """Needs of a run, found without running it."""

    def describe(self, world: World, found: Plan) -> Rows:
        """The lines of `eddyline check` between the sides of the domain and the number of steps."""

    def remarks(self, world: World, found: Plan) -> Iterator[str]:
        """Notes that need the estimate."""


def pictures_of(*worlds: _core.World) -> dict[str, Pictured]:
    """All quantities that pictures of one of these worlds can show, as the core names them; components of
    vectors come last."""
    from .. import _core

    found: dict[str, Pictured] = {}
    for world in worlds:
        for name, unit, label, shade in _core.quantities(world):
            shown = Pictured(
                label,
                "" if unit == "1" else unit,
                shade == "diverging",
                shade == "from_zero",
                shade == "whole",
            )
            found.setdefault(name, shown)
    found.pop("cover", None)
    return dict(
        sorted(found.items(), key=lambda item: item[0] == "vorticity" or 2 * item[0].startswith("velocity_"))
    )


def pictured(known: Mapping[str, Pictured], world: _core.World) -> tuple[str, ...]:
    """Those of the known quantities that pictures of this world can show."""
    return tuple(name for name in pictures_of(world) if name in known)


def plain_outline(
    name: str,
    dimensions: int,
    matter: Literal["liquid", "ideal_gas"] = "liquid",
    turbulence: Literal["none", "spalart_allmaras"] = "none",
    **options: str | int,
) -> _core.World:
    """An empty world of a solver."""
    from .. import _core

    world = _core.World()
    world.fluid.turbulence = turbulence
    world.solver, world.dimensions, world.fluid.matter = name, dimensions, matter
    world.options = dict(options)
    return world


@cache
def solvers() -> Mapping[str, Solver]:
    """All solvers by name: the built-in ones, and those of other packages, which cannot replace them."""
    found: dict[str, Solver] = {name: import_module(f"{GROUP}.{name}").SOLVER for name in BUILT_IN}
    for entry in entry_points(group=GROUP):
        if entry.name in found:
            continue
        try:
            found[entry.name] = entry.load()
        except Exception as error:  # of the other package, which must not stop the worlds of other solvers
            warnings.warn(f"the solver {entry.name} cannot be loaded: {error}", stacklevel=2)
    return found


_SHOWN: dict[str, Pictured] = {}


def show_quantity(name: str, pictured: Pictured) -> None:
    """Makes a quantity known that `Solver.pictures` does not have, as equations outside the package do."""
    _SHOWN[name] = pictured


def shown_quantity(name: str) -> Pictured | None:
    """A quantity that show_quantity() has made known in this process."""
    return _SHOWN.get(name)


def picture_names() -> tuple[str, ...]:
    """Quantities of pictures of all solvers."""
    return tuple(dict.fromkeys(name for solver in solvers().values() for name in solver.pictures))


def known_solver(name: str) -> Solver | None:
    return solvers().get(name)
