"""The WebSockets: viewers at /api/runs/ID/stream, simulations at /api/simulations/ID."""

from __future__ import annotations

import asyncio
import logging
import re
from pathlib import Path

from fastapi import APIRouter, WebSocket

from eddyline.serve import past
from eddyline.serve.lab import Lab
from eddyline.serve.store import FINAL
from eddyline.serve.tokens import Gate, May, token_of

FORBIDDEN, UNKNOWN = 4403, 4404
_log = logging.getLogger(__name__)
_ID = re.compile(r"[0-9a-f]{12}")

router = APIRouter()


@router.websocket("/api/runs/{id}/stream")
async def look(socket: WebSocket, id: str) -> None:
    lab, gate = _of(socket)
    await socket.accept()
    may = gate.may(socket)
    if may < May.LOOK:
        await socket.close(FORBIDDEN, "the token is missing or wrong")
        return
    row = await asyncio.to_thread(lab.store.get, id) if _ID.fullmatch(id) else None
    if row is None:
        await socket.close(UNKNOWN, "there is no such run")
        return
    channel = lab.hub.channel(id)
    is_here = bool(row.folder) and (Path(row.folder) / "run.json").is_file()
    if channel.hello is None and row.state in FINAL and is_here:
        try:
            past.fill(channel, Path(row.folder))
        except (OSError, ValueError, KeyError, TypeError) as error:
            _log.warning("run %s cannot be shown: %r", id, error)
            lab.hub.forget(id)
            await socket.close(UNKNOWN, "the files of this run cannot be read; is it of another version?")
            return
    await lab.hub.look(socket, id, may)


@router.websocket("/api/simulations/{id}")
async def join(socket: WebSocket, id: str) -> None:
    lab, gate = _of(socket)
    await socket.accept()
    may_join = gate.may(socket) >= May.STEER or lab.may_join(id, token_of(socket))
    if not may_join or not _ID.fullmatch(id):
        await socket.close(FORBIDDEN, "the token is missing or wrong")
        return
    await lab.hub.join(socket, id)


def _of(socket: WebSocket) -> tuple[Lab, Gate]:
    lab: Lab = socket.app.state.lab
    gate: Gate = socket.app.state.gate
    return lab, gate
