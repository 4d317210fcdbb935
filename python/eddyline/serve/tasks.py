"""Tasks of a worker process: `Workers.do` calls these functions by name.

`python -m eddyline.serve.tasks` reads orders from its input until that ends. Nothing that a task reads is
trusted: reference curves are bare names, memory is limited, and the system's alarm ends a process that takes
too long.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from pydantic_core import PydanticSerializationError, to_json

from eddyline.run.device import refusal
from eddyline.run.errors import RequestError
from eddyline.run.folder import RunFolder
from eddyline.serve import stored_runs, stored_surfaces
from eddyline.serve.checking import check as checked_world
from eddyline.serve.drafts import draft
from eddyline.serve.problems import Fault, Faults, fault_of, faults_of
from eddyline.serve.workers import Reply
from eddyline.stream.corrupt import CorruptFileError
from eddyline.world import WorldError, curves
from eddyline.world.describe import plan
from eddyline.world.editing import Edit, EditError, edited

MEMORY = 4 * 1024**3
"""Memory in bytes that a worker may allocate after its start, at most a quarter of the machine's memory."""
PROTOBUF = "application/x-protobuf"
_JSON = "application/json"
_GRACE = 5  # s after the server has cancelled a task
_MOST_RESIDENT = 1024**3  # bytes after which a process is replaced
_log = logging.getLogger(__name__)


class TaskError(Exception):
    """A refused task, with a status and problems."""

    def __init__(self, status: int, *faults: Fault) -> None:
        super().__init__(faults[0].message if faults else "")
        self.status, self.faults = status, list(faults)


# --- worlds -------------------------------------------------------------------------------------------------


def nothing() -> Reply:
    return Reply(200, _JSON, b"null")


def check(
    text: str,
    sets: dict[str, str | float],
    quality: str,
    device: str = "cpu",
    devices: Sequence[str] = ("cpu",),
) -> Reply:
    """A CheckAnswer."""
    return _said(checked_world(text, tuple(sorted(sets.items())), quality, device, tuple(devices)))


def order(text: str, sets: dict[str, str | float], quality: str, device: str = "cpu") -> Reply:
    """Size and cost of a world for the queue."""
    found = draft(text, sets, quality)
    if found.world is None:
        raise TaskError(422, *map(fault_of, found.problems))
    needs = plan(found.world)
    return _said(
        {
            "title": found.world.title,
            "source": found.world.source,
            "particles": sum(needs.estimate.counts.values()),
            "seconds": needs.seconds,
            "device": "cpu" if refusal(device, found.world) else device,
        }
    )


def edit(text: str, edits: list[dict[str, Any]]) -> Reply:
    """A WorldText."""
    try:
        return _said(
            {"toml": edited(text, [Edit(each["op"], each["path"], each["value"]) for each in edits])}
        )
    except EditError as error:
        raise TaskError(422, Fault(message=str(error))) from None


def open_picture(path: str) -> Reply:
    """A WorldText, from the metadata of a PNG or MP4."""
    from eddyline.plot import metadata

    try:
        return _said({"toml": metadata.read(path).world})
    except (ValueError, OSError):
        text = (
            "This file contains no Eddyline world: Eddyline did not write it, or another program removed "
            "the metadata."
        )
        raise TaskError(
            422, Fault(message=text, remedy="Use the original file written by Eddyline.")
        ) from None


# --- runs ---------------------------------------------------------------------------------------------------


def results(folder: str) -> Reply:
    return _said(stored_runs.results(Path(folder)))


def series(path: str) -> Reply:
    """A SeriesAnswer."""
    table = RunFolder(Path(path).parent.parent).read_series(Path(path).stem)
    names, units = [str(column) for column in table.columns], table.attrs["units"]
    return _said(
        {
            "name": Path(path).stem,
            "columns": names,
            "units": [units[name] for name in names],
            "values": [table[name].tolist() for name in names],
        }
    )


def frames(folder: str) -> Reply:
    """A FramesAnswer."""
    moments = stored_runs.moments(Path(folder))
    return _said({"frames": _moments(moments), "quantities": stored_runs.quantities(Path(folder))})


def frame(folder: str, index: int, quantity: str, width: int, code_width: int) -> Reply:
    place = Path(folder)
    named = quantity or str(RunFolder(place).read_record()["quantity"])
    try:
        return _message(stored_runs.frame(place, index, named, width, code_width).SerializeToString())
    except IndexError as error:
        raise TaskError(404, Fault(message=f"frames/{index}: {error}.")) from None
    except CorruptFileError:
        raise
    except ValueError as error:
        raise TaskError(422, Fault(message=f"{error}.")) from None


def particle_moments(folder: str) -> Reply:
    """A MomentsAnswer."""
    return _said({"moments": _moments(stored_runs.particle_moments(Path(folder)))})


