"""The server as an ASGI application."""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

import eddyline
from eddyline.live.stream_pb2 import VERSION_CURRENT
from eddyline.serve import worlds
from eddyline.serve.problems import Fault, Faults, Refusal


class VersionAnswer(BaseModel):
    eddyline: str
    schema_version: int


def create_app() -> FastAPI:
    app = FastAPI(
        title="Eddyline",
        version=eddyline.__version__,
        docs_url="/api/docs",
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses={422: {"model": Faults}},
    )
    app.include_router(worlds.router)

    @app.get("/api/version")
    def read_version() -> VersionAnswer:
        """Of the package and of the stream's schema."""
        return VersionAnswer(eddyline=eddyline.__version__, schema_version=VERSION_CURRENT)

    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _http_error)
    return app


def _answer(status: int, faults: list[Fault]) -> JSONResponse:
    return JSONResponse(Faults(problems=faults).model_dump(), status)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refusal)
    return _answer(error.status, error.faults)


async def _not_understood(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    faults = [Fault(path=list(item["loc"][1:]), message=f"{item['msg']}.") for item in error.errors()]
    return _answer(422, faults)


async def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    answer = _answer(error.status_code, [Fault(message=str(error.detail))])
    answer.headers.update(error.headers or {})
    return answer
