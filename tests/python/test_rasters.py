"""Rasters: a quantity of the flow on a plane of pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eddyline import World, _core

WORLDS = Path(__file__).resolve().parents[2] / "worlds"
CORNERS = (0.0, 0.0, 0.0), (1.0, 1.0, 0.0)


def vortices(scheme: str, spacing: str = "L/64") -> _core.Simulation:
    """Vortices at the start, without walls: u = -U cos kx sin ky, v = U sin kx cos ky."""
    world = World.load(
        WORLDS / "taylor_green.toml", {"method.scheme": scheme, "domain.spacing": spacing, "let.Re": "1e3"}
    )
    return _core.Simulation(world.core, threads=2)


@pytest.mark.parametrize("scheme", ["delta", "classic"])
def test_vorticity_and_speed_are_those_of_the_start(scheme: str) -> None:
    rows = columns = 40
    vorticity, speed = vortices(scheme).rasters(["vorticity", "speed"], (rows, columns), *CORNERS)
    k = 2 * np.pi
    x, y = np.meshgrid((np.arange(columns) + 0.5) / columns, (np.arange(rows) + 0.5) / rows)
    exact = 2 * k * np.cos(k * x) * np.cos(k * y)
    assert np.abs(vorticity - exact).max() < 0.06 * 2 * k
    exact = np.hypot(np.cos(k * x) * np.sin(k * y), np.sin(k * x) * np.cos(k * y))
    assert np.abs(speed - exact).max() < 0.06


@pytest.mark.parametrize("quantity", ["speed", "vorticity"])
def test_a_pixel_does_not_depend_on_those_around_it(quantity: str) -> None:
    """Pixels are computed in strips; another cut of the plane makes other strips of the same pixels."""
    simulation = vortices("delta")
    whole = simulation.rasters([quantity], (32, 32), *CORNERS)[0]
    for size in (1, 3, 13):
        low = np.array([5, 11]) / 32
        upper = low + size / 32
        part = simulation.rasters([quantity], (size, size), (*low, 0.0), (*upper, 0.0))[0]
        assert part.tobytes() == whole[11 : 11 + size, 5 : 5 + size].tobytes()


def test_quantities_together_are_those_alone() -> None:
    simulation = vortices("delta", "L/32")
    names = ["pressure", "vorticity", "velocity_y", "density", "speed"]
    together = simulation.rasters(names, (7, 50), *CORNERS)
    for name, raster in zip(names, together, strict=True):
        assert raster.tobytes() == simulation.rasters([name], (7, 50), *CORNERS)[0].tobytes()


@pytest.mark.parametrize(
    ("names", "shape", "words"),
    [
        (["heat"], (2, 2), 'quantity = "heat"; must be one of speed'),
        (["velocity_z"], (2, 2), 'quantity = "velocity_z"; must be one of speed'),
        (["speed"] * 9, (2, 2), "rasters: 9 quantities; there are 7."),
        (["speed"], (0, 2), r"rasters: shape must be at least \(1, 1\)."),
    ],
)
def test_what_cannot_be_drawn_is_refused(names: list[str], shape: tuple[int, int], words: str) -> None:
    with pytest.raises(_core.UserError, match=words):
        vortices("delta", "L/32").rasters(names, shape, *CORNERS)


def test_a_pixel_is_what_a_probe_there_says() -> None:
    """Points are looked at in bunches, pixels in strips, whose weights are floats: of the same sums."""
    text = (WORLDS / "dam_break.toml").read_text()
    places = [(0.011 + 0.004 * k, 0.013) for k in range(9)]
    for k, (x, y) in enumerate(places):
        text += f'\n[observe.p{k}]\ntype = "probe"\nposition = [{x!r}, {y!r}]\n'
    simulation = _core.Simulation(World.from_text(text, overrides={"domain.spacing": "a/20"}).core, threads=2)
    simulation.advance(float("inf"), 40, float("inf"))
    series = simulation.take_series()
    for k, (x, y) in enumerate(places):
        columns, _, rows = series[f"p{k}"]
        half = 1e-9
        names = ["velocity_x", "velocity_y"]  # the pressure of probes is carried along gravity
        pixels = simulation.rasters(names, (1, 1), (x - half, y - half, 0.0), (x + half, y + half, 0.0))
        time, step = series["budget"][2][-1, :2]
        assert (time, step) == (simulation.time, 40)
        for name, pixel in zip(names, pixels, strict=True):
            said = rows[:, columns.index(name)]
            assert abs(pixel[0, 0] - said[-1]) <= 3e-7 * np.abs(said).max()


def test_a_full_box_is_full_into_its_corners() -> None:
    world = World.from_text(
        """
