"""The results of a run: values with windows and errors, held against what the world expects."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.run.analysis import NotPeriodic, Periodic, Statistic, find_periods, over_periods, time_mean

if TYPE_CHECKING:
    import pandas as pd

    from eddyline.world import Comparison, World

Series = Mapping[str, "pd.DataFrame"]
COEFFICIENTS = {"drag_coefficient": "total_x", "lift_coefficient": "total_y"}
COARSE = 40  # spacings to the reference length, below which resolution is the first suspect


@dataclass(frozen=True)
class Value:
    """A number with what it is: `name` (as in [[expect]]), statistical `error`, and the `window` it comes
    from [s]."""

    name: str
    value: float | None
    unit: str
    error: float | None = None
    window: tuple[float, float] | None = None
    note: str = ""


@dataclass(frozen=True)
class Results:
    """values: of bodies (coefficients, Strouhal numbers, forces); comparisons: one for each [[expect]] that
    holds."""

    values: list[Value]
    comparisons: list[Comparison]
    reasons: list[str]
    spacing: str
    summary: dict[str, dict[str, dict[str, float]]]

    def to_json(self) -> dict[str, Any]:
        return {
            "format": 1,
            "spacing": self.spacing,
            "values": [asdict(value) for value in self.values],
            "expectations": [
                {**asdict(comparison), "reason": reason}
                for comparison, reason in zip(self.comparisons, self.reasons, strict=True)
            ],
            "series": self.summary,
        }


def evaluate(world: World, series: Series, *, reached: float) -> Results:
    """The results of a run that came to the time `reached` [s]."""
    from eddyline.world import evaluate_expectations

    values = list(_body_values(world, series))
    scalars = {
        value.name: value.value for value in values if value.value is not None and value.note == "periodic"
    }
    notes = {value.name: value.note for value in values if value.value is None}
    comparisons = [
        replace(comparison, note=_note(comparison, notes)) if comparison.measured is None else comparison
        for comparison in evaluate_expectations(world, series, scalars)
    ]
    return Results(
        values=values,
        comparisons=comparisons,
        reasons=[likely_reason(world, comparison, reached) for comparison in comparisons],
        spacing=spacing_text(world),
        summary={name: summarise(frame) for name, frame in series.items()},
    )


def summarise(frame: pd.DataFrame) -> dict[str, dict[str, float]]:
    """mean (over time), min, max and final of each column of a series."""
    out: dict[str, dict[str, float]] = {}
    time = frame["time"].to_numpy()
    for column in frame.columns:
        values = frame[column].to_numpy()
        known = np.isfinite(values)
        if column == "time" or not known.any():
            continue
        out[str(column)] = {
            "mean": time_mean(time[known], values[known]),
            "min": float(values[known].min()),
            "max": float(values[known].max()),
            "final": float(values[known][-1]),
        }
    return out


def likely_reason(world: World, comparison: Comparison, reached: float) -> str:
    """Why a value probably lies outside; empty if it does not."""
    if comparison.inside is not False:
        return ""
    if reached < 0.999 * world.end:
        return f"likely too short: the run stopped at t = {reached:.4g} s of {world.end:.4g} s"
    reference = world.reference
    blockage = _blockage(world)
    reasons = []
    if reference is not None and reference.length / world.core.spacing < COARSE:
        reasons.append(
            f"resolution ({reference.length / world.core.spacing:.0f} spacings to the reference length)"
        )
    if blockage > 0.1:
        reasons.append(f"blockage ({blockage:.0%} of the height is body)")
    if not reasons:
        reasons.append("resolution, or a run too short")
    return "likely " + " and ".join(reasons)


def spacing_text(world: World) -> str:
    """The spacing as the world file writes it, e.g. `D/20`."""
    import tomlkit

    raw = tomlkit.parse(world.source).unwrap().get("domain", {}).get("spacing")
    return raw.replace(" ", "") if isinstance(raw, str) else f"{world.core.spacing:.4g} m"


def _blockage(world: World) -> float:
    """The largest share of the domain's height that one body takes (2D)."""
    if world.core.dimensions != 2:
        return 0.0
    heights = [body.shape.bounds[1][1] - body.shape.bounds[0][1] for body in world.core.bodies]
    return max(heights, default=0.0) / float(world.core.size[1])


def _body_values(world: World, series: Series) -> Iterator[Value]:
    for body in world.core.bodies:
        frame = series.get(f"force.{body.name}")
        if frame is not None and len(frame) > 1:
            yield from (
                _coefficients(world, body.name, frame)
                if _has_coefficients(world)
                else _forces(body.name, frame)
            )


def _has_coefficients(world: World) -> bool:
    return world.reference is not None and world.core.dimensions == 2


def _coefficients(world: World, body: str, frame: pd.DataFrame) -> Iterator[Value]:
    """Drag and lift coefficients and the Strouhal number; over whole periods where the lift is periodic."""
    reference = world.reference
    assert reference is not None
    factor = 2 / (world.core.fluid.density * reference.velocity**2 * reference.length)
    time = frame["time"].to_numpy()
    found = find_periods(time, frame["total_y"].to_numpy())
    for coefficient, column in COEFFICIENTS.items():
        values = factor * frame[column].to_numpy()
        for statistic in ("mean", "max", "min", "rms"):
            name = f"{body}.{coefficient}.{statistic}"
            if isinstance(found, Periodic):
                got = over_periods(time, values, found, statistic)
                yield Value(name, got.value, "1", got.error, got.window, "periodic")
            elif statistic == "mean":
                got = second_half(time, values)
                yield Value(
                    name, got.value, "1", got.error, got.window, f"{found.reason}: over the second half"
                )
    if isinstance(found, Periodic):
        scale = reference.length / reference.velocity
        error = found.frequency_error * scale
        yield Value(f"{body}.strouhal", found.frequency * scale, "1", error, found.window, "periodic")
    else:
        yield Value(f"{body}.strouhal", None, "1", note=_why_not(found, world.end))


def _forces(body: str, frame: pd.DataFrame) -> Iterator[Value]:
    """Mean forces; newtons, in two dimensions newtons per metre."""
    time = frame["time"].to_numpy()
    units = frame.attrs.get("units", {})
    for column in frame.columns:
        if str(column).startswith("total_"):
            got = second_half(time, frame[column].to_numpy())
            name = f"force.{body}.{column}.mean"
            yield Value(
                name, got.value, units.get(column, "N"), got.error, got.window, "over the second half"
            )


def second_half(time: np.ndarray[Any, Any], values: np.ndarray[Any, Any], batches: int = 5) -> Statistic:
    """The mean over the second half of a run; its error from the scatter of the means of `batches` parts."""
    known = np.isfinite(values) & (time >= 0.5 * (time[0] + time[-1]))
    if not known.any():
        return Statistic(float("nan"), None, (float(time[0]), float(time[-1])))
    time, values = time[known], values[known]
    window = (float(time[0]), float(time[-1]))
    parts = [part for part in np.array_split(np.arange(len(time)), batches) if len(part) > 1]
    means = np.array([time_mean(time[part], values[part]) for part in parts])
    error = float(means.std(ddof=1)) / len(means) ** 0.5 if len(means) > 1 else None
    return Statistic(time_mean(time, values), error, window)


def _why_not(found: NotPeriodic, end: float) -> str:
    if found.likely is None:
        return found.reason
    return f"{found.reason}, likely at t = {found.likely:.2g} s" + (
        " (set time.end)" if found.likely > end else ""
    )


def _note(comparison: Comparison, notes: Mapping[str, str]) -> str:
    for name, note in notes.items():
        if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", comparison.quantity):
            return note
    return comparison.note
