"""Access: tokens that allow viewing or steering, and the pages that may use them."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends
from starlette.requests import HTTPConnection

from eddyline.serve.problems import Refusal

_LENGTH = 18  # bytes of a token
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Permission(IntEnum):
    """Rights of a token."""

    NONE = 0
    VIEW = 1
    STEER = 2


@dataclass(frozen=True)
class Gate:
    """The tokens of a server, and the names under which browsers may know it.

    hosts: names and addresses without ports. A page from elsewhere can neither call the API (Origin) nor make
    its own name stand for this machine (Host).
    """

    hosts: tuple[str, ...] = LOOPBACK
    look: str = field(default_factory=lambda: secrets.token_urlsafe(_LENGTH))
    steer: str = field(default_factory=lambda: secrets.token_urlsafe(_LENGTH))

    def may(self, connection: HTTPConnection) -> Permission:
        """Rights of the token of a request."""
        token = token_of(connection)
        if secrets.compare_digest(token.encode(), self.steer.encode()):
            return Permission.STEER
        return (
            Permission.VIEW if secrets.compare_digest(token.encode(), self.look.encode()) else Permission.NONE
        )

    def knows(self, connection: HTTPConnection) -> bool:
        """True if Host, and Origin if there is one, are this server."""
        try:
            host = urlsplit(f"//{connection.headers.get('host', '')}")
            if host.hostname not in self.hosts:
                return False
            origin = connection.headers.get("origin")
            if origin is None:
                return True
            page = urlsplit(origin)
            port = host.port or _PORTS.get(connection.url.scheme)
            return page.hostname == host.hostname and (page.port or _PORTS.get(page.scheme)) == port
        except ValueError:
            return False


def token_of(connection: HTTPConnection) -> str:
    """`Authorization: Bearer TOKEN`, or `?token=TOKEN`."""
    scheme, _, token = connection.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else connection.query_params.get("token", "")


def gate_of(connection: HTTPConnection) -> Gate:
    gate: Gate = connection.app.state.gate
    return gate


def may_look(connection: HTTPConnection) -> Permission:
    """Accepts requests that may view. Raises Refusal."""
    may = gate_of(connection).may(connection)
    if may < Permission.VIEW:
        remedy = "Open the address that `eddyline serve` printed."
        raise Refusal(401, "The token is missing or wrong.", remedy)
    return may


def may_steer(connection: HTTPConnection) -> Permission:
    """Accepts requests that may steer. Raises Refusal."""
    may = may_look(connection)
    if may < Permission.STEER:
        raise Refusal(403, "This link is view-only.", "Use the control address.")
    return may


Looks = Annotated[Permission, Depends(may_look)]
Steers = Annotated[Permission, Depends(may_steer)]
