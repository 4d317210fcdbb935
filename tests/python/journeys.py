"""Journeys of the law: worlds in which particles travel far. Apart from the tests, as each rank of a test
reads them when it starts."""

from __future__ import annotations

from dataclasses import dataclass

import law_worlds

INTERVAL = 0.004
"""Time between rows of the series [s]: a few steps."""


@dataclass(frozen=True)
class Journey:
    """A world, how many steps it is run for, and how many cells particles must travel along which axis."""

    text: str
    steps: int
    axis: int
    cells: float


JOURNEYS = {
    "dam-2d": Journey(law_worlds.DAM_2D, 300, 0, 2.0),
    "dam-3d": Journey(law_worlds.DAM_3D, 120, 0, 2.0),
    "stream-2d": Journey(law_worlds.STREAM_2D, 200, 0, 3.0),
    "stream-3d": Journey(law_worlds.STREAM_3D, 80, 0, 1.2),
    "settled-2d": Journey(law_worlds.SETTLED_2D, 250, 1, 1.0),
    "moving-2d": Journey(law_worlds.MOVING_2D, 200, 0, 2.0),
    "moving-3d": Journey(law_worlds.MOVING_3D, 90, 0, 0.5),
    "moving-channel": Journey(law_worlds.MOVING_CHANNEL, 150, 0, 0.7),
    "channel-2d": Journey(law_worlds.CHANNEL_2D, 150, 0, 1.3),
    "free-stream-2d": Journey(law_worlds.FREE_STREAM_2D, 150, 0, 0.7),
    "channel-3d": Journey(law_worlds.CHANNEL_3D, 80, 2, 0.7),
    "jets-2d": Journey(law_worlds.JETS_2D, 150, 0, 1.0),
    "classic-dam-2d": Journey(law_worlds.by_classic(law_worlds.DAM_2D), 1100, 0, 2.0),
    "classic-dam-3d": Journey(law_worlds.by_classic(law_worlds.DAM_3D, "xsph = 0.5"), 350, 0, 1.0),
    "classic-jets-2d": Journey(law_worlds.by_classic(law_worlds.JETS_2D), 300, 0, 0.7),
    "gas-2d": Journey(law_worlds.GAS_2D, 110, 0, 3.0),
    "gas-3d": Journey(law_worlds.GAS_3D, 40, 0, 1.0),
}
