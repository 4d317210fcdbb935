"""The WebSockets: viewers at /api/runs/ID/stream, simulations at /api/simulations/ID."""

from __future__ import annotations

import asyncio
import logging
import re

from fastapi import APIRouter, WebSocket

from eddyline.live import stream_pb2 as pb
from eddyline.serve.channel import Channel
from eddyline.serve.lab import Lab
from eddyline.serve.problems import Refusal
from eddyline.serve.store import FINAL, RunRow
from eddyline.serve.tokens import Gate, Permission, token_of

FORBIDDEN, UNKNOWN, TRY_AGAIN = 4403, 4404, 1013
_log = logging.getLogger(__name__)
_ID = re.compile(r"[0-9a-f]{12}")

router = APIRouter()


@router.websocket("/api/runs/{id}/stream")
async def look(socket: WebSocket, id: str) -> None:
    lab, gate = _of(socket)
    await socket.accept()
    may = gate.may(socket)
    if may < Permission.VIEW:
        await socket.close(FORBIDDEN, "the token is missing or wrong")
        return
    row = await asyncio.to_thread(lab.store.get, id) if _ID.fullmatch(id) else None
    if row is None:
        await socket.close(UNKNOWN, "the run does not exist")
        return
    channel = lab.hub.channel(id)
    channel.users += 1
    try:
        async with channel.filling:
            if channel.hello is None and row.state in FINAL and row.folder:
                kept = await asyncio.to_thread(_kept, lab, row, may)
                if channel.hello is None:
                    channel.adopt(kept)
        await lab.hub.look(socket, id, may)
    except (Refusal, ValueError) as error:
        said = error.faults[0].message if isinstance(error, Refusal) else repr(error)
        _log.warning("run %s cannot be shown: %s", id, said)
        is_busy = isinstance(error, Refusal) and error.status == 503
        text = "the files of this run cannot be read; they may be of another version"
        await socket.close(TRY_AGAIN if is_busy else UNKNOWN, "the server is busy" if is_busy else text)
    finally:
        channel.users -= 1
        lab.hub.forget(id)


def _kept(lab: Lab, row: RunRow, may: Permission) -> Channel:
    """A channel with the content of the folder of a finished run. Raises Refusal."""
    reply = lab.workers.do(may, "stream", folder=str(lab.folder_of(row)), run=row.id)
    channel, data, place = Channel(row.id), memoryview(reply.body), 0
    while place < len(data):
        end = place + 4 + int.from_bytes(data[place : place + 4], "little")
        message = pb.Message.FromString(bytes(data[place + 4 : end]))
        place = end
        if message.WhichOneof("body") == "hello":
            channel.hello = message.hello
        else:
            channel.take(message)
    return channel


@router.websocket("/api/simulations/{id}")
async def join(socket: WebSocket, id: str) -> None:
    lab, gate = _of(socket)
    await socket.accept()
    may_join = gate.may(socket) >= Permission.STEER or lab.may_join(id, token_of(socket))
    if not may_join or not _ID.fullmatch(id):
        await socket.close(FORBIDDEN, "the token is missing or wrong")
        return
    await lab.hub.join(socket, id)


def _of(socket: WebSocket) -> tuple[Lab, Gate]:
    lab: Lab = socket.app.state.lab
    gate: Gate = socket.app.state.gate
    return lab, gate
