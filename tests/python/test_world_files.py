"""World files: the gallery, positions, overrides, JSON Schema, pictures."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import numpy as np
import pytest
import tomlkit
from matplotlib.axes import Axes

from eddyline import Simulation, _core
from eddyline.plot.scene import Scene
from eddyline.world import (
    World,
    WorldError,
    describe,
    draw,
    gallery,
    new_world,
    save_picture,
    schema_json,
)
from eddyline.world.curves import DATA, find_curve
from eddyline.world.positions import Positions

FOLDER = Path(__file__).parents[2] / "worlds"
WORLDS = sorted(FOLDER.rglob("*.toml"))


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_gallery(path: Path) -> None:
    """Every world of the gallery loads, is a lesson, expects something and can be described."""
    world = World.load(path)
    assert world.source == path.read_text()
    assert world.expectations
    assert world.notes == ()
    flow: tuple[str, ...] = ("Reynolds", "Mach", "speed of sound")
    if world.solver.name != "sph":
        flow = ()
    else:
        assert world.file.lengths.cell_edge == pytest.approx(_core.estimate(world.core).cell_edge)
    header = world.source.split("format = 1")[0]
    for word in ("Look for:", "Predict first:", "Try:", "Expected:"):
        assert word in header
    text = describe(world)
    for word in (world.solver.members, "memory", "steps", "run time", *flow):
        assert word in text


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_try_lines(path: Path) -> None:
    """Every change that the header of a world suggests is possible."""
    import shlex

    from eddyline.world import parse_set

    world = World.load(path)
    tries = [line for line in world.source.splitlines() if line.startswith("#") and "--set " in line]
    assert tries
    for line in tries:
        words = shlex.split(line[line.index("--set") :])
        sets = [words[k + 1] for k, word in enumerate(words) if word == "--set"]
        changed = World.load(path, parse_set(sets))
        assert changed.source != world.source


@pytest.mark.parametrize(
    ("center", "told"),
    [
        ("[0.2, 0.03]", "bodies.cylinder reaches beyond the bottom side: no fluid acts on the part outside."),
        ("[0.2, 0.05]", None),  # it touches the side
        ("[2.18, 0.4]", "bodies.cylinder reaches beyond the right and top sides: no fluid acts"),
    ],
)
def test_a_body_beyond_a_side_is_reported(center: str, told: str | None) -> None:
    from eddyline.world import parse_set

    ends = ['boundaries.left={type="wall"}', 'boundaries.right={type="wall"}']
    text = describe(World.load("cylinder", parse_set([*ends, f"bodies.cylinder.center={center}"])))
    assert told in text if told else "reaches beyond" not in text


def test_a_channel_that_bodies_close_is_reported() -> None:
    told = "bodies block all paths from inflow to outflow"
    ends = 'left = { type = "inflow", velocity = 0.5 }\nright = { type = "outflow" }\n'
    walls = [("post", [0.3, 0.2], [0.32, 0.4]), ("sill", [0.3, 0.0], [0.5, 0.2])]
    for bodies, top, is_closed in (
        (walls, "wall", True),
        (walls[:1], "wall", False),
        (walls, "open", False),  # it may leave there
        ([("post", [0.3, 0.22], [0.32, 0.4]), ("sill", [0.3, 0.0], [0.5, 0.2])], "wall", False),
        ([("post", [0.3, 0.1], [0.32, 0.4]), ("sill", [0.36, 0.0], [0.5, 0.2])], "wall", False),
    ):
        text = (
            "format = 1\ndomain = { size = [1.0, 0.4], spacing = 0.01 }\ntime = { end = 1 }\n"
            "fluid = { density = 1, kinematic_viscosity = 1e-3, max_speed = 1 }\n"
            f'[boundaries]\n{ends}top = {{ type = "{top}" }}\n'
        )
        for name, low, high in bodies:
            text += f'[bodies.{name}]\nshape = "rectangle"\nmin = {low}\nmax = {high}\n'
        assert (told in describe(World.from_text(text))) == is_closed


def test_lengths_are_told_in_spacings_along_each_axis() -> None:
    post = '[bodies.post]\nshape = "rectangle"\ncenter = ["4*a", "a/4"]\nsize = ["a/8", "a/4"]\n'
    text = describe(World.from_text(f"{World.load('dam_break').source}\n{post}"))
    assert "0.007144 x 0.01429 m, 5 x 10 spacings" in text and "bodies.post is 5 spacings wide" in text
    wide = describe(World.load("dam_break", {"domain.size": '["12500*a/40", "7500*a/40"]'}))
    assert "m, 12,500 x 7,500 spacings of" in wide


@pytest.mark.parametrize(
    ("end", "told", "is_noted"),
    [(1e6, "days", False), (4e8, "years", True)],
)
def test_very_long_run_times_are_reported(end: float, told: str, is_noted: bool) -> None:
    text = describe(World.load("dam_break", {"time.end": end}), cores=2)
    assert re.search(rf"run time +about [\d.]+ {told} on 2 cores", text), text
    assert ("Increase domain.spacing, or end it earlier" in text) == is_noted


def test_a_domain_in_another_unit_is_suspected() -> None:
    told = "walls have 146 times as many particles as the fluid, which fills 0.00039 % of the domain"
    assert told in describe(World.load("dam_break", {"domain.size": "[58, 29]"}))
    assert "as many particles" not in describe(World.load("dam_break"))


def test_gallery_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert set(gallery()) == {path.relative_to(FOLDER).with_suffix("").as_posix() for path in WORLDS}
    assert World.load("vertanen/funnel").title == "Vertanen: funnel"
    assert World.load("dam_break").title == "Dam break"


def test_new(tmp_path: Path) -> None:
    path = new_world("my_tank", folder=tmp_path)
    world = World.load(path)
    assert (path.name, world.title, world.notes) == ("my_tank.toml", "My tank", ())
    assert World.load(new_world("wave", "dam_break", folder=tmp_path)).title == "Dam break"


def test_values_of_the_dam_break() -> None:
    world = World.load(gallery()["dam_break"])
    assert world.let == {"a": 0.05715, "g": 9.81}
    assert world.core.size == pytest.approx((7 * 0.05715, 4 * 0.05715, 0))
    assert world.core.gravity == (0, -9.81, 0)
    assert world.scales.max_speed == pytest.approx(np.sqrt(2 * 9.81 * 2 * 0.05715))
    assert world.core.fluid.sound_speed == pytest.approx(10 * world.scales.max_speed)
    assert world.sides == {"left": "wall", "right": "wall", "bottom": "wall", "top": "open"}
    assert [region.pressure_start for region in world.core.regions] == ["hydrostatic"]
    assert world.output.picture_interval == pytest.approx(world.end / 160)
    assert world.reynolds == pytest.approx(np.sqrt(2 * 9.81 * 0.05715) * 0.05715 / 1e-6)
    assert (
        repr(world) == "<World dam_break: 2D, 0.40005 x 0.2286 m, spacing 0.001429 m, end 0.4318 s, 1 region>"
    )
    estimate = _core.estimate(world.core)
    assert estimate.fluid_particles == 3200


def test_fields_reach_the_core_with_let_values_in_place() -> None:
    world = World.load(gallery()["taylor_green"])
    velocity = world.core.start.velocity
    x, y = np.meshgrid(np.linspace(0, 1, 7), np.linspace(0, 1, 5))
    found = velocity[0].evaluate({"x": x, "y": y, "z": 0.0, "t": 0.0})
    assert found == pytest.approx(-np.cos(2 * np.pi * x) * np.sin(2 * np.pi * y), abs=1e-12)
    assert world.core.start.jitter == 0.1


# --- positions ----------------------------------------------------------------------------------------------

TEXT = '''\
# comment
a.b = 1
c = """
[not.a.table]
"""
list = [ 1, # one ]
  "x]", { k = [2,
  3] },
]
[t] # table
"quoted key" = { in.side = 1, other = "}" }
[[many]]
k = 1
[many.sub]
k = 2
[[many]]
k = 3
[t.u]
s = \'\'\'
a = 1\'\'\'
v = 2
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("a", "b"), 2),
        (("c",), 3),
        (("list",), 6),
        (("list", 1), 7),
        (("list", 2, "k"), 7),
        (("list", 2, "k", 1), 8),
        (("t",), 10),
        (("t", "quoted key", "in", "side"), 11),
        (("t", "quoted key", "other"), 11),
        (("many", 0, "k"), 13),
        (("many", 0, "sub", "k"), 15),
        (("many", 1), 16),
        (("many", 1, "k"), 17),
        (("t", "u"), 18),
        (("t", "u", "v"), 21),
        (("t", "u", "absent", "too"), 18),
        (("nowhere",), 1),
    ],
)
def test_positions(path: tuple[str | int, ...], line: int) -> None:
    tomlkit.parse(TEXT)
    assert Positions(TEXT).line(path) == line


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_positions_know_every_key(path: Path) -> None:
    """Each leaf of a file stands on a line that holds its key or is part of its list."""
    text = path.read_text()
    lines = text.splitlines()
    positions = Positions(text)

    def visit(node: object, where: tuple[str | int, ...]) -> None:
        assert where == () or where in positions.lines
        if isinstance(node, dict):
            for key, item in node.items():
                assert key in lines[positions.line((*where, key)) - 1]
                visit(item, (*where, key))
        elif isinstance(node, list):
            for index, item in enumerate(node):
                visit(item, (*where, index))

    visit(tomlkit.parse(text).unwrap(), ())


# --- overrides ----------------------------------------------------------------------------------------------


def test_overrides_keep_comments_order_and_formulas() -> None:
    before = gallery()["dam_break"].read_text()
    world = World.from_text(before, overrides={"let.a": "0.1", "domain.spacing": "a/80", "time.end": 0.5})
    after = (
        before.replace("a = 0.05715 ", "a = 0.1 ")
        .replace('spacing = "a/40"', 'spacing = "a/80"')
        .replace('end = "8*sqrt(a/(2*g))"', "end = 0.5")
    )
    assert world.source == after
    assert world.core.spacing == pytest.approx(0.1 / 80)
    assert World.from_text(world.source).source == world.source


def test_overrides_of_all_kinds() -> None:
    text = gallery()["periodic_cylinder"].read_text()
    overrides: dict[str, str | float] = {
        "bodies.cylinder.diameter": "D/2",
        "bodies.cylinder.slip": "true",
        "domain.body_force.1": "0.1*sin(t)",
        "method.cfl": 0.5,
        "boundaries.top": '{ type = "wall", velocity = ["U", 0] }',
        "output.quantity": "pressure",
        "expect.0.tolerance": 0.5,
    }
    world = World.from_text(text, overrides=overrides)
    assert world.core.bodies[0].slip
    assert world.core.bodies[0].shape.volume == pytest.approx(np.pi * 0.025**2)
    assert world.core.body_force[1].evaluate({"x": 0.0, "y": 0.0, "z": 0.0, "t": 1.0}) == pytest.approx(
        0.0841471
    )
    assert world.core.method.cfl == 0.5
    assert world.core.sides[3].velocity[0].evaluate({"x": 0.0, "y": 0.0, "z": 0.0, "t": 0.0}) == 1.0
    assert world.output.quantity == "pressure"
    assert world.expectations[0].tolerance == 0.5


# --- JSON Schema --------------------------------------------------------------------------------------------


def test_schema_describes_every_key() -> None:
    schema = json.loads(schema_json())
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["required"] == ["format", "domain", "time"]
    assert schema["else"] == {"required": ["fluid"]}  # of other solvers than those without a fluid
    assert "null" not in schema_json()

    def visit(node: object) -> None:
        if isinstance(node, dict):
            for name, item in node.get("properties", {}).items():
                told = "description" in item or "$ref" in item or "const" in item or "discriminator" in item
                assert told or name == "let", name
            for item in node.values():
                visit(item)
        elif isinstance(node, list):
            for item in node:
                visit(item)

    assert set(schema.pop("if")) == {"required", "properties"}  # a condition describes nothing
    visit(schema)


@pytest.mark.parametrize("path", [*WORLDS, DATA / "starter.toml"], ids=lambda path: path.stem)
def test_schema_accepts_the_worlds(path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    checker = jsonschema.Draft202012Validator(json.loads(schema_json()))
    data = tomlkit.parse(path.read_text()).unwrap()
    assert [error.message for error in checker.iter_errors(data)] == []
    data["domain"]["spacing"] = -1
    data["time"]["ent"] = 1
    assert len(list(checker.iter_errors(data))) == 2


# --- pictures -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sod", "cylinder", "vertanen/funnel"])
def test_labels_cover_neither_each_other_nor_bodies(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eddyline.world.labels import Labels

    drawn: list[Labels] = []
    settle = Labels.settle
    monkeypatch.setattr(Labels, "settle", lambda self: (settle(self), drawn.append(self)))
    save_picture(World.load(name), tmp_path / "world.png", dpi=60)
    (labels,) = drawn
    assert len(labels.movable) >= 2
    boxes = [text.get_window_extent() for text in labels.panel.texts if text.get_text()]
    for first, second in itertools.combinations(boxes, 2):
        assert not first.overlaps(second)
    for text, _ in labels.movable:
        box = text.get_window_extent()
        for outline in labels.outlines:
            points = labels.panel.transData.transform(outline)
            assert not any(box.contains(x, y) for x, y in points)


@pytest.mark.parametrize("name", ["dam_break", "dam_break_3d", "periodic_cylinder", "couette"])
def test_pictures(name: str, tmp_path: Path) -> None:
    world = World.load(gallery()[name])
    save_picture(world, tmp_path / "world.png", dpi=40)
    assert (tmp_path / "world.png").read_bytes().startswith(b"\x89PNG")
    html = world._repr_html_()
    svg = ElementTree.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])
    shapes = [element.tag.rpartition("}")[2] for element in svg.iter()]
    assert shapes.count("line") == 4
    assert "polygon" in shapes or "rect" in shapes
    assert world.title in html


def test_curves_of_the_package() -> None:
    """The curves say where they come from, and the exact ones are exact."""
    for path in DATA.glob("*.csv"):
        assert "Source:" in find_curve(path.name, []).comment or "Exact:" in find_curve(path.name, []).comment
    n = np.arange(200)[:, None]
    odd = 2 * n + 1
    curve = find_curve("poiseuille_start.csv", [])
    terms = 32 * (-1.0) ** n / (np.pi * odd) ** 3 * np.exp(-((odd * np.pi) ** 2) * curve.x)
    assert curve.y == pytest.approx(1 - terms.sum(axis=0), abs=1e-9)
    curve = find_curve("couette_start.csv", [])
    k = n + 1
    terms = 2 * (-1.0) ** k / (k * np.pi) * np.sin(k * np.pi / 2) * np.exp(-((k * np.pi) ** 2) * curve.x)
    assert curve.y == pytest.approx(0.5 + terms.sum(axis=0), abs=1e-9)
    curve = find_curve("taylor_green_decay.csv", [])
    assert curve.y == pytest.approx(np.exp(-2 * curve.x), rel=1e-9)


def test_curve_beside_the_world(tmp_path: Path) -> None:
    text = gallery()["couette"].read_text().replace("couette_start.csv", "mine.csv")
    (tmp_path / "couette.toml").write_text(text)
    (tmp_path / "mine.csv").write_text("t,u\n0,0\n1,1\n2,1\n")
    assert World.load(tmp_path / "couette.toml").expectations[0].curve == "mine.csv"
    (tmp_path / "mine.csv").write_text("t,u\n0,0\n0,1\n1,2\n")
    with pytest.raises(
        WorldError,
        match=r'expect\[0\]\.curve = "mine\.csv"; the first column must increase from row to row\.',
    ):
        World.load(tmp_path / "couette.toml")
    (tmp_path / "mine.csv").write_text("t,u\n0,0\n1,one\n2,2\n")
    with pytest.raises(WorldError, match='line 3: "one" is not a number'):
        World.load(tmp_path / "couette.toml")
    (tmp_path / "mine.csv").write_text("t,u\n0,0\n1,1\n")
    with pytest.raises(WorldError, match="at least 3 rows of two numbers"):
        World.load(tmp_path / "couette.toml")


def test_regions_between_rows_of_particles_are_reported() -> None:
    text = """format = 1
