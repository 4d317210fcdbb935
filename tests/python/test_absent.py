"""Words of other codes are answered; Eddyline's own words and typing errors are not taken for them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from eddyline import cli
from eddyline.bench import command as bench
from eddyline.validate import command as validate
from eddyline.world import World, WorldError
from eddyline.world.absent import ANSWERS, answer
from eddyline.world.schema import (
    OBSERVERS,
    OPENINGS,
    SIDE_KINDS,
    keys_of,
    table_of,
    world_file,
)
from eddyline.world.shapes import BODIES, SHAPES, Motion
from eddyline.world.solver import picture_names, solvers

ROOT = Path(__file__).parents[2]
WORLD = """\
format = 1
[domain]
size = [1.0, 1.0]
spacing = 0.05
[fluid]
density = 1000.0
kinematic_viscosity = 1e-6
max_speed = 1
[bodies.ship]
shape = "circle"
center = [0.5, 0.5]
diameter = 0.4
[observe.p]
type = "probe"
position = [0.1, 0.1]
[time]
end = 2
"""
GROUP = get_command(cli.app)
OPTIONS = {
    name.lstrip("-").replace("-", "_")
    for command in GROUP.commands.values()  # type: ignore[attr-defined]
    for parameter in command.params
    for name in parameter.opts
}


def problem(text: str = WORLD, **overrides: str) -> str:
    with pytest.raises(WorldError) as error:
        World.from_text(text, overrides={path.replace("__", "."): value for path, value in overrides.items()})
    return str(error.value)


def command_line(*words: str) -> str:
    result = CliRunner().invoke(cli.app, list(words))
    assert result.exit_code == 2
    return " ".join(result.output.split())


def test_the_list_is_long_and_says_what_to_do() -> None:
    assert len(ANSWERS) > 60
    assert all(word == word.lower() and text.endswith(".") for word, text in ANSWERS.items())


@pytest.mark.parametrize("word", sorted(ANSWERS))
def test_every_word_is_answered_as_key_table_value_option_and_command(word: str) -> None:
    told = answer(word)
    assert told is not None
    assert told in problem(WORLD.replace("[bodies.ship]", f"{word} = 1\n[bodies.ship]"))
    assert told in problem(f"{WORLD}[{word}]\nvalue = 1\n")
    assert told in problem(WORLD.replace('"circle"', f'"{word}"'))
    assert told in problem(**{f"fluid__{word}": "1"})
    assert told in problem(**{word: "1"})
    assert told in command_line(word)
    if word not in OPTIONS:
        assert told in command_line("run", "sod", f"--{word.replace('_', '-')}")
        assert told in command_line("check", "sod", f"--{word.replace('_', '-')}=3")


def test_no_word_is_one_of_eddyline() -> None:
    first = ("reference", "domain", "fluid", "start", "boundaries", "time", "method", "output", "expect")
    paths = [(name,) for name in first[:-1]] + [("expect", 0)]
    tables = [table_of(path, {}) for path in paths]
    for solver in solvers().values():
        tables += [solver.options, *solver.tables.values()]
    tagged = [*BODIES.values(), *SIDE_KINDS.values(), *OPENINGS.values(), *OBSERVERS.values()]
    classes = [*tables, world_file(), Motion, *tagged]
    keys = {key for table in classes if table is not None for key in keys_of(table)}
    values = {*SHAPES, *SIDE_KINDS, *OPENINGS, *OBSERVERS, *picture_names(), *solvers()}
    assert len(keys) > 60
    assert "cfl" in keys
    commands = set(GROUP.commands)  # type: ignore[attr-defined]
    assert not set(ANSWERS) & (keys | values | commands)
    assert set(ANSWERS) & OPTIONS == {"csv"}  # where a command has no such option


def test_files_and_lone_shapes_are_answered() -> None:
    ship = WORLD.replace('shape = "circle"\ncenter = [0.5, 0.5]\ndiameter = 0.4', 'stl = "ship.stl"')
    assert "bodies.ship.shape is missing" in problem(ship)
    assert "DualSPHysics and OpenFOAM read STL." in problem(ship)
    assert "reads no geometry files" in problem(WORLD.replace('"circle"', '"hull.obj"'))


def test_the_example_of_surface_tension() -> None:
    assert problem(fluid__surface_tension="0.07") == (
        "overrides: fluid.surface_tension = 0.07; unknown key. Eddyline has no surface tension; PySPH and "
        "Basilisk have it."
    )
    assert "No such command 'restart'. Use `eddyline resume RUN`" in command_line("restart")


@pytest.mark.parametrize("run", [lambda: bench.run(["step", "--gpu"]), lambda: validate.run(["--gpu=1"])])
def test_bench_and_validate_answer(run: Callable[[], object], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run()
    told = capsys.readouterr().err
    assert "unknown option. Eddyline runs on CPUs" in told


def test_tools_that_are_named_stand_on_their_page() -> None:
    page = (ROOT / "docs" / "when-another-tool-is-better.md").read_text(encoding="utf-8")
    fluids = ("DualSPHysics", "PySPH", "OpenFOAM", "Basilisk", "SU2", "SPHinXsys", "TrixiParticles.jl")
    tools = (*fluids, "Palabos", "LAMMPS", "SWIFT", "Phantom", "GADGET")
    assert all(any(tool in text for text in ANSWERS.values()) and tool in page for tool in tools)


def test_typing_errors_are_still_understood() -> None:
    assert 'Did you mean "density"?' in problem(fluid__densty="1")
    assert 'Did you mean "circle"?' in problem(WORLD.replace('"circle"', '"cirle"'))
    assert 'Did you mean "fluid"?' in problem(fluids="1")
    assert "Did you mean 'resume'?" in command_line("resme")
    assert "Possible options: --ranks" in command_line("run", "sod", "--rank")
    assert answer("spacing") is None
