"""Compares two runs: all times at which both have a snapshot, and all series."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from eddyline.compare.particles import Divergence, Moment, match, story
from eddyline.compare.series import SeriesDifference, differences, tell
from eddyline.modules import PREFIX
from eddyline.option_names import NOT_CLOSED, given
from eddyline.run.errors import RequestError
from eddyline.run.record import Run
from eddyline.stream import atomic

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from eddyline.world import World


@dataclass(frozen=True)
class FirstDifference:
    """The first step at which the checksums differ, and the last earlier one at which they are equal, if
    known."""

    step: int
    same: int | None

    def text(self) -> str:
        told = f"checksums first differ at step {self.step}"
        if self.same is None:
            told += ", the first that both runs have"
        else:
            told += f"; they are equal at step {self.same}"
        if self.step - (self.same or 0) > 1:
            told += f"; runs with {given('checksums', 1)} give the exact step"
        return told


@dataclass(frozen=True)
class Comparison:
    """moments: times at which both runs have a snapshot; none if neither run has snapshots. divergence: at
    the first different moment; None if all are identical, or if that moment has no particle in common.
    series: differences of series. same_world: the world files are equal. snapshots: number in each run.
    parting: the first different checksum. sums: steps at which both runs have a checksum."""

    a: Run
    b: Run
    moments: tuple[Moment, ...]
    divergence: Divergence | None
    series: tuple[SeriesDifference, ...]
    same_world: bool
    snapshots: tuple[int, int]
    parting: FirstDifference | None = None
    sums: tuple[int, ...] = ()

    @property
    def identical(self) -> bool:
        """True if all bits of all particles at all moments and of all rows of all series are equal, and all
        common checksums."""
        return self.first is None and not self.series and self.parting is None

    @property
    def first(self) -> Moment | None:
        """The first moment that differs."""
        return next((moment for moment in self.moments if not moment.identical), None)

    def table(self) -> pd.DataFrame:
        """One row per moment; the columns are those of `Moment`."""
        import pandas as pd

        columns = [field.name for field in fields(Moment)]
        return pd.DataFrame([asdict(moment) for moment in self.moments], columns=columns)

    def text(self) -> str:
        lines = [f"{name}  {run.url or run.folder}  {run.fingerprint}" for name, run in self._named]
        for name, run in self._named:
            if run.outcome in ("lost", NOT_CLOSED):  # its last snapshot may be missing
                lines.append(f"   {name} is {run.outcome}: {run.message}")
        if not self.same_world:
            lines.append("   their world files differ")
        lines += [f"   {name} is of another version in each" for name in self._other_code()]
        lines += ["", *self._rows()] if self.moments else []
        lines += ["", *(f"series {line}" for line in tell(self.series)), *self._verdict()]
        lines += [self.speed()] if self.speed() else []
        return "\n".join(lines)

    @property
    def _named(self) -> tuple[tuple[str, Run], ...]:
        return ("A", self.a), ("B", self.b)

    def _other_code(self) -> list[str]:
        """Code outside the package, such as modules, of which the runs had different versions."""
        one, other = (run.record.get("versions", {}) for run in (self.a, self.b))
        return [name for name in one if name.startswith(PREFIX) and other.get(name, one[name]) != one[name]]

    def _rows(self) -> list[str]:
        """The table of all moments."""
        members, unit = self._members, self._unit
        return [
            _row("time [s]", "step", members, "only A", "only B", "differing", f"mean {unit}", f"max {unit}"),
        ] + [
            _row(
                f"{m.time:.6g}", m.step, m.particles, m.only_a, m.only_b, m.differing,
                f"{m.mean_error:.3g}", f"{m.max_error:.3g}",
            )
            for m in self.moments
        ]  # fmt: skip

    def speed(self) -> str:
        """Wall times of both runs. If one ran on more ranks, also speedup and parallel efficiency (one core
        per thread of each rank). Empty if they did not compute the same steps of the same world."""
        runs = sorted((self.a, self.b), key=lambda run: int(run.record.get("ranks", 1)))
        ranks = [int(run.record.get("ranks", 1)) for run in runs]
        seconds = [float(run.record.get("wall_seconds", 0)) for run in runs]
        comparable = self.same_world and self.a.record.get("steps") == self.b.record.get("steps")
        if not comparable or 0 in seconds or any("resumed" in run.record for run in runs):
            return ""
        told = ", ".join(
            f"{s:.3g} s on {_several(n, 'rank')} of {_several(int(run.record.get('threads', 1)), 'thread')}"
            for s, n, run in zip(seconds, ranks, runs, strict=True)
        )
        if ranks[0] == ranks[1]:
            return f"time: {told}"
        cores = [n * int(run.record.get("threads", 1)) for n, run in zip(ranks, runs, strict=True)]
        speedup, more = seconds[0] / seconds[1], cores[1] / cores[0]
        efficiency = f", efficiency {speedup / more:.0%}" if more > 1 else ""
        return f"time: {told}: speedup {speedup:.2f}{efficiency}"

    def _verdict(self) -> list[str]:
        if not self.moments:
            return self._verdict_without_snapshots()
        first = self.first
        if self.identical:
            count = max(moment.particles for moment in self.moments)
            return [
                f"identical: {len(self.moments)} moments of up to {count:,} {self._members} and "
                f"{len(self.a.series_names)} series, bit for bit{self._without_partner()}"
            ]
        if first is None and self.parting is not None:
            without = ", which hold no thermal energy" if self.a.world.file.is_gas else ""
            return [f"different: {self.parting.text()}. All snapshots{without} are identical"]
        if first is None and all(difference.longer for difference in self.series):
            return ["different: one run is longer; the common part is bit-identical"]
        if first is None:
            last = self.moments[-1].time
            return [
                f"different: the series differ. The {self._members} are identical at all {len(self.moments)} "
                f"common snapshots, until t = {last:.6g} s{self._without_partner()}"
            ]
        before = [moment for moment in self.moments if moment.time < first.time]
        since = f"identical at step {before[-1].step}" if before else "no earlier snapshot"
        lines = [f"different: at t = {first.time:.6g} s, step {first.step}; {since}"]
        if self.parting is not None:
            lines.append(f"  {self.parting.text()}")
        if self.divergence is not None:
            lines += story(self.divergence, first, self._members)
        return lines

    def _verdict_without_snapshots(self) -> list[str]:
        last = self.sums[-1]
        told = f"{_several(len(self.sums), 'checksum')} up to step {last}"
        if self.identical:
            return [f"identical: {told} and {len(self.a.series_names)} series, bit for bit; no snapshots"]
        if self.parting is not None:
            return [f"different: {self.parting.text()}"]
        if all(difference.longer for difference in self.series):
            return [f"different: one run is longer; {told} and the common part are identical"]
        return [f"different: the series differ; {told} are identical"]

    @property
    def _members(self) -> str:
        """Particles or cells."""
        return self.a.world.solver.members

    @property
    def _unit(self) -> str:
        """Unit of the differences of a moment, in brackets; of cells with the field."""
        name, unit = next(iter(self.a.world.solver.snapshot_fields(self.a.world.file).items()), ("", "m"))
        return f"{name} [{unit}]".strip()

    def _without_partner(self) -> str:
        """Number of snapshots without a counterpart in the other run."""
        alone = [count - len(self.moments) for count in self.snapshots]
        told = [f"{count} of {name}" for count, name in zip(alone, "AB", strict=True) if count]
        return f"; snapshots without a counterpart: {' and '.join(told)}" if told else ""

    def draw(self, axes: Axes) -> None:
        """Draws the mean and largest position difference over time, on a logarithmic scale; moments without
        difference are omitted."""
        from eddyline.plot.chart import LINES, style_axes

        style_axes(axes, 9)
        for (color, style), name in zip(LINES, ("max_error", "mean_error"), strict=False):
            points = [(m.time, getattr(m, name)) for m in self.moments if getattr(m, name) > 0]
            if points:
                time, error = zip(*points, strict=True)
                axes.plot(time, error, style, color=color, marker="o", ms=3, label=name.replace("_error", ""))
        what = "distance between particles" if self._members == "particles" else "difference between cells"
        axes.set(xlabel="time [s]", ylabel=f"{what} of the two runs, {self._unit}")
        if axes.lines:
            axes.set_yscale("log")
            axes.legend(frameon=False)
        else:
            axes.set(xlim=(0, self.moments[-1].time if self.moments else 1), yticks=[])
            text = "no difference" if self.moments else "no snapshots"
            axes.text(0.5, 0.5, text, ha="center", transform=axes.transAxes)

    def save_picture(self, path: Path) -> None:
        """Writes a picture of `draw` (.png, .svg or .pdf)."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8.0, 4.0), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        self.draw(figure.add_subplot())
        with atomic.replacing(path) as temporary:
            figure.savefig(temporary, format=path.suffix.lstrip(".").lower() or None)


