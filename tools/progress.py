"""Runs a command that builds and shows how far the compiler is; all of its output if it fails.

  python tools/progress.py COMMAND [ARGUMENT ...]

Only the lines of ninja ("[12/96] ...") are shown: on a terminal each overwrites the previous one, in a log
each has a line of its own. The exit code is that of the command.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

STEP = re.compile(r"^\s*(\[[1-9]\d*/\d+\]) (.*)$")
FILE = re.compile(r"(?:CMakeFiles/[^/]+\.dir/)?(\S+?)(?:\.o)?$")


def main() -> int:
    if len(sys.argv) < 2:
        print((__doc__ or "").strip(), file=sys.stderr)
        return 2
    return build(sys.argv[1:], sys.stdout)


def build(command: Sequence[str], out: TextIO) -> int:
    """Runs the command, writes its progress to `out`, and gives its exit code."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        assert process.stdout is not None
        printed = show(process.stdout, out)
    if process.returncode != 0:
        out.writelines(printed)
    out.flush()
    return process.returncode


def show(lines: Iterable[str], out: TextIO) -> list[str]:
    """Writes the steps among the lines to `out`; gives all lines."""
    terminal = out.isatty()
    width = shutil.get_terminal_size().columns - 1
    printed = []
    for line in lines:
        printed.append(line)
        if text := step(line):
            out.write(f"\r\x1b[K{text[:width]}" if terminal else f"{text}\n")
            out.flush()
    if terminal:
        out.write("\r\x1b[K")
    return printed


def step(line: str) -> str:
    """A line of ninja, shortened to "[12/96] Building core/comm/wait.cpp"; "" for others."""
    found = STEP.match(line.rstrip())
    if found is None:
        return ""
    count, text = found.groups()
    name = FILE.search(text)
    if name is not None and text.startswith(("Building", "Linking")):
        return f"{count} {text.split()[0]} {name[1]}"
    return f"{count} {text}"


if __name__ == "__main__":
    sys.exit(main())