format = 1
domain = { size = [1, 1], spacing = 0.05 }
fluid = { density = 1, kinematic_viscosity = 0.1, max_speed = 1 }
time = { end = 1 }
"""
    )
    simulation = _core.Simulation(world.core)
    for pixels in (20, 40):
        speed, vorticity = simulation.rasters(["speed", "vorticity"], (pixels, pixels), *CORNERS)
        assert np.isfinite(speed).all() and np.isfinite(vorticity).all()


def test_more_rows_than_steps_are_asked_for() -> None:
    world = World.load(WORLDS / "dam_break.toml", {"domain.spacing": "a/10"})
    simulation = _core.Simulation(world.core, series_interval=1e-18)
    simulation.advance(float("inf"), 3, float("inf"))
    assert len(simulation.take_series()["budget"][2]) >= 3


@pytest.fixture(scope="module")
def splash() -> _core.Simulation:
    """A dam break that has hit the wall."""
    simulation = _core.Simulation(
        World.load(WORLDS / "dam_break.toml", {"domain.spacing": "a/16"}).core, threads=2
    )
    simulation.advance(0.4, 2**62, float("inf"))
    return simulation


SIDES = (7 * 0.05715, 4 * 0.05715, 0.0)


@pytest.mark.parametrize("shape", [(4, 7), (12, 21), (40, 70)])
def test_a_cover_does_not_depend_on_the_pixels_around_it(
    splash: _core.Simulation, shape: tuple[int, int]
) -> None:
    whole = splash.rasters(["cover"], shape, (0, 0, 0), SIDES)[0]
    width, height = SIDES[0] / shape[1], SIDES[1] / shape[0]
    for row, column in np.argwhere(whole > 0)[:: 1 if shape[0] < 40 else 7]:
        low, high = (column * width, row * height, 0.0), ((column + 1) * width, (row + 1) * height, 0.0)
        alone = splash.rasters(["cover"], (1, 1), low, high)[0]
        assert alone[0, 0] == pytest.approx(whole[row, column], abs=1e-4)


def test_there_is_fluid_where_half_is_covered(splash: _core.Simulation) -> None:
    names = ["vorticity", "cover", "pressure"]
    together = splash.rasters(names, (64, 112), (0, 0, 0), SIDES)
    cover = splash.rasters(["cover"], (64, 112), (0, 0, 0), SIDES)[0]
    assert together[1].tobytes() == cover.tobytes()
    assert cover.min() >= 0 and cover.max() == 1 and (np.abs(cover - 0.5) < 0.3).sum() > 50
    for values in (together[0], together[2]):
        assert np.array_equal(np.isfinite(values), cover >= 0.5)


@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (64, 112), (301, 203)])
def test_known_pixels_are_those_of_whole_rasters(splash: _core.Simulation, shape: tuple[int, int]) -> None:
    """Rows of any length: the bits of one need not end with a byte."""
    names = ["speed", "vorticity", "cover", "pressure"]
    whole = splash.rasters(names, shape, (0, 0, 0), SIDES)
    drawn = splash.known_rasters(names, shape, (0, 0, 0), SIDES)
    for name, raster, (known, values) in zip(names, whole, drawn, strict=True):
        shows = raster > 0 if name == "cover" else np.isfinite(raster)
        assert known.tobytes() == np.packbits(shows.reshape(-1)).tobytes()
        assert values.tobytes() == raster[shows].tobytes()


@pytest.mark.parametrize("scheme", ["delta", "classic"])
def test_a_restored_flow_looks_as_it_did(scheme: str) -> None:
    changes = {"domain.spacing": "a/12", "method.scheme": scheme}
    world = World.load(WORLDS / "dam_break.toml", changes)
    before, after = _core.Simulation(world.core, threads=2), _core.Simulation(world.core, threads=1, boxes=3)
    before.advance(0.4, 2**62, float("inf"))
    after.restore(iter([before.save(0)]))
    shown = [each.rasters(["cover", "speed"], (48, 84), (0, 0, 0), SIDES) for each in (before, after)]
    assert shown[0].tobytes() == shown[1].tobytes()
    flags = [dict(zip(np.asarray(each.id), each.surface(), strict=True)) for each in (before, after)]
    assert flags[0] == flags[1] and 0 < sum(flags[0].values()) < len(flags[0])


@pytest.mark.parametrize("scheme", ["delta", "classic"])
def test_a_drop_of_one_particle_is_seen(scheme: str) -> None:
    """Less than a sixth of its neighbourhood is fluid: as little as beside a surface, where there is none."""
    text = (WORLDS / "dam_break.toml").read_text()
    text += (
        '\n[regions.drop]\nshape = "rectangle"\nmin = ["4*a", "3*a"]\nmax = ["4*a + a/20", "3*a + a/20"]\n'
    )
    changes: dict[str, str | float] = {"domain.spacing": "a/20", "method.scheme": scheme}
    simulation = _core.Simulation(World.from_text(text, overrides=changes).core, threads=2)
    simulation.advance(float("inf"), 5, float("inf"))
    a, position = 0.05715, np.asarray(simulation.position)
    (drop,) = np.flatnonzero(position[:, 1] > 2.5 * a)
    speed = simulation.rasters(["speed"], (100, 175), (0.0, 0.0, 0.0), (7 * a, 4 * a, 0.0))[0]
    rows, columns = np.nonzero(np.isfinite(speed[70:]))
    x, y = position[drop] * 25 / a
    assert (rows + 70, columns) == (int(y), int(x))
    fell = np.linalg.norm(np.asarray(simulation.velocity)[drop])
    assert fell > 0 and speed[rows[0] + 70, columns[0]] == pytest.approx(fell, rel=1e-5)


def test_rows_are_looked_at_as_far_as_fluid_reaches() -> None:
    """Rows that no fluid is near are passed over; those within R of it are not, wherever the plane begins."""
    world = World.load(WORLDS / "dam_break.toml", {"domain.spacing": "a/20"})
    simulation = _core.Simulation(world.core, threads=1)
    top = simulation.position[:, 1].max()
    reach = _core.estimate(world.core).interaction_radius
    rows, columns, height = 400, 24, 2 * top
    cover = simulation.rasters(["cover"], (rows, columns), (0.0, 0.0, 0.0), (top, height, 0.0))[0]
    y = (np.arange(rows) + 0.5) * height / rows
    lit = y[(cover > 0).any(axis=1)]
    assert lit.min() == y[0] and top + 0.8 * reach < lit.max() < top + reach
    above, half = (top, height, 0.0), rows // 2
    upper = simulation.rasters(["cover"], (half, columns), (0.0, height / 2, 0.0), above)[0]
    assert upper.tobytes() == cover[half:].tobytes()
    beyond = simulation.rasters(["cover"], (20, columns), (0.0, top + reach, 0.0), above)[0]
    assert not beyond.any()
