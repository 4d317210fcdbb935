"""[method] as a union over solvers: options, refusals, schema; and solvers of other packages."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import law_worlds
import pytest

from eddyline import _core
from eddyline.run.derived import derive
from eddyline.solvers import solvers
from eddyline.solvers.amr import Amr, AmrOptions
from eddyline.solvers.sph import SOLVER as SPH
from eddyline.world import World, WorldError, schema_json
from eddyline.world import solver as registry
from eddyline.world.quantities import series_columns
from eddyline.world.schema import world_file

WAVE = """\
format = 1
title = "A pulse"
[let]
w = 0.1
[domain]
size = [1, 1]
spacing = "1/32"
[method]
name = "amr"
order = 4
[start.fields]
u = "exp(-((x - 0.5)^2 + (y - 0.5)^2)/w^2)"
[boundaries]
left = { type = "periodic" }
right = { type = "periodic" }
bottom = { type = "periodic" }
top = { type = "periodic" }
[time]
end = 0.5
[observe.middle]
type = "probe"
position = [0.5, 0.5]
"""


@pytest.fixture
def has_amr(monkeypatch: pytest.MonkeyPatch) -> None:
    """A build with the solver amr, whether or not this one has it."""
    monkeypatch.setattr(_core, "solver_names", lambda: ["sph", "amr"])


def lines(text: str, **overrides: str | float) -> list[str]:
    sets = {path.replace("__", "."): value for path, value in overrides.items()}
    with pytest.raises(WorldError) as error:
        World.from_text(text, overrides=sets)
    return [problem.text for problem in error.value.problems]


@pytest.mark.usefixtures("has_amr")
def test_a_world_of_the_wave_equation_reaches_the_core() -> None:
    world = World.from_text(WAVE, overrides={"method.wave_speed": 2})
    assert isinstance(world.file.method, AmrOptions)
    core = world.core
    assert core.solver == "amr"
    given = {"equations": "wave", "order": 4, "wave_speed": 2.0, "cfl": 0.4, "patch": 32}
    assert core.options == given | {"levels": 1, "unit": 8, "regrid_every": 2}
    assert type(core.options["wave_speed"]) is float
    assert type(core.options["patch"]) is int
    assert list(core.fields) == ["u"]
    assert core.fields["u"].evaluate({"x": 0.5, "y": 0.5, "z": 0.0, "t": 0.0}) == 1.0
    assert world.output.quantity == "u"
    assert world.reynolds is None
    assert world.effective_flow == ""


def test_a_world_without_a_name_is_one_of_sph() -> None:
    world = World.load("dam_break")
    assert world.solver is SPH
    assert world.core.solver == "sph"
    assert world.core.options == {}
    assert world.file.method.scheme == "delta"  # type: ignore[attr-defined]


@pytest.mark.usefixtures("has_amr")
def test_every_refusal_of_a_world_is_listed_at_once() -> None:
    with pytest.raises(WorldError) as error:
        World.load("dam_break", {"method.name": "amr", "method.scheme": "classic"})
    told = str(error.value)
    for part in (
        'method.scheme = "classic"; is an option of sph, and this world uses amr. Remove it.',
        "domain.gravity: the wave equation",
        "Remove [fluid].",
        "regions.column",
        'observe.front.type = "front"',
    ):
        assert part in told
    with pytest.raises(WorldError, match=r"(?s)bodies\.cylinder.*Remove it"):
        World.load("cylinder", {"method.name": "amr"})


@pytest.mark.usefixtures("has_amr")
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"method__name": "apr"},
            'method.name = "apr"; must be sph, mps, amr or multiblock. Did you mean "amr"?',
        ),
        ({"method__order": 3}, "method.order = 3; must be one of 2, 4 or 6."),
        ({"method__ordr": 4}, 'method.ordr = 4; unknown key. Did you mean "order"?'),
        ({"method__skin": 4}, "method.skin = 4; is an option of sph, and this world uses amr. Remove it."),
        ({"method__cfl": 0}, "method.cfl = 0; must be > 0."),
        (
            {"start__fields__q": "x"},
            'start.fields.q = "x"; the solver amr has no such field. Known: u and p.',
        ),
        ({"start__fields__u": "t"}, 'start.fields.u = "t"; is evaluated at t = 0 only. Write it without t.'),
        ({"output__quantity": "speed"}, 'output.quantity = "speed"; pictures of a 2D world show u or p.'),
        (
            {"method__equations": "burger"},
            'must be wave, gravity, euler, navier-stokes, euler-poisson or burgers. Did you mean "burgers"?',
        ),
        ({"domain__spacing": 0.03}, "must be a whole number. Try domain.spacing = 0.029411764705882353."),
        ({"domain__spacing": 0.25}, "domain.size[0] = 1 m is 4 cells; must be at least 8. Try"),
        ({"domain__size": [1e6, 1e6]}, "makes 1e15 cells"),
        ({"observe__middle__position": [2, 0]}, "is outside the domain"),
    ],
)
def test_errors_name_the_solver(change: dict[str, str | float], told: str) -> None:
    assert any(told in line for line in lines(WAVE, **change)), lines(WAVE, **change)


@pytest.mark.usefixtures("has_amr")
def test_sides_that_are_not_given_are_walls() -> None:
    told = lines(WAVE.replace('top = { type = "periodic" }\n', ""))
    assert any("boundaries.bottom" in line and "periodic" in line for line in told), told


def test_sph_refuses_fields_and_requires_a_fluid() -> None:
    told = lines(WAVE.replace('name = "amr"\norder = 4', ""))
    assert any(line.startswith("[fluid] is missing") for line in told)
    with pytest.raises(WorldError, match="the solver sph has no fields of its own"):
        World.load("sod", {"start.fields.u": "x"})


def test_a_build_without_the_solver_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "solver_names", lambda: ["sph"])
    assert any("this build of Eddyline has only sph" in line for line in lines(WAVE))


def test_the_json_schema_has_a_section_for_each_solver() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    import tomlkit

    schema = json.loads(schema_json())
    options = {choice["$ref"].rpartition("/")[2] for choice in schema["properties"]["method"]["oneOf"]}
    assert options == {solver.options.__name__ for solver in solvers().values()}
    checker = jsonschema.Draft202012Validator(schema)
    data = tomlkit.parse(WAVE).unwrap()
    assert [error.message for error in checker.iter_errors(data)] == []
    data["method"]["xsph"] = 0.5
    assert len(list(checker.iter_errors(data))) == 1
    del data["method"]
    assert [error.message for error in checker.iter_errors(data)] == ["'fluid' is a required property"]


def test_other_packages_add_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point is found; it does not replace a solver of Eddyline."""

    class Other(Amr):
        name = "other"

    entry = SimpleNamespace(name="other", load=lambda: Other())
    thief = EntryPoint("sph", "nowhere:Nothing", registry.GROUP)
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [entry, thief] if group == registry.GROUP else []
    )
    registry.solvers.cache_clear()
    world_file.cache_clear()
    try:
        assert list(solvers()) == [*registry.BUILT_IN, "other"]
        assert solvers()["sph"] is SPH
        registry.solvers.cache_clear()
        broken = EntryPoint("broken", "nowhere:Nothing", registry.GROUP)
        monkeypatch.setattr(registry, "entry_points", lambda group: [broken])
        with pytest.warns(UserWarning, match="the solver broken cannot be loaded: No module named 'nowhere'"):
            assert list(solvers()) == list(registry.BUILT_IN)
    finally:
        registry.solvers.cache_clear()
        world_file.cache_clear()


@pytest.mark.parametrize("name", ["DAM_2D", "STREAM_3D", "CHANNEL_2D", "MOVING_2D", "GAS_2D"])
def test_series_have_the_columns_that_expectations_may_name(name: str) -> None:
    world = World.from_text(getattr(law_worlds, name))
    found = derive(world, _core.Simulation(world.core, threads=1).take_series())
    expected = series_columns(world.file)
    assert {series: set(columns[1:]) for series, (columns, _, _) in found.items()} == {
        series: set(columns) for series, columns in expected.items()
    }
