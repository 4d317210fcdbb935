"""Worlds with golden values: together they use every scheme, kind of boundary, start, body and observer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import law_worlds
import small_worlds
from journeys import JOURNEYS
from test_steering import COMMANDS
from test_steering import STEPS as STEERED_STEPS
from test_steering import WORLD as STEERED

from eddyline.live import stream_pb2 as pb
from eddyline.world.gallery import gallery

OBSERVED = f"""{law_worlds.DAM_2D}
[observe.drop]
type = "pressure_drop"
from = ["x0 + a/4", "x0 + a/8"]
to   = ["x0 + a/4", "x0 + a"]
[observe.foot]
type   = "line"
from   = ["x0", "x0 + a/10"]
to     = ["x0 + 3*a", "x0 + a/10"]
points = 7
[observe.top]
type = "front"
axis = "y"
"""
OPTIONS = {
    "smoothing_ratio": 1.6,
    "cfl": 0.9,
    "density_diffusion": 0.2,
    "acoustic_damping": 0.2,
    "artificial_viscosity": 0.03,
    "shifting_strength": 2,
    "shifting_cap": 0.05,
    "volume_relaxation": 0.02,
    "skin": 0.2,
}
"""Options of the scheme delta, none of which is at its default."""


@dataclass(frozen=True)
class GoldenWorld:
    """A world, and for how many steps it is computed.

    overrides: as in World.load.  commands: what steers it, each after its step.
    """

    text: str
    steps: int
    overrides: Mapping[str, str | float | bool] = field(default_factory=dict)
    commands: tuple[tuple[int, pb.Command], ...] = ()


def _gallery() -> dict[str, GoldenWorld]:
    """The worlds of the gallery with particles twice to four times as large as there."""
    coarse = {
        "channel": {"domain.spacing": "H/12"},
        "couette": {"domain.spacing": "L/16"},
        "cylinder": {"domain.spacing": "D/6"},
        "dam_break": {"domain.spacing": "a/12"},
        "dam_break_3d": {"domain.spacing": "a/8"},
        "free_stream": {"domain.spacing": "D/5"},
        "oscillating_cylinder": {"domain.spacing": "D/6"},
        "periodic_cylinder": {"domain.spacing": "D/7"},
        "poiseuille": {"domain.spacing": "L/16"},
        "rotating_cylinder": {"domain.spacing": "R/8"},
        "sedov": {"let.n": 20},
        "sod": {"let.n": 40},
        "still_water": {"domain.spacing": "H/16", "start.settle": 0.1},
        "taylor_green": {"domain.spacing": "L/30"},
    }
    steps = {"still_water": 120}
    return {
        f"gallery/{name}": GoldenWorld(
            path.read_text(encoding="utf-8"), steps.get(name, 20), coarse.get(name, {})
        )
        for name, path in gallery().items()
    }


WAVE = """
format = 1
title = "A pulse"
[domain]
size = [1, 0.5]
spacing = 0.03125
[method]
name = "amr"
[start.fields]
u = "exp(-((x - 0.4)^2 + (y - 0.2)^2)/0.01)"
p = "0.3*sin(2*pi*x)"
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
bottom = { type = "periodic" }
top = { type = "periodic" }
[time]
end = 1
[observe.point]
type = "probe"
position = [0.3, 0.2]
"""

WAVE_3D = (
    WAVE.replace("[1, 0.5]", "[1, 0.5, 0.25]")
    .replace("[0.3, 0.2]", "[0.3, 0.2, 0.1]")
    .replace("[time]", 'front = { type = "periodic" }\nback = { type = "periodic" }\n[time]')
)


def _worlds() -> dict[str, GoldenWorld]:
    steps = {
        "channel-3d": 20,
        "classic-dam-2d": 300,
        "classic-dam-3d": 100,
        "dam-2d": 150,
        "gas-3d": 30,
        "settled-2d": 150,
    }
    worlds = {name: GoldenWorld(each.text, steps.get(name, 50)) for name, each in JOURNEYS.items()}
    double = ("dam-2d", "stream-2d", "stream-3d", "jets-2d", "moving-3d", "classic-dam-2d", "gas-2d")
    worlds |= {
        f"{name}-double": GoldenWorld(JOURNEYS[name].text, 25, {"method.precision": "double"})
        for name in double
    }
    delta = {f"method.{key}": value for key, value in OPTIONS.items()}
    classic = {"method.xsph": 0.4, "method.artificial_viscosity": 0.2, "method.artificial_viscosity_beta": 1}
    return worlds | {
        "vortices": GoldenWorld(law_worlds.VORTICES, 60),
        "vortices-options": GoldenWorld(law_worlds.VORTICES, 40, delta),
        "vortices-unshifted": GoldenWorld(law_worlds.VORTICES, 40, {"method.shifting": False}),
        "classic-vortices-options": GoldenWorld(law_worlds.by_classic(law_worlds.VORTICES), 40, classic),
        "dam-2d-options": GoldenWorld(law_worlds.DAM_2D, 60, delta),
        "observers": GoldenWorld(OBSERVED, 100),
        "small-dam": GoldenWorld(small_worlds.DAM, 60),
        "small-box": GoldenWorld(small_worlds.BOX, 40),
        "mps-dam": GoldenWorld(small_worlds.DAM, 60, {"method.name": "mps"}),
        "mps-dam-3d": GoldenWorld(JOURNEYS["dam-3d"].text, 10, {"method.name": "mps"}),
        "wave-2d": GoldenWorld(WAVE, 30),
        "wave-3d": GoldenWorld(WAVE_3D, 20, {"method.order": 6}),
        "blocks-cylinder": GoldenWorld(
            gallery()["cylinder"].read_text(encoding="utf-8"), 5,
            {"method.name": "multiblock", "domain.spacing": "D/10"},
        ),
        "steered": GoldenWorld(STEERED, STEERED_STEPS, commands=COMMANDS),
    } | _gallery()  # fmt: skip


WORLDS = _worlds()
