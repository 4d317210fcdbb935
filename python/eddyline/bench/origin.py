"""The sources that a measurement was made with."""

from __future__ import annotations

import subprocess
from pathlib import Path


def commit() -> str | None:
    """The commit of the checkout around this package, with a + if files have changed; None outside one."""
    folder = Path(__file__).resolve().parent

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True, timeout=20
        ).stdout.strip()

    try:
        name = git("rev-parse", "--short=10", "HEAD")
        changed = git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{name}+" if changed else name
