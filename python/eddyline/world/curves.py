"""Reference curves: CSV files of two columns beside a world file or in the package's data folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .problems import did_you_mean

DATA = Path(__file__).resolve().parent.parent / "data"
"""The package's data folder."""


@dataclass(frozen=True)
class Curve:
    """x: (n,) rising, y: (n,); names from the header, and the comment lines above it."""

    path: Path
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    x_name: str
    y_name: str
    comment: str


def find_curve(name: str, folders: Sequence[str | Path]) -> Curve:
    """Reads a curve from the first folder that holds it, or the package; ValueError says what is wrong."""
    places = [*(Path(folder) for folder in folders), DATA]
    for folder in places:
        path = folder / name
        if path.is_file():
            return _read(path)
    known = sorted({item.name for folder in places if folder.is_dir() for item in folder.glob("*.csv")})
    raise ValueError(
        f"no such file beside the world or in the package. {did_you_mean(name, known, 'and')}".strip()
    )


def _read(path: Path) -> Curve:
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = "\n".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    rows = [line.split(",") for line in lines if line.strip() and not line.startswith("#")]
    if len(rows) < 3 or any(len(row) != 2 for row in rows):
        raise ValueError("must have a header of two names and at least two rows of two numbers")
    try:
        values = np.array(rows[1:], dtype=np.float64)
    except ValueError:
        raise ValueError("holds something that is not a number") from None
    if not np.all(np.isfinite(values)) or np.any(np.diff(values[:, 0]) <= 0):
        raise ValueError("the first column must rise from row to row")
    return Curve(path, values[:, 0], values[:, 1], rows[0][0].strip(), rows[0][1].strip(), comment)
