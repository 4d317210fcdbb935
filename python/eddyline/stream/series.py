"""Series: one CSV file each, a row per time, names and units in the header: `time [s],position [m]`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.stream import atomic, integrity
from eddyline.stream.corrupt import CorruptFileError, reading

if TYPE_CHECKING:
    import pandas as pd

Rows = Mapping[str, tuple[Sequence[str], Sequence[str], NDArray[np.float64]]]
_HEADER = re.compile(r"^(?P<name>[^\[]*?)\s*(?:\[(?P<unit>[^\]]*)\])?$")


class SeriesFiles:
    """Appends rows to `folder/NAME.csv`. After each `append` the files hold complete lines."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, list[str]] = {}  # the columns of each file

    def cut(self, time: float) -> None:
        """Continues existing files without their rows after `time` [s]; a file with an incomplete header is
        created again. Raises CorruptFileError before it changes any file."""
        kept: dict[Path, list[str]] = {}
        for path in self.folder.glob("*.csv"):
            text = integrity.read_text(path)
            if "\n" not in text:
                kept[path] = []
                continue
            with reading(path):
                first, *rows = text[: text.rfind("\n") + 1].splitlines()
                kept[path] = [first, *(row for row in rows if float(row.partition(",")[0]) <= time)]
        for path, lines in kept.items():
            if not lines:
                path.unlink()
                continue
            atomic.write_text(path, "\n".join(lines) + "\n")
            self._known[path.stem] = [part.partition(" [")[0] for part in lines[0].split(",")]

    def sync(self) -> None:
        """Returns when all rows are on the disk."""
        for path in self.folder.glob("*.csv"):
            atomic.sync(path)
        atomic.sync_folder(self.folder)

    def append(self, series: Rows) -> None:
        """Appends what `_core.Simulation.take_series` gives: {name: (columns, units, (rows, columns)
        float64)}. An existing file keeps its columns: one of an older version has fewer."""
        for name, (columns, units, rows) in series.items():
            head = b"" if name in self._known else f"{header(columns, units)}\n".encode()
            kept = [list(columns).index(column) for column in self._known.get(name, columns)]
            if len(kept) < len(columns):
                rows = np.ascontiguousarray(rows[:, kept])
            if lines := head + _core.series_lines(rows):
                with (self.folder / f"{name}.csv").open("ab", buffering=0) as file:
                    atomic.append(file, lines)
                self._known.setdefault(name, list(columns))


def header(columns: Sequence[str], units: Sequence[str]) -> str:
    return ",".join(f"{column} [{unit or '1'}]" for column, unit in zip(columns, units, strict=True))


class Series:
    """A time series as a table, with what results and charts need of a table of pandas, whose import takes as
    long as a small run. values: (rows, columns) float64. attrs: `units` by column, and the `name`."""

    def __init__(
        self, name: str, columns: Sequence[str], units: Mapping[str, str], values: NDArray[np.float64]
    ) -> None:
        self.columns, self.values = tuple(columns), values
        self.attrs: dict[str, Any] = {"units": dict(units), "name": name}

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, column: str | Sequence[str]) -> NDArray[np.float64]:
        """(rows,) float64 of one column, or (rows, columns) of several."""
        if isinstance(column, str):
            return self.values[:, self._place(column)]
        return self.values[:, [self._place(each) for each in column]]

    def _place(self, column: str) -> int:
        try:
            return self.columns.index(column)
        except ValueError:
            raise KeyError(column) from None

    def until(self, time: float) -> Series:
        """The rows up to `time` [s]."""
        kept = self.values[self["time"] <= time]
        return Series(self.attrs["name"], self.columns, self.attrs["units"], kept)

    def frame(self) -> pd.DataFrame:
        """A table of pandas, with the same `attrs`."""
        import pandas as pd

        made = pd.DataFrame(self.values, columns=list(self.columns))
        made.attrs.update(self.attrs)
        return made


def read_series(path: Path, read: integrity.ReadFile = integrity.read_file) -> Series:
    """A series with plain column names. An unfinished last line is left out. Raises CorruptFileError."""
    text = integrity.read_text(path, read)
    text = text[: text.rfind("\n") + 1]
    if not text:
        raise CorruptFileError(path, "it has no header")
    first, *rows = text.splitlines()
    names, units = [], {}
    for part in first.split(","):
        match = _HEADER.match(part.strip())
        name, unit = (match["name"], match["unit"] or "1") if match else (part, "1")
        names.append(name)
        units[name] = unit
    if names[0] != "time" or len(set(names)) < len(names):
        raise CorruptFileError(path, f"its first line is no header: {first[:60]}")
    with reading(path):
        if any(row.count(",") != len(names) - 1 for row in rows):
            raise ValueError(f"a row has another number of values than the {len(names)} columns")
        numbers = (float(part) for row in rows for part in row.split(","))
        values = np.fromiter(numbers, np.float64, len(rows) * len(names))
    return Series(path.stem, names, units, values.reshape(len(rows), len(names)))