[domain]
size = [1.0, 0.6]
spacing = 0.05
[fluid]
density = 1000
kinematic_viscosity = 1e-6
max_speed = 1.0
[regions.water]
shape = "rectangle"
min = [0, 0]
max = [1.0, 0.25]
[time]
end = 1
"""

    def told(spacing: float) -> list[str]:
        found = World.from_text(text, overrides={"domain.spacing": spacing}).warnings
        return [line for line in found if line.startswith("regions.water begins with ")]

    assert told(0.05) == []
    (line,) = told(1 / 30)  # 7.5 rows of which there are 7
    assert line.startswith("regions.water begins with 6.7 % less fluid") and line.endswith("= 0.03125.")
    assert told(0.03125) == []


def test_regions_that_leave_no_surface_are_reported() -> None:
    text = """format = 1
[domain]
size = [1.0, 0.6]
spacing = 0.05
[fluid]
density = 1000
kinematic_viscosity = 1e-6
max_speed = 1.0
[bodies.post]
shape = "rectangle"
center = [0.5, 0.5]
size = [0.2, 0.2]
[regions.water]
shape = "rectangle"
min = [0, 0]
max = [1.0, 0.4]
[regions.oil]
shape = "rectangle"
min = [0, 0.4]
max = [1.0, 0.6]
[time]
end = 1
"""

    def told(**overrides: object) -> bool:
        changes = {name.replace("__", "."): value for name, value in overrides.items()}
        found = World.from_text(text, overrides=changes).warnings
        return any(line.startswith("regions fill the whole domain") for line in found)

    assert told()
    assert not told(regions__oil__max=[1.0, 0.55])
    assert not told(boundaries__top__type="open")


def test_drawings_stand_upright(tmp_path: Path) -> None:
    """Two views of a world in three dimensions, both with the axis of gravity upwards."""
    text = """format = 1
