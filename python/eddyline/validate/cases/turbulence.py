"""Turbulent flow along a flat plate, model of Spalart and Allmaras: local friction, law of the wall."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.mesh.blocks import Mesh
from eddyline.validate.case import Case, Setting
from eddyline.validate.drawing import INK, LINES, caption, panels, save
from eddyline.validate.figures import Figure, below, relative
from eddyline.validate.references import load_world
from eddyline.world.meshes import make
from eddyline.world.world import World

Floats = NDArray[np.float64]
PLACE = 0.97  # along the plate, over L, where codes are compared
FRICTION = 0.00271
"""Coefficient of local friction there: what established codes with the model of Spalart and Allmaras find on
fine meshes."""
KAPPA, CONSTANT = 0.41, 5.0  # u+ = ln(y+) / KAPPA + CONSTANT
LOG_LAYER, SUBLAYER = (50.0, 300.0), 3.0  # y+
QUICK: dict[str, str | float] = {"time.end": 2000}


@dataclass(frozen=True)
class Plate:
    """The end of a search. x: (i,) m, of the cells on the plate; friction: (i,) coefficients there. height:
    (j,) m and speed, ratio: (j, i), of the velocity along the plate and of eddy viscosity over viscosity.
    drop: (cycles,) of the residual. y_plus: the largest of the cells there."""

    world: World
    mesh: Mesh
    x: Floats
    friction: Floats
    height: Floats
    speed: Floats
    ratio: Floats
    drop: Floats
    y_plus: float

    def law(self) -> tuple[Floats, Floats]:
        """y+ and u+ at PLACE."""
        at = int(np.argmin(np.abs(self.x - PLACE * self.world.let["L"])))
        u_tau = self.world.let["U"] * math.sqrt(self.friction[at] / 2)
        return self.height * u_tau / self.world.file.fluid.nu, self.speed[:, at] / u_tau


def run(setting: Setting) -> list[Figure]:
    plate = _computed(QUICK if setting.quick else {}, setting)
    cells, length = plate.mesh.cells, plate.world.let["L"]
    found = float(np.interp(PLACE * length, plate.x, plate.friction))
    y, u = plate.law()
    log_layer, sublayer = (y >= LOG_LAYER[0]) & (y <= LOG_LAYER[1]), y <= SUBLAYER
    far = float(np.abs(u - np.log(y) / KAPPA - CONSTANT)[log_layer].max())
    figures = [
        relative(
            f"plate, {cells:,} cells: local friction at {PLACE:g} L",
            found,
            FRICTION,
            0.05 if setting.quick else 0.02,
        ),
        below(
            f"largest distance from the logarithmic law, y+ from {LOG_LAYER[0]:g} to {LOG_LAYER[1]:g}",
            far,
            0.5,
        ),
        below("largest error of u+ = y+ below y+ = 3", float(np.abs(u / y - 1)[sublayer].max()), 0.02),
        below("largest y+ of the cells at the plate", plate.y_plus, 2.0),
    ]
    drop = float(plate.drop[-1])
    figures.append(
        below(f"drop of the residual in {len(plate.drop)} cycles", drop, 1e-3 if setting.quick else 1e-4)
    )
    _draw(setting, plate)
    return figures


def _computed(overrides: dict[str, str | float], setting: Setting) -> Plate:
    world = load_world("turbulence/plate", overrides)
    simulation = _core.Simulation(world.core, threads=setting.threads, series_interval=0)
    simulation.advance(world.end * (1 - 1e-9), 2**62, math.inf)
    series = {
        name: dict(zip(columns, rows.T, strict=True))
        for name, (columns, _, rows) in simulation.take_series().items()
    }
    mesh = make(world.file)
    (patch,) = mesh.patches("plate")
    block = mesh.blocks[patch.block]
    along, up = block.cells
    start = sum(math.prod(each.cells) for each in mesh.blocks[: patch.block])
    speed, ratio = (
        np.array(simulation.values("cells", name, start, along * up)).reshape(up, along)
        for name in ("velocity_x", "eddy_viscosity_ratio")
    )
    own = slice(patch.low[0], patch.high[0])
    height = 0.5 * (block.nodes[0, :-1, 1] + block.nodes[0, 1:, 1])
    return Plate(
        world=world,
        mesh=mesh,
        x=0.5 * (block.nodes[:-1, 0, 0] + block.nodes[1:, 0, 0])[own],
        friction=2 * world.file.fluid.nu * speed[0, own] / height[0] / world.let["U"] ** 2,
        height=height,
        speed=speed[:, own],
        ratio=ratio[:, own],
        drop=series["residual"]["drop"],
        y_plus=float(series["turbulence"]["y_plus_max"][-1]),
    )


def _draw(setting: Setting, plate: Plate) -> None:
    figure, (left, middle, right) = panels(3, 4.2)
    color = LINES[0][0]
    left.plot(plate.x, plate.friction, color=color, lw=1.2, label=f"{plate.mesh.cells:,} cells")
    left.plot([PLACE], [FRICTION], "o", color=INK, mfc="none", label="other codes")
    left.set(xlabel="place along the plate / L", ylim=(0.002, 0.006))
    left.legend(frameon=False, fontsize=8)
    caption(left, "coefficient of friction")
    y, u = plate.law()
    near = np.geomspace(0.5, 12, 50)
    log = np.geomspace(8, 1000, 50)
    middle.semilogx(near, near, ":", color=INK, lw=1, label="u+ = y+")
    middle.semilogx(log, np.log(log) / KAPPA + CONSTANT, "--", color=INK, lw=1, label="ln(y+) / 0.41 + 5")
    middle.semilogx(y, u, "o", color=color, ms=3, label=f"at {PLACE:g} L")
    middle.set(xlabel="y+", xlim=(0.3, 2e4), ylim=(0, 30))
    middle.legend(frameon=False, fontsize=8)
    caption(middle, "u+")
    for place, (line, _) in zip((0.25, PLACE, 1.75), LINES, strict=False):
        at = int(np.argmin(np.abs(plate.x - place)))
        right.plot(plate.ratio[:, at], plate.height, color=line, lw=1.2, label=f"at {place:g} L")
    right.set(ylabel="height / L", ylim=(0, 0.04), xlabel="eddy viscosity / viscosity")
    right.legend(frameon=False, fontsize=8)
    caption(right, "eddy viscosity")
    save(figure, setting.folder)


CASES = [Case("turbulence", "Turbulent flow along a flat plate, model of Spalart and Allmaras", run)]
