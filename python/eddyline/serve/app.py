"""The server as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

import eddyline
from eddyline.live.journal import JournalError
from eddyline.live.stream_pb2 import VERSION_CURRENT
from eddyline.run.errors import RequestError
from eddyline.serve import machine, runs, sockets, worlds
from eddyline.serve.foreign import cleaned
from eddyline.serve.lab import Lab
from eddyline.serve.problems import Fault, Faults, Refusal, faults_of
from eddyline.serve.store import UnwritableError
from eddyline.serve.tokens import Gate, may_look
from eddyline.stream.corrupt import CorruptFileError
from eddyline.world.problems import WorldError

PAGE = Path(__file__).parent / "page"
_OPEN = "/api/open"  # the body is a file
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_ALONE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_POLICY_OF_PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    f"media-src 'self' blob:; font-src 'self'; connect-src 'self'; {_ALONE}"
)
"""Policy of the page: only its own scripts. Inline styles are allowed for the editor and the charts."""
_POLICY_OF_MEDIA = (
    f"default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; {_ALONE}"
)
"""Policy of pictures and movies of a run, which browsers show in a document that they create."""
_POLICY_OF_FILES = f"sandbox allow-downloads allow-popups allow-popups-to-escape-sandbox; {_POLICY_OF_MEDIA}"
"""Policy of all other answers of /api, including reports: no scripts, no requests, no origin."""
_MEDIA = (b"video/", b"image/png")


class VersionAnswer(BaseModel):
    eddyline: str
    schema_version: int


def create_app(lab: Lab, gate: Gate) -> FastAPI:
    """Builds the application. lab: the runs. gate: access control."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        lab.close()

    app = FastAPI(
        title="Eddyline",
        version=eddyline.__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        responses={422: {"model": Faults}},
    )
    app.state.lab, app.state.gate = lab, gate
    app.include_router(worlds.router, dependencies=[Depends(may_look)])
    app.include_router(runs.router)
    app.include_router(machine.router)
    app.include_router(sockets.router)

    @app.get("/api/version")
    async def read_version() -> VersionAnswer:
        """Versions of the package and of the stream's schema."""
        return VersionAnswer(eddyline=eddyline.__version__, schema_version=VERSION_CURRENT)

    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _http_error)
    for unreadable in (CorruptFileError, JournalError, RequestError, WorldError):
        app.add_exception_handler(unreadable, _unreadable)
    app.add_exception_handler(UnwritableError, _unwritable)
    if PAGE.is_dir():
        app.mount("/", StaticFiles(directory=PAGE, html=True), name="page")
    app.add_middleware(RequestFilter, gate=gate, body=lab.limits.body)
    return app


class RequestFilter:
    """Refuses requests with a foreign Host or Origin or too large a body; adds headers."""

    def __init__(self, app: ASGIApp, gate: Gate, body: int) -> None:
        self._app, self._gate, self._body = app, gate, body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if not self._gate.knows(HTTPConnection(scope)):
            await _turn_away(
                scope, receive, send, 403, "This server does not accept that host name or origin."
            )
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        if b"transfer-encoding" in dict(
            scope["headers"]
        ):  # a body in a million parts would cost as many iterations
            await _turn_away(scope, receive, send, 411, "Content-Length is required.")
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        is_number = length.isdigit() and len(length) < 18
        if scope["path"] != _OPEN and (not is_number or int(length) > self._body):
            await _turn_away(scope, receive, send, 413, f"At most {self._body:,} bytes are allowed.")
            return
        taken = 0

        async def receive_some() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._body and scope["path"] != _OPEN:
                raise HTTPException(413, f"At most {self._body:,} bytes are allowed.")
            return message

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(key.lower().encode(), value.encode()) for key, value in _HEADERS.items()]
                kind = dict(message["headers"]).get(b"content-type", b"")
                policy = (b"content-security-policy", _policy(scope["path"], kind).encode())
                message["headers"] = [*message["headers"], *extra, policy]
            await send(message)

        await self._app(scope, receive_some, send_with_headers)


def _policy(path: str, kind: bytes) -> str:
    """Security headers of an answer. kind: its media type."""
    if not path.startswith("/api"):
        return _POLICY_OF_PAGE
    return _POLICY_OF_MEDIA if kind.startswith(_MEDIA) else _POLICY_OF_FILES


async def _turn_away(scope: Scope, receive: Receive, send: Send, status: int, text: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 4403, "reason": text})
        return
    answer = _answer(status, [Fault(message=text)])
    answer.headers["Connection"] = "close"
    await answer(scope, receive, send)


def _answer(status: int, faults: list[Fault]) -> JSONResponse:
    return JSONResponse(Faults(problems=faults).model_dump(), status)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refusal)
    return _answer(error.status, error.faults)


async def _unreadable(request: Request, error: Exception) -> JSONResponse:
    """Answer for files of a run that are damaged, or of another version."""
    faults = faults_of(error) if isinstance(error, WorldError) else [Fault(message=str(error))]
    return _answer(409, faults)


async def _unwritable(request: Request, error: Exception) -> JSONResponse:
    return _answer(
        507, [Fault(message=f"{str(error).capitalize()}.", remedy="Free space on the disk of the server.")]
    )


async def _not_understood(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = [Fault(path=_plain(item["loc"][1:]), message=f"{item['msg']}.") for item in error.errors()]
    return _answer(422, faults)


def _plain(location: Any) -> list[str | int]:
    return [part if isinstance(part, int) else cleaned(part, 200) for part in location]


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    answer = _answer(error.status_code, [Fault(message=str(error.detail))])
    answer.headers.update(error.headers or {})
    return answer