def particles(folder: str, index: int, quantity: str, most: int) -> Reply:
    try:
        return _message(stored_runs.particles(Path(folder), index, quantity, most).SerializeToString())
    except IndexError as error:
        raise TaskError(404, Fault(message=f"particles/{index}: {error}.")) from None
    except stored_runs.UnknownQuantityError as error:
        raise TaskError(422, Fault(message=f"{error}.")) from None


def surface_moments(folder: str) -> Reply:
    """A MomentsAnswer."""
    return _said({"moments": _moments(stored_surfaces.moments(Path(folder)))})


def surfaces(folder: str, index: int) -> Reply:
    try:
        return _message(stored_runs.surfaces(Path(folder), index).SerializeToString())
    except IndexError as error:
        raise TaskError(404, Fault(message=f"surfaces/{index}: {error}.")) from None


def read_journal(folder: str) -> Reply:
    """A list of JournalEntry."""
    return _said(
        [
            {"step": entry.step, "time": entry.time, "command": entry.name, "text": entry.text}
            for entry in RunFolder(Path(folder)).read_journal()
        ]
    )


def present(folder: str) -> Reply:
    """A PresentAnswer."""
    return _said(asdict(stored_runs.present(Path(folder))))


def stream(folder: str, run: str) -> Reply:
    """Messages to viewers of a finished run, each after its length in four bytes."""
    said = [message.SerializeToString() for message in stored_runs.messages(Path(folder), run)]
    return _message(b"".join(len(each).to_bytes(4, "little") + each for each in said))


_OF_PICTURES = (frames, frame, particle_moments, particles, surface_moments, surfaces)
_OF_RUNS = (results, series, *_OF_PICTURES, read_journal, present, stream)
TASKS: dict[str, Callable[..., Reply]] = {
    task.__name__: task for task in (nothing, check, order, edit, open_picture, *_OF_RUNS)
}


def _moments(found: list[tuple[int, float]]) -> list[dict[str, Any]]:
    return [{"index": k, "step": step, "time": time} for k, (step, time) in enumerate(found)]


def _said(value: Any, status: int = 200) -> Reply:
    return Reply(status, _JSON, to_json(value, inf_nan_mode="null"))


def _message(data: bytes) -> Reply:
    return Reply(200, PROTOBUF, data)


# --- the process --------------------------------------------------------------------------------------------


def do(task: str, arguments: dict[str, Any]) -> Reply:
    """The reply of a task, also after an error. Raises MemoryError."""
    try:
        return TASKS[task](**arguments)
    except TaskError as error:
        return _said(Faults(problems=error.faults), error.status)
    except WorldError as error:
        return _said(Faults(problems=faults_of(error)), 409)
    except (CorruptFileError, RequestError) as error:
        return _refused(409, str(error))
    except RecursionError:
        return _refused(422, "The text is nested too deeply.", "Use fewer nested brackets.")
    except PydanticSerializationError:
        return _refused(422, "The answer contains invalid Unicode or unknown types.")
    except MemoryError:
        raise
    except Exception as error:
        if TASKS[task] in _OF_RUNS:  # these files were not written by Eddyline
            return _refused(
                409, f"The files of this run cannot be read: {type(error).__name__}: {error}"[:500]
            )
        _log.exception("the task %s failed", task)
        return _refused(500, "Internal server error.")


def _refused(status: int, message: str, remedy: str = "") -> Reply:
    message = message.encode("utf-8", "replace").decode()
    return _said(Faults(problems=[Fault(message=message, remedy=remedy)]), status)


def main() -> None:
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # printed text must not mix with replies
    orders = sys.stdin.buffer
    _limit_memory()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)  # the event loop comes first
    curves.confine()
    try:
        _send(replies, nothing())
    except BrokenPipeError:
        return  # the server has ended
    while len(head := orders.read(4)) == 4:
        given = json.loads(orders.read(int.from_bytes(head, "little")))
        signal.alarm(round(given["seconds"]) + _GRACE)  # ends this process, even inside the core
        try:
            reply = do(given["task"], given["arguments"])
        except MemoryError:
            return
        signal.alarm(0)
        with contextlib.suppress(BrokenPipeError):
            _send(replies, reply)
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > _MOST_RESIDENT:
            return


def _limit_memory() -> None:
    page = os.sysconf("SC_PAGE_SIZE")
    begun = int(Path("/proc/self/statm").read_text().split()[0]) * page
    most = begun + min(MEMORY, os.sysconf("SC_PHYS_PAGES") * page // 4)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _send(replies: BinaryIO, reply: Reply) -> None:
    head = json.dumps({"status": reply.status, "kind": reply.kind, "length": len(reply.body)}).encode()
    replies.write(len(head).to_bytes(4, "little") + head + reply.body)
    replies.flush()


if __name__ == "__main__":
    main()