def compare_runs(a: Run | str | os.PathLike[str], b: Run | str | os.PathLike[str]) -> Comparison:
    """Compares two runs or the runs in two folders: `.identical` is True if all bits are equal, `.text()`
    describes the differences, `.table()` has one row per moment.

    Moments are matched by step or, without a common step, by time. Runs without snapshots are compared by
    their checksums. Raises RequestError if the runs have nothing in common or different dimensions,
    FileNotFoundError if a folder is not a run."""
    runs = [Run.of(run) for run in (a, b)]
    first, second = runs
    pairs = _common(first, second)
    sums = [_sums(run) for run in runs]
    steps = tuple(sorted(step for step in sums[0].keys() & sums[1].keys() if step > 0))
    by_sums = bool(steps) and not (first.snapshot_count or second.snapshot_count)
    if not pairs and not by_sums:
        raise RequestError(
            f"{first.folder} and {second.folder} cannot be compared: they have "
            f"{_too_little(first, second)}. "
            + (
                "Run both for the same number of steps, or with the same output.snapshots"
                if first.world.core.spacing == second.world.core.spacing
                else "Steps of different spacings end at different times; use `eddyline sweep` to compare "
                "values"
            )
        )
    periods = _periods(first.world)
    moments: list[Moment] = []
    divergence: Divergence | None = None
    for k, number in pairs:
        one, other = first.snapshot(k), second.snapshot(number)
        if one["position"].shape[1] != other["position"].shape[1]:
            raise RequestError(
                f"{first.folder} and {second.folder} cannot be compared: one has two dimensions, "
                "the other three"
            )
        moment, found = match(one, other, periods)
        if divergence is None and all(m.identical for m in moments):
            divergence = found
        moments.append(moment)
    return Comparison(
        first,
        second,
        tuple(moments),
        divergence,
        tuple(_series(first, second)),
        _same_world(first, second),
        (first.snapshot_count, second.snapshot_count),
        _parting(*sums),
        steps,
    )


