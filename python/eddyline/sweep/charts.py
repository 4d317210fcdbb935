"""Charts of a sweep: each quantity over what is swept, with error bars, published bands and curves."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from eddyline.plot import metadata, references
from eddyline.plot.chart import BAND, INK, LINES, Chart
from eddyline.run.closing import short_names
from eddyline.run.machine import versions
from eddyline.signals import Statistic
from eddyline.sweep.convergence import Convergence
from eddyline.sweep.table import Limit, Row, against_of
from eddyline.sweep.values import Setting
from eddyline.world.curves import find_curve
from eddyline.world.units import unit_of_key

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eddyline.world import World

MARKS = ("o", "s", "^", "D", "v", "P")
_RATIO = 10.0  # of the largest to the smallest value, from which on an axis is logarithmic
_WIDEST_TICK = 18  # letters of a line below a tick


def save_charts(
    folder: Path, world: World, rows: Sequence[Row], limits: Sequence[Limit], key: str | None
) -> list[Path]:
    """Each chart as a picture in `folder`."""
    carried = metadata.Metadata(world.source, versions()["eddyline"], "", world.title)
    made = charts_of(world, rows, limits, key)
    names = [chart.name for chart in made]
    clashes = {name for name in names if names.count(name) > 1}
    paths = [folder / (f"{n}-{k}.png" if n in clashes else f"{n}.png") for k, n in enumerate(names, 1)]
    for chart, path in zip(made, paths, strict=True):
        metadata.save_png(path, chart.image(), carried)
    return paths


def charts_of(world: World, rows: Sequence[Row], limits: Sequence[Limit], key: str | None) -> list[Chart]:
    """A chart for each quantity with values at two points or more. key: of the spacing, if that is swept."""
    made = (_chart(world, rows, limits, key, k) for k in range(len(rows[0].cells)))
    return [chart for chart in made if chart is not None]


def _chart(
    world: World, rows: Sequence[Row], limits: Sequence[Limit], key: str | None, k: int
) -> Chart | None:
    quantity = list(rows[0].cells)[k]
    across = key or next((name for name in rows[0].settings if _are_numbers(rows, name)), None)
    groups = _groups(rows, quantity, across)
    if sum(len(group) for group in groups.values()) < 2:
        return None
    name = short_names([quantity])[0]
    keys = list(rows[0].settings)
    by_name = across is None and key is None  # what is swept are no numbers
    named = keys[0] if len(keys) == 1 else "point"
    swept = "spacing" if key is not None else (across or named).removeprefix("let.")
    label = _with_unit(swept, "m" if key is not None else unit_of_key(world.file, across or ""))
    unit = next((unit for row in rows if (unit := row.cells[quantity].unit)), "")
    own = [limit for limit in limits if limit.quantity == quantity]

    def place(row: Row, number: int) -> float:
        return (
            row.spacing if key is not None else float(row.settings[across]) if across is not None else number
        )

    def draw(axes: Axes) -> None:
        places: list[float] = []
        for number, (words, group) in enumerate(groups.items()):
            color, style = LINES[number % len(LINES)]
            x = np.array([place(row, rows.index(row)) for row in group])
            found = [row.cells[quantity].found for row in group]
            values = np.array([item.value for item in found if isinstance(item, Statistic)])
            errors = np.array([item.error or 0.0 for item in found if isinstance(item, Statistic)])
            axes.errorbar(
                x, values, errors if errors.any() else None, color=color, ls="" if by_name else style, lw=1.4,
                marker=MARKS[number % len(MARKS)], ms=5, capsize=3, label=words or "this world",
            )  # fmt: skip
            places += x.tolist()
        if key is None and across is not None:
            _published_curve(axes, world, quantity, across)
        _published_bands(axes, rows, quantity, place, against_of(world, quantity) is not None)
        if key is not None:
            _extrapolated(axes, own)
        elif across is not None and min(places) > 0 and max(places) / min(places) >= _RATIO:
            axes.set_xscale("log")
        axes.set_xlabel("" if by_name and len(keys) > 1 else label)
        axes.set_ylabel(_with_unit(name, unit))
        if by_name:
            axes.set_xticks(range(len(rows)), [_words(row) for row in rows])
            axes.set_xlim(-0.6, len(rows) - 0.4)
        axes.margins(x=0.04, y=0.15)
        if len(axes.get_legend_handles_labels()[0]) > 1:
            axes.legend(frameon=False, labelcolor=INK, fontsize=9)

    text = f"{quantity} over {label}, with statistical errors and expected values"
    return Chart(_file_name(quantity), f"{name} over {swept}", text, draw)


def _words(row: Row) -> str:
    """Settings of a point, one line each."""
    settings = row.settings.items()
    words = [str(v) if len(row.settings) == 1 else f"{key.rpartition('.')[2]} = {v}" for key, v in settings]
    return "\n".join(line for each in words for line in textwrap.wrap(each, _WIDEST_TICK))


def _with_unit(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def _groups(rows: Sequence[Row], quantity: str, across: str | None) -> dict[str, list[Row]]:
    """The rows that have a value, by what else is swept, in words."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        if isinstance(row.cells[quantity].found, Statistic):
            others = [f"{key.rpartition('.')[2]} = {v}" for key, v in row.settings.items() if key != across]
            groups.setdefault(", ".join(others) if across is not None else "", []).append(row)
    return groups


