"""Runs on the disk that the list does not know yet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eddyline.run.folder import RunFolder
from eddyline.run.record import Run
from eddyline.serve.store import FINAL, RunRow, id_of_folder
from eddyline.wording import NOT_CLOSED

_MOST = 1000


def record(folder: Path) -> dict[str, Any] | None:
    """run.json, or None if there is none that can be read."""
    try:
        found = RunFolder(folder).read_record()
    except (OSError, ValueError):
        return None
    return found if {"outcome", "message", "fingerprint"} <= set(found) else None


def close_record(folder: Path, outcome: dict[str, Any]) -> None:
    """Says in run.json how a run ended that could not say it itself."""
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
        said = record(place)
        if said is None:
            continue
        try:
            row = _row(id_of_folder(str(place.relative_to(folder))), place, said)
        except (TypeError, ValueError):  # no record that this version has written
            continue
        count += 1
        yield row


def state_of(place: Path, said: dict[str, Any]) -> str:
    """The state of a run that a folder holds, by its run.json."""
    state = str(said["outcome"])
    if state in FINAL and state != NOT_CLOSED:
        return state
    if RunFolder(place).is_held():
        return "running"
    return state if state == NOT_CLOSED else "lost"


def words_of(place: Path, said: dict[str, Any]) -> str:
    """What the list says of a run that a folder holds: why it stopped, and what to do if it is not closed."""
    return Run(RunFolder(place)).message if said["outcome"] == NOT_CLOSED else str(said["message"])


def _row(id_: str, place: Path, said: dict[str, Any]) -> RunRow:
    state = state_of(place, said)
    return RunRow(
        id=id_,
        title=str(said.get("title", "")),
        world=str(said.get("world", "")),
        state=state,
        origin="folder",
        created=str(said.get("started", "")),
        started=str(said.get("started", "")),
        folder=str(place),
        ranks=int(said.get("ranks", 1)),
        threads=int(said.get("threads", 0)),
        particles=int(said.get("fluid_particles", 0)),
        actual_seconds=float(said.get("wall_seconds", 0.0)),
        message=words_of(place, said),
        fingerprint=str(said["fingerprint"]),
    )


def is_alive(job: str) -> bool:
    """Whether a job of this machine still runs."""
    if not job.isdigit():
        return False
    try:
        os.kill(int(job), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
