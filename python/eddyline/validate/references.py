"""The folders of the validation cases, in a checkout: papers, reference data and worlds of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eddyline.world import World

ROOT = Path(__file__).resolve().parents[3] / "validation"
_PLACES = (ROOT, ROOT.parent / "worlds")


def case_folder(case: str) -> Path:
    """The folder of a case; FileNotFoundError outside a checkout."""
    folder = ROOT / case
    if not folder.is_dir():
        raise FileNotFoundError(
            2, "no validation data here; the cases run from a checkout of Eddyline", str(folder)
        )
    return folder


def table(case: str, name: str) -> dict[str, NDArray[np.str_]]:
    """The columns of validation/CASE/NAME as text, by the names of its header; lines with # are comments."""
    lines = (case_folder(case) / name).read_text(encoding="utf-8").splitlines()
    rows = [line.split(",") for line in lines if line.strip() and not line.startswith("#")]
    columns = zip(*rows[1:], strict=True)
    return {
        key.strip(): np.array(column, dtype=np.str_) for key, column in zip(rows[0], columns, strict=True)
    }


def numbers(case: str, name: str) -> dict[str, NDArray[np.float64]]:
    """The same for a table of nothing but numbers."""
    return {key: column.astype(np.float64) for key, column in table(case, name).items()}


def load_world(name: str, overrides: dict[str, str | float] | None = None) -> World:
    """A world of the gallery ("poiseuille"), or one of a case ("still_water/cylinder")."""
    places = [folder / f"{name}.toml" for folder in _PLACES]
    path = next((path for path in places if path.is_file()), Path(name))
    return World.load(path, overrides)
