"""The results of a validation on disk: results.json, and a folder with a table and pictures for each case."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

from eddyline.bench.origin import commit
from eddyline.run.machine import machine, versions
from eddyline.stream import atomic
from eddyline.validate.figures import Figure

BEGIN, END = "<!-- results -->", "<!-- end of results -->"
COLUMNS = ("case", "quantity", "measured", "reference", "error", "allowed", "ok")


@dataclass(frozen=True)
class Outcome:
    """A case that was run: its figures, the wall-clock seconds it took, and whether it keeps all limits."""

    case: str
    figures: list[Figure]
    seconds: float
    ok: bool


def next_folder(base: Path) -> Path:
    """base/0001, base/0002, ...: the first that does not exist; made here, which claims it."""
    base.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        try:
            (base / f"{number:04d}").mkdir()
            return base / f"{number:04d}"
        except FileExistsError:
            number += 1


def origin(quick: bool, threads: int) -> dict[str, Any]:
    """Machine and version of a validation; to be recorded at its start."""
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "commit": commit(),
        "versions": versions(),
        "machine": machine(),
        "quick": quick,
        "threads": threads,
    }


def write(folder: Path, outcomes: Sequence[Outcome], origin: dict[str, Any]) -> None:
    """Writes results.csv into the folder of each case, and all of them, with their origin, into results.json.

    Results of other cases in results.json stay. In the folder of the published results, validation/, a full
    run also brings the READMEs up to date.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for outcome in outcomes:
        place = folder / outcome.case
        place.mkdir(exist_ok=True)
        table = io.StringIO()
        writer = csv.writer(table, lineterminator="\n")
        writer.writerow(COLUMNS)
        for figure in outcome.figures:
            ok = {True: "yes", False: "no", None: ""}[figure.ok]
            writer.writerow([outcome.case, figure.quantity, *texts(figure), ok])
        atomic.write_text(place / "results.csv", table.getvalue())
        if not origin["quick"]:
            refresh_readme(place / "README.md", outcome, f"eddyline validate {outcome.case}")
    path = folder / "results.json"
    cases = json.loads(path.read_text(encoding="utf-8"))["cases"] if path.is_file() else {}
    cases |= {outcome.case: {**_record(outcome), **origin} for outcome in outcomes}
    text = json.dumps({"cases": cases}, indent=2, ensure_ascii=False)
    atomic.write_text(path, text + "\n")


def refresh_readme(path: Path, outcome: Outcome, command: str) -> None:
    """Puts the figures of a full run between the marks of a case's README.md, if it has them."""
    if not path.is_file():
        return
    text = path.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        return
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    lines = [
        f"`{command}`, {date.today()}:",
        "",
        "| | measured | reference | error | allowed | |",
        "|---|---|---|---|---|---|",
    ]
    for figure in outcome.figures:
        ok = {True: "yes", False: "**no**", None: ""}[figure.ok]
        lines.append("| " + " | ".join([figure.quantity.replace("|", "\\|"), *texts(figure), ok]) + " |")
    atomic.write_text(path, f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}")


def texts(figure: Figure) -> tuple[str, str, str, str]:
    """measured, reference, error and allowed, as a table shows them."""
    if figure.error is None or not math.isfinite(figure.error):
        return _number(figure.measured), figure.reference, "", figure.allowed
    in_percent = figure.allowed.endswith("%") or not figure.allowed
    shown = f"{figure.error:+.2%}" if in_percent else f"{figure.error:.3g}"
    return _number(figure.measured), figure.reference, shown, figure.allowed


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "none"
    return f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.4g}"


def _record(outcome: Outcome) -> dict[str, Any]:
    figures = [
        {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in asdict(f).items()
        }
        for f in outcome.figures
    ]
    return {"ok": outcome.ok, "seconds": round(outcome.seconds, 1), "figures": figures}
