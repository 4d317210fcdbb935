"""The exact lines that a user reads for a wrong world file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

import pytest

from eddyline.option_names import naming_options
from eddyline.world import World, WorldError, checks, new_world, parse_set

BASE = """\
format = 1
title = "Test"
[let]
D = 0.1
H = 0.4
[domain]
size = [1.0, "H"]
spacing = 0.01
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 1.0
[bodies.cylinder]
shape = "circle"
center = [0.3, 0.2]
diameter = "D"
[boundaries]
left = { type = "wall" }
top = { type = "open" }
[time]
end = 1.0
"""


@dataclass
class Case:
    """A change of BASE and the lines that it must give."""

    name: str
    text: str = BASE
    overrides: dict[str, str | float] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)


def read_cases() -> list[Case]:
    """The cases of world_errors.txt."""
    cases = []
    for block in (Path(__file__).parent / "world_errors.txt").read_text().split("\n== ")[1:]:
        name, *rows = block.strip().splitlines()
        case, old = Case(name), ""
        for mark, group in groupby(rows, key=lambda row: row[:1]):
            texts = [row[2:] for row in group]
            if mark == "-":
                old = "\n".join(texts)
            elif mark == "+":
                assert old in case.text
                case.text, old = case.text.replace(old, "\n".join(texts)), ""
            elif mark == "|":
                case.text += "\n".join(texts) + "\n"
            elif mark == "$":
                case.overrides |= parse_set(texts)
            elif mark == ">":
                case.lines = [text if text.startswith("--set") else f"a.toml:{text}" for text in texts]
            if mark != "-" and mark != "+" and old:
                case.text, old = case.text.replace(f"{old}\n", ""), ""
        cases.append(case)
    return cases


def lines_of(text: str, overrides: Mapping[str, str | float] | None = None) -> list[str]:
    with pytest.raises(WorldError) as caught:
        World.from_text(text, "a", overrides)
    assert len(caught.value.problems) == len(str(caught.value).splitlines())
    return str(caught.value).splitlines()


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case.name)
def test_lines(case: Case) -> None:
    with naming_options():
        assert lines_of(case.text, case.overrides) == case.lines


def test_base_is_right() -> None:
    world = World.from_text(BASE)
    assert world.notes == ("boundaries: right and bottom not given, so no-slip walls (default).",)


@pytest.mark.parametrize(
    ("body", "spacings"),
    [
        ('shape = "line"\nfrom = [0, 0]\nto = [0.1, 0.2]\nthickness = "0.2*domain_spacing"', "0.2"),
        ('shape = "polygon"\npoints = [[0, 0], [0.1, 0.2], [0.101, 0.2], [0.001, 0]]', "0.0"),
        ('shape = "line"\nfrom = [0, 0]\nto = [0.1, 0.2]\nthickness = 0.02', "2"),
        ('shape = "line"\nfrom = [0, 0]\nto = [0.1, 0.2]\nthickness = 0.03', ""),
    ],
)
def test_a_body_too_thin_to_hold_fluid_is_reported(body: str, spacings: str) -> None:
    text = f"""
