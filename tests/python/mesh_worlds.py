"""Small worlds of the solvers amr and multiblock, for runs of a few steps."""

from __future__ import annotations

from pathlib import Path

from test_waves import WORLDS, world_text
from test_wings import WORLD as WING

from eddyline.world import World

GALLERY = Path(__file__).parents[2] / "worlds"

SOLID_LEVELS = world_text(
    [1, 1, 0.5],
    32,
    "exp(-((x-.4)^2+(y-.5)^2+(z-.2)^2)/.01)",
    end=0.3,
    extra="levels = 2\ntolerance = 0.05\nunit = 4",
)
PATCHES: dict[str, tuple[str, dict[str, object]]] = {
    "wave-levels-3d": (SOLID_LEVELS, {}),
    "gas-levels-body": (WORLDS["gas body"], {}),
    "wave-levels-order-2": (WORLDS["levels"], {"method.order": 2}),
    "wave-sides-order-6": (WORLDS["sides"], {"method.order": 6}),
    "gas-3d-body": (WORLDS["solid body"], {}),
    "potential-levels": (WORLDS["potential"], {}),
}
"""Worlds of amr: text, and changes of values."""

CYLINDER, AIRFOIL, TUBE = (
    (GALLERY / f"{name}.toml").read_text(encoding="utf-8") for name in ("cylinder", "airfoil", "sod")
)
IN_TIME = {"method.name": "multiblock", "method.inner_cycles": 4}
SMALL = {"mesh.cells": [32, 8], "mesh.first_cell": 2e-3, "method.coarse_start": 2}
TURBULENT = {"fluid.turbulence": "spalart_allmaras", "let.Re": 1e6}
IN_TIME_STEPS = {"name": "multiblock", "inner_cycles": 3, "viscous": "thin_layer"}
SHORT = {
    "let.n": 64,
    "domain.size": '[1.0, "16/n"]',
    "regions.left.max": '[0, "16/n"]',
    "regions.right.max": '[0.5, "16/n"]',
    "observe.behind.position": '[0.1, "8/n"]',
    "observe.shocked.position": '[0.27, "8/n"]',
}
BLOCKS: dict[str, tuple[str, dict[str, object]]] = {
    "cylinder-steady": (
        CYLINDER,
        {"method.name": "multiblock", "method.steady": True, "method.sweeps": 2}
        | {"let.Re": 20, "domain.spacing": "D/8"},
    ),
    "cylinder-in-time": (CYLINDER, IN_TIME | {"domain.spacing": "D/6"}),
    "airfoil-steady": (AIRFOIL, SMALL | {"fluid.sutherland": 110.4, "method.dissipation_kind": "matrix"}),
    "airfoil-turbulent": (AIRFOIL, SMALL | TURBULENT),
    "airfoil-turbulent-in-time": (AIRFOIL, SMALL | TURBULENT | {"method": IN_TIME_STEPS}),
    "tube-in-time": (TUBE, IN_TIME | SHORT | {"method.cycle": "V"}),
    "wing-3d": (WING, {}),
}
"""Worlds of multiblock: text, and changes of values."""


def world_of(name: str, changes: dict[str, object]) -> World:
    """A world of these, or of test_waves."""
    text, own = (PATCHES | BLOCKS).get(name) or (WORLDS[name], {})
    return World.from_text(text, overrides=own | changes)
