"""/api/machine: what this machine can do; and /api/open: the world inside a picture."""

from __future__ import annotations

import os
import statistics
import tempfile
import threading
from pathlib import Path

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from eddyline import _core
from eddyline.plot.metadata import read as read_metadata
from eddyline.run.machine import available_cores, processor_name
from eddyline.serve.problems import Faults, Refusal
from eddyline.serve.runs import InLab
from eddyline.serve.tokens import Looks, Steers
from eddyline.serve.worlds import WorldText
from eddyline.world.memory import available_memory

router = APIRouter(
    prefix="/api", tags=["machine"], responses={code: {"model": Faults} for code in (400, 401, 403, 413, 422)}
)
_REPETITIONS = 3
_PICTURES = {b"\x89PNG": ".png", b"ftyp": ".mp4"}
_measured: dict[int, float] = {}
_measuring = threading.Lock()


class Machine(BaseModel):
    host: str
    processor: str
    cores: int
    memory_bytes: int | None = Field(description="Of all programs together.")
    memory_free_bytes: int | None
    instructions: list[str]
    pairs_per_second_limit: dict[int, float] = Field(
        description="Of one core that sums pairs and does nothing else, by dimensions; empty before a test."
    )
    executor: str
    runs_at_once: int
    cores_of_a_run: int


@router.get("/machine")
def read_machine(lab: InLab, may: Looks) -> Machine:
    """What this machine is, and what it has been measured to do."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        memory = None
    return Machine(
        host=os.uname().nodename,
        processor=processor_name(),
        cores=available_cores(),
        memory_bytes=memory,
        memory_free_bytes=available_memory(),
        instructions=list(_core.instruction_sets()),
        pairs_per_second_limit=dict(_measured),
        executor=lab.jobs.name,
        runs_at_once=lab.limits.at_once,
        cores_of_a_run=lab.limits.cores,
    )


@router.post("/machine/test")
def test_machine(lab: InLab, may: Steers) -> Machine:
    """Measures how fast a core is; takes a second or two, and is right only while nothing else computes."""
    if not _measuring.acquire(blocking=False):
        raise Refusal(422, "A test is on its way.", "Wait for it.")
    try:
        for dimensions in (2, 3):
            rates = [_core.arithmetic_limit(dimensions) for _ in range(_REPETITIONS)]
            _measured[dimensions] = statistics.median(rates)
    finally:
        _measuring.release()
    return read_machine(lab, may)


@router.post("/open")
async def open_file(request: Request, lab: InLab, may: Looks) -> WorldText:
    """The world inside a picture or a movie of Eddyline's, or the text of a world file: the bytes of the file
    are the body of the request."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > lab.limits.upload:
            raise Refusal(413, f"The file has more than {lab.limits.upload:,} bytes.")
    return WorldText(toml=_world_in(bytes(data)))


def _world_in(data: bytes) -> str:
    suffix = next((kind for mark, kind in _PICTURES.items() if mark in data[:12]), None)
    if suffix is None:
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise Refusal(
                422, "Neither a picture or movie of Eddyline's nor a text.", "Open a PNG, an MP4 or a .toml."
            ) from None
    with tempfile.TemporaryDirectory(prefix="eddyline-") as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(data)
        try:
            return read_metadata(path).world
        except (ValueError, OSError, SyntaxError):
            text = "This file holds no world of Eddyline's; it was not made by it, or a program removed it."
            raise Refusal(422, text, "Take the file as Eddyline wrote it.") from None
