"""Finds runs on the disk that are not in the list yet."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eddyline.option_names import NOT_CLOSED
from eddyline.run.counts import first_count
from eddyline.run.folder import RunFolder
from eddyline.run.record import Run
from eddyline.serve.foreign import cleaned, read_plain
from eddyline.serve.store import FINAL, RunRow, id_of_folder

_MOST = 1000
_LONGEST = 500  # characters of a text from run.json
_LARGEST = 1 << 60  # largest accepted number


def record(folder: Path) -> dict[str, Any] | None:
    """Content of run.json; None if it is missing or unreadable."""
    try:
        found = json.loads(read_plain(RunFolder(folder).record))
    except (OSError, ValueError, RecursionError):
        return None
    is_record = isinstance(found, dict) and {"outcome", "message", "fingerprint"} <= set(found)
    return found if is_record else None


def close_record(folder: Path, outcome: dict[str, Any]) -> None:
    """Records in run.json the end of a run that could not record it itself."""
    said = record(folder)
    if said is not None:
        RunFolder(folder).write_record(said | outcome)


def runs(folder: Path, own: str, known: set[str]) -> Iterator[RunRow]:
    """Runs in `folder`/NAME/NUMBER that are not `known`."""
    count = 0
    for path in sorted(folder.glob("*/[0-9]*/run.json")):
        place = path.parent
        if str(place) in known or place.parts[len(folder.parts)] == own or count >= _MOST:
            continue
        if not place.resolve().is_relative_to(folder.resolve()):  # a link may lead outside
            continue
        said = record(place)
        if said is None:
            continue
        try:
            row = _row(id_of_folder(str(place.relative_to(folder))), place, said)
        except (TypeError, ValueError, OverflowError):  # not a record of this version
            continue
        count += 1
        yield row


def state_of(place: Path, said: dict[str, Any]) -> str:
    """The state of a run that a folder holds, by its run.json."""
    state = cleaned(said["outcome"], _LONGEST)
    if state in FINAL and state != NOT_CLOSED:
        return state
    if RunFolder(place).is_held():
        return "running"
    return state if state == NOT_CLOSED else "lost"


def words_of(place: Path, said: dict[str, Any]) -> str:
    """Message of the list for a run in a folder: why it stopped, and the remedy if it is not closed."""
    words = said["message"]
    if said["outcome"] == NOT_CLOSED:
        with contextlib.suppress(OSError, ValueError):
            words = Run(RunFolder(place)).message
    return cleaned(words, _LONGEST)


def _row(id_: str, place: Path, said: dict[str, Any]) -> RunRow:
    state = state_of(place, said)
    return RunRow(
        id=id_,
        title=cleaned(said.get("title", ""), _LONGEST),
        world=cleaned(said.get("world", ""), _LONGEST),
        state=state,
        origin="folder",
        created=cleaned(said.get("started", ""), 40),
        started=cleaned(said.get("started", ""), 40),
        folder=str(place),
        ranks=_number(said.get("ranks", 1)),
        threads=_number(said.get("threads", 0)),
        particles=_number(first_count(said)),
        actual_seconds=_finite(said.get("wall_seconds", 0.0)),
        message=words_of(place, said),
        fingerprint=cleaned(said["fingerprint"], _LONGEST),
    )


def _number(value: Any) -> int:
    return min(max(int(value), 0), _LARGEST)


def _finite(value: Any) -> float:
    if not math.isfinite(found := float(value)):
        raise ValueError("not a finite number")
    return found


def is_alive(job: str) -> bool:
    """True if a job of this machine still runs."""
    if not job.isdigit():
        return False
    try:
        os.kill(int(job), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
