"""journal.jsonl: the live commands of a run, one per line, sufficient to repeat it."""

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
from eddyline.option_names import one_line
from eddyline.stream import atomic, integrity
from eddyline.stream.corrupt import CorruptFileError
from eddyline.stream.formats import FormatError, check_format

NAME = "journal.jsonl"
FORMAT = 1
"""Format of each line; a line without a number has format 1."""


class JournalError(CorruptFileError):
    """A journal that cannot be read; the message names the line."""


@dataclass(frozen=True)
class Entry:
    """step: after which it took effect.  time: simulated, then [s]; of a movement: when it begins, then or
    later.  text: for people.

    left_out: the run went on without it.
    """

    step: int
    time: float
    command: pb.Command
    text: str
    left_out: bool = False

    @property
    def name(self) -> str:
        return self.command.WhichOneof("action") or ""


def append(path: Path, entry: Entry) -> None:
    """Appends a line; it is on the disk when this returns."""
    line = {
        "format": FORMAT,
        "step": entry.step,
        "time": entry.time,
        "at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "text": entry.text,
        "command": MessageToDict(entry.command),
    }
    is_new = not path.exists()
    with path.open("a+b") as file:
        _drop_unfinished_line(file)
        file.write((json.dumps(integrity.with_digest(line), ensure_ascii=False) + "\n").encode())
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        sync_folder(path.parent)


def _drop_unfinished_line(file: BinaryIO) -> None:
    """Drops a last line that a killed process left incomplete: the next entry would be joined to it."""
    file.seek(0)
    text = file.read()
    file.truncate(text.rfind(b"\n") + 1)


def read(path: Path, read_file: integrity.ReadFile = integrity.read_file) -> list[Entry]:
    """The valid entries, sorted by step and then by line: a resumed run may have received new commands before
    old ones were due. Empty without a journal. An incomplete last line is ignored. Raises
    CorruptFileError."""
    return [entry for entry in read_all(path, read_file) if not entry.left_out]


def read_all(path: Path, read_file: integrity.ReadFile = integrity.read_file) -> list[Entry]:
    """All entries, including those that were left out."""
    content = read_file(path)
    return [] if content is None else sorted(_entries(path, content), key=lambda entry: entry.step)


def leave_out(path: Path, entry: Entry) -> None:
    """Marks the last line that holds this entry as left out; the line stays. Raises CorruptFileError."""
    content = integrity.read_file(path) or b""
    lines = content.split(b"\n")[:-1]
    numbers = [number for number, each in enumerate(_entries(path, content)) if each == entry]
    found = integrity.with_digest(json.loads(lines[numbers[-1]]) | {"left_out": True})
    lines[numbers[-1]] = json.dumps(found, ensure_ascii=False).encode()
    atomic.write_bytes(path, b"".join(line + b"\n" for line in lines))


def _entries(path: Path, content: bytes) -> Iterator[Entry]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise JournalError(path, f"it is not a journal: {error}") from None
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            found = json.loads(line)
            check_format(path, found.get("format", FORMAT), FORMAT)
            if "digest" in found and found != integrity.with_digest(found):
                raise ValueError("it was changed after it was written")
            command = ParseDict(found["command"], pb.Command())
            left_out = bool(found.get("left_out", False))
            yield Entry(int(found["step"]), float(found["time"]), command, str(found["text"]), left_out)
        except FormatError:
            raise
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            OverflowError,
            RecursionError,
            ParseError,
        ) as error:
            told = one_line(str(error).replace("\n", " "))
            raise JournalError(path, f"line {number} is not a valid entry: {told}") from None