[domain]
size = [0.4, 0.3, 0.5]
spacing = 0.05
gravity = [0, 0, -9.81]
[fluid]
density = 1000
kinematic_viscosity = 1e-6
[regions.pool]
shape = "box"
min = [0, 0, 0]
max = [0.4, 0.3, 0.1]
[time]
end = 1
"""
    seen = {}
    for axis, gravity in enumerate(([-9.81, 0, 0], [0, -9.81, 0], [0, 0, -9.81])):
        world = World.from_text(text, overrides={"domain.gravity": str(gravity)})
        views = draw.views(world)
        assert [up for _, up in views] == [axis, axis]
        seen[axis] = {across for across, _ in views}
        save_picture(world, tmp_path / f"{axis}.svg", dpi=50)
    assert seen == {0: {1, 2}, 1: {0, 2}, 2: {0, 1}}


JET = """format = 1
[domain]
size = [1.0, 0.6]
spacing = 0.02
gravity = [0, -9.81]
[fluid]
density = 1000
kinematic_viscosity = 1e-6
max_speed = 4
[regions.pool]
shape = "rectangle"
min = [0, 0]
max = [1.0, 0.2]
[openings.jet]
type = "inflow"
min = [0, 0.35]
max = [0, 0.45]
velocity = "2*min(t, 1)"
[start]
pressure = "hydrostatic"
[time]
end = 4.0
[boundaries]
left = { type = "wall" }
right = { type = "wall" }
bottom = { type = "wall" }
top = { type = "wall" }
"""


def test_openings_in_walls_are_reported_and_drawn(tmp_path: Path) -> None:
    world = World.from_text(JET)
    assert re.search(r"opening jet +inflow from \(0, 0.35\) to \(0, 0.45\) m, 5 spacings", describe(world))
    left, right, *_ = Scene.of(world).sides
    assert left.gaps == ((0.35, 0.45),) and right.gaps == ()
    with mock.patch.object(Axes, "text", autospec=True, side_effect=Axes.text) as text:
        save_picture(world, tmp_path / "jet.png")
    assert "jet: inflow" in [call.args[3] for call in text.call_args_list]


def test_probes_at_walls_under_a_free_surface_are_reported() -> None:
    probes = "\n".join(
        f'[observe.{name}]\ntype = "probe"\nposition = {place}'
        for name, place in {"floor": [0.5, 0.0], "near": [0.99, 0.1], "inside": [0.5, 0.1]}.items()
    )
    text = describe(World.from_text(f"{JET}{probes}"))
    assert "observe.floor and observe.near lie on a wall" in text and "observe.inside" not in text
    confined = describe(World.load("poiseuille"))
    assert "on a wall" not in confined


def test_what_flows_in_without_a_way_out_fills_the_domain() -> None:
    """The room is 0.4 m^2, and 0.2 m^2/s enter once the inflow has its speed: 2.5 s."""
    assert "fills the domain by about t = 2.5 s, and the run will stop there" in describe(
        World.from_text(JET)
    )
    assert "no way out" not in describe(World.from_text(JET, overrides={"time.end": 2.2}))
    assert "no way out" not in describe(
        World.from_text(JET.replace('top = { type = "wall" }', 'top = { type = "open" }'))
    )


def test_a_domain_that_is_too_full_says_so() -> None:
    world = World.from_text(JET, overrides={"regions.pool.max": [1.0, 0.58], "domain.spacing": 0.025})
    simulation = Simulation(world, threads=1)
    with pytest.raises(_core.StepError, match="fluid flows in but cannot leave; end the inflow before"):
        simulation.advance_to(4.0)
