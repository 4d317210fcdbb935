"""The table of a sweep: one row per point, with its settings and values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eddyline.run.closing import short_names
from eddyline.run.record import Run
from eddyline.signals import Statistic
from eddyline.sweep.convergence import Convergence, converge
from eddyline.sweep.values import Setting
from eddyline.world.expect import measure
from eddyline.world.formulas import names_in
from eddyline.world.problems import number_with_error
from eddyline.world.quantities import is_point, result_names
from eddyline.world.units import unit_of_quantity

if TYPE_CHECKING:
    import pandas as pd

    from eddyline.world import World

SOLVER = "method.name"


@dataclass(frozen=True)
class Cell:
    """A value of a point: `found`, or the reason why there is none; its expected band and the source; the
    likely reason if it is outside or not final; its unit, "" for a pure or unknown one."""

    found: Statistic | str
    band: tuple[float, float] | None = None
    source: str = ""
    reason: str = ""
    unit: str = ""

    @property
    def inside(self) -> bool | None:
        if self.band is None or isinstance(self.found, str):
            return None
        return self.band[0] <= self.found.value <= self.band[1]

    def __str__(self) -> str:
        if isinstance(self.found, str):
            return self.found
        verdict = {True: " inside", False: " OUTSIDE", None: ""}[self.inside]
        return number_with_error(self.found.value, self.found.error) + verdict


@dataclass(frozen=True)
class Row:
    """A point: its settings, spacing [m], folder, the outcome of its run, and its values by quantity.
    core_time: wall time of its run times the cores that it used [s], in sweeps over solvers; else None."""

    label: str
    settings: dict[str, Setting]
    spacing: float
    outcome: str
    cells: dict[str, Cell]
    core_time: float | None = None


@dataclass(frozen=True)
class Limit:
    """Limit of one quantity at zero spacing, for one choice of the other settings."""

    quantity: str
    others: dict[str, Setting]
    rows: list[Row]  # from the coarsest to the finest
    found: Convergence | str

    def __str__(self) -> str:
        name = short_names([self.quantity])[0]
        where = "".join(f", {key.rpartition('.')[2]} = {value}" for key, value in self.others.items())
        if isinstance(self.found, str):
            return f"{name}{where}: {self.found}"
        order, value = str(self.found), number_with_error(self.found.extrapolated, self.found.error)
        band = self.rows[-1].cells[self.quantity].band
        expected = f" | expected {band[0]:.4g} to {band[1]:.4g}" if band else ""
        return f"{name}{where}: {order}, extrapolated {value} (grid convergence index){expected}"

    def record(self) -> dict[str, Any]:
        """The same as plain numbers: quantity, unit, settings (the other ones); spacings [m] and values, from
        the coarsest to the finest; order as observed, used_order, extrapolated, error (grid convergence
        index), amplitude, as in Convergence. The last five are None if nothing is extrapolated; note says
        why, or if another order was used."""
        cells = [row.cells[self.quantity] for row in self.rows]
        fit = self.found if isinstance(self.found, Convergence) else None
        return {
            "quantity": self.quantity,
            "unit": cells[-1].unit if cells else "",
            "settings": dict(self.others),
            "spacings": [row.spacing for row in self.rows],
            "values": [cell.found.value for cell in cells if isinstance(cell.found, Statistic)],
            "order": fit and fit.order,
            "used_order": fit and fit.used_order,
            "extrapolated": fit and fit.extrapolated,
            "error": fit and fit.error,
            "amplitude": fit and fit.amplitude,
            "note": "" if fit is not None and fit.plausible else str(self.found),
        }


def quantities_of(world: World) -> list[str]:
    """Default quantities of a table: the expectations of the world that are single numbers; else forces on
    bodies."""
    numbers = [
        expect.quantity
        for expect in world.file.expect
        if expect.curve is None or is_point(expect, world.file, world.let)
    ]
    if numbers:
        return list(dict.fromkeys(numbers))
    if world.coefficient_of_force is not None and world.file.bodies:
        words = ("drag_coefficient.mean", "lift_coefficient.amplitude", "strouhal")
        return [f"{body}.{word}" for body in world.file.bodies for word in words]
    axes = "xyz"[: world.dimensions]
    forces = [f"force.{body}.total_{axis}.mean" for body in world.file.bodies for axis in axes]
    return forces or ["budget.max_speed.max"]


def row_of(
    label: str, settings: dict[str, Setting], world: World, run: Run, quantities: Sequence[str], end: float
) -> Row:
    """The row of a point from its run, which was to end at `end` [s]."""
    if not run.results_if_any:
        missing = {quantity: Cell(run.message or run.outcome) for quantity in quantities}
        return Row(label, settings, world.core.spacing, run.outcome, missing)
    trusted = {value["name"]: _statistic(value) for value in run.results["values"]}
    series = {name: run.series(name) for name in run.series_names}
    held = {item["quantity"]: item for item in run.results["expectations"]}
    cells = {}
    for quantity in quantities:
        item = held.get(quantity)
        of_the_end = any(name.endswith(".final") for name in result_names(quantity, world.let))
        found: Statistic | str
        if item is None or (of_the_end and item["measured"] is not None):
            after = next((each.after for each in world.expectations if each.quantity == quantity), 0.0)
            found = measure(world, quantity, series, trusted, after=after, end=end)
        elif item["measured"] is None:
            found = item["note"]
        else:
            found = Statistic(
                item["measured"], item["statistical_error"], _window(item["window"]), item["what"]
            )
        band = tuple(item["band"]) if item is not None and item["band"] else None
        source, reason = (item["source"], item["reason"]) if item is not None else ("", "")
        if of_the_end and run.record["time"] >= end:
            reason = "; ".join(filter(None, (reason, _too_early(quantity, found, end))))
        cells[quantity] = Cell(found, band, source, reason, unit_of_quantity(world.file, quantity, series))
    record = run.record
    core_time = None
    if SOLVER in settings:  # other tables are the same on every machine
        core_time = record["wall_seconds"] * record["ranks"] * record["threads"]
    return Row(label, settings, world.core.spacing, run.outcome, cells, core_time)


def _too_early(quantity: str, found: Statistic | str, end: float) -> str:
    """Note if a final value has no row near the end of the run."""
    if isinstance(found, str) or found.window is None or found.window[1] >= end:
        return ""
    return (
        f"{quantity} is the value at t = {found.window[1]:.4g} s, the last row before the end, {end:.4g} "
        "s; increase output.series for a later row"
    )


def _statistic(value: Mapping[str, Any]) -> Statistic | str:
    if value["value"] is None:
        return str(value["note"])
    return Statistic(value["value"], value["error"], _window(value["window"]), value["what"])


def _window(ends: Sequence[float] | None) -> tuple[float, float] | None:
    """A window as results.json has it, a list."""
    return None if ends is None else (float(ends[0]), float(ends[1]))


def to_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """One row per point: settings, spacing [m], outcome, then for each quantity its value, statistical error,
    band, inside or not, and a note (statistic, reason)."""
    import pandas as pd

    out = []
    for row in rows:
        line: dict[str, Any] = {
            "point": row.label,
            **row.settings,
            "spacing [m]": row.spacing,
            "outcome": row.outcome,
        }
        if row.core_time is not None:
            line["core time [s]"] = row.core_time
        for quantity, cell in row.cells.items():
            found = cell.found
            line[quantity] = found.value if isinstance(found, Statistic) else None
            line[f"{quantity} error"] = found.error if isinstance(found, Statistic) else None
            line[f"{quantity} low"], line[f"{quantity} high"] = cell.band or (None, None)
            line[f"{quantity} inside"] = cell.inside
            note = found.what if isinstance(found, Statistic) else found
            line[f"{quantity} note"] = "; ".join(filter(None, (note, cell.reason)))
        out.append(line)
    return pd.DataFrame(out)


def to_text(rows: Sequence[Row], limits: Sequence[Limit]) -> str:
    """The table as text: settings and values in columns, reasons for values outside their bands, and limits
    at zero spacing."""
    if not rows:
        return "no point has been run yet"
    quantities = list(rows[0].cells)
    timed = any(row.core_time is not None for row in rows)
    head = [*rows[0].settings, *short_names(quantities), *(["core time"] if timed else [])]
    lines = [
        [
            *(str(value) for value in row.settings.values()),
            *(str(row.cells[quantity]) for quantity in quantities),
            *(["" if row.core_time is None else f"{row.core_time:.2g} s"] if timed else []),
        ]
        for row in rows
    ]
    widths = [max(len(line[k]) for line in [head, *lines]) for k in range(len(head))]
    table = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [head, *lines]
    ]
    table.insert(1, "  ".join("-" * width for width in widths))
    reasons, limited = list(_reasons(rows)), list(map(str, limits))
    return "\n".join([*table, *(["", *reasons] if reasons else []), *(["", *limited] if limits else [])])


def _reasons(rows: Sequence[Row]) -> Iterator[str]:
    """Reasons for values outside their bands or not final; a reason that several points share appears
    once."""
    points: dict[str, list[str]] = {}
    for row in rows:
        for reason in dict.fromkeys(cell.reason for cell in row.cells.values() if cell.reason):
            points.setdefault(reason, []).append(row.label)
    for reason, labels in points.items():
        yield f"{'all points' if len(labels) == len(rows) > 1 else ', '.join(labels)}: {reason}"


# --- convergence --------------------------------------------------------------------------------------------


def spacing_key(world: World, keys: Sequence[str]) -> str | None:
    """The swept key that changes only the spacing: domain.spacing, or a [let] value that only its formula
    uses."""
    import tomlkit

    tables = tomlkit.parse(world.source).unwrap()
    for key in keys:
        if key == "domain.spacing":
            return key
        name = key.removeprefix("let.")
        spacing = tables.get("domain", {}).get("spacing")
        if key.startswith("let.") and isinstance(spacing, str) and name in names_in(spacing):
            uses = [text for text in _texts(tables) if re.search(rf"\b{re.escape(name)}\b", text)]
            if uses == [spacing]:
                return key
    return None


def _texts(value: Any) -> Iterator[str]:
    """Every text in the tables of a world except titles and sources."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            if key not in ("title", "source"):
                yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def limits_of(rows: Sequence[Row], key: str | None) -> list[Limit]:
    """The limit of each quantity at a spacing of zero, for each choice of the settings other than `key`."""
    if key is None:
        return []
    groups: dict[tuple[Setting, ...], list[Row]] = {}
    for row in rows:
        others = tuple(value for name, value in row.settings.items() if name != key)
        groups.setdefault(others, []).append(row)
    out = []
    for group in groups.values():
        rest = {name: value for name, value in group[0].settings.items() if name != key}
        for quantity in group[0].cells:
            known = [row for row in group if isinstance(row.cells[quantity].found, Statistic)]
            known.sort(key=lambda row: -row.spacing)
            found = [row.cells[quantity].found for row in known]
            statistics = [item for item in found if isinstance(item, Statistic)]
            limit = converge(
                [row.spacing for row in known],
                [item.value for item in statistics],
                [item.error for item in statistics],
            )
            out.append(Limit(quantity, rest, known, limit))
    return out


def against_of(world: World, quantity: str) -> tuple[str, str] | None:
    """(let value, CSV file) of a curve that is published for a quantity over one [let] value."""
    for expect in world.file.expect:
        if expect.quantity == quantity and expect.curve and is_point(expect, world.file, world.let):
            name = (expect.against or "").strip()
            if name in world.let and not result_names(name, world.let):
                return name, expect.curve
    return None