def _published_bands(
    axes: Axes, rows: Sequence[Row], quantity: str, place: Callable[[Row, int], float], world_has_curve: bool
) -> None:
    """A bar from the lowest to the highest value at each point that has a band; a stripe where all have the
    same."""
    known = [(place(row, k), row.cells[quantity]) for k, row in enumerate(rows) if row.cells[quantity].band]
    bands = {cell.band for _, cell in known}
    sources = [references.short(cell.source) for _, cell in known if cell.source]
    words = sources[0] if sources else "expected"
    words = f"band of {words}" if world_has_curve else words
    if len(bands) == 1 and len(known) == len(rows):
        low, high = next(iter(bands)) or (0.0, 0.0)
        axes.axhspan(low, high, color=BAND, alpha=0.35, lw=0, label=words)
        return
    for number, (x, cell) in enumerate(known):
        axes.plot([x, x], cell.band or (0, 0), color=BAND, lw=7, alpha=0.5, solid_capstyle="butt", zorder=1,
                  label=words if number == 0 else None)  # fmt: skip


def _published_curve(axes: Axes, world: World, quantity: str, across: str) -> None:
    found = against_of(world, quantity)
    if found is None or across not in (f"let.{found[0]}", found[0]):
        return
    curve = find_curve(found[1], [world.path.parent] if world.path is not None else [])
    source = next(
        expect.source for expect in world.file.expect if expect.quantity == quantity and expect.curve
    )
    axes.plot(
        curve.x, curve.y, color=INK, lw=1.0, ls=(0, (6, 2)), label=references.short(source) or "expected"
    )


def _extrapolated(axes: Axes, limits: Sequence[Limit]) -> None:
    """The fitted power and its limit at a spacing of zero, with its error bar."""
    for number, limit in enumerate(limits):
        if not isinstance(limit.found, Convergence):
            continue
        color = LINES[number % len(LINES)][0]
        order = limit.found.used_order
        h = np.linspace(0.0, limit.rows[0].spacing, 100)
        axes.plot(h, [limit.found.at(float(each)) for each in h], color=color, lw=0.8, ls=":")
        axes.errorbar(
            [0.0], [limit.found.extrapolated], [limit.found.error], color=color, marker="*", ms=11,
            mfc="white", capsize=4, lw=1.2, label=f"extrapolated, order {order:.2g}",
        )  # fmt: skip


def _are_numbers(rows: Sequence[Row], key: str) -> bool:
    values: list[Setting] = [row.settings[key] for row in rows]
    return all(not isinstance(value, str) for value in values)


def _file_name(quantity: str) -> str:
    return re.sub(r"[^\w.]+", "-", quantity)[:60].strip("-")
