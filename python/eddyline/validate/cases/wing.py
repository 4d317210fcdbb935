"""The ONERA M6 wing at Mach 0.84 without friction: lift, drag and pressures of its sections, against a wind
tunnel and published computations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Picture
from numpy.typing import NDArray

from eddyline import _core
from eddyline.mesh.blocks import Mesh
from eddyline.validate.case import Case, Setting
from eddyline.validate.drawing import INK, LINES, caption, panels, save
from eddyline.validate.figures import Figure, below, between, report
from eddyline.validate.references import load_world, table
from eddyline.world.meshes import make
from eddyline.world.shapes import Wing
from eddyline.world.wings import Wing as Surface
from eddyline.world.world import World

Floats = NDArray[np.float64]
MESHES = ((64, 24, 16), (128, 40, 40))
"""Cells around the wing, outwards and along the span."""
FIRST_CELL = 0.002  # m, on the first mesh
CYCLES = 200
SEMI_SPAN, AREA = 1.1963, 0.7532  # m, m^2, of the half wing
LIFT, DRAG = (0.290, 0.298), (0.0115, 0.0130)
"""Coefficients of published computations without friction on fine meshes."""
WRONG = ("5", "45")  # section and tap whose printed value is no measurement
SHOWN = ("1", "3", "4", "6")  # sections in the picture
SLICE = 0.65  # of the span


@dataclass(frozen=True)
class Search:
    """A search for the steady flow. drop: (cycles,) of the residual. place: (k, i) shares of the chord, and
    height: (k,) m, of the faces of the wing. cp: (k, i) there. The faces run from the lower trailing edge
    around the nose to the upper one."""

    label: str
    drop: Floats
    lift: float
    drag: float
    place: Floats
    height: Floats
    cp: Floats
    mesh: Mesh
    field: Floats  # (k, j, i) pressure coefficient of all cells

    def at(self, share: float, upper: bool, x: Floats) -> Floats:
        """Pressure coefficients at shares x of the chord, at a share of the half span."""
        z = share * SEMI_SPAN
        after = int(np.clip(np.searchsorted(self.height, z), 1, len(self.height) - 1))
        half = self.place.shape[1] // 2
        rows = []
        for k in (after - 1, after):
            places, values = self.place[k], self.cp[k]
            side = (places[half:], values[half:]) if upper else (places[:half][::-1], values[:half][::-1])
            order = np.argsort(side[0])
            rows.append(np.interp(x, side[0][order], side[1][order]))
        weight = (z - self.height[after - 1]) / (self.height[after] - self.height[after - 1])
        return np.asarray((1 - weight) * rows[0] + weight * rows[1])


def run(setting: Setting) -> list[Figure]:
    searches = [
        _search(cells, FIRST_CELL * MESHES[0][1] / cells[1], setting)
        for cells in MESHES[: 1 if setting.quick else None]
    ]
    figures: list[Figure] = []
    for search, cells in zip(searches, MESHES, strict=False):
        name, is_fine = search.label, cells != MESHES[0]
        figures += [
            between(f"lift coefficient, {name}", search.lift, *LIFT, f"{LIFT[0]} to {LIFT[1]}"),
            between(f"drag coefficient, {name}", search.drag, *DRAG, f"{DRAG[0]} to {DRAG[1]}")
            if is_fine
            else report(f"drag coefficient, {name}", search.drag, sum(DRAG) / 2),
            below(
                f"mean error of the pressure coefficient, {name}", _error(search), 0.05 if is_fine else 0.065
            ),
            below(f"drop of the residual in {len(search.drop)} cycles, {name}", float(search.drop[-1]), 1e-4),
        ]
    _draw(setting, searches)
    return figures


def _search(cells: tuple[int, int, int], first: float, setting: Setting) -> Search:
    world = load_world(
        "wing/world", {"mesh.cells": str(list(cells)), "mesh.first_cell": first, "time.end": CYCLES}
    )
    simulation = _core.Simulation(world.core, threads=setting.threads, series_interval=0)
    drops: list[float] = []
    force = np.zeros(2)
    while simulation.step_count < CYCLES:
        simulation.advance(math.inf, simulation.step_count + 50, 60.0)
        series = {
            name: {column: values[:, k] for k, column in enumerate(columns)}
            for name, (columns, _, values) in simulation.take_series().items()
        }
        drops += list(series["residual"]["drop"])
        last = series["force.wing"]
        force = np.array([last["total_x"][-1], last["total_y"][-1]])
    return _found(world, simulation, np.array(drops), force)


def _found(world: World, simulation: _core.Simulation, drop: Floats, force: Floats) -> Search:
    assert world.reference is not None
    pressure = 0.5 * world.file.fluid.density * world.reference.velocity**2
    angle = math.radians(world.let["alpha"])
    lift, drag = (
        float(force @ np.array(direction)) / (pressure * AREA)
        for direction in ((-math.sin(angle), math.cos(angle)), (math.cos(angle), math.sin(angle)))
    )
    mesh = make(world.file)
    ni, nj, nk = mesh.blocks[0].cells
    values = simulation.values("cells", "pressure", 0, mesh.cells).reshape(nk, nj, ni)
    field = (values - 1 / 1.4) / pressure
    body = world.file.bodies["wing"]
    assert isinstance(body, Wing)
    (patch,) = mesh.patches("wing")
    part = (slice(patch.low[2], patch.high[2]), slice(patch.low[0], patch.high[0]))
    nodes = mesh.blocks[0].nodes
    pairs = nodes[:-1] + nodes[1:]
    cells = (pairs[:, :, :-1] + pairs[:, :, 1:]) / 4  # edges across j, in the middle of cells along i and k
    wall, one, two = cells[:, 0], (cells[:, 0] + cells[:, 1]) / 2, (cells[:, 1] + cells[:, 2]) / 2
    near, far = (np.linalg.norm(each - wall, axis=-1).T[part] for each in (one, two))
    first, second = field[:, 0][part], field[:, 1][part]
    places = wall.transpose(1, 0, 2)[part]
    return Search(
        label=f"{mesh.cells:,} cells",
        drop=drop,
        lift=lift,
        drag=drag,
        place=_shares(body.surface, places),
        height=places[:, 0, 2],
        cp=first + (first - second) * near / (far - near),
        mesh=mesh,
        field=field,
    )


def _shares(surface: Surface, places: Floats) -> Floats:
    """Shares of the chord of places (k, i, 3)."""
    rows = []
    for row in places:
        section = surface.at(float(row[0, 2]))
        rows.append(((row[:, 0] + 1j * row[:, 1] - section.nose) / (section.edge - section.nose)).real)
    return np.array(rows)


def _error(search: Search) -> float:
    """Mean distance from the measured pressure coefficients."""
    measured = table("wing", "test2308.csv")
    errors: list[float] = []
    for section in np.unique(measured["section"]):
        for surface in ("upper", "lower"):
            here = (measured["section"] == section) & (measured["surface"] == surface)
            here &= ~((measured["section"] == WRONG[0]) & (measured["tap"] == WRONG[1]))
            share = float(measured["y_over_b"][here][0])
            found = search.at(share, surface == "upper", measured["x_over_l"][here].astype(np.float64))
            errors += list(np.abs(found - measured["Cp"][here].astype(np.float64)))
    return float(np.mean(errors))


# --- pictures ---------------------------------------------------------------------------------------


def _draw(setting: Setting, searches: list[Search]) -> None:
    finest = searches[-1]
    figure, (surface, cut, residual) = panels(3, 4.6, 3.8)
    _draw_surface(figure, surface, finest)
    _draw_slice(figure, cut, finest)
    for search, (color, style) in zip(searches, LINES, strict=False):
        residual.semilogy(search.drop, style, color=color, lw=1, label=search.label)
    residual.set(xlabel="cycle")
    residual.legend(frameon=False, fontsize=8)
    caption(residual, "residual / largest")
    save(figure, setting.folder)
    _draw_sections(setting, searches)


def _draw_surface(figure: Picture, axes: Axes, search: Search) -> None:
    (patch,) = search.mesh.patches("wing")
    nodes = search.mesh.blocks[0].nodes[:, 0]
    middle = (patch.low[0] + patch.high[0]) // 2  # the nose
    upper = nodes[middle : patch.high[0] + 1, patch.low[2] : patch.high[2] + 1]
    values = search.cp[:, search.cp.shape[1] // 2 :].T
    shown = axes.pcolormesh(upper[..., 2], upper[..., 0], values, cmap="RdBu_r", vmin=-1.2, vmax=1.2)
    figure.colorbar(shown, ax=axes, shrink=0.8)
    axes.set(aspect="equal", xlabel="z [m]", ylabel="x [m]")
    axes.invert_yaxis()
    axes.grid(False)
    caption(axes, f"pressure coefficient, upper side, {search.label}")


def _draw_slice(figure: Picture, axes: Axes, search: Search) -> None:
    k = int(np.argmin(np.abs(search.height - SLICE * SEMI_SPAN)))
    (patch,) = search.mesh.patches("wing")
    layer = patch.low[2] + k
    nodes = 0.5 * (search.mesh.blocks[0].nodes[:, :, layer] + search.mesh.blocks[0].nodes[:, :, layer + 1])
    shown = axes.pcolormesh(
        nodes[..., 0], nodes[..., 1], search.field[layer].T, cmap="RdBu_r", vmin=-1.2, vmax=1.2
    )
    figure.colorbar(shown, ax=axes, shrink=0.8)
    axes.set(aspect="equal", xlim=(0.2, 1.3), ylim=(-0.45, 0.55), xlabel="x [m]", ylabel="y [m]")
    axes.grid(False)
    caption(axes, f"pressure coefficient at {100 * SLICE:.0f} % of the span")


def _draw_sections(setting: Setting, searches: list[Search]) -> None:
    measured = table("wing", "test2308.csv")
    figure, all_axes = panels(len(SHOWN), 3.2, 3.0)
    x = np.linspace(0.0, 1.0, 801)
    for axes, section in zip(all_axes, SHOWN, strict=True):
        here = measured["section"] == section
        share = float(measured["y_over_b"][here][0])
        axes.plot(
            measured["x_over_l"][here].astype(np.float64), -measured["Cp"][here].astype(np.float64), "o",
            color=INK, mfc="none", ms=3.5, label="wind tunnel",
        )  # fmt: skip
        for search, (color, style) in zip(searches, LINES, strict=False):
            for upper in (True, False):
                axes.plot(x, -search.at(share, upper, x), style, color=color, lw=1,
                          label=search.label if upper else None)  # fmt: skip
        axes.set(xlabel="share of the chord", ylim=(-1.1, 1.4))
        caption(axes, f"-cp at {100 * share:.0f} % of the span")
    all_axes[0].legend(frameon=False, fontsize=7)
    save(figure, setting.folder, "sections.png")


CASES = [Case("wing", "The ONERA M6 wing at Mach 0.84, against a wind tunnel", run)]
