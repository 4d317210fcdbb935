"""Checks of formulas of x, y, z and t: they are finite wherever they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ... import _core
from ..openings import faces
from ..problems import Found, Path, dotted, rounded
from ..samples import Points, Samples, evaluate, face, shown_place, start_places
from ..schema import SIDES, Wall, WorldFile
from ..shapes import Region
from .fluid import tables_of_start, written


def field_problems(file: WorldFile, samples: Samples) -> Found:
    """Every field must be finite where and when it is used; the first place where it is not."""
    for path, formula, _ in _fields_of_start(file):
        if "t" in formula.used_variables:
            yield (
                path,
                (f"{dotted(path)} = {written(formula)}; is evaluated at t = 0 only. Write it without t."),
            )
    for path, formula, points, moments in [*_start_fields(file, samples), *_run_fields(file, samples)]:
        for time in moments:
            values = evaluate(formula, points, time)
            wrong = np.flatnonzero(~np.isfinite(values))
            if len(wrong):
                axes = "x, y, z"[: 3 * file.dimensions - 2]
                at = f"{axes} = {shown_place(points[wrong[0]], file)} m, t = {rounded(time)} s"
                yield path, f"{dotted(path)} gives {values[wrong[0]]} at {at}; must be finite everywhere."
                break
            if file.is_gas and path[-1] in _GAS_LIMITS and len(values):
                on_cells = file.solver.members != "particles"
                sign, holds = _GAS_LIMITS["density" if on_cells else str(path[-1])]
                if holds(values.min()):
                    continue
                place = points[int(values.argmin())]
                at = f"{'x, y, z'[: 3 * file.dimensions - 2]} = {shown_place(place, file)} m"
                text = (
                    f"{dotted(path)} gives {rounded(float(values.min()))} at {at}; must be {sign} 0 in a gas."
                )
                yield path, text


_GAS_LIMITS: dict[str, tuple[str, Callable[[float], bool]]] = {
    "pressure": (">=", lambda least: least >= 0),
    "density": (">", lambda least: least > 0),
}
"""Conditions for the start of a gas: field and sign. On cells the pressure must be > 0 as well."""


_UsedField = tuple[Path, _core.Formula, Points, Sequence[float]]
"""A field with the places [m] and the times [s] at which it is used."""


def _fields_of_start(file: WorldFile) -> Iterator[tuple[Path, _core.Formula, Region | None]]:
    """Each with the region it is of, or the whole fluid."""
    for k, formula in enumerate(file.start.velocity or ()):
        yield ("start", "velocity", k), formula, None
    for name, formula in file.start.fields.items():
        yield ("start", "fields", name), formula, None
    for path, table in tables_of_start(file):
        region = table if isinstance(table, Region) else None
        if table.pressure is not None:
            yield (*path, "pressure"), table.pressure.formula, region
        if table.density is not None:
            yield (*path, "density"), table.density, region


def _start_fields(file: WorldFile, samples: Samples) -> Iterator[_UsedField]:
    """Checked at the initial positions of particles, as samples may miss a spot."""
    fields = list(_fields_of_start(file))
    varies = any(not formula.is_constant for _, formula, _ in fields)
    places = start_places(file) if varies else None
    fluid = samples.points if places is None else places
    for path, formula, region in fields:
        inside = fluid if region is None else fluid[region.core_shape.signed_distance(fluid) < 0]
        yield path, formula, inside, (0.0,)


def _run_fields(file: WorldFile, samples: Samples) -> Iterator[_UsedField]:
    fluid = samples.points
    run = tuple(file.time.end * share for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    for k, formula in enumerate(file.domain.body_force or ()):
        yield ("domain", "body_force", k), formula, fluid, run
    for index, side_name in enumerate(SIDES[: 2 * file.dimensions]):
        side = file.boundaries.side(side_name)
        for k, formula in enumerate((side.velocity or ()) if isinstance(side, Wall) else ()):
            yield ("boundaries", side_name, "velocity", k), formula, face(file, index), run
    for opening in faces(file):
        points, table = opening.points(file.dimensions), opening.table
        if opening.is_inflow:
            for k, formula in enumerate(opening.velocity(file.dimensions)):
                yield (*opening.path, "velocity", k), formula, points, run
        if table.pressure is not None:
            yield (*opening.path, "pressure"), table.pressure, points, run
