"""The results that an [[expect]] may name: columns of series, their statistics, and coefficients."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from .. import _core
from .curves import find_curve
from .formulas import RESERVED, names_in, sentence, without_formula
from .outline import Tables
from .problems import did_you_mean, listed, shown
from .schema import (
    SIDES,
    Expect,
    Front,
    Gauge,
    Isosurface,
    Line,
    Particle,
    Patch,
    PressureDrop,
    Probe,
    Profile,
    Torque,
    WorldFile,
)
from .shapes import Table

RINGING = ("frequency", "decay_rate")
"""Parameters of the least-squares damped oscillation of a series [1/s]."""
STATISTICS = ("mean", "min", "max", "final", "rms", "amplitude", *RINGING)
"""Statistics of a series, from `after` to the end; rms is that of the deviation from the mean, amplitude half
of max - min."""
TRUSTED = ("mean", "min", "max", "rms", "amplitude", "noise")
"""Statistics of coefficients, pressure drops and lines, over the window in which the flow is steady or
periodic. noise: standard deviation after removal of period and harmonics, relative to the mean."""
COEFFICIENTS = {"drag_coefficient": "total_x", "lift_coefficient": "total_y"}
"""Coefficients: force / (density velocity^2 length / 2), in 3D with area for length; and the force that
each is made of."""
SCALARS = ("strouhal",)
"""Results of a body from the analysis of the whole run."""
PROFILE_STATISTICS = ("mean", "min", "max", "final", "rms", "amplitude")
"""Statistics of a profile, at each of its points."""
DERIVED = {
    Patch: (("pressure", "Pa"), ("wet_share", "1")),
    PressureDrop: (("pressure_drop", "Pa"),),
    Line: (("recirculation_length", "m"),),
}
"""Columns and units of series that are made of samples of the core, see `eddyline.run.derived`."""


@dataclass(frozen=True)
class Quantity:
    """A name in an [[expect]]: `column` of `series`, and the statistic to take, if any."""

    series: str
    column: str
    statistic: str | None = None


def series_columns(file: WorldFile) -> dict[str, list[str]]:
    """The columns of each series that a run of this world writes, `time` left out."""
    return {name: [column for column, _ in columns] for name, columns in series_units(file).items()}


def series_units(file: WorldFile) -> Tables:
    """The columns and units of each series that a run of this world writes, as the core names them, and of
    those that are derived from series of the core."""
    world = file.solver.outline(file)
    world.probes = [_core.Probe(name, (0, 0, 0)) for name in _named(file, Probe)]
    world.gauges = [_core.Gauge(name, (0, 0, 0), 0) for name in _named(file, Gauge)]
    world.fronts = [_core.Front(name, 0) for name in _named(file, Front)]
    if file.solver.members == "particles":
        world.options |= {f"tracked.{name}.id": 0 for name in _named(file, Particle)}
    known = _core.series_columns(world)
    observed = {name: known.pop(name, []) for name in file.observe}
    for name, observer in file.observe.items():
        if isinstance(observer, Torque):
            force = known.get(f"force.{observer.body}", [])
            observed[name] = [(column, unit) for column, unit in force if column.startswith("torque")]
        elif isinstance(observer, Profile):
            observed[name] = [(observer.quantity, observer.unit)]  # at each place
        elif isinstance(observer, Isosurface):  # has no series
            del observed[name]
        elif type(observer) in DERIVED:
            observed[name] = list(DERIVED[type(observer)])
    return known | observed


def _named(file: WorldFile, kind: type[Table]) -> list[str]:
    return [name for name, observer in file.observe.items() if isinstance(observer, kind)]


def bodies_with_forces(file: WorldFile, names: Iterable[str]) -> list[str]:
    """Bodies of the world, and after them those that were added to the run, which only their series know.

    names: of all series.
    """
    found = {name.removeprefix("force."): None for name in names if name.startswith("force.")}
    of_world = [name for name in file.bodies if name in found]
    return [*of_world, *(name for name in found if name not in of_world and name not in SIDES)]


def coefficient_columns(file: WorldFile) -> dict[str, list[str]]:
    """Results for each body besides its forces, if there is a [reference]."""
    if file.reference is None or (file.dimensions == 3 and file.reference.area is None):
        return {}
    return {name: [*COEFFICIENTS, *SCALARS] for name in file.bodies}


def coordinates_of(file: WorldFile) -> tuple[str, ...]:
    """Names of the coordinates of a profile [m]; `distance` is measured from the start of the line."""
    return ("distance", *"xyz"[: file.dimensions])


def _find_in_profile(name: str, observer: Profile, file: WorldFile) -> Quantity | str:
    series, _, rest = name.partition(".")
    column, _, statistic = rest.partition(".")
    along = coordinates_of(file)
    if column not in (observer.quantity, *along):
        known = [f"{series}.{each}" for each in (observer.quantity, *along)]
        return f"unknown result `{name}`. {did_you_mean(f'{series}.{column}', known, 'and')}"
    statistics = PROFILE_STATISTICS if column == observer.quantity else ()
    if statistic and statistic not in statistics:
        return f"unknown statistic in `{name}`; known: {listed(statistics) or 'none'}"
    return Quantity(series, column, statistic or None)


def find_quantity(name: str, file: WorldFile) -> Quantity | str:
    """The quantity of this name, or the error in it."""
    observer = file.observe.get(name.partition(".")[0])
    if isinstance(observer, Profile):
        return _find_in_profile(name, observer, file)
    known = {**series_columns(file), **coefficient_columns(file)}
    for series, columns in known.items():
        if name.startswith(f"{series}."):
            column, _, statistic = name[len(series) + 1 :].partition(".")
            if column not in columns:
                near = did_you_mean(f"{series}.{column}", [f"{series}.{known_}" for known_ in columns], "and")
                return f"unknown result `{name}`. {near}"
            statistics = statistics_of(column)
            if statistic and statistic not in statistics:
                return f"unknown statistic in `{name}`; known: {listed(statistics) or 'none'}"
            return Quantity(series, column, statistic or None)
    body, _, rest = name.partition(".")
    if body in file.bodies and rest.split(".")[0] in (*COEFFICIENTS, *SCALARS):
        area = " and area" if file.dimensions == 3 else ""
        reason = f"[reference] with velocity{', length' if area else ' and length'}{area}"
        return f"`{name}` needs {reason}"
    names = [f"{series}.{column}" for series, columns in known.items() for column in columns]
    return f"unknown result `{name}`. {_near(name, names)}"


def statistics_of(column: str) -> tuple[str, ...]:
    """The statistics that a column has; none for what is one number of the whole run."""
    if column in SCALARS:
        return ()
    return tuple(dict.fromkeys((*STATISTICS, *TRUSTED))) if is_trusted(column) else STATISTICS


def is_trusted(column: str) -> bool:
    """True if the statistics of a column are taken where the flow is steady or periodic, unless `after` is
    given."""
    return column in COEFFICIENTS or column in ("pressure_drop", "recirculation_length")


def is_point(expect: Expect, file: WorldFile, values: Mapping[str, float]) -> bool:
    """True if a curve is compared at one point, as neither of its formulas names a whole series."""
    names = [
        name for text in (expect.quantity, expect.against) if text for name in result_names(text, values)
    ]
    found = [find_quantity(name, file) for name in names if name != "time"]
    return "time" not in names and all(
        isinstance(item, Quantity)
        and (item.statistic is not None or item.column in SCALARS)
        and not isinstance(file.observe.get(item.series), Profile)
        for item in found
    )


def _near(name: str, names: list[str]) -> str:
    text = did_you_mean(name, names)
    series = list(dict.fromkeys(known.rpartition(".")[0] for known in names))
    return text if text.startswith("Did") else f"Series of this world: {listed(series)}"


def result_names(text: str, values: Mapping[str, float]) -> list[str]:
    """The names in a formula that are neither [let] values nor functions."""
    return [
        name for name in names_in(text) if name not in values and (name not in RESERVED or name == "time")
    ]


def plain_formula(text: str, values: Mapping[str, float]) -> tuple[_core.Formula, dict[str, str]]:
    """The formula of [let] values and results; and for each result in it the name that evaluate() takes."""
    names = result_names(text, values)
    return _core.Formula(text, (*values, *names)), {name: name for name in names}


def may_be_finite(text: str, values: Mapping[str, float]) -> bool:
    """True if a formula is finite for at least one of many trial results, of all sizes and both signs."""
    compiled, names = plain_formula(text, values)
    random, tried = np.random.default_rng(1), 256
    results = {
        name: random.choice((-1.0, 1.0), tried) * 10.0 ** random.uniform(-9, 9, tried)
        for name in names.values()
    }
    return bool(np.isfinite(compiled.evaluate({**values, **results})).any())


def check_quantity(expect: Expect, file: WorldFile, values: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Errors in the formulas of an [[expect]], as (key, text of the line from the key on)."""
    one_number = expect.curve is None or is_point(expect, file, values)
    for key in ("quantity", "against"):
        text: str | None = getattr(expect, key)
        if text is not None:
            wrong_formula = wrong_quantity if key == "quantity" else wrong_in
            for wrong in wrong_formula(text, file, values, one_number=one_number):
                yield key, f"{key} = {shown(text)}; {wrong}"
    if expect.after > 0 and ".noise" in expect.quantity:
        yield (
            "after",
            f"after = {shown(expect.after)}; noise always refers to the steady or periodic part. Remove "
            "after.",
        )
    if expect.after >= file.time.end:
        yield "after", f"after = {shown(expect.after)}; must be < time.end = {shown(file.time.end)}."


