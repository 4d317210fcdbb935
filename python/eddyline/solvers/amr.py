"""Equations on Cartesian cells in patches. Today: the wave equation in a periodic box, on one level."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from eddyline import _core
from eddyline.world import checks
from eddyline.world.build import plain_world
from eddyline.world.estimate import Estimate, Plan
from eddyline.world.memory import MOST, available_memory
from eddyline.world.problems import Path, above, below, dotted, number, rounded
from eddyline.world.samples import Samples
from eddyline.world.scales import Scales
from eddyline.world.schema import SIDES, Isosurface, Periodic, Probe, WorldFile
from eddyline.world.shapes import Table
from eddyline.world.solver import Found, Pictured, Rows, SolverOptions
from eddyline.world.values import Count, Positive
from eddyline.world.world import World

FEWEST_ACROSS = 8
"""Smallest number of cells along a side: the widest stencil, order 6, has 7 points."""


class AmrOptions(SolverOptions):
    """Equations on Cartesian cells with the edge domain.spacing, in patches. The wave equation
    d2u/dt2 = wave_speed^2 laplace(u) in a periodic box: [start.fields] has u [m] and p = du/dt [m/s]."""

    name: Literal["amr"]
    equations: Literal["wave"] = Field(default="wave", description="Equations: the wave equation.")
    wave_speed: Positive = Field(default=1.0, description="Speed of waves [m/s].")
    order: Literal[2, 4, 6] = Field(default=4, description="Order of the finite differences in space.")
    cfl: Annotated[Positive, Field(le=0.9)] = Field(
        default=0.4, description="dt = cfl edge / (wave_speed sqrt(dimensions))."
    )
    patch: Annotated[Count, Field(ge=8, le=1024)] = Field(
        default=32, description="Cells along the edge of a patch; it changes no result."
    )


class Amr:
    """See `eddyline.world.solver.Solver`."""

    name = "amr"
    title = "Cartesian cells in patches"
    not_steered = "the solver amr can add and remove probes while it runs, and change nothing else."
    options: type[SolverOptions] = AmrOptions
    tables: Mapping[str, type[Table]] = {}
    members = "cells"
    pictures: Mapping[str, Pictured] = {
        "u": Pictured("displacement u", "m", diverging=True),
        "p": Pictured("rate p = du/dt", "m/s", diverging=True),
    }
    snapshot_fields: Mapping[str, str] = {"u": "m", "p": "m/s"}

    def has_fluid(self, method: Mapping[str, Any]) -> bool:
        return False

    def start_fields(self, file: WorldFile) -> Mapping[str, str]:
        return {"u": "displacement [m]", "p": "its rate, du/dt [m/s]"}

    def pictured(self, file: WorldFile) -> tuple[str, ...]:
        return tuple(self.pictures)

    def kept(self, file: WorldFile) -> tuple[str, ...]:
        return tuple(self.pictures)

    def refusals(self, file: WorldFile) -> Found:
        return _refusals(file)

    def problems(self, file: WorldFile, samples: Samples, names: dict[str, float]) -> Found:
        yield from _cells(file)
        yield from _memory(file)
        yield from checks.common_problems(file, samples, names)

    def scales(self, file: WorldFile, samples: Samples) -> Scales:
        speed = options_of(file).wave_speed
        return Scales(speed, speed, "method.wave_speed")

    def step_problems(self, file: WorldFile, scales: Scales) -> Found:
        steps = file.time.end / _time_step(file)
        if not steps <= MOST_STEPS:
            yield (
                ("time", "end"),
                f"time.end = {number(file.time.end)} s takes about {rounded(steps, 2)} time steps; must be "
                f"at most {rounded(MOST_STEPS)}. Reduce time.end.",
            )

    def warnings(self, world: World) -> Iterator[str]:
        if not any(formula.text != "0" for formula in world.file.start.fields.values()):
            yield "[start.fields] has neither u nor p, so nothing moves."

    def notes(self, world: World, samples: Samples) -> Iterator[str]:
        return iter(())

    def build(self, file: WorldFile, scales: Scales) -> _core.World:
        return plain_world(file)

    def series(self, file: WorldFile) -> dict[str, list[str]]:
        columns = {"budget": list(BUDGET)}
        columns |= {name: list(self.pictures) for name in file.observe}
        return columns

    def estimate(self, world: World) -> Estimate:
        cells = math.prod(cells_along(world.file))
        return Estimate(
            counts={"cells": cells},
            memory_bytes=cells * BYTES_PER_CELL,
            time_step=_time_step(world.file),
            step_seconds=cells / RATE,
            threads=max(1, cells // CELLS_A_THREAD),
            snapshot_bytes=cells * BYTES_OF_SNAPSHOT,
        )

    def describe(self, world: World, found: Plan) -> Rows:
        options = options_of(world.file)
        yield "equations", f"wave equation, speed {rounded(options.wave_speed)} m/s"
        yield (
            "scheme",
            f"differences of order {options.order}, patches of up to {options.patch} cells along an edge",
        )
        yield "time step", f"{rounded(found.estimate.time_step)} s, limited by the speed of waves"

    def remarks(self, world: World, found: Plan) -> Iterator[str]:
        return iter(())


SOLVER = Amr()

BUDGET = ("step", "energy", "max_u")
"""Columns of the budget."""
BYTES_PER_CELL = 80
"""Memory per cell: two fields of five stages, measured."""
RATE = 4.0e7
"""Cell steps a second on one core: 45 to 74 million on an EPYC Zen 4 (AVX-512), rounded towards slower
processors."""
CELLS_A_THREAD = 4000
"""Cells that each thread has at least, as in the core."""
BYTES_OF_SNAPSHOT = 16
"""Per cell: two doubles."""
MOST_STEPS = 1e13
"""Largest number of time steps of a run, as for other solvers."""


def options_of(file: WorldFile) -> AmrOptions:
    assert isinstance(file.method, AmrOptions)
    return file.method


def cells_along(file: WorldFile) -> tuple[int, ...]:
    """Number of cells along each axis."""
    return tuple(round(length / file.domain.spacing) for length in file.domain.size)


def _time_step(file: WorldFile) -> float:
    options = options_of(file)
    return options.cfl * file.domain.spacing / (options.wave_speed * math.sqrt(file.dimensions))


def _cells(file: WorldFile) -> Found:
    """The domain is a whole number of cells, and of enough of them."""
    spacing = file.domain.spacing
    for axis, length in enumerate(file.domain.size):
        count = length / spacing
        if abs(count - round(count)) > 1e-6 * count:
            fit = length / math.ceil(count)
            yield (
                ("domain", "size", axis),
                f"domain.size[{axis}] = {number(length)} m is {rounded(count, 6)} cells of domain.spacing = "
                f"{number(spacing)} m; must be a whole number. Try domain.spacing = {number(fit)}.",
            )
        elif round(count) < FEWEST_ACROSS:
            yield (
                ("domain", "size", axis),
                f"domain.size[{axis}] = {number(length)} m is {round(count)} cells; must be at least "
                f"{FEWEST_ACROSS}. Try domain.spacing = {below(length / FEWEST_ACROSS)}.",
            )


def _memory(file: WorldFile) -> Found:
    """The cells fit into the memory of this machine."""
    cells, free = math.prod(cells_along(file)), available_memory()
    limit = math.inf if free is None else max(float(free), 1e6)
    if cells * BYTES_PER_CELL <= limit and cells <= MOST:
        return
    coarser = max(cells * BYTES_PER_CELL / limit, cells / MOST) ** (1 / file.dimensions)
    room = f"{rounded(limit / 1e9, 3)} GB of memory are free"
    if cells > MOST:
        room = f"{rounded(MOST, 1)} is the most"
    yield (
        ("domain", "spacing"),
        f"domain.spacing = {number(file.domain.spacing)} makes {rounded(cells, 2)} cells, "
        f"{rounded(cells * BYTES_PER_CELL / 1e9, 3)} GB; {room}. Try "
        f"{above(coarser * file.domain.spacing)}, or a smaller domain.",
    )


def _refusals(file: WorldFile) -> Found:
    """Parts of a world that the wave equation in a periodic box does not have."""
    what = "the wave equation of the solver amr has"
    if file.given_fluid is not None:
        yield ("fluid",), f"fluid: {what} no fluid. Remove [fluid]."
    for key, name in (("gravity", "gravity"), ("body_force", "body force")):
        if getattr(file.domain, key) is not None:
            yield ("domain", key), f"domain.{key}: {what} no {name}. Remove domain.{key}."
    for key in sorted(file.start.model_fields_set - {"fields"}):
        hint = " Write [start.fields] with u and p" if key == "velocity" else " Remove it"
        yield ("start", key), f"start.{key}: {what} no such start.{hint}."
    for side_name in SIDES[: 2 * file.dimensions]:
        side = file.boundaries.side(side_name)
        if not isinstance(side, Periodic):
            given = side_name in file.boundaries.model_fields_set
            path: Path = ("boundaries", side_name, "type") if given else ("boundaries",)
            found = (
                f'boundaries.{side_name}.type = "{side.type}"'
                if given
                else f"boundaries.{side_name} is not given"
            )
            yield path, f'{found}; {what} periodic sides only. Write {side_name} = {{ type = "periodic" }}.'
    for kind, tables in (("regions", file.regions), ("openings", file.openings), ("bodies", file.bodies)):
        for name in tables:
            yield (kind, name), f"{dotted((kind, name))}: {what} no {kind}. Remove it."
    if file.output.cut is not None and file.output.cut.normal == "none":
        yield (
            ("output", "cut", "normal"),
            f'output.cut.normal = "none"; {what} no surface to see from outside. Write x, y or z.',
        )
    for name, observer in file.observe.items():
        if not isinstance(observer, Probe | Isosurface):
            yield (
                ("observe", name, "type"),
                f'observe.{name}.type = "{observer.type}"; {what} probes and isosurfaces only. Change '
                "it, or remove this observer.",
            )