format = 1
domain = {{ size = [0.4, 0.4], spacing = 0.01 }}
fluid = {{ density = 1000, kinematic_viscosity = 1e-3, max_speed = 1 }}
time = {{ end = 1 }}
[bodies.gate]
{body.replace("domain_spacing", "0.01")}
"""
    told = [line for line in World.from_text(text).warnings if "passes through" in line]
    assert len(told) == (1 if spacings else 0)
    assert all(f"bodies.gate is {spacings}" in line for line in told)


def test_gaps_that_no_flow_fits_through_are_reported() -> None:
    post = '[bodies.post{k}]\nshape = "circle"\ncenter = [{x}, 0.2]\ndiameter = 0.08\n'
    text = BASE + "".join(post.format(k=k, x=0.41 + 0.1 * k) for k in range(5))
    world = World.from_text(text)
    told = [line for line in world.warnings if "apart" in line or "narrow" in line]
    assert told[0] == (
        "cylinder and post0 are 2 spacings apart; fluid does not fill gaps below 3, so the forces on both "
        "are too small. Move one, or set domain.spacing = 0.005."
    )
    assert (len(told), told[-1]) == (4, "2 more gaps are too narrow.")
    assert told == [line for line in world.notes if "apart" in line or "narrow" in line]
    wider = World.from_text(BASE + post.format(k=0, x=0.425))
    assert [line for line in wider.notes if "apart" in line] == [
        "cylinder and post0 are 3.5 spacings apart; a resolved flow between them needs 4. "
        "Move one, or set domain.spacing = 0.0087."
    ]
    assert not wider.warnings


def test_an_outflow_that_keeps_no_level_is_reported() -> None:
    changes = {"domain.gravity": "[0, -9.81]", "boundaries.right.type": "outflow"}

    def told(**more: str) -> list[str]:
        overrides = {**changes, **{key.replace("_", "."): value for key, value in more.items()}}
        notes = World.from_text(BASE, overrides=overrides).notes
        return [note for note in notes if "no pressure" in note]

    assert told() == [
        "boundaries.right has no pressure, so water leaves as over an edge. To keep a water level H, write "
        'pressure = "max(0, density*g*(H - y))", with numbers for density and g.'
    ]
    assert told(boundaries_right_pressure="max(0, 9810*(0.2 - y))") == []
    assert told(domain_gravity="[9.81, 0]") == []


def test_a_formula_that_never_gives_a_number_is_reported() -> None:
    def told(quantity: str) -> list[str]:
        expect = f'[[expect]]\nquantity = "{quantity}"\nrange = [0, 1]\n'
        return [line for line in World.from_text(BASE + expect).warnings if "finite number" in line]

    wrong = "force.cylinder.total_x.mean / (H - 4*D)"
    assert told(wrong) == [
        f'expect[0].quantity = "{wrong}" never gives a finite number. Check it for a division by 0.'
    ]
    for sound in (
        "force.cylinder.total_x.mean / D",
        "sqrt(budget.max_speed.max - 1e5)",
        "log(-budget.momentum_x.min)",
        "1 / budget.left_mass.final",
        "asin(force.cylinder.total_x.mean / force.cylinder.total_y.mean)",
    ):
        assert told(sound) == []


def test_a_flow_with_more_viscosity_than_it_asks_for_says_its_reynolds_number() -> None:
    world = World.load("cylinder", {"let.Re": "1e6", "method.artificial_viscosity": 0.01})
    assert [line for line in world.warnings if "Reynolds number is 356 instead of 1,000,000" in line]
    assert not World.load("cylinder").warnings
    assert not World.load("cylinder", {"let.Re": "1e6"}).warnings, "fluid without a surface needs none"
    assert not World.load("dam_break").warnings, "waves and impacts hardly feel it"


def test_more_particles_than_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks.fluid, "available_memory", lambda: 8_000_000_000)
    assert lines_of(BASE.replace("spacing = 0.01", "spacing = 1e-6")) == [
        "a.toml:8: domain.spacing = 1e-6 makes about 3.9e11 particles, 197,000 GB; 8 GB of memory are "
        "free. Try 0.00016, or a smaller domain."
    ]


def test_an_empty_domain_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    region = '\n[regions.drop]\nshape = "circle"\ncenter = [1.0, 0.5]\ndiameter = 0.5\n'
    large = BASE.replace('size = [1.0, "H"]', "size = [3e3, 3e3]") + region
    for memory, told in (
        (8_000_000_000, "GB; 8 GB of memory are free. Try 0.053, or a smaller domain."),
        (None, "GB; 2e9 is the most. Try"),
    ):
        monkeypatch.setattr(checks.fluid, "available_memory", lambda memory=memory: memory)
        (line,) = lines_of(large)
        assert "domain.spacing = 0.01 makes about 3.6e9 cells, " in line and told in line


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("missing.toml", None, "{path}: no such file."),
        ("dam_brek.toml", None, '{path}: no such file. Did you mean "dam_break.toml"?'),
        (
            "latin.toml",
            b'format = 1\ntitle = "\xe9"\n',
            "{path}:2: not UTF-8 (byte 0xe9). Save the file as UTF-8.",
        ),
        (
            "README.md",
            b"# Tank\n\nWater in a tank.\n",
            "{path}: not a world file: must be TOML in a file NAME.toml, and this is a .md file.",
        ),
    ],
)
def test_files(tmp_path: Path, name: str, content: bytes | None, line: str) -> None:
    if "dam" in name:
        (tmp_path / "dam_break.toml").touch()
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(WorldError) as caught:
        World.load(path)
    assert str(caught.value) == line.format(path=path)


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "tank.toml").touch()
    with pytest.raises(WorldError) as caught:
        World.load(tmp_path)
    assert str(caught.value) == f"{tmp_path}: is a folder; must be a world file. It holds tank.toml."
    for k in range(21):
        (tmp_path / f"pool{k:02}.toml").touch()
    with pytest.raises(WorldError, match=r"It holds pool00\.toml, .*, pool19\.toml and 2 more\.$"):
        World.load(tmp_path)


def test_bare_name_lists_the_gallery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    near = r'^dam_brek: no such file or gallery world. Did you mean "dam_break"\?$'
    with pytest.raises(WorldError, match=near):
        World.load("dam_brek")
    far = r"^volcano: no such file or gallery world. Gallery worlds: airfoil, blast, bow_shock, channel, "
    with pytest.raises(WorldError, match=far):
        World.load("volcano")


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_empty_file(text: str) -> None:
    with naming_options():
        assert lines_of(text) == ["a.toml: is empty; must be a world. `eddyline new my_tank` creates one."]


def test_a_file_of_comments() -> None:
    assert lines_of("# a world") == [
        "a.toml:1: [domain] is missing; every world requires it. Add [domain] with size and spacing.",
        "a.toml:1: [fluid] is missing; the solver sph requires it. "
        "Add [fluid] with density and kinematic_viscosity.",
        "a.toml:1: [time] is missing; every world requires it. Add [time] with end.",
        "a.toml:1: format is missing; every world requires it. Add format = 1.",
    ]


def test_set_needs_path_and_value() -> None:
    with pytest.raises(WorldError) as caught:
        parse_set(["let.a", "=3", "let.b = 2*c"])
    assert str(caught.value).splitlines() == [
        '--set: "=3" must be PATH=VALUE, for example domain.spacing=0.01.',
        '--set: "let.a" must be PATH=VALUE, for example domain.spacing=0.01.',
    ]
    assert parse_set(["let.b = 2*c", "time.end=1"]) == {"let.b": "2*c", "time.end": "1"}


def test_what_is_set_twice_is_not_set() -> None:
    with pytest.raises(WorldError) as caught:
        parse_set(["let.a=0.05,0.1", "time.end=1", "let.b=2", "let. a = 0.3,0.4", "let.b=2", "let.b=3"])
    assert str(caught.value).splitlines() == [
        "--set: let.a=0.05,0.1 and let.a=0.3,0.4 set the same key. Set let.a once.",
        "--set: let.b=2, let.b=2 and let.b=3 set the same key. Set let.b once.",
    ]


@pytest.mark.parametrize("value", [None, [1, None], object])
def test_an_override_that_no_file_can_hold(value: object) -> None:
    (line,) = lines_of(BASE, {"let.D": value})  # type: ignore[dict-item]
    assert line == (
        f"overrides: let.D = {value!r}; must be a number, true or false, a text, or a list or a table of "
        "these."
    )


def test_new_refuses(tmp_path: Path) -> None:
    with pytest.raises(
        WorldError, match=r"^my dam: must be a name of letters, digits, _ and -, for example my_world\.$"
    ):
        new_world("my dam", folder=tmp_path)
    with pytest.raises(WorldError, match=r'^dam_brek: not in the gallery; .* Did you mean "dam_break"\?$'):
        new_world("mine", "dam_brek", folder=tmp_path)
    (tmp_path / "mine.toml").touch()
    with pytest.raises(
        WorldError, match=r"mine\.toml: exists already\. Choose another name, or remove the file\.$"
    ):
        new_world("mine", folder=tmp_path)
