"""The process that started the ranks, `eddyline run --ranks N`: they do not go on without it."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from pathlib import Path

NAME = "starter"
"""The file of the folder that both know, which has its number."""
INTERVAL = 0.5  # s between looks
_gone = threading.Event()


def tell_starter(folder: Path) -> None:
    (folder / NAME).write_text(str(os.getpid()))


def leave_with_starter(folder: Path) -> None:
    """From now on the run ends in order, as at SIGTERM, when the process that started it has gone: killed, as
    else it waits for the run. The folder, which nobody reads any more, goes with it."""

    def watch() -> None:
        while not has_ended(folder / NAME):
            time.sleep(INTERVAL)
        _gone.set()
        shutil.rmtree(folder, ignore_errors=True)
        os.kill(os.getpid(), signal.SIGTERM)

    if (folder / NAME).is_file():
        threading.Thread(target=watch, name="starter", daemon=True).start()


def starter_has_gone() -> bool:
    """Whether that is why the run ends."""
    return _gone.is_set()


def has_ended(number: Path) -> bool:
    """Whether the process whose number is in the file has been there and is no more."""
    try:
        status = Path(f"/proc/{int(number.read_text())}/stat").read_text()
    except FileNotFoundError:
        return number.exists() and Path("/proc/self").exists()
    except (OSError, ValueError):
        return False
    return status.rpartition(")")[2].split()[0] == "Z"
