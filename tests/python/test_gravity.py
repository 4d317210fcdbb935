"""Weak gravitational waves on cells: the exact solution, symmetry, constraints, and what worlds refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eddyline import _core
from eddyline.world import World, WorldError

SLIP = '{ type = "wall", slip = true }'


def text_of(
    n: int, sides: tuple[str, ...], start: str = "amplitude = 1", fields: str = "", half: float = 4.0
) -> str:
    """A cube of n cells along an edge, with the origin in a corner."""
    names = ("left", "right", "bottom", "top", "front", "back")
    table = "\n".join(f"{name} = {side}" for name, side in zip(names, sides, strict=True))
    return f"""format = 1
[domain]
size = [{half}, {half}, {half}]
spacing = {half / n}
[method]
name = "amr"
equations = "gravity"
{start}
{fields}
[boundaries]
{table}
[time]
end = 2
"""


EIGHTH = (SLIP, '{ type = "open" }') * 3
PERIODIC = ('{ type = "periodic" }',) * 6


def rows_of(simulation: _core.Simulation) -> dict[str, Any]:
    columns, _, rows = simulation.take_series()["budget"]
    return dict(zip(columns, rows.T, strict=True))


def test_the_wave_of_teukolsky_converges_with_order_4() -> None:
    """An eighth of the box, the rest by symmetry; t = 1 is reached by whole steps."""
    errors, divergences = [], []
    for n in (16, 24):
        simulation = _core.Simulation(World.from_text(text_of(n, EIGHTH)).core)
        simulation.advance(1.0, 2**62, 1e9)
        rows = rows_of(simulation)
        errors.append(rows["max_error"][-1])
        divergences.append(rows["divergence_2"][-1])
        assert rows["trace_2"].max() < 1e-24
    assert errors[1] < 0.1 and rows["max_h"][-1] > 5
    assert np.log(errors[0] / errors[1]) / np.log(1.5) > 3.5
    assert divergences[1] < divergences[0] / 1.5**7


@pytest.mark.matrix
def test_errors_of_fine_grids() -> None:
    """Root of the mean square error of h_zz within r < 3; 64 and 128 cells along a box of edge 12."""
    errors = []
    for n in (32, 64):
        simulation = _core.Simulation(World.from_text(text_of(n, EIGHTH, half=6)).core)
        simulation.advance(1.5, 2**62, 1e9)
        volume = np.pi / 6 * 3**3  # the error beyond is much smaller
        errors.append(np.sqrt(rows_of(simulation)["error_2"][-1] / volume))
    assert errors[0] < 1.24e-2 and errors[1] < 8.1e-4


def test_nothing_grows_when_the_wave_has_left() -> None:
    simulation = _core.Simulation(World.from_text(text_of(12, EIGHTH)).core, series_interval=0.5)
    simulation.advance(40.0, 2**62, 1e9)
    rows = rows_of(simulation)
    late = rows["max_h"][rows["time"] > 15]
    assert (
        late[0] < 0.2
        and late[-1] < 0.2 * late[0]
        and np.all(np.diff(rows["energy"]) < 1e-9 * rows["energy"][0])
    )


def test_an_eighth_has_the_values_of_the_whole() -> None:
    whole = text_of(16, ('{ type = "open" }',) * 6, half=6).replace(
        "[domain]", "[domain]\norigin = [-3, -3, -3]"
    )
    cells = []
    for text, n in ((whole, 16), (text_of(8, EIGHTH, half=3), 8)):
        simulation = _core.Simulation(World.from_text(text).core)
        simulation.advance(2.0, 12, 1e9)
        names = ("h_xx", "h_xy", "h_xz", "h_zz")
        cells.append(
            [
                simulation.values("cells", name, 0, simulation.count("cells")).reshape(n, n, n)
                for name in names
            ]
        )
    for all_cells, eighth in zip(*cells, strict=True):
        assert np.abs(all_cells[8:, 8:, 8:] - eighth).max() < 1e-12 * np.abs(eighth).max()


def test_a_plane_wave_travels() -> None:
    wave = "cos(pi*z/2)"
    rate = "pi*sin(pi*z/2)"
    fields = f'[start.fields]\nh_xx = "{wave}"\nh_yy = "-{wave}"\nk_xx = "-{rate}"\nk_yy = "{rate}"'
    text = text_of(16, PERIODIC, "wave_speed = 2", fields)
    simulation = _core.Simulation(World.from_text(text).core)
    simulation.advance(1.0, 2**62, 1e9)
    z = 4 * (np.arange(16) + 0.5) / 16
    exact = np.cos(np.pi * (z + 2 * simulation.time) / 2)
    found = simulation.values("cells", "h_xx", 0, simulation.count("cells")).reshape(16, 16, 16)
    assert np.abs(found - exact[:, None, None]).max() < 0.01
    rows = rows_of(simulation)
    assert "max_error" not in rows and rows["divergence_2"].max() == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            text_of(8, ('{ type = "wall" }', *EIGHTH[1:])),
            "boundaries.left is a wall; of gravitational waves it must be a plane of symmetry",
        ),
        (
            text_of(8, EIGHTH, fields='[start.fields]\nh_xx = "1"'),
            "start.fields: method.amplitude gives the start as well. Remove one of them.",
        ),
        (
            text_of(8, EIGHTH).replace('"gravity"', '"wave"'),
            "method.amplitude = 1; is an option of the equations gravity, and this world uses wave.",
        ),
        (
            text_of(8, EIGHTH).replace("[4.0, 4.0, 4.0]", "[4.0, 4.0]"),
            "gravitational waves are three-dimensional, and this world is 2D",
        ),
        (text_of(8, EIGHTH, "order = 4"), "method.order = 4; is an option of the equations wave"),
    ],
)
def test_worlds_refuse_what_waves_cannot_have(text: str, told: str) -> None:
    with pytest.raises(WorldError) as caught:
        World.from_text(text)
    assert told in str(caught.value)
