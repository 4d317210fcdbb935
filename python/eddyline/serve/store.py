"""The list of runs, in a database that survives restarts of the server."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from eddyline.option_names import NOT_CLOSED

FINAL = ("finished", "stopped by user", "failed", "lost", NOT_CLOSED)
"""Final states. Earlier states: waiting, running."""


@dataclass(frozen=True)
class RunRow:
    """A run as the list knows it."""

    id: str
    title: str
    world: str
    state: str
    origin: str  # lab: started by this server; joined: connected with --live; folder: found on the disk
    created: str
    started: str = ""
    ended: str = ""
    folder: str = ""  # empty if there is none on this server
    ranks: int = 1
    threads: int = 0
    particles: int = 0
    predicted_seconds: float = 0.0
    actual_seconds: float = 0.0
    message: str = ""
    fingerprint: str = ""
    token: str = ""  # hash of the token that the run shows to the server
    job: str = ""  # id at the executor


_COLUMNS = [column.name for column in fields(RunRow)]
_KINDS = {"int": "INTEGER", "float": "REAL", "str": "TEXT"}


class UnwritableError(OSError):
    """The list cannot be written: the disk is full or read-only."""


class Store:
    """Rows by id. Methods may be called from any thread; those that write raise UnwritableError."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        path.chmod(0o600)
        columns = ", ".join(f"{column.name} {_KINDS[str(column.type)]} NOT NULL" for column in fields(RunRow))
        with self._lock:
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute(f"CREATE TABLE IF NOT EXISTS runs ({columns}, PRIMARY KEY (id))")

    def add(self, row: RunRow) -> None:
        marks = ", ".join(f":{name}" for name in _COLUMNS)
        self._write(f"INSERT OR REPLACE INTO runs VALUES ({marks})", asdict(row))

    def add_all(self, rows: Sequence[RunRow]) -> None:
        """Adds all rows or none, in one transaction."""
        marks = ", ".join(f":{name}" for name in _COLUMNS)
        try:
            with self._lock:
                self._database.execute("BEGIN")
                try:
                    self._database.executemany(
                        f"INSERT OR REPLACE INTO runs VALUES ({marks})", [asdict(row) for row in rows]
                    )
                except sqlite3.Error:
                    self._database.execute("ROLLBACK")
                    raise
                self._database.execute("COMMIT")
        except sqlite3.OperationalError as error:
            raise UnwritableError(f"the list of runs cannot be written: {error}") from error

    def change(self, id_: str, **values: Any) -> RunRow | None:
        """Sets columns of a row; returns the new row, None if there is none."""
        self._set("id = :id", {"id": id_}, values)
        return self.get(id_)

    def change_if(self, before: str, id_: str, /, **values: Any) -> bool:
        """Sets columns of a row if it is in state `before`; True if it was. Of several simultaneous callers
        only one succeeds."""
        return self._set("id = :id AND state = :before", {"id": id_, "before": before}, values) > 0

    def get(self, id_: str) -> RunRow | None:
        found = self._select("WHERE id = ?", (id_,))
        return found[0] if found else None

    def all(self, limit: int = 1000) -> list[RunRow]:
        """The newest first."""
        return self._select("ORDER BY created DESC, rowid DESC LIMIT ?", (limit,))

    def in_state(self, *states: str) -> list[RunRow]:
        """The oldest first."""
        marks = ", ".join("?" * len(states))
        return self._select(f"WHERE state IN ({marks}) ORDER BY created, rowid", states)

    def folders(self) -> set[str]:
        with self._lock:
            return {row[0] for row in self._database.execute("SELECT folder FROM runs WHERE folder != ''")}

    def remove(self, id_: str) -> None:
        self._write("DELETE FROM runs WHERE id = ?", (id_,))

    def close(self) -> None:
        with self._lock:
            self._database.close()

    def _set(self, which: str, where: dict[str, str], values: dict[str, Any]) -> int:
        """Returns the number of changed rows."""
        assert set(values) <= set(_COLUMNS)
        sets = ", ".join(f"{name} = :{name}" for name in values)
        return self._write(f"UPDATE runs SET {sets} WHERE {which}", where | values)

    def _write(self, order: str, values: Any) -> int:
        try:
            with self._lock:
                return self._database.execute(order, values).rowcount
        except sqlite3.OperationalError as error:
            raise UnwritableError(f"the list of runs cannot be written: {error}") from error

    def _select(self, rest: str, values: Sequence[Any]) -> list[RunRow]:
        with self._lock:
            rows = self._database.execute(f"SELECT {', '.join(_COLUMNS)} FROM runs {rest}", values).fetchall()
        return [RunRow(*row) for row in rows]


def hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def id_of_folder(relative: str) -> str:
    """The id of a run that was found on the disk."""
    return hashlib.sha256(relative.encode()).hexdigest()[:12]
