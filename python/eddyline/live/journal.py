"""journal.jsonl: what was done to a run while it ran, a line each, enough to repeat it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import BinaryIO

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError

from eddyline.files import sync_folder
from eddyline.live import stream_pb2 as pb

NAME = "journal.jsonl"


class JournalError(ValueError):
    """A journal that cannot be read; the text says where."""


@dataclass(frozen=True)
class Entry:
    """step: after which it took effect.  time: simulated, then [s].  text: for people."""

    step: int
    time: float
    command: pb.Command
    text: str

    @property
    def name(self) -> str:
        return self.command.WhichOneof("action") or ""


def append(path: Path, entry: Entry) -> None:
    """Adds a whole line, on the disk before this returns."""
    line = {
        "step": entry.step,
        "time": entry.time,
        "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "text": entry.text,
        "command": MessageToDict(entry.command),
    }
    is_new = not path.exists()
    with path.open("a+b") as file:
        _drop_unfinished_line(file)
        file.write((json.dumps(line, ensure_ascii=False) + "\n").encode())
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        sync_folder(path.parent)


def _drop_unfinished_line(file: BinaryIO) -> None:
    """What a killed process had begun to write is no entry: the next one would be joined to it."""
    file.seek(0)
    text = file.read()
    file.truncate(text.rfind(b"\n") + 1)


def read(path: Path) -> list[Entry]:
    """The entries in order of their steps, of one step in that of the file: a run that goes on may have got
    new ones before old ones came due. None without a journal. A last line that was cut off does not count.
    Raises JournalError."""
    return sorted(_entries(path), key=lambda entry: entry.step) if path.is_file() else []


def _entries(path: Path) -> Iterator[Entry]:
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise JournalError(f"{path}: is no journal: {error}") from None
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            found = json.loads(line)
            command = ParseDict(found["command"], pb.Command())
            yield Entry(int(found["step"]), float(found["time"]), command, str(found["text"]))
        except (ValueError, KeyError, TypeError, ParseError) as error:
            raise JournalError(f"{path}:{number}: is no entry of a journal: {error}") from None
