"""The part of a report about a particle that went bad: charts of its last steps, and its neighbours."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eddyline.plot.chart import LINES, QUIET, Chart
from eddyline.run.folder import RunFolder
from eddyline.run.runaway import AXES, distances, periods
from eddyline.stream.corrupt import reading
from eddyline.world.problems import rounded

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from eddyline.run.record import Run

SHOWN = ("speed", "density", "pressure")


def read_failure(folder: RunFolder) -> pd.DataFrame | None:
    """failure.csv with plain names, the speed, and units in `.attrs["units"]`, the bad particle first in each
    step; None without such a file. Raises CorruptFileError."""
    import pandas as pd

    content = folder.read_file(folder.failure)
    if content is None:
        return None
    with reading(folder.failure):
        frame = pd.read_csv(io.BytesIO(content), dtype={"step": np.int64, "id": np.int64})
        units = {name: unit.rstrip("]") for name, _, unit in (each.partition(" [") for each in frame.columns)}
        frame.columns = list(units)
        velocity = [frame[f"velocity_{axis}"] for axis in AXES if f"velocity_{axis}" in frame]
        frame["speed"] = np.sqrt(sum(each**2 for each in velocity))
    frame.attrs["units"] = units | {"speed": units["velocity_x"]}
    return frame


def charts(frame: pd.DataFrame) -> Iterator[Chart]:
    """Speed, density and pressure of the bad particle and its neighbours over the steps."""
    if frame["step"].nunique() < 2:
        return
    bad = int(frame["id"].iloc[0])
    for name in SHOWN:
        what = f"{name.capitalize()} of particle {bad}"
        yield Chart(
            f"failure_{name}",
            what,
            f"{what} and, in grey, of its neighbours over its last steps",
            _drawing(frame, bad, name),
        )


def _drawing(frame: pd.DataFrame, bad: int, name: str) -> Callable[[Axes], None]:
    def draw(axes: Axes) -> None:
        for id, rows in frame.groupby("id"):
            if id != bad:
                axes.plot(rows["step"], rows[name], color=QUIET, lw=0.8, alpha=0.6)
        rows = frame[frame["id"] == bad]
        axes.plot(rows["step"], rows[name], color=LINES[0][0], marker="o", ms=3)
        axes.set(xlabel="step", ylabel=f"{name} [{frame.attrs['units'][name]}]")

    return draw


def neighbor_rows(run: Run, frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """(id, distance, position, speed, density, pressure) of the bad particle, then of the nearest ones, in
    the last step."""
    last = frame[frame["step"] == frame["step"].max()]
    axes = [f"position_{axis}" for axis in AXES if f"position_{axis}" in frame]
    positions = last[axes].to_numpy(dtype=np.float64)
    apart = distances(positions, positions[0], periods(run.world))
    order = [0, *(1 + np.argsort(apart[1:], kind="stable"))]
    return [
        (
            str(last["id"].iloc[k]),
            _words(apart[k]),
            ", ".join(_words(x) for x in positions[k]),
            *(_words(last[name].iloc[k]) for name in SHOWN),
        )
        for k in order
    ]


def _words(value: float) -> str:
    return rounded(value, 6) if np.isfinite(value) else "not known or not finite"


def section(run: Run) -> dict[str, Any] | None:
    """The values for the template of the report; None if no particle went bad."""
    frame = read_failure(RunFolder(run.folder))
    if frame is None or not len(frame):
        return None
    return {
        "told": run.record.get("history", ""),
        "charts": list(charts(frame)),
        "rows": neighbor_rows(run, frame),
    }
