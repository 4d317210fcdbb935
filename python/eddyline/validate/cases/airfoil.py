"""A wing section in air at Mach 0.5 and Reynolds number 5000: drag on three meshes, by both dissipations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eddyline import _core
from eddyline.validate.case import Case, Setting
from eddyline.validate.drawing import INK, LINES, panels, save
from eddyline.validate.figures import Figure, below, between, report
from eddyline.validate.references import load_world

Floats = NDArray[np.float64]
DRAG = (0.0545, 0.0562)
"""Drag coefficients of published computations on fine meshes."""
MESHES = ((64, 16), (128, 32), (256, 64))
"""Cells around the section and outwards."""
CYCLES, QUICK_CYCLES = 1500, 250


@dataclass(frozen=True)
class Search:
    """A search for the steady flow, a row for each cycle: drop of the residual and drag coefficient; lift and
    share of friction at its end."""

    label: str
    drop: Floats
    drag: Floats
    lift: float
    friction: float


def run(setting: Setting) -> list[Figure]:
    meshes = MESHES[1:2] if setting.quick else MESHES
    searches = {cells: _search(cells, "scalar", setting) for cells in meshes}
    by_matrix = [] if setting.quick else [(MESHES[1], _search(MESHES[1], "matrix", setting))]
    figures = [
        between(f"drag coefficient, {search.label}", search.drag[-1], *DRAG, f"{DRAG[0]} to {DRAG[1]}")
        if cells != MESHES[0]
        else report(f"drag coefficient, {search.label}", search.drag[-1], sum(DRAG) / 2)
        for cells, search in [*searches.items(), *by_matrix]
    ]
    middle = searches[MESHES[1]]
    figures += [
        below(f"lift coefficient without an angle, {middle.label}", abs(middle.lift), 1e-4),
        below(
            f"drop of the residual, {middle.label}", float(middle.drop[-1]), 1e-4 if setting.quick else 2e-6
        ),
        report(f"friction / drag, {middle.label}", middle.friction),
    ]
    if not setting.quick:
        coarse, between_them, fine = (searches[cells].drag[-1] for cells in MESHES)
        order = math.log2((coarse - between_them) / (between_them - fine))
        figures.append(between("order of the drag from three meshes", order, 1.7, 3.5, "2"))
    _draw(setting, [*searches.values(), *(search for _, search in by_matrix)])
    return figures


def _search(cells: tuple[int, int], dissipation: str, setting: Setting) -> Search:
    cycles = QUICK_CYCLES if setting.quick else CYCLES
    world = load_world(
        "airfoil",
        {
            "mesh.cells": f"[{cells[0]}, {cells[1]}]",
            "mesh.first_cell": 2e-4 * MESHES[1][1] / cells[1],
            "method.dissipation_kind": dissipation,
            "method.tolerance": 1e-6,
            "time.end": cycles,
        },
    )
    simulation = _core.Simulation(world.core, threads=setting.threads, series_interval=0)
    drops: list[float] = []
    forces: list[Floats] = []
    while simulation.step_count < cycles and not (drops and drops[-1] <= 1e-6):
        simulation.advance(math.inf, simulation.step_count + 50, 1.0)
        series = {
            name: {column: values[:, k] for k, column in enumerate(columns)}
            for name, (columns, _, values) in simulation.take_series().items()
        }
        force = series["force.foil"]
        drops += list(series["residual"]["drop"])
        forces.append(np.stack([force["total_x"], force["total_y"], force["viscous_x"]], axis=-1))
    assert world.reference is not None
    unit = 0.5 * world.file.fluid.density * world.reference.velocity**2
    found = np.concatenate(forces) / unit
    name = f"{world.core.mesh.cells if world.core.mesh else 0} cells"
    label = name if dissipation == "scalar" else f"{name}, {dissipation} dissipation"
    return Search(label, np.array(drops), found[:, 0], found[-1, 1], found[-1, 2] / found[-1, 0])


def _draw(setting: Setting, searches: list[Search]) -> None:
    figure, (left, right) = panels(2, 5.0)
    right.axhspan(*DRAG, color=INK, alpha=0.12, lw=0)
    for search, (color, _) in zip(searches, LINES, strict=False):
        cycles = np.arange(len(search.drop))
        left.semilogy(cycles, search.drop, color=color, lw=1, label=search.label)
        right.plot(cycles, search.drag, color=color, lw=1)
    left.set(xlabel="cycle", ylabel="residual / largest")
    left.legend(frameon=False, fontsize=8)
    right.set(xlabel="cycle", ylabel="drag coefficient", ylim=(0.05, 0.07))
    save(figure, setting.folder)


CASES = [Case("airfoil", "A wing section in air at Mach 0.5, against published computations", run)]
