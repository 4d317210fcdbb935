"""Notes on what a world asks for that is probably not meant, and none where it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_worlds import boundaries, tank

from eddyline.world import World
from eddyline.world.gallery import gallery

ROOT = Path(__file__).parents[2]
TANK = tank(
    (1.0, 0.6), (0.4, 0.4), 0.02, 2.0, boundaries(left="wall", right="wall", bottom="wall", top="open") + "\n"
)
BOX_3D = """\
format = 1
[domain]
size = [1.0, 1.0, 1.0]
spacing = 0.05
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 1
[boundaries]
left = { type = "wall" }
right = { type = "wall" }
bottom = { type = "wall" }
top = { type = "wall" }
front = { type = "wall" }
back = { type = "wall" }
[time]
end = 2.0
"""
WALLS = """\
[boundaries]
left = { type = "wall" }
right = { type = "wall" }
bottom = { type = "wall" }
top = { type = "wall" }
"""
PERIODIC = WALLS.replace("wall", "periodic", 2)
VORTEX = (
    """\
format = 1
domain = { size = [1.0, 1.0], spacing = 0.02 }
fluid = { density = 1000, kinematic_viscosity = 1e-6 }
time = { end = 3 }
"""
    + WALLS
)


def notes(text: str, **overrides: str) -> list[str]:
    """Those of a world; overrides: by path, with __ for its dots."""
    changes = {path.replace("__", "."): value for path, value in overrides.items()}
    return list(World.from_text(text, overrides=changes).notes)


def test_a_tank_at_rest_gives_no_note() -> None:
    assert notes(TANK) == []
    assert notes(BOX_3D) == []


def test_fluid_over_an_open_side_falls_out() -> None:
    assert notes(TANK, boundaries__bottom__type="open") == [
        "regions.water falls out of the domain: gravity points to the open side bottom, with nothing in "
        "between. Make boundaries.bottom a wall, or change domain.gravity."
    ]
    turned = notes(TANK, domain__gravity="[0, 9.81]")
    assert [line for line in turned if "gravity points to the open side top" in line]


def test_fluid_on_a_body_over_an_open_side_does_not_fall_out() -> None:
    plate = '[bodies.plate]\nshape = "rectangle"\nmin = [-0.1, -0.1]\nmax = [1.1, 0.1]\n'
    text = TANK.replace("min = [0, 0]", "min = [0, 0.1]") + plate
    assert not [line for line in notes(text, boundaries__bottom__type="open") if "fall" in line]


def test_fluid_that_hangs_is_reported() -> None:
    hanging = notes(TANK, regions__water__min="[0, 0.1]")
    assert hanging == [
        "regions.water starts 0.1 m above the bottom side without support and falls for about 0.14 s. "
        "Hydrostatic pressure also requires support from below. If it should rest, move it down by 0.1 m."
    ]
    drop = '[regions.drop]\nshape = "rectangle"\nmin = [0.1, {y}]\nmax = [0.3, 0.58]\n'
    assert notes(TANK + drop.format(y=0.44)) == [
        "regions.drop starts 0.04 m above other fluid without support and falls for about 0.09 s. If it "
        "should rest, move it down by 0.04 m."
    ]
    assert notes(TANK + drop.format(y=0.5)) == []  # a drop that is meant to fall
    alone = TANK.replace('pressure = "hydrostatic"\n', "")
    assert len([line for line in notes(alone, regions__water__min="[0, 0.2]") if "starts 0.2 m" in line]) == 1
    assert notes(TANK, regions__water__min="[0, 0.02]") == []  # a spacing: particles touch


def test_hydrostatic_pressure_needs_a_level_surface() -> None:
    slanted = notes(TANK, domain__gravity="[5, -9.81]")
    assert len([line for line in slanted if "is not level" in line]) == 1
    wedge = TANK.replace(
        'shape = "rectangle"\nmin = [0, 0]\nmax = [0.4, 0.4]',
        'shape = "polygon"\npoints = [[0,0], [0.8,0], [0,0.4]]',
    )
    assert len([line for line in notes(wedge) if "is not level" in line]) == 1


def test_hydrostatic_pressure_leaves_out_fluid_above() -> None:
    upper = (
        '[regions.upper]\nshape = "rectangle"\nmin = [0, 0.4]\nmax = [0.4, 0.5]\npressure = "hydrostatic"\n'
    )
    assert [line.split(" hydro")[0] for line in notes(TANK + upper)] == [
        "other fluid rests on regions.water, whose"
    ]


def test_short_runs_are_reported() -> None:
    assert notes(TANK, time__end="0.01") == [
        "the run is very short: it ends at 0.01 s, but at 2.8 m/s fluid needs 0.21 s for 0.6 m (the "
        "shortest side of the domain). Set time.end to several times that."
    ]
    referred = TANK + "[reference]\nlength = 0.1\nvelocity = 0.01\n"
    assert [line for line in notes(referred) if "10 s for 0.1 m (reference.length)" in line]


def test_millimetres_are_reported() -> None:
    big = TANK.replace("1.0, 0.6", "1000, 600").replace("0.4, 0.4", "400, 400")
    found = [line for line in notes(big, domain__spacing="20") if "not in mm" in line]
    assert found == [
        "a domain of 1000 x 600 m and a spacing of 20 m is unusual for water: all lengths are in m, not in "
        "mm. In the 2 s of the run gravity hardly moves water that is 400 m high: sqrt(H/g) is 6.4 s. If the "
        "lengths are in mm, divide them by 1000."
    ]
    air = big.replace("1000.0", "1.0").replace("1e-6", "0.02")
    without = air.replace("gravity = [0, -9.81]\n", "").replace('pressure = "hydrostatic"\n', "")
    text = without.replace("[fluid]", "[fluid]\nmax_speed = 1000")
    assert not [line for line in notes(text, domain__spacing="20") if "mm" in line]


def test_a_start_without_its_pressure_is_reported() -> None:
    swirl = '[start]\nvelocity = ["sin(2*pi*x)*cos(2*pi*y)", "-cos(2*pi*x)*sin(2*pi*y)"]\n'
    assert notes(VORTEX + swirl) == [
        "start.velocity reaches 1 m/s on curved paths, but start.pressure lacks the variation of about "
        "500 Pa that they need; this causes sound waves. Write start.pressure as a formula [Pa]."
    ]
    assert notes(VORTEX + swirl + 'pressure = "250*(cos(4*pi*x) + cos(4*pi*y))"\n') == []
    shear = '[start]\nvelocity = ["sin(pi*y)", 0]\n'
    along = VORTEX.replace(WALLS, PERIODIC)
    assert notes(along + shear) == []
    thrown = notes(TANK, start__velocity="[0, -3]")
    assert len([line for line in thrown if "bottom side and starts with 3 m/s towards it" in line]) == 1
    assert notes(TANK, start__velocity="[0.5, 0]") == []  # away from the wall
    assert notes(VORTEX + shear) == [
        "the fluid touches the right side and starts with 0.758 m/s towards it: this causes sound waves of "
        "up to 7,600 Pa. Start at a distance, or with velocity along the wall."
    ]


@pytest.mark.parametrize(
    ("bodies", "told"),
    [
        (
            'ball = { shape = "sphere", center = [0.5, 0.2, 0.5], diameter = 0.3 }',
            ["ball and bottom are 1 spacing apart"],
        ),
        (
            'ball = { shape = "sphere", center = [0.5, 0.3, 0.5], diameter = 0.3 }',
            ["ball and bottom are 3 spacings apart"],
        ),
        ('ball = { shape = "sphere", center = [0.5, 0.5, 0.5], diameter = 0.4 }', []),
        (
            'a = { shape = "sphere", center = [0.35, 0.5, 0.5], diameter = 0.2 }\n'
            'b = { shape = "sphere", center = [0.65, 0.5, 0.5], diameter = 0.2 }',
            ["a and b are 2 spacings apart"],
        ),
        (
            'a = { shape = "sphere", center = [0.35, 0.3, 0.6], diameter = 0.2 }\n'
            'b = { shape = "box", min = [0.5, 0.4, 0.2], max = [0.7, 0.7, 0.8] }',
            ["a and b are 1.6 spacings apart"],
        ),
        (
            'a = { shape = "cylinder", from = [0.35, 0.3, 0.5], to = [0.35, 0.7, 0.5], diameter = 0.2 }\n'
            'b = { shape = "cylinder", from = [0.65, 0.3, 0.5], to = [0.65, 0.7, 0.5], diameter = 0.2 }',
            ["a and b are 2 spacings apart"],
        ),
        (
            'ball = { shape = "sphere", center = [0.5, 0.2, 0.5], diameter = 0.4 }',
            ["bodies.ball just touches the bottom side"],
        ),
        (
            'a = { shape = "sphere", center = [0.4, 0.5, 0.5], diameter = 0.2 }\n'
            'b = { shape = "box", min = [0.5, 0.3, 0.3], max = [0.7, 0.7, 0.7] }',
            ["bodies.a just touches bodies.b"],
        ),
        ('block = { shape = "box", min = [0.3, 0, 0.3], max = [0.7, 0.4, 0.7] }', []),
    ],
)
def test_gaps_in_three_dimensions(bodies: str, told: list[str]) -> None:
    found = [line for line in notes(BOX_3D + f"[bodies]\n{bodies}\n") if "apart" in line or "touch" in line]
    assert [line[: len(start)] for line, start in zip(found, told, strict=True)] == told


def test_a_circle_that_touches_the_floor_is_reported() -> None:
    ball = '[bodies.ball]\nshape = "circle"\ncenter = [0.7, 0.1]\ndiameter = 0.2\n'
    assert [line[:40] for line in notes(TANK + ball) if "touch" in line] == [
        "bodies.ball just touches the bottom side"
    ]


def test_thin_layers_are_reported() -> None:
    assert [line[:38] for line in notes(TANK, regions__water__max="[0.8, 0.06]")] == [
        "regions.water is 3 spacings thick: a f"
    ]


NO_SIDES = "boundaries: left, right, bottom and top not given"
UNEVEN = "domain.size is not a multiple of domain.spac"
NOTES = {
    "validation/conservation/world.toml": ["start.velocity reaches 1.79 m/s on curved paths"],
    "validation/dam_break_pressure/world.toml": [UNEVEN],
    "validation/wing/world.toml": ["mesh: cell", "mesh: cell", "mesh: cell"],
    "tests/cases/block_on_floor.toml": [NO_SIDES],
    "tests/cases/block_through_floor.toml": [NO_SIDES],
    "tests/cases/dam_break_buchner.toml": [UNEVEN],
    "tests/cases/energy_at_impact.toml": [NO_SIDES],
    "tests/cases/lid_driven_cavity.toml": ["boundaries: left, right and bottom not given"],
    "tests/cases/weir.toml": ["boundaries.right has no pressure"],
}
"""Beginnings of the notes of each world; other worlds have none."""


@pytest.mark.parametrize(
    "path",
    sorted({*gallery().values(), *ROOT.glob("tests/cases/*.toml"), *ROOT.glob("validation/**/*.toml")}),
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_worlds_of_the_project_give_the_notes_that_are_true(path: Path) -> None:
    given, expected = World.load(path).notes, NOTES.get(path.relative_to(ROOT).as_posix(), [])
    assert [note[: len(start)] for note, start in zip(given, expected, strict=True)] == expected
