"""Cells, levels, speeds and costs of a world on cells."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from eddyline import _core
from eddyline.solvers.amr.options import (
    BURGERS,
    DEFAULT_PRANDTL,
    EULER,
    EULER_POISSON,
    GASES,
    GRAVITY,
    NAVIER_STOKES,
    WAVE,
    columns_of,
    equations_of,
    module_options,
    options_of,
)
from eddyline.world.problems import rounded
from eddyline.world.samples import Samples, corners, evaluate, lattice
from eddyline.world.scales import Scales, gamma_of
from eddyline.world.schema import (
    WorldFile,
)

RATES = {
    WAVE: 4.0e7,
    GRAVITY: 7.0e6,
    EULER_POISSON: 3.0e6,
    EULER: 4.0e6,
    NAVIER_STOKES: 3.5e6,
    BURGERS: 8.0e6,
}
"""Cell steps a second on one core, rounded towards slower processors."""


COST_OF_BODIES = 1.2
"""Time of a step with bodies over that without: more ghosts, and cells at surfaces one by one."""


BODY_LAYER = 4
"""As in the core."""


CELLS_A_THREAD = 4000
"""Cells that each thread has at least, as in the core."""


SLOTS = 5
"""Copies of each field: the stages of a step."""


MOST_STEPS = 1e13
"""Largest number of time steps of a run, as for other solvers."""


def cells_along(file: WorldFile) -> tuple[int, ...]:
    """Number of cells along each axis."""
    return tuple(round(length / file.domain.spacing) for length in file.domain.size)


def coarsest_spacing(file: WorldFile) -> float:
    """Edge of the cells of level 0 [m]."""
    return math.ldexp(file.domain.spacing, options_of(file).levels - 1)


def has_fixed_levels(file: WorldFile) -> bool:
    """True if refinement is a condition on places, or bodies are all that asks for it."""
    return options_of(file).tolerance is None and refines_places(file)


def refines_places(file: WorldFile) -> bool:
    """True if a condition on places, or bodies without one, ask for refinement, perhaps not alone."""
    refine = options_of(file).refine
    return bool(file.bodies) if refine is None else set(refine.used_variables) <= {"x", "y", "z", "level"}


def cells_of_levels(file: WorldFile) -> list[int]:
    """Cells of each level, level 0 first: as the condition on places says, without those that units and
    nesting add; otherwise at most, if everything is refined."""
    return fewest_cells(file) if has_fixed_levels(file) else _all_cells(file)


def _all_cells(file: WorldFile) -> list[int]:
    """Cells of each level if everything is refined."""
    whole, levels = math.prod(cells_along(file)), options_of(file).levels
    return [round(whole / 2 ** (file.dimensions * (levels - 1 - k))) for k in range(levels)]


def fewest_cells(file: WorldFile) -> list[int]:
    """Cells of each level that are there in any case: level 0, and what a condition on places refines."""
    options, counts = options_of(file), _all_cells(file)
    if options.levels == 1 or not refines_places(file):
        return [counts[0]] + [0] * (options.levels - 1)
    origin, upper = corners(file)
    points = lattice(origin, upper, file.dimensions, 20_000)
    places = {axis: points[:, k] for k, axis in enumerate("xyz")}
    distance = np.full(len(points), math.inf)
    for body in file.bodies.values():
        distance = np.minimum(distance, np.abs(body.core_shape.signed_distance(points)))
    layer = 0.5 * math.sqrt(file.dimensions) + (options.body_layer or BODY_LAYER)
    for level in range(options.levels - 1):
        values = distance <= math.ldexp(layer * coarsest_spacing(file), -level)
        if options.refine is not None:
            values = values | (
                np.asarray(evaluate_condition(options.refine, {**places, "level": float(level)})) != 0
            )
        counts[level + 1] = round(
            counts[level + 1] * float(np.mean(np.broadcast_to(values, len(points)) != 0))
        )
    return counts


def evaluate_condition(formula: _core.Formula, given: Mapping[str, Any]) -> Any:
    return formula.evaluate({name: 0.0 for name in formula.used_variables} | dict(given))


def described_levels(file: WorldFile) -> str:
    options = options_of(file)
    counts = cells_of_levels(file)
    chosen = "" if has_fixed_levels(file) else "if everything is refined, "
    size = rounded(sum(counts) * bytes_per_cell(file) / 1e9, 2)
    return (
        f"{options.levels}, edges {rounded(coarsest_spacing(file))} to {rounded(file.domain.spacing)} m; "
        f"{chosen}{rounded(sum(counts), 2)} cells, {size} GB"
    )


def time_step_of(file: WorldFile, scales: Scales) -> float:
    """The step at the start [s]."""
    options, name = options_of(file), equations_of(file)
    speed = scales.sound_speed * math.sqrt(file.dimensions)
    if name in GASES:
        speed = file.dimensions * (scales.max_speed + scales.sound_speed)
    if name == NAVIER_STOKES:
        most = max(4 / 3, gamma_of(file) / (file.fluid.prandtl or DEFAULT_PRANDTL))
        speed += 2 * file.dimensions * file.fluid.nu * most / file.domain.spacing
    if options.module is not None:
        speed = scales.max_speed or 1.0
    if name == BURGERS:
        speed = file.dimensions * (scales.max_speed or 1.0)
    if name == EULER_POISSON:
        speed = file.dimensions * (scales.max_speed + scales.sound_speed)
        speed += 2 * coarsest_spacing(file) * _swing(file)
    return options.cfl * coarsest_spacing(file) / speed


def bytes_per_cell(file: WorldFile) -> int:
    options = options_of(file)
    formulas = 0 if options.potential is None and options.source is None else 2
    return 8 * (SLOTS * len(columns_of(file)["fields"]) + formulas)


def speeds_of_start(file: WorldFile, samples: Samples) -> Scales:
    """The largest of the fields at the start, which all are speeds."""
    values = [
        np.abs(evaluate(formula, samples.points)).max(initial=0.0) for formula in file.start.fields.values()
    ]
    speed = float(max(values, default=0.0))
    return Scales(speed, speed, "the largest at the start")


def _swing(file: WorldFile) -> float:
    """Rate at which the potential moves gas of the density 1 [1/s]."""
    coupling = options_of(file).coupling
    return math.sqrt(abs(1.0 if coupling is None else coupling))


def scales_of_potential(file: WorldFile, samples: Samples) -> Scales:
    given = file.start.fields
    speeds = [
        np.abs(evaluate(formula, samples.points)).max(initial=0.0)
        for name, formula in given.items()
        if name.startswith("velocity_")
    ]
    sound = options_of(file).sound_speed or 1.0
    return Scales(float(max(speeds, default=0.0)), sound, "method.sound_speed")


def cell_rate(file: WorldFile) -> float:
    """Cell steps a second on one core."""
    module = options_of(file).module
    return RATES[equations_of(file)] if module is None else module.description.cell_steps


def module_speed(file: WorldFile, samples: Samples) -> float:
    """The largest speed of signals at the start, as the equations of a module say; NaN if they refuse it."""
    given = file.start.fields
    names = [name for name, _ in columns_of(file)["fields"]]
    zero = np.zeros(len(samples.points))
    values = [evaluate(given[name], samples.points) if name in given else zero for name in names]
    rows = np.ascontiguousarray([np.broadcast_to(row, zero.shape) for row in values], np.float64)
    options = module_options(options_of(file))
    return _core.equation_speed(equations_of(file), file.dimensions, options, coarsest_spacing(file), rows)
