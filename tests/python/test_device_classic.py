"""The scheme classic on the emulated device gives the bits of the processor's path; see test_device.py."""

from __future__ import annotations

import math

import law_worlds
import pytest
from golden_worlds import WORLDS
from test_device import advanced

import golden
from eddyline import _core
from eddyline.world import World

STORED = golden.stored()

SAME = {
    "classic-vortices-options": 2,  # periodic sides, XSPH, artificial viscosity
    "gas-2d": 1,  # a gas, a body at rest, slip and no-slip walls
    "classic-dam-2d": 1,  # free surface, gravity
    "classic-dam-3d": 2,  # a body at rest, XSPH
    "classic-dam-2d-double": 1,
    "gas-2d-double": 2,
    "gas-3d": 1,  # laminar viscosity
    "gallery/sod": 1,
    "gallery/sedov": 2,
}
"""Golden worlds, and a number of threads."""
QUICK = ("classic-vortices-options", "gas-2d")


@pytest.mark.parametrize(
    "name", [each if each in QUICK else pytest.param(each, marks=pytest.mark.matrix) for each in SAME]
)
def test_the_emulated_device_gives_the_golden_bits(name: str) -> None:
    """State, fields, series with forces, and pictures."""
    threads = SAME[name]
    way = golden.Way(boxes=threads, threads=threads, shuffle=7 * (threads - 1), device="emulated")
    lines = golden.differences(STORED[name], golden.computed(WORLDS[name], way))
    assert not lines, golden.failure(name, lines, way)


DRIVEN = law_worlds.by_classic(
    law_worlds.DAM_2D.replace("spacing =", 'body_force = ["2*sin(9*y) - 3*t", "x"]\nspacing =')
    + """[bodies.post]
shape    = "circle"
center   = ["1.4*a", "0.3*a"]
diameter = "0.4*a"
"""
)


@pytest.mark.parametrize(
    ("text", "steps", "touches"),
    [(law_worlds.GAS_2D, 110, True), (DRIVEN, 200, False)],
    ids=["gas and post", "driven dam"],
)
def test_contact_rebuilds_and_checkpoints_give_the_same_bits(text: str, steps: int, touches: bool) -> None:
    """The device sorts and builds lists, and the processor takes over and hands back half way; a gas that
    touches walls and a post, and a dam break driven by a force by place and time."""
    world = World.from_text(text)
    runs = [_core.Simulation(world.core, threads=1, device=device) for device in ("cpu", "emulated")]
    for each in runs:
        each.advance(math.inf, steps, math.inf)
    alone, on_device = (each.statistics() for each in runs)
    assert runs[0].checksum() == runs[1].checksum()
    for name in ("rebuilds", "pairs", "contacts"):
        assert on_device[name] == alone[name], name
    assert (alone["contacts"] > 0) == touches
    assert on_device["device_rebuilds"] == on_device["rebuilds"] - 1 > 2
    parts: list[bytes] = []
    for device, share in (("cpu", 0.4), ("emulated", 0.7), ("cpu", 0.8), ("emulated", 1.0)):
        found, parts = advanced(world, device, int(share * steps), parts)
    assert found == runs[0].checksum()


def test_walls_whose_speed_changes_give_the_same_bits() -> None:
    """A lid that swings over fluid between periodic sides, after a start that settles."""
    text = law_worlds.MOVING_2D
    text = text[: text.index("[bodies.swing]")] + text[text.index("[time]") :]
    text = text.replace("[start]\n", "[start]\nsettle = 0.002\n")
    world = World.from_text(law_worlds.by_classic(text))
    found = [advanced(world, device, 60, [])[0] for device in ("cpu", "emulated")]
    assert found[0] == found[1]