def _sums(run: Run) -> dict[int, str]:
    """Checksums by step, with that of the final state."""
    from eddyline.run.folder import RunFolder

    sums = RunFolder(run.folder).read_checksums()
    if run.record.get("checksum") and "steps" in run.record:
        sums[int(run.record["steps"])] = str(run.record["checksum"])
    return sums


def _parting(a: dict[int, str], b: dict[int, str]) -> FirstDifference | None:
    same: int | None = None
    for step in sorted(a.keys() & b.keys()):
        if a[step] != b[step]:
            return FirstDifference(step, same)
        same = step
    return None


def _common(a: Run, b: Run) -> list[tuple[int, int]]:
    """Index pairs of snapshots at the same step, or else at the same time."""
    marks = [[_mark(run, k) for k in range(run.snapshot_count)] for run in (a, b)]
    for part in (0, 1):
        where = {mark[part]: number for number, mark in enumerate(marks[1])}
        pairs = [(k, where[mark[part]]) for k, mark in enumerate(marks[0]) if mark[part] in where]
        if any(marks[0][k][0] > 0 for k, _ in pairs):  # the start alone is not enough
            return pairs
    return []


def _too_little(a: Run, b: Run) -> str:
    """Reason why two runs cannot be compared."""
    worlds = "" if _same_world(a, b) else ", and their world files differ"
    if all(run.snapshot_count and _mark(run, 0)[0] == 0 for run in (a, b)):
        return f"no common step or time except the start{worlds}"
    return f"no snapshot at a common step or time{worlds}"


def _same_world(a: Run, b: Run) -> bool:
    return bool(a.world.source == b.world.source)


def _mark(run: Run, k: int) -> tuple[int, float]:
    from eddyline.stream.snapshots import snapshot_moment

    return snapshot_moment(run.folder, k)


def _periods(world: World) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    core = world.core
    sides = core.sides
    return np.array(
        [core.size[d] if sides[2 * d].kind == "periodic" else np.inf for d in range(core.dimensions)]
    )


def _series(a: Run, b: Run) -> list[SeriesDifference]:
    found: list[SeriesDifference] = []
    for name in sorted({*a.series_names, *b.series_names}):
        if name not in a.series_names or name not in b.series_names:
            found.append(SeriesDifference(name, note=f"only in {'A' if name in a.series_names else 'B'}"))
        else:
            found += differences(name, a.series(name), b.series(name))
    return found


def _row(*cells: object) -> str:
    widths = (10, 8, 11, 8, 8, 11, 10, 10)
    return " ".join(f"{cell!s:>{width}}" for cell, width in zip(cells, widths, strict=True))


def _several(count: int, what: str) -> str:
    return f"{count} {what}{'s' if count != 1 else ''}"
