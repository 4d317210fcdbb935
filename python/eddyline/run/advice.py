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
    return f"none of its checkpoints is intact; `{again(folder.world, record)}` computes it again"


def is_resumable(folder: RunFolder, record: Mapping[str, Any]) -> bool:
    """True if `eddyline resume` works."""
    try:
        found = look(folder.checkpoints, integrity.read_text(folder.world))
    except (OSError, ValueError):
        return False
    return can_begin_again(record) if found is None else found


def can_begin_again(record: Mapping[str, Any]) -> bool:
    """True if a run without a checkpoint can be repeated with success: not if one of its steps failed."""
    return "details" not in record


def again(world: Path, record: Mapping[str, Any]) -> str:
    """The command that computes a world again, with the options that change the result."""
    return f"{command('run', world)} {record.get('options', '')}".rstrip()
