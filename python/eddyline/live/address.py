"""Address of a hub, and the token with which a run connects to it."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from eddyline import option_names

URL, TOKEN, RUN = "EDDYLINE_LIVE", "EDDYLINE_LIVE_TOKEN", "EDDYLINE_LIVE_RUN"
"""Environment variables by which a hub passes its address to the runs that it starts: command lines are
visible to other users."""
_SCHEMES = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}


class AddressError(ValueError):
    """An invalid address; the message describes the required form."""


@dataclass(frozen=True)
class Address:
    """url: of the WebSocket, without the token.  run: the id of this run at the hub."""

    url: str
    token: str
    run: str


def address(given: str | None, environment: Mapping[str, str] = os.environ) -> Address | None:
    """The address in `live` or in the environment; None without one. Raises AddressError."""
    url = given or environment.get(URL)
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme not in _SCHEMES or not parts.hostname:
        raise AddressError(
            f"{option_names.given('live', url)}: must be the address that `eddyline serve` prints, "
            "e.g. http://127.0.0.1:8421/?token=..."
        )
    token = parse_qs(parts.query).get("token", [""])[0] or environment.get(TOKEN, "")
    run = environment.get(RUN, "") if not given else ""
    if run and not re.fullmatch(r"[0-9a-f]{12}", run):
        raise AddressError(f"{RUN} = {run}: must be twelve hexadecimal digits")
    run = run or secrets.token_hex(6)
    base = f"{_SCHEMES[parts.scheme]}://{parts.netloc}{parts.path.rstrip('/')}"
    return Address(f"{base}/api/simulations/{run}", token, run)
