"""/api/machine: description and speed of this machine; /api/open: the world inside a picture."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import threading
from pathlib import Path

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field
from starlette.requests import ClientDisconnect

from eddyline import _core
from eddyline.run.machine import available_cores, processor_name
from eddyline.serve.lab import InLab
from eddyline.serve.problems import ERRORS, Refusal
from eddyline.serve.tokens import Looks, Steers
from eddyline.serve.worlds import LONGEST, WorldText
from eddyline.world.memory import available_memory

router = APIRouter(prefix="/api", tags=["machine"], responses=ERRORS)
_LONGEST_TEXT = 4 * LONGEST  # bytes of a world file that is opened
_REPETITIONS = 3
_PICTURES = {b"\x89PNG": ".png", b"ftyp": ".mp4"}
_measured: dict[int, float] = {}
_measuring = threading.Lock()


class Machine(BaseModel):
    host: str
    processor: str
    cores: int
    memory_bytes: int | None = Field(description="Load by all programs.")
    memory_free_bytes: int | None
    instructions: list[str]
    pairs_per_second_limit: dict[int, float] = Field(
        description="Pair rate of one core in pair-sum arithmetic only, by dimensions; empty before a "
        "benchmark."
    )
    executor: str
    runs_at_once: int
    cores_of_a_run: int


@router.get("/machine")
def read_machine(lab: InLab, may: Looks) -> Machine:
    """Description of this machine, and its measured speed."""
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
    """Measures the speed of a core; takes a second or two, and is accurate only on an idle machine."""
    if not _measuring.acquire(blocking=False):
        raise Refusal(422, "A benchmark is already running.", "Wait until it ends.")
    try:
        for dimensions in (2, 3):
            rates = [_core.arithmetic_limit(dimensions) for _ in range(_REPETITIONS)]
            _measured[dimensions] = statistics.median(rates)
    finally:
        _measuring.release()
    return read_machine(lab, may)


@router.post("/open", response_model=WorldText)
async def open_file(request: Request, lab: InLab, may: Looks) -> Response:
    """The world inside a picture or movie of Eddyline, or the text of a world file; the body of the request
    is the file."""
    if lab.uploads.locked():
        raise Refusal(503, "Too many files are being opened.", "Try again in a moment.")
    async with lab.uploads:
        with tempfile.TemporaryDirectory(prefix="eddyline-") as folder:
            try:
                path = await _receive(request, Path(folder), lab.limits.upload)
            except ClientDisconnect:
                raise Refusal(400, "The upload ended before the file was complete.") from None
            if path.suffix:
                return await asyncio.to_thread(lab.answer, may, "open_picture", path=str(path))
            return Response(_text(path.read_bytes()), media_type="application/json")


async def _receive(request: Request, folder: Path, most: int) -> Path:
    """Writes the body of a request to a file named by its kind; without a suffix it is treated as text."""
    head, total, path = b"", 0, folder / "file"
    with path.open("wb") as file:
        async for piece in request.stream():
            head, total = (head + piece)[:12], total + len(piece)
            kind = _kind(head)
            if total > (most if kind else _LONGEST_TEXT):
                limit = most if kind else _LONGEST_TEXT
                raise Refusal(
                    413,
                    f"The file is too large; at most {limit:,} bytes are allowed.",
                    "Open a PNG, an MP4 or a .toml.",
                )
            await asyncio.to_thread(file.write, piece)
    return path.rename(path.with_suffix(_kind(head)))


def _kind(head: bytes) -> str:
    return next((kind for mark, kind in _PICTURES.items() if mark in head), "")


def _text(data: bytes) -> bytes:
    """A WorldText of a text file."""
    try:
        return WorldText(toml=data.decode("utf-8-sig")).model_dump_json().encode()
    except UnicodeDecodeError:
        text = "The file is neither an Eddyline picture or movie nor text."
        raise Refusal(422, text, "Open a PNG, an MP4 or a .toml.") from None
