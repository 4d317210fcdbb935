"""Plans of runs on many ranks: Hammond's printed tables, splitting of blocks, messages, forecasts."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from eddyline.plan import mapper

PRINTED = Path(__file__).resolve().parents[2] / "experiments" / "hammond-1997" / "mapper.csv"
ROWS = list(csv.DictReader(io.StringIO(PRINTED.read_text(encoding="utf-8"))))
CASES = {
    "8 uneven": [(137, 25, 17)] * 2 + [(57, 25, 17)] * 2 + [(137, 25, 17)] * 2 + [(57, 25, 17)] * 2,
    "8 even": [(97, 25, 17)] * 8,
    "32 uneven": [(49, j, 17) for j in (13, 15, 11, 13, 13, 11, 15, 13) for _ in range(4)],
}


# --- Hammond's tables -----------------------------------------------------------------------------


def test_all_printed_rows_are_there() -> None:
    assert {case: sum(row["case"] == case for row in ROWS) for case in CASES} == {
        "8 uneven": 8, "8 even": 8, "32 uneven": 32,
    }  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['case']} blocks, {row['nodes']} nodes")
def test_a_row_of_the_mapper_is_as_printed(row: dict[str, str]) -> None:
    """All digits of all columns; he truncates the last digit of some and rounds that of others."""
    points = [int(np.prod(shape)) for shape in CASES[row["case"]]]
    found = mapper.table(points, [int(row["nodes"])])[0]
    assert [found.maxpts, found.minpts, found.avgpts] == [
        int(row[key]) for key in ("maxpts", "minpts", "avgpts")
    ]
    for key in ("avgdev", "megawords", "exetime"):
        assert getattr(found, key) == pytest.approx(float(row[key]), abs=5.1e-4), key
