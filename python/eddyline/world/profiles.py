"""Profiles: a quantity along a line as columns of one series, and as an [[expect]] with a curve takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..signals import root_mean_square, time_mean
from .problems import listed, shown
from .quantities import (
    PROFILE_STATISTICS,
    SCALARS,
    Quantity,
    coordinates_of,
    find_quantity,
    result_names,
    statistics_of,
)
from .schema import Expect, Profile, WorldFile

Floats = NDArray[np.float64]
_SAME_PLACE = 1e-9  # of the length of a curve: rounding of places at its ends


def column_names(profile: Profile) -> list[str]:
    """The columns of its series, one for each place: `velocity_x at 0.25 m`, from the start of the line."""
    return [f"{profile.quantity} at {distance:.6g} m" for distance in coordinate(profile, "distance")]


def coordinate(profile: Profile, name: str) -> Floats:
    """(n,) of its places [m]: `distance` from the start, or `x`, `y`, `z`."""
    places = np.array(profile.places)
    if name == "distance":
        return np.linspace(0.0, float(np.linalg.norm(places[-1] - places[0])), len(places))
    return np.asarray(places[:, "xyz".index(name)])


def statistic_of(time: Floats, values: Floats, statistic: str, after: float = 0.0) -> Floats:
    """(n,) a statistic of the values at each of n places, from `after` on [s]; NaN where there was no fluid.

    time: (rows,) s. values: (rows, n), NaN where there is no fluid.
    """
    time, values = time[time >= after], values[time >= after]
    found = np.full(values.shape[1], np.nan)
    for place, column in enumerate(values.T):
        known = np.isfinite(column)
        if known.any():
            found[place] = _STATISTICS[statistic](time[known], column[known])
    return found


_STATISTICS: dict[str, Callable[[Floats, Floats], float]] = {
    "mean": time_mean,
    "min": lambda time, values: float(values.min()),
    "max": lambda time, values: float(values.max()),
    "final": lambda time, values: float(values[-1]),
    "rms": root_mean_square,
    "amplitude": lambda time, values: 0.5 * float(np.ptp(values)),
}
assert set(_STATISTICS) == set(PROFILE_STATISTICS)


def profiles_in(text: str | None, file: WorldFile, values: Mapping[str, float]) -> list[str]:
    """The profiles that a formula of results names."""
    names = [name.partition(".")[0] for name in result_names(text or "", values)]
    return [name for name in dict.fromkeys(names) if isinstance(file.observe.get(name), Profile)]


def profile_of(expect: Expect, file: WorldFile, values: Mapping[str, float]) -> tuple[str, Profile] | None:
    """The profile that an [[expect]] compares along its line; None if it uses none."""
    for name in profiles_in(expect.quantity, file, values):
        observer = file.observe[name]
        assert isinstance(observer, Profile)
        return name, observer
    return None


def wrong_profile(expect: Expect, file: WorldFile, values: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Problems of an [[expect]] with a curve and profiles, as (key, text of the line from the key on)."""
    named = profiles_in(expect.quantity, file, values)
    others = [name for name in profiles_in(expect.against, file, values) if name not in named]
    along = coordinates_of(file)
    quantity, against = f"quantity = {shown(expect.quantity)}", f"against = {shown(expect.against or '')}"
    if not named:
        yield (
            "against",
            f"{against}; `{others[0]}` is a profile, but quantity contains none. Change one of them.",
        )
        return
    if len(named) > 1:
        yield "quantity", f"{quantity}; uses {listed(named)}; must use one profile. Remove one."
    for found in _results_of(expect.quantity, file, values):
        if found.statistic is None and found.column not in (*along, *SCALARS):
            statistics = statistics_of(found.column) if found.series not in named else PROFILE_STATISTICS
            words = [f".{word}" for word in statistics]
            text = f"`{found.series}.{found.column}` requires a statistic over time: {listed(words, 'or')}."
            yield "quantity", f"{quantity}; {text}"
    places = [
        found.series == named[0] and found.column in along
        for found in _results_of(expect.against or "", file, values)
    ]
    if (
        "time" in result_names(f"{expect.quantity} + {expect.against}", values)
        or not places
        or not all(places)
    ):
        words = [f"{named[0]}.{name}" for name in along]
        yield (
            "against",
            f"{against}; for a profile it must be a formula of {listed(words, 'or')} without time. "
            f'Write against = "{named[0]}.{along[0]}".',
        )


def _results_of(text: str, file: WorldFile, values: Mapping[str, float]) -> list[Quantity]:
    found = [find_quantity(name, file) for name in result_names(text, values) if name != "time"]
    return [each for each in found if isinstance(each, Quantity)]


def difference(x: Floats, y: Floats, curve_x: Floats, curve_y: Floats, shift: float) -> tuple[float, int]:
    """The RMS difference at those points of a curve, moved by `shift` along x, that the profile y(x) reaches,
    and how many they are. x: (n,) rising."""
    slack = _SAME_PLACE * max(float(np.ptp(curve_x)), float(np.ptp(x)))
    moved = curve_x + shift
    covered = (moved >= x[0] - slack) & (moved <= x[-1] + slack)
    gap = np.interp(moved[covered], x, y) - curve_y[covered]
    return float(np.sqrt(np.mean(gap**2))) if covered.any() else float("nan"), int(covered.sum())


def table(profile: Profile, time: Floats, values: Floats, dimensions: int) -> tuple[list[str], list[Floats]]:
    """Names with units, and columns: where the places are, the mean over the run and the last values."""
    axes: Sequence[str] = ("distance", *"xyz"[:dimensions])
    names = [f"{axis} [m]" for axis in axes]
    names += [f"{profile.quantity} {kind} [{profile.unit}]" for kind in ("mean", "last")]
    statistics = [statistic_of(time, values, name) for name in ("mean", "final")]
    return names, [*(coordinate(profile, axis) for axis in axes), *statistics]
