"""The series of two runs, column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class SeriesDifference:
    """A difference in one column of a series.

    series, column: e.g. `force.post` and `total_x`; column is empty for a whole series. time: of the first
    different row [s]; None if rows or the whole column are missing in one run. largest: largest difference
    over common rows, relative to the largest value; None as above. note: text about missing parts. longer:
    True if the only difference is that one run has more rows."""

    series: str
    column: str = ""
    time: float | None = None
    largest: float | None = None
    note: str = ""
    longer: bool = False


def tell(found: Sequence[SeriesDifference]) -> Iterator[str]:
    """One line per series that differs, and one per missing series or column."""
    for series in dict.fromkeys(difference.series for difference in found):
        own = [difference for difference in found if difference.series == series]
        for difference in own:
            if difference.note:
                yield f"{'.'.join(filter(None, (series, difference.column)))}: {difference.note}"
        times = [difference.time for difference in own if difference.time is not None]
        if times:
            worst = max((d for d in own if d.largest is not None), key=lambda d: d.largest or 0.0)
            yield (
                f"{series}: {len(times)} column{'s' * (len(times) > 1)} from t = {min(times):.6g} s on; "
                f"largest in {worst.column}, up to {worst.largest:.2g} of its largest value"
            )


def differences(name: str, a: pd.DataFrame, b: pd.DataFrame) -> list[SeriesDifference]:
    """The columns of a series that differ; extra rows of the longer run are reported once."""
    found = []
    rows = min(len(a), len(b))
    if len(a) != len(b):
        found.append(SeriesDifference(name, note=f"{len(a)} rows in A, {len(b)} in B", longer=True))
    for column in [*a.columns, *(c for c in b.columns if c not in a.columns)]:
        if column not in a.columns or column not in b.columns:
            found.append(
                SeriesDifference(name, str(column), note=f"only in {'A' if column in a.columns else 'B'}")
            )
            continue
        x, y = (frame[column].to_numpy(dtype=np.float64)[:rows] for frame in (a, b))
        unequal = x.view(np.uint64) != y.view(np.uint64)
        if unequal.any():
            first = float(a["time"].iloc[int(np.argmax(unequal))])
            size = float(np.nanmax(np.abs(x), initial=0.0)) or 1.0
            apart = float(np.nanmax(np.abs(x - y), initial=0.0))
            found.append(SeriesDifference(name, str(column), first, apart / size))
    return found