def wrong_quantity(
    text: str, file: WorldFile, values: Mapping[str, float], *, one_number: bool
) -> Iterator[str]:
    """Error in a formula of at least one result."""
    if not result_names(text, values):
        known = list(series_columns(file))
        yield f"contains no result of the run. Series of this world: {listed(known)}."
    yield from wrong_in(text, file, values, one_number=one_number)


def wrong_in(text: str, file: WorldFile, values: Mapping[str, float], *, one_number: bool) -> Iterator[str]:
    """Error in a formula of results; `one_number`: each result must be one number, not a series."""
    wrong = False
    for name in result_names(text, values):
        found = Quantity("", "time") if name == "time" else find_quantity(name, file)
        if isinstance(found, str):
            yield sentence(found)
            wrong = True
        elif one_number and isinstance(file.observe.get(found.series), Profile):
            yield (
                f"`{found.series}` is a profile with one value per position; it requires an [[expect]] with "
                f'curve, against = "{found.series}.distance" and band. Use these, or a probe.'
            )
            wrong = True
        elif one_number and found.statistic is None and found.column not in SCALARS:
            words = [f"{name if k == 0 else ''}.{word}" for k, word in enumerate(statistics_of(found.column))]
            yield f"`{name}` is a series. Add a statistic: {listed(words, 'or')}."
            wrong = True
    if not wrong:
        try:
            plain_formula(text, values)
        except _core.UserError as error:
            yield sentence(without_formula(str(error)))


def check_curve(expect: Expect, folders: list[str]) -> Iterator[tuple[str, str]]:
    """Error in the curve's file, as (key, text of the line from the key on)."""
    if expect.curve is not None:
        try:
            find_curve(expect.curve, folders)
        except ValueError as error:
            yield "curve", f"curve = {shown(expect.curve)}; {sentence(str(error))}"
