"""Worlds that are hard to read: each is refused in lines, or read, within little time and memory."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from fuzz_inputs import check_problems, limits, read_settings, read_world, settings

from eddyline.run.errors import FolderInUseError
from eddyline.run.folder import RunFolder
from eddyline.world import World, WorldError
from eddyline.world.curves import find_curve
from eddyline.world.formulas import resolve_let

BASE = """format = 1
[domain]
size = [1.0, 0.6]
spacing = 0.05
gravity = [0, -9.81]
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
[regions.column]
shape = "rectangle"
min = [0, 0]
max = [0.3, 0.4]
[time]
end = 0.5
"""
TURNING = (
    '[bodies.a]\nshape = "circle"\ncenter = [0.7, 0.3]\ndiameter = 1e89\nmotion = { rotation = "2*t" }\n'
)
CURVE = (
    '[observe.front]\ntype = "front"\naxis = "x"\n[[expect]]\nquantity = "front"\nagainst = "time"\n'
    f'band = 0.1\ncurve = "{"a" * 300}.csv"\n'
)
REFUSED = {
    "a table twice, another between": (BASE + "[domain]\nsize = [1, 1]\n", "occurs twice"),
    "400 digits": (BASE + f"[let]\na = {'9' * 400}\n", "400 digits"),
    "5000 digits": (BASE + f"[let]\na = {'9' * 5000}\n", "not TOML"),
    "origin far out": (BASE.replace("spacing", "origin = [1e19, 0]\nspacing", 1), "farther out are inexact"),
    "a huge body that turns": (BASE + TURNING, "times the domain's longest side"),
    "deep lists": (BASE + f"[let]\na = {'[' * 3000}{']' * 3000}\n", "nested more than"),
    "deep keys": (BASE + ".".join(["a"] * 3000) + " = 1\n", "nested more than"),
    "a long name of a curve": (BASE + CURVE, "curve"),
    "huge gravity": (BASE.replace("-9.81", "-1e80"), "speed of sound"),
    "a tiny spacing": (BASE.replace("0.05", "4e-9"), "makes about"),
    "a long line": (BASE + f'title = "{"x" * 5000}\n', "not TOML"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_computed_is_refused_in_short_lines(name: str) -> None:
    text, part = REFUSED[name]
    with limits(8.0), pytest.raises(WorldError, match=part) as told:
        World.from_text(text)
    check_problems(told.value)
    read_world(BASE)  # the rest of it is right


def test_a_file_whose_name_is_not_text_is_refused_before_it_is_read(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.toml")
    Path(name).write_text(BASE)
    with pytest.raises(WorldError, match="not UTF-8"):
        World.load(name)


def test_a_thousand_names_of_let_take_no_time() -> None:
    table = {f"a{k}": f"a{k + 1} + 1" for k in range(3000)} | {"a3000": 1}
    with limits(1.5):
        names, wrong = resolve_let(table)
    assert not wrong
    assert names.values["a0"] == 3001


def test_every_name_of_a_circle_is_broken_and_told_of_once() -> None:
    names, wrong = resolve_let({"a": "b + d", "b": "c", "c": "a", "d": "a", "e": "a + 1", "f": 2})
    assert [name for name, _ in wrong] == ["a"]
    assert names.values == {"f": 2.0}


@pytest.mark.parametrize("name", ["/etc/hostname", "../../secret.csv", "a" * 300 + ".csv", "a\0.csv"])
def test_a_curve_lies_beside_the_world_or_in_the_package(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must be the (bare )?name|cannot be read|no such file"):
        find_curve(name, [tmp_path])


def test_a_loop_of_links_is_no_folder_for_a_run(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(FolderInUseError, match="is a loop of symbolic links"):
        RunFolder.check_outside(tmp_path / "a")


@pytest.mark.parametrize("seed", [1000606])
def test_an_override_inside_a_table_in_one_line(seed: int) -> None:
    read_settings(settings(random.Random(seed)))
