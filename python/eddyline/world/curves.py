"""Reference curves: CSV files of two columns beside a world file or in the package's data folder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .. import modules, remote
from ..option_names import one_line, quoted
from .problems import did_you_mean

FEWEST_POINTS = 3
"""Smallest number of points of a curve, and of those that a run must cover."""
MOST_BYTES = 4 * 1024**2
"""Largest size of the file of a curve."""
DATA = Path(__file__).resolve().parent.parent / "data"
"""The package's data folder."""
_confined = False


def confine() -> None:
    """Restricts this process to curves with bare names: it reads worlds of other users, which must not learn
    which files exist elsewhere, or their content."""
    global _confined
    _confined = True
    modules.confine()


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
    """Reads a curve from the first folder that has it, or from the package. Raises ValueError."""
    path = find_file(name, folders)
    try:
        return _read(path)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None


def find_file(name: str, folders: Sequence[str | Path]) -> Path:
    """The path of a file that a world names: in the first folder that has it, or in the package; of a URL, a
    copy. Raises ValueError."""
    if remote.is_url(name):
        return _copy_of(name, folders)
    if "\0" in name or ((_confined or not folders) and Path(name).name != name):
        raise ValueError("must be the bare name of a file, such as curve.csv")
    if Path(name).is_absolute() or ".." in Path(name).parts or not name.isprintable():
        raise ValueError("must be the name of a file next to the world or in the package, without ..")
    places = [*(Path(folder) for folder in folders), DATA]
    for folder in places:
        path = folder / name
        try:
            remote.beside(folder, name)
            if path.is_file():
                return path
        except OSError as error:
            raise ValueError(f"cannot be read: {error.strerror}") from None
        except remote.RemoteError as error:
            raise ValueError(f"cannot be read: {error}") from None
    suffix = Path(name).suffix
    known = sorted({item.name for folder in places if folder.is_dir() for item in folder.iterdir()})
    known = [each for each in known if each.endswith(suffix or ".csv")]
    raise ValueError(
        f"file not found next to the world or in the package. {did_you_mean(name, known, 'and')}".strip()
    )


def _copy_of(url: str, folders: Sequence[str | Path]) -> Path:
    """The copy that a run keeps of a file at a URL, or a new one. Raises ValueError."""
    for folder in map(Path, folders):
        if (folder / "run.json").exists() and (kept := folder / remote.name_in(url)).is_file():
            return kept
    if _confined or not folders:
        raise ValueError("must be the bare name of a file, such as curve.csv")
    try:
        return remote.file(url)
    except remote.RemoteError as error:
        raise ValueError(f"cannot be read: {error}") from None


def read_rows(path: Path) -> NDArray[np.float64]:
    """(n, 2) numbers of a CSV file of two columns; comments with # and a header are allowed. Raises
    ValueError."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8. Save the file as UTF-8") from None
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    rows = [
        (n, line.split(",")) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")
    ]
    if rows and not _is_number(rows[0][1][0]):
        rows = rows[1:]
    for n, row in rows:
        if len(row) != 2:
            raise ValueError(f"line {n}: has {len(row)} columns; must have two numbers, x,y")
    return np.array([[_number(cell, n) for cell in row] for n, row in rows]).reshape(-1, 2)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _read(path: Path) -> Curve:
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"has {path.stat().st_size:,} bytes; must have at most {MOST_BYTES:,}")
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8. Save the file as UTF-8") from None
    comment = "\n".join(line.lstrip("# ") for line in lines if line.startswith("#"))
    filled = [(n, line) for n, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    rows = [(n, line.split(",")) for n, line in filled]
    if len(rows) < 1 + FEWEST_POINTS or any(len(row) != 2 for _, row in rows):
        raise ValueError(f"must have a header of two names and at least {FEWEST_POINTS} rows of two numbers")
    values = np.array([[_number(cell, n) for cell in row] for n, row in rows[1:]])
    if np.any(np.diff(values[:, 0]) <= 0):
        raise ValueError("the first column must increase from row to row")
    (_, (x_name, y_name)) = rows[0]
    return Curve(path, values[:, 0], values[:, 1], x_name.strip(), y_name.strip(), comment)


def _number(cell: str, line: int) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f'line {line}: "{one_line(quoted(cell.strip(), 40))}" is not a number')
    return value
