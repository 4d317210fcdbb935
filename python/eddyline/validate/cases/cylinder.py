"""A cylinder in a stream, steady at Re 20 and shedding vortices at Re 100: in a narrow channel (DFG 2D-1 and
2D-2, Schäfer & Turek 1996) and in a free stream, where computations agree within a few per cent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from eddyline.run.derived import derive
from eddyline.run.results import evaluate, trusted
from eddyline.signals import Statistic, power_spectrum, root_mean_square, time_mean
from eddyline.validate.case import Case, Setting
from eddyline.validate.course import Course
from eddyline.validate.drawing import INK, LINES, caption, panels, save
from eddyline.validate.figures import Figure, below, between, relative, report
from eddyline.validate.references import load_world

Floats = NDArray[np.float64]
ROWS = 0.02
"""Time between rows of the series, in diameters over the speed of the stream."""


@dataclass(frozen=True)
class Stream:
    """A stream that ran to its end.

    across: spacings to the diameter.  frames: its series.  values: statistics over the window in which the
    flow is steady or periodic, by name; those that have none yet are missing.
    """

    across: int
    course: Course
    frames: dict[str, pd.DataFrame]
    values: dict[str, Statistic]

    def __getitem__(self, name: str) -> float:
        """A trusted value; NaN, which keeps no limit, if there is none."""
        found = self.values.get(name)
        return float("nan") if found is None else found.value

    @property
    def label(self) -> str:
        return f", D/dx = {self.across}"

    @property
    def per_force(self) -> float:
        """Coefficient over force [m/N in 2D]."""
        return self.course.world.coefficient_of_force or float("nan")


def _stream(name: str, reynolds: int, across: int, end: float, setting: Setting) -> Stream:
    """`end`: in diameters over the speed of the stream."""
    world = load_world(name, {"let.Re": reynolds, "domain.spacing": f"D/{across}", "time.end": f"{end}*D/U"})
    course = Course(world, setting.threads, ROWS * world.let["D"] / world.let["U"])
    course.to(world.end)
    frames = {
        name: pd.DataFrame(rows, columns=list(columns))
        for name, (columns, _, rows) in derive(world, course.simulation.take_series()).items()
    }
    found = trusted(evaluate(world, frames, reached=world.end).values)
    return Stream(
        across, course, frames, {key: value for key, value in found.items() if isinstance(value, Statistic)}
    )


# --- in a narrow channel ------------------------------------------------------------------------------------

CHANNEL = "cylinder"
STEADY = {"drag": 5.5795, "lift": 0.01062, "pressure": 2.938, "eddies": 0.8468}  # DFG 2D-1
ENDS = {20: {10: 20, 20: 50, 40: 20}, 100: {10: 35, 20: 50, 40: 35}}
"""Run times, in D/U, by Reynolds number and spacings to the diameter. At 20 spacings the ringing of the
start dies out late, and the noise of the lift at Re 20, which is small, asks for a long mean: those of 25 D/U
scatter by 0.0025 from run to run. 40 spacings cost eight times as much and have less of both."""
DRAG_MAX, DRAG_MEAN, LIFT, STROUHAL = 3.2274, 3.1958, 1.0039, 0.3018  # DFG 2D-2; lift: half of peak to peak


def run_channel(setting: Setting) -> list[Figure]:
    counts = [10] if setting.quick else [10, 20, 40]
    steady = [_stream(CHANNEL, 20, across, ENDS[20][across], setting) for across in counts]
    figures: list[Figure] = []
    for stream, allowed in zip(steady, [0.05] if setting.quick else [None, 0.02, 0.015], strict=True):
        figures += _steady(stream, allowed, coarse=setting.quick)
    shedding = [
        _stream(CHANNEL, 100, across, 30 if setting.quick else ENDS[100][across], setting)
        for across in counts
    ]
    for stream in shedding:
        figures += _shedding(stream, quick=setting.quick, finest=stream.across == 40)
    _draw_channel(setting, steady, shedding)
    return figures


def _steady(stream: Stream, allowed: float | None, *, coarse: bool) -> list[Figure]:
    """DFG 2D-1, Re 20. At 10 spacings noise may look like an oscillation that has not settled."""
    let, per_force = stream.course.world.let, stream.per_force
    if stream.across == 10:
        found = {
            "drag": per_force * _late_mean(stream, "force.cylinder", "total_x"),
            "lift": per_force * _late_mean(stream, "force.cylinder", "total_y"),
            "pressure": _late_mean(stream, "front_to_back", "pressure_drop") / let["U"] ** 2,
            "eddies": _late_mean(stream, "wake", "recirculation_length") / let["D"],
        }
    else:
        found = {
            "drag": stream["cylinder.drag_coefficient.mean"],
            "lift": stream["cylinder.lift_coefficient.mean"],
            "pressure": stream["front_to_back.pressure_drop.mean"] / let["U"] ** 2,
            "eddies": stream["wake.recirculation_length.mean"] / let["D"],
        }
    names = {
        "drag": "drag coefficient",
        "pressure": "front minus rear pressure / (density U^2)",
        "eddies": "length of the eddies / D",
    }
    part = ", second half" if stream.across == 10 else ""
    limits = {"drag": allowed, "pressure": 0.1 if coarse else 0.02, "eddies": 0.12 if coarse else 0.04}
    figures = []
    for key, name in names.items():
        quantity, limit = f"Re 20: {name}{part}{stream.label}", limits[key]
        if allowed is None or limit is None:
            figures.append(report(quantity, found[key], STEADY[key]))
        else:
            figures.append(relative(quantity, found[key], STEADY[key], limit))
    lift = f"Re 20: lift coefficient{part}{stream.label}"
    if allowed is None:
        figures.append(report(lift, found["lift"], STEADY["lift"]))
    else:
        room = 0.03 if coarse else 0.006
        low, high = STEADY["lift"] - room, STEADY["lift"] + room
        figures.append(between(lift, found["lift"], low, high, f"{STEADY['lift']:.4g}"))
    return figures + stream.course.no_particle_behind_walls(f"{stream.label}, Re 20")


def _shedding(stream: Stream, *, quick: bool, finest: bool) -> list[Figure]:
    """DFG 2D-2, Re 100. At 10 spacings the amplitude wanders, and no periods settle."""
    if stream.across == 10:
        return _late_half(stream, judged=quick)
    found = {
        "highest drag": (stream["cylinder.drag_coefficient.max"], DRAG_MAX, 0.04),
        "mean drag": (stream["cylinder.drag_coefficient.mean"], DRAG_MEAN, None),
        "amplitude of the lift": (stream["cylinder.lift_coefficient.amplitude"], LIFT, 0.1),
        "Strouhal number": (stream["cylinder.strouhal"], STROUHAL, 0.03),
    }
    figures = [
        relative(f"Re 100: {name}{stream.label}", value, published, allowed)
        if finest and allowed is not None
        else report(f"Re 100: {name}{stream.label}", value, published)
        for name, (value, published, allowed) in found.items()
    ]
    what, noise = f"Re 100: noise of the drag / mean drag{stream.label}", "cylinder.drag_coefficient.noise"
    figures.append(below(what, stream[noise], 0.02) if finest else report(what, stream[noise]))
    return figures + stream.course.no_particle_behind_walls(f"{stream.label}, Re 100")


def _late_half(stream: Stream, *, judged: bool) -> list[Figure]:
    """Mean drag, amplitude of the lift and Strouhal number over the second half of a run."""
    let, frame = stream.course.world.let, stream.frames["force.cylinder"]
    late = frame["time"] >= frame["time"].iloc[-1] / 2
    time = frame["time"][late].to_numpy()
    lift = stream.per_force * frame["total_y"][late].to_numpy()
    found = {
        "mean drag": (_late_drag(stream), DRAG_MEAN, 0.12),
        "amplitude of the lift": (np.sqrt(2) * root_mean_square(time, lift), LIFT, 0.2),
        "Strouhal number": (power_spectrum(time, lift, 1).peak * let["D"] / let["U"], STROUHAL, 0.05),
    }
    figures = [
        relative(f"Re 100: {name}, second half{stream.label}", float(value), published, allowed)
        if judged
        else report(f"Re 100: {name}, second half{stream.label}", float(value), published)
        for name, (value, published, allowed) in found.items()
    ]
    return figures + stream.course.no_particle_behind_walls(f"{stream.label}, Re 100")


def _draw_channel(setting: Setting, steady: Sequence[Stream], shedding: Sequence[Stream]) -> None:
    figure, (left, middle, right) = panels(3, 5.0)
    _draw_coefficient(left, steady, "total_x", STEADY["drag"], "Re 20: drag coefficient")
    left.set(ylim=(0.9 * STEADY["drag"], 1.2 * STEADY["drag"]))
    _draw_coefficient(middle, shedding, "total_x", DRAG_MEAN, "Re 100: drag coefficient")
    middle.set(ylim=(0.8 * DRAG_MEAN, 1.4 * DRAG_MEAN))
    _draw_vorticity(right, shedding[-1])
    save(figure, setting.folder)


# --- in a free stream ---------------------------------------------------------------------------------------

FREE = "free_stream"
BANDS = {20: ("1.99 to 2.13", 1.99, 2.13), 100: ("1.31 to 1.38", 1.31, 1.38)}
"""Drag of computations whose domain is blocked by less than 5 per cent."""
FREE_DRAG = {20: 2.00, 100: 1.32}
FREE_STROUHAL = 0.164
FREE_EDDIES = (0.89, 0.95)


def run_free(setting: Setting) -> list[Figure]:
    across = 8 if setting.quick else 20
    slow = _stream(FREE, 20, across, 20 if setting.quick else 40, setting)
    drag = _late_drag(slow) if setting.quick else slow["cylinder.drag_coefficient.mean"]
    figures = [
        _near_band(f"Re 20: drag coefficient{slow.label}", drag, 20, 0.12 if setting.quick else 0.06),
        report(
            f"Re 20: length of the eddies / D{slow.label}",
            slow["wake.recirculation_length.mean"] / slow.course.world.let["D"],
            sum(FREE_EDDIES) / 2,
        ),
        *slow.course.no_particle_behind_walls(f"{slow.label}, Re 20"),
    ]
    streams = [slow]
    if not setting.quick:
        fast = _stream(FREE, 100, across, 80, setting)
        streams.append(fast)
        figures += [
            _near_band(
                f"Re 100: drag coefficient{fast.label}", fast["cylinder.drag_coefficient.mean"], 100, 0.06
            ),
            relative(f"Re 100: Strouhal number{fast.label}", fast["cylinder.strouhal"], FREE_STROUHAL, 0.05),
            report(
                f"Re 100: amplitude of the lift coefficient{fast.label}",
                fast["cylinder.lift_coefficient.amplitude"], 0.33,
            ),
            report(
                f"Re 100: noise of the drag / mean drag{fast.label}", fast["cylinder.drag_coefficient.noise"]
            ),
            *fast.course.no_particle_behind_walls(f"{fast.label}, Re 100"),
        ]  # fmt: skip
    _draw_free(setting, streams)
    return figures


def _near_band(quantity: str, value: float, reynolds: int, beyond: float) -> Figure:
    """Judged by the distance from what computations give: at most `beyond` the ends of their band."""
    words, low, high = BANDS[reynolds]
    return between(quantity, value, (1 - beyond) * low, (1 + beyond) * high, words)


def _late_drag(stream: Stream) -> float:
    """Mean drag coefficient of the second half of a run, settled or not."""
    return stream.per_force * _late_mean(stream, "force.cylinder", "total_x")


def _late_mean(stream: Stream, name: str, column: str) -> float:
    """Statistics of a column of a series over the second half of a run, settled or not."""
    frame = stream.frames[name]
    late = (frame["time"] >= frame["time"].iloc[-1] / 2) & np.isfinite(frame[column])
    return time_mean(frame["time"][late].to_numpy(), frame[column][late].to_numpy())


def _draw_free(setting: Setting, streams: Sequence[Stream]) -> None:
    figure, axes = panels(len(streams) + 1, 5.0)
    for axis, stream, reynolds in zip(axes, streams, (20, 100), strict=False):
        _, low, high = BANDS[reynolds]
        axis.axhspan(low, high, color=INK, alpha=0.12, lw=0)
        _draw_coefficient(axis, [stream], "total_x", FREE_DRAG[reynolds], f"Re {reynolds}: drag coefficient")
        axis.set(ylim=(0.85 * low, 1.25 * high))
    _draw_vorticity(axes[-1], streams[-1])
    save(figure, setting.folder)


# --- pictures -----------------------------------------------------------------------------------------------


def _draw_coefficient(
    axes: Axes, streams: Sequence[Stream], column: str, published: float, title: str
) -> None:
    axes.axhline(published, color=INK, lw=0.8)
    for stream, (color, style) in zip(streams, LINES, strict=False):
        let, frame = stream.course.world.let, stream.frames["force.cylinder"]
        time = frame["time"].to_numpy() * let["U"] / let["D"]
        axes.plot(
            time,
            stream.per_force * frame[column],
            style,
            color=color,
            lw=1.0,
            label=f"D/dx = {stream.across}",
        )
    axes.set(xlabel="time U / D")
    axes.legend(frameon=False, fontsize=8)
    caption(axes, title)


def _draw_vorticity(axes: Axes, stream: Stream) -> None:
    core = stream.course.world.core
    low, size = core.origin, core.size
    high = (low[0] + size[0], low[1] + size[1], 0.0)
    rows = round(400 * size[1] / size[0])
    vorticity = stream.course.simulation.rasters(["vorticity"], (rows, 400), (low[0], low[1], 0.0), high)[0]
    limit = float(np.nanpercentile(np.abs(vorticity), 99))
    extent = (low[0], high[0], low[1], high[1])
    axes.imshow(vorticity, origin="lower", extent=extent, cmap="RdBu_r", vmin=-limit, vmax=limit)
    for line in core.bodies[0].shape.outline(1e-3):
        axes.fill(*np.asarray(line)[:, :2].T, color=INK, lw=0)
    axes.grid(False)
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    caption(axes, f"vorticity at the end, D/dx = {stream.across}")


CASES = [
    Case(CHANNEL, "A cylinder in a narrow channel at Re 20 and 100 (DFG 2D-1 and 2D-2)", run_channel),
    Case(FREE, "A cylinder in a free stream at Re 20 and 100", run_free),
]
