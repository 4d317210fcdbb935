"""Interface of series for results and charts: tables of pandas have it too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol


class SeriesTable(Protocol):
    """A time series by columns, the first one `time` [s]; units in `.attrs["units"]`: a table of pandas, or a
    stream.series.Series, which needs no pandas."""

    @property
    def attrs(self) -> Mapping[Any, Any]: ...
    @property
    def columns(self) -> Iterable[Any]: ...
    def __getitem__(self, column: Any, /) -> Any: ...
    def __len__(self) -> int: ...
