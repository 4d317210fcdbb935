"""Charts of profiles: the mean and the last values along a line, with what is published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.plot import references
from eddyline.plot.chart import INK, Chart, Vector, draw_reference, line, pretty

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eddyline.world import Expect, World
    from eddyline.world.schema import Profile
    from eddyline.world.series_table import SeriesTable


def profile_chart(name: str, profile: Profile, frame: SeriesTable) -> Chart:
    """The quantity over the distance from the start of the line: mean over the run and last values."""
    from eddyline.world.profiles import column_names, coordinate, statistic_of

    time, values = np.asarray(frame["time"]), np.asarray(frame[column_names(profile)])
    x = coordinate(profile, "distance")
    mean, last = (statistic_of(time, values, statistic) for statistic in ("mean", "final"))
    plain = profile.quantity.replace("_", " ")

    def draw(axes: Axes) -> None:
        _lines(axes, [(x, mean, "mean over the run"), (x, last, f"at t = {time[-1]:.4g} s")])
        axes.set_xlabel("distance [m]")
        axes.set_ylabel(f"{plain} [{profile.unit}]")

    title = f"{plain} along {name.replace('_', ' ')}".capitalize()
    return Chart(name, title, f"{title}: mean over the run, and at its end", draw)


def expected_profile_chart(
    world: World, expect: Expect, series: Mapping[str, SeriesTable], comparison: Mapping[str, Any]
) -> tuple[Chart | None, list[str]]:
    """A profile as an [[expect]] takes it, its last values, and the published curve with its band."""
    from eddyline.world import reference_curve
    from eddyline.world.expect import profile_along
    from eddyline.world.profiles import profile_of

    profile, curve = profile_of(expect, world.file, world.let), reference_curve(world, expect)
    found = profile_along(world, expect, series)
    if profile is None or curve is None or found is None or not len(found[0]):
        return None, []
    assert expect.band is not None
    name, observer, band = *profile, expect.band
    statistic = rf"\b{name}\.{observer.quantity}\.\w+"
    at_end = re.sub(statistic, f"{name}.{observer.quantity}.final", expect.quantity)
    last = None if at_end == expect.quantity else profile_along(world, expect, series, at_end)
    shift = float(comparison.get("shift") or 0.0)
    source = references.short(expect.source) if expect.source else "expected"

    def draw(axes: Axes) -> None:
        draw_reference(axes, curve.x + shift, curve.y, band, source)
        ends = [(*last, "at the end of the run")] if last is not None else []
        _lines(axes, [(*found, "this run"), *ends])
        axes.set_xlabel(pretty(expect.against or ""))
        axes.set_ylabel(pretty(expect.quantity))

    moved = f", shifted by {shift:.3g} along the axis for the best agreement" if shift else ""
    text = (
        f"{pretty(expect.quantity)} over {pretty(expect.against or '')}: line, with {source}: points{moved}"
    )
    return Chart(name, f"{pretty(expect.quantity)} against {source}", text, draw), [name]


def _lines(axes: Axes, curves: list[tuple[Vector, Vector, str]]) -> None:
    for number, (x, y, label) in enumerate(curves):
        if np.isfinite(y).any():
            line(axes, x, y, number, label)
    axes.legend(frameon=False, labelcolor=INK, fontsize=9, loc="best")
