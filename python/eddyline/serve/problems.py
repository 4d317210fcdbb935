"""Problems in the answers of the server: line, path, message, remedy."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, Field

from eddyline.world import Problem, WorldError

_SENTENCES = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


class Fault(BaseModel):
    """One problem."""

    line: int = Field(default=0, description="Line of the world file, counted from 1; 0: no line.")
    path: list[str | int] = Field(default=[], description="Keys to the value in the world file.")
    message: str = Field(description="Finding and allowed values.")
    remedy: str = Field(default="", description="Proposed change.")


class Faults(BaseModel):
    """The body of every refusal."""

    problems: list[Fault]


ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": Faults} for code in (400, 401, 403, 404, 409, 413, 422, 429, 503, 507)
}
"""Statuses with which any request may be refused."""


class Refusal(Exception):  # noqa: N818 - it is an answer
    """Ends a request with a status and a problem."""

    def __init__(self, status: int, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.faults = [Fault(message=message, remedy=remedy)]


def faults_of(error: WorldError) -> list[Fault]:
    return [fault_of(problem) for problem in error.problems]


def fault_of(problem: Problem) -> Fault:
    """Splits a problem into finding and remedy: the last sentence, if there are several."""
    sentences = _SENTENCES.split(problem.text)
    last = sentences[-1] if len(sentences) > 1 else ""
    message = problem.text[: len(problem.text) - len(last)].rstrip()
    return Fault(line=problem.line, path=list(problem.path), message=message, remedy=last)
