"""Advice for runs that did not end as they should: commands that work when they are pasted."""

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
        return "its world.toml is missing or cannot be read, so that it cannot go on"
    if found:
        return f"`{command('resume', folder.path)}` goes on from its last checkpoint"
    if found is None and can_begin_again(record):
        return f"`{command('resume', folder.path)}` begins it again, as it has no checkpoint yet"
    return f"no checkpoint of it is whole; `{again(folder.world, record)}` computes it again"


def is_resumable(folder: RunFolder, record: Mapping[str, Any]) -> bool:
    """True if `eddyline resume` works."""
    try:
        found = look(folder.checkpoints, integrity.read_text(folder.world))
    except (OSError, ValueError):
        return False
    return can_begin_again(record) if found is None else found


def can_begin_again(record: Mapping[str, Any]) -> bool:
    """True if a run without a checkpoint would get farther when repeated: not if one of its steps failed."""
    return "details" not in record


def again(world: Path, record: Mapping[str, Any]) -> str:
    """The command that computes a world again, with the options that change the result."""
    return f"{command('run', world)} {record.get('options', '')}".rstrip()
