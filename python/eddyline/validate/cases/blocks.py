"""Flows on body-fitted blocks: friction of a flat plate, a cavity with a lid, orders from exact solutions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.mesh.blocks import Mesh
from eddyline.validate.case import Case, Setting
from eddyline.validate.drawing import INK, LINES, caption, panels, save
from eddyline.validate.figures import Figure, below, between, relative
from eddyline.validate.references import load_world, table
from eddyline.world.meshes import make
from eddyline.world.world import World

Floats = NDArray[np.float64]
BLASIUS = 0.6641147  # Cf sqrt(Re_x)
PLACES = (0.1, 0.2, 0.3, 0.5, 0.7, 0.9)  # along the plate, over its length
EDDIES = (16, 32, 64)  # cells across
LAYERS = (8, 16, 32)  # cells between the plates


@dataclass(frozen=True)
class Found:
    """The end of a run: series by name and column, and a field of all cells by quantity."""

    world: World
    mesh: Mesh
    time: float
    series: dict[str, dict[str, Floats]]
    fields: Mapping[str, Floats]


def run(setting: Setting) -> list[Figure]:
    cavity = _computed("blocks/cavity", {"domain.spacing": "L/64"} if setting.quick else {}, setting)
    figures = _of_cavity(cavity, 0.035 if setting.quick else 0.01)
    eddies = [_error_of_eddies(n, setting) for n in EDDIES]
    layers = [_error_of_layers(n, setting) for n in LAYERS]
    for name, errors, cells in (
        ("eddies in a periodic box", eddies, EDDIES),
        ("flow between plates", layers, LAYERS),
    ):
        order = math.log2(errors[1] / errors[2])
        figures.append(between(f"order, {name}, {cells[1]} and {cells[2]} cells", order, 1.9, 2.2, "2"))
    plate = None
    if not setting.quick:
        plate = _computed("blocks/plate", {}, setting)
        figures += _of_plate(plate)
    _draw(setting, plate, cavity, eddies, layers)
    return figures


def _computed(world: str, overrides: Mapping[str, str | float], setting: Setting) -> Found:
    loaded = load_world(world, dict(overrides))
    simulation = _core.Simulation(loaded.core, threads=setting.threads, series_interval=0)
    end = loaded.end * (1 - 1e-9)
    simulation.advance(end, 2**62, math.inf)
    series = {
        name: dict(zip(columns, rows.T, strict=True))
        for name, (columns, _, rows) in simulation.take_series().items()
    }
    mesh = make(loaded.file)
    fields = {
        name: np.array(simulation.values("cells", name, 0, mesh.cells))
        for name in ("velocity_x", "velocity_y", "pressure")
    }
    return Found(loaded, mesh, simulation.time, series, fields)


# --- exact solutions --------------------------------------------------------------------------------


def _error_of_eddies(cells: int, setting: Setting) -> float:
    """Root of the mean square error of the velocity, over U."""
    found = _computed("blocks/eddies", {"domain.spacing": f"L/{cells}"}, setting)
    let, t = found.world.let, found.time
    k, u = let["k"], let["U"]
    at = (np.arange(cells) + 0.5) * let["L"] / cells
    y, x = np.meshgrid(k * (at - 0.3 * u * t), k * (at - u * t), indexing="ij")
    fading = u * math.exp(-2 * k**2 * found.world.file.fluid.nu * t)
    wrong_x = found.fields["velocity_x"].reshape(y.shape) - u + fading * np.cos(x) * np.sin(y)
    wrong_y = found.fields["velocity_y"].reshape(y.shape) - 0.3 * u - fading * np.sin(x) * np.cos(y)
    return float(np.sqrt(np.mean(wrong_x**2 + wrong_y**2))) / u


def _error_of_layers(cells: int, setting: Setting) -> float:
    """The same between plates, over the largest speed."""
    overrides: dict[str, str | float] = {
        "domain.spacing": f"L/{cells}", "method.name": "multiblock", "method.steady": "true", "time.end": 400,
        "method.time_step": 1, "method.tolerance": 1e-10, "method.reference_speed": "V0",
    }  # fmt: skip
    found = _computed("poiseuille", overrides, setting)
    speed = found.fields["velocity_x"].reshape(cells, cells)
    y = (np.arange(cells) + 0.5) / cells
    wrong = speed / found.world.let["V0"] - (4 * y * (1 - y))[:, None]
    return float(np.sqrt(np.mean(wrong**2)))


# --- cavity -----------------------------------------------------------------------------------------


def _profiles(cavity: Found) -> dict[str, tuple[Floats, Floats]]:
    """Places and speeds on the two middle lines, by the names of the table."""
    (cells, _) = cavity.mesh.blocks[0].cells
    u, v = (cavity.fields[name].reshape(cells, cells) for name in ("velocity_x", "velocity_y"))
    half = cells // 2
    at = (np.arange(cells) + 0.5) / cells
    return {
        "u_on_x_half": (at, 0.5 * (u[:, half - 1] + u[:, half])),
        "v_on_y_half": (at, 0.5 * (v[half - 1] + v[half])),
    }


def _of_cavity(cavity: Found, limit: float) -> list[Figure]:
    published = table("blocks", "cavity.csv")
    values = published["value"].astype(np.float64)
    profiles = _profiles(cavity)
    cells = cavity.mesh.blocks[0].cells[0]
    drop = float(cavity.series["residual"]["drop"][-1])
    figures = [below(f"cavity, {cells} x {cells}: drop of the residual", drop, 1e-6)]
    for name, words, least in (
        ("u_on_x_half", "least u / U on the upright middle line", True),
        ("v_on_y_half", "largest v / U on the level middle line", False),
        ("v_on_y_half", "least v / U on the level middle line", True),
    ):
        here = values[published["profile"] == name]
        speed = profiles[name][1]
        found, wanted = (speed.min(), here.min()) if least else (speed.max(), here.max())
        figures.append(relative(f"cavity, {cells} x {cells}: {words}", found, wanted, limit))
    return figures


# --- plate ------------------------------------------------------------------------------------------


def _friction(plate: Found) -> tuple[Floats, Floats]:
    """Places along the plate over its length, and local coefficients of friction from a parabola through the
    wall and two cells."""
    let = plate.world.let
    starts = np.cumsum([0, *(math.prod(block.cells) for block in plate.mesh.blocks)])
    places: list[float] = []
    friction: list[float] = []
    for patch in plate.mesh.patches("plate"):
        block = plate.mesh.blocks[patch.block]
        along, up = block.cells
        speed = plate.fields["velocity_x"][starts[patch.block] :][: along * up].reshape(up, along)
        own = slice(patch.low[0], patch.high[0])
        x = 0.5 * (block.nodes[:-1, 0, 0] + block.nodes[1:, 0, 0])[own]
        heights = 0.5 * (block.nodes[0, :-1, 1] + block.nodes[0, 1:, 1])
        one, two = heights[0], heights[1]
        slope = (speed[0, own] * two / one - speed[1, own] * one / two) / (two - one)
        places += (x / let["L"]).tolist()
        friction += (2 * plate.world.file.fluid.nu * slope / let["U"] ** 2).tolist()
    return np.array(places), np.array(friction)


def _of_plate(plate: Found) -> list[Figure]:
    x, friction = _friction(plate)
    reynolds = plate.world.let["Re"]
    figures = [
        relative(
            f"plate, {plate.mesh.cells:,} cells: friction at {place:g} of its length",
            float(np.interp(place, x, friction * np.sqrt(x))) / math.sqrt(place),
            BLASIUS / math.sqrt(reynolds * place),
            0.01,
        )
        for place in PLACES
    ]
    drop = float(plate.series["residual"]["drop"][-1])
    cycles = len(plate.series["residual"]["drop"])
    return [*figures, below(f"plate: drop of the residual in {cycles} cycles", drop, 1e-4)]


def _draw(
    setting: Setting, plate: Found | None, cavity: Found, eddies: list[float], layers: list[float]
) -> None:
    figure, (left, middle, right) = panels(3, 4.2)
    if plate is not None:
        x, friction = _friction(plate)
        exact = BLASIUS / np.sqrt(plate.world.let["Re"] * x)
        left.loglog(x, exact, color=INK, lw=1, label="Blasius")
        left.loglog(x, friction, "--", color=LINES[0][0], lw=1.3, label=f"{plate.mesh.cells:,} cells")
        left.set(xlabel="place along the plate / its length", xlim=(0.01, 1))
        left.legend(frameon=False, fontsize=8)
        caption(left, "coefficient of friction")
    published = table("blocks", "cavity.csv")
    for k, (name, (at, speed)) in enumerate(_profiles(cavity).items()):
        here = published["profile"] == name
        places, values = (published[key][here].astype(np.float64) for key in ("coordinate_over_L", "value"))
        middle.plot(places, values, "o", mfc="none", color=INK, ms=4)
        middle.plot(at, speed, color=LINES[k][0], lw=1.2, label=("u on x = L/2", "v on y = L/2")[k])
    middle.set(xlabel="place on the middle line / L")
    middle.legend(frameon=False, fontsize=8)
    caption(middle, "velocity / U in the cavity; circles: Botella & Peyret")
    for errors, cells, name, (color, _) in (
        (eddies, EDDIES, "eddies", LINES[0]),
        (layers, LAYERS, "between plates", LINES[1]),
    ):
        right.loglog(cells, errors, "o-", color=color, lw=1.2, label=name)
        right.loglog(cells, errors[0] * (cells[0] / np.array(cells)) ** 2.0, ":", color=INK, lw=0.8)
    marks = sorted({*EDDIES, *LAYERS})
    right.set_xticks(marks, [str(mark) for mark in marks])
    right.set_xticks([], minor=True)
    right.set(xlabel="cells across")
    right.legend(frameon=False, fontsize=8)
    caption(right, "error of the velocity; dotted: order 2")
    save(figure, setting.folder)


CASES = [
    Case("blocks", "Flows on body-fitted blocks: a flat plate, a cavity, orders from exact solutions", run)
]
