"""The fingerprint of a run: four short words for the whole final state and the world.

The state enters through `Simulation.checksum()`, the world through its tables and values: comments, layout
and the way in which a number is written (8, 8.0) do not count. The same run has the same words on every
machine.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

CONSONANTS = "bdfghjklmnprstvz"
VOWELS = "aiou"


def fingerprint(checksum: int, world_source: str) -> str:
    """Words such as `lusab-babad-gutih-tugad` for a 128-bit `checksum` and the TOML text of the world as
    run."""
    digest = hashlib.sha256(b"eddyline fingerprint 1\n")
    digest.update(checksum.to_bytes(16, "big"))
    digest.update(canonical_world(world_source).encode())
    return words(digest.digest()[:8])


def words(data: bytes) -> str:
    """Sixteen bits a word, consonants and vowels in turn (Wilkerson 2009, "A proposal for proquints")."""
    return "-".join(_word(int.from_bytes(data[k : k + 2], "big")) for k in range(0, len(data), 2))


def canonical_world(source: str) -> str:
    """The tables and values of a world file as one line of JSON with sorted keys."""
    import tomlkit

    return json.dumps(_canonical(tomlkit.parse(source).unwrap()), sort_keys=True, separators=(",", ":"))


def _word(bits: int) -> str:
    return (
        CONSONANTS[bits >> 12 & 15]
        + VOWELS[bits >> 10 & 3]
        + CONSONANTS[bits >> 6 & 15]
        + VOWELS[bits >> 4 & 3]
        + CONSONANTS[bits & 15]
    )


def _canonical(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return float(value) if math.isfinite(value) else str(value)
    return str(value)
