"""A process that has imported all modules of a run and waits for an order, so that the run begins at once.

`python -m eddyline.serve.prewarmed_process PIPE` reads one line from the pipe and becomes that run. When the
server ends, the pipe is closed and the process ends.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

NEEDED = (
    "eddyline.cli",
    "eddyline.run.execute",
    "eddyline.run.live_session",
    "eddyline.run.convergence_forecast",
    "eddyline.run.recorder",
    "eddyline.stream.snapshots",
    "eddyline.stream.writer",
    "eddyline.world",
    "h5py",
    "websockets.sync.client",
)


READY = "ready"


class Pipe:
    """The end of the pipe at the server. arguments: of python, for the waiting process."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="eddyline-"))
        path = self._folder / "order"
        os.mkfifo(path, 0o600)
        self._end = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.arguments = ["-m", "eddyline.serve.prewarmed_process", str(path)]

    @property
    def is_heard(self) -> bool:
        """True if the process has begun to listen."""
        return (self._folder / READY).exists()

    def tell(
        self, arguments: Sequence[str], environment: Mapping[str, str], output: Path, errors: Path
    ) -> None:
        """Sends the run to compute to the process. Raises OSError if it does not listen yet."""
        if not self.is_heard:
            raise OSError("the prewarmed process did not start to listen")
        order = {
            "arguments": list(arguments),
            "environment": dict(environment),
            "output": str(output),
            "errors": str(errors),
        }
        os.write(self._end, json.dumps(order).encode() + b"\n")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._end)
        shutil.rmtree(self._folder, ignore_errors=True)


def _listen(path: Path) -> int:
    """The open pipe. Raises OSError if the server has ended."""
    end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(end, True)
    (path.parent / READY).touch()
    return end


def _order(end: int) -> bytes:
    """Waits for the line and returns it; empty if the other end was closed."""
    line = b""
    while not line.endswith(b"\n"):
        part = os.read(end, 65536)
        if not part:
            return b""
        line += part
    os.close(end)
    return line


def main() -> None:
    path = Path(sys.argv[1])
    try:
        end = _listen(path)
    except OSError:
        return
    for name in NEEDED:
        importlib.import_module(name)
    line = _order(end)
    shutil.rmtree(path.parent, ignore_errors=True)
    if not line:
        return
    order = json.loads(line)
    os.environ.update(order["environment"])
    for number, name in ((1, "output"), (2, "errors")):
        target = os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(target, number)
        os.close(target)
    sys.argv = ["eddyline", *order["arguments"]]
    importlib.import_module("eddyline.cli").main()


if __name__ == "__main__":
    main()
