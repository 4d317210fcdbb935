"""Advice for runs that did not reach their end, as commands that can be pasted into a shell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eddyline.option_names import command
from eddyline.stream import integrity
from eddyline.stream.checkpoints import look

if TYPE_CHECKING:
    from eddyline.run.folder import RunFolder


def resuming(folder: RunFolder, record: Mapping[str, Any]) -> str:
    """Command that continues a run that did not reach its end, chosen by the content of its folder."""
    try:
        found = look(folder.checkpoints, integrity.read_text(folder.world))
    except (OSError, ValueError):
        return "it cannot be resumed: its world.toml is missing or cannot be read"
    if found:
        return f"`{command('resume', folder.path)}` continues from its last checkpoint"
    if found is None and can_begin_again(record):
        return f"`{command('resume', folder.path)}` starts it again, as it has no checkpoint yet"
    lost = "its checkpoints have been removed" if found is None else "none of its checkpoints is intact"
    return f"{lost}; `{again(folder.world, record)}` computes it again"


def is_resumable(folder: RunFolder, record: Mapping[str, Any]) -> bool:
    """True if `eddyline resume` works."""
    try:
        found = look(folder.checkpoints, integrity.read_text(folder.world))
    except (OSError, ValueError):
        return False
    return can_begin_again(record) if found is None else found


def can_begin_again(record: Mapping[str, Any]) -> bool:
    """True if a run without a checkpoint can be repeated in its folder with success and without loss: not if
    one of its steps failed, and not if its checkpoint of the end has been removed."""
    return "details" not in record and not was_closed(record)


def was_closed(record: Mapping[str, Any]) -> bool:
    """True for a run that has ended in order, after steps of which its last checkpoint keeps the state."""
    return record["outcome"] in ("finished", "stopped by user") and record.get("steps", 0) > 0


def again(world: Path, record: Mapping[str, Any]) -> str:
    """The command that computes a world again, with the options that change the result."""
    return f"{command('run', world)} {record.get('options', '')}".rstrip()
